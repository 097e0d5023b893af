"""Which jobs of a pipeline wait for which others, in the words of each service."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ....text.patterns import lazy_pattern
from ...checks._workflows import read_tree

KEYS = lazy_pattern(
    r"\s*(?:-\s+)?(?:needs|requires|dependsOn|depends_on|stages?|wait)\b|\s*stage\s*\("
)


class Job(NamedTuple):
    """What its service calls a job, a stage or a step: the part of the file that says what it does
    (None where that is elsewhere), where it is said what it waits for, and for which others."""

    node: Any
    entry: Any
    waits: frozenset[str]


def read_jobs(path: str, text: str) -> dict[str, Job]:
    """The jobs of a pipeline by their names."""
    if "Jenkinsfile" in path:
        return {}
    top = read_tree(text)
    for known, read in _READERS:
        if known in path:
            return dict(read(top))
    return {}


def _of_github(top: Any) -> Iterator[tuple[str, Job]]:
    for name, job in pairs(child(top, "jobs")):
        yield name, Job(job, job, _words(child(job, "needs")))


def _of_gitlab(top: Any) -> Iterator[tuple[str, Job]]:
    """Without `needs` a job waits for all of the stages before its own.
    https://docs.gitlab.com/ci/yaml/#needs, https://docs.gitlab.com/ci/yaml/#stages"""
    every = {name: job for name, job in pairs(top) if job.id == "mapping"}
    order = [".pre", *(_items(child(top, "stages")) or _STAGES), ".post"]
    jobs = {name: job for name, job in every.items() if child(job, "script") or child(job, "run")}
    jobs = {name: job for name, job in jobs.items() if not name.startswith(".")}
    stages = {name: _stage(every, job) for name, job in jobs.items()}
    for name, job in jobs.items():
        needs = _inherited(every, job, "needs")
        at = order.index(stages[name]) if stages[name] in order else 0
        before = {other for other, stage in stages.items() if stage in order[:at]}
        yield name, Job(job, job, frozenset(before) if needs is None else _words(needs))


_STAGES = ("build", "test", "deploy")


def _stage(every: Mapping[str, Any], job: Any) -> str:
    found = _inherited(every, job, "stage")
    return str(found.value) if found is not None and found.id == "scalar" else "test"


def _inherited(every: Mapping[str, Any], job: Any, key: str, depth: int = 0) -> Any:
    """The value of a job, or of the first one that it extends."""
    own = child(job, key)
    if own is not None or depth > 10:
        return own
    names = _items(child(job, "extends"))
    found = (_inherited(every, every[name], key, depth + 1) for name in names if name in every)
    return next((each for each in found if each is not None), None)


def _of_circle(top: Any) -> Iterator[tuple[str, Job]]:
    """https://circleci.com/docs/reference/configuration-reference/#requires"""
    nodes = dict(pairs(child(top, "jobs")))
    for _name, flow in pairs(child(top, "workflows")):
        for entry in _sequence(child(flow, "jobs")):
            for name, given in [(entry.value, None)] if entry.id == "scalar" else pairs(entry):
                own = child(given, "name")
                requires = _words(child(given, "requires"))
                yield (own.value if own else name), Job(nodes.get(name), entry, requires)


def _of_azure(top: Any) -> Iterator[tuple[str, Job]]:
    """A stage waits for the one before it, unless it says for which; a job only if it says so.
    https://learn.microsoft.com/azure/devops/pipelines/process/stages"""
    last = frozenset[str]()
    for stage in _sequence(child(top, "stages")):
        name = child(stage, "stage")
        given = child(stage, "dependsOn")
        if name is not None:
            yield name.value, Job(stage, stage, last if given is None else _words(given))
            last = frozenset((name.value,))
        yield from _azure_jobs(stage)
    yield from _azure_jobs(top)


def _azure_jobs(node: Any) -> Iterator[tuple[str, Job]]:
    for job in _sequence(child(node, "jobs")):
        name = child(job, "job") or child(job, "deployment")
        if name is not None:
            yield name.value, Job(job, job, _words(child(job, "dependsOn")))


def _of_buildkite(top: Any) -> Iterator[tuple[str, Job]]:
    """What stands below a `wait` or a `block` waits for all above.
    https://buildkite.com/docs/pipelines/configure/dependencies"""
    above, held = list[str](), list[str]()
    for step in _sequence(child(top, "steps")):
        if step.id == "scalar" or not _STEPS.isdisjoint(key for key, _value in pairs(step)):
            held = [*above]
            continue
        name = child(step, "key") or child(step, "label") or child(step, "name")
        if name is not None:
            given = child(step, "depends_on")
            waits = frozenset(held) if given is None else _words(given)
            yield name.value, Job(step, step, waits)
            above.append(name.value)


_STEPS = frozenset(("wait", "block", "input"))


def _of_drone(top: Any) -> Iterator[tuple[str, Job]]:
    """The steps run one after the other, unless one says what it waits for.
    https://docs.drone.io/pipeline/docker/syntax/parallelism/"""
    steps = [(child(step, "name"), step) for step in _sequence(child(top, "steps"))]
    told = any(child(step, "depends_on") is not None for _name, step in steps)
    above = frozenset[str]()
    for name, step in steps:
        if name is not None:
            waits = _words(child(step, "depends_on")) if told else above
            yield name.value, Job(step, step, waits)
            above |= {name.value}


_READERS = (
    ("workflows/", _of_github), (".gitlab", _of_gitlab), (".circleci/", _of_circle),
    ("azure-pipelines", _of_azure), (".buildkite/", _of_buildkite), (".drone", _of_drone),
)  # fmt: skip


def child(node: Any, name: str) -> Any:
    """The value of a key of a mapping, if it has it."""
    return next((value for key, value in pairs(node) if key == name), None)


def pairs(node: Any) -> Iterator[tuple[str, Any]]:
    """The keys and values of a mapping; nothing of anything else."""
    for key, value in node.value if node is not None and node.id == "mapping" else ():
        if key.id == "scalar":
            yield key.value, value


def _sequence(node: Any) -> Sequence[Any]:
    return node.value if node is not None and node.id == "sequence" else ()


def _items(node: Any) -> list[str]:
    """The texts of a scalar or a list, in their order."""
    if node is not None and node.id == "scalar":
        return [node.value] if node.value else []
    return [each.value for each in _sequence(node) if each.id == "scalar"]


def _words(node: Any) -> frozenset[str]:
    """The names in a scalar or a list; of an entry with more to say, the name in it."""
    named = (child(each, "job") or child(each, "step") for each in _sequence(node))
    return frozenset((*_items(node), *(each.value for each in named if each is not None)))
