"""From findings to issues: which are new, moved, reopened or fixed, and the notes by which an issue
is recognised again."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..findings.identity import (
    FormerNames,
    Identity,
    all_names,
    identity_of,
    place_digest,
    recognise,
    unit_digest,
)
from ..model.finding import Confidence, Finding, FindingState, Priority, sha256_hex
from ..model.report import Outcome, Report
from ..model.review import ReviewStatus as Answered
from ..text.escape import terminal_line, terminal_text
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from .tracked import IssueOrigin, IssueStatus, TrackedIssue

LABEL, CUMULATIVE = "review-finding", "cumulative-review"
MAX_TITLE = 200  # characters: GitHub takes 256, bd 500
_MOST_BODY, _MOST_PLACES = 8_000, 50
_SOURCE, UNMET = "cumulative_review", "epic_verification"  # of which kind of review an issue comes


def issues_of_report(
    report: Report, origin: IssueOrigin, least: str = "P3"
) -> tuple[TrackedIssue, ...]:
    """An issue for every open, certain finding of at least this priority, most severe first."""
    certain = (
        f
        for f in report.findings
        if f.state is FindingState.OPEN
        and f.confidence is Confidence.HIGH
        and f.priority.reaches(least)
    )
    ordered = sorted(
        certain, key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal)
    )
    return tuple(_issue(finding, report, origin) for finding in ordered)


def without_dismissed(
    issues: Iterable[TrackedIssue], report: Report, origin: IssueOrigin
) -> tuple[TrackedIssue, ...]:
    """What has waited, without what people have dismissed meanwhile on the same pull request."""
    settled = {
        finding.fingerprint
        for finding in report.findings
        if origin.pull and finding.state is FindingState.DISMISSED
    }
    here = f"#{origin.pull}"
    return tuple(
        i
        for i in issues
        if i.fingerprint not in settled or read(i.notes).get("Pull request") != here
    )


def with_former_names(
    issues: Iterable[TrackedIssue], report: Report, former: FormerNames
) -> tuple[TrackedIssue, ...]:
    """The issues with the fingerprints that their findings had under former names of their
    files."""
    findings = {finding.fingerprint: finding for finding in report.findings}
    return tuple(
        replace(issue, known_as=all_names(found, former)[1:])
        if (found := findings.get(issue.fingerprint))
        else issue
        for issue in issues
    )


def summary_issue(origin: IssueOrigin) -> TrackedIssue:
    """The one issue that a run's findings hang on where no other does."""
    name = sha256_hex(f"run\0{origin.run}", 16)
    notes = write({"Source": origin.source, "Trigger": origin.trigger, "Fingerprint": name})
    title = f"Run summary {terminal_line(origin.run, 100)}"
    body = "The findings of this run that belong to no epic are linked to this issue."
    return TrackedIssue(
        name,
        title,
        body,
        Priority.P3,
        "",
        0,
        (*_labels(origin), f"run:{label_word(origin.run)}", f"fp:{name}"),
        notes,
    )


def read_own_issue(title: str, body: str, notes: str, labels: Sequence[str]) -> TrackedIssue | None:
    """An issue as a tracker holds it, by its label or its notes; None for one that is not ours."""
    facts = read(notes)
    labelled = next((label[3:] for label in labels if label.startswith("fp:")), "")
    fingerprint = facts.get("Fingerprint") or labelled
    if not fingerprint:
        return None
    path, line = _location(facts.get("Location", ""))
    priority = Priority.__members__.get(facts.get("Priority", ""), Priority.P2)
    origin = facts.get("Former path") or path
    return TrackedIssue(
        fingerprint,
        title,
        body,
        priority,
        path,
        line,
        tuple(labels),
        notes,
        facts.get("Place", ""),
        origin=origin,
        unit=facts.get("Unit", ""),
    )


def _location(text: str) -> tuple[str, int]:
    path, _, lines = text.rpartition(":")
    first = lines.partition("-")[0]
    return (path, int(first)) if path and first.isdecimal() else (text, 0)


def _issue(finding: Finding, report: Report, origin: IssueOrigin) -> TrackedIssue:
    place = place_digest(finding)
    path = terminal_line(finding.path, 400)
    facts = {
        "Source": origin.source,
        "Trigger": origin.trigger,
        "Epic": origin.epic if origin.trigger == "epic_completion" else "",
        "Pull request": f"#{origin.pull}" if origin.pull else "",
        "Baseline": f"{report.change.base[:12]}..{report.change.head[:12]}",
        "Priority": finding.priority.value,
        "Location": f"{path}{_lines(finding)}",
        "Also at": ", ".join(
            terminal_line(place, 400) for place in _others(finding)[:_MOST_PLACES]
        ),
        "Found by": terminal_line(", ".join(finding.sources), 200),
        "Fingerprint": finding.fingerprint,
        "Place": place,
        "Unit": unit_digest(finding),
    }
    labels = (*_labels(origin), f"fp:{finding.fingerprint}")
    notes, link = write(facts), origin.link
    return TrackedIssue(
        finding.fingerprint,
        _title(finding),
        _body(finding),
        finding.priority,
        path,
        finding.line_start,
        labels,
        notes,
        place,
        known_as=all_names(finding, {})[1:],
        unit=unit_digest(finding),
        says_rule=finding.has_specific_rule,
        link=link,
    )


