"""A copy of a process for work that outlives it: what it keeps, and what it does at its end."""

import json
import sys
import time
from pathlib import Path

from tests.support import ROOT, Ran, run

BEGIN = """\
import atexit, json, os, sys, threading, time
from pathlib import Path
from reviewgate_gh.system import jobs

folder = Path(sys.argv[1])
inherited = os.open(folder, os.O_RDONLY)
"""
END = """
sys.stdout.buffer.write(jobs.start_job(work, env={"A": "1"}, log=folder / "log"))
"""
OWN = """
def work():
    told = {"env": dict(os.environ), "session": os.getsid(0) == os.getpid()}
    told["input"] = os.read(0, 1) == b""
    try:
        os.fstat(inherited)
    except OSError:
        told["closed"] = True
    os.write(2, b"words\\n")
    jobs.report_to_starter(json.dumps(told).encode())
    os._exit(0)
"""
LATE = """
def work():
    atexit.register(lambda: (folder / "end").write_text((folder / "thread").read_text()))
    late = lambda: (time.sleep(0.2), (folder / "thread").write_text("done"))
    threading.Thread(target=late).start()
    jobs.report_to_starter(b"begun")
    sys.exit(0)
"""


def python(script: str, folder: Path) -> Ran:
    return run([sys.executable, "-c", script, folder], folder, {"PYTHONPATH": str(ROOT)})


def test_the_copy_has_its_own_environment_session_and_streams(tmp_path: Path) -> None:
    done = python(BEGIN + OWN + END, tmp_path)
    assert json.loads(done.stdout) == {
        "env": {"A": "1"},
        "session": True,
        "input": True,
        "closed": True,
    }, done.output
    assert (tmp_path / "log").read_text() == "words\n"


def test_what_is_to_be_done_at_the_end_is_done_after_the_last_thread(tmp_path: Path) -> None:
    assert python(BEGIN + LATE + END, tmp_path).stdout == "begun\n"
    end = time.monotonic() + 30
    while not (tmp_path / "end").exists() or not (tmp_path / "end").read_text():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert (tmp_path / "end").read_text() == "done"
