"""Old and new findings, one to one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.findings.differ import ComparedFinding, find_new, renamed_units
from reviewgate_gh.findings.source_text import SourceText
from reviewgate_gh.model.finding import Priority


def finding(unit: str = "f", statement: str = "eval(x)", **others: object) -> ComparedFinding:
    text = SourceText("a.py", f"def {unit}(x):\n    {statement}\n".encode())
    one = ComparedFinding("a.py", 2, "ruff/S307", "eval", Priority.P1, False, lambda: text)
    return replace(one, **others)


ONE = finding()


def new(
    head: list[ComparedFinding], base: list[ComparedFinding], **renamed: str
) -> tuple[bool, ...]:
    return find_new(head, base, lambda _path: renamed)


def test_one_of_the_base_excuses_one() -> None:
    assert new([ONE, ONE], [ONE]) == (False, True)
    assert new([ONE], [ONE, ONE]) == (False,)
    assert new([ONE], []) == (True,)


def test_whatever_differs_makes_it_new() -> None:
    for other in (
        finding(rule="ruff/S102"),
        finding(statement="eval(y)"),
        finding(unit="g"),
        finding(title="exec"),
        finding(priority=Priority.P0),
    ):
        assert new([other], [ONE]) == (True,), other


def test_it_may_move_to_another_file_or_with_its_units_new_name() -> None:
    assert new([replace(ONE, path="b.py")], [ONE]) == (False,)
    assert new([ONE, replace(ONE, path="b.py")], [ONE]) == (False, True)
    assert new([finding(unit="g")], [ONE], g="f") == (False,)


def of(text: str, line: int, path: str = "a.js") -> ComparedFinding:
    """A finding on a line of a script."""
    source = SourceText(path, text.encode())
    return replace(ONE, path=path, line=line, text=lambda: source)


def test_statements_of_a_script_may_go_into_a_new_function() -> None:
    script = of("import os\neval(x)\n", 2, "a.py")
    text = "import os\n\n\ndef main():\n    eval(x)\n"
    assert new([of(text, 5, "a.py")], [script]) == (False,)
    # Into one that was there it brings what that one did not do
    with_main = of("import os\neval(x)\n\n\ndef main():\n    pass\n", 2, "a.py")
    assert new([of(text, 5, "a.py")], [with_main]) == (True,)
    assert new(
        [of(f"{text}\n\neval(x)\n", 5, "a.py"), of(f"{text}\n\neval(x)\n", 8, "a.py")], [script]
    ) == (
        True,
        False,
    )


FLAT = "on('x', (p) => {\n  var found = [...p.data?.rows()][0]\n  use(found)\n})\n"


@pytest.mark.parametrize(
    ("text", "line", "is_new"),
    [
        (
            'on("x", (p) => {\n  var found =\n    [...p.data?.rows()][0];\n\n  use(found);\n});\n',
            3,
            False,
        ),
        ("on('x', (p) => { var found = [...p.data?.rows()][0]\n use(found) })\n", 1, False),
        (
            'on("x", (p) => {\n  var found =\n    [...p.data?.names()][0];\n  use(found);\n});\n',
            3,
            True,
        ),
        (
            'on("x", (p) => {\n  var found =\n    [...p.data?.rows()][0];\n  drop(found);\n});\n',
            3,
            True,
        ),
        (
            'on("x", (p) => {\n  var other =\n    [...p.data?.rows()][0];\n  use(found);\n});\n',
            3,
            True,
        ),
    ],
)
def test_a_formatter_makes_nothing_new(text: str, line: int, is_new: bool) -> None:
    assert new([of(text, line)], [of(FLAT, 2)]) == (is_new,)
    assert new([of(text, line), of(text, line)], [of(FLAT, 2)]) == (is_new, True)


@pytest.mark.parametrize(
    ("text", "line", "column", "is_new"),
    [
        ("def f(a, b={}, *, c='x, y') -> int:\n", 1, 12, False),
        ("def f(a: int, b={}):\n", 1, 17, False),
        ("async def f(\n    a,\n    c: dict[str, int],\n    b={},  # why\n):\n", 4, 7, False),
        ("def f(a, b=[]):\n", 1, 12, True),
        ("def f(a, c={}):\n", 1, 12, True),
        ("def g(a, b={}):\n", 1, 12, True),
        ("f(a, b={}, c=1)\n", 1, 8, True),
    ],
)
def test_a_parameter_is_a_statement_of_its_own(
    text: str, line: int, column: int, is_new: bool
) -> None:
    before = replace(of("def f(a, b={}):\n    pass\n", 1, "a.py"), column=12)
    after = replace(of(f"{text}    pass\n", line, "a.py"), column=column)
    assert new([after], [before]) == (is_new,)
    assert new([replace(after, column=1)], [replace(before, column=1)]) == (True,)


def test_what_a_function_returns_and_what_a_call_is_given_are_whole() -> None:
    for old, head, column in (
        ("def f(a) -> eval(x):\n", "def f(a, b) -> eval(x):\n", 16),
        ("run(a, shell=True)\n", "run(a, b, shell=True)\n", 11),
        ("class A(eval(x)):\n", "class A(B, eval(x)):\n", 12),
    ):
        before = replace(of(old, 1, "a.py"), column=old.index("e") + 1)
        assert new([replace(of(head, 1, "a.py"), column=column)], [before]) == (True,), head


def test_quotes_may_change_where_they_mean_the_same() -> None:
    old, plain = "a\n  run 'ls' x\nb\n", 'a\n  run "ls" x\nb\n'
    assert new([of(plain, 2, "a.sh")], [of(old, 2, "a.sh")]) == (False,)
    expanded = of(plain.replace("ls", "$x"), 2, "a.sh"), of(old.replace("ls", "$x"), 2, "a.sh")
    assert new([expanded[0]], [expanded[1]]) == (True,)


def test_a_file_that_did_not_parse_may_break_elsewhere_and_not_more_often() -> None:
    broken = replace(ONE, is_syntax=True, rule="ruff/invalid-syntax", title="expected `)`")
    other = replace(broken, title="unexpected indent", line=1)
    assert new([other], [broken]) == (False,)
    assert new([other, other], [broken]) == (False, True)
    assert new([replace(other, path="b.py")], [broken]) == (True,)


def test_a_unit_is_renamed_where_one_came_and_one_went() -> None:
    assert renamed_units({"", "g"}, {"", "f"}) == {"g": "f"}
    assert renamed_units({"g", "h"}, {"f"}) == {}
    assert renamed_units({"B", "B.m", "B.n"}, {"A", "A.m", "A.k"}) == {
        "B": "A",
        "B.m": "A.m",
        "B.n": "A.k",
    }
    assert renamed_units({"f", "g"}, {"f"}) == {}


_FINDINGS = st.lists(
    st.builds(
        finding,
        path=st.sampled_from(["a.py", "b.py"]),
        unit=st.sampled_from(["f", "g"]),
        statement=st.sampled_from(["x", "y"]),
        is_syntax=st.booleans(),
    ),
    max_size=12,
)


@given(_FINDINGS, _FINDINGS)
@pytest.mark.req("R006-004")
def test_no_more_are_old_than_the_base_has(
    head: list[ComparedFinding], base: list[ComparedFinding]
) -> None:
    found = new(head, base)
    assert found.count(False) <= len(base)
    assert new(head, head) == (False,) * len(head)
    assert sum(found) >= len(head) - len(base)


def test_findings_of_one_line_share_its_statement() -> None:
    """A packed file has thousands on a line of a megabyte."""
    packed = of(f"{'f(x);' * 9}\n", 1)
    other = replace(packed, rule="ruff/S102")
    assert packed.code[-1] is other.code[-1]
    source = packed.text()
    assert source.bare_statement(1) is source.bare_statement(1)
