"""GitHub's own description judges both sides: what the product sends, and what the fake answers."""

import json
import re
from collections.abc import Iterator, Mapping

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
    is_required_argument,
)

from tests.peers.github.graphql_engine import load_schema
from tests.peers.github.handle import GitHub
from tests.peers.github.journal import Journal
from tests.peers.github.routes import Answer, Request
from tests.peers.github.servers import Servers, referee_installed
from tests.peers.github.world import OUR_SCHEMA
from tests.support import Repo, peer
from tests.unit.peers.client import Client, opened, review

REPO = "/repos/octo/repo"
pytestmark = pytest.mark.peer


@pytest.fixture(scope="session")
def github_servers() -> Iterator[Servers]:
    """The servers with the referee, whatever the options of this run are."""
    if not referee_installed():
        pytest.skip("no referee: run tests/peers/install.sh")
    servers = Servers(referee=True)
    yield servers
    servers.stop()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/pulls/1/reviews", {"event": "BLOCK", "body": "x"}),
        ("/pulls/1/reviews", {"event": "COMMENT", "comments": [{"line": 10, "body": "no path"}]}),
        (
            "/pulls/1/reviews",
            {
                "event": "COMMENT",
                "comments": [{"path": "code.py", "line": "10", "body": "a text for a number"}],
            },
        ),
        ("/issues/1/comments", {"text": "no body"}),
        ("/issues", {"body": "no title"}),
        (
            "/check-runs",
            {"name": "gate", "head_sha": "a" * 40, "status": "completed", "conclusion": "passed"},
        ),
        ("/no-such-thing", {}),
    ],
)
def test_a_request_that_github_does_not_know_is_refused_and_fails_the_test(
    github: GitHub, repo: Repo, path: str, body: dict
) -> None:
    opened(github, repo)
    answer = Client(
        github, github.token(pull_requests="write", issues="write", checks="write")
    ).post(REPO + path, body)
    entry = github.journal.entries[-1]
    assert answer.status_code in (404, 422) and (entry.answered, entry.created) == (0, False)
    with pytest.raises(AssertionError, match="GitHub's own description refuses requests"):
        github.check()
    github.forgive()


def test_more_than_fifty_annotations_are_refused(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token(checks="write"))
    note = {
        "path": "code.py",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "warning",
        "message": "m",
    }
    made = client.post(
        f"{REPO}/check-runs",
        {"name": "gate", "head_sha": pull.stored.head_sha, "status": "in_progress"},
    ).json()
    counts = []
    for number in (50, 51, 7):
        output = {"title": "t", "summary": "s", "annotations": [note] * number}
        counts.append(
            client.call(
                "PATCH",
                f"{REPO}/check-runs/{made['id']}",
                {"conclusion": "failure", "output": output},
            ).status_code
        )
    assert counts == [200, 422, 200] and len(pull.repo.stored.checks[0].annotations) == 57
    github.forgive()


