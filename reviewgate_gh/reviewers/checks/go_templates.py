"""Templates of Go, as Helm and Hugo fill them in: blocks without an `end`, and actions that are
never closed. None of them is filled in then.

https://pkg.go.dev/text/template#hdr-Actions
"""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_own_test
from ._problems import Problem, new_problems
from ._sources import CheckInput

_SUFFIXES = (".tpl", ".tmpl", ".gotmpl", ".gohtml", ".html")
WANTS = (*(f"*{suffix}" for suffix in _SUFFIXES), "*.yml", "*.yaml", "NOTES.txt")
EVERY_FILE = False
_OF_CHART = lazy_pattern(r"(?:\A|/)templates/.*(?:\.ya?ml|NOTES\.txt)\Z")
# What only templates of Go have, and marks of other engines: Jinja, Handlebars, PHP, Azure
_IS_GO = lazy_pattern(
    r"\{\{-?\s*(?:(?:if|range|with|template|include)\s+[^}\s]|(?:define|block)\s+[\"`])"
)
_IS_OTHER = lazy_pattern(r"\{%|\{\{~?[#/>^](?!\*)|<\?php|\{\{\{|\$\{\{")
_OPENS = frozenset(("if", "range", "with", "define", "block"))
_WORD = lazy_pattern(r"(?:-\s)?\s*(?P<comment>/\*)?(?P<word>[a-z]*+)(?!\w)")
# Within an action: texts, which may hold braces, and its end. What has no end is read once, as Go
# refuses it: https://pkg.go.dev/text/template/parse
_DOUBLE, _SINGLE = r"\"(?:[^\"\\\n]|\\.)*+", r"'(?:[^'\\\n]|\\.)*+"
_IN_ACTION = lazy_pattern(
    rf"(?P<open>{_DOUBLE}(?!\")|{_SINGLE}(?!')|`[^`]*+\Z)"
    rf"|{_DOUBLE}\"|{_SINGLE}'|`[^`]*+`|(?P<end>\}}\}})"
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """At most one finding a file."""
    return new_problems(sources, _is_wanted, _problems)


def _is_wanted(path: str) -> bool:
    if is_fixture(path) or is_own_test(path):
        return False
    return path.endswith(_SUFFIXES) or _OF_CHART.search(path) is not None


def _problems(_path: str, data: bytes) -> Iterator[Problem]:
    text = data.decode("utf-8", "replace")
    if b"{{" in data and _IS_GO.search(text) and not _IS_OTHER.search(text):
        line, says = find_loose_action(text)
        if line:
            yield Problem(
                "go-template",
                line,
                f"the template cannot be read: {says}",
                "Each `if`, `range`, `with`, `define` and `block` needs an `end` of its own.",
                Priority.P1,
                "syntax",
            )


_NO_END = {-1: "a `{{` is never closed", -2: "a text within this `{{` is never closed"}


def find_loose_action(text: str) -> tuple[int, str]:
    """The line of the first block or action of a template without its partner, and what is wrong; 0
    for none."""
    opened = list[tuple[str, int]]()
    line, at, start = 1, 0, text.find("{{")
    while start >= 0:
        line, at = line + text.count("\n", at, start), start
        word, end = _action(text, start + 2)
        if end < 0:
            return line, _NO_END[end]
        if word in _OPENS:
            opened.append((word, line))
        elif word in ("end", "else") and not opened:
            return line, f"this `{word}` belongs to nothing"
        elif word == "end":
            opened.pop()
        start = text.find("{{", end)
    return (opened[0][1], f"this `{opened[0][0]}` has no `end`") if opened else (0, "")


def _action(text: str, start: int) -> tuple[str, int]:
    """The first word of an action, and where the action ends; -1 where it does not, -2 where a text
    of it does not."""
    first = _WORD.match(text, start)
    if first and first["comment"]:
        end = text.find("*/", first.end())
        close = text.find("}}", end) if end >= 0 else -1
        return "", close + 2 if close >= 0 else -1
    begin = first.start("word") if first else start
    found = next((each for each in _IN_ACTION.finditer(text, begin) if each.lastgroup), None)
    if found and not found["end"]:
        return "", -2
    return (first["word"] if first else ""), (found.end() if found else -1)
