"""`.reviewgate-gh.yaml` as values; every key has its default here.

Plain dataclasses, so that a run without a config file imports no validator; `system/settings.py` lets pydantic
parse files against these very types, strictly.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .excludes import DEFAULT_EXCLUDES

Threshold = Literal["P0", "P1", "P2", "P3", "none"]
Where = Literal["cli", "hook", "pr", "fork"]
STRICT = {"extra": "forbid", "strict": True}


def _at_least(name: str, value: float | None, least: float) -> None:
    if value is not None and not value >= least:  # not a number is not enough
        raise ValueError(f"{name} must be {least:g} or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """One entry of `reviewers`: which plug-in, where it runs, and the plug-in's own options."""

    __pydantic_config__ = STRICT
    type: str
    where: tuple[Where, ...] | None = None
    required: bool = True
    timeout: float = 300
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _at_least("timeout", self.timeout, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinterOptions:
    """One entry of `linters`: `enabled` unset means: run it when it is one of the defaults or the project configures it."""

    __pydantic_config__ = STRICT
    enabled: bool | None = None
    args: tuple[str, ...] = ()
    timeout: float = 120

    def __post_init__(self) -> None:
        _at_least("timeout", self.timeout, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ensemble:
    """How many are asked at once, and the run's deadline in seconds."""

    __pydantic_config__ = STRICT
    max_parallel: int = 16
    deadline: float = 900

    def __post_init__(self) -> None:
        _at_least("max_parallel", self.max_parallel, 1)
        _at_least("deadline", self.deadline, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """From findings to a verdict. Globs are gitignore patterns."""

    __pydantic_config__ = STRICT
    finding_threshold: Threshold = "P1"
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES
    max_file_bytes: int = 1_000_000
    require_ci: bool = False

    def __post_init__(self) -> None:
        _at_least("max_file_bytes", self.max_file_bytes, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """The pre-push hook: its own deadline in seconds, and the reviewers by name (null: those whose `where` has hook)."""

    __pydantic_config__ = STRICT
    deadline: float = 60
    reviewers: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _at_least("deadline", self.deadline, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """What is posted on a pull request; by default comments only, since the gate is the exit code."""

    __pydantic_config__ = STRICT
    approve: bool = False
    request_changes: bool = False
    max_inline: int = 10
    inline_from: Literal["P0", "P1", "P2"] = "P2"
    check_run: bool = False
    resolve: bool = False

    def __post_init__(self) -> None:
        _at_least("max_inline", self.max_inline, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracker:
    """Where findings become issues: which plug-in (or none), which ones, how many new ones a run, and the plug-in's own options."""

    __pydantic_config__ = STRICT
    type: str = "local"
    issues_from: Literal["P0", "P1", "P2", "P3"] = "P3"
    max_new: int = 50
    close_fixed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _at_least("max_new", self.max_new, 1)


def _default_reviewers() -> Mapping[str, Reviewer]:
    return {"linters": Reviewer(type="linters"), "builtin": Reviewer(type="builtin")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole file."""

    __pydantic_config__ = STRICT
    version: Literal[1] = 1
    required_version: str | None = None
    mode: Literal["block", "warn"] = "block"
    reviewers: Mapping[str, Reviewer] = field(default_factory=_default_reviewers)
    ensemble: Ensemble = Ensemble()
    policy: Policy = Policy()
    publish: Publish = Publish()
    hook: Hook = Hook()
    tracker: Tracker = Tracker()
    linters: Mapping[str, LinterOptions] = field(default_factory=dict)