def test_an_answer_that_github_would_not_give_fails_the_test(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    pull.issue.title = 5  # type: ignore[assignment]
    assert client.get(f"{REPO}/pulls/1").status_code == 500
    with pytest.raises(AssertionError, match="the fake of GitHub is wrong"):
        github.check()
    github.journal.entries.clear()


class Junk:
    """A world that answers everything with a number."""

    def __init__(self) -> None:
        self.journal = Journal()

    def answer(self, request: Request, stale: bool) -> Answer:
        return Answer(200, 5)


def test_every_operation_is_judged(github_servers: Servers) -> None:
    """Prism says nothing about a schema that it cannot compile: it lets everything pass."""
    paths = json.loads(peer("node_modules/.github-api.json").read_text())["paths"]
    prism, passed, judged = github_servers.prism(), [], 0
    prism.worlds["junk"] = Junk()
    for template, methods in paths.items():
        path = re.sub(r"\{\w+\}", "1", template) + ("?q=x" if "search" in template else "")
        for method in methods:
            if method == "get" or "content" in methods[method].get("requestBody", {}):
                asked = Request(
                    method.upper(),
                    path,
                    {"content-type": "application/json"},
                    b"" if method == "get" else b"5",
                )
                answer, judged = prism.relay(prism.worlds["junk"], "junk", asked, False), judged + 1
                passed += (
                    []
                    if b"stoplight.io/prism/errors" in answer.content()
                    else [f"{method} {template}"]
                )
    assert passed == [] and judged > 50


def test_paths_with_slashes_and_text_answers_pass(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    repo.commit({"a folder/ü.py": "1\n"}, "deep")
    head = pull.push()
    assert client.get(f"{REPO}/contents/a%20folder/%C3%BC.py?ref={head}").json()["size"] == 2
    assert (
        client.get(
            f"{REPO}/contents/a%20folder/%C3%BC.py?ref={head}", accept="application/vnd.github.raw"
        ).content
        == b"1\n"
    )
    assert [
        each["name"] for each in client.get(f"{REPO}/contents/a%20folder?ref=topic").json()
    ] == ["ü.py"]
    diff = client.get(f"{REPO}/pulls/1", accept="application/vnd.github.v3.diff").content.decode()
    assert diff.count("diff --git ") == 3 and "+line ten" in diff
    assert client.get(f"{REPO}/git/ref/heads/topic").json()["object"]["sha"] == head
    assert client.get(f"{REPO}/compare/main...topic").json()["ahead_by"] == 2


def test_every_kind_of_thing_passes_the_referee(github: GitHub, repo: Repo) -> None:
    pull = opened(github, repo, labels=("bug",))
    rights = dict.fromkeys(("pull_requests", "issues", "checks", "statuses"), "write")
    client = Client(
        github, github.token(**rights, contents="read", actions="read", administration="read")
    )
    sha, stored = pull.stored.head_sha, pull.repo.stored
    stored.required["main"], stored.rules["main"] = (
        [("build", 15368)],
        [("build", 15368), ("lint", None)],
    )
    run = pull.repo.workflow_run("CI", sha, pulls=[1])
    pull.repo.check(sha, "build", run=run.id)
    pull.repo.status(sha, "ci", "failure")
    made = client.post(
        f"{REPO}/pulls/1/reviews", review(pull, {"path": "code.py", "line": 10, "body": "x"})
    ).json()["id"]
    inline = pull.inline[0].id
    written = [
        client.post(f"{REPO}/pulls/1/comments/{inline}/replies", {"body": "y"}),
        client.call("PATCH", f"{REPO}/pulls/comments/{inline}", {"body": "z"}),
        client.post(f"{REPO}/issues", {"title": "t", "labels": ["gate"]}),
        client.call("PATCH", f"{REPO}/issues/2", {"state": "closed"}),
        client.post(f"{REPO}/issues/1/labels", {"labels": ["more"]}),
        client.post(f"{REPO}/issues/1/comments", {"body": "b"}),
        client.call("PATCH", f"{REPO}/issues/comments/{pull.say('bob', 'b').id}", {"body": "c"}),
        client.post(f"{REPO}/statuses/{sha}", {"state": "success", "context": "gate"}),
        client.call("DELETE", f"{REPO}/issues/1/labels/more"),
    ]
    reads = [
        "",
        "/pulls",
        "/pulls/1/commits",
        f"/pulls/1/reviews/{made}/comments",
        "/pulls/1/comments",
        "/issues",
        "/issues/1",
        "/labels",
    ]
    reads += [
        f"/commits/{sha}",
        f"/commits/{sha}/check-suites",
        f"/commits/{sha}/status",
        f"/commits/{sha}/statuses",
        f"/commits/{sha}/pulls",
    ]
    reads += [
        "/branches/main",
        "/branches/main/protection/required_status_checks",
        "/rules/branches/main",
        f"/actions/runs/{run.id}",
    ]
    read = [client.get(REPO + path) for path in [*reads, "/collaborators/ada/permission"]]
    read += [
        client.get(path)
        for path in ("/rate_limit", "/search/issues?q=repo:octo/repo+is:issue+label:gate")
    ]
    assert [answer.url for answer in (*written, *read) if answer.status_code >= 300] == []
    assert read[-1].json()["total_count"] == 1


def test_what_the_fake_knows_of_graphql_is_a_part_of_github_s_schema() -> None:
    """So a document that fits the fake's schema fits GitHub's, and means the same there."""
    ours, whole = (
        load_schema(OUR_SCHEMA),
        load_schema(peer("node_modules/@octokit/graphql-schema/schema.graphql")),
    )
    kinds = [name for name in ours.type_map if not name.startswith("__")]
    assert len(kinds) > 50
    for name in kinds:
        mine, theirs = ours.type_map[name], whole.type_map[name]
        assert type(mine) is type(theirs), name
        if isinstance(mine, GraphQLUnionType):
            assert {each.name for each in mine.types} == {each.name for each in theirs.types}, name
        elif isinstance(mine, GraphQLEnumType):
            assert set(mine.values) <= set(theirs.values), name
        elif isinstance(mine, GraphQLInputObjectType):
            assert _signatures(mine.fields) == _signatures(theirs.fields), name
        elif isinstance(mine, GraphQLObjectType | GraphQLInterfaceType):
            assert {each.name for each in mine.interfaces} <= {
                each.name for each in theirs.interfaces
            }, name
            for field, known in mine.fields.items():
                own, real = _signatures(known.args), _signatures(theirs.fields[field].args)
                assert str(known.type) == str(theirs.fields[field].type), f"{name}.{field}"
                assert own.items() <= real.items(), f"{name}.{field}"
                assert not [
                    each
                    for each in real.keys() - own.keys()
                    if is_required_argument(theirs.fields[field].args[each])
                ]


def _signatures(fields: Mapping[str, GraphQLArgument | GraphQLInputField]) -> dict[str, str]:
    return {name: str(each.type) for name, each in fields.items()}
