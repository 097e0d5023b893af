"""What this process starts ends with it, however it ends: after a SIGKILL nothing of Python runs,
so a small shell does what is left.

The shell waits at the end of a pipe whose other end is ours alone. It is told the groups that run;
when the pipe closes, it kills them, and then whoever left them, which on Linux is known by a
variable that every program of this process is given. Linux's own signal for the death of a parent
(https://man7.org/linux/man-pages/man2/pr_set_pdeathsig.2const.html) is tied to the thread that
started a program, is set in the program itself, and is not passed on to what that starts: a
linter's real work is often done there.
"""

import atexit
import math
import os
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

RUN_VARIABLE = "REVIEWGATE_GH_RUN"
# Only this process has the pipe's other end open: `read` fails when it is gone. $1 and what comes
# after "=" are marks, a line each, which only our children's environments hold: the shell's own and
# those of its commands do not.
_SCRIPT = r"""
trap '' HUP INT QUIT TERM
groups=' ' marks=$1 ended=
while read -r what it; do
    case $what in
        +) groups="$groups$it " ;;
        -) groups="${groups%%" $it "*} ${groups#*" $it "}" ;;
        =) marks="$marks
$it" ;;
        .) ended=1 ;;
    esac
done
for group in $groups; do kill -KILL "-$group"; done
[ -n "$ended" ] && exit
for _ in 1 2 3 4 5; do
    # its code is 2 for any file that is gone or not ours to read
    left=$(grep -l -F -s -e "$marks" /proc/[0-9]*/environ)
    [ -n "$left" ] || exit
    for file in $left; do
        number=${file#/proc/}
        kill -KILL "${number%/environ}"
    done
done
"""
_SHELL = "/bin/sh"
_MARGIN = 10  # seconds of processor time


class _Guard:
    def __init__(self) -> None:
        self.mark = os.urandom(16).hex()
        theirs, self._to = os.pipe()
        try:
            self._shell = subprocess.Popen(
                [_SHELL, "-c", _SCRIPT, _SHELL, f"{RUN_VARIABLE}={self.mark}"],
                cwd="/",
                env={"PATH": os.defpath},
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # what ends our group or terminal must not end it
            )
        except OSError:
            os.close(self._to)
            raise
        finally:
            os.close(theirs)

    # https://man7.org/linux/man-pages/man7/pipe.7.html (PIPE_BUF)
    def tell(self, line: str) -> None:
        """Write a line: it is short, so that writes of several threads do not mix."""
        with suppress(OSError):  # somebody killed it
            os.write(self._to, line.encode())


_lock = threading.Lock()
_folders: set[str] = set()  # by which programs are known
_guards: list[_Guard | None] = []  # one at most; None: there can be none here


def _guard() -> _Guard | None:
    """The one of this process, started with its first program."""
    with _lock:
        if not _guards:
            try:
                _guards.append(_Guard())
            except OSError:
                _guards.append(None)
        return _guards[0]


def with_run_variable(env: Mapping[str, str]) -> dict[str, str]:
    """The environment by which a program, and all that it starts, is known as ours. From here on it
    ends with us.

    One that is known by a temporary folder of its own need not be told more.
    """
    guard = _guard()
    return (
        {**env, RUN_VARIABLE: guard.mark}
        if guard and env.get("TMPDIR") not in _folders
        else dict(env)
    )


def register_temp_dir(temporary: Path) -> None:
    """Whoever has this new folder as its TMPDIR was started here: nobody else can know of it."""
    guard = _guard()
    if guard and str(temporary).isprintable():  # a mark is a line
        guard.tell(f"= TMPDIR={temporary}\n")
        _folders.add(str(temporary))


def guard_group(child: "subprocess.Popen[bytes]") -> None:
    """The group of this program, which leads it, ends with us."""
    _tell(f"+ {child.pid}\n")


def release_group(child: "subprocess.Popen[bytes]") -> None:
    """Nothing of the group is left; its number may become somebody else's."""
    _tell(f"- {child.pid}\n")


def limit_cpu_time(child: "subprocess.Popen[bytes]", seconds: float) -> None:
    """What it may compute, and each program that it starts: no more than all processors do within
    its deadline. On Linux alone.

    This holds even where somebody kills the guard as well.
    """
    most = math.ceil(seconds) * (os.cpu_count() or 1) + _MARGIN
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        # https://man7.org/linux/man-pages/man2/getrlimit.2.html
        _soft, hard = resource.prlimit(child.pid, resource.RLIMIT_CPU)
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (most, most))


def _tell(line: str) -> None:
    for guard in _guards:
        if guard:
            guard.tell(line)


@atexit.register
def _end() -> None:
    """Everything has come to its end: who left its group did so to stay."""
    _tell(".\n")


def _forget() -> None:
    """In a copy of this process: the guard is the other one's, whose end is not ours."""
    global _lock
    _lock = threading.Lock()
    for guard in _guards:
        if guard:
            with suppress(OSError):
                os.close(guard._to)
    _guards.clear()
    _folders.clear()


os.register_at_fork(after_in_child=_forget)
