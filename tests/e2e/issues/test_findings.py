"""Findings as issues, from the command line: one each, found again whatever moves, and none lost
when the tracker fails."""

import json
import os
from pathlib import Path

import pytest
import yaml

from tests.github import pull_request, push, step
from tests.peers import beads
from tests.peers.github.handle import GATE
from tests.support import Repo

EVIL = "def f(x):\n    return evil(x)\n"
ISSUES = {**GATE, "issues": "write"}


def settings(repo: Repo, **tracker) -> None:
    """The tracker as the base has it; then a branch with a defect."""
    repo.commit(
        {".reviewgate-gh.yaml": yaml.safe_dump({"version": 1, "tracker": tracker})}
        if tracker
        else {},
        "settings",
    )
    repo.branch("topic")
    repo.commit({"a.py": EVIL}, "a defect")


def synced(repo: Repo, *args: str, base: str = "main", code: int = 0, **env: str):
    assert repo.cli("review", "--base", base, env=env).code in (0, 1)
    done = repo.cli("findings", "sync", *args, env=env)
    assert done.code == code, done.output
    return done


def listed(repo: Repo, *args: str, **env: str):
    done = repo.cli("findings", "list", "--output", "json", *args, env=env)
    assert done.code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.contract(plain=False)
def test_a_review_by_hand_makes_no_issue_and_sync_makes_one(repo: Repo):
    settings(repo)
    for _ in range(2):
        repo.cli("review", "--base", "main")
    assert not repo.file(".git/reviewgate-gh/issues.jsonl").exists() and listed(repo) == []
    assert "issues (local): 1 new" in synced(repo).stdout
    assert "is up to date with the report" in synced(repo).stdout
    [row] = listed(repo)
    assert (row["priority"], row["path"], row["line"], row["status"]) == ("P1", "a.py", 2, "open")


@pytest.mark.parametrize("option", ["--staged", "--uncommitted"])
def test_what_is_not_committed_yet_becomes_an_issue_by_the_settings_of_the_head(
    repo: Repo, option: str
):
    """The tree that was reviewed is gone with the run."""
    repo.commit({".reviewgate-gh.yaml": "tracker: {type: local}\n"})
    repo.write({"a.py": EVIL})
    repo.git("add", "a.py")
    assert repo.cli("review", option).code == 1
    done = repo.cli("findings", "sync")
    assert done.code == 0 and "issues (local): 1 new" in done.stdout, done.output


def test_a_folder_that_is_none_is_no_internal_error(repo: Repo):
    settings(repo)
    repo.write({".git/reviewgate-gh": "a file"})
    done = repo.cli("findings", "list")
    assert done.code == 69 and ".git/reviewgate-gh/tracker.lock cannot be written" in done.stderr, (
        done.output
    )


@pytest.mark.req("R000-112", "R000-124")
def test_lines_that_shift_and_a_renamed_file_make_no_second_issue(repo: Repo):
    settings(repo)
    synced(repo)
    for shift in (1, 500):
        repo.commit({"a.py": "# a line\n" * shift + EVIL})
        assert "1 changed" in synced(repo).stdout
        assert [row["line"] for row in listed(repo, "--all")] == [shift + 2]
    repo.commit({"a.py": EVIL})
    repo.git("mv", "a.py", "b.py")
    repo.commit()
    synced(repo)
    repo.commit({"b.py": "x = 1\n"}, "taken away, and back with the next commit")
    repo.commit({"b.py": "# more\n" + EVIL.replace("return eval", "return  eval")})
    synced(repo, base="HEAD~1")  # where nothing tells of the rename but the history
    assert [(row["path"], row["line"]) for row in listed(repo, "--all")] == [("b.py", 3)]


@pytest.mark.contract
def test_it_is_shown_and_closed_and_stays_closed(repo: Repo):
    settings(repo)
    synced(repo)
    [row] = listed(repo)
    shown = repo.cli("findings", "show", row["fingerprint"])
    assert shown.code == 0 and "Location: a.py:2" in shown.stdout and row["title"] in shown.stdout
    assert row["id"] in repo.cli("findings", "list").stdout
    assert repo.cli("findings", "close", row["id"], "--reason", "only run by hand").code == 0
    synced(repo)
    assert listed(repo) == [] and [(r["status"], r["reason"]) for r in listed(repo, "--all")] == [
        ("closed", "only run by hand")
    ]
    for verb, said in (
        (("show", "nothing"), "no issue 'nothing'"),
        (("close", row["id"], "--reason", "twice"), "no open issue"),
    ):
        done = repo.cli("findings", *verb)
        assert done.code == 64 and said in done.stderr, done.output


