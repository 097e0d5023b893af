"""A session's worker that dies at a named step: whoever waits gets the whole answer or an internal
error, never a pass, never a hang."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from reviewgate_gh.model.config import KEYLESS

from ...support import ROOT, Ran, Repo, run
from ..gating import BAD, SARIF, SLOW, gate, pids, sessions, wait, with_command

# `review-gate`, whose worker ends at its first operation of this kind on such a file, or at the
# next file that it opens after it: by a signal, by one in the middle of what it writes (the kernel
# sends it where a file grows beyond its limit), or as on a disk that is full.
AT_STEP = """
import errno, os, resource, runpy, signal, sys
how, step, name, spawner = *sys.argv[1:4], os.getpid()
def watch(event, args):
    global how, step, name
    if event != step or os.getpid() == spawner or not any(name in str(each) for each in args):
        return
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "killed after it":
        how, step, name = "killed", "open", "/"
        return
    if how == "no room":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(args[0]))
    killed = how == "killed in the middle"
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if killed else signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
sys.addaudithook(watch)
sys.argv = ["review-gate", *sys.argv[4:]]
runpy.run_module("reviewgate_gh.commands._gate", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed worker leaves behind lies with the test."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


def spawn_and_die(repo: Repo, how: str, step: str, name: str) -> Ran:
    """A review of a defect is spawned, and its worker ends so."""
    repo.commit({"bad.py": BAD})
    argv = [
        sys.executable,
        "-P",
        "-c",
        AT_STEP,
        how,
        step,
        name,
        "spawn-code-review",
        "--commit",
        "HEAD",
    ]
    return run(argv, repo.path, {"PYTHONPATH": str(ROOT)})


def left_over(repo: Repo) -> dict[str, int]:
    """The files of the only session beside those that every one has, and their sizes."""
    (folder,) = sessions(repo)
    return {
        path.name: path.stat().st_size
        for path in folder.iterdir()
        if path.name not in ("request.json", "lock", "worker.log")
    }


def opened(pid: int, path: Path) -> bool:
    """The process has this file open."""
    with suppress(OSError):
        return any(
            os.path.realpath(each) == str(path) for each in Path(f"/proc/{pid}/fd").iterdir()
        )
    return False


def assert_dead(code: int, said: dict) -> None:
    """What a worker that died without an answer comes to."""
    assert (code, said["status"], said["consensus_verdict"], said["consensus"]["verdict"]) == (
        5,
        "error",
        None,
        None,
    ), said
    assert "died without a readable result" in said["parse_errors"][0]


@pytest.mark.req("R001-030")
@pytest.mark.parametrize(
    ("how", "step", "name"),
    [
        ("killed", "subprocess.Popen", "ruff"),
        ("killed", "open", "/.report.json."),
        ("killed", "os.rename", "/report.json"),
        ("killed", "open", "/.result.json."),
        ("killed in the middle", "open", "/.result.json."),
        ("killed", "os.rename", "/result.json"),
        ("no room", "open", "/.result.json."),
        ("no room in the middle", "open", "/.result.json."),
        ("no room", "os.rename", "/result.json"),
    ],
)
def test_a_worker_that_ends_before_its_answer_is_kept_is_an_internal_error(
    repo: Repo, how: str, step: str, name: str
) -> None:
    done = spawn_and_die(repo, how, step, name)
    assert done.code == 0 and json.loads(done.stdout)["reviewers_spawned"] == [*KEYLESS], (
        done.output
    )
    assert_dead(*wait(repo, "--timeout", "60"))
    assert_dead(*wait(repo, "--timeout", "60"))
    left = left_over(repo)
    assert "result.json" not in left
    assert (100 in left.values()) == (how == "killed in the middle"), (
        "a part of the answer lies there, and nobody reads it"
    )


@pytest.mark.req("R001-025")
def test_a_worker_that_ends_once_its_answer_is_kept_has_given_it(repo: Repo) -> None:
    assert spawn_and_die(repo, "killed after it", "os.rename", "/result.json").code == 0
    code, said = wait(repo, "--timeout", "60")
    assert (
        code == 1
        and said["consensus_verdict"] == "FAIL"
        and [issue["file"] for issue in said["issues"]] == ["bad.py"]
    )
    assert [*left_over(repo)] == ["result.json"]


def test_a_worker_that_ends_before_its_session_began_is_a_failed_spawn(repo: Repo) -> None:
    done = spawn_and_die(repo, "killed", "open", "/lock")
    assert (
        done.code == 1 and "the worker exited immediately" in done.stderr and sessions(repo) == []
    ), done.output


@pytest.mark.req("R001-030", "R001-028")
def test_a_worker_that_ends_while_a_reviewer_is_asked_and_somebody_waits(
    repo: Repo, tmp_path: Path
) -> None:
    script = tmp_path / "slow.sh"
    script.write_text(SLOW.format(folder=tmp_path, sarif=SARIF))
    script.chmod(0o755)
    with_command(repo, script)
    assert gate(repo, "spawn-code-review", "--commit", "HEAD").code == 0
    argv = [
        sys.executable,
        "-P",
        "-m",
        "reviewgate_gh.commands._gate",
        "wait",
        "--json",
        "--timeout",
        "60",
    ]
    with subprocess.Popen(
        argv, cwd=repo.path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
    ) as waiting:
        worker, _reviewer = pids(tmp_path)
        while not opened(waiting.pid, sessions(repo)[0] / "lock"):
            assert waiting.poll() is None
            time.sleep(0.02)
        os.kill(worker, signal.SIGKILL)
        out, _ = waiting.communicate()
    assert_dead(waiting.returncode, json.loads(out))
    (tmp_path / "go").touch()
