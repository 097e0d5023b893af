"""A gate that is killed leaves no program at work, whatever that does about signals and whatever it
has started itself."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ...support import ROOT, Repo
from ..gating import gate, sessions
from ..pushing import Pushing, executable

# What the linter does once it has noted its number; each also notes those of whatever it starts.
WORK = {
    "sleeps": "exec sleep 300",
    "computes": "while :; do :; done",
    "heeds no signal": "trap '' HUP INT QUIT TERM; while :; do sleep 300; done",
    "has a child": "sleep 300 & echo $! >> PIDS; wait",
    "has a child that heeds no signal": (
        "sh -c 'trap \"\" HUP INT QUIT TERM; echo $$ >> PIDS; while :; do sleep 300; done' & wait"
    ),
    "has a grandchild": "sh -c 'sh -c \"echo \\$\\$ >> PIDS; sleep 300; :\"; :'; :",
    "has a child in another session": "setsid sh -c 'echo $$ >> PIDS; exec sleep 300' & sleep 300",
    "has a child that nobody waits for": (
        "(setsid sh -c 'echo $$ >> PIDS; exec sleep 300' &); sleep 300"
    ),
}
_SECONDS = 30


def linter(folder: Path, work: str) -> dict[str, str]:
    """A shellcheck that never ends; the environment in which it is found."""
    pids = folder / "pids"
    executable(
        folder / "bin/shellcheck",
        f'[ "$1" = --version ] && echo 1.2.3 && exit\necho $$ >> {pids}\n'
        f"{work.replace('PIDS', str(pids))}",
    )
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def numbers(folder: Path, work: str) -> list[int]:
    """The processes' numbers, once all of them are noted."""
    most = 1 + ("PIDS" in work)
    for _ in range(_SECONDS * 50):
        with suppress(OSError):
            found = [int(row) for row in (folder / "pids").read_text().split()]
            if len(found) >= most:
                return found
        time.sleep(0.02)
    raise AssertionError("the linter was never started")


