"""Pages, permissions, limits and what large changes leave out."""

import pytest
from github import Auth, Github

from tests.peers.github.handle import READ_ONLY, GitHub
from tests.support import Repo
from tests.unit.peers.client import Client, opened, review

REPO = "/repos/octo/repo"


def test_lists_have_pages_and_links(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    for number in range(101):
        pull.say("bob", f"comment {number}")
    path, seen = f"{REPO}/issues/1/comments?per_page=100", []
    while path:
        page = client.get(path)
        seen.append([each["body"] for each in page.json()])
        path = page.links.get("next", {}).get("url", "")
    assert [len(each) for each in seen] == [100, 1] and seen[1] == ["comment 100"]
    assert [
        len(client.get(f"{REPO}/issues/1/comments{size}").json()) for size in ("", "?per_page=500")
    ] == [30, 100]


def test_an_unchanged_answer_is_304_and_costs_nothing(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    first = client.get(f"{REPO}/pulls/1")
    again = client.get(f"{REPO}/pulls/1", **{"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    pull.draft()
    changed = client.get(f"{REPO}/pulls/1", **{"if-none-match": first.headers["etag"]})
    assert changed.json()["draft"] is True and changed.headers["x-ratelimit-used"] == "2"


def test_pygithub_reads_and_writes_through_the_referee(github: GitHub, repo: Repo) -> None:
    pull = opened(github, repo)
    api = Github(
        base_url=github.url, auth=Auth.Token(github.token()), per_page=1, seconds_between_writes=0
    )
    found = api.get_repo("octo/repo").get_pull(1)
    for line in (10, 31):
        found.create_review(
            found.base.repo.get_commit(found.head.sha),
            "Hi",
            "COMMENT",
            [{"path": "code.py", "line": line, "body": "x"}],
        )
    assert [each.line for each in found.get_review_comments()] == [10, 31]
    files = [(each.filename, each.status, each.changes, each.sha) for each in found.get_files()]
    blobs = [repo.rev("topic:code.py"), repo.rev("main:gone.py")]
    assert files == [("code.py", "modified", 3, blobs[0]), ("gone.py", "removed", 1, blobs[1])]
    assert github.journal.count("GET", "*/files") == 2 and len(pull.reviews) == 2


def test_a_missing_permission_is_named_in_a_header(github: GitHub, repo: Repo) -> None:
    pull = opened(github, repo, fork="eve/repo")
    client = Client(github, github.token(**READ_ONLY))
    refused = client.post(f"{REPO}/pulls/1/reviews", review(pull))
    assert (refused.status_code, refused.json()["message"]) == (
        403,
        "Resource not accessible by integration",
    )
    assert refused.headers["x-accepted-github-permissions"] == "pull_requests=write"
    assert (
        client.get("/user").status_code == 403
        and Client(github, "nonsense").get(REPO).status_code == 401
    )
    assert client.get(f"{REPO}/branches/main/protection/required_status_checks").status_code == 403
    assert client.get(f"{REPO}/pulls/1").json()["head"]["repo"]["full_name"] == "eve/repo"
    assert pull.reviews == []


def test_too_much_content_in_a_minute_is_a_secondary_limit(
    github_plain: GitHub, repo: Repo
) -> None:
    opened(github_plain, repo)
    now = [1_000_000.0]
    github_plain.world.clock = lambda: now[0]
    client = Client(github_plain, github_plain.token(issues="write"))
    answers = [client.post(f"{REPO}/issues", {"title": str(number)}) for number in range(81)]
    assert [each.status_code for each in answers] == [201] * 80 + [403]
    assert "secondary rate limit" in answers[-1].text and answers[-1].headers["retry-after"] == "60"
    now[0] += 61
    assert client.post(f"{REPO}/issues", {"title": "later"}).status_code == 201
    assert sum(entry.created for entry in github_plain.journal.entries) == 81


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(
    ("files", "lines", "what"), [(301, 1, "files (300)"), (3, 7000, "lines (20000)"), (300, 60, "")]
)
def test_a_large_diff_is_406(
    github_plain: GitHub, repo: Repo, files: int, lines: int, what: str
) -> None:
    repo.branch("topic")
    repo.commit({f"f{number:03}.txt": "line\n" * lines for number in range(files)}, "large")
    github_plain.repository(repo.path).pull("topic")
    diff = Client(github_plain, github_plain.token()).get(
        f"{REPO}/pulls/1", accept="application/vnd.github.v3.diff"
    )
    assert diff.status_code == (406 if what else 200) and what in diff.text
    assert not what or diff.json()["errors"][0]["code"] == "too_large"


def test_large_answers_lose_patches_silently(github_plain: GitHub, repo: Repo) -> None:
    repo.branch("topic")
    repo.commit({f"f{number:03}.txt": "line\n" * 200 for number in range(301)}, "large")
    github_plain.repository(repo.path).pull("topic")
    client = Client(github_plain, github_plain.token())
    rows = client.get(f"{REPO}/pulls/1/files?per_page=100").json()
    assert client.get(f"{REPO}/pulls/1").json()["changed_files"] == 301
    assert [("patch" in row, row["changes"]) for row in rows[98:]] == [(True, 200), (False, 0)]


def test_check_runs_and_statuses_are_two_things(github: GitHub, repo: Repo) -> None:
    pull = opened(github, repo)
    sha, client = pull.stored.head_sha, Client(github, github.token())
    pull.repo.check(sha, "build", "failure", run=7)
    pull.repo.check(sha, "build", "success", run=7)
    pull.repo.check(sha, "odd", "frobnicate", app="other-ci")
    assert client.get(f"{REPO}/commits/{sha}/status").json()["state"] == "pending"
    pull.repo.status(sha, "build", "success")
    latest, every = (
        client.get(f"{REPO}/commits/{sha}/check-runs?filter={which}").json()
        for which in ("latest", "all")
    )
    assert {(each["name"], each["conclusion"]) for each in latest["check_runs"]} == {
        ("build", "success"),
        ("odd", "frobnicate"),
    }
    assert (every["total_count"], client.get(f"{REPO}/commits/topic/status").json()["state"]) == (
        3,
        "success",
    )
