"""Checks of a pipeline that a change removes."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

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
    is_named_alone,
    is_readable,
    runs_check,
    runs_for_changes,
    tool_of,
    without_expressions,
    without_wrapper,
)
from .._remark import WHOLE_FILE, ComparisonRule, hint, put, taken
from .._sources import ComparedFile, ComparisonInput, Line
from ._gone_checks import (
    is_gone_with_its_files,
    is_gone_with_its_folder,
    is_gone_with_its_job,
    is_gone_with_its_option,
    is_gone_with_its_tool,
)
from ._instead import (
    SPEAKS_ONLY,
    calls_others,
    is_called_otherwise,
    is_done_within,
    is_in_build,
    is_named_anew,
    others_check_more,
    read_local_actions,
    reads_no_other,
    runs_as_service,
    runs_default_goal,
    runs_in_called_script,
    runs_in_other_entry,
    runs_in_script,
    runs_in_tox,
    runs_own,
    runs_unknown,
    stands_instead,
)
from .ci_failures import lines_without_effect

EVERY_FILE = True
_REMOVED = ComparisonRule(
    "ci-check-removed",
    Priority.P1,
    "Unless something else runs it, later changes are merged without it. Restore it, or name what "
    "does this check instead.",
)
_FEWER = ComparisonRule(
    "ci-check-removed",
    Priority.P2,
    "Others of its kind are still there. Say which of them does the same check, or restore it.",
)
# What holds no change back by itself, or what a script in its place may do in its own words
_REPORT = replace(_REMOVED, priority=Priority.P2)
_SELDOM = replace(
    _REMOVED,
    priority=Priority.P3,
    advice="It still runs at night or by hand, and no longer holds back a change. Restore it, or "
    "name what does this check instead.",
)
# A report of coverage holds nothing back by itself; of others only the name is known
_GATING = {kind: each for kind, each in KINDS.items() if kind not in ("coverage", "check")}
_OF_ANY_KIND = r"\b(?:check|verify|validate|quality)\b"
_TRACES = {
    "tests": r"(?i)\b(?:re)?test|\bspec\b|e2e|\bcheck\b|\bcover",
    "lint": r"(?i)lint|format|style|pre-commit",
    "types": r"(?i)\btyp(?:e|ing)|tsc\b",
    "security": r"(?i)secur|scan|audit",
    "coverage": r"(?i)cover|codecov|code_?climate|codacy|sonar|qlty|scrutinizer|deepsource",
    "check": r"(?i)check|verif|valid|analy|lint|audit|scan",
}


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """A finding for each check that is gone."""
    pipelines = [
        file
        for file in sources.files
        if PIPELINES.search(file.path) and file.diff.hunks and is_readable(file.path, file.head)
    ]
    if pipelines:
        yield from _removed(sources, pipelines)


def _removed(sources: ComparisonInput, pipelines: list[ComparedFile]) -> Iterator[Finding]:
    before = {file.path: _checks_before(file) for file in pipelines}
    heads = {file.path: file.head for file in pipelines}
    after = _checks_in((heads | {**read_local_actions(sources, heads.values())}).items())
    texts = Counter(command.text for command in after)
    old = Counter(command.text for commands in before.values() for command in commands)
    told = {command.kind for command in after if texts[command.text] > old[command.text]}
    told |= {"check"} if told else set()  # any of the new ones may be this one
    for file in pipelines:
        for command in before[file.path]:
            # One of its kind that is new has taken its place
            if command.text in texts or command.kind in told or _is_done(sources, file, command):
                continue
            if rule := _weigh(sources, pipelines, file, command, after):
                told.add(command.kind)
                yield _gone(file, command, rule)


def _weigh(
    sources: ComparisonInput,
    pipelines: list[ComparedFile],
    file: ComparedFile,
    command: Command,
    after: Sequence[Command],
) -> ComparisonRule | None:
    """None where it runs elsewhere or may do so, or the project has moved to another service."""
    others = _other_pipelines(sources, pipelines)
    left = [*after, *_checks_in(others.items())]
    texts = (*others.values(), *(_may_check(each, command) for each in pipelines))
    kept = _is_kept(command.kind, left, texts)
    if kept and file.is_gone and not file.path.startswith(".github/"):
        return None
    for_changes = ((p, text) for p, text in others.items() if runs_for_changes(text))
    heads = (*others.values(), *(each.head for each in pipelines))
    if (
        _runs_elsewhere(sources, file, command, [*after, *_checks_in(for_changes)])
        or _is_run_by_another(sources, command, heads)
        or (kept and _may_be_covered(sources, command))
    ):
        return None
    if tool_of(command) in map(tool_of, left):
        return _SELDOM
    if _may_run_elsewhere(sources, pipelines, file, command):
        return None
    return _rule(command, kept, runs_own(file, command) or (kept and runs_unknown(file, command)))


def _is_run_by_another(sources: ComparisonInput, command: Command, heads: Collection[str]) -> bool:
    """A script, a build or an action that these pipelines run does it."""
    return (
        runs_in_called_script(sources, command, heads)
        or runs_default_goal(sources, command, heads)
        or is_done_within(command, heads)
    )


def _may_run_elsewhere(
    sources: ComparisonInput, pipelines: list[ComparedFile], file: ComparedFile, command: Command
) -> bool:
    """Under another name, in another pipeline, or in what the pipelines call."""
    return (
        _comes_elsewhere(pipelines, file, command.kind)
        or _runs_by_default(file)
        or is_named_anew(pipelines, command)
        or reads_no_other(sources, file)
        or is_called_otherwise(sources, pipelines, command)
        or any(map(calls_others, pipelines))
    )


def _may_be_covered(sources: ComparisonInput, command: Command) -> bool:
    """Another check of its kind, which stays, may cover what it did."""
    if command.kind in ("lint", "types", "check"):
        return others_check_more(sources)
    return command.kind == "tests" and is_gone_with_its_tool(sources, command)


def _is_done(sources: ComparisonInput, file: ComparedFile, command: Command) -> bool:
    """Something does the same in its place, or what it checked is gone."""
    return (
        _is_replaced(file, command)
        or _goes_on(file, command)
        or (is_named_alone(command) and command.text in file.head)
        or is_gone_with_its_folder(sources, file, command)
        or is_gone_with_its_files(sources, command)
        or is_gone_with_its_job(sources, file, command)
        or is_gone_with_its_option(sources, file, command)
    )


def _runs_by_default(file: ComparedFile) -> bool:
    """Without a script Travis runs what is usual for the language, such as `rake`.
    https://docs.travis-ci.com/user/job-lifecycle/"""
    if file.name != ".travis.yml" or file.is_gone:
        return False
    return not re.search(r"(?m)^script\s*:", file.head)


