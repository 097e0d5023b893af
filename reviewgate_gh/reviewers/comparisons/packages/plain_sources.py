"""Sources of packages without encryption in a new file, which has no base to be compared with, and
in a command of an installer."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.paths import glob_matcher
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture, is_prose, is_tests
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line
from ._lockfile_names import FILES

EVERY_FILE = True
_RULE = ComparisonRule(
    "package-source-changed",
    Priority.P2,
    "Anyone between this machine and that host can replace what is installed. Use https.",
)
_INSTALLERS = (
    "pyproject.toml", "uv.toml", "Pipfile", "requirements*.txt", "pip.conf", ".npmrc", ".yarnrc",
    ".yarnrc.yml", "Gemfile",
)  # fmt: skip
_TABLES = ("pyproject.toml", "uv.toml", "Pipfile")
_KEY = lazy_pattern(
    r"(?i)\s*(?:(?:@[\w-]+:)?registry|npmRegistryServer|(?:--)?(?:extra-)?index-url|-i|url|source"
    r"|default-index|index)\b\s*[=: (]\s*[\"']?http://(?:[^@/\s\"']*@)?(?P<host>[\w.-]+)"
)
_OPTION = lazy_pattern(
    r"(?<!\S)--(?:extra-)?index-url[= ]+[\"']?http://(?:[^@/\s\"']*@)?(?P<host>[\w.-]+)"
)
# Hosts that no stranger is in front of: of the machine, of a network of one's own
_NEAR = lazy_pattern(
    r"(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+\Z|[^.]+\Z"
    r"|.*\.(?:localhost|local|test)\Z"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding a file."""
    installers, compared = glob_matcher(_INSTALLERS), glob_matcher(FILES)
    for file in sources.files:
        if file.is_gone or not file.mentions(b"http://"):
            continue
        if is_fixture(file.path) or is_tests(file.path) or is_prose(file.path):
            continue
        if file.is_new and installers(file.name):
            yield from _told(file, _KEY)
        elif not compared(file.name):
            yield from _told(file, _OPTION)


def _told(file: ComparedFile, pattern: re.Pattern[str]) -> Iterator[Finding]:
    for line in file.added:
        found = None if line.text.lstrip().startswith(("#", "//")) else pattern.search(line.text)
        near = found and _NEAR.match(found["host"])
        if found and not near and found[0] not in file.base and _is_source(file, line):
            yield put(_RULE, file, line, f"packages come from http://{found['host']}")
            return


def _is_source(file: ComparedFile, line: Line) -> bool:
    """In a file of tables: it stands in one of package sources, or names one by itself."""
    if file.name not in _TABLES:
        return True
    above = file.head.split("\n")[: line.number]
    table = next((row for row in reversed(above) if row.startswith("[")), "")
    return re.search(r"source|index", table) is not None or "index" in line.text.split("=")[0]
