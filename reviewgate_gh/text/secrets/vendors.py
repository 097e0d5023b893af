"""Secrets in a vendor's own form, by their beginnings or by the names that they are assigned to."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from .assignments import Assignment, squeezed
from .encoded import is_sample_token
from .general import JSON_WEB_TOKEN
from .kind import Kind, SecretSpan
from .plausible import entropy, is_placeholder
from .repeats import RepeatedPlaces
from .runs import Runs, places
from .table import ELSEWHERE, IN_RUNS, NAMED, RANK

_BEFORE, _REACH = 20, 20_200  # characters around a beginning that decide
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECK = 6  # digits of a checksum


def find_vendor_secrets(text: str, runs: Runs) -> Iterator[SecretSpan]:
    """Those of the table that have a beginning of their own."""
    for word, kind in IN_RUNS:
        if word in runs:
            yield from find_kind(kind, word, text, runs.find(word))
    for word, kind in ELSEWHERE:
        if word in text:
            yield from find_kind(kind, word, text, places(word, text))


def find_kind(kind: Kind, word: str, text: str, at_places: Iterable[int]) -> Iterator[SecretSpan]:
    """The secrets of a kind that begin at some of these places, where its word stands."""
    behind = 0
    last, found = RepeatedPlaces(text, _BEFORE, _REACH), None
    for at in at_places:
        if at < behind or (last.repeats(at) and not found):
            continue
        found = kind.match(text, at, word)
        if found:
            group = found.re.groupindex.get("value", 0)
            start, end = (at, found.end()) if not group else found.span(group)
            if _is_credible(kind, text[start:end]):
                behind = end
                yield SecretSpan(kind.id, start, end)


def _is_credible(kind: Kind, value: str) -> bool:
    if kind.checksum and CHECKS[kind.checksum](value):
        return True
    if is_placeholder(value, vendor=True) or entropy(value) < kind.entropy:
        return False
    if kind.digits and not (any(c.isdigit() for c in value) and any(c.isalpha() for c in value)):
        return False
    return kind is not JSON_WEB_TOKEN or not is_sample_token(value)


def base62_crc32(token: str) -> bool:
    """The last six characters are the CRC-32 of those between prefix and checksum, in base62.

    https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
    """
    body = token.partition("_")[2]
    number, digits = zlib.crc32(body[:-_CHECK].encode("utf-8", "surrogateescape")), ""
    while number:
        number, last = divmod(number, 62)
        digits = _BASE62[last] + digits
    return digits.rjust(_CHECK, "0") == body[-_CHECK:]


# What vendors put into their tokens: a right one leaves no doubt
CHECKS: Mapping[str, Callable[[str], bool]] = {"base62_crc32": base62_crc32}


def named_kind(each: Assignment) -> Kind | None:
    """The vendor's kind that name and value have together."""
    kinds = _kinds_beside(each.name)
    fits = (k for k in kinds if k.is_value(each.value) and entropy(each.value) >= k.entropy)
    return min(fits, key=lambda kind: RANK[kind.id], default=None)


@lru_cache(4_000)
def _kinds_beside(name: str) -> tuple[Kind, ...]:
    """The kinds whose values are assigned to such a name. Their words are looked up by their first
    two letters, since a hostile text has a name every ten bytes."""
    name = squeezed(name)
    found: dict[Kind, None] = {}
    for text in (name, name.replace("_", ""), f"_{name}_"):
        for at in range(len(text) - 1):
            for word, kinds in _BESIDE.get(text[at : at + 2], ()):
                if text.startswith(word, at):
                    found |= dict.fromkeys(kinds)
    return tuple(found)


def _by_beside() -> dict[str, list[tuple[str, list[Kind]]]]:
    kinds: dict[str, list[Kind]] = {}
    for kind in NAMED:
        for word in kind.beside:
            kinds.setdefault(f"_{word[:-1]}_" if word.endswith("!") else word, []).append(kind)
    found: dict[str, list[tuple[str, list[Kind]]]] = {}
    for word, each in kinds.items():
        found.setdefault(word[:2], []).append((word, each))
    return found


_BESIDE = _by_beside()
