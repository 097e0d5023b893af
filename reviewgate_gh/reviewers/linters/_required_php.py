"""Syntax errors of a PHP that is older than the one which the project requires: no proof, since
newer syntax is a mistake to it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...model.finding import Finding
from ...model.review import Review
from ...text import strict
from ...text.patterns import lazy_pattern

SYNTAX = "php/syntax"
_MANIFEST = "composer.json"
_Version = tuple[int, int]
_Reader = Callable[[Sequence[str]], Mapping[str, bytes]]
_NUMBER = lazy_pattern(r"(\d{1,3})(?:\.(\d{1,3}))?")
# https://getcomposer.org/doc/articles/versions.md#writing-version-constraints
_PART = lazy_pattern(r"(<=?|!=|>=?|[\^~=])?\s*v?(\d[\w.*]*)(?:\s+-\s+v?\d[\w.*]*)?")
_UPPER = ("<", "<=", "!=")
# Brackets and quotes are the same in every version
_CERTAIN = ("Unclosed ", "Unmatched ", "Unterminated ")


def without_unproven(review: Review, read: _Reader) -> Review:
    """The review without such errors, and without the files in which they are; `read` gives the
    content of files of the trusted side.

    What a newer PHP cannot read either stays.
    """
    here = _version(review.version)
    doubtful = [f for f in review.findings if f.rule == SYNTAX and not _is_certain(f)]
    if here is None or not doubtful:
        return review
    manifests = read(sorted({place for f in doubtful for place in _manifests(f.path)}))
    required = {place: asked for place in manifests if (asked := _required(manifests[place]))}
    unproven = {
        f.path: place
        for f in doubtful
        if (place := next(filter(required.__contains__, _manifests(f.path)), ""))
        and required[place] > here
    }
    left = [f for f in review.findings if f not in doubtful or f.path not in unproven]
    notes = sorted(
        f"php {_shown(here)} is older than the {_shown(required[place])} that {place} requires, so "
        "that what it cannot parse is not reviewed"
        for place in set(unproven.values())
    )
    return replace(
        review,
        findings=tuple(left),
        found=review.found - (len(review.findings) - len(left)),
        covered=tuple(path for path in review.covered if path not in unproven),
        note="; ".join(filter(None, (review.note, *notes))),
    )


def _is_certain(finding: Finding) -> bool:
    return finding.title.startswith(_CERTAIN)


def _manifests(path: str) -> Iterator[str]:
    """Where the requirement may stand, the nearest place first."""
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield f"{folder}/{_MANIFEST}"
    yield _MANIFEST


def _required(data: bytes) -> _Version | None:
    """The oldest PHP that the project runs with; None where it does not say."""
    try:
        manifest: Any = strict.load_json(data, _MANIFEST)
    except (ValueError, RecursionError):
        return None
    asked = (
        _lowest(_text(manifest, "require", "php")),
        _version(_text(manifest, "config", "platform", "php")),
    )
    return max(filter(None, asked), default=None)


def _text(value: Any, *keys: str) -> str:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _lowest(constraint: str) -> _Version | None:
    """The lowest version that one of the alternatives lets through; None where one has no limit."""
    limits = [_highest(_PART.finditer(each)) for each in re.split(r"\|\|?", constraint)]
    known = [limit for limit in limits if limit is not None]
    return min(known) if known and len(known) == len(limits) else None


def _highest(parts: Iterable[re.Match[str]]) -> _Version | None:
    """The highest of the lower limits, all of which hold."""
    limits = (_version(part[2]) for part in parts if part[1] not in _UPPER)
    return max(filter(None, limits), default=None)


def _version(text: str) -> _Version | None:
    found = _NUMBER.match(text)
    return (int(found[1]), int(found[2] or 0)) if found else None


def _shown(version: _Version) -> str:
    return f"{version[0]}.{version[1]}"
