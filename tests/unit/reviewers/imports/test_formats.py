"""What holds for every format: it is recognised, and anything cut or changed is findings or one
ValueError of one line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers import imports
from tests.unit.reviewers.imports.samples import ALL

ONE_LINE = r"^[^\n]+$"
every = pytest.mark.parametrize("name", sorted(ALL))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def _survives(data: bytes, name: str) -> None:
    found, refused = [], ""
    try:
        found = imports.parse(data, "/w", name)
    except ValueError as error:
        refused = f"{error}"
    assert "\n" not in refused
    for finding in found:
        assert finding.fingerprint and finding.title and "\n" not in finding.title
        assert 0 <= finding.line_start <= finding.line_end


@every
def test_it_is_recognised(name: str) -> None:
    data = ALL[name].encode()
    assert imports.detect_format(data) == name
    assert imports.detect_format(b"\xef\xbb\xbf" + data) == name
    assert imports.detect_format(b"\n  " + data + b"\n") == name
    assert imports.parse(data) == imports.parse(data, "", name) != []


@every
def test_a_byte_order_mark_changes_nothing(name: str) -> None:
    data = ALL[name].encode()
    assert imports.parse(b"\xef\xbb\xbf" + data, "", name) == imports.parse(data, "", name)


@every
def test_cut_at_every_byte(name: str) -> None:
    data = ALL[name].rstrip("\n").encode()
    whole_lines = {len(line) for line in _beginnings(data)} if name == "rdjsonl" else set()
    for end in range(1, len(data)):
        if end in whole_lines:
            continue  # a document of its own
        with pytest.raises(ValueError, match=ONE_LINE):
            imports.parse(data[:end], "", name)


def _beginnings(data: bytes) -> list[bytes]:
    cuts = [at for at, byte in enumerate(data) if byte == 10]
    return [data[:cut] for cut in cuts] + [data[: cut + 1] for cut in cuts]


@every
def test_nothing_is_no_report(name: str) -> None:
    for data in (b"", b"  \n"):
        with pytest.raises(ValueError, match=ONE_LINE):
            imports.parse(data)
    if name != "rdjsonl":
        with pytest.raises(ValueError, match=ONE_LINE):
            imports.parse(b"", "", name)


def test_a_line_format_may_be_empty_when_it_is_named() -> None:
    assert imports.parse(b"", "", "rdjsonl") == []


@every
@pytest.mark.parametrize(
    "data",
    [
        b"garbage",
        b"\xff",
        b"null",
        b"[]",
        b"{}",
        b"<html/>",
        b"\0",
        b"NaN",
        b"[" * 200_000,
        b"{}" * 3,
    ],
)
def test_garbage(name: str, data: bytes) -> None:
    for asked in ("auto", name):
        with pytest.raises(ValueError, match=ONE_LINE):
            imports.parse(data, "", asked)


@every
def test_the_other_formats_are_refused(name: str) -> None:
    for other in sorted(ALL):
        if other != name:
            with pytest.raises(ValueError, match=ONE_LINE):
                imports.parse(ALL[other].encode(), "", name)


def test_an_unknown_name() -> None:
    with pytest.raises(ValueError, match="'xml'; use one of: auto, sarif"):
        imports.parse(b"{}", "", "xml")


@every
@given(data=st.data())
def test_changed_bytes(name: str, data: st.DataObject) -> None:
    text = bytearray(ALL[name].encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _survives(bytes(text), name)
    _survives(bytes(text), "auto")


@pytest.mark.parametrize("name", ["sarif", "rdjson", "rdjsonl", "shellcheck"])
@given(data=st.data())
def test_changed_values(name: str, data: st.DataObject) -> None:
    document = json.loads(ALL[name].split("\n")[0] if name == "rdjsonl" else ALL[name])
    holder, key = data.draw(st.sampled_from(_places(document)))
    holder[key] = data.draw(JSON)
    _survives(json.dumps(document).encode(), name)


def _places(value: object) -> list[tuple[object, object]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [place for key, inner in items for place in ((value, key), *_places(inner))]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "sarif",
            (
                '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a"}}, "results": '
                '[{"message": {"text": "m"}}], "results": []}]}'
            ),
        ),
        (
            "rdjson",
            '{"diagnostics": [{"message": "m", "location": {"path": "a"}}], "diagnostics": []}',
        ),
        (
            "rdjsonl",
            '{"message": "m", "location": {"path": "a"}, "location": {"path": "elsewhere"}}',
        ),
        (
            "shellcheck",
            (
                '{"comments": [{"file": "a", "line": 1, "level": "error", "code": 1, "message": '
                '"m"}], "comments": []}'
            ),
        ),
    ],
)
def test_no_list_hides_another_one_of_its_name(name: str, text: str) -> None:
    with pytest.raises(ValueError, match="an object has a duplicate key"):
        imports.parse(text.encode(), "", name)
