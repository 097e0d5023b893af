"""Checks of a pipeline that a change removes, or whose failure it ignores."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import (
    COMMENT,
    KINDS,
    PIPELINES,
    Command,
    bare_text,
    find_checks,
    installs,
    is_readable,
    runs_check,
    runs_for_changes,
    tool_of,
)
from .._remark import WHOLE_FILE, ComparisonRule, hint, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze

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
_REPORT = replace(_REMOVED, priority=Priority.P2)  # what holds no change back by itself
_IGNORED = ComparisonRule(
    "ci-failure-ignored",
    Priority.P1,
    "The check still runs, but nothing notices when it fails. Fix what fails, or remove the check "
    "openly.",
)
_PERHAPS = replace(
    _FEWER,
    advice="What runs in its place may do this check. Say that it does, or restore the check.",
)
_SAME_TOOL = hint(_FEWER, "The same tool, or one like it, runs elsewhere in the pipelines.")
_SCRIPTS = lazy_pattern(
    r"(?:^|/)(?:Makefile|package\.json|tox\.ini|justfile|noxfile\.py|Jenkinsfile[\w.-]*"
    r"|[\w-]+\.mk|[\w-]*(?:ci|test|check|lint|build)[\w-]*\.sh)$"
)
# A report of coverage holds nothing back by itself
_GATING = {kind: pattern for kind, pattern in KINDS.items() if kind != "coverage"}
_OF_ANY_KIND = r"\b(?:check|verify|validate|quality)\b"
_SPEAKS_ONLY = lazy_pattern(r"^\s*(?:-\s+)?(?:name|if|id|needs|echo)\b|\becho\b|\binstall\b")
_TRACES = {
    "tests": r"(?i)\btest|\bspec\b|e2e|\bcheck\b|\bcover",
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
    r"|ignore_outcome\s*=\s*[Tt]rue|soft_fail:\s*true"
    r"|if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never|allow-failure:\s*true)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """A finding for each check that is gone, and for each whose failure counts no longer."""
    pipelines = [
        file
        for file in sources.files
        if PIPELINES.search(file.path) and file.diff.hunks and is_readable(file.path, file.head)
    ]
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
    after = _checks_in((file.path, file.head) for file in pipelines)
    texts = {command.text for command in after}
    told = {command.kind for command in after if command.text not in _texts(before)}
    for file in pipelines:
        for command in before[file.path]:
            # One of its kind that is new has taken its place
            if command.text in texts or command.kind in told or _is_replaced(file, command):
                continue
            told.add(command.kind)
            others = _other_pipelines(sources, pipelines)
            left = [*after, *_checks_in(others.items())]
            texts_now = (*others.values(), *(_may_check(each, command) for each in pipelines))
            kept = _is_kept(command.kind, left, texts_now)
            if kept and file.is_gone and not file.path.startswith(".github/"):
                continue  # the project has moved to another service
            moved = _comes_elsewhere(pipelines, file, command.kind)
            same = moved or tool_of(command) in map(tool_of, left)
            if not same and any(map(_calls_workflow, pipelines)):
                rule = hint(_PERHAPS)
            else:
                rule = _SAME_TOOL if same else _rule(command, kept, _runs_own(file, command))
            yield _gone(file, command, rule if runs_for_changes(file.base) else hint(rule))


def _is_kept(kind: str, left: Iterable[Command], texts: Iterable[str]) -> bool:
    """A check of this kind is left, or something that speaks of one."""
    traces = re.compile(_TRACES[kind])
    return any(traces.search(_LEAVES_OUT.sub("", bare_text(text))) for text in texts) or any(
        each.kind == kind for each in left
    )


def _may_check(file: ComparedFile, command: Command) -> str:
    """What a changed pipeline still has that may check likewise: not the labels of the job that
    ran the command, nor what checks in another way or only installs a tool."""
    labels = {*file.base_code.unit(command.line).split(".")}
    left = find_checks(file.path, file.head)
    others = {each.line for each in left if each.kind != command.kind}
    return "\n".join(
        row
        for number, row in enumerate(bare_text(file.head).split("\n"), 1)
        if number not in others
        and not _LABEL.match(row)
        and row.strip(" -:") not in labels
        and not installs(_RUN_KEY.sub("", row))
    )


_LABEL = lazy_pattern(
    r"\s*(?:-\s+)?(?:name|displayName|id|if|condition|stages?|needs|dependencies|dependsOn)\s*:"
)
_RUN_KEY = lazy_pattern(r"^\s*(?:-\s+)?(?:(?:run|script|bash)\s*:)?\s*")


def _calls_workflow(file: ComparedFile) -> bool:
    """It begins to call a workflow of another repository, which may do any check."""
    return any(_CALLS_WORKFLOW.match(COMMENT.sub("", line.text)) for line in file.added)


def _rule(command: Command, kept: bool, own: bool) -> ComparisonRule:
    """Others of its kind are left, or the project's own script runs in its place."""
    if kept and own:
        return _SAME_TOOL
    if kept or own:
        return _FEWER if kept else _PERHAPS
    return _REMOVED if command.kind in _GATING else _REPORT


