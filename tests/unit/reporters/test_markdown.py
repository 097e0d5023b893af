"""reporters/markdown.py: the step summary."""

import re

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding, QuotedLine
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.markdown import MAX_BYTES, render
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import BLOCKED, CLEAN, DOUBTFUL, RICH, UNDEFINED

LOOK = OutputStyle()


def rows(text: str) -> list[str]:
    """The rows of the tables of findings."""
    return [line for line in text.splitlines() if line.startswith("| P")]


def cells(row: str) -> list[str]:
    """A row's cells as GitHub's Markdown splits it: at every pipe that no backslash precedes."""
    return re.split(r"(?<!\\)\|", row)[1:-1]


def test_golden() -> None:
    web = "https://github.com/octo/repo"
    assert_golden("markdown.txt", render(RICH, OutputStyle(repository=web)))


def test_a_pass_shows_no_empty_tables() -> None:
    shown = render(CLEAN, LOOK)
    assert shown.startswith(
        "## ✅ reviewgate-gh: pass\n\nnothing found in 7 files · reviewed by ruff 0.17.6, builtin\n"
    )
    assert "Where" not in shown and "<details>" not in shown


def test_low_confidence_has_a_table_of_its_own() -> None:
    before, after = render(RICH, LOOK).split("### Needs Human Review\n")
    assert "src/app/query.py:77" in rows(after)[0] and "query.py" not in before


def test_foreign_text_stays_in_its_cell() -> None:
    odd = ("a|b", "a\\|b", "a\nb", "`a|b`", "\\", "``|``", "| --- |", "a\r| x |")
    for text in odd:
        finding = replace(
            UNDEFINED,
            path=text,
            rule=text,
            title=text,
            sources=(text,),
            body="",
            excerpt=(),
            suggestion=None,
        )
        [row] = rows(render(replace(BLOCKED, findings=(finding,)), LOOK))
        assert len(cells(row)) == 5, (text, row)


def test_code_cannot_leave_its_fence() -> None:
    code = "```\n</details>\n````\n# heading"
    finding = replace(UNDEFINED, suggestion=code, excerpt=(QuotedLine(12, "````` x"),), body="")
    shown = render(replace(BLOCKED, findings=(finding,)), LOOK)
    fences = [line for line in shown.splitlines() if re.fullmatch(r"`{5,}", line)]
    assert len(fences) >= 4 - 2 and shown.count("</details>") == 2
    assert re.search(r"^(`{5,})\n```\n</details>\n````\n# heading\n\1$", shown, re.MULTILINE)


@pytest.mark.contract(plain=False)
def test_it_stays_under_the_limit_and_counts_what_is_left_out() -> None:
    many = tuple(
        replace(UNDEFINED, line_start=n, line_end=n, body=f"é{n} " * 80) for n in range(1, 9_001)
    )
    shown = render(
        replace(
            BLOCKED,
            findings=many,
            verdict=replace(BLOCKED.verdict, not_reviewed=("x" * 400,) * 5_000),
        ),
        LOOK,
    )
    assert len(shown.encode()) <= MAX_BYTES
    left = int(re.search(r"and ([\d,]+) more findings left out", shown)[1].replace(",", ""))
    assert left + len(rows(shown)) == 9_000 and left > 0
    assert re.search(r"and [\d,]+ more details left out", shown)
    assert "and 4,900 more lines left out" in shown
    assert shown.rstrip().endswith("</sub>")


def test_what_fits_is_whole() -> None:
    shown = render(
        replace(
            BLOCKED,
            findings=tuple(replace(UNDEFINED, line_start=n, line_end=n) for n in range(1, 401)),
        ),
        LOOK,
    )
    assert len(rows(shown)) == 400 and "left out" not in shown


def test_reviewers_and_gaps_are_shown() -> None:
    shown = render(RICH, LOOK)
    assert "| linters/shellcheck | 0.11.0 | failed | 0 | exit 3: unknown option" in shown
    assert "Set aside: 121 not new, 1 waived, 1 dismissed, 1 duplicate." in shown
    assert "> **The gate was overridden:** late" in render(replace(CLEAN, skipped="late"), LOOK)


def test_details_are_only_for_findings_that_have_some() -> None:
    bare: Finding = replace(DOUBTFUL, body="", excerpt=())
    assert "<details>" not in render(replace(BLOCKED, findings=(bare,)), LOOK)
