"""The forms in which models write a severity, a verdict and a summary."""

import re

MOST = 300  # characters of a line that are looked at for its form
_WORD = "PASS(?:E[SD])?|CONCERNS?|FAIL(?:S|ED|URE)?"
_DECOR = r"[*_`~]*"
# Nowhere do two repetitions that take the same signs meet: a line of stars would cost the square of its length.
# "### 2. ❌ **[FAIL]**: Title": a number, signs and emphasis before the word; brackets or not; then what ends the word.
_LEAD = r"(?:\d+[.)])?(?:[^\w\[\n]|_)*"
BRACKETED = re.compile(rf"^{_LEAD}\[\s*{_DECOR}({_WORD}){_DECOR}\s*\]{_DECOR}\s*[:\-\u2013\u2014]*\s*(.*)$", re.IGNORECASE)
MARKED = re.compile(rf"^{_LEAD}({_WORD}){_DECOR}\s*(?::|[-\u2013\u2014](?=\s))\s*(.*)$", re.IGNORECASE)
BOLD = re.compile(rf"^(?:\d+[.)])?[^\w\[\n]*(?:\*\*|__)({_WORD})\s*:?(?:\*\*|__)\s*[:\-\u2013\u2014]*\s*(.*)$", re.IGNORECASE)
SHOUTED = re.compile(rf"^{_LEAD}((?:PASS|CONCERNS?|FAIL)(?:ED)?)(?![\w-]){_DECOR}\s*(.*)$")
HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]*([^\n]*)$")
BULLET = re.compile(r"^ ?(?:[-*+•]|\d+[.)])\s+(.*)$")
SUMMARY = re.compile(r"^[^\w\n]*(?:\d+[.)]\s*)?(?:overall |review |executive )?summary\b\W*(.*)$", re.IGNORECASE)
BEGINS = re.compile(r"\s*(?:\*\*|__|summary\s*:)", re.IGNORECASE)
LABEL = re.compile(
    r"^[^\w\n]*(?:the\s+)?(?:(?:overall|final|review)\s+)*(?:assessment|verdict|result|rating|status|overall)\s*(?:is\b)?"
    r"[\s:*_`=\-\u2013\u2014\[]*",
    re.IGNORECASE,
)
STATED = re.compile(rf"^[^\w\n]*({_WORD})(?![\w/|]|-\w)(.*)$", re.IGNORECASE)
CHOICE = re.compile(rf"[|/]|(?:(?:or|and)\b)?\W*(?:{_WORD})\b", re.IGNORECASE)
FENCE = re.compile(r"^\s*(`{3,}|~{3,})(.*)$")
