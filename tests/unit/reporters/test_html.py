"""reporters/html.py: one page that loads nothing, with every finding in it."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import CausingPlace, FindingState, Priority
from reviewgate_gh.model.review import ModelCall, ReviewStatus, Usage
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.html import render, render_within
from reviewgate_gh.text.markup import find_loose_tag
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import (
    ASIDE,
    BLOCKED,
    CLEAN,
    DOUBTFUL,
    HEAD,
    LONG_LINE,
    NOTHING,
    RICH,
    UNDEFINED,
)
from tests.unit.reporters.test_safety import HOSTILE, hostile

STYLE = OutputStyle()
# What ours is made of: no frame, picture, object or event handler
_TAGS = re.compile(
    "html|head|meta|title|link|style|body|header|nav|main|section|article|h[1-4]|p|ul|li|dl|dt|dd|"
    "a|code|pre|span|i|mark|del|ins|strong|small|table|caption|thead|tbody|tr|th|td|svg|rect|form|"
    "fieldset|legend|label|input|select|option|output|dialog|kbd|button|script"
)
_ATTRIBUTES = re.compile(
    "lang|charset|http-equiv|content|name|rel|href|class|id|tabindex|data-[psr]|scope|hidden|type|"
    "aria-(label|labelledby|hidden)|value|checked|autocomplete|method|viewbox|width|height|[xy]"
)


class Page(HTMLParser):
    """A page's elements, and the text that a person reads, a block a line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self.words: list[str] = [""]
        self._in = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag in ("td", "th", "option", "label"):
            self.words[-1] += " | "
        elif tag not in ("a", "span", "i", "mark", "code", "strong", "small", "kbd"):
            self.words.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""
        if tag == "span":
            self.words.append("")

    def handle_data(self, data: str) -> None:
        if self._in in ("style", "script"):
            self.raw[self._in] = data
        else:
            self.words[-1] += data

    def values(self, name: str, *tags: str) -> list[str]:
        """This attribute of these elements."""
        return [value or "" for tag, all_ in self.tags if tag in tags
                for key, value in all_.items() if key == name]  # fmt: skip

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (row.rstrip() for row in self.words))) + "\n"


def shown(report) -> Page:
    return Page(render(report, STYLE))


def test_what_a_person_reads() -> None:
    assert_golden("html.txt", shown(RICH).text)


def test_nothing_is_loaded_and_only_our_own_style_and_script_have_an_effect() -> None:
    page = shown(RICH)
    [policy] = [attrs["content"] for _, attrs in page.tags if "http-equiv" in attrs]
    hashes = {
        name: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for name, text in page.raw.items()
    }
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes['style']}'; "
        f"script-src 'sha256-{hashes['script']}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    # Before anything that it has to be about
    assert [tag for tag, _ in page.tags[:4]] == ["html", "head", "meta", "meta"]
    assert page.values("href", "link") == ["data:,"]
    assert not re.search(r"url\(|@import|fetch|XMLHttpRequest|innerHTML|eval", str(page.raw))


@pytest.mark.parametrize("kind", HOSTILE)
def test_foreign_text_is_text(kind: str) -> None:
    for report in hostile(HOSTILE[kind]):
        text = render(report, STYLE)
        page = Page(text)
        assert find_loose_tag(re.sub(r"(?s)<(style|script)>.*?</\1>", "", text)) is None
        assert all(_TAGS.fullmatch(tag) for tag, _ in page.tags)
        assert all(_ATTRIBUTES.fullmatch(name) for _, attrs in page.tags for name in attrs)
        for url in page.values("href", "a"):
            assert re.fullmatch(r"#[\w.-]+|https://[^\s\"'<>]+", url), url
        assert [tag for tag, _ in page.tags].count("script") == 1


def test_hidden_characters_are_shown_and_markup_is_read_as_it_is() -> None:
    title = "</script><img src=x onerror=alert(1)>\u202egpj.exe"
    text = shown(replace(BLOCKED, findings=(replace(UNDEFINED, title=title),))).text
    assert "</script><img src=x onerror=alert(1)><U+202E>gpj.exe" in text


def test_each_finding_is_there_once_and_a_link_leads_to_it() -> None:
    every = [
        replace(UNDEFINED, priority=priority, state=state, line_start=number, ordinal=number + 1)
        for number, (priority, state) in enumerate(
            (priority, state) for priority in Priority for state in FindingState
        )
    ]
    page = shown(replace(RICH, findings=(*every, *every[:3])))
    ids = page.values("id", "article")
    assert len(ids) == len(every) + 3 and {each.fingerprint for each in every} <= {*ids}
    all_ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(all_ids) == len({*all_ids})
    assert {url[1:] for url in page.values("href", "a") if url[0] == "#"} <= {*all_ids}


