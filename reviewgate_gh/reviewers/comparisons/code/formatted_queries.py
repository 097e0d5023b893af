"""Queries whose values were handed to the database beside them, and are written into them now."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, weigh_new
from .._remark import ComparisonRule, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "validation-removed",
    Priority.P1,
    "Anyone who controls the value can change the query. Pass it as a parameter.",
)
_QUERY = lazy_pattern(
    r"(?i)\b(?P<verb>select\b.*\bfrom|insert\s+into|update\b.*\bset"
    r"|delete\s+from)\s+[\"`\[]?(?P<table>\w+)"
)
# A place that the driver fills: https://bobby-tables.com
_PLACE = lazy_pattern(
    r"\$\d\b|(?:=|,|\(|(?i:\bin|\blike|\blimit))\s*\?|(?<![:\w]):[a-z_]\w*\b|@[a-z]\w*\b|%\(\w+\)s"
    r"|%s(?=[^\"']*[\"']\s*,)",
)
_FILLED = lazy_pattern(r"\$\d\b|(?:=|,|\(|(?i:\bin|\blike|\blimit))\s*\?|%\(\w+\)s")
_WRITTEN_IN = lazy_pattern(
    r"\bSprintf\(|\bformat!\(|\.format\(|\bf[\"']|\$\{|#\{|[\"']\s*\+\s*\w|[\"']\s*\.\s*\$"
    r"|\bString\.format\(|\$\"|[\"']\s*%\s*[(\w]"
)
# What stands where a value does: no parameter can take the place of a name, which stands elsewhere,
# or before a point
_INSERTED = (
    r"(?:%[a-ce-z](?!\.)|[$#]?\{[^{}]*\}(?!\.)"
    r"|[\"']\s*[+.]\s*\$?\w[\w.]*+(?!\s*[+.]\s*[\"']\.))"
)
_VALUE = lazy_pattern(
    r"(?i)(?:[=<>]|\b(?:like|limit|offset|between|in|values)\b)\s*[\\(N'\"%]*"
    + _INSERTED
    # One of several, and a part of a text
    + r"|(?:\b(?:in|values)\s*\(|(?:=|\blike)\s*')[^()]*?"
    + _INSERTED
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        # Of Python, ruff tells it: https://docs.astral.sh/ruff/rules/hardcoded-sql-expression/
        if file.is_edited_product and file.added and language_of(file.path) not in ("", "py"):
            for block in file.blocks:
                if pair := _pair(sources, file, block):
                    old, new = pair
                    rule = weigh_new(_RULE, file, new)
                    title = "a value is inserted into a query"
                    yield put(rule, file, new, title, quoted(old.text))
                    break


def _pair(sources: ComparisonInput, file: ComparedFile, block: Block) -> tuple[Line, Line] | None:
    """The same query of the same table, with a place for a value and without."""
    for old in block.removed:
        was = _QUERY.search(code_of(old.text))
        if not was or not _PLACE.search(old.text) or _WRITTEN_IN.search(old.text):
            continue
        for new in block.added:
            now = _QUERY.search(code_of(new.text))
            same = now and (now["verb"].split()[0].lower(), now["table"]) == (
                was["verb"].split()[0].lower(),
                was["table"],
            )
            if not (now and same) or squeeze(new.text) in sources.removed_statements:
                continue  # another query, or one that was there
            value = _WRITTEN_IN.search(new.text) and _VALUE.search(new.text, now.start())
            if value and not (_FILLED.search(new.text) or _is_bound(file, new, value[0])):
                return old, new
    return None


def _is_bound(file: ComparedFile, line: Line, value: str) -> bool:
    """What is inserted are places for values, numbers, constants or escaped texts, or the function
    that the text is given to makes parameters of the values, or writes it down."""
    named = re.search(r"(?<![\w.%>])(?P<name>[A-Za-z_]\w*)\s*\}?$", value)
    harmless = _HARMLESS.replace("NAME", named["name"]) if named else _NEVER
    if re.search(harmless, file.head, re.MULTILINE) or (named and named["name"].isupper()):
        return True
    rows = file.head_code.rows(line.number)
    text = "\n".join(file.head_rows[number - 1] for number in rows)
    return any(each.search(text) for each in (_SAFE, _TAKES_PARTS, _SAID))


_NEVER = r"(?!)"
_HARMLESS = (
    r"^[ \t]*(?:[\w<>?]+[ \t]+)*\$?NAME[ \t]*(?::[^=\n]*)?=[ \t]*"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|\d+)[ \t]*;?[ \t]*$"
    r"|\bNAME\s*=\s*(?:\(int\)|intval\(|Number\(|parseInt\(|int\()"
)
_SAFE = lazy_pattern(
    r"(?i)place_?holder|quot(?:e|ed)?\b|quote_|escape|sanitiz|bindings?\b|\.repeat\("
    r"|\bint(?:val)?\b"
    r"|\bto_i\b|\bNumber\(|parseInt\("
)
_SAID = lazy_pattern(r"(?i)^\s*(?:\w+\.)*(?:log\w*|console|print\w*|puts|debug|echo|throw|raise)\b")
# https://developer.mozilla.org/docs/Web/JavaScript/Reference/Template_literals#tagged_templates
# https://docs.scala-lang.org/scala3/book/string-interpolation.html#advanced-usage
# https://learn.microsoft.com/ef/core/querying/sql-queries#passing-parameters
_TAKES_PARTS = lazy_pattern(
    r"(?i)[\w)>\]]`\s*(?:select|insert|update|delete|with)\b"
    r"|\b(?!(?:s|f|raw)\")[a-z]\w*\"{1,3}\s*(?:select|insert|update|delete|with)\b"
    r"|\b(?:FromSql|ExecuteSql|SqlQuery)(?!Raw)\w*(?:<[^<>]*>)?\([^\"]*\$@?\""
)
