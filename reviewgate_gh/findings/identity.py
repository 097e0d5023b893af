"""How a finding is recognised again: by its rule, its file, the definition around it and the
statement that it is about. No line number, no neighbouring lines, no title."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ..model.finding import Finding, QuotedLine, sha256_hex
from ..text.patterns import lazy_pattern
from ..text.redact import find_secrets, redact
from .similarity import similarity, text_meaning
from .source_text import SourceText

# How much two remarks at one place must mean the same; see tests/unit/findings/test_merge_set.py
MEANT_ALIKE = 0.24
_KEY = "PRIVATE KEY"
_CHECK = 3  # hex digits of a secret
_NUMBERS = lazy_pattern(r"\d+")
_NEAR = 4  # lines
_MOST_COMPARED = 100  # entries under one key: of more, each only with so many

FormerNames = Mapping[str, Sequence[str]]


def locate_in_code(findings: Iterable[Finding], text: SourceText) -> Iterator[Finding]:
    """Findings of one side of one file with their units and the digests of their statements."""
    digest = cache(lambda first, last: _statement_digest(text, first, last))
    for given in findings:
        finding = _at_its_code(given, text)
        first = finding.line_start
        code = digest(first, max(first, finding.line_end)) if first else ""
        yield replace(finding, unit=text.unit(first), code=code)


def _at_its_code(finding: Finding, text: SourceText) -> Finding:
    """What a model said of code beside the change may be from an earlier review: no diff tells
    where its line stands now."""
    said = finding.anchor.partition("\n")[0].strip()
    if finding.rule or not finding.cause or not said:
        return finding
    shift = (text.nearest(said, finding.line_start) or finding.line_start) - finding.line_start
    if not shift:
        return finding
    return replace(
        finding,
        line_start=finding.line_start + shift,
        line_end=finding.line_end + shift,
        excerpt=tuple(QuotedLine(line.number + shift, line.text) for line in finding.excerpt),
    )


def _statement_digest(text: SourceText, first: int, last: int) -> str:
    """Of each secret only 12 bits count: enough to see that it is another one, too few to find it
    by trying a list of passwords."""
    rows = text.rows(first)
    raw = "\n".join(map(text.line, rows))
    if _KEY in raw:
        raw = "\n".join(map(text.line, range(first, last + 1)))
    secrets = find_secrets(raw)
    if not secrets:
        return sha256_hex(text.statement(first), 16)
    parts, at = list[str](), 0
    for secret in secrets:
        parts += [raw[at : secret.start], sha256_hex(raw[secret.start : secret.end], _CHECK)]
        at = secret.end
    return sha256_hex("".join("".join([*parts, raw[at:]]).split()), 16)


def base_fingerprint(fingerprint: str) -> str:
    """Without the ordinal."""
    return fingerprint.partition("-")[0]


def comparable_title(title: str) -> str:
    """A title as it is compared: without secrets, as reports show it, however it is spaced, and
    without the marks of code, which a posted text has in its own way."""
    return " ".join(redact(title).replace("`", "").split())


def place_digest(finding: Finding) -> str:
    """16 hex digits over the normalised path, the lines and the title."""
    parts = (
        posixpath.normpath(finding.path),
        str(finding.line_start),
        str(finding.line_end),
        finding.title,
    )
    return sha256_hex("\0".join(parts), 16)


def unit_digest(finding: Finding) -> str:
    """8 hex digits over rule, path and unit, by which an edited statement is found again; "" at
    the top of a file, where too much else stands."""
    if not finding.unit:
        return ""
    return sha256_hex("\0".join((finding.rule or finding.category, finding.path, finding.unit)), 8)


def base_names(finding: Finding, former: FormerNames) -> tuple[str, ...]:
    """The same without ordinals: what is equal in one unit shares them."""
    return tuple(dict.fromkeys(map(base_fingerprint, all_names(finding, former))))


def all_names(finding: Finding, former: FormerNames) -> tuple[str, ...]:
    """Every fingerprint that the finding may be known by: of now, under former names of its file,
    and those of the first format, all with its ordinal."""
    origin = finding.origin or finding.path
    paths = dict.fromkeys((origin, *former.get(finding.path, ()), *former.get(origin, ())))
    now = (replace(finding, path=path).fingerprint for path in paths)
    # Without its code, that one names all that a rule finds in a file
    quoted = finding.excerpt or not finding.line_start
    first_format = (
        replace(finding, origin=path).former_fingerprint for path in (paths if quoted else ())
    )
    return tuple(dict.fromkeys((finding.fingerprint, *now, *first_format)))


class Identity(Struct, frozen=True):
    """What is known of a finding, now or from an earlier run: in a comment, an issue, a report.

    `names` are its fingerprints, the present one first. `says_rule`: they tell which problem it
    is; otherwise title and body have to. `place` and `unit` are digests, `line` is 0 where nobody
    knows it.
    """

    names: tuple[str, ...]
    title: str = ""
    body: str = ""
    says_rule: bool = False
    place: str = ""
    unit: str = ""
    path: str = ""
    line: int = 0


class Match(Struct, frozen=True):
    """The identity that an earlier one belongs to, by its number; `same_code`: its statement is
    the same, so what was decided about it may still hold."""

    number: int
    same_code: bool


def identity_of(finding: Finding, former: FormerNames) -> Identity:
    """The finding as it is known now."""
    return Identity(
        all_names(finding, former),
        finding.title,
        finding.body,
        finding.has_specific_rule,
        place_digest(finding),
        unit_digest(finding),
        finding.path,
        finding.line_start,
    )


def recognise(known: Sequence[Identity], now: Sequence[Identity]) -> dict[int, Match]:
    """Which of now each known one is, by its number: an assignment one to one, the best first.

    The same fingerprint; the same place and title; the same rule and words in the same unit, whose
    statement has changed; and without rules the same meaning, close by.
    """
    found: dict[int, Match] = {}
    taken: set[int] = set()
    for step in _STEPS:
        pairs = _candidates(step, known, now, found, taken)
        for _score, old, new in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
            if old not in found and new not in taken:
                found[old] = Match(new, step.same_code)
                taken.add(new)
    return found


class _Step(Struct, frozen=True):
    """One strength of a match: the keys that must be equal, and how much alike two are beyond
    that; 0 for not at all."""

    keys: Callable[[Identity], Iterable[str]]
    alike: Callable[[Identity, Identity], float]
    same_code: bool


def _candidates(
    step: _Step,
    known: Sequence[Identity],
    now: Sequence[Identity],
    found: Mapping[int, Match],
    taken: set[int],
) -> Iterator[tuple[float, int, int]]:
    index = defaultdict[str, list[int]](list)
    for number, identity in enumerate(now):
        if number not in taken:
            for key in step.keys(identity):
                index[key].append(number)
    seen = Counter[str]()
    for old, identity in enumerate(known):
        if old in found:
            continue
        for key in step.keys(identity):
            # Of very many equal ones, the first with the first
            start = max(0, seen[key] - _MOST_COMPARED)
            seen[key] += 1
            for new in islice(index.get(key, ()), start, seen[key] + _MOST_COMPARED):
                if score := step.alike(identity, now[new]):
                    yield score, old, new


def _names(identity: Identity) -> Iterable[str]:
    return identity.names


def _base_names(identity: Identity) -> Iterable[str]:
    return dict.fromkeys(map(base_fingerprint, identity.names))


def _place(identity: Identity) -> Iterable[str]:
    return [identity.place] if identity.place else []


def _unit(identity: Identity) -> Iterable[str]:
    return [identity.unit] if identity.unit else []


def _file(identity: Identity) -> Iterable[str]:
    return [] if identity.says_rule else [identity.path]


def _same_problem(old: Identity, new: Identity) -> float:
    """A rule says what is wrong; where there is none, the titles do. One that nobody wrote down
    leaves the fingerprint alone."""
    return 1.0 if new.says_rule or not old.title else _same_meaning(old, new)


def _always(_old: Identity, _new: Identity) -> float:
    return 1.0


def _same_words(old: Identity, new: Identity) -> float:
    if new.says_rule:
        return float(_without_numbers(old.title) == _without_numbers(new.title))
    return _same_meaning(old, new)


def _same_nearby(old: Identity, new: Identity) -> float:
    near = old.line and new.line and abs(old.line - new.line) <= _NEAR
    return _same_meaning(old, new) if near and not new.says_rule else 0.0


def _same_meaning(old: Identity, new: Identity) -> float:
    """Above 0 where title and body say the same, 2 for equal titles."""
    if not old.title:
        return 0.0
    if comparable_title(old.title) == comparable_title(new.title):
        return 2.0
    score = similarity(text_meaning(old.title, old.body), text_meaning(new.title, new.body))
    return score if score >= MEANT_ALIKE else 0.0


def _without_numbers(title: str) -> str:
    return _NUMBERS.sub("0", comparable_title(title))


_STEPS = (
    _Step(_names, _same_problem, True),
    _Step(_base_names, _same_problem, True),
    _Step(_place, _always, False),
    _Step(_unit, _same_words, False),
    _Step(_file, _same_nearby, False),
)
