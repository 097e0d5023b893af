"""Sums within `calc()` of a style sheet that are none: without spaces around the sign, the browser
drops the whole declaration.

https://www.w3.org/TR/css-values-4/#calc-syntax
"""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture
from ._sources import CheckInput, added_lines, mentions_any

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_SUFFIXES = (".css", ".scss")
_MOST = 500  # characters of a line; what is longer is made by a program
_SUM = lazy_pattern(
    r"\bcalc\([^;{}\"']{0,200}?(?<![\w#$-])(?P<sum>\d{1,9}(?:\.\d{1,9})?"
    r"(?:%[ \t]*[-+](?=[\d.])|(?:px|r?em|v[hw]|ch|pt)[-+](?=[\d.(])|%[-+](?=\())[\d.]{0,9})"
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line that the change adds."""
    for file in sources.change.files:
        wanted = file.path.endswith(_SUFFIXES) and not file.binary and not is_fixture(file.path)
        if wanted and mentions_any(file, (b"calc(",)):
            for number, line in added_lines(file):
                code = line.split("//")[0].split("/*")[0]
                # Within brackets a program puts the spaces in: https://tailwindcss.com/docs/adding-custom-styles
                if "[" not in code and len(line) <= _MOST and (found := _SUM.search(code)):
                    yield _finding(file.path, number, found["sum"])


def _finding(path: str, line: int, text: str) -> Finding:
    return Finding(
        Priority.P2,
        "correctness",
        "builtin/css-sum",
        path,
        line,
        line,
        f"`{text}` is no sum: the sign needs a space on both sides",
        "Browsers drop the whole declaration.",
    )
