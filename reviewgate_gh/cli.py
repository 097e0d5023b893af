"""The command line: one lazy group, one error handler, one place where the exit code is set."""

import atexit
import errno
import gc
import importlib
import os
import resource
import sys
import threading
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from . import __version__
from .model.errors import Exit, GateError
from .system import signals

# Of click 8.2 and later; an older one shows the help by itself.
_NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
_COMMANDS = Path(__file__).with_name("commands")
HIDDEN = ("action",)  # what action.yml calls, not people
_ALSO_OF_REVIEW = ("presubmit", "cleanup")  # `review presubmit` is another spelling of `presubmit`
_FEW_CYCLES = 100_000  # new objects between two collections: a run makes many and hardly any cycles
_BUG = "this is a bug in reviewgate-gh: please report it with the lines above"


class CommandGroup(click.Group):
    """Each module of `commands/` is a verb; its file name is its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs."""
        return sorted(
            entry.name[:-3]
            for entry in os.scandir(_COMMANDS)
            if entry.name.endswith(".py") and entry.name[0] != "_"
        )

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The verb's command, imported now."""
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{__package__}.commands.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each verb with its module's first paragraph, which is read without importing any."""
        names = [name for name in self.list_commands(ctx) if name not in HIDDEN]
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(_COMMANDS / f"{name}.py")) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is meant; an unknown word fails with a suggestion."""
        known = self.list_commands(ctx)
        if args[0] == "review" and args[1:] and args[1] in _ALSO_OF_REVIEW:
            args = args[1:]
        elif args[0] == "review" and args[1:] and not args[1].startswith("-"):
            from .commands._templates import group

            return args[0], group, args[1:]
        if args[0] not in known and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], known, 1)
            ctx.fail(
                f"unknown command {args[0]!r}" + (f"; did you mean {near[0]}?" if near else "")
            )
        return super().resolve_command(ctx, args)


def _summary(module: Path) -> str:
    docstring = module.read_text("utf-8").split('"""', 2)[1]
    return " ".join(docstring.partition("\n\n")[0].split())


@click.command(
    "reviewgate-gh",
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="reviewgate-gh")
def cli() -> None:
    """The review gate: reviews the commits you are about to push or merge, and answers with one
    verdict.

    Exit codes: 0 pass or concerns, 1 block, 2 inconclusive, 3 deadline, 4 no reviewer, 5 internal
    error, 64 usage, 69 service refused, 78 config error, 130 interrupted.
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run one verb and end the process with its code."""
    exit_now(run(cli, argv))


def exit_now(code: int) -> NoReturn:
    """End the process at once if no other thread is running: tearing down the modules takes as long
    as a call of git."""
    if any(
        not thread.daemon
        for thread in threading.enumerate()
        if thread is not threading.current_thread()
    ):
        sys.exit(code)  # Python waits for them, each in its way
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run(command: click.Command, argv: Sequence[str] | None = None) -> int:
    """Run a command; every outcome becomes an exit code and, on failure, one clear line.

    Nothing of it keeps running.
    """
    _open_streams()
    if not sys.flags.dev_mode:
        warnings.simplefilter("ignore")  # PYTHONWARNINGS is meant for the user's own programs
    gc.set_threshold(_FEW_CYCLES)
    # https://docs.python.org/3/library/sys.html#sys.setswitchinterval
    # Threads wait for git while this one imports; each turn would else take ten times as long
    sys.setswitchinterval(0.0005)
    try:
        try:
            signals.install_handlers()
            return _ending(command, argv)
        finally:
            _end_work()
    except KeyboardInterrupt:  # before or after all
        _end_work()
        return _told(_name(command), KeyboardInterrupt())


