"""Hidden markers: what is written is read back, and nothing else is taken for ours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.errors import InternalError
from reviewgate_gh.model.pull import Account
from reviewgate_gh.steps.markers import FindingMark, Mark, ReviewMark, carried, read, signed, unsigned, write
from reviewgate_gh.text.sanitize import markdown

from .pulls import ALICE, GHOST, HEAD, ME, ONE

_HEX = "0123456789abcdef"


def _hex(least: int, most: int = 0) -> st.SearchStrategy[str]:
    return st.text(_HEX, min_size=least, max_size=most or least)


SHAS = _hex(40) | _hex(64)
FINGERPRINTS = st.builds(lambda digest, n: f"{digest}-{n}" if n > 1 else digest, _hex(16), st.integers(1, 999_999))
MARKS = st.builds(FindingMark, FINGERPRINTS, SHAS) | st.builds(
    ReviewMark, SHAS, _hex(8, 64), event=st.sampled_from(["COMMENT", "APPROVE", "REQUEST_CHANGES"]), partial=st.booleans()
)
MARK = FindingMark(ONE, HEAD)


def test_how_they_look() -> None:
    assert write(MARK) == f"<!-- reviewgate-gh:finding {ONE} {HEAD} -->"
    assert write(ReviewMark(HEAD, "feedfeed")) == f"<!-- reviewgate-gh:review {HEAD} feedfeed -->"
    assert write(ReviewMark(HEAD, "feedfeed", partial=True)) == f"<!-- reviewgate-gh:review part {HEAD} feedfeed -->"


@given(st.text(), MARKS, st.sampled_from(["", "\n", "\r\n", " \n\t"]))
def test_what_is_written_under_any_text_is_read_back(text: str, mark: Mark, tail: str) -> None:
    body = signed(text, mark) + tail
    assert read(body, ME, ME) == mark
    assert unsigned(body) == text.rstrip(" \t\r\n")


@given(st.text(), MARKS)
def test_line_ends_that_a_browser_writes_change_nothing(text: str, mark: Mark) -> None:
    assert read(signed(text, mark).replace("\n", "\r\n"), ME, ME) == mark


@given(st.text(), MARKS, st.text(min_size=1).filter(lambda tail: tail.partition("\n")[0].strip(" \t\r")))
def test_a_marker_with_anything_after_it_on_its_line_is_text(text: str, mark: Mark, tail: str) -> None:
    assert carried(signed(text, mark) + tail) is None


@given(MARKS, st.text(min_size=1).filter(lambda start: not start.endswith("\n")))
def test_a_marker_that_shares_its_line_is_text(mark: Mark, start: str) -> None:
    assert carried(start + write(mark)) is None


@given(MARKS, MARKS)
def test_of_two_only_the_last_line_counts(first: Mark, second: Mark) -> None:
    assert read(f"{write(first)}\n{write(second)}", ME, ME) == second


@given(MARKS, st.text())
def test_foreign_text_leaves_no_marker_alive(mark: Mark, text: str) -> None:
    assert carried(markdown(f"{text}\n{write(mark)}")) is None


@given(MARKS, st.data())
def test_a_changed_character_makes_it_none_or_another_one(mark: Mark, data: st.DataObject) -> None:
    line = write(mark)
    at = data.draw(st.integers(0, len(line) - 1))
    changed = line[:at] + data.draw(st.characters(exclude_characters=line[at])) + line[at + 1 :]
    found = carried(changed)
    assert found != mark
    assert found is None or write(found) == changed.rstrip(" \t\r\n").rpartition("\n")[2]


@pytest.mark.parametrize(
    "author",
    [ALICE, GHOST, Account(ME.id, ME.login, "User"), Account(ME.id + 1, ME.login, "Bot")],
    ids=["somebody", "gone", "a user with our number and name", "another bot with our name"],
)
def test_a_copy_by_somebody_else_is_none(author: Account) -> None:
    assert read(signed("text", MARK), author, ME) is None
    assert carried(signed("text", MARK)) == MARK


def test_our_login_may_be_spelt_in_two_ways() -> None:
    assert read(signed("text", MARK), Account(ME.id, "github-actions[bot]", "Bot"), ME) == MARK


@pytest.mark.parametrize("viewer", [None, GHOST])
def test_nothing_is_ours_while_it_is_not_known_who_we_are(viewer: Account | None) -> None:
    assert read(signed("text", MARK), ME, viewer) is None
    assert read(signed("text", MARK), GHOST, viewer) is None


@pytest.mark.parametrize(
    "mark",
    [
        FindingMark("", HEAD),
        FindingMark(ONE.upper().replace("1", "A"), HEAD),
        FindingMark(ONE + "-0", HEAD),
        FindingMark(ONE, HEAD[:12]),
        FindingMark(ONE, HEAD + " --> x <!--"),
        ReviewMark(HEAD, "abc"),
        ReviewMark(HEAD, "g" * 8),
        ReviewMark(HEAD + "\n", "f" * 8),
    ],
)
def test_what_could_not_be_read_back_is_not_written(mark: Mark) -> None:
    with pytest.raises(InternalError, match="not a marker"):
        write(mark)


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
    assert carried(body) is None
