"""Checks that a recipe of `make` and its like no longer runs."""

from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import COMMENT, KINDS, Command, installs, runs_check, tool_of
from .._remark import ComparisonRule, hint, taken
from .._sources import ComparedFile, ComparisonInput, Line, squeeze
from ._instead import calls_others

EVERY_FILE = True
_RULE = ComparisonRule(
    "ci-check-removed",
    Priority.P2,
    "Whatever runs this recipe, such as the pipeline, now skips the check. Restore it, or name "
    "what does it instead.",
)
_SAME_TOOL = "The same tool runs elsewhere in the file."
_FILES = lazy_pattern(r"(?:^|/)(?:GNU)?[Mm]akefile$|(?:^|/)\.?[Jj]ustfile$|\.mk$|(?:^|/)tox\.ini$")
_TARGET = lazy_pattern(r"^(?P<name>[\w.-]+)\s*:(?!=)|^\[testenv(?P<env>:[\w-]+)?\]")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if _FILES.search(file.path) and file.removed and not (file.is_gone or file.is_new):
            yield from [*_in_file(sources, file)][:1]


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A step whose recipe stays, with nothing in its place."""
    for block in file.blocks:
        for line in block.removed:
            command = _check(line)
            if command is None or block.added or squeeze(line.text) in sources.added_statements:
                continue
            target = _target(file.base_rows, line.number)
            if not target or target not in file.head_rows:
                continue
            tool = tool_of(command)[0]
            rule = hint(_RULE, _SAME_TOOL) if tool in file.head else _RULE
            if any(tool in row for row in sources.added_rows) or calls_others(file):
                rule = hint(_RULE)
            title = f"{target.split(':')[0]} no longer runs a check: {command.text[:80]}"
            yield taken(rule, file, line, title)


def _check(line: Line) -> Command | None:
    if not line.text[:1].isspace():
        return None
    bare = COMMENT.sub("", line.text).strip().lstrip("@-")
    kinds = (kind for kind, pattern in KINDS.items() if runs_check(bare, pattern))
    kind = next(kinds, "") if bare and not installs(bare) else ""
    return Command(kind, bare, line.number) if kind else None


def _target(rows: tuple[str, ...], number: int) -> str:
    """The line that begins the recipe."""
    above = (row for row in reversed(rows[: number - 1]) if row[:1].strip())
    first = next(above, "")
    return first if _TARGET.match(first) else ""
