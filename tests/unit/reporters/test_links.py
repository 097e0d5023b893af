"""reporters/_links.py: places and rules as links, read by a real parser of Markdown."""

from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from reviewgate_gh.model.finding import CausingPlace, Finding, QuotedLine
from reviewgate_gh.pull_request.actions import PlacedFinding, Placement
from reviewgate_gh.pull_request.posted_text import inline_comment
from reviewgate_gh.pull_request.rows import listed_rows, read_rows, row_sources
from reviewgate_gh.reporters._links import blob_url, remark, repository_page, rule_page
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.markdown import render
from tests.unit.reporters.sample import BLOCKED, UNDEFINED
from tests.unit.support import finding

WEB = "https://github.com/octo/repo"
PULL = f"{WEB}/pull/1"
HEAD = "2b" * 20
PAGE = "https://docs.example/rules/F821"
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lO6"
ODD = [
    "a b.py", "a#b.py", "a%20b.py", "a[1](x).py", "a`b``c.py", "a|b.py", "a\\|b.py", "a)b(.py",
    "<b>.py", "é/ü.py", "a\"b'.py", "&copy;.py", "::error::.py", "##[x].py", "../x.py", "*a*_b_.py",
]  # fmt: skip


def links(text: str) -> Iterator[tuple[str, str]]:
    """Address and text of each link that a parser sees."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        address, words = "", ""
        for child in token.children or ():
            if child.type == "link_open":
                address, words = str(child.attrs["href"]), ""
            elif child.type == "link_close":
                yield address, words
            else:
                words += child.content


def everywhere(found: Finding) -> dict[str, str]:
    """The finding in each text that GitHub shows."""
    report = replace(BLOCKED, findings=(found,), change=replace(BLOCKED.change, head=HEAD))
    cause = CausingPlace("cause.py", 3)
    quoted = (QuotedLine(found.line_start, "x = 1"),)
    elsewhere = replace(found, cause=cause, excerpt=quoted)
    listed = PlacedFinding(found, Placement.BODY, "beyond publish.max_inline")
    return {
        "step summary": render(report, OutputStyle(repository=WEB)),
        "summary": "\n".join(listed_rows([listed], PULL, HEAD)),
        "comment": inline_comment(PlacedFinding(elsewhere, Placement.INLINE, line=3), PULL, HEAD),
    }


@pytest.mark.parametrize("path", ODD)
def test_a_place_is_a_link_to_its_line_at_the_head(path: str) -> None:
    for where, text in everywhere(finding(path=path, line=7, body="Why.")).items():
        found = [each for each in links(text) if "/blob/" in each[0]]
        assert found, where
        for address, words in found:
            start, _, line = address.partition("#")
            assert (unquote(start), line) == (f"{WEB}/blob/{HEAD}/{path}", "L7"), where
            assert words.replace("\\", "") == f"{path}:7".replace("\\", ""), where


def test_the_other_places_of_a_pattern_are_links_too() -> None:
    odd = ("a:b", f"a:{'9' * 5_000}", "a:0", "a:07", ":1", "a\n:2")
    found = finding(path="a.py", line=7, body="Why.", places=("a.py:7", "b c.py:3", *odd))
    for where, text in everywhere(found).items():
        shown = {unquote(address).partition(f"{HEAD}/")[2]: words for address, words in links(text)}
        if where != "summary":  # whose rows name the first place only
            assert shown["b c.py#L3"] == "b c.py:3" and shown["a:b"] == "a:b", where
    long = tuple(f"{'é' * 500}/{number}.py:1" for number in range(30))
    text = everywhere(replace(found, places=long))["comment"]
    assert "éé" in text and len(text) < 15_000 and text.count("/blob/") == 1


def test_a_rule_is_a_link_to_its_page_which_is_not_told_twice() -> None:
    found = finding(body=f"Why.\n{PAGE}", rule_page=PAGE)
    assert remark(found) == "Why." and remark(replace(found, body=PAGE)) == ""
    assert remark(replace(found, body=f"See {PAGE}")) == f"See {PAGE}"
    for where, text in everywhere(found).items():
        assert {each for each in links(text) if "docs." in each[0]} == {(PAGE, "ruff/F821")}, where
        assert text.count(PAGE) == 1, where


@pytest.mark.parametrize(
    "page",
    [
        "http://docs.example/x", "javascript:alert(1)", "https://docs.example/a b",
        "https://docs.example/a)b", "https://docs.example/a\nb", "https://docs.example/a|b", "",
        f"https://docs.example/{TOKEN}", "https://docs.example/" + "x" * 501,
    ],
)  # fmt: skip
def test_other_addresses_are_no_links(page: str) -> None:
    found = finding(body=f"Why.\n{page}", rule_page=page)
    assert rule_page(found) == ""
    for where, text in everywhere(found).items():
        assert [each for each in links(text) if "/blob/" not in each[0]] == [], where
        assert TOKEN not in text


def test_what_a_remark_says_becomes_no_link() -> None:
    evil = "https://evil.example/login"
    found = finding(title="Undefined name", body=f"Found in the change:\n{evil}")
    for where, text in everywhere(found).items():
        assert [each for each in links(text) if "evil" in each[0]] == [], where
    assert rule_page(replace(found, rule="", rule_page=PAGE)) == ""


def test_no_link_repeats_a_secret_or_leads_nowhere() -> None:
    for path in (f"keys/{TOKEN}.py", "caf\udce9.py", ""):
        assert blob_url(WEB, HEAD, path, 1) == ""
        for text in everywhere(finding(path=path or "x")).values():
            assert TOKEN not in text
    for repository, commit in (("", HEAD), (WEB, "HEAD"), (WEB, ""), (f"{WEB}/pull/1", HEAD)):
        assert blob_url(repository, commit, "a.py", 1) == ""
    gone = finding(path="a.py", line=2, side="LEFT")
    assert "/blob/" not in "".join(everywhere(gone).values())
    assert f"{WEB}/blob/{HEAD}/a.py)" in render(
        replace(
            BLOCKED,
            findings=(replace(UNDEFINED, path="a.py", line_start=0, line_end=0),),
            change=replace(BLOCKED.change, head=HEAD),
        ),
        OutputStyle(repository=WEB),
    )


@pytest.mark.parametrize(
    ("server", "name", "page"),
    [
        ("https://github.com", "octo/repo", WEB),
        ("https://git.example:8443/", "o/r", "https://git.example:8443/o/r"),
        ("", "octo/repo", ""),
        ("https://github.com", "", ""),
        ("https://github.com", "octo/..", ""),
        ("https://github.com", "octo/repo)(x", ""),
        ("javascript://x", "octo/repo", ""),
    ],
)
def test_the_web_address_of_a_repository(server: str, name: str, page: str) -> None:
    assert repository_page(server, name) == page


def test_a_linked_rule_is_read_from_its_row_again() -> None:
    found = finding(rule_page=PAGE, body=PAGE, sources=("ruff", "claude"))
    rows = listed_rows([PlacedFinding(found, Placement.BODY, "why")], PULL, HEAD)
    [row] = read_rows("\n".join(rows))
    assert row.origin == ("ruff/F821", "claude") and row_sources(row) == ("ruff", "claude")
