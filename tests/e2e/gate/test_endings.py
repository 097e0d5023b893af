"""How a run ends when its surroundings do: readers that go away, closed streams, full disks,
signals; and what it leaves behind."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

from tests.support import ROOT, Repo

EVIL = "def f(x):\n    return evil(x)\n"


@pytest.fixture
def bad(repo) -> Repo:
    repo.commit({"a.py": EVIL})
    return repo


def shell(repo: Repo, line: str) -> int:
    """Exit code of a shell line in which $rg is the command."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "rg": f"{sys.executable} -P -m reviewgate_gh"}
    return subprocess.run(
        ["bash", "-c", line], cwd=repo.path, env=env, capture_output=True, timeout=120, check=False
    ).returncode


@pytest.mark.parametrize(
    "streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "> >(true)", "2>/dev/full"]
)
def test_the_verdict_is_the_same_whoever_reads_it(bad, streams):
    assert shell(bad, f"$rg review --commit HEAD {streams}") == 1
    assert shell(bad, f"$rg review --commit HEAD~0 --exit-zero {streams}") == 0
    assert shell(bad, f"$rg review --commit nothing {streams}") == 64


def test_a_folder_that_is_gone_is_said_to_be(bad):
    code, lines = said(bad, "mkdir sub; cd sub; rmdir ../sub; $rg review")
    assert (code, lines[0]) == (64, "reviewgate-gh: the current folder no longer exists")


def test_a_report_that_cannot_be_printed_is_no_pass(bad):
    assert shell(bad, "$rg review --commit HEAD --exit-zero > /dev/full") == 64


def test_a_pipe_is_written_to_and_stays_one(bad, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert (
        shell(
            bad,
            f"cat {pipe} > {tmp_path}/read & $rg review --commit HEAD --output-path {pipe}; "
            "code=$?; wait; exit $code",
        )
        == 1
    )
    assert stat.S_ISFIFO(pipe.stat().st_mode) and "ruff/F821" in (tmp_path / "read").read_text()


def test_standard_output_by_its_name_is_written_to(bad, tmp_path):
    """Under the name where nothing can be replaced, whoever runs this."""
    assert shell(bad, f"$rg review --commit HEAD --output-path /dev/fd/1 > {tmp_path}/out") == 1
    assert "ruff/F821" in (tmp_path / "out").read_text()


def said(repo: Repo, line: str) -> tuple[int, list[str]]:
    """Exit code and standard error of a shell line in which $rg is the command."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "rg": f"{sys.executable} -P -m reviewgate_gh"}
    done = subprocess.run(
        ["bash", "-c", line], cwd=repo.path, env=env, capture_output=True, timeout=120, check=False
    )
    return done.returncode, done.stderr.decode().splitlines()


_TMPDIR = (
    "check free space and write permission, or set TMPDIR to another folder for temporary files"
)


def test_no_folder_for_temporary_files_is_two_clear_lines(bad):
    code, lines = said(bad, "ulimit -f 0; $rg review --commit HEAD")
    assert (code, len(lines), lines[-1].strip()) == (64, 2, _TMPDIR), lines
    assert lines[0].startswith("reviewgate-gh: no writable folder for temporary files found in ['")


@pytest.mark.req("R009-004")
def test_a_disk_that_fills_up_is_named_and_nothing_else_is_believed(bad, tmp_path):
    """With a file system of eight pages of its own, all but one of them taken; git's list of what
    was done here is what no longer fits."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no name spaces here")
    for _ in range(70):
        bad.git("commit", "--quiet", "--amend", "--allow-empty", "--no-edit")
    full = tmp_path / "full"
    full.mkdir()
    setup = (
        f"mount -t tmpfs -o size=32k tmpfs {full} && head -c {7 * 4096} /dev/zero > "
        f"{full}/taken && export TMPDIR={full}"
    )
    code, lines = said(bad, f"unshare -rm bash -c '{setup}; $rg review --commit HEAD~0'")
    assert (code, [line.strip() for line in lines]) == (
        64,
        [f"reviewgate-gh: cannot work in {full}: No space left on device", _TMPDIR],
    )


def test_too_little_memory_for_a_thread_is_two_clear_lines(bad):
    code, lines = said(bad, "ulimit -d 40000; $rg review --commit HEAD")
    assert (code, len(lines)) == (64, 2), lines
    assert "memory" in lines[0] and "ulimit -a" in lines[1]


