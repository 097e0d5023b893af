"""What is said of a flow: where the input comes in, its way, where it does harm, how to fix it."""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from .engine import find_hits
from .reached import ReachedSink, is_own
from .sinks import KINDS, SinkKind

_CONSTANT = "constant"  # no input
_LOWER = {Priority.P1: Priority.P2, Priority.P2: Priority.P3, Priority.P3: Priority.P3}


def find_flows(path: str, data: bytes, in_tests: bool = False) -> Iterator[Finding]:
    """The findings of one file; in tests, which play the stranger themselves, they are remarks."""
    for hit in find_hits(data):
        kind = KINDS[hit.kind]
        priority = Priority.P3 if in_tests or is_own(hit) else _priority(hit, kind)
        yield Finding(
            priority,
            "security",
            f"taint/{kind.rule}",
            path,
            hit.first,
            hit.last,
            _title(hit, kind),
            f"{_way(hit)}\n{kind.fix}",
            places=tuple(f"{path}:{line}" for line in _lines(hit)),
        )


def _title(hit: ReachedSink, kind: SinkKind) -> str:
    label = hit.flow.source.label
    if hit.flow.source.origin == _CONSTANT:
        return f"{label} makes {kind.what} ({hit.sink})"
    return f"{label} reaches {kind.what} ({hit.sink})"


def _priority(hit: ReachedSink, kind: SinkKind) -> Priority:
    return kind.priority if hit.flow.sure else _LOWER[kind.priority]


def _lines(hit: ReachedSink) -> list[int]:
    """Where the input comes in and what it goes through, before the call."""
    lines = (hit.flow.source.line, *(line for line, _name in hit.flow.steps))
    return [line for line in dict.fromkeys(lines) if not hit.first <= line <= hit.last]


def _way(hit: ReachedSink) -> str:
    flow = hit.flow
    if flow.source.origin == _CONSTANT:
        return f"`{flow.source.key}` is what this call is given."
    steps = ", ".join(f"`{name}` (line {line})" for line, name in flow.steps)
    through = f", goes through {steps}" if steps else ""
    doubt = "" if flow.sure else " It passes through code that was not looked into."
    return (
        f"The input `{flow.source.key}` comes in at line {flow.source.line}{through} and is used "
        f"at line {hit.first}.{doubt}"
    )