def alive(number: int) -> bool:
    """It runs: one that has ended may wait for somebody to take note of it."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def left(found: list[int]) -> list[int]:
    """Those that are alive after a while."""
    for _ in range(_SECONDS * 50):
        if not any(map(alive, found)):
            break
        time.sleep(0.02)
    return [number for number in found if alive(number)]


@pytest.fixture(autouse=True)
def swept(tmp_path: Path) -> Iterator[None]:
    """A test that fails leaves none either."""
    yield
    with suppress(OSError):
        for row in (tmp_path / "pids").read_text().split():
            with suppress(OSError):
                os.kill(int(row), signal.SIGKILL)


@pytest.fixture
def changed(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    repo.commit({"a.sh": "#!/bin/sh\nls\n"})
    return repo


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_killed_review_leaves_no_linter(changed: Repo, tmp_path: Path, work: str) -> None:
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--commit", "HEAD"]
    with subprocess.Popen(
        argv, cwd=changed.path, env={**os.environ, **linter(tmp_path, work)}, stdout=subprocess.PIPE
    ) as review:
        found = numbers(tmp_path, work)
        assert all(map(alive, found))
        review.kill()
    assert left(found) == []


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_nor_does_one_whose_whole_group_gets_a_signal(
    changed: Repo, tmp_path: Path, sign: signal.Signals
) -> None:
    """As of a terminal that closes, or of a runner that ends a step."""
    argv, work = (
        [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--commit", "HEAD"],
        WORK["has a child that heeds no signal"],
    )
    env = {**os.environ, **linter(tmp_path, work)}
    with subprocess.Popen(
        argv, cwd=changed.path, env=env, stdout=subprocess.PIPE, start_new_session=True
    ) as review:
        found = numbers(tmp_path, work)
        os.killpg(review.pid, sign)
    assert left(found) == []


def parent(number: int) -> int:
    return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])


def test_nor_does_the_hook_of_a_push(tmp_path: Path) -> None:
    pushing, work = Pushing.make(tmp_path), WORK["has a child in another session"]
    pushing.repo.commit({"a.sh": "#!/bin/sh\nls\n"})
    env = {**os.environ, **linter(tmp_path, work)}
    with subprocess.Popen(
        ["git", "push", "origin", "main"],
        cwd=pushing.repo.path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as push:
        found = numbers(tmp_path, work)
        os.kill(parent(found[0]), signal.SIGKILL)
        assert push.wait(_SECONDS) != 0, "nobody let it through"
    assert left(found) == []


@pytest.mark.parametrize("how", ["the job", "whoever started it"])
def test_a_detached_job_takes_its_linters_along_and_outlives_its_start(
    changed: Repo, tmp_path: Path, how: str
) -> None:
    work = f"until [ -e {tmp_path}/go ]; do sleep 0.1; done; echo '{{\"comments\":[]}}'"
    executable(
        tmp_path / "caller",
        f"{sys.executable} -P -m reviewgate_gh.commands._gate spawn-code-review --commit HEAD; "
        f"touch {tmp_path}/spawned; sleep 300",
    )
    env = {**os.environ, **linter(tmp_path, work)}
    with subprocess.Popen(
        [tmp_path / "caller"],
        cwd=changed.path,
        env=env,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as caller:
        found = numbers(tmp_path, work)
        for _ in range(_SECONDS * 50):
            if (tmp_path / "spawned").exists():
                break
            time.sleep(0.02)
        job = parent(found[0])
        os.killpg(caller.pid, signal.SIGKILL)
    assert alive(job) and all(map(alive, found))
    if how == "the job":
        os.kill(job, signal.SIGKILL)
        assert left(found) == []
        return
    (tmp_path / "go").touch()
    done = gate(changed, "wait", "--json", "--timeout", "60")
    assert done.code == 0 and len(sessions(changed)) == 1, done.output


def test_a_linter_that_nobody_ends_cannot_compute_for_ever(changed: Repo, tmp_path: Path) -> None:
    """Its deadline on all processors, for each process, is the most: even the guard may be
    killed."""
    seen = tmp_path / "seen"
    work = (
        f"sleep 0.5; ulimit -t > {seen}; sh -c 'ulimit -H -t' >> {seen}; echo '{{\"comments\":[]}}'"
    )
    changed.write({".reviewgate-gh.yaml": "linters: {shellcheck: {timeout: 50}}\n"})
    changed.commit()
    changed.commit({"b.sh": "#!/bin/sh\nls\n"})
    done = changed.cli("review", "--commit", "HEAD", env=linter(tmp_path, work))
    assert done.code == 0, done.output
    limits = {int(row) for row in seen.read_text().split()}
    assert len(limits) == 1 and 50 <= limits.pop() <= 50 * (os.cpu_count() or 1) + 10


def test_a_run_that_ends_leaves_what_a_tool_left_on_purpose(changed: Repo, tmp_path: Path) -> None:
    """A daemon in a session of its own (dmypy, eslint_d) is the user's."""
    stays = "setsid sh -c 'echo $$ >> PIDS; exec sleep 300' > /dev/null 2>&1 &"
    work = stays + "\nuntil [ $(wc -l < PIDS) = 2 ]; do sleep 0.1; done; echo '{\"comments\":[]}'"
    done = changed.cli("review", "--commit", "HEAD", env=linter(tmp_path, work))
    assert done.code == 0, done.output
    _linter, daemon = numbers(tmp_path, work)
    time.sleep(0.5)
    assert alive(daemon)


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_an_agent_that_was_told_nothing_of_the_gate_ends_with_it(
    repo: Repo, tmp_path: Path, work: str
) -> None:
    """Its variables are an allow-list, so it is known by its temporary folder."""
    ours = (
        "reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: off\n"
        "  codex: {type: codex, options: {key: KEY, model: m}}\n"
        "linters: {ruff: {enabled: false}}\n"
    )
    repo.commit({".reviewgate-gh.yaml": ours})
    repo.commit({"a.txt": "words\n"})
    pids = tmp_path / "pids"
    program = (
        f'[ "$1" = --version ] && echo 1.2.3 && exit\necho $$ >> {pids}\n'
        f"{work.replace('PIDS', str(pids))}"
    )
    executable(tmp_path / "bin/codex", program)
    env = {
        **os.environ,
        "KEY": "x" * 20,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--commit", "HEAD"]
    with subprocess.Popen(argv, cwd=repo.path, env=env, stdout=subprocess.PIPE) as review:
        found = numbers(tmp_path, work)
        review.kill()
    assert left(found) == []
