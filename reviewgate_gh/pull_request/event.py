"""Which event a review is posted with (APPROVE, COMMENT, REQUEST_CHANGES), and every reason that
lowers it."""

from collections.abc import Collection
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from ..model.pull_request import CiClass, CiStatus, Comparison, HeadMovement
from ..model.report import Outcome
from .ci import ci_obstacles

_WORDS = ("identical", "ahead", "behind", "diverged")


def head_movement(
    reviewed: str, head: str, comparison: Comparison | None, paths: Collection[str] | None
) -> HeadMovement:
    """The reviewed commit against the head now. `paths` are those of the new findings, None where
    they are not known.

    Comments are at risk unless it is known that the commits since touch none of these files.
    """
    if reviewed == head:
        return HeadMovement(reviewed, head, moved=False, compare="identical")
    word = comparison.status if comparison and comparison.status in _WORDS else "unknown"
    touched = comparison.paths if comparison and word == "ahead" else None
    safe = touched is not None and paths is not None and touched.isdisjoint(paths)
    return HeadMovement(
        reviewed, head, True, word, comparison.ahead if comparison else 0, at_risk=not safe
    )


def head_movement_text(drift: HeadMovement) -> str:
    """For people: what was reviewed and what the head is; "" where they are one."""
    if not drift.moved:
        return ""
    many = (
        f"{drift.ahead} commit{'s' * (drift.ahead != 1)} later"
        if drift.compare == "ahead" and drift.ahead
        else ""
    )
    how = many or {"behind": "commits were removed", "diverged": "history was rewritten"}.get(
        drift.compare, ""
    )
    return (
        f"Commit {drift.reviewed[:12]} was reviewed, but the head is now "
        f"{drift.head[:12] or 'gone'}{f' ({how})' * bool(how)}."
    )


_FLAKY = (
    "CI failures can be flaky: look at the failing checks, run them again, and approve "
    "manually if they pass."
)
_KEYLESS = "Only reviewers that need no API key ran."


class GitHubReviewEvent(StrEnum):
    """GitHub's words for what a review does."""

    APPROVE = "APPROVE"
    REQUEST_CHANGES = "REQUEST_CHANGES"
    COMMENT = "COMMENT"


class EventFacts(Struct, frozen=True):
    """What is known of the pull request and the review. `ci` is None where it was not asked for.

    `self_pr` is None while it is not known who posts; `not_reviewed` counts files; `findings_file`
    says why new findings could not be compared with existing comments; `keyless` says that
    reviewers with keys were left out (a fork); `partial` that the report is about a part of the
    pull request's commits; `doubted` counts findings that would block, had no model set them
    aside; `lone_model` is the one model that read a change that is not approved, "" where there are
    more or none; `closed` is "closed" or "merged" where the pull request is; `dismissed` are the
    events of reviews of ours about this very commit that were dismissed.
    """

    self_pr: bool | None = False
    ci: CiStatus | None = None
    head_movement: HeadMovement | None = None
    draft: bool = False
    not_reviewed: int = 0
    findings_file: str = ""
    keyless: bool = False
    require_ci: bool = False
    partial: bool = False
    doubted: int = 0
    lone_model: str = ""
    closed: str = ""
    dismissed: Collection[str] = ()


class AllowedEvents(Struct, frozen=True):
    """What `publish` in the configuration lets a review do beside commenting."""

    approve: bool = False
    request_changes: bool = False


class EventDecision(Struct, frozen=True):
    """The event, the one that the verdict asks for, every reason why they differ, and hints for
    people.

    `withheld`: what keeps back an approval that the configuration allows, in words that are the
    same as long as it is the same. Whoever waits for the approval is told why there is none, even
    with nothing else to say. `partial`: it is about a part of the commits. `head_moved`: that the
    head has moved since, in words; a hint where the verdict asks for no more than a comment, else a
    reason. `left_out`: which checks did not count, a sentence each for whoever runs this; they are
    no news on the pull request.
    """

    event: GitHubReviewEvent
    verdict_event: GitHubReviewEvent
    reasons: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    partial: bool = False
    head_moved: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def posted_reasons(self) -> tuple[str, ...]:
        """The reasons that are news to readers: that the configuration asks for no requests for
        changes is none by itself, and where it asks for no approvals only that the head has moved
        is one."""
        if set(_approving_off(EventFacts(), AllowedEvents())) <= set(self.reasons):
            return (self.head_moved,) if self.head_moved else ()
        return () if self.reasons == _requesting_off(AllowedEvents()) else self.reasons


_WANTED = {
    Outcome.PASS: GitHubReviewEvent.APPROVE,
    Outcome.BLOCK: GitHubReviewEvent.REQUEST_CHANGES,
}


def decide_event(outcome: Outcome, facts: EventFacts, allowed: AllowedEvents) -> EventDecision:
    """The event of a review with this verdict.

    Whatever stands against it makes it a comment; no finding is left out for that.
    """
    wanted = _WANTED.get(outcome, GitHubReviewEvent.COMMENT)
    reasons = _against(wanted, facts, allowed)
    # What is closed needs none, and a dismissal says itself why there is none.
    awaited = (
        wanted is GitHubReviewEvent.APPROVE
        and allowed.approve
        and not facts.closed
        and wanted.value not in facts.dismissed
    )
    withheld = _against(wanted, _steady(facts), allowed) if awaited else ()
    moved = head_movement_text(facts.head_movement) if facts.head_movement else ""
    return EventDecision(
        GitHubReviewEvent.COMMENT if reasons else wanted,
        wanted,
        reasons,
        _hints(wanted, facts),
        withheld,
        facts.partial,
        moved,
    )


