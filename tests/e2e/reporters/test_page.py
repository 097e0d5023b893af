"""The HTML report in a real Chromium: two widths, both schemes, with and without JavaScript, its
keys and filters, text of a change that would be markup, and 5,000 findings."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.html import render
from reviewgate_gh.tools.trend import render_trend
from tests.support import ROOT, built, peer, run
from tests.unit.reporters.sample import ASIDE, DOUBTFUL, RICH, SECRET, STYLE, UNDEFINED
from tests.unit.tools.test_trend import PAST

pytestmark = pytest.mark.peer
HOSTILE = (
    "</script><script>hacked=1</script><img src=x onerror=hacked=1>\u202e"
    "\" onfocus=hacked=1 autofocus x='"
)
# In the order of the page
SMALL = (SECRET, replace(UNDEFINED, path="src/a.py"), STYLE[0], DOUBTFUL, *ASIDE)
MANY = 5_000
Seen = dict[str, dict[str, Any]]


def hostile(finding: Finding) -> Finding:
    """The finding with markup wherever others may write."""
    return replace(
        finding,
        title=f"{finding.title} {HOSTILE}",
        body=f"{finding.body}\n{HOSTILE}",
        note=f"{finding.note} {HOSTILE}" if finding.note else "",
        category=HOSTILE,
    )


def numbered(number: int) -> Finding:
    return replace(
        UNDEFINED,
        path=f"src/module_{number % 300}.py",
        title=f"Undefined name `number-{number}`",
        ordinal=number,
    )


def test_the_pages_in_one_browser(tmp_path: Path) -> None:
    seen = looked_through(tmp_path)
    it_fits_and_is_accessible(seen)
    the_trend_fits_and_is_accessible(seen)
    all_can_be_read_without_script(seen)
    text_of_a_change_stays_text(seen)
    keys_filters_and_links(seen)
    many_findings_open(seen)


def looked_through(folder: Path) -> Seen:
    """What the browser made of the pages: each start of one costs seconds."""
    python, chromium = peer("venv/bin/python"), built("chromium")
    small = replace(RICH, findings=tuple(map(hostile, SMALL)))
    many = replace(RICH, findings=tuple(numbered(number) for number in range(MANY)))
    for name, report in {"small": small, "many": many}.items():
        (folder / f"{name}.html").write_text(render(report, OutputStyle()), encoding="utf-8")
    (folder / "trend.html").write_text(render_trend(PAST, "shop"), encoding="utf-8")
    script = ROOT / "tests/peers/browser.py"
    done = run([python, script, chromium, folder, fingerprint(ASIDE[1])], folder)
    assert done.code == 0, done.output
    seen: Seen = json.loads(done.stdout)
    return seen


def fingerprint(finding: Finding) -> str:
    return hostile(finding).fingerprint


def it_fits_and_is_accessible(seen: Seen) -> None:
    back = {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}
    for size, scheme in product(("wide", "narrow"), back):
        here = seen[f"{size} {scheme}"]
        assert here["trouble"] == [] and here["axe"] == [], f"{size} {scheme}"
        assert here["width"] == {"wide": 1280, "narrow": 375}[size]
        assert here["background"] == back[scheme]


def the_trend_fits_and_is_accessible(seen: Seen) -> None:
    here = seen["trend"]
    assert here["trouble"] == [] and here["axe"] == [] and here["width"] == 375


def all_can_be_read_without_script(seen: Seen) -> None:
    here = seen["without script"]
    assert here["trouble"] == [] and not here["filters"] and not here["printed_nav"]
    for finding in SMALL:
        assert fingerprint(finding) in here["text"]
    for text in ("only run by hand, until 2027-01-01", "total += row.amount", "linters/zizmor"):
        assert text in here["text"]


def text_of_a_change_stays_text(seen: Seen) -> None:
    assert seen["used"]["hacked"] == 0 and seen["used"]["trouble"] == []
    assert HOSTILE.replace("\u202e", "<U+202E>") in seen["without script"]["text"]


def keys_filters_and_links(seen: Seen) -> None:
    here = seen["used"]
    first, second = fingerprint(SECRET), fingerprint(SMALL[1])
    assert here["focused"] == [first, second, first, "q"] and here["typed"] == "j?/"
    assert here["by_text"] == [second, fingerprint(ASIDE[0])]
    assert here["unfiltered"] == len(SMALL)
    assert here["keys"] and here["keys_off"] and here["keys_by_button"]
    assert here["by_choice"] == ["P1", "P3"]


def many_findings_open(seen: Seen) -> None:
    print(f"{MANY:,} findings open in {seen['many']['seconds']} s")
    assert seen["many"]["focused"] == "ARTICLE"
