"""Coding agents that misbehave: each is ended in time with all that it started, and leaves nothing
behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewgate_gh.model.review import ReviewStatus
from tests.agents import ANSWERS, KEY, NAMES, TEXT, Fake
from tests.support import ROOT

pytestmark = pytest.mark.slow
each_agent = pytest.mark.parametrize("name", NAMES)
SLOW = "import time; time.sleep(60)"
# Each leaves its own id, and its child's where it has one; every process that it starts holds its
# standard output.
_PIDS = "open(FOLDER + '/pid', 'a').write(f'{os.getpid()}\\n'); "
_CHILD = (
    f"p = subprocess.Popen([sys.executable, '-c', {SLOW!r}]); open(FOLDER + '/pid', "
    f"'a').write(f'{{p.pid}}\\n'); "
)
HANGS = {
    "sleeps": "time.sleep(60)",
    "ignores TERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "has a child": _CHILD + "time.sleep(60)",
    "gives half an answer": "print(ANSWER[:20], flush=True); time.sleep(60)",
    "gives a whole answer and stays": "print(ANSWER, flush=True); time.sleep(60)",
}


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where folders for temporary files are made; behind each test none of an agent's is left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert [str(entry) for at in folder.iterdir() for entry in (at, *at.rglob("*"))] == []


def alive(pid: int) -> bool:
    """It runs; who is dead and not yet reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def survivors(folder: Path) -> list[int]:
    """Of the processes that left their ids, those that still run some seconds later."""
    left = folder / "pid"  # on a busy machine the deadline may come before it is written
    pids = [int(line) for line in left.read_text().split()] if left.exists() else []
    end = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return [pid for pid in pids if alive(pid)]


@each_agent
@pytest.mark.parametrize("how", HANGS)
def test_the_deadline_ends_it(name: str, how: str, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path, _PIDS + HANGS[how]).ask(timeout=0.7)
    assert (reply.status, reply.text) == (ReviewStatus.TIMEOUT, "")
    assert "deadline" in reply.error
    assert survivors(tmp_path) == []


def test_what_it_said_last_stands_beside_the_deadline(tmp_path: Path) -> None:
    body = "print('Retrying in 60s: 429', file=sys.stderr, flush=True); time.sleep(60)"
    assert (
        "its last output: Retrying in 60s: 429"
        in Fake.make("qwen", tmp_path, body).ask(timeout=0.7).error
    )


@each_agent
def test_a_grandchild_that_holds_the_output_delays_nothing(name: str, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path, _PIDS + _CHILD + ANSWERS).ask(timeout=50)
    assert (reply.status, reply.text) == (ReviewStatus.OK, TEXT)
    assert survivors(tmp_path) == []


_DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(FOLDER + '/pid', 'a').write(f'{os.getpid()}\\n')
        for handle in (0, 1, 2):
            os.close(handle)
        time.sleep(60)
    os._exit(0)
time.sleep(0.5)
"""


@each_agent
@pytest.mark.parametrize(
    ("end", "status"),
    [(ANSWERS, ReviewStatus.OK), ("time.sleep(60)", ReviewStatus.TIMEOUT)],
    ids=["answer", "deadline"],
)
def test_a_daemon_that_left_the_group_is_ended_too(
    name: str, end: str, status: ReviewStatus, tmp_path: Path
) -> None:
    reply = Fake.make(name, tmp_path, _DAEMON + end).ask(
        timeout=3 if status is ReviewStatus.TIMEOUT else 50
    )
    assert reply.status is status
    assert survivors(tmp_path) == []


@each_agent
@pytest.mark.parametrize(("stream", "most"), [("stdout", 8), ("stderr", 1)])
def test_a_gigabyte_is_not_read(name: str, stream: str, most: int, tmp_path: Path) -> None:
    body = (
        _PIDS
        + f"block = b'x' * 1_000_000\nfor _ in range(1000):\n    sys.{stream}.buffer.write(block)"
    )
    reply = Fake.make(name, tmp_path, body).ask(timeout=60)
    assert (reply.status, reply.text) == (ReviewStatus.FAILED, "")
    assert f"more than {most} MB of output" in reply.error and len(reply.error) < 1000
    assert survivors(tmp_path) == []


@each_agent
@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe{}",
        bytes(range(256)),
        '{"type": "result"}'.encode("utf-16"),
        b"\xc0\xaf",
        b"\x00" * 100,
    ],
)
def test_what_is_not_utf_8_is_unparsable(name: str, data: bytes, tmp_path: Path) -> None:
    reply = Fake.make(name, tmp_path, f"sys.stdin.read(); sys.stdout.buffer.write({data!r})").ask()
    assert (reply.status, reply.text) == (ReviewStatus.UNPARSABLE, "")


@each_agent
@pytest.mark.parametrize("how", ["segfaults", "is killed", "reads nothing"])
def test_it_ends_early(name: str, how: str, tmp_path: Path) -> None:
    body = {
        "segfaults": "os.kill(os.getpid(), signal.SIGSEGV)",
        "is killed": "print(ANSWER, flush=True); os.kill(os.getpid(), signal.SIGKILL)",
        "reads nothing": "sys.exit(7)",
    }[how]
    reply = Fake.make(name, tmp_path, body).ask()
    assert (reply.status, reply.text) == (ReviewStatus.FAILED, "")


@each_agent
def test_a_program_that_cannot_be_started_is_unavailable(name: str, tmp_path: Path) -> None:
    fake = Fake.make(name, tmp_path)
    (tmp_path / "bin" / name).write_text("#!/nowhere/python\n")
    assert fake.ask().status is ReviewStatus.UNAVAILABLE


def test_no_room_for_its_folders_is_a_failure(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Fake.make("claude", tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "gone"))
    assert fake.ask().status is ReviewStatus.FAILED


_RUN = """
import os, sys
from pathlib import Path
from reviewgate_gh.model.question import Prompt
from reviewgate_gh.system import plugins
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.system.parallel import end_background_work, map_parallel
from reviewgate_gh.system.environment import Environment
module = plugins.load("reviewers", sys.argv[1])
def ask(number):
    context = ModelContext(Environment(dict(os.environ), Path.cwd()), 60)
    return module.ask(Prompt("a", "b", {}), module.Options(key="KEY"), context)
try:
    map_parallel(ask, [1, 2, 3], 3)
except KeyboardInterrupt:
    sys.exit(130)
finally:
    end_background_work()
"""


@each_agent
def test_ctrl_c_ends_all_of_them_and_leaves_nothing(
    name: str, temporary: Path, tmp_path: Path
) -> None:
    fake = Fake.make(
        name,
        tmp_path,
        _PIDS + "signal.signal(signal.SIGTERM, signal.SIG_IGN); " + _CHILD + "time.sleep(60)",
    )
    env = {**os.environ, "PATH": fake.path, "PYTHONPATH": str(ROOT), "KEY": KEY}
    running = subprocess.Popen([sys.executable, "-P", "-c", _RUN, name], cwd=tmp_path, env=env)
    end = time.monotonic() + 30
    while time.monotonic() < end and (
        not (tmp_path / "pid").exists() or len((tmp_path / "pid").read_text().split()) < 6
    ):
        time.sleep(0.05)
    assert len(list(temporary.iterdir())) >= 3
    running.send_signal(signal.SIGINT)
    assert running.wait(30) == 130
    assert survivors(tmp_path) == []
