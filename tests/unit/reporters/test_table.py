"""Tables for people."""

from reviewgate_gh.reporters._layout import render_table
from reviewgate_gh.reporters._look import OutputStyle

HEADER = ("name", "count", "what")
CELLS = [[("ab", ""), ("7", ""), ("one", "red")], [("漢字", ""), ("1,200", ""), ("", "")]]


def test_plain_columns_line_up_and_numbers_stand_right() -> None:
    assert (
        render_table(HEADER, CELLS, OutputStyle())
        == "name  count  what\nab        7  one\n漢字  1,200\n"
    )


def test_colours_only_on_a_terminal() -> None:
    painted = render_table(HEADER, CELLS, OutputStyle(color=True))
    assert "\x1b[31mone" in painted
    assert "\x1b" not in render_table(HEADER, CELLS, OutputStyle())


def test_foreign_text_is_made_safe() -> None:
    token = "ghp_" + "R4nd0mT0k3n" * 3 + "abc"
    shown = render_table(("what",), [[(f"\x1b[2J::error::x\n{token}", "")]], OutputStyle())
    assert "\x1b" not in shown
    assert token not in shown
    assert not any(line.startswith("::") for line in shown.splitlines())


def test_a_table_without_rows_is_its_heading() -> None:
    assert render_table(HEADER, [], OutputStyle()) == "name  count  what\n"
