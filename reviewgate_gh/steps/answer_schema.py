"""The JSON schemas of what a model may answer, in the subset that every vendor's structured output takes.

Each object is closed and needs all its keys, what may be missing is null, and nothing else (lengths, patterns) is asked for: `answer`
checks the rest. The words below are the only ones; none of the categories is one that the gate itself gives a meaning to.
"""

from collections.abc import Mapping, Sequence
from typing import Any

VERDICTS = ("PASS", "CONCERNS", "FAIL")
PRIORITIES = ("P0", "P1", "P2", "P3")
CONFIDENCES = ("high", "low")
CATEGORIES = (
    "correctness",  # wrong results, broken logic, data that is lost
    "security",  # what an attacker can use
    "privacy",  # personal data that is shown, logged or sent
    "performance",  # needless work, queries in loops, locks held too long
    "reliability",  # errors, retries, races, what happens when something fails
    "compatibility",  # public interfaces, formats, upgrades
    "tests",  # what is not tested, or tested in vain
    "quality",  # naming, style, duplication, dead code
    "maintainability",  # structure that makes the next change hard
    "documentation",
    "build",
    "other",
)
RULINGS = ("confirmed", "uncertain", "refuted")
REASON_KINDS = ("behaviour", "excluded", "vague", "other")


def _text(description: str) -> Mapping[str, Any]:
    return {"type": "string", "description": description}


def _word(words: Sequence[str], description: str) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(words), "description": description}


def _number(description: str) -> Mapping[str, Any]:
    return {"type": "integer", "description": description}


def _closed(**properties: Any) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "array", "items": items}


_NONCE = _text("the nonce of this question, unchanged")
_FILE = _text("path of the file, as shown in the diff")
_QUOTE = _text("the affected lines of code, copied exactly from the diff")

REVIEW: Mapping[str, Any] = _closed(
    nonce=_NONCE,
    verdict=_word(VERDICTS, "FAIL with a P0 or P1, CONCERNS with other findings, PASS with none"),
    summary=_text("one or two sentences"),
    findings=_list(
        _closed(
            file=_FILE,
            quote=_QUOTE,
            line_start=_number("first line: numbered as at head, or for removed code as before the change; 0 if unknown"),
            line_end=_number("last line; 0 if unknown"),
            priority=_word(PRIORITIES, "P0 and P1 must be fixed before merging, P2 should be, P3 is nice to have"),
            category=_word(CATEGORIES, "the kind of problem"),
            title=_text("the problem in one line"),
            body=_text("what goes wrong, when, and why"),
            suggestion={"type": ["string", "null"], "description": "code that replaces the quoted lines, or null"},
            confidence=_word(CONFIDENCES, "low if a person must check it"),
        )
    ),
)

VERIFICATION: Mapping[str, Any] = _closed(
    nonce=_NONCE,
    rulings=_list(
        _closed(
            id=_text("the id of the finding"),
            ruling=_word(RULINGS, "refuted only if the quoted code proves it"),
            reason=_text("why, in one or two sentences"),
            reason_kind=_word(
                REASON_KINDS,
                "behaviour: the code does not do what the finding says; excluded: an exclusion criterion applies; "
                "vague: a suspicion that points to no specific code; other: none of these",
            ),
            file=_FILE,
            quote=_text("the lines of code that prove it, copied exactly from the diff; empty if there are none"),
        )
    ),
)

PROSE: Mapping[str, Any] = _closed(nonce=_NONCE, review=_text("the whole review as Markdown, in the requested format"))
