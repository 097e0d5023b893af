"""A statement without its semicolon, above the line where a grammar gives up."""

import pytest

from reviewgate_gh.text.statements import find_unended_statement


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("a += 1", "B.C(a);", 2),
        ("a += 1;", "B.C(a);", 0),
        ("a.B(c)", "return d;", 2),
        ("if (a.B(c))", "D();", 0),
        ("var a = from b in c", "where (b.d) > 1;", 0),
        ('var a = "b"  // c', "d = e;", 2),
        ("A(b,", "c(d);", 0),
        ("a = b +", "c(d);", 0),
        ("a++", "if (b) {", 2),
        ("a", "if (b) {", 0),
        ("a == b", "c(d);", 0),
    ],
)
def test_statement_without_its_end(first: str, second: str, found: int) -> None:
    assert find_unended_statement("C#", f"{{\n  {first}\n  {second}\n}}\n", 3) == found
    assert find_unended_statement("Kotlin", f"{{\n  {first}\n  {second}\n}}\n", 3) == 0


def test_what_belongs_to_the_row_before() -> None:
    assert find_unended_statement("C#", "foreach (var a\nb = c(d)\ne();\n", 3) == 0


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("return a", 2),
        ("return a;", 0),
        ("return f(a)  // b", 2),
        ("return a +", 0),
        ("a->b = c", 2),
        ("a[0] += c", 2),
        ("LAST = 1", 0),
        ("RETURN_IF(a)", 0),
    ],
)
def test_what_no_macro_begins_lacks_its_end_before_a_bracket(row: str, found: int) -> None:
    for language in ("C", "C++"):
        assert find_unended_statement(language, f"{{\n  {row}\n}}\n", 3) == found
        assert find_unended_statement(language, f"{{\n  {row}\n  b();\n}}\n", 3) == 0
