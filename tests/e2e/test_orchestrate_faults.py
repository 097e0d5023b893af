"""A trigger that is killed, or whose disk is full, at any of its own file operations: nothing is lost, nothing is better than it is.

A seeded sample, the writes of the run's metadata and of the tracker always in it; every operation with REVIEWGATE_GH_FULL.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.orchestrating import DEFECTS, Place, review
from tests.support import ROOT, Ran, Repo, run

from .sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED = 20261122
METADATA, TRACKER = "run_metadata.json", "issues.jsonl"
# Kills its own process, or lets the call fail as on a full disk, at the nth operation on our files; notes in a file which there were.
AT_FILE = """
import errno, os, runpy, signal, sys
how, left, total, noted = sys.argv[1], int(sys.argv[2]), 0, os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
def watch(event, args):
    global total
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod") and any(".git/reviewgate-gh" in str(each) for each in args):
        total += 1
        os.write(noted, " ".join([event, *map(str, args)]).replace("\\n", " ").encode() + b"\\n")
        if total == left and how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if total == left:
            raise OSError(getattr(errno, how), os.strerror(getattr(errno, how)), str(args[0]))
sys.addaudithook(watch)
sys.argv = ["reviewgate-gh", *sys.argv[4:]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def scene(repo: Repo) -> Place:
    """A run with one finding that no issue tells of yet, and one that is tracked already."""
    place = Place(repo)
    place.configure(validation_triggers={"run_end": {"code_review": review(baseline="since_last_review")}})
    assert repo.cli("orchestrate", "start", "--issues", "1").code == 0
    repo.commit({"a.py": DEFECTS["P1"]}, "one")
    assert repo.cli("orchestrate", "trigger", "run_end").code == 0
    repo.commit({"b.py": DEFECTS["P2"]}, "two")
    return place


def copy(place: Place, number: int) -> Place:
    path = place.repo.path.parent / f"copy{number}"
    shutil.copytree(place.repo.path, path, symlinks=True)
    return Place(Repo(path))


def at(place: Place, how: str, nth: int, *args: str) -> Ran:
    argv = [sys.executable, "-P", "-c", AT_FILE, how, str(nth), str(place.beside / "operations"), *args]
    return run(argv, place.repo.path, {"PYTHONPATH": str(ROOT)})


def operations(place: Place, how: str, files: Sequence[str], *args: str) -> list[int]:
    """The numbers of those that are tried; the writes of these files are among them."""
    done = at(place, "kill", 0, *args)
    names = (place.beside / "operations").read_text().splitlines()
    assert done.code == 0 and len(names) > 5, done.output
    every = [*enumerate(names, 1)]
    writes = [writing(name) for name in files]
    assert all(any(map(write, every)) for write in writes), names
    return [nth for nth, _ in (every if FULL else sample(every, len(files) + 1, f"{SEED} {how}", *writes))]


def writing(name: str) -> Callable[[tuple[int, str]], bool]:
    """The operation puts a new file of that name in the place of the old one."""
    return lambda operation: operation[1].startswith("os.rename ") and operation[1].split()[2].endswith(f"/{name}")


def metadata(place: Place) -> dict:
    loaded = json.loads((place.repo.path / ".git/reviewgate-gh/run_metadata.json").read_text())
    assert isinstance(loaded, dict)
    return loaded


def titles(place: Place) -> list[str]:
    return sorted(issue["title"] for issue in place.issues())


def waiting(place: Place) -> str:
    folder: Path = place.repo.path / ".git/reviewgate-gh/outbox/tracker"
    return "".join(path.read_text() for path in folder.glob("*.json")) if folder.exists() else ""


@pytest.mark.parametrize("how", ["kill", "ENOSPC", "EIO"])
def test_a_trigger_at_any_operation(scene: Place, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("orchestrate", "trigger", "run_end")
    undisturbed = copy(scene, 0)
    cells = operations(undisturbed, how, (METADATA, TRACKER), *args)
    wanted, head, start = titles(undisturbed), scene.repo.head, metadata(scene)
    before = start["last_cumulative_review_commits"]
    assert len(wanted) == 3 and metadata(undisturbed)["last_cumulative_review_commits"] == {"run_end": head} != before
    for nth in cells:
        place = copy(scene, nth)
        done = at(place, how, nth, *args)
        assert done.code == (-signal.SIGKILL if how == "kill" else 0) or (how != "kill" and done.code in (64, 5)), (nth, done.output)
        run_ = metadata(place)
        assert run_["run_id"] == start["run_id"] and run_["last_cumulative_review_commits"] in (before, {"run_end": head}), nth
        if run_["last_cumulative_review_commits"] != before:
            assert titles(place) == wanted or "function-call" in waiting(place) or "mutable" in waiting(place).lower(), (nth, done.output)
        again = place.repo.cli(*args)
        assert again.code == 0, (nth, again.output)
        synced = place.repo.cli("findings", "sync")
        assert synced.code == 0 and titles(place) == wanted, (nth, done.output, again.output)
        assert metadata(place)["last_cumulative_review_commits"] == {"run_end": head}
        assert not list(place.repo.path.glob(".git/reviewgate-gh/*.damaged-*")), nth
        shutil.rmtree(place.repo.path)
    with capsys.disabled():
        print(f"\ntrigger, {how}: {len(cells)} operations, every next run consistent")


@pytest.mark.parametrize("how", ["kill", "ENOSPC"])
def test_a_start_at_any_operation(scene: Place, how: str) -> None:
    args = ("orchestrate", "start", "--issues", "2")
    before = metadata(scene)
    for nth in operations(copy(scene, 0), how, (METADATA,), *args):
        place = copy(scene, nth)
        done = at(place, how, nth, *args)
        now = metadata(place)
        began = now["run_id"] != before["run_id"]
        assert now == before or (began and now["issues"] == ["2"] and now["last_cumulative_review_commits"] == {}), nth
        assert done.code in ((-signal.SIGKILL,) if how == "kill" else (0, 64)) and (done.code or began), (nth, done.output)
        assert place.repo.cli(*args).code == 0 and metadata(place)["issues"] == ["2"]
        shutil.rmtree(place.repo.path)


# Says that it runs and stays until who started it is gone; without the file that names it it passes at once.
HELD = """
import os, pathlib, sys, time
parent, here, name = os.getppid(), pathlib.Path(sys.argv[1]), sys.argv[2]
if (here / "hold").read_text() == name:
    (here / "held").write_text(name)
    while os.getppid() == parent:
        time.sleep(0.01)
print('{"source": {"name": "quiet"}, "diagnostics": []}')
"""


def test_killed_at_any_moment_and_gone_on_with(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """Resume after kill -9: the run, its first commit and what was reviewed are those of before."""
    place = Place(repo)
    (place.beside / "held.py").write_text(HELD)
    argvs = {name: [sys.executable, str(place.beside / "held.py"), str(place.beside), name] for name in ("command", "reviewer", "fixer")}
    reviewer = {"type": "command", "options": {"argv": argvs["reviewer"], "format": "rdjson"}}
    named = {"commands": [{"ref": "command"}], "code_review": review(baseline="since_last_review", finding_threshold="P2")}
    place.configure(
        reviewers={"builtin": {"type": "builtin"}, "linters": {"type": "linters"}, "held": reviewer},
        validation_triggers={"run_end": named}, commands={"command": argvs["command"]}, remediation={"fixer": argvs["fixer"]},
    )  # fmt: skip
    run_id, start, reviewed = place.begin("1", "2"), repo.head, {}
    argv, env = [sys.executable, "-P", "-m", "reviewgate_gh", "orchestrate", "trigger", "run_end"], {**os.environ, "PYTHONPATH": str(ROOT)}
    for number, moment in enumerate(("command", "reviewer", "fixer") * (15 if FULL else 1)):
        repo.commit({f"m{number}.py": DEFECTS["P2"]}, "work")
        (place.beside / "hold").write_text(moment)
        (place.beside / "held").unlink(missing_ok=True)
        child = subprocess.Popen(argv, cwd=repo.path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (place.beside / "held").exists() and child.poll() is None:
            time.sleep(0.01)
        child.kill()
        assert child.wait() == -signal.SIGKILL, moment
        resumed = json.loads(repo.cli("orchestrate", "start", "--issues", "2,1", "--output", "json").stdout)
        assert resumed["resumed"] and (resumed["run_id"], resumed["run_start_commit"]) == (run_id, start)
        reviewed = {"run_end": repo.head} if moment == "fixer" else reviewed
        assert metadata(place)["last_cumulative_review_commits"] == reviewed, moment
    (place.beside / "hold").write_text("")
    assert repo.cli("orchestrate", "trigger", "run_end").code == 0
    told = json.dumps(place.issues())
    assert [name for name in repo.git("ls-files", "m*.py").splitlines() if name not in told] == []
    assert metadata(place)["last_cumulative_review_commits"] == {"run_end": repo.head}
    with capsys.disabled():
        print(f"\nkilled {number + 1} times, gone on with each time")
