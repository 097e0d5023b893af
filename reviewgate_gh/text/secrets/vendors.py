"""Secrets in a vendor's own form, by their beginnings or by the names that they are assigned to."""

from collections.abc import Iterable, Iterator

from .assignments import Assignment, squeezed
from .checksums import CHECKS
from .encoded import is_sample_token
from .general import JSON_WEB_TOKEN
from .kind import Kind, SecretSpan
from .plausible import entropy, is_placeholder
from .runs import Runs, places
from .table import ELSEWHERE, IN_RUNS, NAMED, RANK


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
    for at in at_places:
        if at < behind:
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


def named_kind(each: Assignment) -> Kind | None:
    """The vendor's kind that name and value have together."""
    name = squeezed(each.name)
    texts = (name, name.replace("_", ""), f"_{name}_")
    kinds = dict.fromkeys(
        kind
        for word, kinds in _BESIDE.items()
        if any(word in text for text in texts)
        for kind in kinds
    )
    fits = (k for k in kinds if k.is_value(each.value) and entropy(each.value) >= k.entropy)
    return min(fits, key=lambda kind: RANK[kind.id], default=None)


def _by_beside() -> dict[str, list[Kind]]:
    found: dict[str, list[Kind]] = {}
    for kind in NAMED:
        for word in kind.beside:
            found.setdefault(f"_{word[:-1]}_" if word.endswith("!") else word, []).append(kind)
    return found


_BESIDE = _by_beside()
