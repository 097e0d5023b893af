"""The one door to programs: deadlines hold, nothing survives, memory stays flat, no variable
leaks."""

import os
import resource
import subprocess
import sys
import time

import pytest

from reviewgate_gh.system import process
from tests.unit.system.interrupts import interrupts

SLOW = "import time; time.sleep(60)"


def python(code, tmp_path, **options):
    return process.run_process(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=process.clean_environment(os.environ),
        **options,
    )


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


def test_output_exit_code_and_stdin(tmp_path):
    answer = python(
        "import sys; d = sys.stdin.buffer.read(); sys.stdout.buffer.write(d); "
        "sys.stderr.write('e'); sys.exit(3)",
        tmp_path,
        stdin=b"x" * 1_000_000,
    )
    assert (answer.code, answer.killed_reason, answer.out, answer.err) == (
        3,
        "",
        b"x" * 1_000_000,
        "e",
    )


@pytest.mark.contract(plain=["has a child"])
@pytest.mark.parametrize(
    "code",
    [
        SLOW,
        f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLOW}",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{SLOW}']); {SLOW}",
    ],
    ids=["slow", "ignores TERM", "stops itself", "has a child"],
)
def test_the_deadline_ends_the_whole_group(tmp_path, code):
    pids = tmp_path / "pid"
    started = time.monotonic()
    answer = python(
        f"import os; open({str(pids)!r}, 'w').write(str(os.getpid()))\n{code}",
        tmp_path,
        deadline=0.6,
    )
    assert (answer.code, answer.killed_reason) == (None, "deadline")
    assert time.monotonic() - started < 30
    assert not alive(int(pids.read_text()))


def test_a_grandchild_that_keeps_the_output_open_delays_nothing(tmp_path):
    pid = tmp_path / "pid"
    code = (
        f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', '{SLOW}']); "
        "print('done')"
    )
    code += f"; open({str(pid)!r}, 'w').write(str(p.pid))"
    answer = python(code, tmp_path, deadline=50)
    assert (answer.code, answer.out) == (0, b"done\n") and answer.seconds < 40
    for _ in range(50):
        if not alive(int(pid.read_text())):
            break
        time.sleep(0.1)
    assert not alive(int(pid.read_text()))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_cut_and_memory_stays_flat(tmp_path, stream):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = python(
        f"import sys\nwhile True: sys.{stream}.buffer.write(b'x' * 100_000)",
        tmp_path,
        cap=50 * process.MEGABYTE,
        deadline=60,
    )
    assert answer.code is None and answer.killed_reason == "more than 50 MB of output"
    assert len(answer.err) <= 4000
    answer.close()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64_000


def test_who_stops_listening_may_listen_again(tmp_path):
    done = python("import sys; print('a\\nb'); print('c\\nd', file=sys.stderr)", tmp_path)
    for lines in (done.lines, done.error_lines):
        first = next(lines())
        assert next(lines()) == first and len([*lines()]) == 2
    done.close()


def test_any_bytes_come_through(tmp_path):
    answer = python(
        "import sys; sys.stdout.buffer.write(bytes(range(256))); "
        "sys.stderr.buffer.write(bytes(range(256)))",
        tmp_path,
    )
    assert answer.out == bytes(range(256)) and "\\xff" in answer.err


@pytest.mark.parametrize("argv", [["/nowhere/tool"], ["."], [""], ["a\0b"]])
def test_what_cannot_be_started_is_one_line(tmp_path, argv):
    with pytest.raises(process.ToolMissing, match="cannot run") as caught:
        process.run_process(argv, cwd=tmp_path, env={})
    assert "\n" not in caught.value.message


