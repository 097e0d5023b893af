"""reporters/terminal.py: what a person sees before a push."""

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.model.finding import FindingState, Priority, QuotedLine
from reviewgate_gh.model.report import Outcome, Verdict
from reviewgate_gh.reporters._layout import fit_row, text_width
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.terminal import render
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import (
    BLOCKED,
    CLEAN,
    DOUBTFUL,
    LONG_LINE,
    NOTHING,
    REVIEWS,
    RICH,
    STYLE,
    UNDEFINED,
)

PLAIN, COLOUR = OutputStyle(), OutputStyle(color=True)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def last(text: str) -> str:
    return text.splitlines()[-1]


def test_golden() -> None:
    assert_golden("terminal.txt", render(RICH, PLAIN))


def test_verbose_lists_what_is_not_open_and_why() -> None:
    states = [FindingState.DUPLICATE, FindingState.WAIVED, FindingState.OUTSIDE_DIFF]
    aside = [
        replace(UNDEFINED, state=state, note=f"why {state.value}", body="what it said")
        for state in states
    ]
    made = replace(CLEAN, findings=tuple(aside))
    assert "what it said" not in render(made, PLAIN)
    shown = render(made, OutputStyle(verbose=True))
    for words in ("duplicate: why", "waived: why", "not new: why"):
        assert f"    {words}" in shown
    assert shown.count("what it said") == 3
    many = render(replace(CLEAN, findings=(aside[0],) * 60), OutputStyle(verbose=True))
    assert "and 10 more (see --output json)" in many


@pytest.mark.req("R004-060")
def test_colours_say_the_same_and_the_priority_is_coloured() -> None:
    coloured = render(RICH, COLOUR)
    assert _ANSI.sub("", coloured) == render(RICH, PLAIN)
    badges = {
        re.search(rf"((?:\x1b\[[0-9;]*m)+){name}\x1b", coloured)[1]
        for name in ("P0", "P1", "P2", "P3")
    }
    assert len(badges) == 4
    assert last(render(RICH, PLAIN)).startswith(
        "reviewgate-gh: inconclusive · 1 P0, 1 P1, 2 P2, 2 P3 in 7 files"
    )


