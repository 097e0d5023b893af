"""A report onto its pull request: planned against what is already posted, then carried out without posting anything twice."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..model.action import Action, Hide, Plan, Post, Settle, Show, Sink, Trim, Withdraw
from ..model.config import Config
from ..model.errors import Overlap, UpstreamError
from ..model.presubmit import Existing
from ..model.report import Report
from ..model.values import dataclass
from ..reporters._doors import line
from ..reporters._words import counted
from ..steps.actions import Situation, Wishes, plan, takes_back, withdrawn
from ..steps.comments import classify, overlapping
from ..steps.dismissal import dismiss, granted, wishes
from ..steps.downgrade import Decision, Event
from ..steps.new_findings import of_report
from ..steps.own_reviews import own
from ..system.github.calls import Requests
from ..system.github.client import Client
from ..system.github.permissions import may_write
from ..system.github.standing import Standing
from ..system.outbox import Outbox, open_outbox
from ..system.world import World
from .apply import Done, Target, apply
from .check_run import check_run
from .deciding import covers, decision_of, downgraded
from .pull import Pulled, pulled

_UNKNOWN = "GitHub does not say which account the token belongs to, so our own comments cannot be identified"
_MOVED = "the head moved during the approval"
_PART = "the report covers only some of the pull request's commits, so earlier reviews are left as they are"
_COMMENT_ONLY = Decision(Event.COMMENT, Event.COMMENT, ("The report comes from an unverified run.",))


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked: the pull request, and whether anything is really sent. `overlaps` says that overlapping findings may be left out.

    `additions_only` is for an unverified report: it may comment, but neither decide nor withdraw anything. `vouched`: an
    event of GitHub's says that the reviewed commit was the pull request's head. `track`: issues may be made of what was found.
    """

    number: int
    dry_run: bool = False
    overlaps: bool = True
    keyless: bool = False
    additions_only: bool = False
    vouched: bool = False
    track: bool = True


@dataclass(frozen=True, slots=True)
class Met:
    """A report where it is to go: as it stands after people's dismissals, our comments there, and what GitHub holds."""

    report: Report
    existing: tuple[Existing, ...]
    facts: Pulled


@dataclass(frozen=True, slots=True)
class Published:
    """The report as it stands after people's dismissals, the plan, and what was done (None: a dry run or nothing could be)."""

    report: Report
    plan: Plan
    told: tuple[str, ...]
    done: Done | None = None


def meet(report: Report, order: Order, client: Client) -> Met:
    """Compare the report with what is already posted; this only reads. After it, dismissals are known even if posting fails.

    Raises:
        UpstreamError: GitHub refuses, cannot be reached, or does not say who we are, which a dry run puts up with.
    """
    facts = pulled(client, order.number, report.change.head)
    if facts.viewer is None and not order.dry_run:
        raise UpstreamError(f"{_UNKNOWN}: nothing was posted", f"{facts.note}; check the token" if facts.note else "check the token")
    existing = classify(facts.threads, facts.viewer, report.change.head, of_report(report))
    return Met(_with_dismissals(report, existing, facts, client), existing, facts)


def publish(met: Met, order: Order, config: Config, client: Client, common: Path | None, world: World) -> Published:
    """Post what is new of the report, close what is settled.

    Raises:
        Overlap: a person has to look first.
        UpstreamError: GitHub refuses or cannot be reached.
    """
    report, existing, facts = met.report, met.existing, met.facts
    taken = _overlaps(report, existing, order)
    decision = _COMMENT_ONLY if order.additions_only else decision_of(report, facts, order.keyless, config, client, world)
    ahead = facts.comparison is not None and facts.comparison.status == "ahead"
    situation = Situation(existing, facts.reviews, facts.viewer, taken, facts.pull.head, ahead)
    wanted = Wishes(config.publish.max_inline, config.publish.inline_from, config.publish.resolve)
    planned = plan(report, situation, decision, wanted)
    back = takes_back(planned) and not order.additions_only
    part = (back or any(isinstance(each, Post) for each in planned.actions)) and not covers(report, facts.pull, client)
    if part:
        planned = plan(report, replace(situation, whole=False), replace(decision, partial=True), wanted)
    if order.additions_only:
        planned = replace(planned, actions=tuple(a for a in planned.actions if isinstance(a, Post) and a.event == Event.COMMENT.value))
    notes = (*([facts.note] if facts.note else []), *([_PART] if part and back else []), *downgraded(decision, config), *decision.hints)
    notes = (*notes, *decision.left_out)
    if order.dry_run:
        unknown = () if facts.viewer else (f"{_UNKNOWN}: nothing would be posted",)
        return Published(report, planned, (*notes, *_checked(met, order, config, client, None), *unknown))
    outbox = open_outbox(common, client.repository, order.number, world)
    left = outbox.left()
    target = Target(client, order.number, facts.viewer, outbox, facts.pull.base_ref, facts.pull.head if order.vouched else "")
    again = partial(_no_longer, report, situation, decision)
    done = apply(planned, report, target, (lambda _: ()) if order.additions_only else again)
    checked = _checked(met, order, config, client, outbox)
    outbox.clear()
    return Published(report, planned, (*notes, *left, *done.told, *checked), done)


