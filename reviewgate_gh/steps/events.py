"""Events as lines, for people and for machines; and the events of a review that reads several commits."""

import json
from typing import Any

from ..model.event import Event
from ..text.escape import one_line
from ..text.redact import redact

LOGGER = "cumulative_review"
_MOST = 600


def text_line(event: Event) -> str:
    """`LEVEL  cumulative_review: Event key=value key=value`; a sentence stands as it is."""
    if not event.fields:
        return _inert(_sentences(event.name))
    pairs = " ".join(f"{key}={_value(value)}" for key, value in event.fields.items())
    return _inert(f"{event.level:<5} {LOGGER}: {event.name} {pairs}")


def json_line(event: Event, time: str, run_id: str) -> str:
    """The same as one JSON object on one line."""
    fields = {key: _shown(value) if isinstance(value, str) else value for key, value in event.fields.items()}
    what = {"event": event.name} if event.fields else {"message": _sentences(event.name)}
    return json.dumps({"time": time, "level": event.level, "logger": LOGGER, "run_id": run_id, **what, **fields}).replace(
        "##[", "#\\u0023["
    )


def started(trigger: str, mode: str, base: str, head: str) -> Event:
    """A review begins."""
    return Event("INFO", "Review started", {"trigger_type": trigger, "baseline_mode": mode, "baseline_sha": base, "head_sha": head})


def empty(trigger: str, base: str, head: str) -> Event:
    """There is nothing to review."""
    return Event("INFO", "Empty diff skip", {"trigger_type": trigger, "baseline_sha": base, "head_sha": head, "skip_reason": "empty_diff"})


def large(trigger: str, lines: int, threshold: int, base: str, head: str) -> Event:
    """There is much to review."""
    fields = {"trigger_type": trigger, "diff_lines": lines, "threshold": threshold, "baseline_sha": base, "head_sha": head}
    return Event("WARN", "Large diff warning", fields)


def missing(trigger: str, mode: str) -> Event:
    """Nobody knows where the review should begin."""
    return Event("WARN", "Missing baseline", {"trigger_type": trigger, "baseline_mode": mode, "skip_reason": "baseline_not_found"})


def completed(trigger: str, status: str, findings: int, milliseconds: int) -> Event:
    """The reviewers have answered."""
    fields = {"trigger_type": trigger, "status": status, "finding_count": findings, "duration_ms": milliseconds}
    return Event("INFO", "Review completed", fields)


def advanced(trigger: str, old: str, new: str) -> Event:
    """The next review begins here."""
    return Event("DEBUG", "Baseline advanced", {"trigger_type": trigger, "old_baseline": old or "none", "new_baseline": new})


def failed(trigger: str, kind: str, message: str) -> Event:
    """A reviewer gave no result."""
    return Event("ERROR", "Reviewer error", {"trigger_type": trigger, "error_type": kind, "error_message": message})


def _value(value: Any) -> str:
    text = _shown(str(value))
    plain = text and not any(char in ' "=\\' for char in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _shown(text: str) -> str:
    return one_line(redact(one_line(redact(text), 8 * _MOST)), _MOST)


def _inert(text: str) -> str:
    """Nothing in it is a command to the runner of GitHub Actions; none of our lines begins with foreign words."""
    return text.replace("##[", "##\\[")


def _sentences(text: str) -> str:
    """Each line on a line of its own."""
    return "\n".join(map(_shown, text.splitlines()))
