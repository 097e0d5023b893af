"""Jobs that publish or deploy, and that start now without the condition or the person they waited
for."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._workflows import events_of, read_tree
from .._guards import loss_is_explained
from .._pipelines import PIPELINES, bare_text, is_readable
from .._remark import ComparisonRule, hint, taken
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "release-gate-removed",
    Priority.P2,
    "It publishes or deploys from more branches, or without being asked. Restore the condition, "
    "or name what holds it back.",
)
_GIVES = lazy_pattern(r"(?i)publish|releas|deploy|\bdocker push\b|terraform apply|kubectl apply")
# https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idif
_CONDITION = lazy_pattern(r"github\.(?:ref|event|base_ref|head_ref|repository|actor)|startsWith\(")
_EXPRESSION = lazy_pattern(r"\$\{\{[^}]{0,500}\}\}")  # it may ask for `published`
# https://docs.gitlab.com/ci/yaml/#rules
_GATES = ("rules", "only", "except")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a pipeline."""
    for file in sources.files:
        edited = file.removed and not (file.is_new or file.is_gone)
        if edited and PIPELINES.search(file.path) and is_readable(file.path, file.head):
            yield from islice(_in_file(file), 1) if not _is_rebuilt(file) else []


def _is_of_steps(file: ComparedFile, job: Any) -> bool:
    """Every step that gives something away has a condition of its own."""
    steps = _keys(job).get("steps")
    giving = [
        step
        for step in (steps.value if steps is not None and steps.id == "sequence" else ())
        if _GIVES.search(_EXPRESSION.sub("", _text(file.head_rows, step)))
    ]
    return bool(giving) and all(
        (own := _keys(step).get("if")) is not None and _CONDITION.search(str(own.value))
        for step in giving
    )


def _is_rebuilt(file: ComparedFile) -> bool:
    """What starts the whole pipeline is another now, which may say the same."""
    was, now = ({*_filters(text)} for text in (file.base, file.head))
    if now - was:
        return True
    return events_of(file.base) != events_of(file.head) or any(
        line.text.startswith("workflow:") for line in (*file.added, *file.removed)
    )


def _filters(text: str) -> Iterator[str]:
    """By which branches and tags a workflow is started, event by event."""
    for event, given in _keys(_keys(read_tree(text)).get("on")).items():
        yield from (f"{event} {name}" for name in _keys(given) if name in ("branches", "tags"))


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    before, after = _jobs(file.base), _jobs(file.head)
    for name, job in before.items():
        now = after.get(name)
        if now is None or not _GIVES.search(f"{name}\n{_text(file.base_rows, job)}"):
            continue
        if not _GIVES.search(_EXPRESSION.sub("", f"{name}\n{_text(file.head_rows, now)}")):
            continue  # another job has taken that over
        for key, value in _gates_of(job).items():
            line = _line_of(file, value)
            if key in _kept(now) or line is None or (key == "if" and _is_of_steps(file, now)):
                continue
            block = next(block for block in file.blocks if line in block.removed)
            rule = hint(_RULE) if loss_is_explained(file, block) else _RULE
            yield taken(rule, file, line, f"the job {name} no longer waits for `{key}`")


def _jobs(text: str) -> dict[str, Any]:
    """Jobs by name: those below `jobs`, or in GitLab whatever has a script."""
    root = _keys(read_tree(text))
    jobs = _keys(root["jobs"]) if "jobs" in root else root
    return {name: job for name, job in jobs.items() if job.id == "mapping"}


def _keys(node: Any) -> dict[str, Any]:
    if node is None or node.id != "mapping":
        return {}
    return {key.value: value for key, value in node.value if key.id == "scalar"}


def _gates_of(job: Any) -> dict[str, Any]:
    """What holds a job back, by key: a condition on what is built, a person, an environment."""
    keys = _keys(job)
    gates = {key: keys[key] for key in (*_GATES, "environment") if key in keys}
    if "if" in keys and _CONDITION.search(str(keys["if"].value)):
        gates["if"] = keys["if"]
    if "when" in keys and keys["when"].value == "manual":
        gates["when"] = keys["when"]
    # In GitLab it holds nobody back by itself, and CircleCI calls variables so:
    # https://circleci.com/docs/reference/configuration-reference/#environment
    named = "environment" in keys and (
        keys["environment"].id == "scalar" or "name" in _keys(keys["environment"])
    )
    if "script" in keys or not named:
        gates.pop("environment", None)
    return gates


def _kept(job: Any) -> set[str]:
    """The gates at head; one of GitLab's stands for the others."""
    own = _keys(job)
    kept = {*own}
    if not kept.isdisjoint({*_GATES, "extends"}):
        kept |= {*_GATES}
    if not kept.isdisjoint({"if", "uses"}):
        kept |= {"if", "environment"}
    if "environment" in own:
        kept.add("if")  # its rules hold the job back: which branches, which people
    if "when" in own and own["when"].value != "manual":
        kept.remove("when")
    if "rules" in own or "extends" in own:
        kept.add("when")  # one of the rules may say so
    return kept


def _line_of(file: ComparedFile, value: Any) -> Line | None:
    """The removed line where the value begins, or the one above that has its key."""
    first = value.start_mark.line + 1
    return next((line for line in file.removed if line.number in (first, first - 1)), None)


def _text(rows: Sequence[str], job: Any) -> str:
    return bare_text("\n".join(rows[job.start_mark.line : job.end_mark.line]))
