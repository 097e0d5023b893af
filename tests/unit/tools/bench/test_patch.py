"""Patches as the files of both sides, against what git makes of the same changes."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.tools.bench.patch import read_sides

LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"c\r", b"-- x", b"++ y", b"@@ z"]), max_size=12)
NAMES = ("a.txt", "d/ü 'q\".py", "e")


def diff(place: Path, base: dict[str, bytes], head: dict[str, bytes]) -> bytes:
    """What git says of two folders of files."""
    for name, files in (("a", base), ("b", head)):
        shutil.rmtree(place / name, ignore_errors=True)
        (place / name).mkdir(parents=True)
        for path, data in files.items():
            (place / name / path).parent.mkdir(exist_ok=True)
            (place / name / path).write_bytes(data)
    argv = ["git", "diff", "--no-index", "--no-prefix", "--no-renames", "a", "b"]
    return subprocess.run(argv, cwd=place, capture_output=True, check=False).stdout


@given(
    st.dictionaries(st.sampled_from(NAMES), st.tuples(LINES, st.booleans())),
    st.dictionaries(st.sampled_from(NAMES), st.tuples(LINES, st.booleans())),
)
def test_with_its_base_a_patch_of_git_gives_head(tmp_path_factory, old, new) -> None:
    base, head = (
        {
            name: b"\n".join(lines) + b"\n" * ended
            for name, (lines, ended) in side.items()
            if b"\n".join(lines) + b"\n" * ended
        }
        for side in (old, new)
    )
    if base == head:
        return
    patch = diff(tmp_path_factory.getbasetemp() / "patches", base, head)
    known = {name: ("100644", data) for name, data in base.items()}
    assert read_sides(patch, known) == (
        known,
        {name: ("100644", data) for name, data in head.items()},
    )
    alone = read_sides(patch, None)[1]
    assert set(alone) <= set(head)
    for name, (_mode, data) in alone.items():
        for mine, real in zip(data.split(b"\n"), head[name].split(b"\n"), strict=False):
            assert mine in (real, b"")


def test_renames_modes_and_deletions() -> None:
    patch = (
        b"diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\n"
        b"rename to new.py\n--- a/old.py\n+++ b/new.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
        b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
        b"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n"
        b"@@ -1 +0,0 @@\n-y\ndiff --git a/i.png b/i.png\nindex 1..2\n"
        b"Binary files a/i.png and b/i.png differ\n"
    )
    base, head = read_sides(patch, None)
    assert base == {
        "old.py": ("100644", b"x = 1\n"),
        "run": ("100644", b""),
        "gone": ("100644", b"y\n"),
    }
    assert head == {"new.py": ("100644", b"x = 2\n"), "run": ("100755", b"")}


def test_a_mode_that_is_not_named_is_as_it_was() -> None:
    hunk = b"--- a/run\n+++ b/run\n@@ -1 +1 @@\n-a\n+b\n"
    base = {"run": ("100755", b"a\n")}
    assert read_sides(hunk, base)[1] == {"run": ("100755", b"b\n")}
    named = b"diff --git a/run b/run\nindex 1a..2b 100755\n" + hunk
    assert read_sides(named, None) == (base, {"run": ("100755", b"b\n")})


def test_lines_between_the_hunks_are_empty_and_numbers_hold() -> None:
    hunks = b"@@ -3,2 +3,3 @@\n a\n+b\n c\n@@ -9 +10 @@\n-d\n\\ No newline at end of file\n+e\n"
    base, head = read_sides(b"--- a/f\t2026-01-01\n+++ b/f\t2026-01-02\n" + hunks, None)
    assert base["f"][1] == b"\n\na\nc\n\n\n\n\nd"
    assert head["f"][1] == b"\n\na\nb\nc\n\n\n\n\ne\n"


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (b"", "changes no text file"),
        (b"just words\n", "changes no text file"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "a hunk of no file"),
        (b"--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n+b\n", "other lines than it says"),
        (b"--- a/f\n+++ b/f\n@@ -0,1 +0,1 @@\n-a\n+b\n", "begins before its file"),
        (b"--- a/f\n+++ b/f\n@@ -5 +5 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+b\n", "overlap"),
        (b"--- a/f\n+++ b/f\n@@ -99999999 +99999999 @@\n-a\n+b\n", "too far apart"),
        (2 * b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "changes f twice"),
        (b"--- a/../f\n+++ b/../f\n@@ -1 +1 @@\n-a\n+b\n", "not a valid path"),
        (b"--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n", "not a valid path"),
    ],
)
def test_what_is_no_patch_is_said(patch: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_sides(patch, None)


def test_a_patch_that_does_not_fit_its_base_is_refused(tmp_path: Path) -> None:
    patch = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    for base in ({"f": ("100644", b"c\n")}, {"g": ("100644", b"a\n")}):
        with pytest.raises(ValueError, match=r"does not fit f|does not have"):
            read_sides(patch, base)


@given(st.binary(max_size=200), st.integers(0, 400))
def test_damage_is_a_value_error_or_a_patch(noise: bytes, at: int) -> None:
    good = (
        b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+b\n c\n"
        b'diff --git "a/\\303\\274" "b/\\303\\274"\nnew file mode 100644\n--- /dev/null\n'
        b'+++ "b/\\303\\274"\n@@ -0,0 +1 @@\n+x\n'
    )
    damaged = good[:at] + noise + good[at + len(noise) // 2 :]
    try:
        sides = read_sides(damaged, None)
    except ValueError as error:
        sides = (str(error),)
    assert any(sides)
