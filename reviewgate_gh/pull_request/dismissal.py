"""False alarms that people dismissed: by `/reviewgate-gh dismiss REASON` in reply to a comment, by
the same with a fingerprint in the conversation, or by deleting the comment."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..findings.identity import base_fingerprint
from ..findings.markers import FINGERPRINT_PATTERN, FindingMarker, ReviewMarker, last_marker
from ..findings.waivers import AcceptedFinding, why_not_covered
from ..gate.policy import decide_verdict
from ..model.finding import Finding, FindingState
from ..model.pull_request import Account, Bucket, ExistingComment, PostedReview, ThreadReply
from ..model.report import Report
from ..text.redact import redact
from .posted_text import read_comment
from .rows import read_rows

_COMMAND = re.compile(r"(?m)^ {0,3}/reviewgate-gh[ \t]+dismiss\b[ \t]*(.*)$")
# Who shows the command in a block of code does not give it.
_FENCED = re.compile(
    r"(?ms)^ {0,3}(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+).*?(?:^ {0,3}(?P=fence)[`~]*[ \t\r]*$|\Z)"
)
_NAMED = re.compile(rf"`?({FINGERPRINT_PATTERN.pattern})`?(?:[ \t:,-]+|$)(.*)")
_LONGEST = 200
DELETED = "its comment was deleted"


class DismissalRequest(Struct, frozen=True):
    """Somebody asks to dismiss a finding, as the comment states it that was replied to; without a
    reason it is none. `changed_to` is the fingerprint of what its code has become since."""

    fingerprint: str
    who: Account
    reason: str
    accepted: AcceptedFinding = AcceptedFinding()
    changed_to: str = ""


def dismissal_requests(
    existing: Iterable[ExistingComment], viewer: Account | None
) -> tuple[DismissalRequest, ...]:
    """What replies in our own threads ask for, the newest of each person last; what a bot that we
    are says never counts."""
    return tuple(
        DismissalRequest(
            each.fingerprint,
            reply.author,
            redact(found[1].strip())[:_LONGEST],
            AcceptedFinding(stated.title, stated.priority),
            each.changed_to,
        )
        for each in existing
        for stated in (read_comment(each.thread.body),)
        for reply in each.thread.replies
        if _speaks(reply.author, viewer) and (found := _COMMAND.search(_FENCED.sub("", reply.body)))
    )


def stated_findings(
    existing: Iterable[ExistingComment], texts: Iterable[str]
) -> dict[str, AcceptedFinding]:
    """What our comments, and the rows in the texts of our reviews, say of each fingerprint."""
    rows = (row for text in texts for row in read_rows(text))
    said = {row.name: AcceptedFinding(row.title, row.priority) for row in rows}
    for each in existing:
        stated = read_comment(each.thread.body)
        said[each.fingerprint] = AcceptedFinding(stated.title, stated.priority)
    return said


def conversation_requests(
    conversation: Iterable[ThreadReply],
    stated: Mapping[str, AcceptedFinding],
    viewer: Account | None,
) -> tuple[tuple[DismissalRequest, ...], tuple[str, ...]]:
    """What comments on the pull request ask for, oldest first, and a sentence for each that names
    no finding."""
    asked, nameless = list[DismissalRequest](), list[str]()
    for each in conversation:
        command = _COMMAND.search(_FENCED.sub("", each.body))
        if not command or not _speaks(each.author, viewer):
            continue
        if named := _NAMED.fullmatch(command[1].strip()):
            accepted = stated.get(named[1], AcceptedFinding())
            reason = redact(named[2].strip())[:_LONGEST]
            asked.append(DismissalRequest(named[1], each.author, reason, accepted))
        else:
            nameless.append(
                f"{each.author.login or 'somebody'} asked to dismiss a finding without its "
                "fingerprint: ignored; in the conversation the command is dismiss FINGERPRINT "
                "REASON"
            )
    return tuple(asked), tuple(nameless)


def missing_comments(
    existing: Iterable[ExistingComment],
    reviews: Iterable[tuple[PostedReview, ReviewMarker]],
    findings: Iterable[Finding],
) -> dict[str, PostedReview]:
    """The comments that reviews of ours were posted with and that are not there, by fingerprint,
    as far as an open finding may be theirs."""
    existing = tuple(existing)
    marks = (last_marker(each.thread.body) for each in existing)
    there = {mark.fingerprint for mark in marks if isinstance(mark, FindingMarker)}
    there |= {each.fingerprint for each in existing if each.bucket is Bucket.ALREADY_POSTED}
    left = {base_fingerprint(f.fingerprint) for f in findings if f.state is FindingState.OPEN}
    return {
        name: review
        for review, mark in reviews
        for name in mark.comments
        if name not in there and base_fingerprint(name) in left
    }


def known_deletions(texts: Iterable[str]) -> frozenset[str]:
    """The fingerprints whose comment was deleted, as texts of ours say."""
    rows = (row for text in texts for row in read_rows(text))
    return frozenset(row.name for row in rows if DELETED in row.note)


def deletion_requests(
    names: Iterable[str], stated: Mapping[str, AcceptedFinding]
) -> tuple[DismissalRequest, ...]:
    """Whoever deletes a comment of ours may write, and says that it is no finding."""
    return tuple(
        DismissalRequest(name, Account(), DELETED, stated.get(name, AcceptedFinding()))
        for name in sorted(names)
    )


def _speaks(author: Account, viewer: Account | None) -> bool:
    """Somebody who is there. We answer nobody, so under a person's own account it is the person;
    under a bot's it may be any workflow."""
    return bool(author.id) and (author.kind == "User" or not author.same_as(viewer))


