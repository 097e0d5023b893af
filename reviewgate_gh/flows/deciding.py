"""Which event a report is published with: the facts for and against it; costly ones are read only if they matter."""

from dataclasses import replace

from ..model.config import Config
from ..model.presubmit import CiStatus
from ..model.pull import PullRequest
from ..model.report import Report
from ..model.values import dataclass
from ..steps.ci import not_counted
from ..steps.consensus import doubted
from ..steps.downgrade import Allowed, Decision, Facts, asks_ci, decide
from ..steps.drift import head_drift
from ..steps.own_reviews import dismissed
from ..steps.policy import outcome_of_what_was_read
from ..steps.presubmit import is_self
from ..system.github.client import Client
from ..system.github.pulls import read_comparison, read_pull
from ..system.world import World
from .pull import Pulled, ci_of

_COVERS = ("ahead", "identical")


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What is asked only before an approval: CI, the pull request after that, and whether the report leaves out some of it."""

    pull: PullRequest
    ci: CiStatus | None = None
    partial: bool = False


def decision_of(report: Report, facts: Pulled, keyless: bool, config: Config, client: Client, world: World) -> Decision:
    """The event, and every reason why it is not the one that the verdict asks for."""
    allowed = Allowed(config.publish.approve, config.publish.request_changes)
    outcome = outcome_of_what_was_read(report)
    found = _evidence(report, facts, client, world) if asks_ci(outcome, allowed) else _Evidence(facts.pull)
    pull, paths = found.pull, {finding.path for finding in report.findings}
    decision = decide(
        outcome,
        Facts(
            self_pr=is_self(pull, facts.viewer),
            ci=found.ci,
            drift=head_drift(report.change.head, pull.head, facts.comparison, paths),
            draft=pull.draft,
            not_reviewed=len(report.verdict.not_reviewed) + report.coverage.allowed,
            keyless=keyless,
            require_ci=config.policy.require_ci,
            partial=found.partial,
            doubted=len(doubted(report.findings, report.threshold)),
            closed="" if pull.state == "open" else pull.state,
            dismissed=dismissed(report.change.head, facts.reviews, facts.viewer),
        ),
        allowed,
    )
    if found.ci is None:
        return decision
    return replace(decision, hints=(*decision.hints, *found.ci.notes), left_out=not_counted(found.ci))


def _evidence(report: Report, facts: Pulled, client: Client, world: World) -> _Evidence:
    ci = ci_of(client, facts, world)
    # Asking for CI takes its time: the head may have moved meanwhile.
    return _Evidence(read_pull(client, facts.pull.number), ci, not covers(report, facts.pull, client))


def covers(report: Report, pull: PullRequest, client: Client) -> bool:
    """The report holds every commit of the pull request: only what starts at a commit of the base branch does."""
    return report.change.base == pull.base or read_comparison(client, report.change.base, pull.base_ref).status in _COVERS


def downgraded(decision: Decision, config: Config) -> tuple[str, ...]:
    """Why it is only a comment, where the config would have allowed more; that the head has moved is news in any case."""
    allowed = {"APPROVE": config.publish.approve, "REQUEST_CHANGES": config.publish.request_changes}
    if decision.event is decision.wanted or not allowed.get(decision.wanted.value):
        return (decision.moved,) if decision.moved in decision.reasons else ()
    return tuple(f"no {decision.wanted.value}: {reason}" for reason in decision.reasons)
