"""Lines at which make stops."""

import pytest

from reviewgate_gh.reviewers.checks import makefile
from tests.unit.reviewers.checks.support import edited, on, sources

GOOD = """\
include x.mk
-include y.mk
.PHONY: all
CC ?= gcc
define run
anything goes $(1)
endef
ifeq ($(X),1)
all: a \\
  b
\tcc -o $@ $^ && \\
    echo done
  else
$(eval $(call run,x))
$(info words)
endif
export
.if defined(X)
vpath %.c src
@IF@
{% if x %}
# all main.o
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GOOD, 0),
        ("all: a\n    cc a\n", 2),
        ("html:\n    $(BUILD) -b html\n    @echo done\n", 2),
        ("html:\n    @echo done\n", 2),
        ("all: a\n\tcc a\n\n    $(eval $(call run,x))\n    $(A): b\n", 0),
        ("a: b\n  ifdef X\n    C = d\n  endif\n", 0),
        ("all a\n\tcc a\n", 1),
        (GOOD + "oops\n", GOOD.count("\n") + 1),
        (".RECIPEPREFIX = >\nall:\n> cc a\noops\n", 0),
        ("", 0),
    ],
)
def test_where_make_stops(text: str, line: int) -> None:
    found = [("P1", "makefile-separator", f"Makefile:{line}")] if line else []
    assert on(makefile, "Makefile", text) == found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = "oops\nall: a\n    cc a\n"
    change = edited("Makefile", " oops", " all: a", "+    cc a")
    assert list(makefile.check(sources(change, contents={"Makefile": text}))) == []


def test_fixtures_may_hold_anything() -> None:
    assert on(makefile, "tests/fixtures/Makefile", "oops\n") == []


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("ifdef A\nB = 1\n", "condition", 1),
        ("ifdef A\nelse ifeq (a,b)\nelse\nendif\n", "", 0),
        ("endif\n", "condition", 1),
        ("define a\nifdef B\nendef\n", "", 0),
        ("a:\n\tifdef A\n", "", 0),
        ("a:\n\techo $(B\n", "reference", 2),
        ("a:\n\techo $(B) ${C\n", "reference", 2),
        ("a:\n\techo $(B) (c\n", "", 0),
        ("a = $(call b,\\\n  c)\n", "", 0),
        ("a:\n\techo $$(b\n", "", 0),
        ("# $(a\n", "", 0),
        ("define a\n$(b\nendef\n", "", 0),
    ],
)
def test_conditions_and_references(text: str, rule: str, line: int) -> None:
    expected = [("P1", f"makefile-{rule}", f"Makefile:{line}")] if rule else []
    assert on(makefile, "Makefile", text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: b\n\tcc b\n\na: c\n\tcc c\n", 4),
        ("a: b\n\tcc b\n\na: c\n", 0),
        ("a: b\n\tcc b\n\na:: c\n\tcc c\n", 0),
        ("a: b\n\tcc b\n\n%: c\n\tcc c\n%: d\n\tcc d\n", 0),
        ("ifdef X\na: b\n\tcc b\nelse\na: c\n\tcc c\nendif\n", 0),
    ],
)
def test_a_target_that_has_a_recipe_already(text: str, line: int) -> None:
    found = [("P2", "makefile-recipe-twice", f"Makefile:{line}")] if line else []
    assert on(makefile, "Makefile", text) == found