def test_files_that_may_not_grow_are_named_too(bad):
    code, lines = said(bad, "ulimit -f 2; $rg review --commit nothing")
    assert (code, len(lines), lines[-1].strip()) == (64, 2, _TMPDIR), lines
    assert lines[0].startswith("reviewgate-gh: cannot work in ") and lines[0].endswith(
        ": File too large"
    )


def test_a_disk_that_fills_up_under_a_linter_is_named_too(bad, tmp_path):
    """A stranger's files are written out as they are and, for a name that is not known, as they
    were: here there is room for one."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no name spaces here")
    rows = ["print(unknown)\n", *(f"x{n} = {n}\n" for n in range(9_000))]
    bad.commit({"b.py": "".join(rows)})
    bad.commit({"b.py": "".join([*rows, "y = 1\n"])})
    clone, full = bad.clone(tmp_path / "clone"), tmp_path / "full"
    full.mkdir()
    setup = f"mount -t tmpfs -o size=200k tmpfs {full} && export TMPDIR={full}"
    line = f"unshare -rm bash -c '{setup}; $rg review --commit HEAD'"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "rg": f"{sys.executable} -P -m reviewgate_gh"}
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=clone.path,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    words = " ".join(done.stdout.split())
    assert (
        done.returncode == 2
        and "No space left on device" in words
        and "set TMPDIR to another folder" in words
    ), done
    assert "OSError" not in words


def test_an_interrupt_while_python_reads_the_program_is_one_line(bad, tmp_path):
    """The first library that is read sends it."""
    (tmp_path / "click.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    )
    code, lines = said(bad, f"PYTHONPATH={tmp_path}:$PYTHONPATH $rg review --commit HEAD")
    assert (code, lines) == (130, ["reviewgate-gh: interrupted"])


def test_a_mistyped_verb_brings_the_nearest_to_mind(bad):
    assert said(bad, "$rg reviw")[1] == [
        "reviewgate-gh: unknown command 'reviw'; did you mean review?",
        "  see reviewgate-gh --help",
    ]
    code, lines = said(bad, "$rg xyzzy")
    assert (code, lines[0]) == (64, "reviewgate-gh: unknown command 'xyzzy'")


@pytest.mark.parametrize(
    "sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda sign: sign.name
)
@pytest.mark.req("R009-003")
def test_a_signal_ends_the_tools_and_leaves_nothing(bad, tmp_path, sign):
    fake, pid, temporary = tmp_path / "bin" / "ruff", tmp_path / "pid", tmp_path / "tmp"
    fake.parent.mkdir()
    temporary.mkdir()
    fake.write_text(
        f"#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $! $$ > {pid}.new; mv {pid}.new {pid}\n"
        "sleep 600\n"
    )
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "TMPDIR": str(temporary)}
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--commit", "HEAD"]
    run = subprocess.Popen(
        argv,
        cwd=bad.path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not pid.exists() and time.monotonic() < end:
        time.sleep(0.05)
    run.send_signal(sign)
    _out, said = run.communicate(timeout=60)
    assert run.returncode == 130 and b"interrupted" in said and b"Traceback" not in said
    assert not any(running(int(number)) for number in pid.read_text().split())
    assert not list(temporary.iterdir())


def test_a_wrong_config_ends_what_git_is_still_doing(repo, tmp_path):
    repo.commit({"a.py": EVIL, ".reviewgate-gh.yaml": "mode: blok\n"})
    fake, pid = tmp_path / "bin" / "git", tmp_path / "pid"
    fake.parent.mkdir()
    git = shutil.which("git")
    slow = f'case " $* " in *" --patch "*) echo $$ > {pid}; {git} "$@"; exec sleep 600;; esac'
    fake.write_text(f'#!/bin/sh\n{slow}\nexec {git} "$@"\n')
    fake.chmod(0o755)
    done = repo.cli(
        "review",
        "--commit",
        "HEAD",
        "--trusted",
        env={"PATH": f"{fake.parent}:{os.environ['PATH']}"},
    )
    assert done.code == 78, done.output
    assert not running(int(pid.read_text()))


def running(number: int) -> bool:
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_variable_that_asks_for_completion_makes_no_pass(bad):
    name = "_REVIEWGATE_GH_COMPLETE"
    assert bad.cli("review", "--commit", "HEAD", env={name: "bash_source"}).code == 1
    assert "complete -o" in bad.cli(env={name: "bash_source"}).stdout
