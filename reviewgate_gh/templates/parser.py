"""Markdown as models really write it, read as a result: nothing that was found is lost, and no doubt becomes a pass."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ._place import find_place
from .result import ReviewFinding, ReviewResult, Severity, Verdict

_WORDS = {
    "PASS": Severity.PASS, "PASSED": Severity.PASS, "PASSES": Severity.PASS, "CONCERN": Severity.CONCERN, "CONCERNS": Severity.CONCERN,
    "FAIL": Severity.FAIL, "FAILED": Severity.FAIL, "FAILS": Severity.FAIL, "FAILURE": Severity.FAIL,
}  # fmt: skip
_VERDICTS = {Severity.PASS: Verdict.PASS, Severity.CONCERN: Verdict.CONCERNS, Severity.FAIL: Verdict.FAIL}
_MOST = 300  # characters of a line that are looked at for its form
_WORSE = [Verdict.PASS, Verdict.CONCERNS, Verdict.FAIL, Verdict.UNKNOWN]
_WORD = "PASS(?:E[SD])?|CONCERNS?|FAIL(?:S|ED|URE)?"
_DECOR = r"[*_`~]*"
# "### 2. ❌ **[FAIL]**: Title": a number, signs and emphasis before the word; brackets or not; then what ends the word.
_LEAD = rf"(?:\d+[.)]\s*)?[^\w\[\n]*{_DECOR}"
_BRACKETED = re.compile(rf"^{_LEAD}\[\s*{_DECOR}({_WORD}){_DECOR}\s*\]{_DECOR}\s*[:\-\u2013\u2014]*\s*(.*)$", re.IGNORECASE)
_MARKED = re.compile(rf"^{_LEAD}({_WORD}){_DECOR}\s*(?::|[-\u2013\u2014](?=\s))\s*(.*)$", re.IGNORECASE)
_BOLD = re.compile(rf"^(?:\d+[.)]\s*)?[^\w\[\n]*(?:\*\*|__)({_WORD})\s*:?(?:\*\*|__)\s*[:\-\u2013\u2014]*\s*(.*)$", re.IGNORECASE)
_SHOUTED = re.compile(rf"^{_LEAD}((?:PASS|CONCERNS?|FAIL)(?:ED)?)(?![\w-]){_DECOR}\s*(.*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]*([^\n]*)$")
_BULLET = re.compile(r"^ ?(?:[-*+•]|\d+[.)])\s+(.*)$")
_SUMMARY = re.compile(r"^[^\w\n]*(?:\d+[.)]\s*)?(?:overall |review |executive )?summary\b\W*(.*)$", re.IGNORECASE)
_LABEL = re.compile(
    r"^[^\w\n]*(?:the\s+)?(?:(?:overall|final|review)\s+)*(?:assessment|verdict|result|rating|status|overall)\s*(?:is\b)?"
    r"[\s:*_`=\-\u2013\u2014\[]*",
    re.IGNORECASE,
)
_STATED = re.compile(rf"^[^\w\n]*({_WORD})(?![\w/|]|-\w)(.*)$", re.IGNORECASE)
_CHOICE = re.compile(rf"[|/]|(?:(?:or|and)\b)?\W*(?:{_WORD})\b", re.IGNORECASE)
# A severity that stands where one does and was read as none: "Finding 1: [FAIL] ...", "> [FAIL] ...", "FAIL: ...", "[My view of it: FAIL]",
# or in brackets behind other words of a heading.
_STRAY = re.compile(
    rf"^(?:[\s>]*(?:[-*+•]|\d+[.)])?[\s#]*(?:[^\W\d]+\s*#?\d*[.)-]\s*|[^:]{{1,80}}:\s*)?|\s*#.*(?=\[)){_DECOR}\[?{_DECOR}"
    rf"(?:FAIL(?:ED|URE)?|CONCERNS?){_DECOR}(?:\]|\s*:|\s*$)(?!\W*(?i:none|n/a|no|0)\W*$)"
)
_NO = "".join(rf"(?<!\b{word} )" for word in ("no", "no real", "without", "any", "zero", "0"))
_OTHERWISE = re.compile(rf"{_NO}\b(?:concerns?|fail(?:s|ed|ures?)?)\b", re.IGNORECASE)
_BEGINS = re.compile(r"\s*(?:\*\*|__|summary\s*:)", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})(.*)$")


class _Line(NamedTuple):
    text: str
    quoted: bool  # within a fence: shown, never obeyed


def parse_review_output(raw_output: str, template_name: str, input_files: Mapping[str, str]) -> ReviewResult:
    """The result in a model's answer.

    The verdict is the summary's, or that of the worst finding where this is worse; UNKNOWN where no summary states one.
    """
    said, rest = _summary(_lines(raw_output))
    findings = tuple(_findings(rest))
    stated = max((verdict for text in said if (verdict := _verdict(text))), key=_WORSE.index, default=Verdict.UNKNOWN)
    verdict = stated if stated is Verdict.UNKNOWN else max([stated, *(_VERDICTS[found.severity] for found in findings)], key=_WORSE.index)
    if verdict is Verdict.PASS and _strays(_lines(raw_output)):
        verdict = Verdict.UNKNOWN  # it says more than could be read
    return ReviewResult(verdict, findings, raw_output, template_name, dict(input_files))


def _strays(lines: list[_Line]) -> bool:
    """Whether a severity stands in a form that was read as no finding."""
    return any(not line.quoted and _STRAY.match(" ".join(line.text[:_MOST].split())) for line in lines)


def _lines(raw: str) -> list[_Line]:
    """The lines, and which of them stand in a fence. An answer that is one fence as a whole is read without it."""
    texts = raw.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fenced = _fenced(texts)
    solid = [at for at, text in enumerate(texts) if text.strip()]
    if solid and all(at in fenced for at in solid) and _FENCE.match(texts[solid[0]]) and len(set(fenced.values())) == 1:
        return _lines("\n".join(texts[solid[0] + 1 : solid[-1]]))
    return [_Line(text, at in fenced) for at, text in enumerate(texts)]


def _fenced(texts: list[str]) -> dict[int, int]:
    """The lines within fences, to the line where each opens; a fence that is never closed is none."""
    found: dict[int, int] = {}
    opened, sign = -1, ""
    for at, text in enumerate(texts):
        fence = _FENCE.match(text)
        if fence and opened < 0:
            opened, sign = at, fence[1]
        elif fence and fence[1].startswith(sign) and not fence[2].strip():
            found |= dict.fromkeys(range(opened, at + 1), opened)
            opened = -1
    return found


def _summary(lines: list[_Line]) -> tuple[list[str], list[_Line]]:
    """What the summaries say, the rest of their headings included, and all other lines."""
    said: list[str] = []
    rest: list[_Line] = []
    inside = begun = False
    for line in lines:
        found = None if line.quoted else _summary_heading(line.text)
        if found is not None:
            inside, begun = True, bool(found.strip("*_: "))
            said.append(found)
            continue
        inside = inside and not _ends_summary(line, begun)
        begun = begun or bool(line.text.strip())
        if not inside:
            rest.append(line)
        elif not line.quoted:
            said.append(line.text.lstrip("# "))
    return said, rest


def _summary_heading(text: str) -> str | None:
    """What follows the word in a line that begins a summary: "## Summary", "**Summary**: PASS", "Summary: PASS"."""
    heading = _HEADING.match(text)
    if not heading and not _BEGINS.match(text):
        return None
    found = _SUMMARY.match(heading[2] if heading else text[:_MOST])
    return found[1] if found else None


def _ends_summary(line: _Line, begun: bool) -> bool:
    """Another heading or a finding; the first thing that is said there is the verdict, however it is written."""
    severity = _severity(line)
    if severity and (not severity[1] or (not begun and not _HEADING.match(line.text))):
        return False
    return bool(severity) or (not line.quoted and bool(_HEADING.match(line.text)))


def _verdict(text: str) -> Verdict | None:
    """What one line of a summary states: the word stands first, or after a label such as "Overall assessment:"."""
    labelled = _LABEL.sub("", text[:_MOST], count=1)
    found = _STATED.match(labelled)
    if not found:
        return None
    word, rest = found[1], found[2].strip(" *_`~])\t")
    if _CHOICE.match(rest):
        return Verdict.UNKNOWN  # the choice that the question offered, not an answer
    if _WORDS[word.upper()] is Severity.PASS and _OTHERWISE.search(rest):
        return Verdict.UNKNOWN  # a pass with a but
    ended = not rest or not rest[0].isalnum()
    return _VERDICTS[_WORDS[word.upper()]] if ended or labelled != text[:_MOST] or word.isupper() else None


def _findings(lines: list[_Line]) -> Iterator[ReviewFinding]:
    at = 0
    while at < len(lines):
        start = _severity(lines[at])
        at += 1
        if start is None:
            continue
        body = []
        while at < len(lines) and not _ends(lines[at]):
            body.append(lines[at].text)
            at += 1
        severity, title = start
        yield _finding(severity, title, "\n".join(body).strip())


def _finding(severity: Severity, title: str, description: str) -> ReviewFinding:
    named = title.strip().strip("*_`").strip()
    if not named:
        first, _, rest = description.partition("\n")
        named, description = first.strip().lstrip("-*+• ").strip("*_`").strip() or "(no title)", rest.strip()
    return ReviewFinding(severity, named, description, find_place(description) or find_place(named))


def _ends(line: _Line) -> bool:
    """A heading or another finding ends a finding."""
    return not line.quoted and (bool(_HEADING.match(line.text)) or _severity(line) is not None)


def _severity(line: _Line) -> tuple[Severity, str] | None:
    """Severity and title of a line that begins a finding."""
    if line.quoted:
        return None
    head, tail = line.text[:_MOST], line.text[_MOST:]
    if heading := _HEADING.match(head):
        found = next((match for form in (_BRACKETED, _MARKED, _BOLD, _SHOUTED) if (match := form.match(heading[2]))), None)
    elif bullet := _BULLET.match(head):
        found = _BRACKETED.match(bullet[1]) or _BOLD.match(bullet[1]) or _loud(bullet[1])
    else:
        found = (_BRACKETED.match(head) or _BOLD.match(head)) if head[:1] in ("[", "*", "_") else None
    return (_WORDS[found[1].upper()], (found[2] + tail).rstrip(" #\t")) if found else None


def _loud(text: str) -> re.Match[str] | None:
    """`FAIL: Title` in a list, where only capitals tell it from a sentence."""
    found = _MARKED.match(text)
    return found if found and found[1].isupper() else None
