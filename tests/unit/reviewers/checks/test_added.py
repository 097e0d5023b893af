"""Added lines and their numbers, against the change's own walk over its lines."""

from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.change import FileDiff, Hunk
from reviewgate_gh.reviewers.checks._sources import (
    added_lines,
    added_numbers,
    added_text,
    mentions_any,
    shown_line_number,
)

ROW = st.tuples(
    st.sampled_from(b" +-"), st.binary(max_size=6).map(lambda row: row.replace(b"\n", b""))
)
ROWS = st.lists(ROW, min_size=1, max_size=12)


@st.composite
def files(draw: st.DrawFn) -> FileDiff:
    hunks, old, new = [], 1, 1
    for rows in draw(st.lists(ROWS, max_size=4)):
        body = b"".join(bytes([sign]) + text + b"\n" for sign, text in rows)
        if draw(st.booleans()):
            body += b"\\ No newline at end of file\n"
        before, after = sum(s != 43 for s, _t in rows), sum(s != 45 for s, _t in rows)
        hunks.append(Hunk(old, before, new, after, b"", body))
        gap = draw(st.integers(0, 5))
        old, new = old + before + gap, new + after + gap
    return FileDiff("a", "a", "M", "100644", "100644", "0", "1", hunks=tuple(hunks))


@given(files())
def test_the_same_lines_as_the_walk_over_all_lines(file: FileDiff) -> None:
    expected = [(line.new, line.text) for line in file.added_lines()]
    assert added_numbers(file) == [number for number, _text in expected]
    assert added_text(file) == b"\n".join(text for _number, text in expected)
    texts = [text.decode("utf-8", "surrogateescape") for _number, text in expected]
    assert [text for _number, text in added_lines(file)] == texts


def test_words_and_shown_lines() -> None:
    file = FileDiff(
        "a", "a", "M", "1", "1", "0", "1", hunks=(Hunk(4, 2, 4, 2, b"", b" same\n-old\n+new\n"),)
    )
    assert mentions_any(file, (b"zzz", b"+new")) and not mentions_any(file, (b"+old",))
    assert [shown_line_number(file, number) for number in (3, 4, 5, 6)] == [0, 4, 5, 0]
