"""Whose commits belong to a run: the user's, and those of the agents and fixers that it was granted
to; and what becomes of the others, and of a run that was aborted."""

import json
import sys
from pathlib import Path

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.support import Ran, Repo

AGENT = "agent@bots.example"
AS_AGENT = {"GIT_AUTHOR_EMAIL": AGENT, "GIT_COMMITTER_EMAIL": AGENT}
REVIEWED = {"code_review": review(baseline="since_last_review"), "fire_on": "both"}


@pytest.fixture
def place(repo: Repo) -> Place:
    place = Place(repo)
    note = place.beside / "command.ran"
    place.configure(
        commands={"test": ["touch", str(note)]},
        validation_triggers={
            "session_end": {"commands": [{"ref": "test"}], "failure_mode": "continue"},
            "run_end": REVIEWED,
        },
    )
    return place


def start(place: Place, *agents: str, env: dict[str, str] | None = None) -> None:
    named = ["--agents", ",".join(agents)] if agents else []
    done = place.repo.cli("orchestrate", "start", "--issues", "7", *named, env=env)
    assert done.code == 0, done.output


def session_end(place: Place, env: dict[str, str] | None = None) -> tuple[Ran, bool]:
    """The end of a session, and whether its command ran."""
    note = place.beside / "command.ran"
    note.unlink(missing_ok=True)
    done = place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "7", env=env)
    return done, note.exists()


def agents_clone(place: Place, tmp_path: Path) -> Repo:
    place.repo.git("clone", "-q", str(place.repo.path), str(tmp_path / "agent"))
    clone = Repo(tmp_path / "agent")
    clone.git("config", "user.email", AGENT)
    return clone


def test_an_agents_commits_are_checked_once_the_run_names_it(place: Place) -> None:
    start(place)
    Repo(place.repo.path, AS_AGENT).commit({"a.py": CLEAN}, "bd-7: work")
    done, ran = session_end(place)
    assert done.code == 2 and not ran and "not checked: no command was run" in done.stdout
    assert "orchestrate start --issues 7 --agents ADDRESS" in done.stdout, done.output
    start(place, AGENT)
    done, ran = session_end(place)
    assert done.code == 0 and ran, done.output
    status = place.repo.cli("orchestrate", "status")
    assert f"agents      {AGENT}" in status.stdout
    assert AGENT in place.repo.cli("trust", "--list").stdout
    assert place.repo.cli("trust", "--revoke").code == 0
    place.repo.trust()
    assert session_end(place)[0].code == 2


def test_findings_of_others_are_not_passed_over_and_those_of_agents_are_kept(place: Place) -> None:
    start(place)
    head = Repo(place.repo.path, AS_AGENT).commit({"a.py": DEFECTS["P3"]}, "bd-7: work")
    done = place.repo.cli("orchestrate", "end")
    assert done.code == 2 and "not checked: its findings are in the report alone" in done.stdout
    assert place.issues() == []
    start(place, AGENT)
    done = place.repo.cli("orchestrate", "end", "--output", "json")
    assert done.code == 0 and len(place.issues()) == 2, "with the summary of the run"
    assert data(done)["fired"][0]["review"]["new_baseline_commit"] == head
    assert "bots" not in place.repo.file(".git/reviewgate-gh/trust.json").read_text(), (
        "the grant ends with the run"
    )


def test_commits_of_an_agents_clone_belong_to_the_run_and_forged_ones_do_not(
    place: Place, tmp_path: Path
) -> None:
    clone = agents_clone(place, tmp_path)
    start(place, AGENT)
    clone.commit({"a.py": CLEAN}, "bd-7: work")
    place.repo.git("pull", "-q", str(clone.path), "main")
    done, ran = session_end(place)
    assert done.code == 2 and not ran, "an address alone, of a commit from elsewhere, is free text"
    start(place, str(clone.path))
    done, ran = session_end(place)
    assert done.code == 0 and ran, done.output
    Repo(tmp_path / "agent", {**AS_AGENT, "GIT_AUTHOR_EMAIL": "else@example.com"}).commit(
        {"b.py": CLEAN}, "bd-7: more"
    )
    place.repo.git("pull", "-q", str(clone.path), "main")
    assert session_end(place)[0].code == 2, "the clone's own author counts, and nobody else"