@pytest.mark.parametrize(("look", "loaded"), [("", "False"), ("color=True", "True")])
def test_rich_is_loaded_for_colours_only(look: str, loaded: str) -> None:
    program = (
        "import sys; from tests.unit.reporters.sample import RICH; from reviewgate_gh.reporters "
        "import terminal, _look;"
        f"terminal.render(RICH, _look.OutputStyle({look})); print('rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == loaded


def test_findings_come_most_severe_first() -> None:
    shown = re.findall(
        r"^(P\d)  ", render(RICH, PLAIN).split("Needs Human Review")[0], re.MULTILINE
    )
    assert shown == ["P0", "P1", "P2", "P2", "P3", "P3"]


def test_the_anchored_lines_are_marked() -> None:
    lines = render(BLOCKED, PLAIN).splitlines()
    assert [text for text in lines if text.startswith("    >")] == [
        "    > 12 │     for row in rows:",
        "    > 13 │         total += row.amount",
    ]
    assert "      10 │ def sum_up(rows):" in lines


def test_a_nice_to_have_takes_one_line() -> None:
    report = replace(
        BLOCKED, findings=(replace(STYLE[0], body="A long story.", excerpt=(QuotedLine(40, "x"),)),)
    )
    assert [
        text for text in render(report, PLAIN).splitlines() if "E501" in text or "story" in text
    ] == ["P3  src/app/totals.py:40  Line too long (132 > 100)  (E501 · linters/ruff)"]


@pytest.mark.req("R003-021")
def test_low_confidence_stands_under_its_heading() -> None:
    before, after = render(RICH, PLAIN).split("\nNeeds Human Review\n")
    assert "src/app/query.py:77" in after and "src/app/query.py:77" not in before
    assert "Needs Human Review" not in render(BLOCKED, PLAIN)


def test_what_is_not_open_is_only_counted() -> None:
    shown = render(RICH, PLAIN)
    assert "set aside: 121 not new, 1 waived, 1 dismissed, 1 duplicate\n" in shown
    assert "S602" not in shown and "SC2155" not in shown


def test_a_clean_pass_is_two_lines_at_most() -> None:
    assert (
        render(CLEAN, PLAIN)
        == "reviewgate-gh: pass · nothing found in 7 files · reviewed by ruff 0.17.6, builtin\n"
    )
    busy = replace(
        CLEAN,
        findings=(replace(STYLE[0], state=FindingState.WAIVED),),
        reviews=REVIEWS,
        notices=("first", "second"),
    )
    assert render(busy, PLAIN).count("\n") == 2
    assert "1 waived" in render(busy, PLAIN) and "note: second" in render(busy, PLAIN)


def test_nothing_to_review() -> None:
    assert render(NOTHING, PLAIN) == "reviewgate-gh: pass · nothing to review\n"


def test_nobody_answered_is_said() -> None:
    assert "no reviewer answered" in last(render(replace(CLEAN, reviews=REVIEWS[2:]), PLAIN))


def test_warn_mode_says_that_it_would_block() -> None:
    assert last(render(replace(BLOCKED, mode="warn"), PLAIN)).startswith(
        "reviewgate-gh: would block (mode: warn) · 1 P1"
    )
    assert last(render(BLOCKED, PLAIN)).startswith("reviewgate-gh: block · 1 P1")
    assert "mode: warn" not in render(replace(CLEAN, mode="warn"), PLAIN)


def test_an_override_is_loud_and_never_looks_clean() -> None:
    shown = render(replace(BLOCKED, skipped="hotfix, see the pager"), PLAIN)
    assert "THE GATE WAS OVERRIDDEN: hotfix, see the pager\n" in shown
    assert last(shown).startswith("reviewgate-gh: block, overridden")
    assert "OVERRIDDEN" in render(replace(CLEAN, skipped="late"), PLAIN)


def test_reviews_without_an_answer_are_named_with_their_error() -> None:
    shown = render(RICH, PLAIN)
    assert "incomplete: linters/shellcheck failed: exit 3: unknown option `--jsn`\n" in shown
    assert "linters/zizmor skipped: no workflow in the change\n" in shown


def test_other_reasons_of_an_inconclusive_verdict_are_named() -> None:
    report = replace(
        RICH,
        verdict=replace(RICH.verdict, reasons=("linters/shellcheck failed", "the deadline passed")),
    )
    assert render(report, PLAIN).count("incomplete: ") == 2
    assert "incomplete: the deadline passed\n" in render(report, PLAIN)


def test_fifty_in_full_and_the_rest_counted() -> None:
    many = tuple(replace(UNDEFINED, line_start=n, line_end=n) for n in range(1, 1_234))
    shown = render(replace(BLOCKED, findings=many), PLAIN)
    assert len(re.findall(r"^P1  ", shown, re.MULTILINE)) == 50
    assert "and 1,183 more (see --output json)" in shown
    assert "1,233 P1" in last(shown)


def test_long_frames_and_bodies_are_cut_with_their_count() -> None:
    long = replace(
        UNDEFINED,
        body="word\n" * 100,
        excerpt=tuple(QuotedLine(n, "x = 1") for n in range(1, 41)),
        suggestion="y\n" * 40,
    )
    shown = render(replace(BLOCKED, findings=(long,)), PLAIN)
    assert shown.count("│ x = 1") == 12 and shown.count("word") == 30 and shown.count("+ y") == 12
    assert shown.count("… 28 more lines") == 2 and "… 70 more lines" in shown


def test_an_empty_suggestion_means_deletion() -> None:
    assert "Suggestion: delete it" in render(
        replace(BLOCKED, findings=(replace(UNDEFINED, suggestion=""),)), PLAIN
    )


@pytest.mark.parametrize("width", [1, 40, 80, 200])
def test_prose_and_code_keep_to_the_width(width: int) -> None:
    shown = render(
        replace(BLOCKED, findings=(LONG_LINE, DOUBTFUL, UNDEFINED)), replace(PLAIN, width=width)
    ).splitlines()
    indented = [
        text
        for text in shown
        if text.startswith("    ") and " · " not in text and "view_" not in text
    ]
    assert indented and max(map(len, indented)) <= max(width, 40)


def test_without_unicode_all_is_ascii() -> None:
    shown = render(replace(RICH, notices=("naïve ⚠",)), replace(PLAIN, unicode=False))
    assert shown.isascii() and "12 |" in shown and r"na\xefve \u26a0" in shown


def test_inconclusive_without_reviews_is_no_pass() -> None:
    report = replace(NOTHING, verdict=Verdict(Outcome.INCONCLUSIVE, ("no object for src/a.py",)))
    assert "nothing to review" not in render(report, PLAIN)
    assert "incomplete: no object for src/a.py" in render(report, PLAIN)


def test_priorities_without_findings_are_not_counted() -> None:
    assert "P0" not in render(
        replace(BLOCKED, findings=(replace(UNDEFINED, priority=Priority.P2),)), PLAIN
    )


def test_other_places_leave_out_the_findings_own() -> None:
    one = replace(UNDEFINED, places=(UNDEFINED.location, "b.py:7", "c.py:9"))
    assert "Also at b.py:7, c.py:9" in render(replace(BLOCKED, findings=(one,)), PLAIN)


def test_a_body_of_a_megabyte_without_a_space_is_cut_before_it_is_wrapped() -> None:
    report = replace(BLOCKED, findings=(replace(UNDEFINED, body="x" * 1_000_000),))
    shown = render(report, OutputStyle(width=80))
    assert shown.count("x" * 76) == 30 and "    … more\n" in shown


ON_TERMINAL = replace(COLOUR, terminal=True, root="/r")
_LINK = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\")


def carets(**changes: object) -> str:
    """The row below the first line of a finding about `x = call(a)`."""
    code = (QuotedLine(4, "\tx = call(a)"),)
    place = {"line_start": 4, "line_end": 4, "column_start": 6, "column_end": 10}
    found = replace(UNDEFINED, **{"excerpt": code, **place, **changes})
    rows = render(replace(BLOCKED, findings=(found,)), PLAIN).splitlines()
    below = rows[next(n for n, row in enumerate(rows) if row.startswith("    > 4")) + 1]
    return below.partition("│ ")[2] if "^" in below else ""


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "        ^^^^"),
        ({"column_start": 0}, ""),
        ({"column_end": 0}, "        ^"),
        ({"column_end": 99}, "        ^"),
        ({"column_start": 40}, ""),
        ({"line_end": 6}, "        ^^^^^^^"),
        ({"excerpt": (QuotedLine(4, "\té = call(a)"),)}, ""),
        ({"excerpt": (QuotedLine(4, "x = [REDACTED:token]"),)}, ""),
    ],
)
def test_carets_show_what_the_tool_means(changes: dict[str, object], shown: str) -> None:
    assert carets(**changes) == shown


