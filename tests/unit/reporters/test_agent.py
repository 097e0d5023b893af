"""reporters/agent.py: orders for coding agents."""

import re

from msgspec.structs import replace

from reviewgate_gh.model.report import Outcome, Verdict
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.agent import render
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import (
    BASE,
    BLOCKED,
    CLEAN,
    DOUBTFUL,
    NOTHING,
    RICH,
    STYLE,
    UNDEFINED,
)

LOOK = OutputStyle(color=True)


def test_golden() -> None:
    assert_golden("agent.txt", render(RICH, LOOK))


def test_a_pass_is_one_line() -> None:
    assert render(CLEAN, LOOK).count("\n") == 1
    assert render(NOTHING, LOOK) == "reviewgate-gh: pass · nothing to review\n"


def test_there_are_no_colours() -> None:
    assert "\x1b" not in render(RICH, LOOK)


def test_what_blocks_comes_first_and_numbers_run_on() -> None:
    shown = render(RICH, LOOK)
    assert re.findall(r"^(\d+)\. ", shown, re.MULTILINE) == list("1234567")
    fix, rest = shown.split("Worth fixing, not blocking:")
    assert "[P0 private-key " in fix and "[P1 F821 " in fix and "[P2" not in fix
    assert "Uncertain, check each:\n7. src/app/query.py:77 [P2 performance " in rest


def test_the_threshold_decides_what_must_be_fixed() -> None:
    report = replace(RICH, threshold="P2")
    assert "[P2 B006 " in render(report, LOOK).split("Worth fixing")[0]
    assert "Fix these" not in render(replace(RICH, threshold="none"), LOOK)


def test_the_command_checks_from_the_same_base() -> None:
    assert f"reviewgate-gh review --base {BASE} --output agent\n" in render(BLOCKED, LOOK)
    hostile = replace(BLOCKED, change=replace(BLOCKED.change, base="$(touch x)"))
    assert "reviewgate-gh review --output agent\n" in render(hostile, LOOK)
    assert "touch" not in render(hostile, LOOK)


def test_the_ways_around_are_forbidden() -> None:
    last = render(BLOCKED, LOOK).splitlines()[-1]
    for way in ("waive", "suppress", "config", "REVIEWGATE_GH_SKIP", "--no-verify"):
        assert way in last


def test_incomplete_is_no_pass() -> None:
    report = replace(CLEAN, verdict=Verdict(Outcome.INCONCLUSIVE, ("the deadline passed",)))
    assert "Not a pass: the review is incomplete.\n- the deadline passed\n" in render(report, LOOK)
    assert "this is not a pass: late" in render(replace(CLEAN, skipped="late"), LOOK)


def test_fifty_in_all() -> None:
    many = [
        replace(finding, line_start=n, line_end=n)
        for finding in (UNDEFINED, STYLE[0], DOUBTFUL)
        for n in range(1, 41)
    ]
    shown = render(replace(BLOCKED, findings=tuple(many)), LOOK)
    assert len(re.findall(r"^\d+\. ", shown, re.MULTILINE)) == 50
    assert "and 30 more" in shown and "and 40 more" in shown


def test_code_and_suggestion_are_on_the_findings_own_line() -> None:
    text = next(text for text in render(BLOCKED, LOOK).splitlines() if text.startswith("1."))
    assert "code: `for row in rows: ⏎ total += row.amount`" in text
    assert "replace with: `total = 0 ⏎ for row in rows:`" in text
