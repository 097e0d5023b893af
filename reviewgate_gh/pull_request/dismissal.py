"""False alarms that people dismissed by a reply: `/reviewgate-gh dismiss REASON`, by somebody who
may write to the repository."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..findings.identity import base_fingerprint
from ..findings.waivers import AcceptedFinding, why_not_covered
from ..gate.policy import decide_verdict
from ..model.finding import Finding, FindingState
from ..model.pull_request import Account, ExistingComment
from ..model.report import Report
from ..text.redact import redact
from .posted_text import read_comment

_COMMAND = re.compile(r"(?m)^ {0,3}/reviewgate-gh[ \t]+dismiss\b[ \t]*(.*)$")
# Who shows the command in a block of code does not give it.
_FENCED = re.compile(
    r"(?ms)^ {0,3}(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+).*?(?:^ {0,3}(?P=fence)[`~]*[ \t\r]*$|\Z)"
)
_LONGEST = 200


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
