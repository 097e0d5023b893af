"""Checks of a pipeline that a change removes, or whose failure it ignores."""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import COMMENT, KINDS, PIPELINES, Command, find_checks, installs, runs_check
from .._remark import WHOLE_FILE, ComparisonRule, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = True
_REMOVED = ComparisonRule(
    "ci-check-removed",
    Priority.P1,
    "Later changes are merged without it. Restore it, or name what does this check now.",
)
_FEWER = ComparisonRule(
    "ci-check-removed",
    Priority.P2,
    "Others of its kind are still there. Say which of them does the same check, or restore it.",
)
_IGNORED = ComparisonRule(
    "ci-failure-ignored",
    Priority.P1,
    "The check still runs, but nothing notices when it fails. Fix what fails, or remove the check "
    "openly.",
)
_UPLOAD_GONE = ComparisonRule(
    "ci-check-removed",
    Priority.P2,
    "Nobody is told any more when it falls. Restore it, or name what says so now.",
)
_ANOTHER_UPLOAD = ComparisonRule(
    "ci-check-removed",
    Priority.P3,
    "Another report of its kind is still sent.",
)
_UPLOAD = ComparisonRule(
    "ci-upload-failure-ignored",
    Priority.P3,
    "Only the upload of a report is lost when it fails; make sure that no required status waits "
    "for it.",
)
# Services that are sent a report; a threshold in the same step makes it a check
_UPLOADS = lazy_pattern(r"\b(?:codecov|coveralls)\S*(?![^\n]*fail)", re.I)
_PARTS = re.compile(r"&&|[|;]+")
_SCRIPTS = lazy_pattern(
    r"(?:^|/)(?:Makefile|package\.json|tox\.ini|justfile|noxfile\.py|Jenkinsfile[\w.-]*"
    r"|[\w-]+\.mk|[\w-]*(?:ci|test|check|lint|build)[\w-]*\.sh)$"
)
_TRACES = {
    "tests": r"(?i)\btest|\bspec\b|e2e|\bcheck\b",
    "lint": r"(?i)lint|format|style|pre-commit",
    "types": r"(?i)\btyp(?:e|ing)|tsc\b",
    "security": r"(?i)secur|scan|audit",
    "coverage": r"(?i)cover|codecov",
}
_IGNORES = lazy_pattern(
    r"\|\|\s*(?:true|:|exit\s+0|echo\b[^|&;]*)\s*[\"']?,?\s*(?:\)|$)|;\s*(?:true"
    r"|exit 0)\s*[\"']?,?\s*$|--exit-zero\b|--passWithNoTests\b|--no-fail\b|--fail-never\b"
    r"|-fn\b"
    r"|^\s*set\s+\+e\b|^-(?=\w)"
)
_FLAGS = lazy_pattern(
    r"^\s*(?:-\s+)?(?:set\s+\+e\b|continue-on-error:\s*true\b|allow_failure:\s*true"
    r"|continueOnError:\s*true"
    r"|ignore_outcome\s*=\s*[Tt]rue|soft_fail:\s*true|fail_ci_if_error:\s*false"
    r"|if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never|allow-failure:\s*true)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """A finding for each check that is gone, and for each whose failure counts no longer."""
    pipelines = [file for file in sources.files if PIPELINES.search(file.path) and file.diff.hunks]
    if pipelines:
        yield from _removed(sources, pipelines)
    for file in sources.files:
        if (
            file.diff.hunks
            and not file.is_new
            and (file in pipelines or _SCRIPTS.search(file.path))
        ):
            yield from _ignored(file)


def _removed(sources: ComparisonInput, pipelines: list[ComparedFile]) -> Iterator[Finding]:
    before = {file.path: find_checks(file.path, file.base) for file in pipelines}
    after = [command for file in pipelines for command in find_checks(file.path, file.head)]
    texts, kinds = {command.text for command in after}, [command.kind for command in after]
    told = {command.kind for command in after if command.text not in _texts(before)}
    for file in pipelines:
        for command in before[file.path]:
            # One of its kind that is new has taken its place
            if command.text in texts or command.kind in told:
                continue
            told.add(command.kind)
            left = command.kind in kinds or command.kind in _elsewhere(sources, pipelines)
            if left and file.is_gone and not file.path.startswith(".github/"):
                continue  # the project has moved to another service
            yield _gone(file, command, _rule(command, left))


def _rule(command: Command, left: bool) -> ComparisonRule:
    """Where a report is sent matters less than what makes it."""
    if _only_uploads(command.text):
        return _ANOTHER_UPLOAD if left else _UPLOAD_GONE
    return _FEWER if left else _REMOVED


def _texts(before: dict[str, list[Command]]) -> set[str]:
    return {command.text for commands in before.values() for command in commands}


def _elsewhere(sources: ComparisonInput, pipelines: list[ComparedFile]) -> set[str]:
    """The kinds of checks that pipelines seem to hold which the change leaves alone; a name of a
    job suffices, since what it runs may be of any kind."""
    known = {file.path for file in pipelines}
    paths = [path for path in sources.list_head() if PIPELINES.search(path) and path not in known]
    texts = sources.read_head(paths[:50]).values()
    return {kind for text in texts for kind, words in _TRACES.items() if re.search(words, text)}


def _gone(file: ComparedFile, command: Command, rule: ComparisonRule) -> Finding:
    what = {"tests": "test run", "lint": "lint", "types": "type check", "security": "security scan",
            "coverage": "coverage check"}[command.kind]  # fmt: skip
    title = f"the pipeline loses a {what}: {command.text[:80]}"
    if file.is_gone:
        return put(rule, file, WHOLE_FILE, title, "this file ran it")
    return taken(rule, file, Line(command.line, command.text), title)


def _ignored(file: ComparedFile) -> Iterator[Finding]:
    """A check that was there before and may fail now."""
    rows = file.head_rows
    commands = {line for line, row in enumerate(rows, 1) if _kind(row)}
    old = {squeeze(line.text) for line in file.removed}
    for added in file.added:
        text = added.text
        if squeeze(text) in old or text.lstrip().startswith(("#", "//")):
            continue
        beside = _beside(rows, added.number, commands)
        if _FLAGS.search(text) and (beside or "fail_ci" in text):
            uploads = "fail_ci" in text or all(_only_uploads(rows[line - 1]) for line in beside)
            title = "this check may fail from now on without being noticed"
            yield put(_UPLOAD if uploads else _IGNORED, file, added, title)
        elif _IGNORES.search(COMMENT.sub("", text).strip()) and _kind(text):
            before = next((line for line in file.removed if _same_command(line.text, text)), None)
            if before is not None:
                title = "the failure of this check is ignored from now on"
                yield put(_IGNORED, file, added, title, quoted(before.text))


def _only_uploads(row: str) -> bool:
    """Every check of the line sends a report; none runs a test on the way."""
    checks = [part for part in _PARTS.split(COMMENT.sub("", row)) if _kind(part)]
    return bool(checks) and all(_UPLOADS.search(part) for part in checks)


def _kind(text: str) -> bool:
    bare = COMMENT.sub("", text)
    return not installs(bare.strip()) and any(runs_check(bare, p) for p in KINDS.values())


def _same_command(old: str, new: str) -> bool:
    """The new line is the old one with something that ignores its failure."""
    bare = squeeze(old).rstrip("\"'").lstrip("@-")
    same = squeeze(new).lstrip("@-").startswith(bare.split("||")[0][:40])
    return bool(bare) and same and not _IGNORES.search(COMMENT.sub("", old).strip())


def _beside(rows: Sequence[str], number: int, commands: set[int]) -> list[int]:
    """The checks of the step or job that the flag belongs to: the block of lines around it."""
    found: list[int] = []
    indent = len(rows[number - 1]) - len(rows[number - 1].lstrip(" -"))
    for step in (-1, 1):
        at = number + step
        while 0 < at <= len(rows):
            row = rows[at - 1]
            depth = len(row) - len(row.lstrip(" -"))
            begins = row.lstrip().startswith("- ") and depth == indent
            if row.strip() and (depth < indent or (begins and step > 0)):
                break
            if at in commands:
                found.append(at)
            if begins:
                break
            at += step
    return found
