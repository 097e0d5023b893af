"""Publishing a report: planned against what is on the pull request, then applied; nothing is posted
twice."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.consensus import doubted_findings, models_that_read
from ..gate.policy import outcome_without_coverage
from ..github.answer import RequestCounts
from ..github.client import Client
from ..github.pull_requests import read_comparison, read_pull
from ..github.reviews import PendingPosts, account_by_pending, open_pending_posts
from ..github.threads import PullRequestSnapshot
from ..github.token import MISSING
from ..model.config import Config
from ..model.errors import OverlapError, UpstreamError
from ..model.pull_request import Bucket, CiStatus, ExistingComment, PullRequest
from ..model.report import Report
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..text.safe import safe_line
from .actions import (
    MinimizeDuplicate,
    Placement,
    PostReview,
    PublishAction,
    PublishPlan,
    RemoveListed,
    ReopenThread,
    ResolveThread,
    UpdateSummary,
    WithdrawReview,
)
from .apply import apply_plan
from .check_run import CheckRunOrigin, publish_check_run
from .ci import ignored_check_messages
from .comments import (
    CurrentFindings,
    classify_comments,
    dismissed_events,
    find_overlapping,
    own_reviews_with_markers,
    recognise_listed,
)
from .event import (
    AllowedEvents,
    EventDecision,
    EventFacts,
    GitHubReviewEvent,
    decide_event,
    head_movement,
    needs_ci,
)
from .grant import with_dismissals
from .plan import closes_or_withdraws, plan_publication, reviews_to_withdraw
from .post import ApplyResult, PublishTarget
from .presubmit import current_findings_of, is_own_pull
from .publish_context import PublishContext, PublishLimits
from .snapshot import PullRequestFacts, read_ci_status, read_pull_facts

_COVERS = ("ahead", "identical")


class PublishSetup(Struct, frozen=True):
    """What publishing works with. `common` is the git directory that keeps notes of what is sent;
    None: nothing is kept."""

    config: Config
    client: Client
    environment: Environment
    common: Path | None
    audit_end: str = ""


class _Evidence(Struct, frozen=True):
    """What is asked only before an approval: CI, the pull request after that, and whether the
    report leaves out some of it."""

    pull: PullRequest
    ci: CiStatus | None = None
    partial: bool = False


def decide_review_event(
    report: Report, facts: PullRequestFacts, keyless: bool, setup: PublishSetup
) -> EventDecision:
    """The event, and every reason why it is not the one that the verdict asks for."""
    config = setup.config
    allowed = AllowedEvents(config.publish.approve, config.publish.request_changes)
    outcome = outcome_without_coverage(report)
    found = (
        _evidence(report, facts, setup.client, setup.environment)
        if needs_ci(outcome, allowed)
        else _Evidence(facts.pull)
    )
    pull = found.pull
    paths = {path for each in report.findings for path in (each.path, each.commented_path)}
    decision = decide_event(
        outcome,
        EventFacts(
            self_pr=is_own_pull(pull, facts.viewer),
            ci=found.ci,
            head_movement=head_movement(report.change.head, pull.head, facts.comparison, paths),
            draft=pull.draft,
            not_reviewed=len(report.verdict.not_reviewed) + report.coverage.allowed,
            keyless=keyless,
            require_ci=config.policy.require_ci,
            partial=found.partial,
            doubted=len(doubted_findings(report.findings, report.threshold)),
            lone_model=_lone_model(report),
            closed="" if pull.state == "open" else pull.state,
            dismissed=dismissed_events(report.change.head, facts.reviews, facts.viewer),
        ),
        allowed,
    )
    if found.ci is None:
        return decision
    return replace(
        decision,
        hints=(*decision.hints, *found.ci.notes),
        left_out=ignored_check_messages(found.ci),
    )


def _lone_model(report: Report) -> str:
    models = models_that_read(report.reviews)
    return models[0] if len(models) == 1 and not report.change.trusted else ""


def _evidence(
    report: Report, facts: PullRequestFacts, client: Client, environment: Environment
) -> _Evidence:
    # Asking for CI takes its time: the head may have moved meanwhile.
    ci, now = read_ci_status(client, facts, environment)
    return _Evidence(
        now or read_pull(client, facts.pull.number),
        ci,
        not covers_pull_request(report, facts.pull, client),
    )


def covers_pull_request(report: Report, pull: PullRequest, client: Client) -> bool:
    """The report holds every commit of the pull request: only what starts at a commit of the base
    branch does."""
    return (
        report.change.base == pull.base
        or read_comparison(client, report.change.base, pull.base_ref).status in _COVERS
    )


def downgrade_reasons(decision: EventDecision, config: Config) -> tuple[str, ...]:
    """Why it is only a comment, where the config would have allowed more; that the head has moved
    is news in any case."""
    allowed = {"APPROVE": config.publish.approve, "REQUEST_CHANGES": config.publish.request_changes}
    if decision.event is decision.verdict_event or not allowed.get(decision.verdict_event.value):
        return (decision.head_moved,) if decision.head_moved in decision.reasons else ()
    return tuple(f"no {decision.verdict_event.value}: {reason}" for reason in decision.reasons)


_UNKNOWN = (
    "GitHub does not say which account the token belongs to, so our own comments cannot be "
    "identified"
)
_UNSEEN = "it is not known whether {} of ours about findings that are open can be seen"
_LATER = "everything new was posted; run this again when GitHub's GraphQL API answers"
_MOVED = "the head moved during the approval"
_PART = (
    "the report covers only some of the pull request's commits, so earlier reviews are left as "
    "they are"
)
_COMMENT_ONLY = EventDecision(
    GitHubReviewEvent.COMMENT,
    GitHubReviewEvent.COMMENT,
    ("The report comes from an unverified run.",),
)


class PublishOptions(Struct, frozen=True):
    """What is asked: the pull request, and whether anything is really sent. `allow_overlaps` says
    that overlapping findings may be left out.

    `additions_only` is for an unverified report: it may comment, but neither decide nor withdraw
    anything. `head_confirmed`: an event of GitHub's says that the reviewed commit was the pull
    request's head. `track_issues`: issues may be made of what was found. `closed`: a pull request
    that is closed or merged is posted on, too.
    """

    number: int
    dry_run: bool = False
    allow_overlaps: bool = True
    keyless: bool = False
    additions_only: bool = False
    head_confirmed: bool = False
    track_issues: bool = True
    closed: bool = False


class Prepared(Struct, frozen=True):
    """A report where it is to go: as it stands after people's dismissals, our comments there, what
    GitHub holds, and the findings whose comments people deleted."""

    report: Report
    existing: tuple[ExistingComment, ...]
    pull_facts: PullRequestFacts
    deleted: frozenset[str] = frozenset()


class PublishResult(Struct, frozen=True):
    """The report as it stands after people's dismissals, the plan, and what was done (None: a dry
    run or nothing could be)."""

    report: Report
    plan: PublishPlan
    messages: tuple[str, ...]
    applied: ApplyResult | None = None


def prepare_publish(
    report: Report, options: PublishOptions, config: Config, client: Client
) -> Prepared:
    """Compare the report with what is already posted; nothing is said there yet. After it,
    dismissals are known even if posting fails.

    Raises:
        UpstreamError: GitHub refuses, cannot be reached, or does not say who we are, which a dry
            run puts up with.
    """
    if not (client.has_token or options.dry_run):
        raise UpstreamError("posting needs a token: nothing was posted", MISSING)
    facts = read_pull_facts(client, options.number, report.change.head)
    if facts.viewer is None and not options.dry_run:
        facts = _identified(facts, client)
    existing = classify_comments(
        facts.threads, facts.viewer, report.change.head, current_findings_of(report)
    )
    if options.additions_only:
        report = _without_pages(report)
    judged, deleted = with_dismissals(report, existing, facts, config, client)
    return Prepared(judged, existing, facts, deleted)


def _without_pages(report: Report) -> Report:
    """Of an unverified report nothing becomes a link that leads elsewhere."""
    return replace(report, findings=tuple(replace(each, rule_page="") for each in report.findings))


def _identified(facts: PullRequestFacts, client: Client) -> PullRequestFacts:
    """With the account that GraphQL could not tell.

    Raises:
        UpstreamError: it refused to.
    """
    if not facts.failed:
        raise UpstreamError(
            f"{_UNKNOWN}: nothing was posted",
            f"{facts.note}; check the token" if facts.note else "check the token",
        )
    me = account_by_pending(client, facts.pull.number, facts.reviews, facts.pull.head)
    return replace(facts, viewer=me)


class _Plan(Struct, frozen=True):
    """What is to be done, from what it was concluded, and what people are told about it."""

    planned: PublishPlan
    decision: EventDecision
    context: PublishContext
    messages: tuple[str, ...]


def publish(prepared: Prepared, options: PublishOptions, setup: PublishSetup) -> PublishResult:
    """Post what is new of the report, close what is settled.

    Raises:
        OverlapError: a person has to look first.
        UpstreamError: GitHub refuses or cannot be reached.
    """
    report, facts = prepared.report, prepared.pull_facts
    plan = _plan(prepared, options, setup)
    if options.dry_run:
        unknown = () if facts.viewer else (f"{_UNKNOWN}: nothing would be posted",)
        checked = _publish_check(prepared, options, setup, None)
        return PublishResult(report, plan.planned, (*plan.messages, *checked, *unknown))
    client = setup.client
    outbox = open_pending_posts(setup.common, client.repository, options.number, setup.environment)
    left = outbox.unconfirmed()
    target = PublishTarget(
        client,
        options.number,
        facts.viewer,
        outbox,
        facts.pull.base_ref,
        facts.pull.head if options.head_confirmed else "",
    )
    again = partial(_outdated_approvals, report, plan.context, plan.decision)
    done = apply_plan(
        plan.planned, report, target, (lambda _: ()) if options.additions_only else again
    )
    checked = _publish_check(prepared, options, setup, outbox)
    outbox.clear()
    if unseen := sum(_is_unseen(each) for each in prepared.existing):
        raise UpstreamError(
            f"{_UNSEEN.format(count_noun(unseen, 'comment'))}: {facts.note}", _LATER
        )
    messages = (*plan.messages, *left, *done.messages, *checked)
    return PublishResult(report, plan.planned, messages, done)


def _plan(prepared: Prepared, options: PublishOptions, setup: PublishSetup) -> _Plan:
    report, existing, facts = prepared.report, prepared.existing, prepared.pull_facts
    config = setup.config
    current = current_findings_of(report)
    listed = recognise_listed(facts.reviews, facts.viewer, current)
    taken = _overlaps(current, existing, listed, options)
    decision = (
        _COMMENT_ONLY
        if options.additions_only
        else decide_review_event(report, facts, options.keyless, setup)
    )
    if facts.note:
        decision = replace(decision, hints=(*decision.hints, facts.note))
    context = PublishContext(
        existing,
        facts.reviews,
        facts.viewer,
        taken,
        listed,
        facts.pull.head,
        facts.comparison is not None and facts.comparison.status == "ahead",
        url=facts.pull.url,
        living=not options.additions_only,
        deleted=prepared.deleted,
    )
    limits = PublishLimits(
        config.publish.max_inline, config.publish.inline_from, config.publish.resolve
    )
    planned = plan_publication(report, context, decision, limits)
    back = closes_or_withdraws(planned) and not options.additions_only
    part = (
        back or any(isinstance(each, PostReview) for each in planned.actions)
    ) and not covers_pull_request(report, facts.pull, setup.client)
    if part:
        planned = plan_publication(
            report, replace(context, covers_all=False), replace(decision, partial=True), limits
        )
    if options.additions_only:
        planned = replace(planned, actions=tuple(filter(_only_comments, planned.actions)))
    notes = (
        *([_PART] if part and back else []),
        *downgrade_reasons(decision, config),
        *decision.hints,
        *decision.left_out,
    )
    return _Plan(planned, decision, context, notes)


def _only_comments(action: PublishAction) -> bool:
    return isinstance(action, PostReview) and action.event == GitHubReviewEvent.COMMENT.value


def _is_unseen(comment: ExistingComment) -> bool:
    """It may be hidden, and then nothing there says its finding."""
    return comment.bucket is Bucket.ALREADY_POSTED and comment.thread.resolved is None


def _publish_check(
    prepared: Prepared, options: PublishOptions, setup: PublishSetup, outbox: PendingPosts | None
) -> tuple[str, ...]:
    """The check run, if configured; an unverified report decides nothing."""
    facts = prepared.pull_facts
    app, page = facts.viewer.app if facts.viewer else "", facts.pull.url.rpartition("/pull/")[0]
    return (
        publish_check_run(
            prepared.report, setup.client, outbox, CheckRunOrigin(app, page, setup.audit_end)
        )
        if setup.config.publish.check_run and not options.additions_only
        else ()
    )


def _overlaps(
    current: CurrentFindings,
    existing: Collection[ExistingComment],
    listed: Collection[str],
    options: PublishOptions,
) -> set[str]:
    """The new findings at lines that are taken; what the summary lists is not new."""
    taken = {finding.fingerprint for finding in find_overlapping(current, existing)}
    taken.difference_update(listed)
    if taken and not options.allow_overlaps:
        raise OverlapError(
            f"{count_noun(len(taken), 'new finding')} on lines that we have already commented "
            f"on: {', '.join(sorted(taken))}",
            "nothing was posted; look at these comments, or use --yes to list these findings in "
            "the summary and post the others inline",
        )
    return taken


def _outdated_approvals(
    report: Report, context: PublishContext, decision: EventDecision, now: PullRequestSnapshot
) -> Iterator[WithdrawReview]:
    """Approvals that do not hold, looked at once more after posting: the head may have moved, and
    the first look seen an older state."""
    approved = [each for each in now.reviews if each.state == "APPROVED"]
    yield from reviews_to_withdraw(
        report, replace(context, reviews=approved, head=now.head or context.head), decision
    )
    if decision.event is GitHubReviewEvent.APPROVE and now.head not in ("", report.change.head):
        yield from (
            WithdrawReview(each, _MOVED)
            for each, mark in own_reviews_with_markers(approved, context.viewer)
            if mark.sha == report.change.head
        )


def render_result(result: PublishResult, requests: RequestCounts) -> str:
    """The plan with each finding's place, or what came of it, and what it cost, for people."""
    kept = [p for p in result.plan.placed if p.placement in (Placement.BODY, Placement.REPORT)]
    if result.applied is None:
        rows = [_in_words(action) for action in result.plan.actions] or ["nothing to post"]
        rows += [
            (
                f"not inline: {p.finding.priority.value} {p.finding.location} {p.finding.title} "
                f"({p.reason})"
            )
            for p in kept
        ]
    else:
        rows = [] if result.plan.actions else ["nothing new to post"]
        rows += [
            f"{number} not inline: {why}" for why, number in Counter(p.reason for p in kept).items()
        ]
    return terminal_lines((*result.messages, *rows), requests)


