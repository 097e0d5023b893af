"""Which triggers a config and the old command-line options amount to, and which values are ignored
or missing."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import replace

from ..model.config import Config
from ..model.errors import UsageError
from ..model.triggers import (
    MAX_RETRIES,
    REVIEWER_TYPES,
    Cerberus,
    CodeReview,
    Trigger,
    TriggerType,
    ValidationTriggers,
)

REVIEWER_TYPE_DEPRECATION = """\
DEPRECATION: Top-level 'reviewer_type' is deprecated for per-issue reviews.
Add 'validation_triggers.session_end.code_review.enabled: true' to preserve current behavior.
Legacy implicit reviews will be removed in the next major version.\
"""
LAST_LEGACY_MAJOR = (
    0  # the last major version of ours in which a reviewer_type alone means a review
)
_NO_RETRIES = "failure_mode remediate with max_retries 0 behaves like continue"


class EffectiveTriggers(Struct, frozen=True):
    """Triggers as they apply, the review at the end of a session, and what to tell whoever wrote
    the config; a line each."""

    triggers: ValidationTriggers
    session_review: CodeReview | None
    warnings: tuple[str, ...] = ()
    deprecations: tuple[str, ...] = ()

    @property
    def active(self) -> tuple[TriggerType, ...]:
        """The triggers that do something: run commands, review, or verify epics."""
        return tuple(name for name in get_args(TriggerType) if self._does(name))

    def _does(self, name: TriggerType) -> bool:
        trigger = self.triggers.trigger_of(name)
        commands = trigger is not None and (trigger.commands or name == "epic_completion")
        return bool(commands) or self.review_of(name) is not None

    def review_of(self, name: str) -> CodeReview | None:
        """The review of this trigger that is to run."""
        trigger: Trigger | None = getattr(self.triggers, name)
        review = self.session_review if name == "session_end" else trigger and trigger.code_review
        return review if review and review.enabled else None


def resolve_triggers(config: Config, major: int) -> EffectiveTriggers:
    """The triggers of a config in this major version of ours."""
    warnings: list[str] = []
    triggers = config.validation_triggers
    for name in get_args(TriggerType):
        trigger: Any = getattr(triggers, name)
        if (
            trigger is not None
            and trigger.commands
            and (trigger.failure_mode, trigger.max_retries) == ("remediate", 0)
        ):
            warnings.append(f"validation_triggers.{name}: {_NO_RETRIES}")
        if trigger is not None and trigger.code_review is not None:
            review = _settled(
                trigger.code_review,
                f"validation_triggers.{name}.code_review",
                name == "session_end",
                warnings,
            )
            triggers = replace(triggers, **{name: replace(trigger, code_review=review)})
    session, deprecations = _session_review(config, triggers, major, warnings)
    return EffectiveTriggers(triggers, session, tuple(warnings), deprecations)


def _session_review(
    config: Config, triggers: ValidationTriggers, major: int, warnings: list[str]
) -> tuple[CodeReview | None, tuple[str, ...]]:
    """The first that is there: the trigger's own, per_issue_review, the deprecated
    reviewer_type."""
    own = triggers.session_end.code_review if triggers.session_end else None
    if own and config.per_issue_review:
        warnings.append(
            "per_issue_review is ignored: validation_triggers.session_end.code_review is set"
        )
    if own:
        return own, ()
    if config.per_issue_review:
        return _settled(config.per_issue_review, "per_issue_review", True, warnings), ()
    if config.reviewer_type and major <= LAST_LEGACY_MAJOR:
        return legacy_review(config.reviewer_type), (REVIEWER_TYPE_DEPRECATION,)
    return None, ()


def legacy_review(reviewer_type: str) -> CodeReview:
    """What a reviewer_type alone stands for: a reviewer without a result is asked again, findings
    become issues."""
    return CodeReview(
        enabled=True, reviewer_type=reviewer_type, failure_mode="remediate", max_retries=MAX_RETRIES
    )


def _settled(review: CodeReview, key: str, per_issue: bool, warnings: list[str]) -> CodeReview:
    told: list[str] = []
    if per_issue and review.baseline is not None:
        told.append(
            f"{key}.baseline is ignored: a session's review starts at its issue's first commit"
        )
    if not per_issue and review.baseline is None:
        told.append(f"{key}.baseline is missing: since_run_start is used")
    if review.failure_mode == "remediate" and review.max_retries == 0:
        told.append(f"{key}: {_NO_RETRIES}")
    if review.enabled:
        warnings += told
    return replace(review, baseline=None if per_issue else review.baseline or "since_run_start")


_GONE = "It will be removed in the next major version."


class DeprecatedOptions(Struct, frozen=True):
    """What was given; None and () where nothing was."""

    reviewer_type: str | None = None
    max_review_retries: int | None = None
    review_timeout: int | None = None
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()

    def given(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each option that was given, and the key that replaces it."""
        for name, value in (
            ("reviewer_type", self.reviewer_type),
            ("max_review_retries", self.max_review_retries),
        ):
            if value is not None:
                yield f"--{name.replace('_', '-')}", (name.replace("max_review", "max"),)
        if self.review_timeout is not None:
            yield "--review-timeout", ("cerberus", "timeout")
        for name in ("spawn_args", "wait_args", "env"):
            if getattr(self, name):
                yield f"--cerberus-{name.replace('_', '-')}", ("cerberus", name)


def deprecation_lines(flags: DeprecatedOptions, trigger: str) -> tuple[str, ...]:
    """A line for each option that was given."""
    base = f"validation_triggers.{trigger}.code_review"
    return tuple(
        f"DEPRECATION: {option} is deprecated. Use '{base}.{'.'.join(key)}'. {_GONE}"
        for option, key in flags.given()
    )


def apply_deprecated_options(
    flags: DeprecatedOptions, review: CodeReview | None, said: Mapping[str, Any], session: bool
) -> CodeReview | None:
    """The review with the options where the config has not `said` that key; at the end of a session
    --reviewer-type alone asks for one.

    Raises:
        UsageError: an option's value is none.
    """
    if review is None and not (session and flags.reviewer_type):
        return None
    mine = review or legacy_review(_known(flags.reviewer_type))
    values = {
        key: value
        for option, key in flags.given()
        if (value := _value(flags, option)) is not None and not _written(said, key)
    }
    for key, value in values.items():
        mine = (
            replace(mine, **{key[0]: value})
            if len(key) == 1
            else replace(mine, cerberus=_cerberus(mine, key[1], value))
        )
    return mine


def _value(flags: DeprecatedOptions, option: str) -> Any:
    if option == "--cerberus-env":
        return dict(_pair(text) for text in flags.env)
    if option == "--reviewer-type":
        return _known(flags.reviewer_type)
    return getattr(flags, option.removeprefix("--").removeprefix("cerberus-").replace("-", "_"))


def _known(reviewer_type: str | None) -> str:
    if reviewer_type not in REVIEWER_TYPES:
        raise UsageError(
            f"--reviewer-type must be one of {', '.join(REVIEWER_TYPES)}, not {reviewer_type!r}"
        )
    return reviewer_type


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise UsageError(f"--cerberus-env takes NAME=VALUE, not {text!r}")
    return name, value


def _cerberus(review: CodeReview, name: str, value: Any) -> Cerberus:
    return replace(review.cerberus or Cerberus(), **{name: value})


def _written(said: Mapping[str, Any], key: tuple[str, ...]) -> bool:
    at: Any = said
    for part in key:
        if not isinstance(at, Mapping) or part not in at:
            return False
        at = at[part]
    return True