def _ending(command: click.Command, argv: Sequence[str] | None) -> int:
    try:
        code = command.main(
            args=list(argv) if argv is not None else None,
            prog_name=_name(command),
            # A variable that stayed set makes no completion script, and exit 0, of a review
            complete_var="" if (sys.argv[1:] if argv is None else argv) else None,
            standalone_mode=False,
        )
        _flush()
        if signals.was_interrupted():
            raise KeyboardInterrupt  # a library swallowed it, so the work may be incomplete
        return int(code or 0)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (Exception, KeyboardInterrupt) as error:
        return _told(_name(command), error)


def _name(command: click.Command) -> str:
    return command.name or "reviewgate-gh"


def _told(name: str, error: BaseException) -> int:
    """Say what ended the run; its exit code."""
    if signals.was_interrupted() or isinstance(error, KeyboardInterrupt | click.Abort):
        return _failed(name, Exit.INTERRUPTED, "interrupted", "")
    if isinstance(error, GateError):
        return _failed(name, error.exit, error.message, error.hint)
    if isinstance(error, _NO_ARGUMENTS):
        click.echo(error.ctx.get_help(), err=True)
        return Exit.USAGE
    if isinstance(error, click.ClickException):
        where = (
            error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else name
        )
        return _failed(name, Exit.USAGE, error.format_message(), f"see {where} --help")
    if words := _short_of(error) if not isinstance(error, OSError) else _refused(error):
        return _failed(name, Exit.USAGE, *words)
    return _crashed(name, error)


def _end_work() -> None:
    """Stop the programs and threads that were started. All output is written by now; an interrupt
    would only leave files behind."""
    signals.ignore_signals()
    if parallel := sys.modules.get(f"{__package__}.system.parallel"):
        parallel.end_background_work()


def _open_streams() -> None:
    """Redirect closed streams to the null device: otherwise the next opened file would get their
    descriptor, and the output."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if name != "stdin":
                setattr(sys, name, os.fdopen(descriptor, "w"))


def _flush() -> None:
    """A closed pipe does not change the verdict."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(name: str, code: int, message: str, hint: str) -> int:
    from .text.safe import safe_line

    _say(f"{name}: {safe_line(message, 600)}")
    if hint:
        _say(f"  {safe_line(hint, 600)}")
    return code


def _say(text: str) -> None:
    """On standard error, where there is one: the exit code says the rest."""
    try:
        click.echo(text, err=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _short_of(error: BaseException) -> tuple[str, str] | None:
    """What to say where the system gave no memory or no thread; None for any other fault."""
    hint = "raise the limits of this process (ulimit -a shows them), or end other programs"
    if isinstance(error, MemoryError):
        return "there is not enough memory", hint
    # CPython has no type for it: https://github.com/python/cpython/blob/main/Python/thread.c
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "the system gives no more threads or no memory for one", hint
    return None


def _refused(error: OSError) -> tuple[str, str] | None:
    """What to say of a full disk or a folder that cannot be written: the user can fix it; None for
    any other fault."""
    import tempfile

    hint = (
        "check free space and write permission, or set TMPDIR to another folder for temporary files"
    )
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES):
        place = (
            Path(os.fsdecode(error.filename)).parent
            if isinstance(error.filename, str | bytes)
            else tempfile.gettempdir()
        )
        return f"cannot work in {place}: {error.strerror}", hint
    if error.errno in (errno.EMFILE, errno.ENFILE):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return f"too many open files: the limit here is {limit}", "raise it: ulimit -n 1024"
    # Of tempfile, which has tried them all
    if error.errno == errno.ENOENT and "temporary directory" in str(error.strerror):
        return (
            (
                "no writable folder for temporary files found in "
                f"{str(error.strerror).partition(' in ')[2]}"
            ),
            hint,
        )
    return None


def _crashed(name: str, error: BaseException) -> int:
    """A bug of ours: where it happened, in lines that can be reported, and never a pass."""
    import traceback

    for frame in traceback.extract_tb(error.__traceback__)[-3:]:
        _say(f"  at {Path(frame.filename).name}:{frame.lineno} in {frame.name}")
    return _failed(name, Exit.INTERNAL, f"internal error: {type(error).__name__}: {error}", _BUG)
