"""Pipelines that are no longer started, and jobs that no longer wait for the checks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_manual, is_tests
from ...checks._workflows import events_of, read_tree
from .._definitions import language_of
from .._guards import is_explained, loss_is_explained
from .._pipelines import PIPELINES, bare_text, find_checks, find_node_checks, is_readable
from .._remark import WHOLE_FILE, ComparisonRule, hint, put, taken
from .._sources import ComparedFile, ComparisonInput, Line
from ._waits import KEYS, child, read_jobs

EVERY_FILE = True
_MOST_READ = 50  # workflows that the change leaves alone
_NEEDS = ComparisonRule(
    "ci-needs-removed",
    Priority.P2,
    "It runs now even if the checks fail. Restore what it waited for, or name what holds it back.",
)
TRIGGER = ComparisonRule(
    "ci-trigger-removed",
    Priority.P2,
    "The checks of this pipeline no longer run for it. Restore the trigger, or name the pipeline "
    "that runs them.",
)


PUSH = ComparisonRule(
    "ci-trigger-removed",
    Priority.P3,
    "What reaches the branch without a pull request is no longer checked. Restore the trigger, or "
    "name the pipeline that runs the checks.",
)


_DEFAULTS = {"main", "master"}


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """A finding for a trigger that is gone, and for a job that no longer waits."""
    for file in sources.files:
        if PIPELINES.search(file.path) and file.diff.hunks and is_readable(file.path, file.head):
            yield from _triggers(sources, file)
            yield from _needs(file)


def _triggers(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """`on: pull_request` or `push` that is gone from a workflow which checks."""
    if file.is_new or file.is_gone or "workflows/" not in file.path:
        return
    if not find_checks(file.path, file.head):
        return
    before, after = events_of(file.base), events_of(file.head)
    gone = before - after
    lost = [event for event in ("pull_request", "push", "merge_group") if event in gone]
    if "pull_request" in lost and "pull_request_target" in after:
        lost.remove("pull_request")
    if "workflow_run" in after - before:
        return  # it still runs, after another workflow
    if not lost:
        yield from _narrowed(file)
        yield from _kept_from_usual(sources, file)
        yield from _ignoring(sources, file)
    if not lost or _covers_elsewhere(sources, file, lost[0]) or _is_called(sources, file, lost[0]):
        return
    line = next((line for line in file.removed if lost[0] in line.text), WHOLE_FILE)
    if line.number:
        asked = not after.isdisjoint(("pull_request", "pull_request_target"))
        rule = PUSH if lost == ["push"] and asked else TRIGGER
        yield taken(rule, file, line, f"this workflow no longer runs on {lost[0]}")


def _needs(file: ComparedFile) -> Iterator[Finding]:
    """A job that waited for a job with checks, and no longer does, though both are there."""
    before, after = (read_jobs(file.path, text) for text in (file.base, file.head))
    waits = {name: job.waits for name, job in after.items()}
    for name, (_node, old, needs) in before.items():
        lost = sorted(needs - _reached(name, waits) & after.keys())
        if name not in after or not lost or after[name].waits - needs:
            continue
        node, new, _waits = after[name]
        held = any(_held_by_checks(each, after[each].node) for each in lost)
        if not held or _gives_nothing(file, node):
            continue
        title = f"the job {name} no longer waits for {lost[0]}"
        gone, come = _line_about(file.removed, old, lost[0]), _line_about(file.added, new, lost[0])
        rule = hint(_NEEDS) if _are_said(file, gone, come) else _NEEDS
        if gone:
            yield taken(rule, file, gone, title)
            return
        if come:
            yield put(rule, file, come, title)
            return


def _line_about(lines: Sequence[Line], entry: Any, lost: str) -> Line | None:
    """The changed line that says what a job waits for, its own first."""
    first, last = entry.start_mark.line, entry.end_mark.line + 1
    own = [line for line in lines if first <= line.number <= last]
    for among in (own, lines):
        for tells in (KEYS.match, re.compile(rf"\b{re.escape(lost)}\b").search):
            if found := next((line for line in among if tells(line.text)), None):
                return found
    return None


def _are_said(file: ComparedFile, gone: Line | None, come: Line | None) -> bool:
    return _is_said(file, gone) if gone else come is not None and is_explained(file, come)


def _is_said(file: ComparedFile, line: Line) -> bool:
    """A comment says why the line is gone."""
    block = next(block for block in file.blocks if line in block.removed)
    return loss_is_explained(file, block) or any(is_explained(file, new) for new in block.added)


def _held_by_checks(name: str, job: Any) -> bool:
    """What it waited for checks something, by its commands or by its name."""
    checks = bool(find_node_checks(job, name) or _CHECKS.search(name))
    return checks or child(job, "uses") is not None


# A job that calls another workflow says by its name what that does
_CHECKS = lazy_pattern(r"(?i)test|lint|check|verif|scan|audit")


def _reached(job: str, waits: Mapping[str, frozenset[str]]) -> set[str]:
    """What a job waits for, itself or through others."""
    found: set[str] = set()
    left = [job]
    while left:
        new = waits.get(left.pop(), frozenset()) - found
        found |= new
        left += new
    return found


def _gives_nothing(file: ComparedFile, job: Any) -> bool:
    """The job gives nothing away that the other one held back: it checks or builds beside it."""
    if job is None:
        return False
    rows = bare_text("\n".join(file.head_rows[job.start_mark.line : job.end_mark.line]))
    works = bool(find_node_checks(job)) or _BUILDS.search(rows) is not None
    return works and not _GIVES.search(rows)


_BUILDS = lazy_pattern(r"(?i)\b(?:build|docs?|mkdocs|sphinx\S*|typedoc|bench\w*|compile)\b")


_GIVES = lazy_pattern(r"(?i)publish|releas|deploy|upload|\bpush\b|: write\b")


def words_of(node: Any) -> set[str]:
    """The texts of a scalar or a list."""
    if node is None:
        return set()
    nodes = [node] if node.id == "scalar" else node.value if node.id == "sequence" else []
    return {each.value for each in nodes if each.id == "scalar"}


def _ignoring(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """It no longer runs for changes of code that the project has."""
    known = set() if _was_asked_for(file) else events_of(file.base)
    for event in ("pull_request", "push"):
        was, now = (child(child(read_tree(text), "on"), event) for text in (file.base, file.head))
        if event not in known or child(was, "paths") is not None:
            continue
        if paths := words_of(child(now, "paths")):
            yield from _only_for(sources, file, paths)
        before, after = (words_of(child(each, "paths-ignore")) for each in (was, now))
        for pattern in sorted(after - before):
            code = next((p for p in _code_that_was(sources) if _fits(p, pattern)), "")
            line = next((line for line in file.added if pattern in line.text), None)
            if code and line is not None and find_checks(file.path, file.head):
                title = f"this workflow no longer runs for changes to {pattern}"
                yield put(TRIGGER, file, line, title, f"it ran for {code}")
                return


def _was_asked_for(file: ComparedFile) -> bool:
    """Each of its jobs that checks asked before what had started it, and ran for some alone."""
    jobs = child(read_tree(file.base), "jobs")
    every = (job for _name, job in jobs.value) if jobs is not None and jobs.id == "mapping" else ()
    asked = [child(job, "if") for job in every if find_node_checks(job)]
    return bool(asked) and all(each and _STARTED_BY.search(each.value) for each in asked)


_STARTED_BY = lazy_pattern(r"event_name\s*!=\s*'pull_request|\blabels\b")


def _code_that_was(sources: ComparisonInput) -> Iterator[str]:
    new = {file.path for file in sources.files if file.is_new}
    return (path for path in sources.list_head() if _is_code(path) and path not in new)


def _only_for(sources: ComparisonInput, file: ComparedFile, paths: set[str]) -> Iterator[Finding]:
    """It runs only for changes of files of which none is code."""
    line = next((line for line in file.added if _PATHS.match(line.text)), None)
    code = [*_code_that_was(sources)]
    checks = find_checks(file.path, file.head)
    if line is None or not code or all(_OF_NO_CODE.search(each.text) for each in checks):
        return
    if not any(_fits(path, pattern) for path in code for pattern in paths):
        title = "this workflow no longer runs for changes to code"
        yield put(TRIGGER, file, line, title, f"it ran for {min(code)}")


_PATHS = lazy_pattern(r"\s*paths:")
# What they check is no code: workflows, images, charts, texts
_OF_NO_CODE = lazy_pattern(
    r"\b(?:zizmor\S*|actionlint|yamllint|hadolint\S*|markdownlint\S*|kubeconform|kubeval"
    r"|kube-linter"
    r"|(?:helm|ct|vale) lint|taplo)\b"
)


def _is_code(path: str) -> bool:
    return bool(language_of(path)) and not (
        is_tests(path) or is_manual(path) or _TO_TRY.search(path)
    )


_TO_TRY = lazy_pattern(r"(?i)(?:^|[/_-])(?:playgrounds?|demos?|sandbox|storybook)(?=[/_-])")


def _fits(path: str, pattern: str) -> bool:
    """https://docs.github.com/actions/reference/workflow-syntax-for-github-actions (patterns)"""
    return fnmatchcase(path, pattern.replace("**/", "*").replace("**", "*"))


