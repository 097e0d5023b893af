"""When the head moves, comments follow their line or become outdated, and nobody can review what is
gone."""

from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.peers.client import LINES, Client, opened, review

PULL = "/repos/octo/repo/pulls/1"
_THREADS = """query {repository(owner: "octo", name: "repo") {pullRequest(number: 1) {headRefOid
  reviewThreads(first: 9) {nodes {isOutdated line originalLine}}}}}"""


def moved(repo: Repo, **lines: str) -> str:
    """A commit in which lines of code.py are other ones; `l10="new"`."""
    text = [*LINES]
    text[9], text[29] = "line ten\n", "line 30\nmore\n"
    for name, line in lines.items():
        text[int(name[1:]) - 1] = line
    return repo.commit({"code.py": "".join(text)}, "Go on")


def test_comments_follow_their_line_or_become_outdated(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    old = pull.stored.head_sha
    client.post(
        f"{PULL}/reviews",
        review(
            pull, *({"path": "code.py", "line": line, "body": str(line)} for line in (10, 13, 31))
        ),
    )
    moved(repo, l1="new\nand more\n", l10="line ten again\n")
    assert pull.push() != old == repo.rev("refs/pull/1/head~1")
    seen = [
        (each["line"], each["original_line"], each["commit_id"] == old)
        for each in client.get(f"{PULL}/comments").json()
    ]
    assert seen == [(None, 10, True), (14, 13, False), (32, 31, False)]


def test_graphql_says_so_too(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    client.post(
        f"{PULL}/reviews",
        review(pull, *({"path": "code.py", "line": line, "body": str(line)} for line in (10, 31))),
    )
    moved(repo, l10="line ten again\n")
    head = pull.push()
    found = client.ask(_THREADS)["data"]["repository"]["pullRequest"]
    assert found["headRefOid"] == head
    assert [list(each.values()) for each in found["reviewThreads"]["nodes"]] == [
        [True, None, 10],
        [False, 31, 31],
    ]
    assert client.get(f"{PULL}/comments").json()[0]["position"] is None


def test_after_a_force_push_the_old_commit_is_none_of_the_pull_request(
    github_plain: GitHub, repo: Repo
) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token("bob"))
    stale = review(pull, event="APPROVE")
    client.post(f"{PULL}/reviews", stale)
    repo.git("reset", "--quiet", "--hard", "main")
    moved(repo, l20="line twenty\n")
    head = pull.push()
    assert [each["commit_id"] for each in client.get(f"{PULL}/reviews").json()] == [head]
    assert client.post(f"{PULL}/reviews", stale).json()["errors"] == [
        "Start commit oid is not part of the pull request"
    ]


def test_a_review_of_an_older_commit_is_placed_on_that_commit(
    github_plain: GitHub, repo: Repo
) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    asked = review(pull, {"path": "code.py", "line": 31, "body": "more"})
    moved(repo, l1="new\nand more\n")
    pull.push()
    assert client.post(f"{PULL}/reviews", asked).status_code == 200
    assert [(each.origin.line, each.now.line) for each in pull.inline] == [(31, 32)]


def test_a_conflict_with_the_base_has_no_test_merge(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    assert repo.rev("refs/pull/1/merge^2") == pull.stored.head_sha
    repo.switch("main")
    repo.commit({"code.py": "other\n"}, "conflict")
    repo.switch("topic")
    pull.push()
    assert client.get(PULL).json()["mergeable"] is False
