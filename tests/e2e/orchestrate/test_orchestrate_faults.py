"""A trigger that is killed, or whose disk is full, at any of its own file operations: nothing is
lost, nothing is better than it is.

A seeded sample, the writes of the run's metadata and of the tracker always in it; every operation
with REVIEWGATE_GH_FULL.
"""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, review
from tests.support import ROOT, Repo

from ..faulty import FULL, HOWS, METADATA, TRACKER, Faulty, damaged, outbox

START, TRIGGER, END = (
    ("orchestrate", "start", "--issues", "2"),
    ("orchestrate", "trigger", "run_end"),
    ("orchestrate", "end"),
)
SYNC = ("findings", "sync")


def scene_of(repo: Repo, fixer: str = "", **keys: Any) -> Place:
    """A run with one finding that no issue tells of yet, and one that is tracked already."""
    place = Place(repo)
    mends = {"remediation": {"fixer": place.fixer(fixer)}} if fixer else {}
    place.configure(
        validation_triggers={
            "run_end": {"code_review": review(**{"baseline": "since_last_review", **keys})}
        },
        **mends,
    )
    assert repo.cli("orchestrate", "start", "--issues", "1").code == 0
    repo.commit({"a.py": DEFECTS["P3"]}, "one")
    assert repo.cli(*TRIGGER).code == 0
    repo.commit({"b.py": DEFECTS["P2"]}, "two")
    return place


@pytest.fixture
def scene(repo: Repo) -> Place:
    return scene_of(repo)


def metadata(place: Place) -> dict[str, Any]:
    loaded = json.loads((place.repo.path / ".git/reviewgate-gh/run_metadata.json").read_text())
    assert isinstance(loaded, dict)
    return loaded


def titles(place: Place) -> list[str]:
    return sorted(issue["title"] for issue in place.issues())


