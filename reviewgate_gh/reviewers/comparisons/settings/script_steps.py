"""Checks that a recipe of `make` and its like no longer runs, or a script that a pipeline calls."""

from collections.abc import Iterator
from itertools import chain, islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import COMMENT, KINDS, PIPELINES, Command, installs, runs_check, tool_of
from .._remark import ComparisonRule, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._instead import calls_others

EVERY_FILE = True
_RULE = ComparisonRule(
    "ci-check-removed",
    Priority.P2,
    "Whatever runs it, such as the pipeline, now skips the check. Restore it, or name "
    "what does it instead.",
)
_FILES = lazy_pattern(r"(?:^|/)(?:GNU)?[Mm]akefile$|(?:^|/)\.?[Jj]ustfile$|\.mk$|(?:^|/)tox\.ini$")
# https://getcomposer.org/doc/articles/scripts.md, https://hexdocs.pm/mix/Mix.html#module-aliases
_LISTS = lazy_pattern(r"(?:^|/)(?:composer\.json|mix\.exs)$")
_QUOTED = lazy_pattern(r"\"((?:[^\"\\]|\\.)+)\"(?!\s*:)")
_LIST = lazy_pattern(r"[\w\"]\s*:\s*\[")
_SHELL = lazy_pattern(r"\.(?:sh|bash|ps1)$|(?:^|/)(?:bin|scripts?|ci|tools|hack|dev|\.ci)/[\w-]+$")
_CALLS = lazy_pattern(r"(?:^|/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|package\.json|tox\.ini)$")
_TARGET = lazy_pattern(r"^(?P<name>[\w.-]+)\s*:(?!=)|^\[testenv(?P<env>:[\w-]+)?\]")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if _FILES.search(file.path) and file.removed and not (file.is_gone or file.is_new):
            yield from islice(_in_file(sources, file), 1)
        elif _LISTS.search(file.path) and file.removed and not (file.is_gone or file.is_new):
            yield from islice(_in_lists(sources, file), 1)
        elif _SHELL.search(file.path) and file.removed and not (file.is_gone or file.is_new):
            yield from islice(_in_script(sources, file), 1)


def _in_script(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A line of a script that a pipeline calls, itself or by what it calls."""
    for block in file.blocks:
        for line in block.removed:
            command = None if block.added else _check(line)
            if (
                command is None
                or command.kind == "check"
                or squeeze(line.text) in sources.added_statements
            ):
                continue
            if _runs_elsewhere(sources, file, command) or not _is_called(sources, file):
                continue
            title = f"{file.name} no longer runs a check: {command.text[:80]}"
            yield taken(_RULE, file, line, title)


def _in_lists(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """One command of several that a script of the project is a list of."""
    for block in file.blocks:
        for line in block.removed:
            commands = _QUOTED.findall(line.text)
            now = {each for new in block.added for each in _QUOTED.findall(new.text)}
            if (block.added and not now) or not now <= {*commands} or not _is_in_list(file, line):
                continue
            lost = [each for each in commands if each not in now and _check(Line(0, each))]
            if lost and not any(lost[0] in row for row in sources.added_rows):
                title = f"{file.name} no longer runs a check: {lost[0][:80]}"
                yield taken(_RULE, file, line, title)


def _is_in_list(file: ComparedFile, line: Line) -> bool:
    """A command beside others: `name: [...]` in one line, or a list over lines whose name stays."""
    if _LIST.search(line.text):
        return True
    above = (row for row in reversed(file.base_rows[: line.number - 1]) if "[" in row)
    first = next(above, "")
    return bool(_LIST.search(first)) and first in file.head_rows


def _is_called(sources: ComparisonInput, file: ComparedFile) -> bool:
    return any(
        PIPELINES.search(place.path) or _CALLS.search(place.path)
        for place in sources.find_words([file.name])[file.name]
        if not place.text.lstrip().startswith("#")
    )


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A step whose recipe stays, with nothing in its place."""
    for block in file.blocks:
        for line in block.removed:
            command = _check(line) if line.text[:1].isspace() else None
            if command is None or block.added or squeeze(line.text) in sources.added_statements:
                continue
            target = _target(file.base_rows, line.number)
            if not target or target not in file.head_rows:
                continue
            if _runs_elsewhere(sources, file, command) or calls_others(file):
                continue
            title = f"{target.split(':')[0]} no longer runs a check: {command.text[:80]}"
            yield taken(_RULE, file, line, title)


def _runs_elsewhere(sources: ComparisonInput, file: ComparedFile, command: Command) -> bool:
    """Another line of the file or of the change has the same tool, in whichever words; of `make`,
    which runs anything, the same task."""
    words = {*tool_of(command)}
    rows = chain(file.head_rows, sources.added_rows)
    return any(all(has_word(row, word) for word in words) for row in rows)


def _check(line: Line) -> Command | None:
    bare = COMMENT.sub("", line.text).strip().lstrip("@-")
    if bare.startswith("$(call "):
        return None  # it may ask for the tool alone
    kinds = (kind for kind, pattern in KINDS.items() if runs_check(bare, pattern))
    kind = next(kinds, "") if bare and not installs(bare) else ""
    return Command(kind, bare, line.number) if kind else None


def _target(rows: tuple[str, ...], number: int) -> str:
    """The line that begins the recipe."""
    above = (row for row in reversed(rows[: number - 1]) if row[:1].strip())
    first = next(above, "")
    return first if _TARGET.match(first) else ""