def test_what_there_is_no_room_for_is_counted() -> None:
    findings = tuple(replace(UNDEFINED, ordinal=number) for number in range(1, 101))
    report = replace(BLOCKED, findings=findings)
    text = render_within(report, 50_000)
    cards = len(Page(text).values("id", "article"))
    assert 20 < cards < 60 and f"{100 - cards} more findings: see --output json" in text
    assert "more finding" not in render(report, STYLE)


def test_set_aside_findings_say_why() -> None:
    text = shown(RICH).text
    for finding in ASIDE:
        assert (finding.note or "no reason is in the report") in text
    assert "120 more on unchanged lines were counted only." in text


def test_duplicates_say_what_they_said_beside_the_finding_that_stands_for_them() -> None:
    near = replace(UNDEFINED, line_start=200, line_end=200)
    said = replace(
        UNDEFINED, rule="", title="Read before it is set", body="On the first call.",
        sources=("claude/correctness",), priority=Priority.P2,
        state=FindingState.DUPLICATE, note="same as F821",
    )  # fmt: skip
    same = replace(said, title=UNDEFINED.title, body=UNDEFINED.body, sources=("qwen",))
    every = (near, UNDEFINED, said, replace(said, sources=("codex",)), same)
    page = render(replace(RICH, findings=every), STYLE)
    first, second = re.findall(r"(?s)<article .*?</article>", page)[:2]
    assert "<strong>claude/correctness, codex</strong> Read before it is set: On the f" in first
    assert first.count("<li>") == 1 and "Also said" not in second


def test_lines_are_linked_where_the_report_knows_the_repository() -> None:
    caused = replace(UNDEFINED, cause=CausingPlace("b c.py", 3))
    old = replace(UNDEFINED, side="LEFT", line_end=12)

    def links(repository: str, *findings) -> list[str]:
        change = replace(RICH.change, repository=repository)
        page = shown(replace(BLOCKED, change=change, findings=findings))
        return [url for url in page.values("href", "a") if "/blob/" in url]

    where = "https://github.example/o/r"
    assert links(where, caused) == [
        f"{where}/blob/{HEAD}/src/app/totals.py#L12-L13",
        f"{where}/blob/{HEAD}/b%20c.py#L3",
    ]
    assert links(where, old) == [f"{where}/blob/{RICH.change.base}/src/app/totals.py#L12"]
    for bad in ("", "javascript:alert(1)//o/r", "https://h/o/r?x", "https://h/o"):
        assert links(bad, UNDEFINED) == []


def test_code_shows_the_part_that_is_meant_and_the_suggestion_as_a_difference() -> None:
    page = render(replace(BLOCKED, findings=(UNDEFINED, LONG_LINE)), STYLE)
    assert "<mark>argument_0=[]</mark>" in page
    assert re.findall(r"<del>(.*?)</del>", page) == [
        "-     for row in rows:",
        "-         total += row.amount",
    ]
    assert re.findall(r"<ins>(.*?)</ins>", page) == ["+     total = 0", "+     for row in rows:"]
    assert page.count('<span class="hit"><i>12</i>') == 1


def test_what_models_cost_is_added_up_and_the_time_line_is_drawn() -> None:
    usage = Usage(calls=2, input=31_000, cached=24_000, output=1_200, cost=0.12)
    first = replace(
        RICH.reviews[0], reviewer="claude", part="security", asked=ModelCall("m-1", usage=usage),
        began=1.0, seconds=3.0,
    )  # fmt: skip
    other = replace(first, reviewer="codex", asked=ModelCall("m-2"), status=ReviewStatus.TIMEOUT)
    again = replace(first, part="tests", began=0.0, seconds=1.0)
    page = shown(replace(RICH, reviews=(first, other, again)))
    text = page.text
    assert "claude | 4 | 62,000 | 48,000 | 2,400 | 0.2400" in text
    assert "codex | 0 | 0 | 0 | 0 | not known" in text and "all | 4 | 62,000" in text
    assert page.values("x", "rect") == ["50.0", "50.0", "0.0"]
    assert page.values("width", "rect") == ["150.0", "150.0", "50.0"]


def test_a_clean_report_is_short() -> None:
    for report in (CLEAN, NOTHING):
        text = shown(report).text
        assert "reviewgate-gh: pass" in text and "None." in text and "A false alarm" not in text
    assert "waive add" in shown(BLOCKED).text
    assert "needs human review" in shown(replace(CLEAN, findings=(DOUBTFUL,))).text
