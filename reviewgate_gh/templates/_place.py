"""The place in the project that a finding names."""

import re

_MOST = 20_000  # characters of a description that are searched
_PATH = r"(?<![\w/.:@-])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*|Makefile|Dockerfile)"
_LINES = r"(?::L?|#L|,?\s+\(?lines?\s+|\s+\(lines?\s+)(\d+)(?:(?::\d+)?\s*(?:[-\u2013]|to)\s*L?(\d+))?"
_LOCATED = re.compile(
    r"^[ \t>*_+•-]*(?:locations?|files?|file_ref|paths?|references?|refs?|where)\s*[*_]*\s*:\s*[*_]*\s*", re.IGNORECASE | re.MULTILINE
)
_ARROW = re.compile(r"^[ \t>*_+•-]*(?:->|→|=>)\s*", re.MULTILINE)
_WITH_LINE = re.compile(rf"{_PATH}[`*_\]\"']*{_LINES}")
_ALONE = re.compile(rf"{_PATH}")
_QUOTED = re.compile(rf"`{_PATH}`")
# After a label a quoted name may have spaces: elsewhere that is a command.
_SPACED = re.compile(rf"[\[*\"']*`([^\s`:#][^`:#\n]*?\.[A-Za-z]\w{{0,9}})(?=[`:#]|,?\s+\(?lines?\s)[`*\]\"']*(?:{_LINES})?")
_URL = re.compile(r"\b\w{1,20}://\S+")


def find_place(text: str) -> str | None:
    """The first place in a text, as `path`, `path:line` or `path:first-last`: after a label or an arrow, else with a line, else quoted."""
    plain = _URL.sub(" ", text[:_MOST])
    for label in (_LOCATED, _ARROW):
        for found in label.finditer(plain):
            rest = plain[found.end() :].partition("\n")[0]
            bare = rest.lstrip("`[*\"'")
            if place := _SPACED.match(rest) or _WITH_LINE.match(bare) or _ALONE.match(bare):
                return _written(place)
    place = _WITH_LINE.search(plain) or _QUOTED.search(plain)
    return _written(place) if place else None


def _written(found: re.Match[str]) -> str:
    path, *numbers = found.groups()
    lines = [number for number in numbers if number]
    return f"{path.removeprefix('./')}:{'-'.join(lines)}" if lines else path.removeprefix("./")
