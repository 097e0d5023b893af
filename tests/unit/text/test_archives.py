"""Archives are read within bounds; damaged and hostile ones end in nothing worse than less."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewgate_gh.text.archives import (
    MAX_MEMBER,
    MAX_MEMBERS,
    MAX_TOTAL,
    is_packed,
    unpack,
    zip_names,
)

TEXT = b"user = me\npassword = x\n" * 9


def zipped(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "members"),
    [
        (zipped({"a/b.txt": TEXT, "c": b"c"}), {"a/b.txt": TEXT, "c": b"c"}),
        (tarred({"x.env": TEXT}), {"x.env": TEXT}),
        (gzip.compress(TEXT), {"": TEXT}),
        (bz2.compress(TEXT), {"": TEXT}),
        (lzma.compress(TEXT), {"": TEXT}),
        (gzip.compress(tarred({"x.env": TEXT})), {"x.env": TEXT}),
        (zipped({"in.zip": zipped({"a": TEXT})}), {"in.zip/a": TEXT}),
        (b"plain", {}),
        (b"", {}),
    ],
    # Compressed data holds the time: it must be no part of a test's name
    ids=("zip", "tar", "gz", "bz2", "xz", "tar.gz", "zip in zip", "plain", "empty"),
)
def test_members_are_read_in_archives_within_archives_too(
    data: bytes, members: dict[str, bytes]
) -> None:
    assert dict(unpack(data)) == members if is_packed(data) else members == {}


@pytest.mark.contract(plain=False)
def test_bombs_cost_what_the_bounds_allow() -> None:
    large = b"\0" * (MAX_MEMBER * 3)
    bombs = (
        zipped({str(n): large for n in range(9)}),
        gzip.compress(large),
        bz2.compress(large),
        lzma.compress(large),
    )
    for bomb in bombs:
        sizes = [len(content) for _name, content in unpack(bomb)]
        assert max(sizes) <= MAX_MEMBER and sum(sizes) <= MAX_TOTAL
    assert len([*unpack(zipped({str(n): b"x" for n in range(2 * MAX_MEMBERS)}))]) == MAX_MEMBERS
    deep = zipped({"a": TEXT})
    for _ in range(9):
        deep = zipped({"z": deep})
    assert all(is_packed(content) for _name, content in unpack(deep))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_ones_raise_nothing(data: st.DataObject) -> None:
    whole = data.draw(
        st.sampled_from(
            [
                zipped({"a": TEXT, "b": TEXT}),
                tarred({"a": TEXT}),
                gzip.compress(TEXT),
                lzma.compress(TEXT),
            ]
        )
    )
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 6))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    for _name, content in unpack(bytes(damaged)):
        assert len(content) <= MAX_MEMBER


@given(st.data())
def test_names_of_a_damaged_archive_are_read_or_not_there(data: st.DataObject) -> None:
    whole = zipped({"META-INF/MANIFEST.MF": b"a", "b.txt": TEXT})
    damaged = bytearray(b"\x89PNG" + whole)
    assert "META-INF/MANIFEST.MF" in zip_names(bytes(damaged))
    for at in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=4)):
        damaged[at] = data.draw(st.integers(0, 255))
    zip_names(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))
