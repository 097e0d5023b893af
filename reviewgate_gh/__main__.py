"""The program: `reviewgate-gh`, and `python -m reviewgate_gh`."""

import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

_INTERRUPTED = 130


def main() -> None:
    """Run one verb. An interrupt while Python is still importing ends it with one line."""
    _leave_relative_folders()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    from .cli import main

    main()


def gate() -> None:
    """The same for the script `review-gate`."""
    _leave_relative_folders()
    from .commands._gate import main

    main()


def _leave_relative_folders() -> None:
    """Import nothing more from the current folder, which holds the reviewed change.

    It is on the path when PYTHONPATH names it by a relative path, and after `python -m`. Only -I,
    which our hook and the Action pass, prevents what Python itself imports from there at start-up.
    """
    named = (
        [] if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "").split(os.pathsep)
    )
    with suppress(OSError):  # the folder is gone
        here = os.getcwd()
        relative = {os.path.abspath(name) for name in named if not os.path.isabs(name)}
        relative |= {here} if sys.path[:1] == [here] else set()
        wanted = {os.path.abspath(name) for name in named if os.path.isabs(name)}
        sys.path[:] = [
            folder
            for folder in sys.path
            if os.path.isabs(folder) and (folder in wanted or folder not in relative)
        ]


def _interrupted(_number: int, _frame: Any) -> NoReturn:
    os.write(2, b"reviewgate-gh: interrupted\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
