"""A model's answer, read strictly: one JSON object of the schema, with this run's nonce, or the
answer is rejected."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from ..model.finding import Confidence, Priority
from ..text import strict

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


def _choice(words: Sequence[str], description: str) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(words), "description": description}


def _number(description: str) -> Mapping[str, Any]:
    return {"type": "integer", "description": description}


def _closed(**properties: Any) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "array", "items": items}


_NONCE = _text("the nonce of this question, unchanged")
_FILE = _text("path of the file, as shown in the diff")
_QUOTE = _text("the affected lines of code, copied exactly from the diff")

# In the order of thought: what was seen, how it fails, then how much it weighs
_FINDINGS = _list(
    _closed(
        file=_FILE,
        quote=_QUOTE,
        line_start=_number(
            "first line: numbered as at head, or for removed code as before the change; 0 if "
            "unknown"
        ),
        line_end=_number("last line; 0 if unknown"),
        body=_text("how it fails: with which input or state, what goes wrong, and why"),
        title=_text("the problem in one line"),
        category=_choice(CATEGORIES, "the kind of problem"),
        priority=_choice(
            PRIORITIES, "P0 and P1 must be fixed before merging, P2 should be, P3 is nice to have"
        ),
        confidence=_choice(CONFIDENCES, "low if a person must check it"),
        suggestion={
            "type": ["string", "null"],
            "description": "code that replaces the quoted lines, or null",
        },
    )
)
_RULINGS = _list(
    _closed(
        id=_text("the id of the finding"),
        file=_FILE,
        quote=_text(
            "the lines of code that prove it, copied exactly from the diff; empty if there are none"
        ),
        reason=_text("why, in one or two sentences"),
        reason_kind=_choice(
            REASON_KINDS,
            "behaviour: the code does not do what the finding says; excluded: an exclusion "
            "criterion applies; "
            "vague: a suspicion that points to no specific code; other: none of these",
        ),
        ruling=_choice(RULINGS, "refuted only if the quoted code proves it"),
    )
)
_SUMMARY = _text("one or two sentences")
_VERDICT = _choice(VERDICTS, "FAIL with a P0 or P1, CONCERNS with other findings, PASS with none")

REVIEW: Mapping[str, Any] = _closed(
    nonce=_NONCE, findings=_FINDINGS, summary=_SUMMARY, verdict=_VERDICT
)
VERIFICATION: Mapping[str, Any] = _closed(nonce=_NONCE, rulings=_RULINGS)
# Of every question of a run: vendors' caches miss where the schema is another one
ANSWER: Mapping[str, Any] = _closed(
    nonce=_NONCE, findings=_FINDINGS, rulings=_RULINGS, summary=_SUMMARY, verdict=_VERDICT
)

PROSE: Mapping[str, Any] = _closed(
    nonce=_NONCE, review=_text("the whole review as Markdown, in the requested format")
)


_LONGEST = 4_000_000  # characters
_MOST = 1000
_LAST_LINE = 1_000_000_000
_FENCES = ("```", "```json")
_WHAT = "a JSON answer"
_Item = TypeVar("_Item")


class NotJson(ValueError):
    """The text is no JSON document."""


class Claim(Struct, frozen=True):
    """One finding as a model states it: its lines are what the model believes, 0 where it does not
    know."""

    file: str
    quote: str
    line_start: int
    line_end: int
    priority: Priority
    category: str
    title: str
    body: str
    suggestion: str | None
    confidence: Confidence


class ReviewAnswer(Struct, frozen=True):
    """A whole review: `verdict` is PASS, CONCERNS or FAIL as the model said it."""

    verdict: str
    summary: str
    claims: tuple[Claim, ...]


class Ruling(Struct, frozen=True):
    """What a verifier says of the finding `id`: confirmed, uncertain or refuted, why, and the code
    that shows it. `looked_up`: that code was not shown with the question, but read by a tool."""

    id: str
    ruling: str
    reason: str
    reason_kind: str
    file: str
    quote: str
    looked_up: bool = False


def read_review_answer(text: str, nonce: str) -> ReviewAnswer:
    """The review that a text holds.

    Raises:
        ValueError: it holds none, or one of another run; the message gives one reason.
    """
    said = _document(text, nonce, REVIEW, unasked=("rulings",))
    verdict, summary = (
        _word(said["verdict"], VERDICTS, "verdict"),
        strict.json_string(said["summary"], "summary"),
    )
    return ReviewAnswer(verdict, summary, _each(said["findings"], "findings", _claim))


def read_rulings(text: str, nonce: str, ids: Collection[str]) -> tuple[Ruling, ...]:
    """The rulings that a text holds, at most one on each finding that was asked about (`ids`).

    Raises:
        ValueError: it holds none, those of another run, one on another finding, or two on one; the
            message gives one reason.
    """
    said = _document(text, nonce, VERIFICATION, unasked=("findings", "summary", "verdict"))
    rulings = _each(said["rulings"], "rulings", _ruling)
    _check_ids([ruling.id for ruling in rulings], ids)
    return rulings


def read_prose(text: str, nonce: str) -> str:
    """The Markdown that a text holds.

    Raises:
        NotJson: it is no JSON document.
        ValueError: it holds none, or that of another run; the message gives one reason.
    """
    return _filled(_document(text, nonce, PROSE)["review"], "review")


def _check_ids(ruled: Sequence[str], asked: Collection[str]) -> None:
    for at, key in enumerate(ruled):
        if key not in asked:
            raise ValueError(
                f"rulings[{at}].id: {_shown(key)} is not one of the findings in the question"
            )
        if key in ruled[:at]:
            raise ValueError(f"rulings[{at}].id: {_shown(key)} has two rulings")


def _document(text: str, nonce: str, schema: Any, unasked: Sequence[str] = ()) -> dict[str, Any]:
    """The object with the schema's own keys and the nonce of this run. Keys that are `unasked` may
    be there as well; a list must be empty."""
    if len(text) > _LONGEST:
        raise ValueError(f"the answer is longer than {_LONGEST} characters")
    bare = strip_markdown_fence(text)
    value = _loaded(text if bare is None else bare)
    if bare is None and type(value) is str:
        value = _loaded(value)
    said = _exactly(_without(value, unasked), schema, "answer")
    if said["nonce"] != nonce:
        raise ValueError("nonce: does not match the nonce of this run")
    return said


def _without(value: Any, unasked: Sequence[str]) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: said
        for key, said in value.items()
        if key not in unasked or not (said == [] or isinstance(said, str))
    }


def _loaded(text: str) -> Any:
    try:
        return strict.load_json(text, _WHAT, unique=True)
    except ValueError as error:
        raise NotJson(str(error)) from None


def strip_markdown_fence(text: str) -> str | None:
    """What stands in the one markdown fence that the text is; None where it is none."""
    first, _, rest = text.strip().partition("\n")
    inside, _, last = rest.rpartition("\n")
    return inside if first.strip() in _FENCES and last.strip() == "```" else None


def _exactly(value: Any, schema: Any, where: str) -> dict[str, Any]:
    """An object with all keys of the schema and no other."""
    said = strict.json_object(value, where)
    for key in schema["required"]:
        if key not in said:
            raise ValueError(f"{where}: {key} is missing")
    for key in said:
        if key not in schema["properties"]:
            raise ValueError(f"{where}: unknown key {_shown(key)}")
    return said


def _each(value: Any, where: str, read: Callable[[Any, str], _Item]) -> tuple[_Item, ...]:
    items = strict.json_array(value, where)
    if len(items) > _MOST:
        raise ValueError(f"{where}: more than {_MOST} items")
    return tuple(read(item, f"{where}[{at}]") for at, item in enumerate(items))


def _claim(value: Any, where: str) -> Claim:
    said = _exactly(value, REVIEW["properties"]["findings"]["items"], where)
    suggestion = said["suggestion"]
    return Claim(
        file=strict.path_text(strict.json_string(said["file"], f"{where}.file"), f"{where}.file"),
        quote=strict.json_string(said["quote"], f"{where}.quote"),
        line_start=_line(said["line_start"], f"{where}.line_start"),
        line_end=_line(said["line_end"], f"{where}.line_end"),
        priority=Priority(_word(said["priority"], PRIORITIES, f"{where}.priority")),
        category=_word(said["category"], CATEGORIES, f"{where}.category"),
        title=_filled(said["title"], f"{where}.title"),
        body=strict.json_string(said["body"], f"{where}.body"),
        suggestion=None
        if suggestion is None
        else strict.json_string(suggestion, f"{where}.suggestion"),
        confidence=Confidence(_word(said["confidence"], CONFIDENCES, f"{where}.confidence")),
    )


def _ruling(value: Any, where: str) -> Ruling:
    said = _exactly(value, VERIFICATION["properties"]["rulings"]["items"], where)
    return Ruling(
        id=strict.json_string(said["id"], f"{where}.id"),
        ruling=_word(said["ruling"], RULINGS, f"{where}.ruling"),
        reason=strict.json_string(said["reason"], f"{where}.reason"),
        reason_kind=_word(said["reason_kind"], REASON_KINDS, f"{where}.reason_kind"),
        file=strict.json_string(said["file"], f"{where}.file"),
        quote=strict.json_string(said["quote"], f"{where}.quote"),
    )


def _word(value: Any, words: Sequence[str], where: str) -> str:
    """One of the words, as it is spelt."""
    if type(value) is not str or value not in words:
        raise ValueError(f"{where}: expected one of {', '.join(words)}")
    return value


def _line(value: Any, where: str) -> int:
    number = strict.whole_number(value, where)
    if number > _LAST_LINE:
        raise ValueError(f"{where}: the line number is too large")
    return number


def _filled(value: Any, where: str) -> str:
    text = strict.json_string(value, where)
    if not text.strip():
        raise ValueError(f"{where}: expected text, got an empty string")
    return text


def _shown(key: str) -> str:
    """A key that somebody else chose, on one line of ASCII."""
    shown = ascii(key[:80])
    return shown if len(shown) <= 80 else shown[:80] + "..."
