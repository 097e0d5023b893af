"""False alarms that people dismissed: by `/reviewgate-gh dismiss REASON` in reply to a comment, by
the same with a fingerprint in the conversation, or by deleting the comment. `undismiss` takes that
back."""

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
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from .comment_commands import CommentCommand, commands_in
from .posted_text import read_comment
from .rows import read_rows

DISMISS, UNDISMISS = "dismiss", "undismiss"
_NAMED = lazy_pattern(rf"`?({FINGERPRINT_PATTERN.pattern})`?(?:[ \t:,-]+|$)(.*)")
_LONGEST = 200
DELETED = "its comment was deleted"


class DismissalRequest(Struct, frozen=True):
    """Somebody asks to dismiss a finding, as the comment states it that was replied to; without a
    reason it is none. `changed_to` is the fingerprint of what its code has become since.

    `takes_back`: the finding shall not be dismissed any more. `edited`: the comment that asks was
    changed since it was written, and anybody who may write can have done that.
    """

    fingerprint: str
    who: Account
    reason: str
    accepted: AcceptedFinding = AcceptedFinding()
    changed_to: str = ""
    when: str = ""
    takes_back: bool = False
    edited: bool = False


def dismissal_requests(existing: Iterable[ExistingComment]) -> tuple[DismissalRequest, ...]:
    """What replies in our own threads ask for, the newest of each person last; what bots say never
    counts."""
    return tuple(
        DismissalRequest(
            each.fingerprint,
            reply.author,
            _reason(command.words),
            AcceptedFinding(stated.title, stated.priority),
            each.changed_to,
            reply.created,
            command.verb == UNDISMISS,
            reply.edited,
        )
        for each in existing
        for stated in (read_comment(each.thread.body),)
        for reply in each.thread.replies
        for command in _asked(reply)
    )


def _asked(comment: ThreadReply) -> Iterator[CommentCommand]:
    """What a person says about dismissals. We answer nobody with a command, so under a person's own
    account it is the person."""
    if comment.author.id and comment.author.kind == "User":
        yield from (each for each in commands_in(comment.body) if each.verb in (DISMISS, UNDISMISS))


def _reason(words: str) -> str:
    return redact(words.strip())[:_LONGEST]


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


def named_finding(words: str) -> tuple[str, str]:
    """The fingerprint that a command in the conversation starts with, and what follows it; "" for
    both where it starts with none."""
    found = _NAMED.fullmatch(words)
    return (found[1], found[2].strip()) if found else ("", "")


def conversation_requests(
    conversation: Iterable[ThreadReply],
    stated: Mapping[str, AcceptedFinding],
) -> tuple[tuple[DismissalRequest, ...], tuple[str, ...]]:
    """What comments on the pull request ask for, oldest first, and a sentence for each that names
    no finding."""
    asked, nameless = list[DismissalRequest](), list[str]()
    said = ((each, command) for each in conversation for command in _asked(each))
    for each, command in said:
        name, reason = named_finding(command.words)
        takes_back = command.verb == UNDISMISS
        if name:
            accepted = stated.get(name, AcceptedFinding())
            asked.append(
                DismissalRequest(
                    name,
                    each.author,
                    _reason(reason),
                    accepted,
                    when=each.created,
                    takes_back=takes_back,
                    edited=each.edited,
                )
            )
        else:
            nameless.append(
                f"{each.author.login or 'somebody'} asked to {command.verb} a finding without its "
                "fingerprint: ignored; in the conversation the command is "
                f"{command.verb} FINGERPRINT{'' if takes_back else ' REASON'}"
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


class GrantedDismissals(Struct, frozen=True):
    """By fingerprint, the requests that hold, and those that took a dismissal back which had held;
    `notices` has a sentence for each that was refused or taken back."""

    kept: Mapping[str, DismissalRequest]
    taken_back: Mapping[str, DismissalRequest]
    notices: tuple[str, ...] = ()


def granted_dismissals(
    asked: Sequence[DismissalRequest],
    writers: Mapping[int, bool],
    involved: Mapping[int, str],
    deletions: Sequence[DismissalRequest] = (),
) -> GrantedDismissals:
    """The requests of people with write permission, in the order in which they were made, after
    those that `deletions` of comments stand for. A dismissal needs a reason, and somebody who does
    not judge their own work: `involved` says by their number who does, and what they did. Whoever
    may write may take one back.
    """
    kept = {wish.fingerprint: wish for wish in deletions}
    back = dict[str, DismissalRequest]()
    notices = list[str]()
    for wish in sorted(asked, key=lambda each: (each.when, each.takes_back)):
        if why := _refusal(wish, writers, involved):
            verb = UNDISMISS if wish.takes_back else DISMISS
            notices.append(f"{_login(wish)} asked to {verb} {wish.fingerprint} {why}")
        elif wish.takes_back:
            for name in alike(wish.fingerprint, kept):
                old, back[name] = kept.pop(name), wish
                by = f"by {_login(old)}: {old.reason}" if old.who.id else f"({old.reason})"
                notices.append(f"{_login(wish)} took back the dismissal of {name} {by}")
        else:
            kept[wish.fingerprint] = wish
            for name in alike(wish.fingerprint, back):
                del back[name]
    return GrantedDismissals(kept, back, tuple(notices))


def _refusal(
    wish: DismissalRequest, writers: Mapping[int, bool], involved: Mapping[int, str]
) -> str:
    """Why a request has no effect; "" where it has."""
    if not writers.get(wish.who.id):
        return "but has no write permission: ignored"
    if wish.edited:
        return "in a comment that was edited since: ignored; write a new comment"
    if wish.takes_back:
        return ""
    if role := involved.get(wish.who.id):
        return (
            f"but {role}: somebody else with write permission has to "
            "(publish.author_dismisses: true allows it)"
        )
    return "" if wish.reason else "without a reason: ignored"


def alike(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those that are this very fingerprint, or else differ from it only in their number among
    equals."""
    names = tuple(names)
    base = base_fingerprint(name)
    return (name,) if name in names else tuple(n for n in names if base_fingerprint(n) == base)


def apply_dismissals(report: Report, granted: GrantedDismissals) -> Report:
    """The report with these findings dismissed, and the verdict that the others lead to; nothing is
    left out of it."""
    notices = granted.notices
    judged = _judged(report.findings, granted.kept.values())
    findings = tuple(_open_again(each, granted.taken_back) for each in judged)
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


def _open_again(finding: Finding, taken_back: Mapping[str, DismissalRequest]) -> Finding:
    """With a note where it was dismissed before."""
    if finding.state is not FindingState.OPEN:
        return finding
    notes = (
        f"{_login(taken_back[each])} took back its dismissal"
        for each in alike(finding.fingerprint, taken_back)
    )
    return _with_note(finding, next(notes, ""))


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
    return f"dismissed by {_login(wish)}: {wish.reason}"


def _login(wish: DismissalRequest) -> str:
    return wish.who.login or "somebody"


def _with_note(finding: Finding, note: str) -> Finding:
    return replace(finding, note="; ".join(filter(None, [finding.note, note])))