@pytest.mark.parametrize("close_fixed", [True, False])
def test_a_mended_finding_is_closed_only_where_the_config_asks(repo: Repo, close_fixed):
    settings(repo, type="local", close_fixed=close_fixed)
    synced(repo)
    repo.commit({"a.py": "def f(x):\n    return x\n"}, "mended")
    synced(repo)
    [row] = listed(repo, "--all")
    assert (row["status"], repo.head[:12] in row["reason"]) == (
        ("closed", True) if close_fixed else ("open", False)
    )
    repo.commit({"a.py": EVIL}, "again")
    synced(repo)
    assert [row["status"] for row in listed(repo, "--all")] == ["open"]


@pytest.mark.parametrize("how", ["no bd", "bd fails", "bd babbles", "bd hangs"])
def test_a_tracker_that_fails_changes_no_verdict_and_loses_no_finding(repo: Repo, tmp_path, how):
    settings(repo, type="beads", options={"timeout": 2})
    folder = tmp_path / "broken"
    folder.mkdir()
    said = {
        "bd fails": "echo no room >&2; exit 1",
        "bd babbles": "echo hello",
        "bd hangs": "sleep 60",
    }
    if how in said:
        program = folder / "bd"
        program.write_text(f"#!/bin/sh\n{said[how]}\n")
        program.chmod(0o755)
    env = {"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    before = repo.cli("review", "--base", "main").code
    failed = repo.cli("findings", "sync", env=env)
    assert (
        failed.code == 69
        and "the tracker beads failed" in failed.stdout
        and "1 finding saved" in failed.stdout
    ), failed.output
    assert repo.cli("review", "--base", "main").code == before == 1
    shown = repo.cli("findings", "list", env=env)
    [row] = [line for line in shown.stdout.splitlines() if " waiting " in line]
    assert shown.code == 69 and "a.py:2" in row and "bd" in shown.stderr, shown.output
    name = next(word for word in row.split() if len(word) == 16)
    assert "Location: a.py:2" in repo.cli("findings", "show", name, env=env).stdout
    assert repo.cli("findings", "show", "nothing", env=env).code == 69
    works = {"PATH": f"{beads.install(tmp_path / 'bin')}{os.pathsep}{os.environ['PATH']}"}
    repo.file(".beads").mkdir()
    [row] = listed(repo, **works)
    assert (row["status"], row["path"], row["id"]) == ("waiting", "a.py", "")
    # What waits does not hang on the report that comes next
    repo.commit({"a.py": "def f(x):\n    return x\n"}, "another change")
    assert "1 new" in synced(repo, **works).stdout
    assert [row["status"] for row in listed(repo, **works)] == ["open"]
    assert not list(repo.file(".git/reviewgate-gh/outbox/tracker").iterdir())


def test_a_disk_that_refuses_is_told_and_nothing_else(repo: Repo):
    settings(repo)
    repo.file(".git/reviewgate-gh/issues.jsonl").mkdir(parents=True)
    done = synced(repo, code=69)
    assert "the tracker local failed" in done.stdout and "1 finding saved" in done.stdout
    assert repo.cli("findings", "list").code == 69


def test_what_is_beyond_the_cap_waits_for_the_next_run(repo: Repo):
    settings(repo, type="local", max_new=2)
    repo.commit(
        {
            f"m{at}.py": f"def f{at}(x):\n    return {call}\n"
            for at, call in enumerate(["exec(x)", "undefined_a", "undefined_b", "evil(x)"])
        }
    )
    first = synced(repo)
    assert "2 new" in first.stdout and "over the limit tracker.max_new" in first.stdout
    rows = listed(repo)
    assert [row["status"] for row in rows].count("open") == 2
    for _ in range(3):
        repo.cli("findings", "sync")
    assert {row["status"] for row in listed(repo)} == {"open"} and len(listed(repo)) == len(rows)


def test_commits_of_others_make_no_issues_unless_asked(repo: Repo):
    settings(repo)
    path = str(repo.path.parent / "report.json")
    repo.cli("review", "--base", "main", "--output", "json", "--output-path", path)
    report = json.loads(Path(path).read_text("utf-8"))
    report["change"] |= {"trusted": False, "own": False}
    Path(path).write_text(json.dumps(report), "utf-8")
    refused = repo.cli("findings", "sync", "--report", path)
    assert refused.code == 64 and "not your own" in refused.stderr and listed(repo) == []
    assert (
        repo.cli("findings", "sync", "--report", path, "--trusted").code == 0
        and len(listed(repo)) == 1
    )


@pytest.mark.contract(plain=["tracker0-unknown plug-in 'jira'"])
@pytest.mark.parametrize(
    ("tracker", "said"),
    [
        ({"type": "jira"}, "unknown plug-in 'jira'"),
        ({"type": "beads", "options": {"timout": 3}}, "unknown key timout"),
        ({"typ": "local"}, "did you mean type"),
        ({"type": "local", "max_new": 0}, "max_new must be 1 or more"),
    ],
)
def test_wrong_settings_are_named_with_their_line(repo: Repo, tracker, said):
    repo.write({".reviewgate-gh.yaml": yaml.safe_dump({"version": 1, "tracker": tracker})})
    done = repo.cli("config", "check")
    assert done.code == 78 and said in done.output and ".reviewgate-gh.yaml:" in done.output, (
        done.output
    )


def test_no_tracker_is_a_choice(repo: Repo):
    settings(repo, type="none")
    assert repo.cli("config", "check").code == 0
    done = repo.cli("findings", "list")
    assert done.code == 64 and "tracker.type is none" in done.stderr


@pytest.fixture
def pulled(github_plain, repo: Repo):
    """A pull request with a defect, and issues at GitHub as the tracker."""

    class Pulled:
        def __init__(self) -> None:
            settings(repo, type="github")
            self.hosted = github_plain.repository(repo.path)
            self.hosted.stored.collaborators |= {"ada": "write", "reader": "read"}
            self.github, self.token = github_plain, github_plain.token(**ISSUES)

        def publish(self, trusted: bool = False):
            path = repo.path.parent / "report.json"
            repo.cli("review", "--base", "main", "--output", "json", "--output-path", str(path))
            report = json.loads(path.read_text())
            report["change"]["trusted"] = trusted
            path.write_text(json.dumps(report))
            return repo.cli("publish", "1", "--report", str(path), env=self.github.env(self.token))

        @property
        def issues(self):
            return [
                each
                for each in self.hosted.stored.issues.values()
                if each.number not in self.hosted.stored.pulls
            ]

    return Pulled()


def test_publish_makes_one_issue_in_three_runs_for_an_author_who_may_write(pulled):
    pulled.hosted.pull("topic", author="ada")
    for _ in range(3):
        done = pulled.publish()
        assert done.code == 0, done.output
    [made] = pulled.issues
    assert "Pull request: #1" in made.body and "review-finding" in made.labels


@pytest.mark.parametrize(
    ("author", "fork", "trusted"),
    [("reader", False, False), ("ada", True, False), ("ada", True, True)],
)
def test_a_stranger_and_a_fork_write_nothing(pulled, author, fork, trusted):
    pulled.hosted.pull("topic", author=author, **({"fork": "eve/repo"} if fork else {}))
    done = pulled.publish(trusted)
    assert done.code == 0 and not pulled.issues, done.output
    assert "no issues were created" in done.stderr


def test_a_token_without_issues_posts_all_the_same(pulled):
    pull = pulled.hosted.pull("topic", author="ada")
    pulled.token = pulled.github.token()
    done = pulled.publish()
    assert done.code == 0 and len(pull.inline) == 1, done.output
    assert "the tracker github failed" in done.stderr and "1 finding saved" in done.stderr


def acted(pulled, repo: Repo, folder, event: str, payload, **inputs: str):
    return step(repo, event, payload, folder, env=pulled.github.env(), **inputs)


@pytest.mark.parametrize(("fork", "made"), [(False, 1), (True, 0)])
def test_the_action_makes_issues_on_a_pull_request_and_none_for_a_fork(
    pulled, repo: Repo, tmp_path, fork, made
):
    pulled.hosted.pull("topic", author="ada", **({"fork": "eve/repo"} if fork else {}))
    payload = pull_request(repo.rev("main"), repo.rev("topic"), fork=fork)
    for _ in range(2):
        done = acted(pulled, repo, tmp_path / "step", "pull_request", payload, token=pulled.token)
        assert done.report()["verdict"]["outcome"] == "block", done.ran.output
    assert len(pulled.issues) == made
    # The second run has nothing to do
    assert "issues (github)" not in str(done.report()["notices"])


def test_the_action_makes_issues_of_what_is_merged_and_says_where_it_has_no_token(
    pulled, repo: Repo, tmp_path
):
    payload = push(repo.rev("main"), repo.rev("topic"))
    done = acted(pulled, repo, tmp_path / "one", "push", payload)
    assert "the input token is empty" in str(done.report()["notices"]) and not pulled.issues, (
        done.ran.output
    )
    done = acted(pulled, repo, tmp_path / "two", "push", payload, token=pulled.token)
    assert "issues (github): 1 new" in str(done.report()["notices"]) and len(pulled.issues) == 1


def test_the_action_without_settings_writes_nothing(repo: Repo, tmp_path):
    settings(repo)
    done = step(repo, "push", push(repo.rev("main"), repo.rev("topic")), tmp_path / "step")
    assert (
        "issue" not in str(done.report()["notices"])
        and not repo.file(".git/reviewgate-gh/issues.jsonl").exists()
    )


def test_a_clone_of_no_repository_at_github_says_how_to_name_one(repo: Repo):
    settings(repo, type="github")
    done = repo.cli("findings", "list")
    assert done.code == 64 and done.stderr.endswith("\n  set GITHUB_REPOSITORY=OWNER/REPO\n"), (
        done.output
    )
    nowhere = {
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_API_URL": "http://127.0.0.1:1",
        "GITHUB_TOKEN": "x",
    }
    assert repo.cli("findings", "list", env=nowhere).code == 69
