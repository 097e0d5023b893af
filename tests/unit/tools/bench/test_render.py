"""What the scores look like: a table, a page, JSON."""

import json
import re
from html.parser import HTMLParser

from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.model.report import ReviewRow
from reviewgate_gh.model.review import ModelCall, ReviewStatus, Usage
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.tools.bench.case import ExpectedFinding, ExpectedPlace
from reviewgate_gh.tools.bench.page import render_page
from reviewgate_gh.tools.bench.render import (
    Details,
    render_comparison,
    render_summary,
    summary_json,
)
from reviewgate_gh.tools.bench.results import CaseResult, CaseStatus, ResultsHeader
from reviewgate_gh.tools.bench.score import BenchSummary, summarise

HEADER = ResultsHeader("<b>set", "folder", 3, "c0ffee", (), ("own",), False, "1.0")
EVIL = "</title><script>alert(1)</script>\x1b[31m\n::error::x"


def summary() -> BenchSummary:
    row = ReviewRow(
        "one", "security", ReviewStatus.OK, asked=ModelCall(usage=Usage(2, 900, cost=0.25))
    )
    said = Finding(Priority.P1, "security", "", "a.py", 3, 3, "Leak", placed=True)
    said = replace(said, sources=("one/security",))
    wanted = (ExpectedFinding("Leak", (ExpectedPlace("a.py", 3, 3),), Priority.P1),)
    missed = (ExpectedFinding(EVIL, (ExpectedPlace("b.py", 1, 1),), Priority.P3),)
    extra = replace(said, title=EVIL, path="c.py")
    return summarise(
        [
            CaseResult("good", "1", CaseStatus.REVIEWED, "", wanted, (said,), (row,), (True,), 1.0),
            CaseResult(EVIL, "2", CaseStatus.REVIEWED, "", missed, (extra,), (row,), (False,), 1.0),
            CaseResult("gone", "3", CaseStatus.BROKEN, EVIL, wanted),
        ]
    )


def test_the_table_and_how_the_cases_ended() -> None:
    text = render_summary(summary(), OutputStyle(), Details(parts=True, findings=True), 2)
    table, _, rest = text.partition("\n\n")
    rows = [line.split() for line in table.splitlines()]
    assert [row[0] for row in rows] == ["reviewer", "one", "ensemble", "gate", "one/security"]
    assert rows[1][1:] == (
        ["2", "1", "2", "1", "2", "0.50", "0.50", "0.50", "1", "of", "1", "-", "$0.5000", "-"]
    )
    assert rest.splitlines()[:3] == [
        "2 of 5 cases reviewed, 0 inconclusive, 1 broken",
        "2 cases not begun or not finished: what is left of the budget is too little",
        "1 of 2 expected places (50%) are in what a language model is given",
    ]
    assert "missed: b.py:1 P3 " in rest and "extra: c.py:3 P1 " in rest
    assert "\x1b" not in text and not re.search(r"^::error", text, re.MULTILINE)


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_the_page_shows_foreign_text_as_text_and_loads_nothing() -> None:
    text = render_page(HEADER, summary())
    tags = Tags()
    tags.feed(text)
    assert not {"script", "b", "img", "link", "iframe"} & {*tags.seen}
    assert tags.seen.count("details") == 3 and tags.seen.count("title") == 1
    assert "&lt;script&gt;" in text and "\x1b" not in text
    assert "default-src 'none'" in text and "http" not in text.replace("http-equiv", "")


def test_json_has_all_of_it_and_two_runs_stand_side_by_side() -> None:
    plain = json.loads(json.dumps(summary_json(HEADER, summary(), 1)))
    assert plain["counts"] == {"reviewed": 2, "inconclusive": 0, "broken": 1, "not_begun": 1}
    assert plain["reviewers"]["one"]["recall"] == plain["ensemble"]["recall"] == 0.5
    assert plain["cases"][2]["reason"] == EVIL and plain["cases"][1]["missed"]
    text = render_comparison(("a", "b"), (summary(), summary()), OutputStyle())
    assert "0.50 / 0.50" in text and "A is a" in text