def _narrowed(file: ComparedFile) -> Iterator[Finding]:
    """Fewer branches, with others left."""
    for event in ("pull_request", "push"):
        before, after = (
            words_of(child(child(child(read_tree(text), "on"), event), "branches"))
            for text in (file.base, file.head)
        )
        lost = sorted(before - after)
        if lost and after and after < before and not may_have_ended(lost, after):
            line = next((line for line in file.removed if lost[0] in line.text), None)
            if line is not None:
                title = f"this workflow no longer runs on {event} to {lost[0]}"
                yield taken(TRIGGER, file, line, title)
                return


def may_have_ended(lost: list[str], left: set[str]) -> bool:
    """The branches may be no longer in use, or never were: most repositories have one of the two
    default names, and branches of old releases end some day."""
    return (
        ({*lost} <= _DEFAULTS and not _DEFAULTS.isdisjoint(left))
        or all(map(_OF_PAGES.match, lost))
        or (all(map(_OF_RELEASE.search, lost)) and any(map(_OF_RELEASE.search, left)))
        or (all(map(_IS_RELEASE.match, lost)) and not _DEFAULTS.isdisjoint(left))
    )


_OF_PAGES = lazy_pattern(r"(?:gh[-_])?pages$|docs?$|website$|site$")
_OF_RELEASE = lazy_pattern(r"\d")
# Nothing but a version, as for one release
_IS_RELEASE = lazy_pattern(
    r"(?i)(?:v|(?:release|stable|maint\w*|support|rel"
    r"|branch)[-_/]?v?)?\d+(?:[-._]\d+)*(?:[-._]?x)?$"
)


