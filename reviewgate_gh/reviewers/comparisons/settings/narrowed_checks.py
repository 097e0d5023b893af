"""Checks of a pipeline that stay, and that run less often: at night, by hand, on one branch, or
where a stage is told to wait for something."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._workflows import read_tree
from .._guards import is_explained
from .._pipelines import (
    PIPELINES,
    Command,
    find_checks,
    find_node_checks,
    is_readable,
    runs_for_changes,
)
from .._remark import ComparisonRule, hint, put, taken
from .._sources import ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = True
_RULE = ComparisonRule(
    "ci-trigger-removed",
    Priority.P2,
    "Some changes can now be merged without this check. Run it for each of them as before, or "
    "name what checks them instead.",
)
_IGNORED = ComparisonRule(
    "ci-failure-ignored",
    Priority.P1,
    "The check still runs, but nothing notices when it fails. Fix what fails, or remove the check "
    "openly.",
)
_BRANCH = "It still runs on the branches that are listed."
# Under which of these keys a service says when something runs
_KEYS = frozenset(
    ("if", "when", "only", "except", "rules", "condition", "filters", "trigger", "skip", "enabled",
     "branches", "manual", "failure", "soft_fail", "allow_failure")
)  # fmt: skip
# https://docs.github.com/actions/reference/contexts-reference#github-context,
# https://docs.gitlab.com/ci/yaml/#rules, https://docs.travis-ci.com/user/conditions-v1,
# https://learn.microsoft.com/azure/devops/pipelines/process/conditions,
# https://docs.drone.io/pipeline/docker/syntax/conditions/
_SELDOM = lazy_pattern(
    r"(?i)(?:event_name|CI_PIPELINE_SOURCE[\"']?|Build\.Reason'\]?,?|\btype|event)\s*(?:==?|:"
    r"|,)?\s*[\"'\[]*"
    r"(?:schedule|cron|workflow_dispatch|web|api|manual|promote|release|tag)"
    r"|^(?:condition|enabled)=false$|^skip=true$|^(?:when|trigger)=manual$|when=manual"
    r"|\bschedules\b|\binputs\.|github\.event\.inputs|pipeline\.parameters|\blabels\b"
    r"|contains\([^)]*message"
)
_ONE_BRANCH = lazy_pattern(
    r"(?i)github\.(?:ref|ref_name|base_ref)\b\s*==|event_name\s*==\s*[\"']push|CI_COMMIT_(?:BRANCH"
    r"|REF_NAME|TAG)"
    r"|build\.branch|\bbranch\s*=|SourceBranch|^only=|branches=only|branch=|^branches="
    r"|^except=.*merge_requests|when=never"
)
_FAILURE = lazy_pattern(r"^failure=ignore$|^soft_fail=.*exit_status|^allow_failure=.*exit_codes")
_ASKED = lazy_pattern(r"\blabels\b|\binputs\.|merge_request[^|]*when=never")
# It runs for changes all the same, or the condition asks for something else
_FOR_CHANGES = lazy_pattern(
    r"(?i)merge_request(?:s|_event)?(?!s?=never)(?!.*merge_request_event[^|]*when=never)"
    r"|pull_request|CI_MERGE_REQUEST|always\(\)|cancelled\(\)|!=\s*[\"']?(?:schedule"
    r"|workflow_dispatch)"
    r"|type\s*(?:!=|IN)|ne\("
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a pipeline."""
    for file in sources.files:
        if file.is_new or file.is_gone or not PIPELINES.search(file.path):
            continue
        if "Jenkinsfile" in file.path:
            yield from islice(_in_stages(file), 1)
        elif is_readable(file.path, file.head) and runs_for_changes(file.base):
            yield from islice(chain(_in_tree(file), _unused(sources, file)), 1)


def _in_tree(file: ComparedFile) -> Iterator[Finding]:
    before, after = _conditions(file.base), _conditions(file.head)
    after_tree = read_tree(file.head)
    for check, now in after.items():
        was = before.get(check)
        if was is None:
            continue
        command = check.text
        for told in sorted(now - was):
            line = _line_of(file, told)
            rule = _weigh(told) if line and not _holds_by_default(after_tree, told) else None
            if line is None or rule is None or (_drop_value(told) in map(_drop_value, was)):
                continue
            title = f"this check runs less often from now on: {command[:60]}"
            if rule is _IGNORED:
                title = f"a failure of this check no longer counts: {command[:60]}"
            yield put(hint(rule) if is_explained(file, line) else rule, file, line, title)


