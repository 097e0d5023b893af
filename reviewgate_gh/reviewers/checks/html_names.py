"""Elements of a page of HTML that have the same `id`: what looks for it finds the first alone.

https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute
"""

from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.markup import repeated_names
from ...text.visible import show_hidden
from ._paths import is_fixture, is_tests
from ._sources import CheckInput, content_at_base, mentions_any, shown_line_number

WANTS = ("*.html", "*.htm")
EVERY_FILE = False
_LARGEST = 1_000_000  # bytes
_LONGEST = 60


def check(sources: CheckInput) -> Iterator[Finding]:
    """At most one finding a file, of the first name that its base has once."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or len(data) > _LARGEST:
            continue
        if not file.path.endswith((".html", ".htm")) or not mentions_any(file, (b"id", b"ID")):
            continue
        if is_fixture(file.path) or is_tests(file.path):
            continue
        again = repeated_names(data.decode("utf-8", "replace"))
        old = repeated_names(_base(file, data)) if again and file.status != "A" else {}
        if name := next((name for name in again if name not in old), ""):
            yield _finding(file, name, *again[name])


def _base(file: FileDiff, data: bytes) -> str:
    return content_at_base(file, data).decode("utf-8", "replace")


def _finding(file: FileDiff, name: str, line: int, first: int) -> Finding:
    shown = shown_line_number(file, line) or shown_line_number(file, first)
    return Finding(
        Priority.P2,
        "correctness",
        "builtin/html-repeated-id",
        file.path,
        shown,
        shown,
        f"two elements have the `id` {show_hidden(name[:_LONGEST])!r}",
        f"Lines {first} and {line}. Labels, links and scripts reach the first of them alone. "
        "Give one of them another name.",
    )
