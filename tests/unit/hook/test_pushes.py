"""Git's list of pushed refs."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.hook.refs import PushedRef, parse_pushes
from reviewgate_gh.model.errors import UsageError

ONE, TWO = "1" * 40, "a0" * 20
HEX = st.integers(1, 2**160 - 1).map(lambda number: f"{number:040x}") | st.integers(
    1, 2**256 - 1
).map(lambda number: f"{number:064x}")
REF = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1).map(
    lambda text: text.encode()
)


@pytest.mark.parametrize(
    ("line", "push"),
    [
        (
            f"refs/heads/a {ONE} refs/heads/b {TWO}\n",
            PushedRef("refs/heads/a", ONE, "refs/heads/b", TWO),
        ),
        (
            f"refs/heads/a {ONE} refs/heads/b {'0' * 40}\n",
            PushedRef("refs/heads/a", ONE, "refs/heads/b", ""),
        ),
        (
            f"(delete) {'0' * 40} refs/heads/b {TWO}\n",
            PushedRef("(delete)", "", "refs/heads/b", TWO),
        ),
        (f"HEAD~ {ONE} refs/heads/b {'0' * 40}", PushedRef("HEAD~", ONE, "refs/heads/b", "")),
        (
            f"HEAD@{{2 days ago}} {ONE} refs/heads/b {TWO}\n",
            PushedRef("HEAD@{2 days ago}", ONE, "refs/heads/b", TWO),
        ),
        (
            f"refs/tags/v1 {ONE * 1}{'f' * 24} refs/tags/v1 {'0' * 64}\n",
            PushedRef("refs/tags/v1", ONE + "f" * 24, "refs/tags/v1", ""),
        ),
        (
            f"refs/notes/x {ONE} refs/notes/x {TWO}\n",
            PushedRef("refs/notes/x", ONE, "refs/notes/x", TWO),
        ),
    ],
)
def test_a_line_of_git_is_read(line: str, push: PushedRef) -> None:
    assert parse_pushes(line.encode()) == (push,)


def test_no_line_is_no_push() -> None:
    assert parse_pushes(b"") == parse_pushes(b"\n") == ()


@pytest.mark.parametrize(
    "line",
    [
        "refs/heads/a",
        f"refs/heads/a {ONE} refs/heads/b",
        f"refs/heads/a {ONE[:-1]} refs/heads/b {TWO}",
        f"refs/heads/a {ONE}0 refs/heads/b {TWO}",
        f"refs/heads/a {ONE} refs/heads/b {TWO.upper()}",
        f"refs/heads/a {ONE} refs/heads/b {TWO} ",
        f" {ONE} refs/heads/b {TWO}",
        f"refs/heads/a\t{ONE}\trefs/heads/b\t{TWO}",
        f"refs/heads/a {ONE} refs/heads/b {TWO}\r",
    ],
)
def test_any_other_line_is_refused(line: str) -> None:
    good = f"refs/heads/z {ONE} refs/heads/z {TWO}\n"
    with pytest.raises(UsageError, match="an invalid line"):
        parse_pushes(f"{good}{line}\n{good}".encode())


@given(st.lists(st.tuples(REF, HEX, REF.filter(lambda ref: b" " not in ref), HEX)))
def test_every_field_comes_back(rows: list[tuple[bytes, str, bytes, str]]) -> None:
    lines = b"".join(
        b"%s %s %s %s\n" % (local, one.encode(), remote, two.encode())
        for local, one, remote, two in rows
    )
    read = [
        (os.fsencode(p.local_ref), p.local_oid, os.fsencode(p.remote_ref), p.remote_oid)
        for p in parse_pushes(lines)
    ]
    assert read == rows