def test_a_suggestion_shows_the_lines_that_go() -> None:
    code = (QuotedLine(4, "a = 1"), QuotedLine(5, "b = None == c"))
    found = replace(
        UNDEFINED, line_start=4, line_end=5, excerpt=code, suggestion="a = 1\nb = c is None"
    )
    shown = render(replace(BLOCKED, findings=(found,)), PLAIN)
    assert "    - b = None == c\n    + b = c is None\n" in shown and "- a = 1" not in shown
    part = replace(found, excerpt=code[:1])
    assert "    + a = 1\n" in render(replace(BLOCKED, findings=(part,)), PLAIN)


@given(
    st.lists(st.tuples(st.text("ab -", max_size=9), st.sampled_from(["", "dim"])), max_size=9),
    st.integers(10, 40),
)
def test_a_terminal_breaks_rows_between_words_and_loses_none(
    row: list[tuple[str, str]], width: int
) -> None:
    look, text = OutputStyle(width=width, terminal=True), "".join(part for part, _ in row)
    fitted = [list(pieces) for pieces in fit_row(row, look)]
    lines = ["".join(part for part, _ in pieces) for pieces in fitted]
    assert " ".join(lines).split() == text.split()
    for line in lines:
        *before, word = line.split() or [""]
        assert len(line) <= width or len(word) + 4 > width, "only a word that fits nowhere"
        assert len(line) <= width or len(" ".join(before)) < 4, "and at most a label before it"
    assert [list(pieces) for pieces in fit_row(row, OutputStyle(width=width))] == [row]


def test_the_verdict_has_a_line_of_its_own_on_a_narrow_terminal() -> None:
    *_, who, verdict = render(BLOCKED, OutputStyle(width=60, terminal=True)).splitlines()
    assert (who, verdict) == (
        "reviewed by ruff 0.17.6, builtin",
        "reviewgate-gh: block · 1 P1, 1 P3 in 7 files",
    )
    assert "files · reviewed by" in last(render(BLOCKED, OutputStyle(width=99, terminal=True)))


def test_only_a_terminal_gets_links() -> None:
    shown = render(RICH, ON_TERMINAL)
    for address in ("file:///r/src/app/totals.py", "https://docs.example/rules/B006"):
        assert address in "".join(_LINK.findall(shown))
    assert "\x1b]8" not in render(RICH, COLOUR) and "file:" not in render(RICH, PLAIN)
    assert "file:///r/deploy/caf%E9%20key.pem" in shown


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.unknown", "noext", "a.yml"])
def test_colours_of_code_change_no_character(path: str) -> None:
    code = (QuotedLine(12, "  def f(x): return 'a' # b"), QuotedLine(13, 'key: {a: "b" `c` é}'))
    report = replace(BLOCKED, findings=(replace(UNDEFINED, path=path, excerpt=code),))
    assert _ANSI.sub("", render(report, COLOUR)) == render(report, PLAIN)


