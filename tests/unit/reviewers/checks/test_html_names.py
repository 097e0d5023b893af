"""An `id` that two elements of a page have."""

import pytest

from reviewgate_gh.reviewers.checks import html_names
from tests.unit.reviewers.checks.support import edited, on, short, sources

_PAGE = "<!DOCTYPE html>\n<html>\n{}\n</html>\n"
_FOUND = [("P2", "html-repeated-id", "a.html:4")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<input id='a' name='b'>\n<input id=a>", _FOUND),
        ("<input id='a' name='b'>\n<input id='b'>", []),
        ("<input id='a' name='b'>\n<input data-id='a'>", []),
        ("<input id='a' title='id=b'>\n<script>'<b id=a>'</script>", []),
        ("<input id='a'>\n<!-- <input id='a'> -->", []),
        ("<input id='a'>\n{% if b %}<input id='a'>", []),
        ("<input id='a'>\n<template><i id='a'></i></template>", []),
        ("<input id=''>\n<input id=''>", []),
    ],
)
def test_names_that_stand_twice(text: str, found: list[tuple[str, str, str]]) -> None:
    assert on(html_names, "a.html", _PAGE.format(text)) == found
    assert on(html_names, "tests/a.html", _PAGE.format(text)) == []
    assert on(html_names, "a.html", text) == []


@pytest.mark.parametrize(("base", "found"), [("b", _FOUND), ("a", [])])
def test_what_the_base_has_is_no_news(base: str, found: list[tuple[str, str, str]]) -> None:
    text = _PAGE.format("<i id='a'></i>\n<i id='a' c></i>")
    file = edited("a.html", f"-<i id='{base}'></i>", "+<i id='a' c></i>", start=4)
    assert short(html_names, sources(file, contents={"a.html": text})) == found