def _checked(met: Met, order: Order, config: Config, client: Client, outbox: Outbox | None) -> tuple[str, ...]:
    """The check run, if configured; an unverified report decides nothing."""
    app = met.facts.viewer.app if met.facts.viewer else ""
    return check_run(met.report, client, outbox, app) if config.publish.check_run and not order.additions_only else ()


def _overlaps(report: Report, existing: Collection[Existing], order: Order) -> set[str]:
    taken = {finding.fingerprint for finding in overlapping(of_report(report), existing)}
    if taken and not order.overlaps:
        raise Overlap(
            f"{counted(len(taken), 'new finding')} on lines that we have already commented on: {', '.join(sorted(taken))}",
            "nothing was posted; look at these comments, or use --yes to list these findings in the summary and post the others inline",
        )
    return taken


def _no_longer(report: Report, situation: Situation, decision: Decision, now: Standing) -> Iterator[Withdraw]:
    """Approvals that do not hold, looked at once more after posting: the head may have moved, and the first look seen an older state."""
    approved = [each for each in now.reviews if each.state == "APPROVED"]
    yield from withdrawn(report, replace(situation, reviews=approved, head=now.head or situation.head), decision)
    if decision.event is Event.APPROVE and now.head not in ("", report.change.head):
        yield from (Withdraw(each, _MOVED) for each, mark in own(approved, situation.viewer) if mark.sha == report.change.head)


def _with_dismissals(report: Report, existing: Iterable[Existing], facts: Pulled, client: Client) -> Report:
    asked = wishes(existing, facts.viewer)
    writers = {account.id: may_write(client, account) for account in {wish.who.id: wish.who for wish in asked}.values()}
    kept, refused = granted(asked, writers)
    return dismiss(report, kept, refused)


def shown(published: Published, requests: Requests) -> str:
    """The plan with each finding's place, or what came of it, and what it cost, for people."""
    kept = [p for p in published.plan.placed if p.sink in (Sink.BODY, Sink.REPORT)]
    if published.done is None:
        rows = [_in_words(action) for action in published.plan.actions] or ["nothing to post"]
        rows += [f"not inline: {p.finding.priority.value} {p.finding.location} {p.finding.title} ({p.why})" for p in kept]
    else:
        rows = [] if published.plan.actions else ["nothing new to post"]
        rows += [f"{number} not inline: {why}" for why, number in Counter(p.why for p in kept).items()]
    return printed((*published.told, *rows), requests)


def printed(rows: Iterable[str], requests: Requests) -> str:
    """Lines for a terminal, the last of which is what it cost."""
    waited = f", including {requests.waited:.0f} s of waiting that it asked for" if requests.waited else ""
    return "".join(f"reviewgate-gh: {line(row, 400)}\n" for row in (*rows, f"{counted(requests.total, 'request')} to GitHub{waited}"))


def _in_words(action: Action) -> str:
    if isinstance(action, Post):
        places = ", ".join(each.finding.location for each in action.comments)
        what = f"would post {action.event} on {action.commit[:12]}"
        return f"{what}: {len(action.comments)} inline ({places}), {len(action.listed)} in the summary"
    if isinstance(action, Settle):
        return f"would minimise our comment at {action.thread.path}:{action.thread.line}: its finding is gone"
    if isinstance(action, Show):
        return f"would show our comment at {action.thread.path}:{action.thread.line} again: its finding is back"
    if isinstance(action, Hide | Trim):
        return "would hide what a concurrent run has posted as well"
    return f"would withdraw our review {action.review.id}: {action.why}"
