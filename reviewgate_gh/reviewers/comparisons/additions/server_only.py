"""What only a server may have, imported by code that runs in the browser: SvelteKit and Next.js
refuse to build it.

https://svelte.dev/docs/kit/server-only-modules,
https://nextjs.org/docs/app/getting-started/server-and-client-components
"""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule, put, quoted
from .._sources import ComparedFile, ComparisonInput

EVERY_FILE = False
SERVER_ONLY = ComparisonRule(
    "server-code-in-browser",
    Priority.P1,
    "The build refuses it, for every visitor could read it. Use it in code of the server, and hand "
    "over what the page shows.",
)
_OF_PAGES = lazy_pattern(
    r"(?:\.svelte|(?:^|/)\+(?:page|layout)\.[jt]s|(?:^|/)hooks\.client\.[jt]s)\Z"
)
_PRIVATE = lazy_pattern(
    r"^\s*(?:import|export)\b(?!\s*type\b)[^'\"]{0,500}[\"'](?P<module>\$env/(?:static"
    r"|dynamic)/private"
    r"|\$lib/server(?:/[^\"']*)?|\$app/server|\.{1,2}/[^\"']*\.server(?:\.[jt]s)?)[\"']"
)
_LAST_ROW = lazy_pattern(
    r"^\s*\}\s*from\s*[\"'](?P<module>\$env/(?:static|dynamic)/private"
    r"|\$lib/server(?:/[^\"']*)?)[\"']"
)
_NEXT = (".tsx", ".jsx", ".ts", ".js")
_USE_CLIENT = lazy_pattern(r"\A\s*(?:[\"']use strict[\"'];?\s*)?[\"']use client[\"']")
_NEXT_SERVER = lazy_pattern(
    r"^\s*import\b(?!\s*type\b)[^'\"]{0,500}[\"'](?P<module>server-only|next/headers)[\"']"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.is_product or file.is_gone or not file.mentions(b"import", b"from"):
            continue
        if _OF_PAGES.search(file.path):
            yield from _in_file(file, (_PRIVATE, _LAST_ROW))
        elif file.path.endswith(_NEXT) and _USE_CLIENT.match(file.code.head):
            yield from _in_file(file, (_NEXT_SERVER,))


def _in_file(file: ComparedFile, patterns: Sequence[re.Pattern[str]]) -> Iterator[Finding]:
    for line in file.code.added:
        found = next((hit for each in patterns if (hit := each.search(line.text))), None)
        if found and found["module"] not in file.base and not _is_type(file, line.number):
            title = f"{quoted(found['module'])} is imported by code of the browser"
            yield put(SERVER_ONLY, file, line, title)
            return


def _is_type(file: ComparedFile, number: int) -> bool:
    """The statement that ends here imports types alone, which are gone when it runs."""
    rows = file.head_rows[max(0, number - _MOST) : number]
    start = next((row for row in reversed(rows) if row.lstrip().startswith("import")), "")
    return start.split()[1:2] == ["type"]


_MOST = 60  # lines of an import
