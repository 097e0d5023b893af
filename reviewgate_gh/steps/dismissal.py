"""False alarms that people dismissed by a reply: `/reviewgate-gh dismiss REASON`, by somebody who may write to the repository."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..model.finding import State
from ..model.presubmit import Existing
from ..model.pull import Account
from ..model.report import Report
from ..model.values import dataclass
from ..text.redact import redact
from .policy import judge

_COMMAND = re.compile(r"(?m)^ {0,3}/reviewgate-gh[ \t]+dismiss\b[ \t]*(.*)$")
# Who shows the command in a block of code does not give it.
_FENCED = re.compile(r"(?ms)^ {0,3}(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+).*?(?:^ {0,3}(?P=fence)[`~]*[ \t\r]*$|\Z)")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """Somebody asks to dismiss a finding; without a reason it is none."""

    fingerprint: str
    who: Account
    reason: str


def wishes(existing: Iterable[Existing], viewer: Account | None) -> tuple[Wish, ...]:
    """What replies in our own threads ask for, the newest of each person last; what a bot that we are says never counts."""
    return tuple(
        Wish(each.fingerprint, reply.author, redact(found[1].strip())[:_LONGEST])
        for each in existing
        for reply in each.thread.replies
        if _speaks(reply.author, viewer) and (found := _COMMAND.search(_FENCED.sub("", reply.body)))
    )


def _speaks(author: Account, viewer: Account | None) -> bool:
    """Somebody who is there. We answer nobody, so under a person's own account it is the person; under a bot's it may be any workflow."""
    return bool(author.id) and (author.kind == "User" or not author.same_as(viewer))


def granted(asked: Sequence[Wish], writers: Mapping[int, bool]) -> tuple[dict[str, Wish], tuple[str, ...]]:
    """By fingerprint, the wishes of people with write permission that give a reason; and a sentence for each of the others."""
    kept: dict[str, Wish] = {}
    refused = []
    for wish in asked:
        name = wish.who.login or "somebody"
        if not writers.get(wish.who.id):
            refused.append(f"{name} asked to dismiss {wish.fingerprint}, without write permission: nothing was done")
        elif not wish.reason:
            refused.append(f"{name} asked to dismiss {wish.fingerprint} and gave no reason: nothing was done")
        else:
            kept[wish.fingerprint] = wish
    return kept, tuple(refused)


def dismiss(report: Report, dismissals: Mapping[str, Wish], notices: Sequence[str]) -> Report:
    """The report with these findings dismissed, and the verdict that the others lead to; nothing is left out of it."""
    findings = tuple(
        replace(f, state=State.DISMISSED, note=f"dismissed by {wish.who.login or 'somebody'}: {wish.reason}")
        if f.state is State.OPEN and (wish := dismissals.get(f.fingerprint))
        else f
        for f in report.findings
    )
    if findings == report.findings and not notices:
        return report
    verdict = (
        judge(findings, report.reviews, report.verdict.not_reviewed, report.threshold, report.coverage)
        if findings != report.findings
        else report.verdict
    )
    return replace(report, findings=findings, verdict=verdict, notices=(*report.notices, *notices))
