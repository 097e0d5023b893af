"""What Python reads of a source file in an encoding of its own."""

import ast
import tokenize
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.text.python_source import as_utf8, declared_encoding, rewrites_ascii

HEADS = st.lists(
    st.sampled_from(
        [
            b"# -*- coding: latin-1 -*-", b"#!/usr/bin/python", b"", b"x = 1", b"\t#coding=koi8-r",
            b"# coding : utf-7", b"#coding:utf-8", b"'''", b"# encoding=iso-8859-15\r",
        ]
    ),
    max_size=4,
)  # fmt: skip


@given(HEADS)
def test_the_declaration_is_the_one_that_python_finds(lines: list[bytes]) -> None:
    data = b"\n".join(lines)
    found, _ = tokenize.detect_encoding(BytesIO(data).readline)
    _line, name = declared_encoding(data)
    normal = {"latin-1": "iso-8859-1", "iso-8859-15": "iso-8859-15"}
    assert normal.get(name, name or "utf-8") == found


@pytest.mark.parametrize("name", ["latin-1", "koi8-r", "shift_jis", "gb18030", "euc-jp", "cp1252"])
@pytest.mark.req("R005-009")
def test_source_in_another_encoding_means_the_same_in_utf_8(name: str) -> None:
    letters = {"koi8-r": "Ж", "latin-1": "é", "cp1252": "€"}.get(name, "表示")
    data = f"#!/usr/bin/python\n# coding: {name}\nx = '{letters}'\n".encode(name)
    again = as_utf8(data)
    assert again.count(b"\n") == data.count(b"\n") and again.decode().splitlines()[1] == (
        "# coding: utf-8"
    )
    assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(data))
    assert as_utf8(again) == again


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n",
        b"# coding: utf-8\nx = '\xff'\n",
        b"# coding: no_such\n\xff",
        b"# coding: rot13\nx",
    ],
)
def test_what_python_reads_as_utf_8_or_not_at_all_stays(data: bytes) -> None:
    assert as_utf8(data) == data


@pytest.mark.parametrize(
    "name", ["utf-7", "raw_unicode_escape", "unicode-escape", "utf_16", "hz", "cp037", "punycode"]
)
@pytest.mark.req("R005-009")
def test_an_encoding_that_hides_code_is_known(name: str) -> None:
    assert rewrites_ascii(name) is True


def test_an_encoding_that_adds_letters_hides_nothing() -> None:
    names = ("utf-8", "latin-1", "cp1252", "koi8-r", "shift_jis", "cp932", "gbk", "big5", "euc-kr")
    assert {name: rewrites_ascii(name) for name in names} == dict.fromkeys(names, False)
    assert rewrites_ascii("rot13") is None and rewrites_ascii("no_such") is None
