"""The words in which models express a severity, a verdict or a concern, and the sentences that only
deny one."""

import re

from ..text.patterns import lazy_pattern

_BAD = lazy_pattern(r"(?<!\w)(?:concerns?|fail(?:s|ed|ures?)?)(?!\w)", re.IGNORECASE)
_TOKEN = lazy_pattern(r"\w+(?:['./-]\w+)*|[^\w\s]")
_DRESS = str.maketrans({**dict.fromkeys("*_`~[]"), "\u2019": "'"})
_REACH = 6  # words between a negation and what it denies
_BEFORE = 120  # characters that are searched for it


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COUNTS = _words("no none nothing zero 0 neither nor")
_NEGATIONS = _words("not never cannot without")
# Only words that leave a denial one: "without retries tests fail" and "not only concerns" deny
# nothing.
_ANY = _words(
    "a an any or real significant major minor serious severe critical blocking important "
    "material notable relevant further other new open"
    " outstanding remaining unresolved obvious substantial substantive actionable potential"
    " concern concerns failure failures fail issue issues problem problems bug bugs error errors "
    "finding findings"
)
_FOUND = _words(
    "have has had ever yet find found see seen raise raised identify identified notice noticed"
)
_THINGS = _words(
    "one unit integration test tests check checks case cases criterion criteria requirement "
    "requirements"
    " goal goals step steps task tasks job jobs build builds assertion assertions rule rules"
)
_NO_KIND = _words(
    "doubt wonder question surprise matter longer less fewer small trivial but and it they this "
    "that we all some many most"
)
# Of things that do something, never of failures: "none of the failures is mended".
_OF_ALL = lazy_pattern(
    r"\b(?:none|0|zero) of (?:the|these|those|its|our|their) (?=\w)", re.IGNORECASE
)
_CLEARED = lazy_pattern(
    r"[\s:=|)]*(?:(?:none|n/a|0|zero)(?=\s*(?:[,;|·)]|\.(?!\w)|$))|no\W*$)", re.IGNORECASE
)
# It begins its clause, and is praised in it.
_PRAISED = lazy_pattern(r"(?:^|[.:;,\u2013\u2014-]) ?(?:the )?separation of $", re.IGNORECASE)
_PRAISE = lazy_pattern(
    r" (?:is|looks|stays|remains) (?:good|clean|clear|sound|kept|preserved|respected)(?=[.,;]|$)",
    re.IGNORECASE,
)


def names_trouble(text: str, shouted: bool = False) -> bool:
    """Whether a text names concerns or failures and does not deny them; `shouted`: only those in
    capitals count."""
    plain = " ".join(text.translate(_DRESS).split())
    return any(
        not _is_harmless(plain, found)
        for found in _BAD.finditer(plain)
        if found[0].isupper() or not shouted
    )


def is_denied_after(after: str) -> bool:
    """Whether what follows the word says that there is none: "FAIL: 0", "CONCERNS: none"."""
    return _CLEARED.match(after) is not None


def _is_harmless(text: str, found: re.Match[str]) -> bool:
    before, after = text[max(found.start() - _BEFORE, 0) : found.start()], text[found.end() :]
    praised = found[0] == "concerns" and _PRAISED.search(before) and _PRAISE.match(after)
    return bool(praised) or is_denied_after(after) or _is_denied(before, found[0])


def _is_denied(before: str, word: str) -> bool:
    """Whether a negation reaches the word: over words that keep it one, and over nothing that ends
    a clause."""
    if word.lower() in ("fail", "fails", "failed"):
        before = _OF_ALL.sub("no ", before)
    said = [each.lower() for each in _TOKEN.findall(before)][::-1]
    for reach, each in enumerate(said[: _REACH + 1]):
        if each in _COUNTS or each in _NEGATIONS or each.endswith("n't"):
            return _reaches(each, said[:reach], word)
    return False


def _reaches(negation: str, between: list[str], word: str) -> bool:
    """Over these words, the nearest to `word` first. Commas go on with a list only where it ends in
    an "or"."""
    if "," in between and "or" not in between[: between.index(",")]:
        return False
    if negation in _COUNTS:
        return set(between) <= _ANY | _FOUND | _THINGS | {","} or _is_kind(between, word)
    return set(between) <= _ANY | _FOUND | {","}


def _is_kind(between: list[str], word: str) -> bool:
    """In "no naming concerns" one word, of whatever sort, tells of which kind there are none."""
    return (
        len(between) == 1
        and between[0].isalpha()
        and between[0] not in _NO_KIND
        and word in ("concerns", "failures")
    )


