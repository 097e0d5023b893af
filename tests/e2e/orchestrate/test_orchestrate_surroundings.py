"""A trigger where its surroundings are odd: nothing can be written, no home, a clock that jumps,
locks of dead processes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.orchestrating import DEFECTS, Place, review
from tests.support import ROOT, Ran, Repo, run

from ..faulty import Faulty, has_open

SESSION, END = (
    ("orchestrate", "trigger", "session_end", "--issue", "1"),
    ("orchestrate", "trigger", "run_end"),
)
SYNC = ("findings", "sync")


@pytest.fixture
def place(repo: Repo) -> Place:
    made = Place(repo)
    made.configure(
        validation_triggers={"session_end": {"code_review": review(finding_threshold="P1")},
                             "run_end": {"code_review": review(baseline="since_last_review",
                                 finding_threshold="P1")}},
    )  # fmt: skip
    made.begin("1")
    return made


@pytest.mark.parametrize(("defect", "code"), [("P1", 1), ("P2", 0)])
def test_a_folder_that_cannot_be_written_changes_no_verdict(
    place: Place, defect: str, code: int
) -> None:
    place.repo.commit({"a.py": DEFECTS[defect]}, "bd-1: work")
    before = {
        path: path.read_bytes()
        for path in place.repo.path.glob(".git/reviewgate-gh/*")
        if path.is_file()
    }
    for args in (SESSION, END):
        done = Faulty(place, "EROFS", args).at(place, -1)
        assert (
            done.code == code
            and "the tracker local failed" in done.stderr
            and "only in the report" in done.stderr
        ), done.output
        assert "so the baseline stays" in done.stderr or args == SESSION
    begun = Faulty(place, "EROFS", ("orchestrate", "start", "--issues", "2")).at(place, -1)
    assert begun.code == 64 and "cannot be locked" in begun.stderr, begun.output
    listed, shown = (
        Faulty(place, "EROFS", args).at(place, -1)
        for args in (("findings", "list"), ("orchestrate", "status"))
    )
    assert (listed.code, shown.code) == (69, 0) and "cannot be written" in listed.stderr, (
        listed.output
    )
    assert {
        path: path.read_bytes()
        for path in place.repo.path.glob(".git/reviewgate-gh/*")
        if path.is_file()
    } == before
    assert place.repo.cli(*END).code == code and len(place.issues()) == 2, (
        "with the summary of the run"
    )


def test_no_home(place: Place) -> None:
    place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    env = {
        name: value
        for name, value in os.environ.items()
        if name != "HOME" and not name.startswith("XDG_")
    }
    for args, code in ((END, 1), (SESSION, 1), (("orchestrate", "end"), 0)):
        argv = [sys.executable, "-P", "-m", "reviewgate_gh", *args]
        done = subprocess.run(
            argv,
            cwd=place.repo.path,
            env={**env, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
    assert len(place.issues()) == 2, "with the summary of the run"


# The wall clock is another one, by this many seconds at each look in turn.
JUMPING = """
import itertools, runpy, sys, time
jumps = itertools.cycle(map(int, sys.argv[1].split(",")))
real = {name: getattr(time, name) for name in ("time", "time_ns", "gmtime")}
time.time = lambda: real["time"]() + next(jumps)
time.time_ns = lambda: real["time_ns"]() + next(jumps) * 10**9
time.gmtime = lambda seconds=None: real["gmtime"](time.time() if seconds is None else seconds)
sys.argv = ["reviewgate-gh", *sys.argv[2:]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
"""
DAY = 86_400


def jumping(place: Place, jumps: Sequence[int], *args: str) -> Ran:
    argv = [sys.executable, "-P", "-c", JUMPING, ",".join(map(str, jumps)), *args]
    return run(argv, place.repo.path, {"PYTHONPATH": str(ROOT)})


def test_a_clock_that_jumps_in_the_middle(place: Place) -> None:
    for number, (jumps, code) in enumerate(
        [((0, -DAY, DAY), 1), ((DAY, -DAY), 1), ((-DAY,), 1), ((0,), 0)]
    ):
        place.repo.commit({f"m{number}.py": DEFECTS["P1" if code else "P2"]}, "work")
        done = jumping(place, jumps, *END)
        assert done.code == code, done.output
        stored = json.loads(place.repo.file(".git/reviewgate-gh/run_metadata.json").read_bytes())
        assert stored["last_cumulative_review_commits"] == {"run_end": place.repo.head}
        assert len(place.issues()) == number + 2


def test_the_last_report_is_the_one_that_was_kept_last_whatever_the_clock_says(
    place: Place,
) -> None:
    """Where a tracker failed, `findings sync` takes the last report: here that of an earlier day
    than the one before."""
    place.repo.branch("topic")
    for number, jump in enumerate((DAY, -DAY)):
        place.repo.commit({f"m{number}.py": DEFECTS["P2"]})
        assert jumping(place, (jump,), "review", "--commit", "HEAD").code == 0
        assert place.repo.cli(*SYNC).code == 0
        assert len(place.issues()) == number + 1
    for number in range(100):
        place.repo.write(
            {f".git/reviewgate-gh/reviews/2999{number:04}T000000000000Z-0badcafe/report.json": "{}"}
        )
    place.repo.commit({"late.py": DEFECTS["P2"]})
    assert (
        jumping(place, (-DAY,), "review", "--commit", "HEAD").code == 0
        and place.repo.cli(*SYNC).code == 0
    )
    assert len(place.issues()) == 3, (
        "the oldest of more than a hundred go, and never the one that is kept now"
    )


@pytest.mark.parametrize(
    "args",
    [
        SESSION,
        END,
        ("orchestrate", "end"),
        ("orchestrate", "start", "--fresh"),
        ("orchestrate", "status"),
    ],
)
def test_a_run_of_a_later_version_is_left_alone_and_passes_nothing(
    place: Place, args: tuple[str, ...]
) -> None:
    place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    path = place.repo.file(".git/reviewgate-gh/run_metadata.json")
    later = json.dumps({**json.loads(path.read_bytes()), "schema_version": 2, "new": [1]}).encode()
    path.write_bytes(later)
    done = place.repo.cli(*args)
    assert (
        done.code == 64
        and "was written by a later version" in done.stderr
        and path.read_bytes() == later
    ), done.output
    assert not [*path.parent.glob("*.damaged-*")]


HOLDER = """
import pathlib, sys, time
from reviewgate_gh.system.files import file_lock
with file_lock(pathlib.Path(sys.argv[1]), 5) as ours:
    print(ours, flush=True)
    time.sleep(300)
"""


@pytest.mark.parametrize("name", ["run_metadata.json.lock", "tracker.lock"])
def test_who_dies_with_a_lock_leaves_it(place: Place, name: str) -> None:
    place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    folder = place.repo.path / ".git/reviewgate-gh"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder / name)],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout and holder.stdout.readline() == "True\n"
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", *END]
    trigger = subprocess.Popen(
        argv, cwd=place.repo.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not has_open(trigger.pid, folder / name):
        assert trigger.poll() is None, "it waits"
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    _out, err = trigger.communicate(timeout=100)
    assert trigger.returncode == 1 and b"Baseline advanced" in err and len(place.issues()) == 2, err


def test_a_fixer_that_is_late_is_gone_with_all_that_it_started(repo: Repo) -> None:
    place = Place(repo)
    stays = "import os, pathlib, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    stays += "open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); time.sleep(300)"
    started = (
        f"subprocess.Popen([sys.executable, '-c', {stays!r}, str(here / 'pids')])\n"
        "os.execv(sys.executable, [sys.executable, '-c', "
    )
    started += f"{stays!r}, str(here / 'pids')])"
    place.configure(
        validation_triggers={
            "run_end": {"code_review": review(baseline="since_run_start", finding_threshold="P1")}
        },
        remediation={"fixer": place.fixer(started), "timeout": 3},
    )
    place.begin("1")
    repo.commit({"a.py": DEFECTS["P1"]}, "work")
    done = repo.cli(*END)
    assert (
        done.code == 1
        and "the fixer was stopped after" in done.stderr
        and "deadline" in done.stderr
    ), done.output
    pids = (place.beside / "pids").read_text().split()
    assert len(pids) == 2 and not [
        pid
        for pid in pids
        if Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text()
    ]
    assert not [*repo.path.glob(".git/reviewgate-gh/tmp/*")]


def runs(pid: str) -> bool:
    """The process is there and no zombie, which whoever inherited it has yet to bury."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
