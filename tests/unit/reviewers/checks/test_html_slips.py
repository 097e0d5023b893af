"""Attributes, elements and references of a page that are a letter off."""

import pytest

from reviewgate_gh.reviewers.checks import html_slips
from tests.unit.reviewers.checks.support import edited, on, short, sources

PAGE = "<!doctype html>\n<html><body>\n{}\n<p id=terms></p></body></html>\n"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('<img scr="a.png" alt="">', "html-attribute"),
        ("<a herf='/'>a</a>", "html-attribute"),
        ("<input type=text placehoder=a>", "html-attribute"),
        ("<td colspn=2>", "html-attribute"),
        ("<buton>a</buton>", "html-element"),
        ('<a href="#term">a</a>', "html-reference"),
        ("<label for=email>a</label>", "html-reference"),
        ("<input aria-describedby='terms hint'>", "html-reference"),
        ("<script></script><label for=trems>a</label>", "html-reference"),
        ("<form action=/in><input type=password></form>", "html-password"),
    ],
)
def test_slips(text: str, rule: str) -> None:
    assert on(html_slips, "a.html", PAGE.format(text)) == [("P2", rule, "a.html:3")]
    assert on(html_slips, "tests/a.html", PAGE.format(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        '<img src="a.png" alt="" data-scr="b" v-scr="c" :scr="d" width=1>',
        '<my-img scr="a">',
        "<button rel=tooltip>a</button>",
        "<custom-buton>a</custom-buton><main><menu></menu></main>",
        '<a href="#terms">a</a><a href="#">b</a><a href="#top">c</a><a href="#/a/b">d</a>',
        "<label for=email>a</label><input id=email>",
        "<script></script><label for=email>a</label>",
        "<svg><img scr=a></svg>",
        "<!-- <img scr=a> -->",
        "<form action=/in method=POST><input type=password></form>",
        "<form><input type=password></form>",
        "<form method=get><input type=search></form>",
        "<form method=get onsubmit='send()'><input type=password></form>",
        "<input type=password>",
        "<td {% include a with b %} {{ with }} <% with %>>",
    ],
)
def test_sound_pages(text: str) -> None:
    assert on(html_slips, "a.html", PAGE.format(text)) == []


def test_a_password_that_is_sent_by_get() -> None:
    text = PAGE.format("<form method='GET'><input type='password'></form>")
    assert on(html_slips, "a.html", text) == [("P1", "html-password", "a.html:3")]


def test_parts_of_pages() -> None:
    assert on(html_slips, "a.html", "<label for=email>a</label>") == []
    found = [("P2", "html-attribute", "a.html:1")]
    assert on(html_slips, "a.html", '<img scr="{{ a }}">') == found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = PAGE.format("<img scr=a>")
    file = edited("a.html", "-<!doctype html >", "+<!doctype html>")
    assert short(html_slips, sources(file, contents={"a.html": text})) == []