def _against(
    wanted: GitHubReviewEvent, facts: EventFacts, allowed: AllowedEvents
) -> tuple[str, ...]:
    if wanted is GitHubReviewEvent.APPROVE:
        return (
            *approval_obstacles(facts),
            *_dismissed(wanted, facts),
            *_approving_off(facts, allowed),
        )
    if wanted is GitHubReviewEvent.REQUEST_CHANGES:
        return (
            *_against_request_changes(facts),
            *_dismissed(wanted, facts),
            *_requesting_off(allowed),
        )
    return ()


def _steady(facts: EventFacts) -> EventFacts:
    """Without what changes from one look to the next: which checks still run, why CI could not be
    read, where the head is by now."""
    ci, drift = facts.ci, facts.head_movement
    if ci:
        waits, unknown = ci.ci_class is CiClass.ALL_PENDING, ci.ci_class is CiClass.UNKNOWN
        ci = CiStatus(ci.ci_class, failed=ci.failed, pending=("",) * waits, cut="?" * unknown)
    if drift and drift.moved:
        drift = HeadMovement(drift.reviewed, "", True, "")
    return replace(
        facts,
        ci=ci,
        head_movement=drift,
        not_reviewed=min(facts.not_reviewed, 1),
        doubted=min(facts.doubted, 1),
    )


def needs_ci(outcome: Outcome, allowed: AllowedEvents) -> bool:
    """CI is asked only where the review would approve, even where something else forbids it: all
    reasons are named."""
    return _WANTED.get(outcome) is GitHubReviewEvent.APPROVE and allowed.approve


def approval_obstacles(facts: EventFacts) -> tuple[str, ...]:
    """Every fact about the pull request that forbids APPROVE, a sentence each, in a stable
    order."""
    said = (
        *_self(facts),
        facts.self_pr is None
        and "The posting account is unknown, so it may be the author of the pull request.",
        *(ci_obstacles(facts.ci, facts.require_ci) if facts.ci else ()),
        *_moved(facts),
        *_not_open(facts),
        facts.not_reviewed
        and (
            f"{facts.not_reviewed} file{'s were' if facts.not_reviewed > 1 else ' was'} not "
            "reviewed."
        ),
        facts.partial and "The review covers only some of the pull request's commits.",
        facts.doubted and _set_aside(facts.doubted),
        facts.lone_model
        and f"Only one model ({facts.lone_model}) read the change, which may have misled it.",
        facts.findings_file
        and (
            f"The file of new findings cannot be used ({facts.findings_file}), so dedup is "
            "disabled: write it again."
        ),
    )
    return tuple(head_movement_text for head_movement_text in said if head_movement_text)


def _against_request_changes(facts: EventFacts) -> tuple[str, ...]:
    return (*_self(facts), *_moved(facts), *_not_open(facts))


def _self(facts: EventFacts) -> tuple[str, ...]:
    own = (
        "The posting account is the author of the pull request, and GitHub accepts only "
        "comments from authors."
    )
    return (own,) if facts.self_pr else ()


def _moved(facts: EventFacts) -> tuple[str, ...]:
    moved = head_movement_text(facts.head_movement) if facts.head_movement else ""
    return (moved,) if moved else ()


def _set_aside(count: int) -> str:
    many = (
        f"{count} findings that would block were" if count > 1 else "1 finding that would block was"
    )
    return f"{many} set aside only by models, as uncertain or refuted: a person must decide."


def _not_open(facts: EventFacts) -> tuple[str, ...]:
    closed = (f"The pull request is {facts.closed}.",) if facts.closed else ()
    return (*closed, *(("The pull request is a draft.",) if facts.draft else ()))


def _dismissed(wanted: GitHubReviewEvent, facts: EventFacts) -> tuple[str, ...]:
    """Whoever took it back has a reason; it is theirs to give again."""
    what = {
        GitHubReviewEvent.APPROVE: "approval",
        GitHubReviewEvent.REQUEST_CHANGES: "request for changes",
    }[wanted]
    return (
        (f"Our {what} of this commit was dismissed, so it is not repeated.",)
        if wanted.value in facts.dismissed
        else ()
    )


def _approving_off(facts: EventFacts, allowed: AllowedEvents) -> tuple[str, ...]:
    """The configuration's word; where it allows approving, nobody approves without having asked for
    CI."""
    if not allowed.approve:
        return ("Approving is turned off (publish.approve).",)
    return ("The state of CI was not read.",) if facts.ci is None else ()


def _requesting_off(allowed: AllowedEvents) -> tuple[str, ...]:
    return (
        ()
        if allowed.request_changes
        else ("Requesting changes is turned off (publish.request_changes).",)
    )


def _hints(wanted: GitHubReviewEvent, facts: EventFacts) -> tuple[str, ...]:
    moved = _moved(facts) if wanted is GitHubReviewEvent.COMMENT else ()
    flaky = (
        wanted is GitHubReviewEvent.APPROVE
        and facts.ci is not None
        and facts.ci.ci_class is CiClass.ANY_FAILURE
    )
    return (*moved, *((_FLAKY,) if flaky else ()), *((_KEYLESS,) if facts.keyless else ()))
