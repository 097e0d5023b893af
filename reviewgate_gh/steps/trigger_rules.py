"""What the triggers of a config come to: values that do not apply, values that must be there, and which review a session gets."""

from dataclasses import replace
from typing import Any

from ..model.config import Config
from ..model.triggers import MAX_RETRIES, CodeReview, Trigger, ValidationTriggers
from ..model.values import dataclass

DEPRECATION = """\
DEPRECATION: Top-level 'reviewer_type' is deprecated for per-issue reviews.
Add 'validation_triggers.session_end.code_review.enabled: true' to preserve current behavior.
Legacy implicit reviews will be removed in the next major version.\
"""
LAST_LEGACY_MAJOR = 0  # the last major version of ours in which a reviewer_type alone means a review
_NO_RETRIES = "failure_mode remediate with max_retries 0 behaves like continue"
_TRIGGERS = ("session_end", "epic_completion", "run_end")


@dataclass(frozen=True, slots=True)
class Settled:
    """Triggers as they apply, the review at the end of a session, and what to tell whoever wrote the config; a line each."""

    triggers: ValidationTriggers
    session_review: CodeReview | None
    warnings: tuple[str, ...] = ()
    deprecations: tuple[str, ...] = ()

    def review_of(self, name: str) -> CodeReview | None:
        """The review of this trigger that is to run."""
        trigger: Trigger | None = getattr(self.triggers, name)
        review = self.session_review if name == "session_end" else trigger and trigger.code_review
        return review if review and review.enabled else None


def settle(config: Config, major: int) -> Settled:
    """The triggers of a config in this major version of ours."""
    warnings: list[str] = []
    triggers = config.validation_triggers
    for name in _TRIGGERS:
        trigger: Any = getattr(triggers, name)
        if trigger is not None and trigger.commands and (trigger.failure_mode, trigger.max_retries) == ("remediate", 0):
            warnings.append(f"validation_triggers.{name}: {_NO_RETRIES}")
        if trigger is not None and trigger.code_review is not None:
            review = _settled(trigger.code_review, f"validation_triggers.{name}.code_review", name == "session_end", warnings)
            triggers = replace(triggers, **{name: replace(trigger, code_review=review)})
    session, deprecations = _session_review(config, triggers, major, warnings)
    return Settled(triggers, session, tuple(warnings), deprecations)


def _session_review(
    config: Config, triggers: ValidationTriggers, major: int, warnings: list[str]
) -> tuple[CodeReview | None, tuple[str, ...]]:
    """The first that is there: the trigger's own, per_issue_review, the deprecated reviewer_type."""
    own = triggers.session_end.code_review if triggers.session_end else None
    if own and config.per_issue_review:
        warnings.append("per_issue_review is ignored: validation_triggers.session_end.code_review is set")
    if own:
        return own, ()
    if config.per_issue_review:
        return _settled(config.per_issue_review, "per_issue_review", True, warnings), ()
    if config.reviewer_type and major <= LAST_LEGACY_MAJOR:
        return legacy(config.reviewer_type), (DEPRECATION,)
    return None, ()


def legacy(reviewer_type: str) -> CodeReview:
    """What a reviewer_type alone stands for: a reviewer without a result is asked again, findings become issues."""
    return CodeReview(enabled=True, reviewer_type=reviewer_type, failure_mode="remediate", max_retries=MAX_RETRIES)


def _settled(review: CodeReview, key: str, per_issue: bool, warnings: list[str]) -> CodeReview:
    told: list[str] = []
    if per_issue and review.baseline is not None:
        told.append(f"{key}.baseline is ignored: a session's review starts at its issue's first commit")
    if not per_issue and review.baseline is None:
        told.append(f"{key}.baseline is missing: since_run_start is used")
    if review.failure_mode == "remediate" and review.max_retries == 0:
        told.append(f"{key}: {_NO_RETRIES}")
    if review.enabled:
        warnings += told
    return replace(review, baseline=None if per_issue else review.baseline or "since_run_start")
