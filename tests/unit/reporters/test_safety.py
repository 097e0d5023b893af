"""What holds for every reporter, whichever there are: no secret, no control character, no command
gets out."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from msgspec import Struct
from msgspec.structs import fields, replace

from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from reviewgate_gh.model.report import Outcome, Report
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.system.plugins import load, names
from tests.unit.model.values import values
from tests.unit.reporters.sample import CLEAN, RICH, UNDEFINED

pytestmark = pytest.mark.slow

LOOK = OutputStyle()
TOKEN = "ghp_" + "aB3dE5fG7h" * 3 + "J9kL2m"  # in the form of a token, and none
HOSTILE = {
    "plain": TOKEN,
    "in a word": f"x={TOKEN}",
    "in an address": f"https://u:{TOKEN}@example.com/",
    "after colour": f"\x1b[31m{TOKEN}\x1b[0m",
    "split by colour": f"{TOKEN[:12]}\x1b[1m{TOKEN[12:]}",
    "split by a zero": f"{TOKEN[:12]}\0{TOKEN[12:]}",
    "at the cut": "word " * 58 + TOKEN,
    "command": (
        "::error::out\n::error::out\r::add-mask::e\r\n"
        "  ::stop-commands::x\u2028::error::out\x0b::error::out\x85::error::out"
    ),
    "old command": "##[error]out\n  ##[add-mask]e ###[set-env name=A]b",
    "terminal": "\x1b]0;title\x07\x1b[2J\x9b31m\x1b]8;;https://evil.example\x1b\\here\r\x08\x7f\x00\t",
    "bidi": "a\u202eb\u2066c\u200f\u061c\u200b\u2060\ufeff\U000e0041",
    "html": (
        "<script>alert(1)</script><img src=x onerror=y><!-- reviewgate-gh:v1 --> </details> </sub>"
    ),
    "mention": "@octo/everyone fixes #1, cc @octocat",
    "markdown": (
        "| a | b |\n|---|---|\n```\n# x\n</details>\n"
        "![i](https://evil.example/?d=1) [l](javascript:x)\n````"
    ),
    "undecodable": "caf\udce9 \udc80",
    "long": "x" * 3_000,
}


def everywhere(value: Any, change: Callable[[str], str]) -> Any:
    """The value with every text in it changed, the keys of mappings too."""
    if type(value) is str:
        return change(value)
    if isinstance(value, Struct):
        return replace(
            value,
            **{
                field.name: everywhere(getattr(value, field.name), change)
                for field in fields(value)
            },
        )
    if isinstance(value, Mapping):
        return {change(key): everywhere(item, change) for key, item in value.items()}
    if isinstance(value, tuple):
        items = [everywhere(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def full(outcome: Outcome) -> Report:
    """A report in which no text field is empty, with findings of every kind that is shown in a way
    of its own."""
    one = replace(UNDEFINED, note="why", places=("a.py:1",), anchor="x", origin="o.py")
    kinds = product(
        (Priority.P1, Priority.P3),
        Confidence,
        (FindingState.OPEN, FindingState.WAIVED, FindingState.REFUTED),
    )
    findings = tuple(replace(one, priority=p, confidence=c, state=s) for p, c, s in kinds)
    verdict = replace(RICH.verdict, outcome=outcome)
    return replace(
        RICH,
        findings=findings,
        verdict=verdict,
        skipped="late",
        actor="ada",
        config_digest="d",
        waivers=("w",),
    )


def hostile(text: str, outcome: Outcome = Outcome.INCONCLUSIVE) -> list[Report]:
    """The text instead of every text, and after every text."""
    return [
        everywhere(full(outcome), lambda old: text),
        everywhere(full(outcome), lambda old: f"{old} {text}"),
    ]


def shown(reporter: str, report: Report, style: OutputStyle = LOOK) -> str:
    return load("reporters", reporter).render(report, style)


def test_every_reporter_is_among_them() -> None:
    assert {
        "terminal",
        "json",
        "markdown",
        "sarif",
        "annotations",
        "agent",
        "html",
        "checkstyle",
    } <= set(names("reporters"))


@pytest.mark.parametrize("reporter", names("reporters"))
@pytest.mark.parametrize("kind", [kind for kind, text in HOSTILE.items() if "ghp_" in text])
def test_no_secret_gets_out(reporter: str, kind: str) -> None:
    for outcome in (Outcome.INCONCLUSIVE, Outcome.PASS):
        for report in hostile(HOSTILE[kind], outcome):
            text = re.sub(r"(\x1b|\\u001b)\[[0-9;]*m", "", shown(reporter, report))
            bare = "".join(char for char in text if char.isalnum() or char == "_")
            assert TOKEN not in bare and TOKEN[:16] not in bare


@pytest.mark.parametrize("reporter", names("reporters"))
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_control_character_gets_out(reporter: str, kind: str) -> None:
    for report in hostile(HOSTILE[kind]):
        text = shown(reporter, report)
        text.encode("utf-8")
        odd = {
            char
            for char in text
            if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
        }
        assert not odd, [f"U+{ord(char):04X}" for char in odd]


@pytest.mark.parametrize("kind", HOSTILE)
def test_colours_are_the_only_escapes(kind: str) -> None:
    for report in hostile(HOSTILE[kind]):
        text = shown("terminal", report, OutputStyle(color=True))
        assert "\x1b" not in re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("reporter", names("reporters"))
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_foreign_text_starts_a_command(reporter: str, kind: str) -> None:
    for report in hostile(HOSTILE[kind]):
        for line in re.split(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", shown(reporter, report)):
            if reporter == "annotations" and line:
                assert re.match(
                    r"::(error|warning|notice) ((file|line|endLine|title)=[^:,]*,?)+::", line
                ), line
            else:
                assert not line.lstrip().startswith("::") and "##[" not in line, line


def test_foreign_text_adds_no_annotation() -> None:
    clean = shown("annotations", hostile("harmless")[1]).count("\n")
    assert {shown("annotations", hostile(text)[1]).count("\n") for text in HOSTILE.values()} == {
        clean
    }


def test_no_html_and_no_mention_is_live_in_markdown() -> None:
    ours = re.compile(r"</?(details|summary|sub)>")
    for kind in ("html", "mention", "markdown", "command"):
        for report in hostile(HOSTILE[kind]):
            live = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", shown("markdown", report))
            live = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", live)
            assert not re.search(r"<[a-z!]", ours.sub("", live), re.IGNORECASE), kind
            assert len(ours.findall(live)) == 6, kind
            assert "@octo" not in live and "](" not in live.replace("\\](", ""), kind


@pytest.mark.parametrize("reporter", names("reporters"))
@given(report=values(Report))
def test_any_report_is_shown(reporter: str, report: Report) -> None:
    text = shown(reporter, report)
    assert text == "" or text.endswith("\n")
    text.encode("utf-8")
    if text.startswith("<?xml"):
        ElementTree.fromstring(text)


@pytest.mark.parametrize("reporter", names("reporters"))
def test_the_same_report_is_shown_the_same(reporter: str) -> None:
    assert shown(reporter, RICH) == shown(reporter, RICH)
    assert shown(reporter, CLEAN) != shown(reporter, RICH)
