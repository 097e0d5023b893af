"""A severity that stands where one does and was read as no finding: "Severity: FAIL", "> [FAIL] ...", "| a.py | FAIL |"."""

import re

from ._denied import is_cleared
from ._forms import MOST

_SEVERITY = re.compile(r"(?<![\w/-])(?:FAIL(?:S|ED|URES?)?|CONCERNS?)(?!\w|-\w)", re.IGNORECASE)
_DRESS = str.maketrans(dict.fromkeys("*_`~"))
_TAG = re.compile(r"</?[a-z][^<>]*>")  # of HTML, whose names are small
# The words of others for what must not stay, where our own should be: "### [P0] Remote code execution".
_GRADE = re.compile(r"\W*(?:\d+[.)]\W*)?[\[(]\s?(?:P[01]|blocker|critical)\s?[\])]", re.IGNORECASE)
# What stands before it: only signs, a number or a tick; "Finding 1 - "; a word that always tells of a verdict; a label of any other words.
_FIRST = re.compile(r"\W*(?:(?:\d+[.)]|[xX]\])\W*)?$")
_NUMBERED = re.compile(r"\W*(?:\d+[.)]\W*)?[^\W\d]+\s?#?\d*\s?[.)\-\u2013\u2014]$")
_TOLD = re.compile(
    r"\W*(?:\w+\s){0,2}(?:severity|level|assessment|verdict|result|rating|status|outcome|conclusion|overall)\s?(?:[:=\-\u2013\u2014]|is)$",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"(?<!:):$|\|$")
_DASHED = re.compile(r"\s[\-\u2013\u2014]$")
_ENDS = re.compile(r"\s?(?:[^\w\s]|$)")
_NOTHING = re.compile(r"\W*(?:none|n/a|no|0)\W*$", re.IGNORECASE)


def is_stray(line: str) -> bool:
    """Whether a severity stands in a line, and nothing after it says that there is none."""
    text = " ".join(_TAG.sub(" ", line[:MOST].translate(_DRESS)).split())
    if (grade := _GRADE.match(text)) and not _denied(text[grade.end() :]):
        return True
    return any(_stands(text[: found.start()].rstrip(), found[0], text[found.end() :]) for found in _SEVERITY.finditer(text))


def _stands(opened: str, word: str, after: str) -> bool:
    """Capitals stand at every place of a severity; other letters only where the place tells them from a sentence."""
    if _denied(after):
        return False
    before = opened.rstrip("[( ")
    if not word.isupper():
        cell = before.endswith("|") and word.lower() in ("fail", "concern")
        return bool(_ENDS.match(after)) and (cell or bool(_TOLD.match(before)))
    if any(form.match(before) for form in (_FIRST, _NUMBERED, _TOLD)) or _LABELLED.search(before):
        return True
    return _is_tag(opened, before, at_end=not re.search(r"\w", after))


def _denied(after: str) -> bool:
    return is_cleared(after) or bool(_NOTHING.match(after))


def _is_tag(opened: str, before: str, at_end: bool) -> bool:
    """In brackets behind the words of a heading, or at the end of a line: "### Retries [FAIL] x", "- Retries — **FAIL**"."""
    bracketed = opened.endswith(("[", "("))
    return (bracketed and (at_end or before.lstrip("> ").startswith("#"))) or (at_end and bool(_DASHED.search(before)))