def label_word(text: str) -> str:
    """What may stand in a label after its first word: trackers take letters, digits, `_`, `:` and
    `-`, 50 in all."""
    return "".join(
        char if char.isascii() and (char.isalnum() or char in "_-") else "-" for char in text
    )[:40]


def _labels(origin: IssueOrigin) -> tuple[str, ...]:
    cumulative = (CUMULATIVE,) if origin.source == _SOURCE else ()
    trigger = (f"trigger:{label_word(origin.trigger)}",) if origin.trigger else ()
    return (LABEL, *cumulative, *trigger)


def _lines(finding: Finding) -> str:
    if not finding.line_start:
        return ""
    return f":{finding.line_start}" + (
        f"-{finding.line_end}" if finding.line_end > finding.line_start else ""
    )


def _where(path: str) -> str:
    return f" ({terminal_line(path.rpartition('/')[2], 60)})"


def _title(finding: Finding) -> str:
    where = _where(finding.path)
    return terminal_line(_safe(finding.title), MAX_TITLE - len(where)) + where


def _body(finding: Finding) -> str:
    return "\n\n".join(_paragraphs(finding))[:_MOST_BODY]


def _paragraphs(finding: Finding) -> Iterator[str]:
    said = [
        finding.priority.value,
        finding.rule or finding.category,
        f"{finding.path}{_lines(finding)}",
    ]
    yield terminal_line(_safe(" · ".join(said)), 600)
    if finding.body.strip():
        yield _safe(finding.body).strip()
    if others := _others(finding):
        more = f" and {len(others) - _MOST_PLACES} more" if len(others) > _MOST_PLACES else ""
        yield f"Also at {_safe(', '.join(others[:_MOST_PLACES]))}{more}"
    if finding.suggestion is not None:
        yield "Suggestion:\n\n" + "\n".join(
            f"    {row}" for row in _safe(finding.suggestion).split("\n")
        )


def _others(finding: Finding) -> list[str]:
    """The other places of a finding that several have."""
    return [place for place in finding.places if place != finding.location]


def _safe(text: str) -> str:
    """Redacted twice: taking control characters out of a token's middle makes it whole."""
    return redact(terminal_text(redact(text)))


def closed_issue(issue: TrackedIssue, sha: str) -> TrackedIssue:
    """The issue when its finding is gone, which the notes remember."""
    reason = f"No longer found as of {sha[:12]}"
    return replace(
        issue,
        status=IssueStatus.CLOSED,
        reason=reason,
        notes=changed(issue.notes, {"Gone": sha[:12]}),
    )


_BLOCK = "\n<!-- reviewgate-gh:"  # trackers that have no notes keep ours in the text
# What an update may say anew: the source stays that of who found it first
_MOVING = ("Location", "Place", "Priority", "Fingerprint", "Unit")


class TrackerPlan(Struct, frozen=True):
    """`change` holds each issue before and after; `beyond_limit` are new ones beyond the cap,
    `known` says how many need nothing."""

    create: tuple[TrackedIssue, ...] = ()
    change: tuple[tuple[TrackedIssue, TrackedIssue], ...] = ()
    beyond_limit: tuple[TrackedIssue, ...] = ()
    known: int = 0


def plan_issues(
    wanted: Iterable[TrackedIssue], stored: Iterable[TrackedIssue], most: int
) -> TrackerPlan:
    """One issue for each finding: one that a stored issue is about is known, whatever its title,
    line and code are now.

    Whoever closed an issue has decided about the code that it was about, and no other.
    """
    distinct = {
        (issue.place or issue.fingerprint, issue.title): issue for issue in reversed([*wanted])
    }
    new = tuple(reversed(distinct.values()))
    known = sorted(stored, key=lambda issue: issue.status is IssueStatus.CLOSED)
    found = recognise([_stored_identity(issue) for issue in known], [_identity(i) for i in new])
    before = {match.number: known[number] for number, match in found.items()}
    create = [issue for number, issue in enumerate(new) if number not in before]
    changes = ((old, _after(old, new[number])) for number, old in sorted(before.items()))
    change = tuple((old, after) for old, after in changes if old != after)
    left = len(before) - len(change)
    return TrackerPlan(tuple(create[:most]), change, tuple(create[most:]), left)


