"""Keys that stand twice in one JSON object: most readers keep the last one and say nothing."""

from collections.abc import Iterator

from ...findings.lines import DiffLines
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ...text.visible import show_hidden
from ._paths import is_fixture
from ._sources import MOST_DATA_BYTES, CheckInput
from .syntax import find_json_error

_SUFFIXES = (".json", ".webmanifest")
WANTS = tuple(f"*{suffix}" for suffix in _SUFFIXES)
EVERY_FILE = False
_MOST = 20  # findings a file
_LONGEST = 60
# An end is optional everywhere, so that what is never closed is read once
_TOKENS = lazy_pattern(
    r'("(?:[^"\\\n]|\\[^\n])*"?)(\s*:)?|[{}\[\]]|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\n'
)
_TEMPLATE = lazy_pattern(r"\{\{|\{%|<%")  # each branch may have the key


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a repeated key, where the change adds it or the one before."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if (
            data is None
            or not file.is_text_file
            or not file.path.endswith(_SUFFIXES)
            or len(data) > MOST_DATA_BYTES
            or is_fixture(file.path)
            or find_json_error(file.path, data)
        ):
            continue
        text = data.decode("utf-8-sig", "replace")
        again = [] if _TEMPLATE.search(text) else duplicate_keys(text)
        shown = DiffLines(file) if again else None
        for key, first, line in again[:_MOST]:
            if shown and not shown.adds(line, line):
                line, first = first, line
            yield _finding(file.path, key, (first, line))


def duplicate_keys(text: str) -> list[tuple[str, int, int]]:
    """Of each key that its object has before: the key, the line of that one and its own."""
    found, line = list[tuple[str, int, int]](), 1
    objects: list[dict[str, int]] = []
    for token in _TOKENS.finditer(text):
        word = token[0]
        if token[2] and objects:
            key = token[1]
            if key in objects[-1]:
                found.append((key, objects[-1][key], line))
            objects[-1][key] = line
        elif word in "{[":
            objects.append({})
        elif word in "}]" and objects:
            objects.pop()
        line += word.count("\n")
    return found


def _finding(path: str, key: str, lines: tuple[int, int]) -> Finding:
    first, second = sorted(lines)
    body = (
        f"The key {show_hidden(key[:_LONGEST])} appears on lines {first} and {second}; only the "
        "last one takes effect. Delete or rename one."
    )
    return Finding(
        Priority.P2,
        "hygiene",
        "builtin/json-duplicate-key",
        path,
        lines[1],
        lines[1],
        "a duplicate key in a JSON object",
        body,
    )