@pytest.mark.parametrize("how", HOWS)
def test_a_trigger_at_any_operation(
    scene: Place, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    faulty = Faulty(scene, how, TRIGGER)
    undisturbed, names = faulty.undisturbed()
    wanted, head, start = titles(undisturbed), scene.repo.head, metadata(scene)
    before = start["last_cumulative_review_commits"]
    assert (
        len(wanted) == 3
        and metadata(undisturbed)["last_cumulative_review_commits"] == {"run_end": head} != before
    )
    cells = faulty.cells(names, METADATA, TRACKER)
    for nth, place, done in faulty.each(cells):
        assert how == "kill" or done.code in (0, 64, 5), (nth, done.output)
        run_ = metadata(place)
        assert run_["run_id"] == start["run_id"] and run_["last_cumulative_review_commits"] in (
            before,
            {"run_end": head},
        ), nth
        if run_["last_cumulative_review_commits"] != before:
            assert titles(place) == wanted or "mutable" in outbox(place).lower(), (nth, done.output)
        again = place.repo.cli(*TRIGGER)
        assert again.code == 0, (nth, again.output)
        synced = place.repo.cli(*SYNC)
        assert synced.code == 0 and titles(place) == wanted, (nth, done.output, again.output)
        assert metadata(place)["last_cumulative_review_commits"] == {
            "run_end": head
        } and not damaged(place), nth
    with capsys.disabled():
        print(
            f"\ntrigger, {how}: {len(cells)} of {len(names)} operations, every next run "
            "consistent, 0 lost, 0 twice"
        )


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_a_verdict_that_fails_at_any_operation(
    repo: Repo, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a fault it is FAIL: with one it is never any better, and what was found is tracked in
    the end."""
    scene = scene_of(repo, finding_threshold="P2", baseline="since_run_start")
    faulty = Faulty(scene, how, TRIGGER)
    undisturbed, names = faulty.undisturbed(1)
    wanted, cells, codes = titles(undisturbed), faulty.cells(names, METADATA, TRACKER), set[int]()
    for nth, place, done in faulty.each(cells):
        codes.add(done.code)
        assert done.code != 0, (nth, done.output)
        again, synced = place.repo.cli(*TRIGGER), place.repo.cli(*SYNC)
        assert (again.code, synced.code, titles(place)) == (1, 0, wanted) and not damaged(place), (
            nth,
            done.output,
            again.output,
        )
    with capsys.disabled():
        print(
            f"\ntrigger that fails, {how}: {len(cells)} of {len(names)} operations, exit codes "
            f"{sorted(codes)}, none of them 0"
        )


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_a_mend_at_any_operation(repo: Repo, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The findings' file of the fixer among them: a run goes on only where somebody mended, and
    what was found is tracked first."""
    scene = scene_of(
        repo,
        f"commit('mended', b__py={CLEAN!r})",
        finding_threshold="P2",
        baseline="since_run_start",
    )
    faulty = Faulty(scene, how, TRIGGER)
    undisturbed, names = faulty.undisturbed()
    assert len(titles(undisturbed)) == 3
    [handed] = [
        nth
        for nth, name in enumerate(names, 1)
        if name.startswith("write ") and "/tmp/.findings-" in name
    ]
    cells = sorted({handed, *faulty.cells(names)})
    for nth, place, done in faulty.each(cells):
        mended = place.repo.file("b.py").read_text() == CLEAN
        assert done.code != 0 or mended, (nth, done.output)
        if nth == handed and how != "kill":
            assert (done.code, mended) == (
                1,
                False,
            ) and "the findings could not be passed to the fixer" in done.stdout, done.output
        assert (
            not mended or titles(place) == titles(undisturbed) or "mutable" in outbox(place).lower()
        ), nth
        assert (
            place.repo.cli(*TRIGGER).code == 0 and place.repo.file("b.py").read_text() == CLEAN
        ), nth
    with capsys.disabled():
        print(
            f"\nmend, {how}: {len(cells)} of {len(names)} operations, none goes on without a mend"
        )


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_an_end_at_any_operation(
    scene: Place, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    faulty = Faulty(scene, how, END)
    undisturbed, names = faulty.undisturbed()
    wanted, cells = titles(undisturbed), faulty.cells(names, METADATA, TRACKER)
    assert metadata(undisturbed)["ended"]
    for nth, place, done in faulty.each(cells):
        if metadata(place)["ended"]:
            assert titles(place) == wanted or outbox(place), (nth, done.output)
        again, synced = place.repo.cli(*END), place.repo.cli(*SYNC)
        assert (again.code, synced.code, titles(place)) == (0, 0, wanted) and not damaged(place), (
            nth,
            done.output,
            again.output,
        )
        assert metadata(place)["ended"] and metadata(place)["run_id"] == metadata(scene)["run_id"]
    with capsys.disabled():
        print(
            f"\nend, {how}: {len(cells)} of {len(names)} operations, each run has ended at the "
            "second try"
        )


@pytest.mark.parametrize("how", HOWS if FULL else HOWS[::2])
def test_a_start_at_any_operation(scene: Place, how: str) -> None:
    before, faulty = metadata(scene), Faulty(scene, how, START)
    for nth, place, done in faulty.each(faulty.cells(faulty.undisturbed()[1], METADATA)):
        now = metadata(place)
        began = now["run_id"] != before["run_id"]
        assert now == before or (
            began and now["issues"] == ["2"] and now["last_cumulative_review_commits"] == {}
        ), nth
        assert how == "kill" or (done.code in (0, 64) and (done.code or began)), (nth, done.output)
        assert place.repo.cli(*START).code == 0 and metadata(place)["issues"] == ["2"]


# Says that it runs and stays until who started it is gone; without the file that names it it passes
# at once.
HELD = """
import os, pathlib, sys, time
parent, here, name = os.getppid(), pathlib.Path(sys.argv[1]), sys.argv[2]
if (here / "hold").read_text() == name:
    (here / "held").write_text(name)
    while os.getppid() == parent:
        time.sleep(0.01)
print('{"source": {"name": "quiet"}, "diagnostics": []}')
"""


def test_killed_at_any_moment_and_gone_on_with(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """Resume after kill -9: the run, its first commit and what was reviewed are those of before."""
    place = Place(repo)
    (place.beside / "held.py").write_text(HELD)
    argvs = {
        name: [sys.executable, str(place.beside / "held.py"), str(place.beside), name]
        for name in ("command", "reviewer", "fixer")
    }
    reviewer = {"type": "command", "options": {"argv": argvs["reviewer"], "format": "rdjson"}}
    named = {
        "commands": [{"ref": "command"}],
        "code_review": review(baseline="since_last_review", finding_threshold="P2"),
    }
    place.configure(
        reviewers={"builtin": {"type": "builtin"}, "linters": {"type": "linters"},
            "held": reviewer},
        validation_triggers={"run_end": named}, commands={"command": argvs["command"]},
        remediation={"fixer": argvs["fixer"]},
    )  # fmt: skip
    run_id, start, reviewed = place.begin("1", "2"), repo.head, {}
    argv, env = (
        [sys.executable, "-P", "-m", "reviewgate_gh", "orchestrate", "trigger", "run_end"],
        {**os.environ, "PYTHONPATH": str(ROOT)},
    )
    for number, moment in enumerate(("command", "reviewer", "fixer") * (15 if FULL else 1)):
        repo.commit({f"m{number}.py": DEFECTS["P2"]}, "work")
        (place.beside / "hold").write_text(moment)
        (place.beside / "held").unlink(missing_ok=True)
        child = subprocess.Popen(
            argv, cwd=repo.path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while not (place.beside / "held").exists() and child.poll() is None:
            time.sleep(0.01)
        child.kill()
        assert child.wait() == -signal.SIGKILL, moment
        resumed = json.loads(
            repo.cli("orchestrate", "start", "--issues", "2,1", "--output", "json").stdout
        )
        assert resumed["resumed"] and (resumed["run_id"], resumed["run_start_commit"]) == (
            run_id,
            start,
        )
        reviewed = {"run_end": repo.head} if moment == "fixer" else reviewed
        assert metadata(place)["last_cumulative_review_commits"] == reviewed, moment
    (place.beside / "hold").write_text("")
    assert repo.cli("orchestrate", "trigger", "run_end").code == 0
    told = json.dumps(place.issues())
    assert [name for name in repo.git("ls-files", "m*.py").splitlines() if name not in told] == []
    assert metadata(place)["last_cumulative_review_commits"] == {"run_end": repo.head}
    with capsys.disabled():
        print(f"\nkilled {number + 1} times, gone on with each time")
