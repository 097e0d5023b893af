"""Scripts and style sheets that a page takes over plain http: who stands between can change them,
and a page over https does not load them.

https://developer.mozilla.org/en-US/docs/Web/Security/Mixed_content
"""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_tests
from ._sources import CheckInput, added_lines, mentions_any

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_STYLES, _PAGES = (".css", ".scss", ".less", ".sass"), (".html", ".htm", ".vue", ".svelte", ".erb")
_ADDRESS = r"[\"']?http://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\]|\{|\$)"
_IMPORT = lazy_pattern(rf"^\s*@import\s+(?:\([\w, ]+\)\s*)?(?:url\(\s*)?{_ADDRESS}")
_LOADED = lazy_pattern(
    rf"<(?:script\b[^<>]*?\ssrc|link\b(?=[^<>]*\bstylesheet\b)[^<>]*?\shref)\s*=\s*{_ADDRESS}"
)
_LONGEST = 1_000


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line that the change adds."""
    for file in sources.change.files:
        if file.binary or is_fixture(file.path) or is_tests(file.path):
            continue
        if file.path.endswith((*_STYLES, *_PAGES)) and mentions_any(file, (b"http://",)):
            pattern = _IMPORT if file.path.endswith(_STYLES) else _LOADED
            for number, line in added_lines(file):
                if len(line) <= _LONGEST and pattern.search(line):
                    yield _finding(file.path, number)


def _finding(path: str, line: int) -> Finding:
    return Finding(
        Priority.P2,
        "security",
        "builtin/plain-http",
        path,
        line,
        line,
        "this page's code comes over plain http",
        "Who stands between can change it, and a page over https does not load it. Use https.",
    )