def granted_dismissals(
    asked: Sequence[DismissalRequest], writers: Mapping[int, bool], involved: Mapping[int, str]
) -> tuple[dict[str, DismissalRequest], tuple[str, ...]]:
    """By fingerprint, the wishes of people with write permission that give a reason; and a sentence
    for each of the others.

    `involved` says by their number who must not judge their own work, and what they did.
    """
    kept: dict[str, DismissalRequest] = {}
    refused = []
    for wish in asked:
        name = wish.who.login or "somebody"
        if not writers.get(wish.who.id):
            refused.append(
                f"{name} asked to dismiss {wish.fingerprint} but has no write permission: ignored"
            )
        elif role := involved.get(wish.who.id):
            refused.append(
                f"{name} asked to dismiss {wish.fingerprint} but {role}: somebody else with write "
                "permission has to (publish.author_dismisses: true allows it)"
            )
        elif not wish.reason:
            refused.append(f"{name} asked to dismiss {wish.fingerprint} without a reason: ignored")
        else:
            kept[wish.fingerprint] = wish
    return kept, tuple(refused)


def apply_dismissals(
    report: Report, dismissals: Mapping[str, DismissalRequest], notices: Sequence[str]
) -> Report:
    """The report with these findings dismissed, and the verdict that the others lead to; nothing is
    left out of it."""
    findings = tuple(_judged(report.findings, dismissals.values()))
    if findings == report.findings and not notices:
        return report
    verdict = (
        decide_verdict(
            findings, report.reviews, report.verdict.not_reviewed, report.threshold, report.coverage
        )
        if findings != report.findings
        else report.verdict
    )
    return replace(report, findings=findings, verdict=verdict, notices=(*report.notices, *notices))


def _judged(
    findings: Iterable[Finding], dismissals: Iterable[DismissalRequest]
) -> Iterator[Finding]:
    """Each dismissal is for one finding. Where no rule says what is wrong, its number among equal
    fingerprints is no sign which."""
    exact = {wish.fingerprint: wish for wish in dismissals}
    like: dict[str, list[DismissalRequest]] = defaultdict(list)
    for wish in exact.values():
        like[base_fingerprint(wish.fingerprint)].append(wish)
    successors = {wish.changed_to: wish for wish in exact.values() if wish.changed_to}
    used: set[str] = set()
    for finding in findings:
        if finding.state is not FindingState.OPEN:
            yield finding
            continue
        if before := successors.get(finding.fingerprint):
            finding = _with_note(finding, f"not {_by(before)}: the code has changed since")
        own = [exact[finding.fingerprint]] if finding.fingerprint in exact else []
        others = (
            [] if finding.has_specific_rule else like.get(base_fingerprint(finding.fingerprint), [])
        )
        asked = [wish for wish in dict.fromkeys([*own, *others]) if wish.fingerprint not in used]
        yield _answered(finding, asked, used)


def _answered(finding: Finding, asked: Sequence[DismissalRequest], used: set[str]) -> Finding:
    """Dismissed by the first that covers it, or open with the reason why the first does not."""
    why = ""
    for wish in asked:
        against = why_not_covered(wish.accepted, finding)
        if not against:
            used.add(wish.fingerprint)
            return replace(finding, state=FindingState.DISMISSED, note=_by(wish))
        why = why or f"not {_by(wish)}: {against}"
    return _with_note(finding, why)


def _by(wish: DismissalRequest) -> str:
    return f"dismissed by {wish.who.login or 'somebody'}: {wish.reason}"


def _with_note(finding: Finding, note: str) -> Finding:
    return replace(finding, note="; ".join(filter(None, [finding.note, note])))
