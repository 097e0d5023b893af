"""SQL that no dialect takes: a column without the comma before the next one, and rows that have
another number of values than columns."""

from collections.abc import Iterator

from .brackets import without_texts
from .lines import LineNumbers
from .patterns import lazy_pattern

_TABLE = lazy_pattern(
    r"(?i)\bcreate\s+(?:(?:global|local|temp|temporary|unlogged)\s+)*table\s+"
    r"(?:if\s+not\s+exists\s+)?[\w.\"`\[\]]{1,120}\s*\("
)
_TYPE = (
    r"(?:tiny|small|medium|big)?int(?:eger|\d)?|(?:big|small)?serial|bool(?:ean)?|bit|n?var(?:char"
    r"|binary)"
    r"2?|n?char(?:acter)?|(?:tiny|medium|long)?text|numeric|decimal|number|real|double|float\d?"
    r"|money"
    r"|date(?:time)?2?|timestamp(?:tz)?|time(?:tz)?|interval|uuid|jsonb?|bytea|(?:tiny|long)?blob"
    r"|inet"
)
_NAME = r"(?:\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|\[[^\]\n]{1,80}\]|[A-Za-z_]\w{0,80})"
# Words that stand before a type within a column: `generated always as`, `references`, `collate`
_NO_COLUMN = r"(?!(?i:as|default|references|check|collate|using|on|set|constraint|not|null|with)\b)"
_COLUMN = lazy_pattern(rf"\s*{_NO_COLUMN}{_NAME}\s+(?i:{_TYPE})\b(?!\s*\.)")
_INSERT = lazy_pattern(
    r"(?i)\binsert\s+(?:(?:low_priority|delayed|high_priority|ignore|or\s+\w+)\s+)*into\s+"
    rf"[\w.\"`\[\]]{{1,120}}\s*\((?P<columns>\s*{_NAME}(?:\s*,\s*{_NAME}){{0,200}}\s*)\)\s*values\s*"
)
_SIGN, _OPENS, _COMMA = lazy_pattern(r"[(),]"), lazy_pattern(r"\s*\("), lazy_pattern(r"\s*,")
_MOST = 200_000  # characters of one table or list of rows


def find_missing_comma(text: str) -> int:
    """The line of a column behind which the next one begins without a comma; 0 if there is none."""
    bare, at = without_texts("SQL", text), 0
    lines = LineNumbers(bare)
    while table := _TABLE.search(bare, at):
        at = _closing(bare, table.end())
        if not at:
            return 0
        body, first = bare[table.end() : at], lines.at(table.end())
        above, open_above = (0, ""), 0
        for line, row in enumerate(body.split("\n"), first):
            if not row.strip():
                continue
            is_whole = not open_above and _COLUMN.match(above[1]) and _COLUMN.match(row)
            if is_whole and not above[1].rstrip().endswith(","):
                return above[0]
            above, open_above = (line, row), open_above + row.count("(") - row.count(")")
    return 0


def find_uneven_row(text: str) -> int:
    """The line of a row that has not as many values as the statement names columns; 0 if there is
    none."""
    bare, at = without_texts("SQL", text), 0
    while insert := _INSERT.search(bare, at):
        columns, at = insert["columns"].count(",") + 1, insert.end()
        for start, end, values in _rows(bare, insert.end()):
            at = end
            if not end:
                return 0
            if values != columns:
                return bare.count("\n", 0, start) + 1
    return 0


def _rows(text: str, start: int) -> Iterator[tuple[int, int, int]]:
    """Where each row begins and ends (0 where it does not), and how many values it has."""
    at = start
    while opened := _OPENS.match(text, at):
        end = _closing(text, opened.end())
        yield opened.end() - 1, end, _commas(text, opened.end(), end) + 1
        if not end:
            return
        more = _COMMA.match(text, end + 1)
        if not more:
            return
        at = more.end()


def _commas(text: str, start: int, end: int) -> int:
    """Those that are in no bracket of their own."""
    depth = commas = 0
    for sign in _SIGN.finditer(text, start, end):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        commas += sign[0] == "," and depth == 0
    return commas


def _closing(text: str, start: int) -> int:
    """Where the bracket before is closed; 0 where it is not, or far away."""
    depth = 1
    for sign in _SIGN.finditer(text, start, start + _MOST):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        if not depth:
            return sign.start()
    return 0
