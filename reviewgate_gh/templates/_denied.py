"""Words of concern and failure in a sentence: which of them say that something is wrong, and which say that nothing is."""

import re

_BAD = re.compile(r"(?<!\w)(?:concerns?|fail(?:s|ed|ures?)?)(?!\w)", re.IGNORECASE)
_TOKEN = re.compile(r"\w+(?:['./-]\w+)*|[^\w\s]")
_DRESS = str.maketrans({**dict.fromkeys("*_`~[]"), "\u2019": "'"})
_REACH = 6  # words between a negation and what it denies
_BEFORE = 120  # characters that are searched for it


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COUNTS = _words("no none nothing zero 0 neither nor")
_NEGATIONS = _words("not never cannot without")
# Only words that leave a denial one: "without retries tests fail" and "not only concerns" deny nothing.
_ANY = _words(
    "a an any or real significant major minor serious severe critical blocking important material notable relevant further other new open"
    " outstanding remaining unresolved obvious substantial substantive actionable potential"
    " concern concerns failure failures fail issue issues problem problems bug bugs error errors finding findings"
)
_FOUND = _words("have has had ever yet find found see seen raise raised identify identified notice noticed")
_THINGS = _words(
    "one unit integration test tests check checks case cases criterion criteria requirement requirements"
    " goal goals step steps task tasks job jobs build builds assertion assertions rule rules"
)
_NO_KIND = _words("doubt wonder question surprise matter longer less fewer small trivial but and it they this that we all some many most")
# Of things that do something, never of failures: "none of the failures is mended".
_OF_ALL = re.compile(r"\b(?:none|0|zero) of (?:the|these|those|its|our|their) (?=\w)", re.IGNORECASE)
_CLEARED = re.compile(r"[\s:=|)]*(?:(?:none|n/a|0|zero)(?=\s*(?:[,;|·)]|\.(?!\w)|$))|no\W*$)", re.IGNORECASE)
# It begins its clause, and is praised in it.
_PRAISED = re.compile(r"(?:^|[.:;,\u2013\u2014-]) ?(?:the )?separation of $", re.IGNORECASE)
_PRAISE = re.compile(r" (?:is|looks|stays|remains) (?:good|clean|clear|sound|kept|preserved|respected)(?=[.,;]|$)", re.IGNORECASE)


def speaks_of_trouble(text: str, shouted: bool = False) -> bool:
    """Whether a text names concerns or failures and does not deny them; `shouted`: only those in capitals count."""
    plain = " ".join(text.translate(_DRESS).split())
    return any(not _is_harmless(plain, found) for found in _BAD.finditer(plain) if found[0].isupper() or not shouted)


def is_cleared(after: str) -> bool:
    """Whether what follows the word says that there is none: "FAIL: 0", "CONCERNS: none"."""
    return _CLEARED.match(after) is not None


def _is_harmless(text: str, found: re.Match[str]) -> bool:
    before, after = text[max(found.start() - _BEFORE, 0) : found.start()], text[found.end() :]
    praised = found[0] == "concerns" and _PRAISED.search(before) and _PRAISE.match(after)
    return bool(praised) or is_cleared(after) or _is_denied(before, found[0])


def _is_denied(before: str, word: str) -> bool:
    """Whether a negation reaches the word: over words that keep it one, and over nothing that ends a clause."""
    if word.lower() in ("fail", "fails", "failed"):
        before = _OF_ALL.sub("no ", before)
    said = [each.lower() for each in _TOKEN.findall(before)][::-1]
    for reach, each in enumerate(said[: _REACH + 1]):
        if each in _COUNTS or each in _NEGATIONS or each.endswith("n't"):
            return _reaches(each, said[:reach], word)
    return False


def _reaches(negation: str, between: list[str], word: str) -> bool:
    """Over these words, the nearest to `word` first. Commas go on with a list only where it ends in an "or"."""
    if "," in between and "or" not in between[: between.index(",")]:
        return False
    if negation in _COUNTS:
        return set(between) <= _ANY | _FOUND | _THINGS | {","} or _is_kind(between, word)
    return set(between) <= _ANY | _FOUND | {","}


def _is_kind(between: list[str], word: str) -> bool:
    """In "no naming concerns" one word, of whatever sort, tells of which kind there are none."""
    return len(between) == 1 and between[0].isalpha() and between[0] not in _NO_KIND and word in ("concerns", "failures")
