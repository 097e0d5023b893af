"""What a module defines for others, and which of that goes or takes other arguments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.findings.causes import causing_line
from reviewgate_gh.model.change import FileDiff
from reviewgate_gh.reviewers.python.definitions import (
    find_changed,
    read_definitions,
)
from reviewgate_gh.reviewers.python.guards import UsingCode
from reviewgate_gh.reviewers.python.roots import SourceRoots
from tests.unit.support import edited


def changed(before: str, after: str) -> list[tuple[str, str]]:
    base, head = read_definitions(before.encode()), read_definitions(after.encode())
    assert base is not None
    assert head is not None
    return [(each.kind, each.name) for each in find_changed("a.py", base, head)]


MODULE = """
import os
from sys import path as where
try:
    import fast
except ImportError:
    fast = None
A, (B, C) = 1, (2, 3)
D: int = 4
with open("x") as handle:
    pass
for row in ():
    last = row
class K:
    field = 1
    def m(self, a, *, b=2):
        self.x = self.y = a
        def inner(): pass
        local = 1
async def g(p, /, q=1, **kw): pass
"""


def test_names_and_no_locals() -> None:
    found = read_definitions(MODULE.encode())
    assert found is not None
    assert {*found} == {
        *("os", "where", "fast", "A", "B", "C", "D", "handle", "row", "last"),
        *("K", "K.field", "K.m", "K.x", "K.y", "g"),
    }
    assert found["os"].imported
    assert not found["fast"].imported


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("def f(a): pass", "def f(a, b): pass", [("signature", "f")]),
        ("def f(a): pass", "def f(a, /): pass", [("signature", "f")]),
        ("def f(a=1): pass", "def f(a=2): pass", []),
        ("def f(a): pass", "def f(a: int) -> None: return None", []),
        ("def f(a): pass", "@wraps\ndef f(a): pass", [("signature", "f")]),
        ("def f(a): pass", "from b import f", []),
        ("import os\nx = 1", "x = 1", [("import", "os")]),
        ("class A:\n def m(self): pass", "class B: pass", [("removed", "A")]),
        ("class A:\n def m(self): pass", "class A: pass", [("removed", "A.m")]),
        ("class A: x = 1", "class A:\n x=1\n def __init__(s, a): 1", [("signature", "A.__init__")]),
        ("class A:\n def __len__(self): return 1", "class A: pass", []),
        ("class A(B): pass", "class A(C): pass", [("signature", "A")]),
        ("__all__ = ['a']\na = 1", "__all__ = []\na = 1", [("export", "__all__.a")]),
        ("if x:\n a = 1", "a = 1", []),
    ],
)  # fmt: skip
def test_what_others_lose(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert changed(before, after) == expected
    assert changed(after, after) == []


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = read_definitions(text.encode("utf-8", "surrogatepass"))
    assert found is None or not [*find_changed("a.py", found, found)]
    UsingCode(text.encode("utf-8", "surrogatepass")).call_line(1, 1)


@pytest.mark.parametrize(
    "data", [b"(" * 100_000, b"-" * 1_000_001, b"x = [" * 900, b"\0", b"a.b" * 100_000]
)
def test_hostile_text_is_refused(data: bytes) -> None:
    assert not read_definitions(data)


FILE = edited("a.py", " import os", "-def f():", "-    pass", " def g():", "+    x = 1", start=4)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [(((5, 5),), (), 5), ((), ((5, 6),), 6), (((1, 2),), (), 0), (((4, 9),), ((9, 9),), 5)],
)
def test_the_causing_line(
    old: tuple[tuple[int, int], ...], new: tuple[tuple[int, int], ...], line: int
) -> None:
    assert causing_line(FILE, old, new) == line


def test_a_file_that_is_gone_has_no_line() -> None:
    gone = FileDiff("a.py", "a.py", "D", "100644", "000000", "1" * 40, "0" * 40)
    assert causing_line(gone, ((1, 2),), ()) == 0


GUARDED = b"""
try:
    import a
except ImportError:
    a = None
try:
    b.c()
except Exception:
    pass
with pytest.raises(TypeError):
    f(1)
if TYPE_CHECKING:
    import d
"""


@pytest.mark.parametrize(
    ("kind", "lines"), [("imports", {3, 7}), ("attributes", set()), ("arguments", {11})]
)
def test_what_is_expected_to_fail(kind: str, lines: set[int]) -> None:
    code = UsingCode(GUARDED)
    assert {n for n in range(1, 14) if code.catches(kind, n)} == lines
    assert [n for n in range(1, 14) if code.is_for_checkers(n)] == [13]


def test_a_standard_module_is_none_of_the_tree() -> None:
    """A folder called `json` in a folder that holds packages makes no root of it."""
    paths = ["src/app/json/__init__.py", "src/app/a.py", "src/app/util/__init__.py"]
    roots = SourceRoots(paths)
    files = {"src/app/a.py": b"import json\nfrom app.util import x\n"}
    assert roots.choose(["src/app/util/__init__.py"], files) == ("src", "")
