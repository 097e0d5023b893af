"""docs/specification.md and the tests name the same behaviours."""

import ast
import re
from collections.abc import Iterator

from .support import ROOT

_ROW = re.compile(r"^\| (R\d{3}-\d{3}) \| (.+) \|$", re.MULTILINE)


def rows() -> list[tuple[str, str]]:
    """The specification's table: (id, behaviour)."""
    return _ROW.findall((ROOT / "docs/specification.md").read_text("utf-8"))


def marked() -> Iterator[str]:
    """The ids that `@pytest.mark.req(...)` names in any test file, `pytest.param(marks=...)` and
    `pytestmark` included."""
    for file in (ROOT / "tests").rglob("test_*.py"):
        if "peers" in file.relative_to(ROOT / "tests").parts:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.req":
                yield from (ast.literal_eval(argument) for argument in node.args)


def test_the_ids_are_the_same_on_both_sides() -> None:
    documented, shown = {key for key, _ in rows()}, set(marked())
    assert sorted(documented - shown) == [], "documented, and no test shows it"
    assert sorted(shown - documented) == [], "a test names it, and it is not documented"


def test_each_id_is_documented_once_and_in_order() -> None:
    ids = [key for key, _ in rows()]
    assert ids == sorted(set(ids))
