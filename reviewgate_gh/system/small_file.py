"""Reading a file in whose place another program may have put something that never ends: a pipe, a device, gigabytes of nothing."""

import errno
import os
from pathlib import Path
from stat import S_ISREG

_MOST = 1_000_000  # bytes


def read_small(path: Path) -> bytes:
    """The content of a regular file of at most a megabyte.

    Raises:
        OSError: it is none, is larger, or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not S_ISREG(found.st_mode) or found.st_size > _MOST:
            raise OSError(errno.EFBIG, "not a small file", str(path))
        return os.read(handle, _MOST)
    finally:
        os.close(handle)
