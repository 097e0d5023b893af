"""Expressions of GitHub's workflows and actions that GitHub cannot read, or that ask for a value
which nothing sets.

https://docs.github.com/en/actions/reference/workflows-and-actions/contexts
"""

from collections.abc import Iterator
from typing import Any

from ...model.finding import Finding, Priority
from ...text.lines import LineNumbers
from ...text.patterns import lazy_pattern
from ._expressions import STATUS, ExpressionError, Path, expressions_in, read_expression
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._workflow_values import Known, known_of_action, known_of_job
from ._workflows import read_tree
from ._yaml_trees import at, fields, items, line_of, scalars

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST = 300_000
_WANTED = lazy_pattern(r"\A\.github/workflows/[^/]+\.ya?ml\Z|(?:\A|/)action\.ya?ml\Z")
_IN_ALL = frozenset(("github", "inputs", "vars"))
_OF_MATRIX = _IN_ALL | {"needs", "strategy", "matrix"}
_WHILE_RUNNING = _OF_MATRIX | {"job", "runner", "env", "secrets", "steps"}
# https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#context-availability
_OF_JOB = {
    "if": _IN_ALL | {"needs"},
    "strategy": _IN_ALL | {"needs"},
    "name": _OF_MATRIX,
    "runs-on": _OF_MATRIX,
    "timeout-minutes": _OF_MATRIX,
    "continue-on-error": _OF_MATRIX,
    "concurrency": _OF_MATRIX,
    "with": _OF_MATRIX,
}
_HASH = frozenset(("hashfiles",))


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding an expression that the base did not have."""
    return new_problems(sources, _is_wanted, _problems, _LARGEST)


def _is_wanted(path: str) -> bool:
    return _WANTED.search(path) is not None


def _problems(path: str, data: bytes) -> Iterator[Problem]:
    root = read_tree(data.decode("utf-8", "replace"))
    steps = at(root, "runs", "steps")
    if steps is not None:
        yield from _in_steps(steps, known_of_action(root))
    for name, job in fields(at(root, "jobs")).items():
        known = known_of_job(root, name)
        for key, node in fields(job).items():
            if key == "steps":
                yield from _in_steps(node, known)
            elif key == "if":
                yield from _told(node, True, _OF_JOB[key], STATUS, known)
            else:
                for each in scalars(node):
                    allowed = _OF_JOB.get(key, _WHILE_RUNNING)
                    yield from _told(each, False, allowed, _HASH, known)


def _in_steps(steps: Any, known: Known) -> Iterator[Problem]:
    for number, step in enumerate(items(steps)):
        here = known.before(number)
        for key, node in fields(step).items():
            if key == "if":
                allowed = _WHILE_RUNNING - {"secrets"}
                yield from _told(node, True, allowed, STATUS | _HASH, here)
            else:
                for each in scalars(node):
                    yield from _told(each, False, _WHILE_RUNNING, _HASH, here)


def _told(
    node: Any, is_condition: bool, contexts: frozenset[str], functions: frozenset[str], known: Known
) -> Iterator[Problem]:
    for line, text in _expressions_of(node, is_condition):
        if isinstance(text, ExpressionError):
            yield _refused(line, str(text))
            continue
        try:
            paths, calls = read_expression(text)
        except ExpressionError as error:
            yield _refused(line, str(error))
            continue
        except RecursionError:
            continue
        wrong = [f"the context `{path[0]}`" for path in paths if path[0] not in contexts]
        wrong += [f"the function `{call}`" for call in sorted(calls & (STATUS | _HASH) - functions)]
        if wrong:
            yield _refused(line, f"{wrong[0]} is not available here")
        yield from _missing(line, paths, known)


def _expressions_of(node: Any, is_condition: bool) -> Iterator[tuple[int, str | ExpressionError]]:
    """Each with its line, or why it cannot be found."""
    if node is None or node.id != "scalar" or not node.value:
        return
    text, line = node.value, line_of(node)
    if is_condition and "${{" not in text:
        yield line, text
        return
    lines = LineNumbers(text if node.style == "|" else "")
    try:
        for inner, begin in expressions_in(text):
            if inner.strip() != "insert":
                yield line + (lines.at(begin) if node.style == "|" else 0), inner
    except ExpressionError as error:
        yield line, error


def _missing(line: int, paths: list[Path], known: Known) -> Iterator[Problem]:
    for path in paths:
        if says := known.lacks(path):
            yield Problem(
                "workflow-value",
                line,
                f"`{'.'.join(path[:4])}` is always empty: {says}",
                "GitHub gives an empty text for a value that nothing sets. Correct the name.",
            )


def _refused(line: int, why: str) -> Problem:
    return Problem(
        "workflow-expression",
        line,
        f"GitHub cannot read this expression: {why}",
        "GitHub refuses the whole workflow, so that no job runs.",
        Priority.P1,
    )
