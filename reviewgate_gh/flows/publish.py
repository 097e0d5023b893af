"""A report onto its pull request: planned against what stands there, then carried out, and nothing is said twice."""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..model.action import Plan, Post, Settle, Sink, Withdraw
from ..model.config import Config
from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.presubmit import CiStatus, Existing
from ..model.report import Report
from ..reporters._doors import line
from ..reporters.json import load
from ..steps.actions import Situation, Wishes, plan
from ..steps.comments import classify, overlapping
from ..steps.dismissal import dismiss, granted, wishes
from ..steps.downgrade import Allowed, Decision, Event, Facts, asks_ci, decide
from ..steps.drift import head_drift
from ..steps.new_findings import of_report
from ..steps.presubmit import is_self
from ..system.git import Git
from ..system.git.remote import repository_of
from ..system.github.client import Client, open_github
from ..system.github.permissions import may_write
from ..system.outbox import open_outbox
from ..system.store import kept_reviews
from ..system.world import World
from .apply import Done, Target, apply
from .preflight import preflight
from .pull import Pulled, ci_of, pull_number, pulled
from .settings import config_at

_UNKNOWN = "GitHub does not say who we are, so what is ours there is not known: nothing is posted"
_COMMENT_ONLY = Decision(Event.COMMENT, Event.COMMENT, ("The report comes from a run that nobody vouches for.",))


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked: the pull request, and whether anything is really sent. `overlaps` says that overlapping findings may be left out.

    `additions_only` is for a report that nobody vouches for: it may comment, and neither decide nor take anything back.
    """

    number: int
    dry_run: bool = False
    overlaps: bool = True
    keyless: bool = False
    additions_only: bool = False


@dataclass(frozen=True, slots=True)
class Published:
    """The report as it stands after people's dismissals, the plan, and what was done (None: a dry run or nothing could be)."""

    report: Report
    plan: Plan
    told: tuple[str, ...]
    done: Done | None = None


def publish(report: Report, order: Order, config: Config, client: Client, common: Path | None, world: World) -> Published:
    """Post what is new of the report, close what is settled.

    Raises:
        UsageError: the report is about another pull request's commits, or an overlap wants a person's word.
        UpstreamError: GitHub refuses or cannot be reached.
    """
    facts = pulled(client, order.number, report.change.head, reviews=True)
    existing = classify(facts.threads, facts.viewer, report.change.head, of_report(report))
    report = _with_dismissals(report, existing, facts, client)
    current = of_report(report)
    taken = {finding.fingerprint for finding in overlapping(current, existing)}
    if taken and not order.overlaps:
        raise UsageError(
            f"{len(taken)} new finding(s) are about lines where a comment of ours stands: {', '.join(sorted(taken))}",
            "look at the comments; --yes leaves these findings to the summary and posts the others",
        )
    decision = _COMMENT_ONLY if order.additions_only else _decide(report, facts, order, config, client, world)
    situation = Situation(existing, facts.reviews, facts.viewer, taken)
    planned = plan(report, situation, decision, Wishes(config.publish.max_inline, config.publish.inline_from, config.publish.resolve))
    if order.additions_only:
        planned = replace(planned, actions=tuple(a for a in planned.actions if isinstance(a, Post) and a.event == Event.COMMENT.value))
    notes = (*([facts.note] if facts.note else []), *_downgraded(decision, config), *decision.hints)
    if facts.viewer is None:
        return Published(report, replace(planned, actions=()), (*notes, _UNKNOWN))
    if order.dry_run:
        return Published(report, planned, notes)
    outbox = open_outbox(common, client.repository, order.number, world)
    left = outbox.left()
    done = apply(planned.actions, report, Target(client, order.number, facts.viewer, outbox))
    outbox.clear()
    found = (f"{len(left)} review(s) of an interrupted run were looked for",) if left else ()
    return Published(report, planned, (*notes, *found, *done.told), done)


def _downgraded(decision: Decision, config: Config) -> tuple[str, ...]:
    """Why it is only a comment, where the config would have allowed more."""
    allowed = {"APPROVE": config.publish.approve, "REQUEST_CHANGES": config.publish.request_changes}
    if decision.event is decision.wanted or not allowed.get(decision.wanted.value):
        return ()
    return tuple(f"no {decision.wanted.value}: {reason}" for reason in decision.reasons)