def test_in_ci_only_the_agents_of_the_run_count(place: Place) -> None:
    env = {"CI": "true"}
    start(place, env=env)
    place.repo.commit({"a.py": CLEAN}, "bd-7: work")
    assert session_end(place, env)[0].code == 2
    start(place, "ada@example.com", env=env)
    done, ran = session_end(place, env)
    assert done.code == 0 and ran, done.output


@pytest.mark.parametrize("agent", ["nobody", "/no/such", "/", "@", "../x@y", "a@b\nc", "~nosuch/x"])
def test_an_agent_is_an_address_or_a_clone(repo: Repo, agent: str) -> None:
    done = repo.cli("orchestrate", "start", "--agents", agent)
    assert done.code == 64 and f"--agents {agent!r} is neither" in done.stderr


def test_what_a_fixer_commits_under_its_own_name_is_reviewed_again(place: Place) -> None:
    place.configure(
        flaky=True,  # a program that runs in the work tree, on no stranger's commits
        validation_triggers={"run_end": {"code_review": review(finding_threshold="P1")}},
        remediation={
            "fixer": place.fixer(
                f"os.environ.update({AS_AGENT!r})\n"
                f"commit('fixed', a__py={CLEAN!r}, b__py={DEFECTS['P3']!r})\n"
            )
        },
    )
    start(place)
    place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-7: work")
    done = place.repo.cli("orchestrate", "end")
    assert done.code == 0 and place.noted("flaky") == 2, done.output
    assert place.repo.git("log", "-1", "--format=%ae") == AGENT
    assert any("F401" in issue["description"] for issue in place.issues())


def test_a_session_that_ends_later_does_not_undo_what_another_one_aborted(place: Place) -> None:
    """Issue 8 aborts the run while the command of issue 7 is still at work."""
    aborts = "import json, pathlib; p = pathlib.Path('.git/reviewgate-gh/run_metadata.json'); "
    aborts += (
        "p.write_text(json.dumps({**json.loads(p.read_text()), 'aborted': 'session_end 8: x'}))"
    )
    place.configure(
        commands={"test": [sys.executable, "-c", aborts]},
        validation_triggers={"session_end": {"commands": [{"ref": "test"}]}},
    )
    start(place)
    place.repo.commit({"a.py": CLEAN}, "bd-7: work")
    assert session_end(place)[0].code == 0
    assert "aborted by  session_end 8: x" in place.repo.cli("orchestrate", "status").stdout


def test_an_aborted_run_passes_nothing_until_it_is_resumed(place: Place) -> None:
    fails = {"commands": [{"ref": "bad"}], "failure_mode": "abort"}
    place.configure(
        commands={"bad": ["test", "-e", str(place.beside / "good")]},
        validation_triggers={"session_end": fails, "run_end": REVIEWED},
    )
    start(place)
    place.repo.commit({"a.py": CLEAN}, "bd-7: work")
    assert session_end(place)[0].code == 1
    status = json.loads(place.repo.cli("orchestrate", "status", "--output", "json").stdout)
    assert status["aborted"] == "session_end 7: a command failed"
    assert "aborted by  session_end 7" in place.repo.cli("orchestrate", "status").stdout
    ended = place.repo.cli("orchestrate", "end")
    assert ended.code == 1 and "the run was aborted by session_end 7" in ended.stdout
    assert "orchestrate start --issues 7" in ended.stdout
    (place.beside / "good").touch()
    assert session_end(place)[0].code == 0, "what aborted it may be tried again"
    assert place.repo.cli("orchestrate", "end").code == 0
    (place.beside / "good").unlink()
    start(place)
    assert session_end(place)[0].code == 1
    start(place)
    assert place.repo.cli("orchestrate", "end").code == 0
