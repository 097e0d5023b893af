"""Standard output, and nothing else: what prints a few lines loads no more than this."""

import sys

from ..model.errors import UsageError


def emit(text: str) -> None:
    """Write to standard output whatever its encoding is. A reader that has gone away makes the verdict no other.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except OSError as error:
        from ..system.jobs import drop_output

        drop_output()
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"cannot write to standard output: {error.strerror}", "make sure the disk is not full") from None