def _checks_in(files: Iterable[tuple[str, str]]) -> list[Command]:
    """The checks of files, each with its text."""
    return [command for path, text in files for command in find_checks(path, text)]


def _texts(before: dict[str, list[Command]]) -> set[str]:
    return {command.text for commands in before.values() for command in commands}


def _is_replaced(file: ComparedFile, command: Command) -> bool:
    """In its place stands what by its name does the same: a script of the project's own."""
    block = next(
        (each for each in file.blocks if any(r.number == command.line for r in each.removed)), None
    )
    added = (COMMENT.sub("", line.text) for line in block.added) if block else ()
    words = re.compile(f"{_TRACES[command.kind]}|{_OF_ANY_KIND}")
    return any(
        (words.search(_LEAVES_OUT.sub("", text)) and not _SPEAKS_ONLY.search(text))
        or (not installs(text.strip()) and runs_check(text, KINDS[command.kind]))
        for text in added
    )


# Options that keep tests from running speak of them all the same
_LEAVES_OUT = lazy_pattern(
    r"\s-x\s+\S*[tT]est\S*|-D(?:skipTests|maven\.test\.skip)\S*|--?(?:skip|no)-tests?\b|-test=false"
)


def _runs_own(file: ComparedFile, command: Command) -> bool:
    """In its place the project's own script or another workflow is run, which may do it."""
    block = next(
        (each for each in file.blocks if any(r.number == command.line for r in each.removed)), None
    )
    added = (COMMENT.sub("", line.text) for line in block.added) if block else ()
    return any(_OWN.search(text) and not _SPEAKS_ONLY.search(text) for text in added)


_CHECKS_NOTHING = r"(?!\S*(?:deploy|release|publish|label|stale))"  # a workflow by its name
# https://docs.github.com/actions/how-tos/reuse-automations/reuse-workflows
_CALLS_WORKFLOW = lazy_pattern(
    r"(?i)\s*uses:\s*[\"']?\w\S*/\.(?:github|gitea|forgejo)/workflows/" + _CHECKS_NOTHING
)
_OWN = lazy_pattern(
    r"\b(?:make|just|rake|invoke|nox|tox|hatch|composer|mage|task)\s+[\w$-]"
    r"|\b(?:npm|pnpm|yarn|bun) run\b|\bpre-commit\b"
    r"|(?:^|[\s\"'])\.?/?(?:bin|scripts?|ci|tools|dev|\.ci)/[\w.-]+"
    rf"|\buses:.*/workflows/{_CHECKS_NOTHING}"
)


def _comes_elsewhere(pipelines: list[ComparedFile], file: ComparedFile, kind: str) -> bool:
    """Another pipeline of the change begins to do something that sounds like it."""
    added = (line.text for other in pipelines if other is not file for line in other.added)
    return any(re.search(_TRACES[kind], COMMENT.sub("", text)) for text in added)


