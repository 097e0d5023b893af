"""Generated programs: what was sent is found where it does harm, and nowhere else."""

import random

import pytest

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.taint.engine import judge_sinks
from reviewgate_gh.reviewers.taint.findings import find_flows

from .programs import SINKS, SOURCES, WAYS, Program, programs


def _wrong(program: Program) -> bool:
    found = {
        f.rule for f in find_flows("a.py", program.text.encode()) if f.priority.reaches(Priority.P2)
    }
    return (program.sink in found) is not bool(program.rule) or _judged_harmless(program)


def _judged_harmless(program: Program) -> bool:
    """Nothing is left of a linter's remark on a call that does harm."""
    contained = "exec(compile(" in program.text  # a linter's remark on it weighs little anyway
    sinks = judge_sinks(program.text.encode()) if program.rule and not contained else ()
    mine = [sink.harmless for sink in sinks if f"taint/{sink.defect}" == program.sink]
    return bool(mine) and all(mine)


def _sample(number: int, seed: int) -> list[Program]:
    every = list(programs())
    return random.Random(seed).sample(every, number)


def test_a_sample_of_all_combinations() -> None:
    assert [program.name for program in _sample(50, 1) if _wrong(program)] == []


@pytest.mark.big
def test_a_larger_sample() -> None:
    assert [program.name for program in _sample(2_500, 2) if _wrong(program)] == []


@pytest.mark.big
def test_all_of_them() -> None:
    assert [program.name for program in programs() if _wrong(program)] == []


@pytest.mark.contract(plain=False)
def test_every_source_way_and_sink_once() -> None:
    seen: set[str] = set()
    wrong = []
    for program in programs():
        parts = set(program.name.split(", "))
        if parts - seen:
            seen |= parts
            wrong += [program.name] if _wrong(program) else []
    assert wrong == []
    assert {*SOURCES, *WAYS} <= seen and any(
        name.startswith(sink) for sink in SINKS for name in seen
    )
