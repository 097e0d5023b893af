"""What the head's own definitions say, looked up by the name that code calls them by."""

import re
from collections.abc import Iterator, Sequence

from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests
from .._definitions import is_definition
from .._sources import ComparedFile, ComparisonInput, Line, has_word

_MOST_ROWS = 25


def says(sources: ComparisonInput, name: str, what: re.Pattern[str]) -> bool:
    """The pattern is in something that has the name at head."""
    return any(what.search(row) for body in _bodies(sources, name) for row in body)


def each_says(sources: ComparisonInput, name: str, what: re.Pattern[str]) -> bool:
    """The pattern is in all that has the name at head: whichever is meant says it."""
    bodies = _bodies(sources, name)
    return bool(bodies) and all(any(map(what.search, body)) for body in bodies)


def _bodies(sources: ComparisonInput, name: str) -> list[list[str]]:
    places = sources.find_words({name})[name]
    # Ruby writes what it lies in before its name
    inside = re.compile(rf"\s*(?:class|module)\s+(?:\w+::)+{re.escape(name)}\b")
    begins = [
        place
        for place in places
        if is_definition(place.path, place.text, name) or inside.match(place.text)
    ]
    texts = sources.read_head({place.path for place in begins})
    return [[*_body(texts.get(place.path, "").split("\n"), place.number)] for place in begins]


def _body(rows: Sequence[str], number: int) -> Iterator[str]:
    """The line that begins a definition, and those that are indented below it; none of a file that
    is too large to be read."""
    if number > len(rows):
        return
    yield rows[number - 1]
    depth = _depth(rows[number - 1])
    for row in rows[number : number + _MOST_ROWS]:
        if row.strip() and _depth(row) <= depth and not _CLOSES.match(row):
            return
        yield row


_CLOSES = lazy_pattern(r"\s*(?:[{})\]]|end\b)")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def asks_before(sources: ComparisonInput, file: ComparedFile, line: Line) -> str:
    """The type of what the definition around a line of the base is given at head, where that asks
    for access before the definition is called.
    https://laravel.com/docs/validation#authorizing-form-requests"""
    source = file.head_code
    first = source.definitions.get(file.base_code.unit(line.number), 0)
    header = " ".join(file.head_rows[row - 1] for row in source.rows(first)) if first else ""
    named = sorted({*_TYPE.findall(header.partition("(")[2])})
    return next((name for name in named[:_MOST_TYPES] if says(sources, name, _MAY)), "")


# What came in, not who asks or what is asked about
_TYPE = lazy_pattern(r"\b[A-Z]\w*(?:Request|Form|Input|Command|D[tT][oO]|Params|Guard)\b")
_MOST_TYPES = 6
# Not the head of the method that asks, nor of another class
_MAY = lazy_pattern(
    r"^(?!.*\b(?:function|def|fun|func|public|private|class)\b)"
    r".*(?:\bGate::|->can\(|\bcan[?(]|\bhas_?(?:[Aa]ny_?)?(?:[Pp]erm|[Rr]ole|[Ss]cope)\w*\("
    r"|\bauthori[sz]e\w*!?\()"
)


def is_asked_by_user(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """Another file of the product, which names this one, asks the same with the same text: whoever
    comes here was asked there."""
    found = _ASKED.search(line.text)
    if found is None:
        return False
    word = re.findall(r"\w+", found["key"])[-1]
    asking = {
        place.path
        for place in sources.find_words({word})[word]
        if found["call"] in place.text and found["key"] in place.text and place.path != file.path
    }
    texts = sources.read_head({path for path in asking if not is_tests(path)})
    return any(has_word(text, file.name.partition(".")[0]) for text in texts.values())


_ASKED = lazy_pattern(r"(?P<call>\w+\()\s*[\"'](?P<key>[\w.:/ -]*\w)[\"']")


def inherits(sources: ComparisonInput, file: ComparedFile, name: str) -> str:
    """The class or module that the file's own classes take over, and that has a line with the name
    at head; "" for none."""
    parents = {each for row in file.head_rows for each in _parents(row)}
    has = re.compile(rf"^\s+.*(?<!\w){re.escape(name)}(?!\w)")
    return next((each for each in sorted(parents)[:_MOST_TYPES] if says(sources, each, has)), "")


def _parents(row: str) -> list[str]:
    found = _INHERITS.match(row)
    if found is None:
        return []
    names = [
        each.rpartition(":")[2].rpartition(".")[2] for each in _PATH.findall(found[1] or found[2])
    ]
    return names


_INHERITS = lazy_pattern(
    r"\s*(?:(?:export|public|abstract|final|default)\s+)*class\s+[\w:]+(?:\s*<|\s*\(|.*?\bextends\b"
    r"|\s*:)"
    r"\s*([\w:., \\]+)|\s*(?:include|prepend|use)\s+([A-Z][\w:\\]+)"
)
_PATH = lazy_pattern(r"[A-Z]\w*(?:(?:::|\.)[A-Z]\w*)*")