def test_quiet_is_findings_and_the_verdict_and_nothing_for_a_pass() -> None:
    quiet = OutputStyle(quiet=True)
    assert render(CLEAN, quiet) == render(NOTHING, quiet) == ""
    assert render(replace(CLEAN, skipped="late"), quiet).count("OVERRIDDEN") == 1
    shown = render(RICH, quiet)
    assert "note: " not in shown and last(shown) == last(render(RICH, PLAIN))
    assert shown.count("P1  ") == 1 and "A false alarm?" not in shown


def test_the_command_against_a_false_alarm_can_be_pasted() -> None:
    assert f"waive add {UNDEFINED.fingerprint} --reason 'WHY'" in render(BLOCKED, PLAIN)


def test_only_what_blocks_shows_its_fingerprint() -> None:
    minor = replace(UNDEFINED, priority=Priority.P2)
    report = replace(CLEAN, findings=(minor,), verdict=Verdict(Outcome.CONCERNS))
    assert minor.fingerprint not in render(report, PLAIN)
    assert minor.fingerprint in render(report, OutputStyle(verbose=True))
    assert minor.fingerprint in render(replace(report, threshold="P2"), PLAIN)


WIDE = 'x = "返金🎉" + missing'


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"sources": ("ruff",)}, " " * 15 + "^" * 7),
        ({"sources": ("oxlint",)}, ""),
        ({"sources": ("ruff",), "column_start": 5, "column_end": 10}, " " * 4 + "^" * 8),
        ({"sources": ("ruff",), "excerpt": (QuotedLine(4, 'x = "שלום🎉" + missing'),)}, ""),
    ],
)
def test_carets_stand_below_wide_characters(changes: dict[str, object], shown: str) -> None:
    place = {"column_start": 13, "column_end": 20}
    assert carets(**{"excerpt": (QuotedLine(4, WIDE),), **place, **changes}) == shown


@given(
    st.text("ab c返🎉", min_size=60, max_size=200).map(lambda text: f"x{text}x"),
    st.data(),
    st.integers(40, 90),
)
def test_what_is_meant_is_in_sight_and_marked_whatever_stands_before_it(
    code: str, data: st.DataObject, width: int
) -> None:
    start = data.draw(st.integers(1, len(code)))
    end = data.draw(st.integers(start + 1, min(start + 9, len(code) + 1)))
    found = replace(
        UNDEFINED, sources=("ruff",), line_start=4, line_end=4, column_start=start,
        column_end=end, excerpt=(QuotedLine(4, code),),
    )  # fmt: skip
    shown = render(replace(BLOCKED, findings=(found,)), replace(PLAIN, width=width)).splitlines()
    at = next(n for n, row in enumerate(shown) if row.startswith("    > 4"))
    line, below = (row.partition("│ ")[2] for row in shown[at : at + 2])
    assert text_width(shown[at]) <= max(width, 32)
    column, marked = len(below) - len(below.lstrip()), ""
    for char in line:
        if column <= 0 and text_width(marked) < below.count("^"):
            marked += char
        column -= text_width(char)
    meant = code[start - 1 : end - 1]
    assert marked == meant or (marked.endswith("…") and meant.startswith(marked[:-1])), shown


def test_a_long_address_and_a_command_stay_whole() -> None:
    address = "https://docs.example/" + "rules/" * 12
    found = replace(UNDEFINED, body=f"See {address}", rule="r" * 40)
    report = replace(BLOCKED, findings=(found,))
    shown = render(report, OutputStyle(width=40, terminal=True)).splitlines()
    assert f"    {address}" in shown
    assert f"    reviewgate-gh waive add {found.fingerprint} --reason 'WHY'" in shown
    assert "A false alarm?" in shown
    assert f"    {found.fingerprint}" in shown or f"    · {found.fingerprint}" in shown


@pytest.mark.parametrize("width", [20, 40])
def test_a_priority_stays_beside_a_path_that_is_wider_than_the_terminal(width: int) -> None:
    path = "folder/" * 9 + "a.py"
    found = replace(UNDEFINED, priority=Priority.P3, path=path)
    shown = render(replace(BLOCKED, findings=(found,)), OutputStyle(width=width, terminal=True))
    assert f"P3  {path}" in shown.splitlines()[0]


def test_findings_in_one_line_come_from_left_to_right() -> None:
    places = [replace(UNDEFINED, column_start=column, ordinal=10 - column) for column in (1, 9, 5)]
    shown = render(replace(BLOCKED, findings=tuple(places)), PLAIN)
    assert re.findall(rf"{UNDEFINED.location}:(\d)", shown) == ["1", "5", "9"]
