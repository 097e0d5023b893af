"""What breaks elsewhere is said once."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.causes import merge_with_broken_uses
from reviewgate_gh.model.finding import CausingPlace, Confidence, FindingState, Priority
from tests.unit.support import finding

BROKEN = finding(
    "user.py", 3, "callers/import", "`Box.go` is used here", cause=CausingPlace("lib.py", 1)
)


CHANGED = {"lib.py", "touched.py", "other.py"}


@pytest.mark.parametrize(
    ("path", "title", "places", "left"),
    [
        ("lib.py", "go is removed, and is still used", ("lib.py:6", "user.py:3"), None),
        ("lib.py", "go is removed, and is still used", ("user.py:9",), None),
        ("lib.py", "go is removed, and is still used", ("user.py:3", "more.py:1"), None),
        ("lib.py", "go is removed", ("user.py:3", "touched.py:1"), ("touched.py:1",)),
        ("lib.py", "stop is removed", ("user.py:3",), ("user.py:3",)),
        ("other.py", "go is removed", ("user.py:3",), ("user.py:3",)),
        ("lib.py", "go is removed", (), ()),
        ("lib.py", "go is removed", ("lib.py:6",), ("lib.py:6",)),
    ],
)
def test_a_remark_at_the_change(
    path: str, title: str, places: tuple[str, ...], left: tuple[str, ...] | None
) -> None:
    remark = finding(path, 6, "change/removed-name-used", title, places=places)
    first, second = merge_with_broken_uses([remark, BROKEN], CHANGED)
    assert first.state is (FindingState.DUPLICATE if left is None else FindingState.OPEN)
    assert first.places == (places if left is None else left)
    assert second == BROKEN
    assert merge_with_broken_uses([remark], CHANGED) == (remark,)


def test_only_who_looks_at_all_unchanged_files_speaks_for_those_it_does_not_name() -> None:
    remark = finding("lib.py", 6, "change/x", "go is removed", places=("user.py:3", "more.py:1"))
    first, _second = merge_with_broken_uses([remark, replace(BROKEN, rule="other/import")], CHANGED)
    assert first.state is FindingState.OPEN and first.places == ("more.py:1",)


def test_a_use_that_weighs_less_takes_no_remark_away() -> None:
    remark = finding("lib.py", 6, "change/removed-name-used", "go is gone", places=("user.py:3",))
    mild = replace(BROKEN, priority=Priority.P3)
    assert remark.priority < mild.priority
    assert merge_with_broken_uses([remark, mild], CHANGED) == (remark, mild)
    mixed = [remark, BROKEN, replace(mild, path="more.py")]
    assert merge_with_broken_uses(mixed, CHANGED) == tuple(mixed)


def test_what_a_model_says_of_a_use_stands_for_no_remark_of_a_tool():
    """It may be refuted later, or say that it is nothing: then nobody would say it."""
    remark = finding("lib.py", 6, "change/removed-name-used", "go is gone", places=("user.py:3",))
    said = replace(BROKEN, rule="", priority=Priority.P3, title="`go` is used here")
    assert merge_with_broken_uses([remark, said], CHANGED) == (remark, said)


BESIDE = replace(
    BROKEN,
    rule="",
    category="correctness",
    priority=Priority.P2,
    confidence=Confidence.LOW,
    title="go() is called without the new argument",
    body="`go` takes a second argument now, and this call passes one.",
    sources=("one/correctness",),
)
SAYS = "user.py still calls go() without the new second argument"


@pytest.mark.parametrize(
    ("path", "line", "text", "said_once"),
    [
        ("lib.py", 2, SAYS, True),
        ("lib.py", 5, SAYS, False),
        ("other.py", 2, SAYS, False),
        ("lib.py", 2, SAYS.replace("user.py", "superuser.py"), False),
        ("lib.py", 2, SAYS.replace("user.py", "A caller"), False),
        ("lib.py", 2, "user.py: the password is logged in plain text", False),
    ],
)
def test_models_that_say_it_at_the_change_and_where_it_breaks(path, line, text, said_once):
    """The one finding has all that both say, so that whoever withdraws it has to be both."""
    remark = replace(BESIDE, path=path, line_start=line, line_end=line, title=text, body="")
    remark = replace(remark, cause=None, placed=True, sources=("two/security",))
    remark = replace(remark, priority=Priority.P1, confidence=Confidence.HIGH)
    first, second = merge_with_broken_uses([remark, BESIDE], CHANGED)
    assert (first.state is FindingState.DUPLICATE) is said_once
    if said_once:
        assert (second.priority, second.confidence) == (Priority.P1, Confidence.HIGH)
        assert second.sources == ("one/correctness", "two/security")
        assert (second.path, second.title, second.cause) == ("user.py", SAYS, BESIDE.cause)
        own = replace(remark, sources=BESIDE.sources)
        assert merge_with_broken_uses([own, BESIDE], CHANGED) == (own, BESIDE)
    else:
        assert (first, second) == (remark, BESIDE)
