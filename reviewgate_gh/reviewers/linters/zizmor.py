"""zizmor: GitHub workflows and actions. It prints paths as given and one JSON list in every case;
lines count from 0."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...model.finding import Finding, FindingState, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks._workflows import calls_own_workflow, is_for_strangers, jobs_of, may_run_code
from . import _shared
from ._weights import weight

PROGRAM = "zizmor"
DEFAULT = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = False
CONFIG = ("zizmor.yml", "zizmor.yaml")
DEFAULT_CONFIG: str | None = "zizmor.yml"
CLEAN_EXITS = (0,)
# https://docs.zizmor.sh/usage/#exit-codes
FOUND_EXITS = (0,)  # --no-exit-codes
FILES = ("*.yml", "*.yaml")
LANGUAGES = ("GitHub workflow", "GitHub action")
INSTALL = "install it with `pip install 'reviewgate-gh[linters]'`"

_IN_PLACE = lazy_pattern(r"\.github/(?:workflows/[^/]*|dependabot)\.ya?ml")
_EXPRESSION = lazy_pattern(rb"\$\{\{(.*?)\}\}")
_LITERAL = lazy_pattern(rb"'[^']*'")
_REFERENCE = lazy_pattern(rb"[A-Za-z_][\w-]*(?:\.[\w*-]+)+")
# Only with write access somebody runs a workflow by hand, or makes a release:
# https://docs.github.com/en/actions/how-tos/manage-workflow-runs/manually-run-a-workflow
_OF_MEMBERS = lazy_pattern(rb"(?:inputs|github\.event\.(?:inputs|release))\.[\w.-]+")
_BY_HAND = lazy_pattern(rb"github\.event\.inputs\.[\w-]+")
# What the service itself writes, branches and tags of the repository itself, and what by its name
# is a number or an object id
# https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#github-context
_OF_SERVICE = lazy_pattern(
    rb"(?:secrets|vars)\.[\w-]+|inputs\.[\w-]*(?:number|count|\bid|[-_]id|sha)|runner\.(?:os"
    rb"|arch|temp|tool_cache)"
    rb"|github\.(?:repository|repository_owner|repository_id|repository_owner_id|sha|run_id"
    rb"|run_number|run_attempt|server_url|api_url|graphql_url|event_name|ref_type|ref_protected|job"
    rb"|workspace|actor|actor_id|ref|ref_name|base_ref"
    rb"|event\.(?:repository\.[\w.]+|action|number|pull_request|issue|release|workflow_run"
    rb"|pull_request\.base\.ref"
    rb"|(?:\w+\.)*(?:id|node_id|number|url|\w+_url|login|state|sha|status|conclusion|draft|merged"
    rb"|full_name|\w+_at)))"
)
_INJECTION, _TRIGGER = "zizmor/template-injection", "zizmor/dangerous-triggers"
_INHERIT = "zizmor/secrets-inherit"
_RIGHTS = "zizmor/excessive-permissions"
_BY_STRANGERS = " (anybody can start this workflow)"
_READS = "uses read-all permissions"
_AT_THE_TOP = "overly broad at the workflow level"
_OWN = lazy_pattern(r"\.github/")  # actions for the repository's own workflows
_ACTIONS = ("action.yml", "action.yaml")
_RANK = {"High": 3, "Medium": 2, "Low": 1, "Informational": 0, "Unknown": 0}


def fits(path: str, head: bytes) -> bool:
    """It is a workflow, an action or Dependabot's configuration."""
    return _IN_PLACE.fullmatch(path) is not None or _shared.base_name(path) in _ACTIONS


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths.

    A file that it cannot read fails the run: skipping it would look clean.
    """
    ours = [f"--config={config}"] if config else []
    pinned = [
        "--offline",
        "--no-progress",
        "--quiet",
        "--no-exit-codes",
        "--strict-collection",
        "--format=json-v1",
        "--color=never",
    ]
    return [program, *ours, *args, *pinned]


def unreadable(err: str) -> tuple[str, str]:
    """The file that it could not read, and why. GitHub takes more than zizmor's description of a
    workflow does, such as an expression for all of a `strategy`:
    https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax"""
    said = [line.strip() for line in err.splitlines() if line.strip()]
    for at, line in enumerate(said):
        if found := _STOPPED.fullmatch(line):
            logged = (each["why"] for each in map(_LOGGED.fullmatch, said[:at]) if each)
            why = next((each for each in said[at + 1 :] if each.startswith("1: ")), "")
            return found["path"], next(logged, why.removeprefix("1: "))
    return "", ""


def why(err: str) -> str:
    """What it says below its headline."""
    said = [line.strip() for line in err.splitlines() if line.strip()]
    return next((line for line in said if not line.startswith("fatal: ")), said[-1])


# Of what its schema lets pass and its description of a workflow does not, it logs the cause
_LOGGED = lazy_pattern(r"ERROR .*msg=\"(?P<why>.+)\"")
_STOPPED = lazy_pattern(r"(?:error: )?failed to load file://(?P<path>.+) as \w+")


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not zizmor's JSON, or cut short.
    """
    rows = _shared.json_document(lines, list[Any], "zizmor")
    return [
        _finding(strict.json_object(row, f"result {n}"), f"result {n}")
        for n, row in enumerate(rows, 1)
    ]


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; what no stranger can use weighs less."""
    if (
        finding.rule not in (_RIGHTS, _INJECTION, _TRIGGER, _INHERIT)
        or finding.priority is Priority.P3
    ):
        return finding
    data = read()
    if finding.rule == _INJECTION:
        # Said, so that it is another finding on a base whose events no stranger causes
        by_strangers = _is_started_by_strangers(finding, data) and not _is_by_hand(finding, data)
        said = _BY_STRANGERS if by_strangers else ""
        title = f"{finding.title}{said}"
        return replace(finding, priority=_weigh_injection(finding, data), title=title)
    if finding.rule == _INHERIT:
        own = calls_own_workflow(data, finding.line_start)
        return replace(finding, priority=Priority.P3) if own else finding
    if finding.rule == _TRIGGER:
        return finding if may_run_code(data) else replace(finding, priority=Priority.P3)
    if _AT_THE_TOP in finding.title and len(jobs_of(data)) == 1:
        return replace(finding, priority=Priority.P3)  # as if it stood in the only job
    if _READS in finding.title:
        return replace(finding, priority=Priority.P3)  # nobody can write with these
    if is_for_strangers(data):
        return finding
    little = _AT_THE_TOP in finding.title
    return replace(finding, priority=Priority.P3 if little else Priority.P2)


def _weigh_injection(finding: Finding, data: bytes) -> Priority:
    """P1 for text of strangers: an event that they start, or that holds what they wrote. Members
    may run what they like anyway; of what is called, its callers decide."""
    named, texts = _references(finding, data)
    if named and not texts:
        return Priority.P3
    if finding.priority is Priority.P2:
        return Priority.P2 if _is_started_by_strangers(finding, data) else Priority.P3
    if not texts or not all(map(_OF_MEMBERS.fullmatch, texts)):
        return Priority.P1
    if _is_by_hand(finding, data):
        return Priority.P3
    if _is_started_by_strangers(finding, data):
        return Priority.P1
    if _is_action(finding):
        return Priority.P3 if _OWN.match(finding.path) else Priority.P2
    return Priority.P2 if is_for_strangers(data) else Priority.P3


def _references(finding: Finding, data: bytes) -> tuple[list[bytes], list[bytes]]:
    """All that the expressions of the finding name, and what of it may hold any text."""
    rows = data.split(b"\n")[finding.line_start - 1 : finding.line_end]
    found = [_LITERAL.sub(b"", each) for row in rows for each in _EXPRESSION.findall(row)]
    named = [reference for each in found for reference in _REFERENCE.findall(each)]
    # github['head_ref'], and all that an object holds
    named += [each for each in found if b"[" in each or b"tojson" in each.lower()]
    return named, [reference for reference in named if not _OF_SERVICE.fullmatch(reference)]


def _is_by_hand(finding: Finding, data: bytes) -> bool:
    """All texts are what somebody with write access types in who starts the workflow by hand: the
    other events leave them empty."""
    _named, texts = _references(finding, data)
    return bool(texts) and all(map(_BY_HAND.fullmatch, texts))


def _is_started_by_strangers(finding: Finding, data: bytes) -> bool:
    """An action has no events, whatever words stand in it: a workflow runs it."""
    return not _is_action(finding) and is_for_strangers(data, called=False)


def _is_action(finding: Finding) -> bool:
    return _shared.base_name(finding.path) in _ACTIONS


def _finding(row: dict[str, Any], where: str) -> Finding:
    audit = strict.json_string(row.get("ident"), f"{where}: ident")
    place = _primary(strict.json_array(row.get("locations"), f"{where}: locations"), where)
    symbolic = strict.json_object(place.get("symbolic"), f"{where}: symbolic")
    (first, last), columns = _span(place.get("concrete"), where)
    told = (
        strict.json_string(text or "", where)
        for text in (row.get("desc"), symbolic.get("annotation"))
    )
    found = strict.tool_finding(
        "zizmor",
        audit,
        _priority(
            audit, strict.json_object(row.get("determinations"), f"{where}: determinations"), where
        ),
        _path(symbolic.get("key"), where),
        (first, last),
        ": ".join(text for text in told if text),
        category="security",
        columns=columns,
        page=strict.json_string(row.get("url") or "", f"{where}: url"),
    )
    return (
        replace(found, state=FindingState.WAIVED, note="ignored by a comment or by zizmor's config")
        if row.get("ignored")
        else found
    )


def _primary(locations: list[Any], where: str) -> dict[str, Any]:
    places = [strict.json_object(place, f"{where}: location") for place in locations]
    kinds = [
        strict.json_object(place.get("symbolic"), f"{where}: symbolic").get("kind")
        for place in places
    ]
    if not places:
        raise ValueError(f"{where}: no location")
    return places[kinds.index("Primary")] if "Primary" in kinds else places[0]


def _path(key: Any, where: str) -> str:
    local = strict.json_object(
        strict.json_object(key, f"{where}: key").get("Local"), f"{where}: key"
    )
    return _shared.tool_path(
        local.get("verbatim_path") or local.get("given_path"), f"{where}: path"
    )


def _span(concrete: Any, where: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Lines and columns from 1. A span that ends at the start of a line does not reach into it."""
    span = strict.json_object(
        strict.json_object(concrete, f"{where}: concrete").get("location"), f"{where}: location"
    )
    first, start = _point(span.get("start_point"), where)
    last, end = _point(span.get("end_point"), where)
    if end == 0 and last > first:
        return (first + 1, last), (start + 1, 0)
    return (first + 1, last + 1), (start + 1, end + 1)


def _point(value: Any, where: str) -> tuple[int, int]:
    point = strict.json_object(value, f"{where}: point")
    return strict.whole_number(point.get("row"), f"{where}: row"), strict.whole_number(
        point.get("column", 0), f"{where}: column"
    )


def _priority(audit: str, said: dict[str, Any], where: str) -> Priority:
    """Severity counts only as far as the tool is sure."""
    words = [
        strict.json_string(said.get(key), f"{where}: {key}") for key in ("severity", "confidence")
    ]
    if any(word not in _RANK for word in words):
        raise ValueError(f"{where}: unknown severity {strict.one_line(' / '.join(words), 60)}")
    rank = min(_RANK[word] for word in words)
    if known := weight("zizmor", audit):
        return known
    if rank < 2:
        return Priority.P3
    return Priority.P1 if rank == 3 else Priority.P2
