"""Files that were checked, and that tell a checker to leave all of them out."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "file-unchecked",
    Priority.P2,
    "From now on this file passes whatever the checker finds in it. Silence the one line instead, "
    "and name the rule.",
)
# https://www.typescriptlang.org/docs/handbook/intro-to-js-ts.html#ts-check
# https://mypy.readthedocs.io/en/stable/inline_config.html
# https://docs.astral.sh/ruff/linter/#file-level
# https://docs.rubocop.org/rubocop/configuration.html
_LEAVES_OUT = lazy_pattern(
    r"^\s*(?://|/\*)\s*(?P<ts>@ts-nocheck)\b|^\s*/\*\s*(?P<js>eslint-disable)\s*\*/"
    r"|^\s*#\s*(?P<py>mypy:\s*ignore-errors|(?:ruff|flake8):\s*noqa|pylint:\s*skip-file"
    r"|pyright:\s*ignore)\s*$|^\s*#!\[(?P<rs>allow\((?:warnings|unsafe_code|clippy::all))\b"
    r"|^\s*(?://|#)\s*(?P<php>phpcs:ignoreFile|@phpstan-ignore-file)\b"
    r"|^\s*#\s*(?P<rb>rubocop:\s*disable\s+all)\s*$"
    r"|^\s*#(?P<cs>nullable\s+disable|pragma\s+warning\s+disable)\s*$"
)
_WORDS = (b"nocheck", b"disable", b"ignore", b"noqa", b"skip-file", b"allow(")
_TOP = 30  # lines, with a licence and imports


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change: who does it does it to many files."""
    for file in sources.files:
        if file.is_product and not (file.is_new or file.is_gone) and file.mentions(*_WORDS):
            for line in file.written.added:
                found = _LEAVES_OUT.match(line.text)
                what = next((each for each in found.groups() if each), "") if found else ""
                if what and line.number <= _TOP and not _is_usual(sources, file, what, line):
                    rule = hint(_RULE) if is_explained(file, line) else _RULE
                    yield put(rule, file, line, f"this file is no longer checked: {what}")
                    return


def _is_usual(sources: ComparisonInput, file: ComparedFile, what: str, line: Line) -> bool:
    """The file had it, it is turned on again below, or other files of the project have it."""
    if what in file.written.base or _TURNS_ON.search(
        "\n".join(file.written.head_rows[line.number :])
    ):
        return True
    word = max(re.findall(r"[\w-]+", what), key=len)
    places = sources.find_words([word.rpartition("-")[2]]).values()
    return any(
        what in place.text and place.path not in sources.changed_paths
        for each in places
        for place in each
    )


_TURNS_ON = lazy_pattern(
    r"eslint-enable|rubocop:\s*enable|pragma\s+warning\s+restore|#nullable\s+(?:en|re)"
)
