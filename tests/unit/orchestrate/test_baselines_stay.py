"""Every place that moves a review baseline, against every way in which a review can end: it moves
only past what was read and kept.

A trigger's own baseline (`run_end`, one an epic) moves when the reviewers have answered and each
finding is in the tracker or waits for it; that of `review --since-last` when everything was read
and nothing stands open, for a review by hand makes no issues. A session has none: it begins at its
issue's first commit.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.model.errors import Exit, GateError
from tests.orchestrating import CLEAN, DEFECTS, Place, review
from tests.peers.gates import install_gate, register
from tests.support import Repo

pytestmark = pytest.mark.slow
FOUND = {"a.py": DEFECTS["P2"]}
TWO = {**FOUND, "b.py": DEFECTS["P1"]}
STRANGER = {"GIT_AUTHOR_EMAIL": "other@example.com", "GIT_COMMITTER_EMAIL": "other@example.com"}
KEYS = {"run_end": "run_end", "epic_completion": "epic_completion:E"}


def nothing(_place: Place) -> None:
    """No more is done."""


def no_tracker(place: Place) -> None:
    """Nobody can hold the tracker."""
    lock = place.repo.file(".git/reviewgate-gh/tracker.lock")
    lock.unlink(missing_ok=True)
    lock.symlink_to("tracker.lock")


def no_outbox(place: Place) -> None:
    """Nothing can wait."""
    place.repo.write({".git/reviewgate-gh/outbox": "a file where the folder should be"})


def neither(place: Place) -> None:
    no_tracker(place)
    no_outbox(place)


def broken(place: Place) -> None:
    (place.beside / "faults").write_text("1")


def a_gate(**plan: Any) -> Callable[[Place], None]:
    """An external gate that does this."""

    def install(place: Place) -> None:
        folder = place.beside / "plugin"
        register(Path.home(), folder)
        install_gate(folder, "spec").plan(**plan)

    return install


GATE = {
    "reviewers": {
        "gate": {"type": "review_gate"},
        "linters": {"type": "linters"},
        "builtin": {"type": "builtin"},
    }
}
# What is committed, what stands in the config, what is done before the trigger fires, and whether
# the baseline moves.
ENDS: dict[str, tuple[dict[str, str], dict[str, Any], Callable[[Place], None], bool]] = {
    "nothing found": ({"a.py": CLEAN}, {}, nothing, True),
    "found, and in the tracker": (FOUND, {}, nothing, True),
    "found, and waiting for a tracker that fails": (FOUND, {}, no_tracker, True),
    "found, beyond tracker.max_new, and waiting": (
        TWO,
        {"tracker": {"type": "local", "max_new": 1}},
        nothing,
        True,
    ),
    "found, no tracker and no disk": (FOUND, {}, neither, False),
    "found, beyond tracker.max_new, and no disk": (
        TWO,
        {"tracker": {"type": "local", "max_new": 1}},
        no_outbox,
        False,
    ),
    "nothing found, no tracker and no disk": ({"a.py": CLEAN}, {}, neither, True),
    "found, and there is no tracker": (FOUND, {"tracker": {"type": "none"}}, nothing, False),
    "nothing found, and there is no tracker": (
        {"a.py": CLEAN},
        {"tracker": {"type": "none"}},
        nothing,
        True,
    ),
    "a reviewer breaks": ({"a.py": CLEAN}, {}, broken, False),
    "a reviewer breaks beside a finding": (FOUND, {}, broken, False),
    "a gate has no reviewers": (FOUND, GATE, a_gate(wait={"code": 4, "out": ""}), False),
    "a gate fails with an internal error": (
        FOUND,
        GATE,
        a_gate(wait={"code": 5, "out": ""}),
        False,
    ),
    "a gate is cut short": (FOUND, GATE, a_gate(wait={"code": 2, "out": "{"}), False),
    "a gate passes": (FOUND, GATE, a_gate(), True),
}


def fired(place: Place, trigger: str, **more: Any) -> Exit:
    """The exit code of a trigger."""
    try:
        return place.fire(trigger, epic="E" if trigger == "epic_completion" else "", **more).exit
    except GateError as error:
        return error.exit


def configured(place: Place, trigger: str, keys: dict[str, Any], **block: Any) -> None:
    named = {"code_review": review(baseline="since_last_review", **block)}
    declared = {} if "reviewers" in keys else {"flaky": True}
    place.configure(**declared, validation_triggers={trigger: {**named, "fire_on": "both"}}, **keys)
    place.begin()


def baseline(place: Place, trigger: str) -> str:
    run = place.store.load()
    return run.last_cumulative_review_commits.get(KEYS[trigger], "") if run else ""


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("trigger", KEYS)
def test_a_triggers_baseline_moves_past_what_was_kept_alone(
    place: Place, trigger: str, how: str
) -> None:
    files, keys, before, moves = ENDS[how]
    configured(place, trigger, keys)
    head = place.repo.commit(files, "work")
    before(place)
    fired(place, trigger)
    assert baseline(place, trigger) == (head if moves else ""), place.names()


@pytest.mark.parametrize("trigger", KEYS)
def test_what_was_not_kept_is_found_again_and_then_the_baseline_moves(
    place: Place, trigger: str
) -> None:
    configured(place, trigger, {})
    place.repo.commit(FOUND, "work")
    neither(place)
    fired(place, trigger)
    assert any("the baseline stays" in name for name in place.names()) and place.issues() == []
    head = place.repo.commit({"b.py": CLEAN}, "more")
    place.repo.file(".git/reviewgate-gh/tracker.lock").unlink()
    place.repo.file(".git/reviewgate-gh/outbox").unlink()
    fired(place, trigger)
    assert baseline(place, trigger) == head and len(place.issues()) >= 1


@pytest.mark.parametrize(
    ("files", "moves"), [(FOUND, False), ({"a.py": CLEAN}, True)], ids=["found", "nothing found"]
)
@pytest.mark.parametrize("trigger", KEYS)
def test_strangers_commits_make_no_issues_and_move_no_baseline(
    place: Place, trigger: str, files: dict[str, str], moves: bool
) -> None:
    place.configure(
        validation_triggers={
            trigger: {"code_review": review(baseline="since_last_review"), "fire_on": "both"}
        }
    )
    place.begin()
    head = Repo(place.repo.path, STRANGER).commit(files, "a stranger's")
    assert fired(place, trigger) is (Exit.OK if moves else Exit.INCONCLUSIVE)
    assert place.issues() == [] and baseline(place, trigger) == (head if moves else "")


@pytest.mark.parametrize("trigger", KEYS)
def test_no_review_moves_no_baseline(place: Place, trigger: str) -> None:
    named = {
        "code_review": review(baseline="since_last_review"),
        "fire_on": "both",
        "commands": [{"ref": "bad"}],
        "failure_mode": "abort",
    }
    place.configure(validation_triggers={trigger: named}, commands={"bad": ["false"]})
    place.begin()
    place.repo.commit({"a.py": CLEAN}, "work")
    assert fired(place, trigger) is Exit.BLOCK and baseline(place, trigger) == ""
    place.configure(validation_triggers={trigger: {**named, "commands": []}})
    assert (
        fired(place, trigger, env={"REVIEWGATE_GH_SKIP": "in a hurry"}) is Exit.OK
        and baseline(place, trigger) == ""
    )


@pytest.mark.parametrize("kept", [True, False])
def test_a_review_after_a_mend_moves_it_by_the_same_rule(place: Place, kept: bool) -> None:
    mended = f"commit('mended', a__py={CLEAN!r})"
    configured(
        place,
        "run_end",
        {"remediation": {"fixer": place.fixer(mended)}},
        finding_threshold="P2",
        max_retries=1,
    )
    place.repo.commit({**FOUND, "b.py": DEFECTS["P3"]}, "work")
    if not kept:
        neither(place)
    assert fired(place, "run_end") is Exit.OK and place.noted("fixer") == 1
    assert baseline(place, "run_end") == (place.repo.head if kept else "")


def test_a_session_moves_none(place: Place) -> None:
    place.configure(validation_triggers={"session_end": {"code_review": review()}})
    place.begin("7")
    place.repo.commit(FOUND, "bd-7: work")
    assert place.fire("session_end", issue="7").exit is Exit.OK
    run = place.store.load()
    assert run and run.last_cumulative_review_commits == {}


# By hand: what is committed, the environment, and whether the next review begins behind it.
BY_HAND: dict[str, tuple[dict[str, str], dict[str, str], bool]] = {
    "pass": ({"a.py": CLEAN}, {}, True),
    "concerns": ({"a.py": DEFECTS["P3"]}, {}, False),
    "block": ({"a.py": DEFECTS["P1"]}, {}, False),
    "inconclusive": ({"a.py": CLEAN, "big.dat": "0123456789abcdef\n" * 100_000}, {}, False),
    "overridden": ({"a.py": CLEAN}, {"REVIEWGATE_GH_SKIP": "in a hurry"}, False),
}


@pytest.mark.parametrize("run", [False, True], ids=["", "a run begins meanwhile"])
@pytest.mark.parametrize("how", BY_HAND)
def test_a_review_by_hand_begins_behind_what_was_read_and_settled(
    place: Place, how: str, run: bool
) -> None:
    files, env, moves = BY_HAND[how]
    repo = place.repo
    place.begin("1")
    start = repo.head
    head = repo.commit(files, "work")
    repo.cli("review", "--since-last", env=env)
    if run:
        place.begin("2")
    repo.commit({"c.py": CLEAN}, "more")
    again = repo.cli("review", "--since-last", "--output", "json")
    assert json.loads(again.stdout)["change"]["base"] == (head if moves else start), again.output


def test_a_waived_finding_is_settled(place: Place) -> None:
    repo = place.repo
    place.begin()
    repo.commit({"a.py": DEFECTS["P1"]}, "work")
    [name] = re.findall(r" · ruff · (\S+)", repo.cli("review", "--since-last").stdout)
    assert repo.cli("waive", "add", name, "--reason", "known").code == 0
    repo.commit(message="waive")
    concerned = repo.cli("review", "--since-last", "--verbose")  # the waiver itself is a finding
    [name] = re.findall(r" · builtin · (\S+)", concerned.stdout)
    assert "starts at the same commit again" in concerned.stderr
    assert repo.cli("waive", "add", name, "--reason", "known").code == 0
    head = repo.commit(message="waive")
    assert repo.cli("review", "--since-last").code == 0
    run = place.store.load()
    assert run and run.last_cumulative_review_commits == {"review": head}
