"""Tables for people."""

from reviewgate_gh.reporters._look import Look
from reviewgate_gh.reporters._table import table

HEADER = ("name", "count", "what")
CELLS = [[("ab", ""), ("7", ""), ("one", "red")], [("漢字", ""), ("1,200", ""), ("", "")]]


def test_plain_columns_line_up_and_numbers_stand_right() -> None:
    assert table(HEADER, CELLS, Look()) == "name  count  what\nab        7  one\n漢字  1,200\n"


def test_colours_only_on_a_terminal() -> None:
    painted = table(HEADER, CELLS, Look(color=True))
    assert "\x1b[31mone" in painted
    assert "\x1b" not in table(HEADER, CELLS, Look())


def test_foreign_text_is_made_safe() -> None:
    token = "ghp_" + "R4nd0mT0k3n" * 3 + "abc"
    shown = table(("what",), [[(f"\x1b[2J::error::x\n{token}", "")]], Look())
    assert "\x1b" not in shown
    assert token not in shown
    assert not any(line.startswith("::") for line in shown.splitlines())


def test_a_table_without_rows_is_its_heading() -> None:
    assert table(HEADER, [], Look()) == "name  count  what\n"
