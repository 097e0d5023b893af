"""A unified diff as the files of its two sides."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ...text.patterns import lazy_pattern
from .case import Files, check_path

_HUNK = lazy_pattern(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_MODE = lazy_pattern(rb"(old mode|new mode|new file mode|deleted file mode) (\d{6})\s*\Z")
_INDEX = lazy_pattern(rb"index [0-9a-f]+\.\.[0-9a-f]+ (\d{6})\s*\Z")
_MOVED = lazy_pattern(rb"(rename|copy) (from|to) (.+)\Z", re.DOTALL)
_PLAIN = "100644"
_NOWHERE = b"/dev/null"
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-corequotePath
_ESCAPED = lazy_pattern(rb'\\(?:([0-7]{3})|([abtnvfr"\\]))')
_LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_MOST_LINES = 1_000_000  # of a file that is only known by its hunks


class _Hunk(Struct, frozen=True):
    """Where its lines begin on each side, from 0, and these lines."""

    old_at: int
    new_at: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]


class _Edit(Struct, frozen=True):
    """What a section of the diff does to a file; a side that does not exist has no path. A copy
    leaves the old file where it is. A mode that is not named is as it was."""

    old: str
    new: str
    copies: bool = False
    old_mode: str = ""
    mode: str = ""
    hunks: tuple[_Hunk, ...] = ()


def read_sides(patch: bytes, base: Files | None) -> tuple[Files, Files]:
    """The files of both sides. Without `base` a file that is changed is made of its hunks, with
    empty lines between them.

    Raises:
        ValueError: it is no diff, or does not fit the base.
    """
    old, new = dict(base or {}), dict(base or {})
    edits = tuple(_edits(patch))
    if not edits:
        raise ValueError("the patch changes no text file")
    [(path, times)] = Counter(edit.new or edit.old for edit in edits).most_common(1)
    if times > 1:
        raise ValueError(f"the patch changes {path} twice: make one diff of all its commits")
    for edit in edits:
        before = _known(edit, base)
        lines, changed = _applied(edit, before)
        if edit.old:
            if not edit.copies:
                new.pop(edit.old, None)
            old[edit.old] = old.get(edit.old, (edit.old_mode or _PLAIN, b"".join(lines)))
        if edit.new:
            kept = old[edit.old][0] if edit.old else _PLAIN
            new[edit.new] = (edit.mode or kept, b"".join(changed))
    return old, new


def _known(edit: _Edit, base: Files | None) -> list[bytes] | None:
    """The lines of the file before, or None where they are not known."""
    if base is None:
        return None if edit.old else []
    if not edit.old:
        return []
    if edit.old not in base:
        raise ValueError(f"the patch changes {edit.old}, which the base does not have")
    return _lines(base[edit.old][1])


def _applied(edit: _Edit, before: list[bytes] | None) -> tuple[list[bytes], list[bytes]]:
    """The lines of both sides."""
    old, new, at = list[bytes](before or []), list[bytes](), 0
    for hunk in edit.hunks:
        if before is None:
            _pad(old, hunk.old_at, edit.old)
            _pad(new, hunk.new_at, edit.new or edit.old)
            old += hunk.old
            new += hunk.new
            continue
        end = hunk.old_at + len(hunk.old)
        if hunk.old_at < at or tuple(before[hunk.old_at : end]) != hunk.old:
            raise ValueError(f"a hunk of the patch does not fit {edit.old} at {hunk.old_at + 1}")
        new += [*before[at : hunk.old_at], *hunk.new]
        at = end
    return old, [*new, *before[at:]] if before is not None else new


def _pad(lines: list[bytes], at: int, path: str) -> None:
    if not len(lines) <= at <= _MOST_LINES:
        raise ValueError(f"the hunks of {path} overlap, or lie too far apart")
    lines += [b"\n"] * (at - len(lines))


def _edits(patch: bytes) -> Iterator[_Edit]:
    """The sections of the diff; those of binary files are left out."""
    lines = _lines(patch)
    edit, hunks, at, binary = _Edit("", ""), list[_Hunk](), 0, False
    while at < len(lines):
        line = lines[at].rstrip(b"\r\n")
        if line.startswith(b"diff --git "):
            yield from _finished(edit, hunks, binary)
            name = _header_name(line)
            edit, hunks, binary = _Edit(name, name), [], False
        elif line.startswith(b"--- ") and _follows(lines, at):
            if hunks:  # a plain diff has no other beginning of a section
                yield from _finished(edit, hunks, binary)
                edit, hunks, binary = _Edit("", ""), [], False
            old, new = _path(line[4:]), _path(lines[at + 1].rstrip(b"\r\n")[4:])
            edit, at = replace(edit, old=old, new=new), at + 1
        elif found := _HUNK.match(line):
            if not (edit.old or edit.new):
                raise ValueError(f"line {at + 1} of the patch is a hunk of no file")
            hunk, at = _hunk(lines, at, [*map(int, found.groups(b"1"))])
            hunks.append(hunk)
            continue
        else:
            edit, binary = _noted(edit, line), binary or _is_binary(line)
        at += 1
    yield from _finished(edit, hunks, binary)


def _lines(data: bytes) -> list[bytes]:
    """The lines with what ends them, a line feed alone: a carriage return is content."""
    *whole, last = data.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _follows(lines: Sequence[bytes], at: int) -> bool:
    return at + 1 < len(lines) and lines[at + 1].startswith(b"+++ ")


def _is_binary(line: bytes) -> bool:
    return line.startswith((b"Binary files ", b"GIT binary patch"))


def _finished(edit: _Edit, hunks: Sequence[_Hunk], binary: bool) -> Iterator[_Edit]:
    if (edit.old or edit.new) and not binary:
        for path in filter(None, (edit.old, edit.new)):
            check_path(path)
        yield replace(edit, hunks=tuple(hunks))


def _noted(edit: _Edit, line: bytes) -> _Edit:
    """The section after a line of its extended header."""
    if found := _INDEX.match(line):
        mode = found[1].decode()
        return replace(edit, old_mode=mode, mode=mode)
    if found := _MODE.match(line):
        kind, mode = found[1], found[2].decode()
        if kind == b"new file mode":
            return replace(edit, old="", mode=mode)
        if kind == b"deleted file mode":
            return replace(edit, new="", old_mode=mode)
        return (
            replace(edit, old_mode=mode, mode=mode)
            if kind == b"old mode"
            else replace(edit, mode=mode)
        )
    if found := _MOVED.match(line):
        side = {"old" if found[2] == b"from" else "new": _unquoted(found[3])}
        return replace(edit, copies=found[1] == b"copy", **side)
    return edit


def _header_name(line: bytes) -> str:
    """The name in `diff --git a/NAME b/NAME`; other headers name both sides again below."""
    both = line.removeprefix(b"diff --git ")
    half = both[: len(both) // 2]
    return _path(half) if both == half + b" " + both[len(half) + 1 :] else ""


def _path(text: bytes) -> str:
    """The path of one side, "" for none. A tab ends it: a date follows."""
    name = text.partition(b"\t")[0] if not text.startswith(b'"') else text
    if name == _NOWHERE:
        return ""
    plain = _unquoted(name)
    return plain[2:] if plain[:2] in ("a/", "b/") else plain


def _unquoted(name: bytes) -> str:
    if name.startswith(b'"') and name.rstrip().endswith(b'"'):
        name = _ESCAPED.sub(
            lambda found: bytes([int(found[1], 8) & 255 if found[1] else _LETTERS[found[2][0]]]),
            name.rstrip()[1:-1],
        )
    return name.decode("utf-8", "surrogateescape")


def _hunk(lines: Sequence[bytes], at: int, header: Sequence[int]) -> tuple[_Hunk, int]:
    """The hunk whose header is that line, and where the line after it is."""
    old_first, old_count, new_first, new_count = header
    first, old, new = at + 1, list[bytes](), list[bytes]()
    for line in islice(lines, first, None):
        sign, text = line[:1], line[1:]
        if sign == b"\\":
            _drop_line_end(lines[at][:1], old, new)
        elif len(old) >= old_count and len(new) >= new_count:
            break
        elif sign in (b" ", b"-", b"+") or not line.strip(b"\r\n"):
            whole = text if line.endswith(b"\n") else text + b"\n"
            if sign != b"+":
                old.append(whole if text else line)
            if sign != b"-":
                new.append(whole if text else line)
        else:
            break
        at += 1
    if (len(old), len(new)) != (old_count, new_count):
        raise ValueError(f"the hunk in line {first} of the patch has other lines than it says")
    starts = (old_first - (old_count > 0), new_first - (new_count > 0))
    if min(starts) < 0:
        raise ValueError(f"the hunk in line {first} of the patch begins before its file")
    return _Hunk(*starts, tuple(old), tuple(new)), at + 1


def _drop_line_end(sign: bytes, old: list[bytes], new: list[bytes]) -> None:
    r"""After `\ No newline at end of file`: the line before it has none."""
    for side in ([old] if sign != b"+" else []) + ([new] if sign != b"-" else []):
        if side:
            side[-1] = side[-1].removesuffix(b"\n")
