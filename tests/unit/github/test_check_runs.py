"""Our check run: fifty annotations a request, each once whatever is lost, and green only at the
end."""

import pytest

from reviewgate_gh.github.check_runs import CheckRunDraft, send_check_run
from reviewgate_gh.github.reading import Forbidden, UncertainWrite
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of

RUNS = "/repos/octo/repo/check-runs"


def drafted(repo: Repo, count: int, key: str = "key") -> CheckRunDraft:
    lines = [
        {
            "path": "new.py",
            "start_line": 1,
            "end_line": 1,
            "annotation_level": "warning",
            "message": str(n),
        }
        for n in range(count)
    ]
    return CheckRunDraft("reviewgate", repo.head, key, "failure", "Title", "Summary", tuple(lines))


def opened(github: GitHub, repo: Repo):
    return pull_of(github, repo), client_of(
        github, github.token(checks="write", contents="read", pull_requests="read")
    )


def told(pull):
    (made,) = pull.repo.stored.checks
    return made.status, made.conclusion, [each["message"] for each in made.annotations]


@pytest.mark.parametrize(
    ("count", "writes"), [(0, 1), (1, 1), (50, 1), (51, 2), (100, 2), (101, 3)]
)
def test_fifty_a_request(github_plain: GitHub, repo: Repo, count, writes):
    pull, client = opened(github_plain, repo)
    send_check_run(client, drafted(repo, count))
    assert told(pull) == ("completed", "failure", [str(n) for n in range(count)])
    sent = [
        entry.json() for entry in github_plain.journal.of(path=f"{RUNS}*") if entry.method != "GET"
    ]
    assert [each["status"] for each in sent] == ["in_progress"] * (writes - 1) + ["completed"]
    assert [each.get("conclusion") for each in sent] == [None] * (writes - 1) + ["failure"]


@pytest.mark.contract(plain=["502-1-True", "reset-2-False"])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("mode", ["502", "reset", "html", "other-json"])
def test_a_lost_answer_doubles_nothing_and_loses_nothing(
    github_plain: GitHub, repo: Repo, mode, nth, stored
):
    pull, client = opened(github_plain, repo)
    method, path, which = ("POST", RUNS, 1) if nth == 1 else ("PATCH", f"{RUNS}/*", nth - 1)
    github_plain.fault(mode, method, path, nth=which, stored=stored)
    send_check_run(client, drafted(repo, 120))
    assert told(pull) == ("completed", "failure", [str(n) for n in range(120)])
    assert github_plain.duplicates() == []


def test_what_an_earlier_run_began_is_finished(github_plain: GitHub, repo: Repo):
    pull, client = opened(github_plain, repo)
    fault = github_plain.fault("502", "PATCH", f"{RUNS}/*", times=50)
    with pytest.raises(UncertainWrite):
        send_check_run(client, drafted(repo, 120))
    assert told(pull)[:2] == ("in_progress", None)
    fault.times = 0
    send_check_run(client, drafted(repo, 120))
    assert told(pull) == ("completed", "failure", [str(n) for n in range(120)])
    send_check_run(client, drafted(repo, 120, key="another"))
    assert len(pull.repo.stored.checks) == 2


def test_a_person_s_token_cannot(github_plain: GitHub, repo: Repo):
    pull_of(github_plain, repo)
    with pytest.raises(Forbidden, match="GitHub App"):
        send_check_run(
            client_of(github_plain, github_plain.token("ada", checks="write")), drafted(repo, 1)
        )