def _identity(issue: TrackedIssue) -> Identity:
    """The issue's finding: of its text only the finding's own words."""
    said = issue.body.partition(_BLOCK)[0].split("\n\n")
    return Identity(
        (issue.fingerprint, *issue.known_as),
        issue.title.removesuffix(_where(issue.path)),
        "\n\n".join(said[1:]),
        issue.says_rule,
        issue.place,
        issue.unit,
        issue.path,
        issue.line,
    )


def _stored_identity(issue: TrackedIssue) -> Identity:
    """Of an issue that a person closed only what stands for the very same code."""
    is_settled = issue.status is IssueStatus.CLOSED and not read(issue.notes).get("Gone")
    return replace(_identity(issue), unit="", path="") if is_settled else _identity(issue)


def _after(before: TrackedIssue, issue: TrackedIssue) -> TrackedIssue:
    """The stored issue as it should be: open again where we closed it ourselves, left alone where a
    person did.

    A person who closes what is missing of an epic says that it was done: where it is missing still,
    it is open again.
    """
    said, now = read(before.notes), read(issue.notes)
    if before.status is IssueStatus.CLOSED and not said.get("Gone") and now.get("Source") != UNMET:
        return before
    facts = {key: now.get(key, "") for key in _MOVING} | ({"Gone": ""} if said.get("Gone") else {})
    facts["Also at"] = _places(said.get("Also at", ""), now.get("Also at", ""))
    if before.path != issue.path:
        facts["Former path"] = before.origin or before.path
    if before.status is IssueStatus.OPEN and all(
        said.get(key, "") == value for key, value in facts.items()
    ):
        return before
    notes = changed(before.notes, facts)
    return replace(
        before,
        priority=issue.priority,
        fingerprint=issue.fingerprint,
        path=issue.path,
        line=issue.line,
        place=issue.place,
        unit=issue.unit,
        notes=notes,
        status=IssueStatus.OPEN,
        reason="",
    )


def _places(before: str, now: str) -> str:
    """The other places, those in files that only an earlier review has read among them; of one file
    those of now."""
    files = _by_file(before) | _by_file(now)
    places = [place for found in files.values() for place in found]
    return before if sorted(places) == sorted(before.split(", ")) else ", ".join(places)


def _by_file(text: str) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for place in filter(None, text.split(", ")):
        files.setdefault(place.rpartition(":")[0] or place, []).append(place)
    return files


def fixed_issues(
    stored: Iterable[TrackedIssue],
    report: Report,
    origin: IssueOrigin,
    covers: Callable[[str, str], bool],
) -> Sequence[TrackedIssue]:
    """Open issues whose finding this report would have, were it still there: the same reviewers
    answered about at least the same commits.

    `covers(base, head)` says whether the reviewed range holds that one. Of a pull request every
    later review does.
    """
    if report.verdict.outcome is Outcome.INCONCLUSIVE or report.skipped or report.late:
        return ()
    rows = [row for row in report.reviews if row.status is Answered.OK]
    answered = {name for row in rows for name in (row.name, row.part or row.reviewer)}

    def is_asked_again(issue: TrackedIssue) -> bool:
        """Whoever found it has answered about at least the same commits."""
        facts = read(issue.notes)
        sources = {name for name in facts.get("Found by", "").split(", ") if name}
        base, _, head = facts.get("Baseline", "").partition("..")
        same = origin.pull and facts.get("Pull request") == f"#{origin.pull}"
        return bool(sources and sources <= answered and head and (same or covers(base, head)))

    return [
        closed_issue(issue, report.change.head)
        for issue in _open_and_gone(tuple(stored), report)
        if is_asked_again(issue)
    ]


def _open_and_gone(stored: Sequence[TrackedIssue], report: Report) -> Iterator[TrackedIssue]:
    """Open issues about files that were read, of which no finding of the report is the finding."""
    identities = [identity_of(finding, {}) for finding in report.findings]
    there = recognise([_identity(issue) for issue in stored], identities)
    names = {name for each in identities for name in (*each.names, each.place)}
    unread = {entry.partition(": ")[0] for entry in report.verdict.not_reviewed}
    for number, issue in enumerate(stored):
        known = number in there or {issue.fingerprint, issue.place} & names
        if issue.status is not IssueStatus.CLOSED and not known and issue.path not in unread:
            yield issue


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
    "Unit",
    "Gone",
)
_LINE = lazy_pattern(rf"^({'|'.join(KEYS)}): (.*)$", re.MULTILINE)


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