def test_tokens_and_loader_tricks_do_not_pass(tmp_path):
    source = {
        "PATH": "/bin", "HOME": "/h", "GITHUB_TOKEN": "t", "ACTIONS_RUNTIME_TOKEN": "t",
        "ANTHROPIC_API_KEY": "k", "LD_PRELOAD": "x",
        "NODE_OPTIONS": "x", "PYTHONPATH": "x", "GIT_DIR": "x", "BASH_ENV": "x", "RUFF_CONFIG": "x",
    }  # fmt: skip
    assert process.clean_environment(source, {"NO_COLOR": "1"}) == {
        "PATH": "/bin",
        "HOME": "/h",
        "NO_COLOR": "1",
    }


def test_arguments_are_never_a_shell(tmp_path):
    answer = process.run_process(
        [
            sys.executable,
            "-c",
            "import sys; print(sys.argv[1:])",
            "$(touch pwned)",
            ";touch pwned",
            "a b",
        ],
        cwd=tmp_path,
        env={},
    )
    assert (
        answer.out.decode().strip() == "['$(touch pwned)', ';touch pwned', 'a b']"
        and not (tmp_path / "pwned").exists()
    )


def test_standard_error_has_a_cap_of_its_own(tmp_path):
    loud = "import sys; sys.{}.write('x' * 3_000_000); sys.{}.flush()"
    kept = python(loud.format("stdout", "stdout"), tmp_path, cap=8_000_000, err_cap=1_000_000)
    assert (kept.code, kept.killed_reason, len(kept.out)) == (0, "", 3_000_000)
    cut = python(loud.format("stderr", "stderr"), tmp_path, cap=8_000_000, err_cap=1_000_000)
    assert (cut.code, cut.killed_reason) == (None, "more than 1 MB of output")


def test_too_much_is_too_much_from_a_program_that_has_ended(tmp_path):
    assert (
        python("print('x' * 2_000_000)", tmp_path, cap=1_000_000).killed_reason
        == "more than 1 MB of output"
    )


def test_a_program_may_leave_others_at_work_until_the_block_ends(tmp_path):
    script = "import subprocess,sys; print(subprocess.Popen(['sleep','100']).pid); sys.exit(3)"
    with process.run_launcher(
        [sys.executable, "-c", script], cwd=tmp_path, env=dict(os.environ), deadline=60
    ) as answer:
        left = int(answer.out)
        assert (answer.code, answer.killed_reason) == (3, "") and alive(left)
    assert gone(left)


def test_one_that_leaves_others_is_stopped_with_them_at_its_deadline(tmp_path):
    script = (
        "import subprocess,sys,time; print(subprocess.Popen(['sleep','100']).pid, flush=True); "
        "time.sleep(100)"
    )
    with process.run_launcher(
        [sys.executable, "-c", script], cwd=tmp_path, env=dict(os.environ), deadline=1
    ) as answer:
        assert (answer.code, answer.killed_reason) == (None, "deadline")
        left = int(answer.out)
    assert gone(left)
    with process.run_launcher(
        ["sh", "-c", "kill -9 $$"], cwd=tmp_path, env=dict(os.environ), deadline=60
    ) as answer:
        assert answer.code == -9


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("door", ["run", "leaving"])
def test_an_interrupt_at_any_moment_leaves_no_program(tmp_path, door):
    def sleep():
        if door == "run":
            process.run_process(["sleep", "60"], cwd=tmp_path, env=dict(os.environ))
        with process.run_launcher(["sleep", "60"], cwd=tmp_path, env=dict(os.environ), deadline=60):
            pass

    earlier = children()
    with interrupts() as interrupted:
        for moment in range(1, 80):
            interrupted(sleep, after=moment * 0.000_05)
    assert all(gone(pid) for pid in children() - earlier)


def children():
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return {int(pid) for pid in listed.stdout.split()}


def gone(pid):
    return not any(alive(pid) and not time.sleep(0.01) for _ in range(100))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory one has")
def test_too_much_memory_ends_it() -> None:
    script = "x = bytearray(200_000_000); import time; time.sleep(60)"
    answer = process.run_process(
        [sys.executable, "-c", script], cwd="/", env={}, deadline=60, memory_cap=100_000_000
    )
    assert (answer.code, answer.killed_reason) == (None, "more than 100 MB of memory")