def _checks_before(file: ComparedFile) -> list[Command]:
    """The checks of the base that ran at all, and whose failures counted."""
    found = find_checks(file.path, file.base)
    off = lines_without_effect(file.base_rows, {command.line for command in found})
    return [command for command in found if command.line not in off]


def _runs_elsewhere(
    sources: ComparisonInput, file: ComparedFile, command: Command, left: Sequence[Command]
) -> bool:
    """The same tool, or what runs it, is called in another place."""
    return (
        tool_of(command) in map(tool_of, left)
        or is_in_build(sources, command, left)
        or runs_in_tox(sources, command, left)
        or runs_in_other_entry(sources, command, left)
        or runs_in_script(sources, file, command)
        or runs_as_service(sources, command)
    )


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


def _rule(command: Command, kept: bool, own: bool) -> ComparisonRule | None:
    """By whether others of its kind are left, and the project's own script runs in its place: none
    where both are so, or another report of the same kind is left."""
    if kept:
        return None if own or command.kind == "coverage" else _FEWER
    return _REMOVED if command.kind in _GATING and not own else _REPORT


def _checks_in(files: Iterable[tuple[str, str]]) -> list[Command]:
    """The checks of files, each with its text."""
    return [command for path, text in files for command in find_checks(path, text)]


def _is_replaced(file: ComparedFile, command: Command) -> bool:
    """In its place stands what by its name does the same: a script of the project's own."""
    words = re.compile(f"{_TRACES[command.kind]}|{_OF_ANY_KIND}")
    return any(
        (words.search(text) and not (_LEAVES_OUT.search(text) or SPEAKS_ONLY.search(text)))
        or (not installs(text.strip()) and runs_check(text, KINDS[command.kind]))
        for text in map(_bare, stands_instead(file, command))
    )


def _goes_on(file: ComparedFile, command: Command) -> bool:
    """The same command runs in its place, with other options: another comparison weighs these."""
    words = _words(command.text)
    return len(words) > 1 and any(
        _words(_bare(text)) == words for text in stands_instead(file, command)
    )


def _words(text: str) -> list[str]:
    """What a command begins with, before its options."""
    return [*map(without_wrapper, takewhile(lambda word: not word.startswith("-"), text.split()))]


def _bare(text: str) -> str:
    """What a line runs, without the key that says so."""
    return _RUN_KEY.sub("", without_expressions(text))


# Options that keep tests from running speak of them all the same
_LEAVES_OUT = lazy_pattern(
    r"\s-x\s+\S*[tT]est\S*|-D(?:skipTests|maven\.test\.skip)\S*|--?(?:skip|no)-tests?\b|-test=false"
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
    others = sources.read_head(paths[:50])
    return {**others, **read_local_actions(sources, others.values())}


def _gone(file: ComparedFile, command: Command, rule: ComparisonRule) -> Finding:
    what = {"tests": "test run", "lint": "lint", "types": "type check", "security": "security scan",
            "coverage": "coverage check", "check": "check"}[command.kind]  # fmt: skip
    title = f"the pipeline loses a {what}: {command.text[:80]}"
    if not runs_for_changes(file.base):
        rule = hint(rule)
    if file.is_gone:
        return put(rule, file, WHOLE_FILE, title, "this file ran it")
    return taken(rule, file, Line(command.line, command.text), title)
