"""From a report to issues: what each finding says in a tracker, and by what it is known there again."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..model.digest import sha256_hex
from ..model.finding import Confidence, Finding, Priority, State
from ..model.report import Report
from ..model.tracked import Occasion, Status, Tracked
from ..text.escape import one_line, terminal
from ..text.redact import redact
from . import issue_notes

LABEL, CUMULATIVE = "review-finding", "cumulative-review"
MOST_TITLE = 200  # characters: GitHub takes 256, bd 500
_MOST_BODY, _MOST_PLACES = 8_000, 50
_SOURCE, UNMET = "cumulative_review", "epic_verification"  # of which kind of review an issue comes


def wanted(report: Report, occasion: Occasion, least: str = "P3") -> tuple[Tracked, ...]:
    """An issue for every open, certain finding of at least this priority, most severe first."""
    certain = (f for f in report.findings if f.state is State.OPEN and f.confidence is Confidence.HIGH and f.priority.reaches(least))
    ordered = sorted(certain, key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal))
    return tuple(_issue(finding, report, occasion) for finding in ordered)


def undismissed(issues: Iterable[Tracked], report: Report, occasion: Occasion) -> tuple[Tracked, ...]:
    """What has waited, without what people have dismissed meanwhile on the same pull request."""
    settled = {finding.fingerprint for finding in report.findings if occasion.pull and finding.state is State.DISMISSED}
    here = f"#{occasion.pull}"
    return tuple(i for i in issues if i.fingerprint not in settled or issue_notes.read(i.notes).get("Pull request") != here)


def renamed(issues: Iterable[Tracked], report: Report, former: Mapping[str, Sequence[str]]) -> tuple[Tracked, ...]:
    """The issues with the fingerprints that their findings had under former names of their files."""
    findings = {finding.fingerprint: finding for finding in report.findings}
    return tuple(replace(issue, known_as=_former(findings.get(issue.fingerprint), former)) for issue in issues)


def _former(finding: Finding | None, former: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    names = former.get(finding.origin or finding.path, ()) if finding else ()
    return tuple(replace(finding, origin=name).fingerprint for name in names if finding)


def summary_issue(occasion: Occasion) -> Tracked:
    """The one issue that a run's findings hang on where no other does."""
    name = sha256_hex(f"run\0{occasion.run}", 16)
    notes = issue_notes.write({"Source": occasion.source, "Trigger": occasion.trigger, "Fingerprint": name})
    title = f"Run summary {one_line(occasion.run, 100)}"
    body = "The findings of this run that belong to no epic are linked to this issue."
    return Tracked(name, title, body, Priority.P3, "", 0, (*_labels(occasion), f"run:{label_word(occasion.run)}", f"fp:{name}"), notes)


def recognised(title: str, body: str, notes: str, labels: Sequence[str]) -> Tracked | None:
    """An issue as a tracker holds it, by its label or its notes; None for one that is not ours."""
    facts = issue_notes.read(notes)
    labelled = next((label[3:] for label in labels if label.startswith("fp:")), "")
    fingerprint = facts.get("Fingerprint") or labelled
    if not fingerprint:
        return None
    path, line = _location(facts.get("Location", ""))
    priority = Priority.__members__.get(facts.get("Priority", ""), Priority.P2)
    origin = facts.get("Former path") or path
    return Tracked(fingerprint, title, body, priority, path, line, tuple(labels), notes, facts.get("Place", ""), origin=origin)


def _location(text: str) -> tuple[str, int]:
    path, _, lines = text.rpartition(":")
    first = lines.partition("-")[0]
    return (path, int(first)) if path and first.isdecimal() else (text, 0)


def _issue(finding: Finding, report: Report, occasion: Occasion) -> Tracked:
    place = place_of(finding)
    path = one_line(finding.path, 400)
    facts = {
        "Source": occasion.source,
        "Trigger": occasion.trigger,
        "Epic": occasion.epic if occasion.trigger == "epic_completion" else "",
        "Pull request": f"#{occasion.pull}" if occasion.pull else "",
        "Baseline": f"{report.change.base[:12]}..{report.change.head[:12]}",
        "Priority": finding.priority.value,
        "Location": f"{path}{_lines(finding)}",
        "Also at": ", ".join(one_line(place, 400) for place in _others(finding)[:_MOST_PLACES]),
        "Found by": one_line(", ".join(finding.sources), 200),
        "Fingerprint": finding.fingerprint,
        "Place": place,
    }
    labels = (*_labels(occasion), f"fp:{finding.fingerprint}")
    notes, link = issue_notes.write(facts), occasion.link
    return Tracked(
        finding.fingerprint, _title(finding), _body(finding), finding.priority, path, finding.line_start, labels, notes, place, link=link
    )


def place_of(finding: Finding) -> str:
    """16 hex digits over the normalised path, the lines and the title."""
    parts = (posixpath.normpath(finding.path), str(finding.line_start), str(finding.line_end), finding.title)
    return sha256_hex("\0".join(parts), 16)


def label_word(text: str) -> str:
    """What may stand in a label after its first word: trackers take letters, digits, `_`, `:` and `-`, 50 in all."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "-" for char in text)[:40]


def _labels(occasion: Occasion) -> tuple[str, ...]:
    cumulative = (CUMULATIVE,) if occasion.source == _SOURCE else ()
    trigger = (f"trigger:{label_word(occasion.trigger)}",) if occasion.trigger else ()
    return (LABEL, *cumulative, *trigger)


def _lines(finding: Finding) -> str:
    if not finding.line_start:
        return ""
    return f":{finding.line_start}" + (f"-{finding.line_end}" if finding.line_end > finding.line_start else "")


def _title(finding: Finding) -> str:
    where = f" ({one_line(finding.path.rpartition('/')[2], 60)})"
    return one_line(_safe(finding.title), MOST_TITLE - len(where)) + where


def _body(finding: Finding) -> str:
    return "\n\n".join(_paragraphs(finding))[:_MOST_BODY]


def _paragraphs(finding: Finding) -> Iterator[str]:
    said = [finding.priority.value, finding.rule or finding.category, f"{finding.path}{_lines(finding)}"]
    yield one_line(_safe(" · ".join(said)), 600)
    if finding.body.strip():
        yield _safe(finding.body).strip()
    if others := _others(finding):
        more = f" and {len(others) - _MOST_PLACES} more" if len(others) > _MOST_PLACES else ""
        yield f"Also at {_safe(', '.join(others[:_MOST_PLACES]))}{more}"
    if finding.suggestion is not None:
        yield "Suggestion:\n\n" + "\n".join(f"    {row}" for row in _safe(finding.suggestion).split("\n"))


def _others(finding: Finding) -> list[str]:
    """The other places of a finding that several have."""
    return [place for place in finding.places if place != finding.location]


def _safe(text: str) -> str:
    """Redacted twice: taking control characters out of a token's middle makes it whole."""
    return redact(terminal(redact(text)))


def closed(issue: Tracked, sha: str) -> Tracked:
    """The issue when its finding is gone, which the notes remember."""
    reason = f"No longer found as of {sha[:12]}"
    return replace(issue, status=Status.CLOSED, reason=reason, notes=issue_notes.changed(issue.notes, {"Gone": sha[:12]}))
