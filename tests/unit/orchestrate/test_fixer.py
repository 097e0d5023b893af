"""The fixer: when it is called, and what is said where it could not be."""

import os
import sys
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.errors import Exit
from reviewgate_gh.orchestrate.remediation import FixResult, FixTask, run_fixer
from reviewgate_gh.orchestrate.trigger_context import TriggerOptions
from tests.orchestrating import DEFECTS, Place, review
from tests.support import Repo

TASK = FixTask("what is wrong", {"what": "is wrong"})
GONE = "cannot run no-such-program"


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


def notes(place: Place) -> list[str]:
    return [sys.executable, "-c", f"open({str(place.beside / 'ran')!r}, 'a').write('x')"]


@pytest.mark.parametrize(
    ("fixer", "called", "said"),
    [
        (None, 0, "no fixer was run: remediation.fixer is not set"),
        (["no-such-program"], 0, GONE),
        (["false"], 1, "the fixer committed no change: no progress"),
    ],
)
def test_a_fixer_that_never_ran_is_not_counted(
    place: Place, fixer: list[str] | None, called: int, said: str
) -> None:
    named = {"code_review": review(finding_threshold="P1", baseline="since_run_start")}
    place.configure(
        validation_triggers={"run_end": named},
        **({"remediation": {"fixer": fixer}} if fixer else {}),
    )
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    fired = place.fire("run_end")
    assert (fired.exit, fired.fixes) == (Exit.BLOCK, called) and fired.reason.startswith(
        f"findings at or above P1; {said}"
    )


@pytest.mark.contract(plain=False)
def test_strangers_commits_are_mended_by_nobody(place: Place) -> None:
    named = {"code_review": review(finding_threshold="P1", baseline="since_run_start")}
    place.configure(validation_triggers={"run_end": named}, remediation={"fixer": notes(place)})
    place.begin()
    stranger = {"GIT_AUTHOR_EMAIL": "other@example.com", "GIT_COMMITTER_EMAIL": "other@example.com"}
    Repo(place.repo.path, stranger).commit({"a.py": DEFECTS["P1"]}, "a stranger's")
    fired = place.fire("run_end")
    assert (fired.exit, fired.fixes) == (
        Exit.BLOCK,
        0,
    ) and "the commits are not your own" in fired.reason
    assert not (place.beside / "ran").exists()
    assert place.fire("run_end", options=TriggerOptions(trusted=True)).fixes == 1


@pytest.mark.parametrize(("fixer", "called"), [(["no-such-program"], 0), (["true"], 1)])
def test_the_same_for_a_trigger_of_commands(place: Place, fixer: list[str], called: int) -> None:
    named = {"commands": [{"ref": "bad"}], "failure_mode": "remediate"}
    place.configure(
        validation_triggers={"run_end": named},
        commands={"bad": ["false"]},
        remediation={"fixer": fixer},
    )
    place.begin()
    fired = place.fire("run_end")
    assert (fired.exit, fired.fixes) == (Exit.BLOCK, called)
    assert any(name.startswith(GONE) for name in place.names()) == (called == 0)


def test_findings_that_cannot_be_handed_on_are_told_and_start_nobody(place: Place) -> None:
    git = open_repository(place.repo.path, os.environ)
    place.repo.write({".git/reviewgate-gh/tmp": "a file where the folder should be"})
    mended = run_fixer(tuple(notes(place)), TASK, git, place.environment(), 60)
    assert (
        not mended.progress
        and not mended.ran
        and mended.problem.startswith("the findings could not be passed to the fixer: ")
    )
    assert not (place.beside / "ran").exists()
    place.repo.file(".git/reviewgate-gh/tmp").unlink()
    assert run_fixer(tuple(notes(place)), TASK, git, place.environment(), 60) == FixResult(False)
    assert (place.beside / "ran").exists()


def test_a_trigger_whose_findings_cannot_be_handed_on_fails(place: Place) -> None:
    named = {"code_review": review(finding_threshold="P1", baseline="since_run_start")}
    place.configure(validation_triggers={"run_end": named}, remediation={"fixer": notes(place)})
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    place.repo.write({".git/reviewgate-gh/tmp": "a file where the folder should be"})
    fired = place.fire("run_end")
    assert (fired.exit, fired.fixes) == (
        Exit.BLOCK,
        0,
    ) and "the findings could not be passed to the fixer" in fired.reason


def test_a_bare_repository_has_nothing_to_mend_in(repo: Repo, tmp_path: Path) -> None:
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    mended = run_fixer(
        ("true",), TASK, open_repository(bare.path, os.environ), Place(repo).environment(), 60
    )
    assert (mended.progress, mended.ran) == (False, False) and "no work tree" in mended.problem
