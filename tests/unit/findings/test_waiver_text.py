"""Edits of the waivers file say what was meant and leave a person's comments where they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.findings.waivers_file import edit_waiver_file, waiver_file_text
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.model.waiver import Waiver, WaiverFile
from reviewgate_gh.text.config_file import parse_settings

WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
WAIVER = st.builds(
    Waiver,
    fingerprint=st.from_regex(r"[0-9a-f]{16}", fullmatch=True)
    | st.sampled_from(["1234567890123456", "00000000000000e1"]),
    reason=WORDS.filter(str.strip),
    expires=st.none() | st.dates().map(str),
    count=st.integers(1, 5),
    rule=WORDS,
    path=WORDS,
    title=WORDS,
    priority=st.none() | st.sampled_from(Priority),
)


def read(text: str) -> tuple[Waiver, ...]:
    """The waivers of a file."""
    return parse_settings(text.encode(), WaiverFile, "waivers").waivers


@given(st.lists(WAIVER, max_size=4))
def test_a_new_file_reads_back(waivers: list[Waiver]) -> None:
    assert read(waiver_file_text(waivers)) == tuple(waivers)


@given(st.data())
def test_edits_read_back(data: st.DataObject) -> None:
    before = data.draw(st.lists(WAIVER, min_size=1, max_size=5))
    places = st.integers(0, len(before) - 1)
    changed = data.draw(st.dictionaries(places, WAIVER | st.none(), max_size=3))
    added = data.draw(st.lists(WAIVER, min_size=1, max_size=2))
    kept = [changed.get(at, waiver) for at, waiver in enumerate(before)]
    if any(kept):
        assert read(edit_waiver_file(waiver_file_text(before), changed, added)) == (
            *filter(None, kept),
            *added,
        )


MINE = """\
# Ours.  Ask Ada before adding.
version: 1

waivers:   # newest last

# the old parser
- fingerprint: "aaaaaaaaaaaaaaaa"   # since 2020
  reason: >-
    it is
    folded
  count: 2

# the new one
- {fingerprint: bbbbbbbbbbbbbbbb, reason: "in braces"}
# the end
"""


def test_comments_and_order_stay() -> None:
    text = edit_waiver_file(
        MINE, {}, [Waiver(fingerprint="c" * 16, reason="new", expires="2030-01-01")]
    )
    assert (
        text == f"{MINE}- fingerprint: cccccccccccccccc\n  reason: new\n  expires: '2030-01-01'\n"
    )
    assert [waiver.fingerprint[0] for waiver in read(text)] == ["a", "b", "c"]


def test_an_entry_is_replaced_where_it_stands() -> None:
    text = edit_waiver_file(MINE, {0: Waiver(fingerprint="a" * 16, reason="again")}, [])
    assert [waiver.reason for waiver in read(text)] == ["again", "in braces"]
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in MINE.splitlines() if line.startswith("#")
    ]


def test_an_entry_is_removed_and_its_neighbours_stay() -> None:
    text = edit_waiver_file(MINE, {0: None}, [])
    assert [waiver.reason for waiver in read(text)] == ["in braces"]
    assert "# the new one\n- {fingerprint" in text


@pytest.mark.parametrize(
    "text",
    ["", "# only words\n", "version: 1", "version: 1\nwaivers: []\n", "waivers: [] # none\n"],
)
def test_a_file_without_entries_gets_its_first(text: str) -> None:
    new = Waiver(fingerprint="c" * 16, reason="new")
    after = edit_waiver_file(text, {}, [new])
    assert read(after) == (new,)
    assert after.startswith(text.split("waivers")[0])


@pytest.mark.parametrize(
    "text", ["waivers: [{fingerprint: a, reason: b}]\n", "- a\n", "waivers: word\n"]
)
def test_a_layout_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"brackets|mapping|list"):
        edit_waiver_file(text, {}, [Waiver(fingerprint="c" * 16, reason="new")])