def _unused(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """CircleCI: a job that checks, and that no workflow names any more; Azure: no build of pull
    requests any more."""
    others = [each for each in sources.files if PIPELINES.search(each.path) and each is not file]
    come = [line.text.strip(" -:") for each in others for line in each.added]
    before, after = read_tree(file.base), read_tree(file.head)
    ran, runs = ({*_names(_child(tree, "workflows"))} for tree in (before, after))
    for name in sorted(ran - runs):
        job = _child(_child(after, "jobs"), name)
        line = next((line for line in file.removed if name in line.text), None)
        if line is not None and find_node_checks(job) and name not in come:
            yield taken(_RULE, file, line, f"no workflow runs this job any more: {name}")
    was, now = (_child(tree, "pr") for tree in (before, after))
    line = next((line for line in file.added if _NO_BUILD.match(line.text)), None)
    if line is not None and now is not None and was is not None and find_node_checks(after):
        yield put(_RULE, file, line, "pull requests are no longer checked")


_NO_BUILD = lazy_pattern(r"pr:\s*none\b")


def _names(node: Any) -> Iterator[str]:
    """The jobs that workflows name."""
    for _name, flow in node.value if node is not None and node.id == "mapping" else ():
        jobs = _child(flow, "jobs")
        for entry in jobs.value if jobs is not None and jobs.id == "sequence" else ():
            yield from [entry.value] if entry.id == "scalar" else [k.value for k, _v in entry.value]


def _holds_by_default(tree: Any, told: str) -> bool:
    """It only asks for an input that is true unless the caller says otherwise.
    https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#onworkflow_callinputs"""
    if _holds_for_changes(tree, told):
        return True
    found = _INPUT.fullmatch(told)
    started = _child(tree, "on")
    for event in ("workflow_call", "workflow_dispatch") if found else ():
        given = _child(_child(_child(started, event), "inputs"), found["name"] if found else "")
        default = _child(given, "default")
        if default is not None and default.value == "true":
            return True
    return False


_INPUT = lazy_pattern(r"if=\s*(?:\$\{\{\s*)?inputs\.(?P<name>[\w-]+)\s*(?:\}\})?\s*")


def _drop_value(told: str) -> str:
    return told.partition("=")[0]


def _holds_for_changes(tree: Any, told: str) -> bool:
    """GitHub: the condition is true where a pull request starts the pipeline, which nobody gives an
    input. https://docs.github.com/actions/reference/contexts-reference#github-context"""
    if _child(_child(tree, "on"), "workflow_call") is not None:
        return False  # its caller may give one
    name, _sign, condition = told.partition("=")
    ways = re.sub(r"^\s*\$\{\{|\}\}\s*$", "", condition).split("||")
    return name == "if" and any(
        all(map(_TRUE_FOR_CHANGES.fullmatch, way.split("&&"))) for way in ways
    )


_TRUE_FOR_CHANGES = lazy_pattern(
    r"\s*(?:github\.event_name\s*(?:==\s*'pull_request'|!=\s*'(?:schedule|release"
    r"|workflow_dispatch|repository_dispatch)')"
    r"|(?:success|always)\(\)|!\s*(?:cancelled|failure)\(\)"
    # Nothing is equal to "" and to false: https://docs.github.com/actions/reference/evaluate-expressions-in-workflows-and-actions#operators
    r"|(?:github\.event\.)?inputs\.[\w-]+\s*(?:==\s*(?:''|false)|!=\s*(?:'[^']+'|true))"
    r"|!\s*(?:github\.event\.)?inputs\.[\w-]+)\s*"
)


def _weigh(told: str) -> ComparisonRule | None:
    if _FAILURE.search(told):
        return _IGNORED
    if _ASKED.search(told) and "event_name != " not in told:
        return _RULE
    if _FOR_CHANGES.search(told) and not told.startswith("except="):
        return None
    if _SELDOM.search(told):
        return _RULE
    return hint(_RULE, _BRANCH) if _ONE_BRANCH.search(told) else None


def _line_of(file: ComparedFile, told: str) -> Line | None:
    key = told.partition("=")[0]
    begins = re.compile(rf"\s*(?:-\s+)?{key}\s*:")
    line = next((line for line in file.added if begins.match(line.text)), None)
    return line and Line(line.number, f"{key}: {told.partition('=')[2]}")


class _Check(NamedTuple):
    """A command, and the keys around it, such as those of its job."""

    keys: tuple[str, ...]
    text: str


def _conditions(text: str) -> dict[_Check, set[str]]:
    """By check what has to hold for it to run: of its step, of its job, and of what starts that."""
    found: dict[_Check, set[str]] = {}
    tree = read_tree(text)
    _walk(tree, frozenset(), found, (), "")
    for name, told in _of_workflows(tree).items():
        for check, conditions in found.items():
            if check.keys[:2] == ("jobs", name):
                conditions.update(told)
    return found


def _walk(
    node: Any,
    around: frozenset[str],
    found: dict[_Check, set[str]],
    keys: tuple[str, ...],
    name: str,
) -> None:
    if node is None or len(keys) > 30:
        return
    if node.id == "sequence":
        for item in node.value:
            _walk(item, around, found, (*keys, ""), "")
    elif node.id == "mapping":
        below = {key.value: value for key, value in node.value if key.id == "scalar"}
        if keys:
            told = {f"{key}={_flat(value)}" for key, value in below.items() if key in _KEYS}
            around = around | told
        for command in find_node_checks(_own(node), name):
            if command.kind != "coverage":  # a report holds nothing back
                found.setdefault(_Check(keys, command.text), set()).update(around)
        for key, value in below.items():
            if key not in ("workflows", *(_KEYS - {"when"})):
                _walk(value, around, found, (*keys, key), key)


def _own(node: Any) -> Any:
    """The node without what is below its sequences of mappings: those have their own conditions."""
    kept = [
        (key, value)
        for key, value in node.value
        if value.id == "scalar" or (value.id == "sequence" and _is_plain(value))
    ]
    return type(node)(node.tag, kept, node.start_mark, node.end_mark)


def _is_plain(node: Any) -> bool:
    return all(item.id == "scalar" for item in node.value)


def _of_workflows(tree: Any) -> dict[str, set[str]]:
    """CircleCI: by job what its workflow asks for. https://circleci.com/docs/workflows/"""
    found: dict[str, set[str]] = {}
    workflows = _child(tree, "workflows")
    for _name, flow in workflows.value if workflows and workflows.id == "mapping" else ():
        jobs = _child(flow, "jobs")
        for entry in jobs.value if jobs and jobs.id == "sequence" else ():
            if entry.id == "mapping":
                for key, value in entry.value:
                    told = _child(value, "filters")
                    found.setdefault(key.value, set()).update(
                        {f"filters={_flat(told)}"} if told else ()
                    )
    return found


def _child(node: Any, name: str) -> Any:
    if node is None or node.id != "mapping":
        return None
    return next((value for key, value in node.value if key.value == name), None)


def _flat(node: Any) -> str:
    """A value as one text."""
    if node.id == "scalar":
        return str(node.value)
    if node.id == "sequence":
        return "|".join(map(_flat, node.value))
    return " ".join(f"{key.value}={_flat(value)}" for key, value in node.value)


# https://www.jenkins.io/doc/book/pipeline/syntax/#when
_STAGE = lazy_pattern(r"\s*stage\s*(?:\(\s*)?[\"'](?P<name>[^\"']+)")
_WAITS = lazy_pattern(r"\s*(?P<what>when|input)\s*\{?")
_BRANCHES = lazy_pattern(r"\bbranch\b|\bbuildingTag\b|\btag\b")
_CHANGES = lazy_pattern(r"\bchangeRequest\b|\bchangeset\b|\bnot\s*\{")
_SWALLOWS = lazy_pattern(r"\b(?:catchError|warnError)\s*[({]|\breturnStatus\s*:\s*true")


def _in_stages(file: ComparedFile) -> Iterator[Finding]:
    """A stage of a Jenkinsfile that was there, with a check in it that was there."""
    known = {command.text for command in find_checks(file.path, file.base)}
    every = find_checks(file.path, file.head)
    old = {squeeze(row) for row in file.base_rows}
    for line in file.added:
        waits, swallows = _WAITS.match(line.text), _SWALLOWS.search(line.text)
        if not (waits or swallows):
            continue
        first, last = _stage_around(file.head_rows, line.number)
        row = file.head_rows[first - 1] if first else ""
        named = _STAGE.match(row)
        checks = [each for each in every if first < each.line <= last]
        if not named or squeeze(row) not in old or not _was_there(checks, known):
            continue
        if swallows:
            yield put(
                _IGNORED, file, line, f"a failure of the stage no longer counts: {named['name']}"
            )
            continue
        text = " ".join(file.head_rows[line.number - 1 : line.number + 6])
        if _CHANGES.search(text) or _had_condition(file, row):
            continue
        rule = hint(_RULE, _BRANCH) if _BRANCHES.search(text) else _RULE
        yield put(rule, file, line, f"this stage runs less often from now on: {named['name']}")


def _was_there(checks: Sequence[Command], known: set[str]) -> bool:
    bare = {squeeze(text) for text in known}
    return any(
        squeeze(each.text) in bare or any(_tool(each.text) in text for text in known)
        for each in checks
    )


def _tool(text: str) -> str:
    return re.sub(r"\W*returnStatus.*|^.*script:\s*", "", text).strip(" '\"")


def _had_condition(file: ComparedFile, row: str) -> bool:
    number = file.base_rows.index(row) + 1 if row in file.base_rows else 0
    _first, last = _stage_around(file.base_rows, number + 1)
    return any(_WAITS.match(each) for each in file.base_rows[number:last])


def _stage_around(rows: Sequence[str], number: int) -> tuple[int, int]:
    """First and last line of the innermost stage that a line is in."""
    depth = len(rows[number - 1]) - len(rows[number - 1].lstrip()) if number <= len(rows) else 0
    for at in range(number - 1, 0, -1):
        row = rows[at - 1]
        indent = len(row) - len(row.lstrip())
        if _STAGE.match(row) and indent < depth:
            ends = (
                below
                for below in range(at + 1, len(rows) + 1)
                if rows[below - 1].strip()
                and len(rows[below - 1]) - len(rows[below - 1].lstrip()) <= indent
            )
            return at, next(ends, len(rows))
    return 0, 0
