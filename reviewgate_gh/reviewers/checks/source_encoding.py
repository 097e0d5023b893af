"""An encoding declaration by which Python reads other code than a person does, such as utf-7 or
raw_unicode_escape (https://docs.python.org/3/library/codecs.html#standard-encodings)."""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.python_source import declared_encoding, may_be_python, rewrites_ascii
from ._sources import CheckInput

WANTS: tuple[str, ...] = ()
EVERY_FILE = True
_HEAD_LINES = 2
_REWRITES = "Python reads this file as {name}, in which plain characters stand for other code"
_UNKNOWN = "Python does not know the source encoding {name}"
_BODY = "Save the file as UTF-8 and remove the declaration, so that readers see what Python runs."


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding for a declaration on an added line."""
    for file in sources.change.files:
        first = file.hunks[0] if file.hunks else None
        if (
            first is None
            or first.new_start > _HEAD_LINES
            or b"coding" not in first.body
            or not may_be_python(file.path)
        ):
            continue
        lines = {line.new: line for line in first.lines() if 0 < line.new <= _HEAD_LINES}
        head = b"\n".join(lines[number].text for number in sorted(lines))
        number, name = declared_encoding(head)
        at = number + first.new_start - 1
        if not name or at not in lines or lines[at].old:
            continue
        rewrites = rewrites_ascii(name)
        if rewrites is None:
            yield _finding(Priority.P2, file.path, at, _UNKNOWN.format(name=name))
        elif rewrites:
            yield _finding(Priority.P0, file.path, at, _REWRITES.format(name=name))


def _finding(priority: Priority, path: str, line: int, title: str) -> Finding:
    rule = "builtin/source-encoding"
    return Finding(priority, "hidden-text", rule, path, line, line, title, _BODY)
