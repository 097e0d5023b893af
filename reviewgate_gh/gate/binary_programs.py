"""Binary files that a machine starts, so that nobody reads what runs."""

import re
from collections.abc import Collection, Iterable, Mapping

from ..git import Git
from ..git.objects import EXECUTABLE_MODE, read_blobs, read_sizes
from ..model.change import Change
from ..model.language_table import BINARY_PROGRAM
from ..text.archives import zip_names
from ..text.patterns import lazy_pattern
from .links import HiddenCode

_READ = 5_000_000  # bytes: git hands out whole files only, and a larger one is judged by its mode
_AT_ONCE = 50_000_000  # bytes in memory
_HIDDEN = HiddenCode(
    BINARY_PROGRAM,
    "nobody can read a binary program: commit its source, and build it where it is needed",
)
# A `#!` line, ELF, Windows, Mach-O for one and for several architectures, WebAssembly, Android,
# Lua, Erlang, LLVM, Python; packages of Debian (and static libraries) and RPM, as
# https://github.com/file/file/tree/master/magic/Magdir has them; Java begins as the last Mach-O
_STARTED = lazy_pattern(
    rb"#!|\x7fELF|MZ.{58}|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe"
    rb"|\xca\xfe\xba\xbe|\0asm|dex\n\d|\x1bLua|FOR1.{4}BEAM|BC\xc0\xde"
    rb"|.[\x0b-\x10]\r\n|\x03\xf3\r\n"
    rb"|!<arch>\n|\xed\xab\xee\xdb",
    re.DOTALL,
)
# Pictures, sound, films, fonts, documents, archives and databases: where a disk knows no modes, all
# its files are executable
_DATA = lazy_pattern(
    rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF|BM|II\*\0|MM\x00\*|\0\0[\x01\x02]\0|8BPS"
    rb"|%PDF|\xd0\xcf\x11\xe0"
    rb"|OggS|fLaC|ID3|\xff[\xe2-\xfb]|.{4}ftyp|\x1a\x45\xdf\xa3|\0\0\x01[\xb3\xba]"
    rb"|wOF[F2]|OTTO|\0\x01\0\0|ttcf|SQLite"
    rb"|PK\x03\x04|\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|\x28\xb5\x2f\xfd",
    re.DOTALL,
)
# What makes a zip archive a program: Java, Android, Python (zip applications, wheels, eggs), macros
# of office documents, extensions of editors; and whatever is compiled
_LOADED = lazy_pattern(
    r"(?:META-INF/MANIFEST\.MF|__main__\.py|[^/]+\.dist-info/WHEEL|EGG-INFO/PKG-INFO"
    r"|(?:word|xl|ppt)/vbaProject\.bin|extension/package\.json"
    r"|.*\.(?:class|dex|dll|dylib|exe|node|pyc|pyd|so|wasm))",
    re.IGNORECASE,
)


def find_binary_programs(
    change: Change, git: Git, excluded: Collection[str]
) -> Mapping[str, HiddenCode]:
    """By path, those of the changed binary files whose new content is started by what it
    holds, or by its mode where that does not look like data; none that are `excluded`."""
    files = [
        file
        for file in change.files
        if file.binary
        and file.path not in excluded
        and file.mode.startswith("100")
        and file.oid != file.old_oid
    ]
    started = _judged(git, [file.oid for file in files])
    return {
        file.path: _HIDDEN
        for file in files
        if _is_started(started.get(file.oid), file.mode == EXECUTABLE_MODE)
    }


def _judged(git: Git, oids: Iterable[str]) -> Mapping[str, bool | None]:
    """By blob, what its content says: True for a program, False for data, None for neither. Those
    that are too large are left out."""
    found: dict[str, bool | None] = {}
    batch, size = list[str](), 0
    for oid, each in read_sizes(git, oids).items():
        if each >= _READ:
            continue
        if size + each > _AT_ONCE:
            found |= {name: _is_program(data) for name, data in read_blobs(git, batch).items()}
            batch, size = [], 0
        batch.append(oid)
        size += each
    return found | {name: _is_program(data) for name, data in read_blobs(git, batch).items()}


def _is_program(data: bytes) -> bool | None:
    if _STARTED.match(data) or any(map(_LOADED.fullmatch, zip_names(data))):
        return True
    return False if _DATA.match(data) else None


def _is_started(program: bool | None, executable: bool) -> bool:
    return executable if program is None else program
