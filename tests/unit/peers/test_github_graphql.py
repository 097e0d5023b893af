"""GraphQL documents are judged by GitHub's published schema, and answered from the same state as
REST."""

import pytest

from tests.peers.github.handle import GATE, GitHub
from tests.support import Repo
from tests.unit.peers.client import Client, opened

_THREADS = """query ($first: Int, $after: String) {
 repository(owner: "octo", name: "repo") {pullRequest(number: 1) {
  reviewThreads(first: $first, after: $after) {pageInfo {hasNextPage endCursor}
    nodes {id isResolved viewerCanResolve comments(first: 9) {nodes {
      id fullDatabaseId body isMinimized
      author {__typename login ... on Bot {databaseId} ... on User {databaseId}}}}}}}}}"""
_RULES = """query ($name: String!) {repository(owner: "octo", name: "repo") {
  ref(qualifiedName: $name) {rules(first: 1) {totalCount}}}}"""
_RESOLVE = (
    "mutation ($id: ID!) {resolveReviewThread(input: {threadId: $id}) {thread {isResolved "
    "resolvedBy {login}}}}"
)
_MINIMIZE = """mutation ($id: ID!) {minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
  minimizedComment {isMinimized minimizedReason}}}"""


def threads(client: Client, **variables: object) -> dict:
    return client.ask(_THREADS, **{"first": 50, **variables})["data"]["repository"]["pullRequest"][
        "reviewThreads"
    ]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("{viewer {login nonsense}}", "Cannot query field 'nonsense' on type 'User'."),
        ("{viewer(id: 1) {login}}", "Unknown argument 'id' on field 'Query.viewer'."),
        (
            "mutation {minimizeComment(input: {subjectId: 1, classifier: OLD}) {clientMutationId}}",
            "Value 'OLD' does not exist",
        ),
        (_THREADS, "You must provide a `first` or `last` value"),
        (
            _THREADS.replace("$first: Int,", "$first: Int = 101,"),
            "exceeds the `first` limit of 100 records",
        ),
        ("{viewer {bio}}", "does not model User.bio"),
        ("{viewer {login}", "Syntax Error"),
    ],
)
def test_a_wrong_document_is_refused(github: GitHub, repo: Repo, query: str, said: str) -> None:
    opened(github, repo)
    answer = Client(github, github.token()).post("/graphql", {"query": query})
    assert answer.status_code == 200 and any(
        said in error["message"] for error in answer.json()["errors"]
    ), answer.text


def test_threads_with_their_people_and_pages(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    first, second = (
        pull.on_line(by, "code.py", line, by)
        for by, line in (("github-actions[bot]", 10), ("github-actions", 31))
    )
    reply = pull.reply(first, "bob", "No")
    pull.resolve(second)
    pages = [threads(client, first=1)]
    pages.append(threads(client, first=1, after=pages[0]["pageInfo"]["endCursor"]))
    assert [(each["pageInfo"]["hasNextPage"], len(each["nodes"])) for each in pages] == [
        (True, 1),
        (False, 1),
    ]
    (one,), (other,) = (each["nodes"] for each in pages)
    assert [each["fullDatabaseId"] for each in one["comments"]["nodes"]] == [
        str(first.id),
        str(reply.id),
    ]
    bot, human = (each["comments"]["nodes"][0]["author"] for each in (one, other))
    assert (bot["login"], bot["__typename"], bot["databaseId"]) == (
        "github-actions",
        "Bot",
        41898282,
    )
    assert (human["login"], human["__typename"]) == ("github-actions", "User")
    assert (one["isResolved"], other["isResolved"]) == (False, True)


def test_the_viewer_of_an_installation(github: GitHub, repo: Repo) -> None:
    opened(github, repo)
    seen = Client(github, github.token()).ask("{viewer {login databaseId __typename}}")["data"][
        "viewer"
    ]
    assert seen == {"login": "github-actions[bot]", "databaseId": 41898282, "__typename": "User"}


def test_resolving_needs_more_than_writing_reviews(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    pull.on_line("bob", "code.py", 10, "Hm")
    (thread,) = threads(client)["nodes"]
    refused = client.ask(_RESOLVE, id=thread["id"])
    assert (refused["data"], refused["errors"][0]["type"]) == (
        {"resolveReviewThread": None},
        "FORBIDDEN",
    )
    assert thread["viewerCanResolve"] is False and pull.stored.resolved == {}
    able = Client(github, github.token(**{**GATE, "contents": "write"}))
    assert (
        able.ask(_RESOLVE, id=thread["id"])["data"]["resolveReviewThread"]["thread"]["isResolved"]
        is True
    )
    assert threads(client)["nodes"][0]["isResolved"] is True


def test_minimising_shows_in_the_threads(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    pull.on_line("github-actions[bot]", "code.py", 10, "Hm")
    comment = threads(client)["nodes"][0]["comments"]["nodes"][0]
    done = client.ask(_MINIMIZE, id=comment["id"])["data"]["minimizeComment"]["minimizedComment"]
    assert done == {"isMinimized": True, "minimizedReason": "outdated"}
    assert threads(client)["nodes"][0]["comments"]["nodes"][0]["isMinimized"] is True
    assert client.ask(_MINIMIZE, id="PRRC_nothing")["errors"][0]["type"] == "NOT_FOUND"


def test_the_rules_of_a_branch_are_counted_as_rest_shows_them(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())

    def counted(name: str) -> object:
        return client.ask(_RULES, name=name)["data"]["repository"]["ref"]

    assert (
        counted("refs/heads/main") == {"rules": {"totalCount": 0}}
        and counted("refs/heads/none") is None
    )
    pull.repo.stored.rules["main"] = [("build", None), ("e2e", None)]
    assert counted("refs/heads/main") == {
        "rules": {"totalCount": len(client.get("/repos/octo/repo/rules/branches/main").json())}
    }
