"""A model's Markdown answer read as a result: no finding is lost, and doubt never becomes a
pass."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from .result import ReviewFinding, ReviewResult, Severity, Verdict
from .severity_words import (
    BEGINS,
    BOLD,
    BRACKETED,
    BULLET,
    CHOICE,
    FENCE,
    HEADING,
    LABEL,
    MARKED,
    MOST,
    SHOUTED,
    STATED,
    SUMMARY,
    is_unread_severity,
    names_trouble,
)

_MOST = 20_000  # characters of a description that are searched
_PATH = (
    r"(?<![\w/.:@-])("
    r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*"
    r"|Makefile|Dockerfile)"
)
_LINES = (
    r"(?::L?|#L|,?\s+\(?lines?\s+|\s+\(lines?\s+)(\d+)(?:(?::\d+)?\s*(?:[-\u2013]|to)\s*L?(\d+))?"
)
_LOCATED = lazy_pattern(
    r"^[ "
    r"\t>*_+•-]*(?:locations?|files?|file_ref|paths?|references?|refs?"
    r"|where)\s*[*_]*\s*:\s*[*_]*\s*",
    re.IGNORECASE | re.MULTILINE,
)
_ARROW = lazy_pattern(r"^[ \t>*_+•-]*(?:->|→|=>)\s*", re.MULTILINE)
_WITH_LINE = lazy_pattern(rf"{_PATH}[`*_\]\"']*{_LINES}")
_ALONE = lazy_pattern(rf"{_PATH}")
_QUOTED = lazy_pattern(rf"`{_PATH}`")
# After a label a quoted name may have spaces: elsewhere that is a command.
_SPACED = lazy_pattern(
    rf"[\[*\"']*`([^\s`:#][^`:#\n]*?\.[A-Za-z]\w{{0,9}})(?=[`:#]"
    rf"|,?\s+\(?lines?\s)[`*\]\"']*(?:{_LINES})?"
)
_URL = lazy_pattern(r"\b\w{1,20}://\S+")


def find_file_reference(text: str) -> str | None:
    """The first place in a text, as `path`, `path:line` or `path:first-last`: after a label or an
    arrow, else with a line, else quoted."""
    plain = _URL.sub(" ", text[:_MOST])
    for label in (_LOCATED, _ARROW):
        for found in label.finditer(plain):
            rest = plain[found.end() :].partition("\n")[0]
            bare = rest.lstrip("`[*\"'")
            if place := _SPACED.match(rest) or _WITH_LINE.match(bare) or _ALONE.match(bare):
                return _written(place)
    place = _WITH_LINE.search(plain) or _QUOTED.search(plain)
    return _written(place) if place else None


def _written(found: re.Match[str]) -> str:
    path, *numbers = found.groups()
    lines = [number for number in numbers if number]
    return f"{path.removeprefix('./')}:{'-'.join(lines)}" if lines else path.removeprefix("./")


_WORDS = {
    "PASS": Severity.PASS, "PASSED": Severity.PASS, "PASSES": Severity.PASS,
    "CONCERN": Severity.CONCERN, "CONCERNS": Severity.CONCERN,
    "FAIL": Severity.FAIL, "FAILED": Severity.FAIL, "FAILS": Severity.FAIL,
    "FAILURE": Severity.FAIL,
}  # fmt: skip
_VERDICTS = {
    Severity.PASS: Verdict.PASS,
    Severity.CONCERN: Verdict.CONCERNS,
    Severity.FAIL: Verdict.FAIL,
}
_WORSE = [Verdict.PASS, Verdict.CONCERNS, Verdict.FAIL, Verdict.UNKNOWN]
_NONE_STATED = "the answer has no summary that states a verdict"
_BUT = "the summary says PASS but mentions concerns or failures"
_UNREAD = "the summary says PASS, but a severity elsewhere could not be read as a finding"
_SHOWN = 80  # characters of the line that is the reason
# A word with one of them in it is that word
_UNSEEN = str.maketrans(dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060"))


class _Line(NamedTuple):
    text: str
    quoted: bool  # within a fence: shown, never obeyed


def parse_review_output(
    raw_output: str, template_name: str, input_files: Mapping[str, str]
) -> ReviewResult:
    """The result in a model's answer.

    The verdict is the summary's, or that of the worst finding where this is worse; UNKNOWN where no
    summary states one.
    """
    lines = _lines(raw_output)
    said, rest = _summary(lines)
    findings = tuple(_findings(rest))
    verdict, why = max(
        (found for text in said if (found := _verdict(text))),
        key=_worse,
        default=(Verdict.UNKNOWN, _NONE_STATED),
    )
    if verdict is not Verdict.UNKNOWN:
        verdict = max(
            [verdict, *(_VERDICTS[found.severity] for found in findings)], key=_WORSE.index
        )
    if verdict is Verdict.PASS and (why := _doubt(said, lines)):
        verdict = Verdict.UNKNOWN
    return ReviewResult(verdict, findings, raw_output, template_name, dict(input_files), error=why)


def _worse(stated: tuple[Verdict, str]) -> int:
    return _WORSE.index(stated[0])


def _doubt(said: list[str], lines: list[_Line]) -> str:
    """Why a PASS is none: the answer says more than could be read."""
    if but := next((text for text in said if names_trouble(text[:MOST], shouted=True)), None):
        return _reason(_BUT, but)
    stray = next(
        (line.text for line in lines if not line.quoted and is_unread_severity(line.text)), None
    )
    return "" if stray is None else _reason(_UNREAD, stray)


def _reason(why: str, text: str) -> str:
    """With the line that it is about, in short."""
    shown = " ".join(text[:MOST].split())
    return f"{why}: {shown if len(shown) <= _SHOWN else f'{shown[:_SHOWN]}...'}"


def _lines(raw: str) -> list[_Line]:
    """The lines, and which of them stand in a fence. An answer that is one fence as a whole is read
    without it."""
    texts = raw.translate(_UNSEEN).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fenced = _fenced(texts)
    solid = [at for at, text in enumerate(texts) if text.strip()]
    if (
        solid
        and all(at in fenced for at in solid)
        and FENCE.match(texts[solid[0]])
        and len(set(fenced.values())) == 1
    ):
        return _lines("\n".join(texts[solid[0] + 1 : solid[-1]]))
    return [_Line(text, at in fenced) for at, text in enumerate(texts)]


def _fenced(texts: list[str]) -> dict[int, int]:
    """The lines within fences, to the line where each opens; a fence that is never closed is
    none."""
    found: dict[int, int] = {}
    opened, sign = -1, ""
    for at, text in enumerate(texts):
        fence = FENCE.match(text)
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
    """What follows the word in a line that begins a summary: "## Summary", "**Summary**: PASS",
    "Summary: PASS"."""
    heading = HEADING.match(text)
    if not heading and not BEGINS.match(text):
        return None
    found = SUMMARY.match(heading[2] if heading else text[:MOST])
    return found[1] if found else None


def _ends_summary(line: _Line, begun: bool) -> bool:
    """Another heading or a finding; the first thing that is said there is the verdict, however it
    is written."""
    severity = _severity(line)
    if severity and (not severity[1] or (not begun and not HEADING.match(line.text))):
        return False
    return bool(severity) or (not line.quoted and bool(HEADING.match(line.text)))


def _verdict(text: str) -> tuple[Verdict, str] | None:
    """What one line of a summary states, and why that is UNKNOWN: the word stands first, or after a
    label such as "Overall assessment:"."""
    labelled = LABEL.sub("", text[:MOST], count=1)
    found = STATED.match(labelled)
    if not found:
        return None
    word, rest = found[1], found[2].strip(" *_`~])\t")
    if CHOICE.match(rest):
        return Verdict.UNKNOWN, _NONE_STATED  # the choice that the question offered, not an answer
    if _WORDS[word.upper()] is Severity.PASS and names_trouble(rest):
        return Verdict.UNKNOWN, _reason(_BUT, text)
    ended = not rest or not rest[0].isalnum()
    return (
        (_VERDICTS[_WORDS[word.upper()]], "")
        if ended or labelled != text[:MOST] or word.isupper()
        else None
    )


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
        named, description = (
            first.strip().lstrip("-*+• ").strip("*_`").strip() or "(no title)",
            rest.strip(),
        )
    return ReviewFinding(
        severity, named, description, find_file_reference(description) or find_file_reference(named)
    )


def _ends(line: _Line) -> bool:
    """A heading or another finding ends a finding."""
    return not line.quoted and (bool(HEADING.match(line.text)) or _severity(line) is not None)


def _severity(line: _Line) -> tuple[Severity, str] | None:
    """Severity and title of a line that begins a finding."""
    if line.quoted:
        return None
    head, tail = line.text[:MOST], line.text[MOST:]
    if heading := HEADING.match(head):
        found = next(
            (
                match
                for form in (BRACKETED, MARKED, BOLD, SHOUTED)
                if (match := form.match(heading[2]))
            ),
            None,
        )
    elif bullet := BULLET.match(head):
        found = BRACKETED.match(bullet[1]) or BOLD.match(bullet[1]) or _loud(bullet[1])
    else:
        found = (BRACKETED.match(head) or BOLD.match(head)) if head[:1] in ("[", "*", "_") else None
    return (_WORDS[found[1].upper()], (found[2] + tail).rstrip(" #\t")) if found else None


def _loud(text: str) -> re.Match[str] | None:
    """`FAIL: Title` in a list, where only capitals tell it from a sentence."""
    found = MARKED.match(text)
    return found if found and found[1].isupper() else None
