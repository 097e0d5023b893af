"""Scripts and style sheets over plain http."""

import pytest

from reviewgate_gh.reviewers.checks import plain_http
from tests.unit.reviewers.checks.support import on


@pytest.mark.parametrize(
    ("path", "line", "found"),
    [
        ("a.css", '@import url("http://fonts.example.net/css?family=A");', True),
        ("a.less", '@import (css) "http://example.net/a.css";', True),
        ("a.scss", "@import 'http://example.net/a.css';", True),
        ("a.css", '@import url("https://fonts.example.net/css");', False),
        ("a.css", '@import "a.css"; /* http://example.net */', False),
        ("a.css", '@import url("http://localhost:3000/a.css");', False),
        ("a.html", '<script async src="http://example.net/a.js"></script>', True),
        ("a.html", '<link href="http://example.net/a.css" rel="stylesheet">', True),
        ("a.html", '<link rel="canonical" href="http://example.net/">', False),
        ("a.html", '<a href="http://example.net/">a</a>', False),
        ("a.html", '<script src="//example.net/a.js"></script>', False),
        ("a.md", '@import url("http://example.net/a.css");', False),
    ],
)
def test_plain_http(path: str, line: str, found: bool) -> None:
    assert on(plain_http, path, f"\n{line}\n") == [("P2", "plain-http", f"{path}:2")] * found
    assert on(plain_http, f"tests/{path}", line) == []
