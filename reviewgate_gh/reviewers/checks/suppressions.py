"""Comments that silence a tool, on the added lines of a change that is not trusted: they are listed
for people to judge."""

from collections.abc import Iterator

from ...findings.suppression_comments import HINTS, SHOWN
from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._paths import is_document
from ._sources import CheckInput, added_lines

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_BODY = (
    "It does not suppress P0 or P1 findings of this change. Ask for the reason, and keep it "
    "only if the reason is stated next to it."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line; none for a trusted change, and none for a whole tree, where nothing is
    new."""
    if sources.change.trusted or sources.change.whole_tree:
        return
    for file in sources.change.files:
        if not file.binary and not is_document(file.path) and _may_suppress(file):
            yield from _in_file(file)


def _may_suppress(file: FileDiff) -> bool:
    """The quick question before going line by line."""
    return any(
        hint in body for hunk in file.hunks for body in (hunk.body.lower(),) for hint in HINTS
    )


def _in_file(file: FileDiff) -> Iterator[Finding]:
    for number, line in added_lines(file):
        if found := SHOWN.search(line):
            tool = (found.lastgroup or "").replace("_", " ")
            title = f"this silences a tool: {tool}"
            yield Finding(
                Priority.P3,
                "suppression",
                "builtin/new-suppression",
                file.path,
                number,
                number,
                title,
                _BODY,
            )
