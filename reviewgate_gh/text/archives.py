"""What archives and compressed files hold, within bounds: a small file that unpacks to gigabytes
costs what the bounds allow, and no member is written anywhere."""

import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from zipfile import ZipFile

MAX_TOTAL = 8_000_000  # bytes that are unpacked of one file
MAX_MEMBER = 2_000_000  # bytes of one member, the rest is not read
MAX_MEMBERS = 500
_MAX_DEPTH = 2  # archives within archives
_ZIP, _GZIP, _BZIP2, _XZ = b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\0"
_ZIP_END, _ZIP_TAIL = b"PK\x05\x06", 22 + 0xFFFF  # its comment included
_TAR, _TAR_AT = b"ustar", 257


class _Budget:
    """The bytes and members that may still be unpacked."""

    def __init__(self) -> None:
        self.left, self.members = MAX_TOTAL, MAX_MEMBERS

    def take(self, size: int) -> None:
        self.left -= size

    @property
    def used_up(self) -> bool:
        return self.left <= 0 or self.members <= 0


def unpack(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of each member, of archives within it too (`outer.zip/inner.txt`).

    A member that is damaged, encrypted or beyond the bounds is left out or cut.
    """
    yield from _unpack(data, "", _Budget(), 0)


def is_packed(data: bytes) -> bool:
    """It begins like one of the formats that are read."""
    return (
        data.startswith((_ZIP, _GZIP, _BZIP2, _XZ)) or data[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR
    )


def _unpack(data: bytes, name: str, budget: _Budget, depth: int) -> Iterator[tuple[str, bytes]]:
    for member, content in _members(data, budget):
        path = f"{name}/{member}" if name and member else name or member
        if depth < _MAX_DEPTH and is_packed(content):
            yield from _unpack(content, path, budget, depth + 1)
        else:
            yield path, content


def _members(data: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    if data.startswith(_ZIP):
        yield from _zip(data, budget)
    elif data[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        yield from _tar(data, budget)
    elif plain := _decompressed(data, budget):
        yield "", plain


def zip_names(data: bytes) -> Sequence[str]:
    """The names of all that a zip archive holds, whatever stands before it (Python runs such a
    picture, too); none where this is no readable one."""
    opened = _opened(data) if _ZIP_END in data[-_ZIP_TAIL:] else None
    return opened.namelist() if opened else ()


def _opened(data: bytes) -> "ZipFile | None":
    import zipfile  # 10 ms, and few changes hold one

    try:
        return zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return None


def _zip(data: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    import zipfile

    archive = _opened(data)
    if archive is None:
        return
    for info in archive.infolist()[:MAX_MEMBERS]:
        if info.is_dir() or budget.used_up:
            continue
        try:
            with archive.open(info) as file:
                content = _read(file, budget)
        # Encrypted ones are a RuntimeError: https://docs.python.org/3/library/zipfile.html
        except (zipfile.BadZipFile, RuntimeError, ValueError, OSError, EOFError, zlib.error):
            continue
        yield info.filename, content


def _tar(data: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    import tarfile  # 15 ms, and few changes hold one

    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as archive:
            for info in archive:
                if budget.used_up:
                    return
                file = archive.extractfile(info) if info.isreg() else None
                if file is not None:
                    yield info.name, _read(file, budget)
    except (tarfile.TarError, ValueError, OSError, EOFError):
        return


def _read(file: IO[bytes], budget: _Budget) -> bytes:
    content = file.read(max(0, min(MAX_MEMBER, budget.left)))
    budget.take(len(content))
    budget.members -= 1
    return content


def _decompressed(data: bytes, budget: _Budget) -> bytes:
    """The beginning of what one compressed stream holds."""
    most = max(1, min(MAX_MEMBER, budget.left))
    try:
        plain = _stream(data, most)
    except (zlib.error, OSError, ValueError, EOFError):
        return b""
    budget.take(len(plain))
    budget.members -= 1
    return plain


def _stream(data: bytes, most: int) -> bytes:
    if data.startswith(_GZIP):
        return zlib.decompressobj(31).decompress(data, most)
    if data.startswith(_BZIP2):
        import bz2

        return bz2.BZ2Decompressor().decompress(data, most)
    if data.startswith(_XZ):
        import lzma

        try:
            return lzma.LZMADecompressor(memlimit=100_000_000).decompress(data, most)
        except lzma.LZMAError:
            return b""
    return b""
