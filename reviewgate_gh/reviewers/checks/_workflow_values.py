"""Which steps, jobs, inputs and matrix values an expression of a workflow may ask for."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...text.keywords import is_one_slip
from ._expressions import Path
from ._yaml_trees import MERGE, at, fields, items, text_of

_EXPRESSION = "${{"
_ALL = 1 << 30  # more steps than any file holds


class Known(Struct, frozen=True):
    """Names in lower case; None where they cannot be known. `steps` are the names of a job's steps
    with their places, of which those below `step` have run; `needs` the outputs of the jobs that it
    waits for."""

    steps: dict[str, int] | None
    inputs: frozenset[str] | None = None
    needs: dict[str, frozenset[str] | None] | None = None
    matrix: frozenset[str] | None = None
    step: int = _ALL

    def before(self, number: int) -> "Known":
        """What a step may ask for."""
        return replace(self, step=number)

    def lacks(self, path: Path) -> str:
        """Why a value is never set; "" where it may be."""
        first, second = path[0], path[1] if len(path) > 1 else "*"
        if second == "*":
            return ""
        if first == "steps" and self.steps is not None and not self._has_run(second):
            return f"no earlier step of the job has the id `{second}`"
        if first == "inputs" and self.inputs is not None and second not in self.inputs:
            return f"there is no input `{second}`"
        if first == "matrix" and self.matrix is not None and second not in self.matrix:
            # Many ask for what some entries of other versions of the matrix had
            near = [name for name in sorted(self.matrix) if is_one_slip(second, name)]
            return f"the matrix has `{near[0]}`" if near else ""
        return self._lacks_need(path) if first == "needs" and self.needs is not None else ""

    def _has_run(self, step: str) -> bool:
        return (self.steps or {}).get(step, self.step) < self.step

    def _lacks_need(self, path: Path) -> str:
        job, asked = path[1], path[2:4]
        if job not in (self.needs or {}):
            return f"the job does not wait for `{job}`"
        outputs = (self.needs or {})[job]
        if outputs is None or len(asked) < 2 or asked[0] != "outputs" or asked[1] == "*":
            return ""
        return "" if asked[1] in outputs else f"the job `{job}` has no output `{asked[1]}`"


def known_of_action(root: Any) -> Known:
    """Of the steps of a composite action."""
    return Known(_steps(at(root, "runs", "steps")), _names(at(root, "inputs"), True))


def known_of_job(root: Any, name: str) -> Known:
    """Of a job."""
    jobs = fields(at(root, "jobs"))
    job = jobs[name]
    return Known(
        _steps(at(job, "steps")), _inputs(root), _needs(jobs, job), _matrix(at(job, "strategy"))
    )


def _steps(node: Any) -> dict[str, int] | None:
    found = items(node)
    if not all(each.id == "mapping" and MERGE not in fields(each) for each in found):
        return None
    # Of two with one name the first counts
    named = [(text_of(at(each, "id")).lower(), number) for number, each in enumerate(found)]
    return dict(reversed(named))


def _names(node: Any, are_none: bool = False) -> frozenset[str] | None:
    """The keys of a mapping; of what is missing none, or nobody knows."""
    if node is None or (node.id == "scalar" and not node.value):
        return frozenset() if are_none else None
    found = frozenset(map(str.lower, fields(node)))
    return None if node.id != "mapping" or MERGE in found or _has_expression(found) else found


def _has_expression(names: frozenset[str]) -> bool:
    return any(_EXPRESSION in name for name in names)


def _inputs(root: Any) -> frozenset[str] | None:
    events, found = at(root, "on"), frozenset[str]()
    for event in ("workflow_dispatch", "workflow_call"):
        names = _names(at(events, event, "inputs"), True)
        if names is None:
            return None
        found |= names
    return found


def _needs(jobs: dict[str, Any], job: Any) -> dict[str, frozenset[str] | None] | None:
    node = at(job, "needs")
    if MERGE in fields(job):
        return None
    names = [text_of(each) for each in (items(node) if text_of(node) == "" else [node])]
    if any(_EXPRESSION in name or name not in jobs for name in names):
        return None
    return {
        name.lower(): None
        if at(jobs[name], "uses") is not None or MERGE in fields(jobs[name])
        else _names(at(jobs[name], "outputs"), True)
        for name in names
    }


def _matrix(strategy: Any) -> frozenset[str] | None:
    """The matrix's own names and those of what it includes."""
    matrix = at(strategy, "matrix")
    if strategy is None:
        return frozenset()
    found = _names(matrix)
    if found is None or "include" not in found:
        return found
    include = at(matrix, "include")
    for each in items(include):
        names = _names(each)
        if names is None:
            return None
        found |= names
    return found if include.id == "sequence" else None
