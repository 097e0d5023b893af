"""The program: `reviewgate-gh`, and `python -m reviewgate_gh`."""

import os
import signal
from typing import Any, NoReturn

_INTERRUPTED = 130


def main() -> None:
    """Run one verb. An interrupt while Python still reads the program ends it with one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    from .cli import main

    main()


def _interrupted(_number: int, _frame: Any) -> NoReturn:
    os.write(2, b"reviewgate-gh: interrupted\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
