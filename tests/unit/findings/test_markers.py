"""Hidden markers: what is written is read back, and nothing else is taken for ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.findings.markers import (
    FindingMarker,
    Marker,
    ReviewMarker,
    last_marker,
    read_marker,
    with_marker,
    without_marker,
    write_marker,
)
from reviewgate_gh.model.errors import InternalError
from reviewgate_gh.model.pull_request import Account
from reviewgate_gh.text.sanitize import inert_markdown
from tests.unit.pull_request.pulls import ALICE, GHOST, HEAD, ME, ONE

_HEX = "0123456789abcdef"


def _hex(least: int, most: int = 0) -> st.SearchStrategy[str]:
    return st.text(_HEX, min_size=least, max_size=most or least)


SHAS = _hex(40) | _hex(64)
FINGERPRINTS = st.builds(
    lambda digest, n: f"{digest}-{n}" if n > 1 else digest, _hex(16), st.integers(1, 999_999)
)
MARKS = st.builds(FindingMarker, FINGERPRINTS, SHAS) | st.builds(
    ReviewMarker,
    SHAS,
    _hex(8, 64),
    event=st.sampled_from(["COMMENT", "APPROVE", "REQUEST_CHANGES"]),
    partial=st.booleans(),
)
MARK = FindingMarker(ONE, HEAD)


def test_how_they_look() -> None:
    assert write_marker(MARK) == f"<!-- reviewgate-gh:finding {ONE} {HEAD} -->"
    assert (
        write_marker(ReviewMarker(HEAD, "feedfeed"))
        == f"<!-- reviewgate-gh:review {HEAD} feedfeed -->"
    )
    assert (
        write_marker(ReviewMarker(HEAD, "feedfeed", partial=True))
        == f"<!-- reviewgate-gh:review part {HEAD} feedfeed -->"
    )


@given(st.text(), MARKS, st.sampled_from(["", "\n", "\r\n", " \n\t"]))
def test_what_is_written_under_any_text_is_read_back(text: str, mark: Marker, tail: str) -> None:
    body = with_marker(text, mark) + tail
    assert read_marker(body, ME, ME) == mark
    assert without_marker(body) == text.rstrip(" \t\r\n")


@given(st.text(), MARKS)
def test_line_ends_that_a_browser_writes_change_nothing(text: str, mark: Marker) -> None:
    assert read_marker(with_marker(text, mark).replace("\n", "\r\n"), ME, ME) == mark


@given(
    st.text(),
    MARKS,
    st.text(min_size=1).filter(lambda tail: tail.partition("\n")[0].strip(" \t\r")),
)
def test_a_marker_with_anything_after_it_on_its_line_is_text(
    text: str, mark: Marker, tail: str
) -> None:
    assert last_marker(with_marker(text, mark) + tail) is None


@given(MARKS, st.text(min_size=1).filter(lambda start: not start.endswith("\n")))
def test_a_marker_that_shares_its_line_is_text(mark: Marker, start: str) -> None:
    assert last_marker(start + write_marker(mark)) is None


@given(MARKS, MARKS)
def test_of_two_only_the_last_line_counts(first: Marker, second: Marker) -> None:
    assert read_marker(f"{write_marker(first)}\n{write_marker(second)}", ME, ME) == second


@given(MARKS, st.text())
def test_foreign_text_leaves_no_marker_alive(mark: Marker, text: str) -> None:
    assert last_marker(inert_markdown(f"{text}\n{write_marker(mark)}")) is None


@given(MARKS, st.data())
def test_a_changed_character_makes_it_none_or_another_one(
    mark: Marker, data: st.DataObject
) -> None:
    line = write_marker(mark)
    at = data.draw(st.integers(0, len(line) - 1))
    changed = line[:at] + data.draw(st.characters(exclude_characters=line[at])) + line[at + 1 :]
    found = last_marker(changed)
    assert found != mark
    assert found is None or write_marker(found) == changed.rstrip(" \t\r\n").rpartition("\n")[2]


@pytest.mark.parametrize(
    "author",
    [ALICE, GHOST, Account(ME.id, ME.login, "User"), Account(ME.id + 1, ME.login, "Bot")],
    ids=["somebody", "gone", "a user with our number and name", "another bot with our name"],
)
def test_a_copy_by_somebody_else_is_none(author: Account) -> None:
    assert read_marker(with_marker("text", MARK), author, ME) is None
    assert last_marker(with_marker("text", MARK)) == MARK


def test_our_login_may_be_spelt_in_two_ways() -> None:
    assert (
        read_marker(with_marker("text", MARK), Account(ME.id, "github-actions[bot]", "Bot"), ME)
        == MARK
    )


@pytest.mark.parametrize("viewer", [None, GHOST])
def test_nothing_is_ours_while_it_is_not_known_who_we_are(viewer: Account | None) -> None:
    assert read_marker(with_marker("text", MARK), ME, viewer) is None
    assert read_marker(with_marker("text", MARK), GHOST, viewer) is None


@pytest.mark.parametrize(
    "mark",
    [
        FindingMarker("", HEAD),
        FindingMarker(ONE.upper().replace("1", "A"), HEAD),
        FindingMarker(ONE + "-0", HEAD),
        FindingMarker(ONE, HEAD[:12]),
        FindingMarker(ONE, HEAD + " --> x <!--"),
        ReviewMarker(HEAD, "abc"),
        ReviewMarker(HEAD, "g" * 8),
        ReviewMarker(HEAD + "\n", "f" * 8),
    ],
)
def test_what_could_not_be_read_back_is_not_written(mark: Marker) -> None:
    with pytest.raises(InternalError, match="not a marker"):
        write_marker(mark)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        f"<!-- reviewgate-gh:finding {ONE} {HEAD} -->".upper(),
        f" <!-- reviewgate-gh:finding {ONE} {HEAD} -->",
        f"> <!-- reviewgate-gh:finding {ONE} {HEAD} -->",
        f"text\r<!-- reviewgate-gh:finding {ONE} {HEAD} -->",
        f"<!-- reviewgate-gh:finding {ONE}  {HEAD} -->",
        f"<!-- reviewgate-gh:finding {ONE} {HEAD} more -->",
        f"<!-- reviewgate-gh:finding {HEAD} {ONE} -->",
        f"<!-- reviewgate:finding {ONE} {HEAD} -->",
        f"<!-- reviewgate-gh:other {HEAD} feedfeed -->",
        f"<!-- reviewgate-gh:finding {ONE} {HEAD} -->\u2028",
    ],
)
def test_what_is_no_marker(body: str) -> None:
    assert last_marker(body) is None
