"""Options of the command line that the config has replaced: they still count where the config says nothing, and say that they will go."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..model.errors import UsageError
from ..model.triggers import REVIEWER_TYPES, Cerberus, CodeReview
from ..model.values import dataclass
from .trigger_rules import legacy

_GONE = "It will be removed in the next major version."


@dataclass(frozen=True, slots=True)
class Flags:
    """What was given; None and () where nothing was."""

    reviewer_type: str | None = None
    max_review_retries: int | None = None
    review_timeout: int | None = None
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()

    def given(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each option that was given, and the key that replaces it."""
        for name, value in (("reviewer_type", self.reviewer_type), ("max_review_retries", self.max_review_retries)):
            if value is not None:
                yield f"--{name.replace('_', '-')}", (name.replace("max_review", "max"),)
        if self.review_timeout is not None:
            yield "--review-timeout", ("cerberus", "timeout")
        for name in ("spawn_args", "wait_args", "env"):
            if getattr(self, name):
                yield f"--cerberus-{name.replace('_', '-')}", ("cerberus", name)


def deprecations(flags: Flags, trigger: str) -> tuple[str, ...]:
    """A line for each option that was given."""
    base = f"validation_triggers.{trigger}.code_review"
    return tuple(f"DEPRECATION: {option} is deprecated. Use '{base}.{'.'.join(key)}'. {_GONE}" for option, key in flags.given())


def apply(flags: Flags, review: CodeReview | None, said: Mapping[str, Any], session: bool) -> CodeReview | None:
    """The review with the options where the config has not `said` that key; at the end of a session --reviewer-type alone asks for one.

    Raises:
        UsageError: an option's value is none.
    """
    if review is None and not (session and flags.reviewer_type):
        return None
    mine = review or legacy(_known(flags.reviewer_type))
    values = {key: value for option, key in flags.given() if (value := _value(flags, option)) is not None and not _written(said, key)}
    for key, value in values.items():
        mine = replace(mine, **{key[0]: value}) if len(key) == 1 else replace(mine, cerberus=_cerberus(mine, key[1], value))
    return mine


def _value(flags: Flags, option: str) -> Any:
    if option == "--cerberus-env":
        return dict(_pair(text) for text in flags.env)
    if option == "--reviewer-type":
        return _known(flags.reviewer_type)
    return getattr(flags, option.removeprefix("--").removeprefix("cerberus-").replace("-", "_"))


def _known(reviewer_type: str | None) -> str:
    if reviewer_type not in REVIEWER_TYPES:
        raise UsageError(f"--reviewer-type must be one of {', '.join(REVIEWER_TYPES)}, not {reviewer_type!r}")
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