def _kept_from_usual(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """It ran for every pull request, and runs only for those to releases, or when they end."""
    was, now = (
        child(child(read_tree(text), "on"), "pull_request") for text in (file.base, file.head)
    )
    pushed = child(child(read_tree(file.head), "on"), "push")
    if "pull_request" not in events_of(file.base) or _runs_for_all_pushes(file, pushed):
        return
    branches, old = words_of(child(now, "branches")), words_of(child(was, "branches"))
    types, others = words_of(child(now, "types")), words_of(child(was, "types"))
    if (
        branches
        and all(map(_OF_RELEASES.match, branches))
        and not (old and _DEFAULTS.isdisjoint(old))
    ):
        kept, what = branches, f"pull requests except those to {min(branches)}"
    elif types and _USUAL.isdisjoint(types) and not (others and _USUAL.isdisjoint(others)):
        kept, what = types, "new or changed pull requests"
    else:
        return
    line = next((line for line in file.added if any(each in line.text for each in kept)), None)
    covered = _covers_elsewhere(sources, file, "pull_request")
    if line is not None and not (covered or _is_called(sources, file, "pull_request")):
        yield put(TRIGGER, file, line, f"this workflow no longer runs for {what}")


def _runs_for_all_pushes(file: ComparedFile, pushed: Any) -> bool:
    """What is pushed to the branch of a pull request is checked as such."""
    narrowed = any(child(pushed, key) is not None for key in ("branches", "tags", "paths"))
    return "push" in events_of(file.head) and not narrowed


# https://docs.github.com/actions/reference/events-that-trigger-workflows#pull_request
_USUAL = {"opened", "synchronize", "reopened", "ready_for_review"}
_OF_RELEASES = lazy_pattern(r"(?:releases?|hotfix(?:es)?|maintenance|support|backports?)[-/_*]")


def _covers_elsewhere(sources: ComparisonInput, file: ComparedFile, event: str) -> bool:
    """Another workflow that the change adds or edits runs for this event and checks as much."""
    others = [each for each in sources.files if PIPELINES.search(each.path) and each is not file]
    kinds = {command.kind for command in find_checks(file.path, file.head)}
    return any(
        event in events_of(each.head)
        and kinds <= {c.kind for c in find_checks(each.path, each.head)}
        for each in others
    )


def _is_called(sources: ComparisonInput, file: ComparedFile, event: str) -> bool:
    """A workflow that runs for this event has it as one of its jobs, or has one that does:
    https://docs.github.com/en/actions/how-tos/reuse-automations/reuse-workflows"""
    if "workflow_call" not in events_of(file.head):
        return False
    paths = [path for path in sources.list_head() if PIPELINES.search(path) and path != file.path]
    texts = {each: bare_text(t) for each, t in sources.read_head(paths[:_MOST_READ]).items()}
    called, new = {file.path}, {file.path}
    while new:
        calls = [re.compile(rf"\buses:\s*[\"']?\./{re.escape(path)}\b") for path in new]
        new = {path for path, text in texts.items() if any(each.search(text) for each in calls)}
        new -= called
        called |= new
    return any(event in events_of(texts[path]) for path in called - {file.path})