def _with_dismissals(report: Report, existing: Iterable[Existing], facts: Pulled, client: Client) -> Report:
    asked = wishes(existing, facts.viewer)
    writers = {account.id: may_write(client, account) for account in {wish.who.id: wish.who for wish in asked}.values()}
    kept, refused = granted(asked, writers)
    return dismiss(report, kept, refused)


def _decide(report: Report, facts: Pulled, order: Order, config: Config, client: Client, world: World) -> Decision:
    """The event. CI is asked last, and only where the review would approve."""
    allowed = Allowed(config.publish.approve, config.publish.request_changes)
    outcome = report.verdict.outcome
    ci: CiStatus | None = ci_of(client, facts.pull, world) if asks_ci(outcome, allowed) else None
    paths = {finding.path for finding in report.findings}
    return decide(
        outcome,
        Facts(
            self_pr=is_self(facts.pull, facts.viewer),
            ci=ci,
            drift=head_drift(report.change.head, facts.pull.head, facts.comparison, paths),
            draft=facts.pull.draft,
            not_reviewed=len(report.verdict.not_reviewed),
            keyless=order.keyless,
            require_ci=config.policy.require_ci,
        ),
        allowed,
    )


def shown(published: Published) -> str:
    """The plan with each finding's place, or what came of it, for people."""
    kept = [p for p in published.plan.placed if p.sink is not Sink.INLINE]
    if published.done is None:
        rows = [_in_words(action) for action in published.plan.actions] or ["nothing to post"]
        rows += [f"not inline: {p.finding.priority.value} {p.finding.location} {p.finding.title} ({p.why})" for p in kept]
    else:
        rows = [] if published.plan.actions else ["nothing new to post"]
        rows += [f"{number} not inline: {why}" for why, number in Counter(p.why for p in kept).items()]
    return "".join(f"reviewgate-gh: {line(row, 400)}\n" for row in (*published.told, *rows))


def _in_words(action: Post | Settle | Withdraw) -> str:
    if isinstance(action, Post):
        places = ", ".join(each.finding.location for each in action.comments)
        return (
            f"would post {action.event} on {action.commit[:12]}: {len(action.comments)} inline ({places}), {len(action.listed)} in the text"
        )
    if isinstance(action, Settle):
        return f"would minimise our comment at {action.thread.path}:{action.thread.line}: its finding is gone"
    return f"would take back our review {action.review.id}: {action.why}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    pull: str
    report: Path | None = None
    repository: str | None = None
    dry_run: bool = False
    preflight: bool = False
    yes: bool = False
    api_url: str | None = None
    policy: str = ""


def run_publish(wanted: Wanted, git: Git, world: World) -> int:
    """Post a kept or named report, and say what was done.

    Raises:
        GateError: the report, the repository or GitHub does not allow it.
    """
    report = _read_report(wanted.report, git)
    client = open_github(world, wanted.repository or world.env.get("GITHUB_REPOSITORY") or repository_of(git), wanted.api_url)
    config = config_at(git, report.change.rules, world, wanted.policy)
    if wanted.preflight:
        return preflight(client, pull_number(wanted.pull), config.publish)
    overlaps = wanted.yes or wanted.dry_run or not sys.stdout.isatty()
    published = publish(report, Order(pull_number(wanted.pull), wanted.dry_run, overlaps), config, client, git.common, world)
    print(shown(published), end="", file=sys.stderr)
    return Exit.OK


def _read_report(path: Path | None, git: Git) -> Report:
    """The named report, or the latest that is kept."""
    kept = path or next(iter(kept_reviews(git.common)), None)
    if kept is None:
        raise UsageError("no report is kept here", "review first: reviewgate-gh review; or name one with --report")
    try:
        return load(kept.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {kept}: {error.strerror}", "name an existing file with --report") from None
    except ValueError as error:
        raise UsageError(f"{kept}: {error}", "name a JSON report of this version: reviewgate-gh review --output json") from None