def _other_pipelines(sources: ComparisonInput, pipelines: list[ComparedFile]) -> Mapping[str, str]:
    """The pipelines that the change leaves alone: a name of a job may say that it checks, since
    what it runs may be of any kind."""
    known = {file.path for file in pipelines}
    paths = [path for path in sources.list_head() if PIPELINES.search(path) and path not in known]
    return sources.read_head(paths[:50])


def _gone(file: ComparedFile, command: Command, rule: ComparisonRule) -> Finding:
    what = {"tests": "test run", "lint": "lint", "types": "type check", "security": "security scan",
            "coverage": "coverage check"}[command.kind]  # fmt: skip
    title = f"the pipeline loses a {what}: {command.text[:80]}"
    if file.is_gone:
        return put(rule, file, WHOLE_FILE, title, "this file ran it")
    return taken(rule, file, Line(command.line, command.text), title)


def _ignored(file: ComparedFile) -> Iterator[Finding]:
    """A check that was there before and may fail now."""
    rule = _IGNORED if runs_for_changes(file.base) else hint(_IGNORED)
    rows = file.head_rows
    commands = _known_checks(file)
    old = {squeeze(line.text) for line in file.removed}
    for added in file.added:
        text = added.text
        if squeeze(text) in old or text.lstrip().startswith(("#", "//")):
            continue
        if _FLAGS.search(text) and _is_beside(rows, added.number, commands):
            yield put(rule, file, added, "this check may fail from now on without being noticed")
        elif _ignores(text) and _kind(text) and not _is_read_later(rows, added):
            before = next((line for line in file.removed if _same_command(line.text, text)), None)
            if before is not None:
                title = "the failure of this check is ignored from now on"
                yield put(rule, file, added, title, quoted(before.text))


def _known_checks(file: ComparedFile) -> set[int]:
    """The lines at head of the checks that the base made as well: as they were, or as many of the
    same tool."""
    if not PIPELINES.search(file.path):
        rows = enumerate(file.head_rows, 1)
        found = {line for line, row in rows if _kind(row) and not _ignores(row)}
        return found - _new_steps(file)
    before = _checks_in([(file.path, file.base)])
    after = _checks_in([(file.path, file.head)])
    texts = {command.text for command in before}
    had, has = (Counter(map(tool_of, side)) for side in (before, after))
    return {
        each.line
        for each in after
        if each.kind in _GATING
        and not _ignores(each.text)
        and (each.text in texts or had[tool_of(each)] == has[tool_of(each)])
    }


def _ignores(text: str) -> bool:
    return _IGNORES.search(COMMENT.sub("", text).strip()) is not None


def _is_read_later(rows: Sequence[str], line: Line) -> bool:
    """The failure is written down under a name, and a line below asks for that.
    https://docs.github.com/actions/reference/workflow-commands-for-github-actions"""
    found = _WRITTEN_DOWN.search(line.text)
    return found is not None and any(
        has_word(row, found["name"]) and not _WRITTEN_DOWN.search(row)
        for row in rows[line.number :]
    )


_WRITTEN_DOWN = lazy_pattern(
    r"\|\|\s*echo\s+[\"']?(?P<name>\w{3,})=.*>>\s*[\"']?\$\{?GITHUB_(?:ENV|OUTPUT)\b"
)


def _new_steps(file: ComparedFile) -> set[int]:
    """Lines that come where no check was: nothing counted on them before."""
    return {
        line.number
        for block in file.blocks
        if not any(_kind(old.text) for old in block.removed)
        for line in block.added
    }


def _kind(text: str) -> bool:
    bare = COMMENT.sub("", text)
    return not installs(bare.strip()) and any(runs_check(bare, p) for p in _GATING.values())


def _same_command(old: str, new: str) -> bool:
    """The new line is the old one with something that ignores its failure."""
    bare = squeeze(old).rstrip("\"'").lstrip("@-")
    same = squeeze(new).lstrip("@-").startswith(bare.split("||")[0][:40])
    return bool(bare) and same and not _ignores(old)


def _is_beside(rows: Sequence[str], number: int, commands: set[int]) -> bool:
    """The flag belongs to a step or job that checks something: the block of lines around it."""
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
                return True
            if begins:
                break
            at += step
    return False
