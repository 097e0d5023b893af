"""The content before a patch: what git itself says of two texts, undone; anything that does not fit
is None."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.pull_request.fetch_by_api import reverse_patch

LINE = st.sampled_from(
    ["a", "b", "", "@@ -1 +1 @@", "-c", "+d", "\\ No newline", "x\r", " e", "\u2028", "ü"]
)
TEXT = st.builds(
    lambda rows, end: "\n".join(rows) + end,
    st.lists(LINE, max_size=25),
    st.sampled_from(["", "\n"]),
)


def patch_of(folder: Path, old: bytes, new: bytes) -> str | None:
    """As GitHub shows it: from the first hunk on, without the last newline; None where there is
    none."""
    (folder / "old").write_bytes(old)
    (folder / "new").write_bytes(new)
    argv = ["git", "diff", "--no-index", "--no-color", "--text", "old", "new"]
    out = subprocess.run(argv, cwd=folder, capture_output=True, check=False).stdout.decode()
    start = out.find("\n@@ ")
    return out[start + 1 :].removesuffix("\n") if start >= 0 else None


@given(old=TEXT, new=TEXT)
def test_it_undoes_what_git_shows(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    patch = patch_of(tmp_path_factory.mktemp("diff"), old.encode(), new.encode())
    if patch is not None:
        assert reverse_patch(new.encode(), patch) == old.encode()


@given(old=TEXT, edits=st.lists(st.tuples(st.integers(0, 24), LINE), max_size=3))
def test_it_undoes_small_changes_in_several_hunks(
    tmp_path_factory: pytest.TempPathFactory, old: str, edits: list[tuple[int, str]]
) -> None:
    rows = (old * 2).split("\n")
    for at, text in edits:
        rows[at % len(rows)] = text
    new = "\n".join(rows).encode()
    patch = patch_of(tmp_path_factory.mktemp("diff"), (old * 2).encode(), new)
    if patch is not None:
        assert reverse_patch(new, patch) == (old * 2).encode()


@pytest.mark.parametrize(
    ("head", "patch"),
    [
        (b"b\n", "@@ -1 +1 @@\n-a\n+c"),
        (b"x\nb\n", "@@ -1 +1 @@\n-a\n+b"),
        (b"b", "@@ -1 +1 @@\n-a\n+b"),
        (b"b\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file"),
        (b"b\n", "@@ -1,2 +1 @@\n-a\n+b"),
        (b"b\n", "@@ -1 +1,2 @@\n-a\n+b"),
        (b"b\nb\n", "@@ -2 +2 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b"),
        (b"b\n", "@@ -1 +9 @@\n-a\n+b"),
        (b"b\n", "no patch at all"),
        (b"b\n", ""),
        (b"caf\xe9\n", "@@ -1 +1 @@\n-a\n+caf\ufffd"),
    ],
)
def test_what_does_not_fit_is_none(head: bytes, patch: str) -> None:
    assert reverse_patch(head, patch) is None


def test_half_a_character_is_no_crash() -> None:
    assert reverse_patch(b"b\n", "@@ -1 +1 @@\n-\ud800\n+b") == b"\xed\xa0\x80\n"