MOST = 300  # characters of a line that are looked at for its form
_WORD = "PASS(?:E[SD])?|CONCERNS?|FAIL(?:S|ED|URE)?"
_DECOR = r"[*_`~]*"
# Nowhere do two repetitions that take the same signs meet: a line of stars would cost the square of
# its length. "### 2. ❌ **[FAIL]**: Title": a number, signs and emphasis before the word; brackets
# or not; then what ends the word.
_LEAD = r"(?:\d+[.)])?(?:[^\w\[\n]|_)*"
BRACKETED = lazy_pattern(
    rf"^{_LEAD}\[\s*{_DECOR}({_WORD}){_DECOR}\s*\]{_DECOR}\s*[:\-\u2013\u2014]*\s*(.*)$",
    re.IGNORECASE,
)
MARKED = lazy_pattern(
    rf"^{_LEAD}({_WORD}){_DECOR}\s*(?::|[-\u2013\u2014](?=\s))\s*(.*)$", re.IGNORECASE
)
BOLD = lazy_pattern(
    rf"^(?:\d+[.)])?[^\w\[\n]*(?:\*\*|__)({_WORD})\s*:?(?:\*\*|__)\s*[:\-\u2013\u2014]*\s*(.*)$",
    re.IGNORECASE,
)
SHOUTED = lazy_pattern(rf"^{_LEAD}((?:PASS|CONCERNS?|FAIL)(?:ED)?)(?![\w-]){_DECOR}\s*(.*)$")
HEADING = lazy_pattern(r"^ {0,3}(#{1,6})[ \t]*([^\n]*)$")
BULLET = lazy_pattern(r"^ ?(?:[-*+•]|\d+[.)])\s+(.*)$")
SUMMARY = lazy_pattern(
    r"^[^\w\n]*(?:\d+[.)]\s*)?(?:overall |review |executive )?summary\b\W*(.*)$", re.IGNORECASE
)
BEGINS = lazy_pattern(r"\s*(?:\*\*|__|summary\s*:)", re.IGNORECASE)
LABEL = lazy_pattern(
    r"^[^\w\n]*(?:the\s+)?(?:(?:overall|final|review)\s+)*(?:assessment|verdict|result|rating"
    r"|status|overall)\s*(?:is\b)?"
    r"[\s:*_`=\-\u2013\u2014\[]*",
    re.IGNORECASE,
)
STATED = lazy_pattern(rf"^[^\w\n]*({_WORD})(?![\w/|]|-\w)(.*)$", re.IGNORECASE)
CHOICE = lazy_pattern(rf"[|/]|(?:(?:or|and)\b)?\W*(?:{_WORD})\b", re.IGNORECASE)
FENCE = lazy_pattern(r"^\s*(`{3,}|~{3,})(.*)$")


_SEVERITY = lazy_pattern(r"(?<![\w/-])(?:FAIL(?:S|ED|URES?)?|CONCERNS?)(?!\w|-\w)", re.IGNORECASE)
_MARKUP = str.maketrans(dict.fromkeys("*_`~"))
_TAG = lazy_pattern(r"</?[a-z][^<>]*>")  # of HTML, whose names are small
# The words of others for what must not stay, where our own should be: "### [P0] Remote code
# execution".
_GRADE = lazy_pattern(
    r"\W*(?:\d+[.)]\W*)?[\[(]\s?(?:P[01]|blocker|critical)\s?[\])]", re.IGNORECASE
)
# What stands before it: only signs, a number or a tick; "Finding 1 - "; a word that always tells of
# a verdict; a label of any other words.
_FIRST = lazy_pattern(r"\W*(?:(?:\d+[.)]|[xX]\])\W*)?$")
_NUMBERED = lazy_pattern(r"\W*(?:\d+[.)]\W*)?[^\W\d]+\s?#?\d*\s?[.)\-\u2013\u2014]$")
_TOLD = lazy_pattern(
    r"\W*(?:\w+\s){0,2}(?:severity|level|assessment|verdict|result|rating|status|outcome"
    r"|conclusion|overall)\s?(?:[:=\-\u2013\u2014]|is)$",
    re.IGNORECASE,
)
_LABELLED = lazy_pattern(r"(?<!:):$|\|$")
_DASHED = lazy_pattern(r"\s[\-\u2013\u2014]$")
_ENDS = lazy_pattern(r"\s?(?:[^\w\s]|$)")
_NOTHING = lazy_pattern(r"\W*(?:none|n/a|no|0)\W*$", re.IGNORECASE)


def is_unread_severity(line: str) -> bool:
    """Whether a severity stands in a line, and nothing after it says that there is none."""
    text = " ".join(_TAG.sub(" ", line[:MOST].translate(_MARKUP)).split())
    if (grade := _GRADE.match(text)) and not _denied(text[grade.end() :]):
        return True
    return any(
        _stands(text[: found.start()].rstrip(), found[0], text[found.end() :])
        for found in _SEVERITY.finditer(text)
    )


def _stands(opened: str, word: str, after: str) -> bool:
    """Capitals stand at every place of a severity; other letters only where the place tells them
    from a sentence."""
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
    return is_denied_after(after) or bool(_NOTHING.match(after))


def _is_tag(opened: str, before: str, at_end: bool) -> bool:
    """In brackets behind the words of a heading, or at the end of a line: "### Retries [FAIL] x",
    "- Retries — **FAIL**"."""
    bracketed = opened.endswith(("[", "("))
    return (bracketed and (at_end or before.lstrip("> ").startswith("#"))) or (
        at_end and bool(_DASHED.search(before))
    )