def terminal_lines(rows: Iterable[str], requests: RequestCounts) -> str:
    """Lines for a terminal, the last of which is what it cost."""
    waited = (
        f", including {requests.waited:.0f} s of waiting that it asked for"
        if requests.waited
        else ""
    )
    return "".join(
        f"reviewgate-gh: {safe_line(row, 400)}\n"
        for row in (*rows, f"{count_noun(requests.total, 'request')} to GitHub{waited}")
    )


def _in_words(action: PublishAction) -> str:
    if isinstance(action, PostReview):
        places = ", ".join(each.finding.location for each in action.comments)
        what = f"would post {action.event} on {action.commit[:12]}"
        return (
            f"{what}: {len(action.comments)} inline ({places}), {len(action.listed)} in the summary"
        )
    if isinstance(action, UpdateSummary):
        return "would update the summary"
    if isinstance(action, ResolveThread):
        return (
            f"would minimise our comment at {action.thread.path}:{action.thread.line}: its "
            "finding is gone"
        )
    if isinstance(action, ReopenThread):
        return (
            f"would show our comment at {action.thread.path}:{action.thread.line} again: its "
            "finding is back"
        )
    if isinstance(action, MinimizeDuplicate | RemoveListed):
        return "would hide what a concurrent run has also posted"
    return f"would withdraw our review {action.review.id}: {action.reason}"
