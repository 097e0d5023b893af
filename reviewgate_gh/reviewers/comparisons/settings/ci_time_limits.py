"""Jobs and steps of pipelines that may run without an end."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import loss_is_explained
from .._pipelines import COMMENT, PIPELINES, is_readable
from .._remark import ComparisonRule, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = True
_RULE = ComparisonRule(
    "ci-time-limit-removed",
    Priority.P3,
    "What hangs now occupies a runner until the service stops it, hours later. Restore the limit, "
    "or say why it is not needed.",
)
# https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idtimeout-minutes,
# https://docs.gitlab.com/ci/yaml/#timeout, https://learn.microsoft.com/azure/devops/pipelines/process/phases,
# https://buildkite.com/docs/pipelines/configure/step-types/command-step
_LIMIT = lazy_pattern(
    r"^\s*(?:-\s+)?(?:(?:timeout-minutes|timeoutInMinutes|timeout_in_minutes|max-time)\s*:\s*"
    r"(?P<minutes>\d+))"
)
_OF_GITLAB = lazy_pattern(r"^  timeout\s*:\s*\S")
_TIMES = 4  # what was a limit is none any more


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a pipeline."""
    for file in sources.files:
        if file.is_gone or file.is_new or not PIPELINES.search(file.path):
            continue
        if file.removed and is_readable(file.path, file.head):
            yield from islice(_in_file(file), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    added = [(line, found) for line in file.added if (found := _limit(file, line))]
    for block in file.blocks:
        for line in block.removed:
            was = _limit(file, line)
            if not was or loss_is_explained(file, block):
                continue
            if not added and _stays(file, line):
                yield taken(_RULE, file, line, "a job or step no longer has a time limit")
            for new, now in added:
                if new in block.added and was != "?" != now and int(now) >= _TIMES * int(was):
                    yield put(_RULE, file, new, "the time limit is raised far", quoted(line.text))


def _limit(file: ComparedFile, line: Line) -> str:
    """The minutes that a line allows; "?" where it says them otherwise, "" where it is none."""
    text = COMMENT.sub("", line.text)
    if found := _LIMIT.match(text):
        return str(found["minutes"])
    return "?" if ".gitlab" in file.path and _OF_GITLAB.match(text) else ""


def _stays(file: ComparedFile, line: Line) -> bool:
    """What had the limit is still there: the row that it is indented below, and one beside it."""
    rows, depth = file.base_rows, _depth(line.text)
    around = next((row for row in reversed(rows[: line.number - 1]) if _is_above(row, depth)), "")
    beside = _beside(rows, line.number, depth)
    kept = {*file.head_rows}
    return (not around or around in kept) and any(row in kept for row in beside)


def _beside(rows: Sequence[str], number: int, depth: int) -> Iterator[str]:
    """The rows around as deep as this one, up to the next that is less deep."""
    for step in (-1, 1):
        at = number + step
        while 0 < at <= len(rows) and not _is_above(rows[at - 1], depth):
            if re.search(r"\w{2}", rows[at - 1]):
                yield rows[at - 1]
            at += step
    if number >= 2 and rows[number - 2].lstrip().startswith("- "):
        yield rows[number - 2]


def _is_above(row: str, depth: int) -> bool:
    return bool(row.strip()) and _depth(row) < depth


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
