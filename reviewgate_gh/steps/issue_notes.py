"""The lines in an issue's notes by which we know it again; whatever people write between them stays."""

import re
from collections.abc import Mapping

KEYS = (
    "Source",
    "Trigger",
    "Epic",
    "Pull request",
    "Baseline",
    "Priority",
    "Location",
    "Also at",
    "Former path",
    "Found by",
    "Fingerprint",
    "Place",
    "Gone",
)
_LINE = re.compile(rf"^({'|'.join(KEYS)}): (.*)$", re.MULTILINE)


def write(facts: Mapping[str, str]) -> str:
    """The lines, without those that say nothing."""
    return "\n".join(f"{key}: {facts[key]}" for key in KEYS if facts.get(key))


def read(notes: str) -> dict[str, str]:
    """What the lines say; of two lines with one key the first."""
    found: dict[str, str] = {}
    for key, value in _LINE.findall(notes):
        found.setdefault(key, value.strip())
    return found


def changed(notes: str, facts: Mapping[str, str]) -> str:
    """The notes with these lines; an empty value takes a line away, a new one comes last."""
    left = dict(facts)
    kept = []
    for row in notes.split("\n"):
        found = _LINE.fullmatch(row)
        if found is None or found[1] not in facts:
            kept.append(row)
        elif value := left.pop(found[1], ""):
            kept.append(f"{found[1]}: {value}")
    added = write(left)
    return "\n".join([*kept, *([added] if added else [])]).strip("\n")
