"""`.reviewgate-gh.yaml` as values; every key has its default here."""

import re
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import field
from msgspec.structs import force_setattr

from .coverage import CoverageMode, CoveragePolicy
from .epic_verification import EpicVerification
from .limits import ConfigSection
from .limits import require_at_least as _at_least
from .rule_weights import RuleLevel, RuleWeight
from .triggers import CodeReview, Remediation, ValidationTriggers

LOCK_FILES = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "bun.lockb", "deno.lock",
    "poetry.lock", "uv.lock", "pdm.lock", "pixi.lock", "Pipfile.lock", "Cargo.lock", "go.sum",
    "Gemfile.lock", "composer.lock",
    "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "packages.lock.json",
    "gradle.lockfile", "flake.lock",
    ".terraform.lock.hcl", "conda-lock.yml",
)  # fmt: skip
VENDORED = (
    "vendor/", "_vendor/", "vendored/", "_vendored/", "third_party/", "third-party/", "thirdparty/",
    "node_modules/",
    "bower_components/", "site-packages/", ".yarn/",
)  # fmt: skip
GENERATED = (
    "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pb.go", "*.pb.cc", "*.pb.h", "*.g.dart",
    "*.freezed.dart", "*.generated.*",
    "__generated__/", "*.designer.cs", "dist/",
)  # fmt: skip
MINIFIED = ("*.min.js", "*.min.mjs", "*.min.css", "*.bundle.js", "*.map")
SNAPSHOTS = ("__snapshots__/", "*.snap", "*.ambr")

DEFAULT_EXCLUDES = (*LOCK_FILES, *VENDORED, *GENERATED, *MINIFIED, *SNAPSHOTS)


# They run our own code, and programs that only read; a config adds to them
KEYLESS = ("linters", "builtin", "change", "callers")
Threshold = Literal["P0", "P1", "P2", "P3", "none"]
EntryPoint = Literal["cli", "hook", "pr", "fork"]
LENSES = (
    "correctness",
    "security",
    "quality",
    "performance",
    "tests",
    "attacker",
    "oncall",
    "maintainer",
)


class ReviewerConfig(ConfigSection, frozen=True, kw_only=True):
    """One entry of `reviewers`: which plug-in, where it runs, and the plug-in's own options.

    `where` unset: everywhere, for a language model only cli and pr. `fallback` names the reviewer
    that is asked when this one is down.
    """

    type: str
    where: tuple[EntryPoint, ...] | None = None
    required: bool = True
    fallback: str | None = None
    timeout: float = 300
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _at_least("timeout", self.timeout, 1)


class LinterOptions(ConfigSection, frozen=True, kw_only=True):
    """One entry of `linters`: `enabled` unset means: run it when it is one of the defaults or the
    project configures it."""

    enabled: bool | None = None
    args: tuple[str, ...] = ()
    timeout: float = 120

    def __post_init__(self) -> None:
        _at_least("timeout", self.timeout, 1)


class ReverseAudit(ConfigSection, frozen=True, kw_only=True):
    """Looking again at the whole diff for what was missed: at most so many rounds, the last after
    so many that found nothing."""

    max_rounds: int = 3
    stop_after_dry: int = 1

    def __post_init__(self) -> None:
        _at_least("max_rounds", self.max_rounds, 0)
        _at_least("stop_after_dry", self.stop_after_dry, 1)


class Budget(ConfigSection, frozen=True, kw_only=True):
    """What a run may spend on language models; null is no limit.

    A question that would go beyond is not asked, and the verdict says so.
    """

    calls: int | None = 40
    input_tokens: int | None = 6_000_000
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        _at_least("calls", self.calls, 1)
        _at_least("input_tokens", self.input_tokens, 1)
        _at_least("cost_usd", self.cost_usd, 0)


class ContextConfig(ConfigSection, frozen=True, kw_only=True):
    """The unchanged code that models are shown beside a change: at most so many tokens of it.

    Questions wait at most `wait` seconds for what linters, built-in checks and CI report, which is
    told with them. With `tools` models may look up more of the reviewed tree.
    """

    tokens: int = 4000
    wait: int = 5
    tools: bool = False

    def __post_init__(self) -> None:
        _at_least("tokens", self.tokens, 0)
        _at_least("wait", self.wait, 0)


class EnsembleConfig(ConfigSection, frozen=True, kw_only=True):
    """How language models are asked, how many reviewers at once, and the run's deadline in seconds.

    `spread` gives each lens to one model in turn, `cross` every lens to every model. `cache_warmup`
    unset: where it saves money.
    """

    lenses: tuple[str, ...] = LENSES
    assign: Literal["spread", "cross"] = "spread"
    verify: bool = True
    reverse_audit: ReverseAudit = ReverseAudit()
    incremental: bool = True
    max_parallel: int = 16
    deadline: float = 900
    budget: Budget = Budget()
    cache: bool = True
    cache_warmup: bool | None = None
    context_tokens: int = 150_000
    context: ContextConfig = ContextConfig()

    def __post_init__(self) -> None:
        if not self.lenses or len(set(self.lenses)) != len(self.lenses):
            raise ValueError("lenses must contain at least one name and no duplicates")
        _at_least("max_parallel", self.max_parallel, 1)
        _at_least("deadline", self.deadline, 1)
        _at_least("context_tokens", self.context_tokens, 1000)


class Policy(ConfigSection, frozen=True, kw_only=True):
    """From findings to a verdict.

    Globs are gitignore patterns; what `denied_paths` match is never sent to a model.
    """

    finding_threshold: Threshold = "P1"
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES
    denied_paths: tuple[str, ...] = ()
    max_file_bytes: int = 1_000_000
    require_ci: bool = False
    coverage: CoveragePolicy | CoverageMode = CoveragePolicy()

    def __post_init__(self) -> None:
        _at_least("max_file_bytes", self.max_file_bytes, 1)
        if isinstance(self.coverage, str):  # the short form
            force_setattr(self, "coverage", CoveragePolicy(unread=self.coverage))

    @property
    def covers(self) -> CoveragePolicy:
        """`coverage` in its long form."""
        return (
            self.coverage
            if isinstance(self.coverage, CoveragePolicy)
            else CoveragePolicy(unread=self.coverage)
        )


class SecretPattern(ConfigSection, frozen=True, kw_only=True):
    """A kind of secret of the project's own.

    `pattern` is a Python regular expression, tried line by line; a group named `value` is the
    secret, otherwise all of it. Of `keywords`, in any case of letters, the line must hold one.
    """

    id: str
    pattern: str
    keywords: tuple[str, ...] = ()
    entropy: float = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9\-]{0,60}", self.id):
            raise ValueError(f"secrets.patterns: {self.id!r} must be small letters, digits and '-'")
        _at_least("entropy", self.entropy, 0)


class SecretsConfig(ConfigSection, frozen=True, kw_only=True):
    """What else is a secret, and what is none: SHA-256 digests of values (64 hex digits), and a
    report of gitleaks (JSON) whose findings are accepted."""

    patterns: tuple[SecretPattern, ...] = ()
    allow: tuple[str, ...] = ()
    baseline: str | None = None

    def __post_init__(self) -> None:
        for digest in self.allow:
            if not re.fullmatch(r"(?:sha256:)?[0-9a-f]{64}", digest):
                raise ValueError(f"secrets.allow: {digest!r} must be a SHA-256 in 64 hex digits")


class HookConfig(ConfigSection, frozen=True, kw_only=True):
    """The pre-push hook: its own deadline in seconds, and the reviewers by name (null: those whose
    `where` has hook)."""

    deadline: float = 60
    reviewers: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _at_least("deadline", self.deadline, 1)


class PublishConfig(ConfigSection, frozen=True, kw_only=True):
    """What is posted on a pull request; by default comments only, since the gate is the exit
    code."""

    approve: bool = False
    request_changes: bool = False
    max_inline: int = 10
    inline_from: Literal["P0", "P1", "P2"] = "P2"
    check_run: bool = False
    resolve: bool = False
    author_dismisses: bool = False

    def __post_init__(self) -> None:
        _at_least("max_inline", self.max_inline, 0)


class TrackerConfig(ConfigSection, frozen=True, kw_only=True):
    """Where findings become issues: which plug-in (or none), which ones, how many new ones a run,
    and the plug-in's own options."""

    type: str = "local"
    issues_from: Literal["P0", "P1", "P2", "P3"] = "P3"
    max_new: int = 50
    close_fixed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _at_least("max_new", self.max_new, 1)

    @property
    def configured(self) -> bool:
        """Somebody wrote it down."""
        return not isinstance(self, DefaultTracker)


class DefaultTracker(TrackerConfig, frozen=True, kw_only=True):
    """The tracker where no configuration names one."""


def _default_reviewers() -> Mapping[str, ReviewerConfig]:
    return {name: ReviewerConfig(type=name) for name in KEYLESS}


class Config(ConfigSection, frozen=True, kw_only=True):
    """The whole file."""

    version: Literal[1] = 1
    required_version: str | None = None
    mode: Literal["block", "warn"] = "block"
    reviewers: Mapping[str, ReviewerConfig] = field(default_factory=_default_reviewers)
    ensemble: EnsembleConfig = EnsembleConfig()
    policy: Policy = Policy()
    publish: PublishConfig = PublishConfig()
    hook: HookConfig = HookConfig()
    secrets: SecretsConfig = SecretsConfig()
    tracker: TrackerConfig = field(default_factory=DefaultTracker)
    linters: Mapping[str, LinterOptions] = field(default_factory=dict)
    rules: Mapping[str, RuleWeight | RuleLevel | bool] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remediation: Remediation = field(default_factory=Remediation)
    validation_triggers: ValidationTriggers = field(default_factory=ValidationTriggers)
    per_issue_review: CodeReview | None = None
    reviewer_type: Literal["cerberus", "agent_sdk", "ensemble"] | None = None
    epic_verification: EpicVerification = field(default_factory=EpicVerification)

    @property
    def rule_weights(self) -> Mapping[str, RuleWeight]:
        """`rules` in their long form."""
        return {
            glob: RuleWeight(priority=rule) if isinstance(rule, str | bool) else rule
            for glob, rule in self.rules.items()
        }

    def __post_init__(self) -> None:
        for glob, rule in self.rules.items():
            if rule is True:
                raise ValueError(f"rules.{glob} must be P0, P1, P2, P3 or off")
        for name, argv in self.commands.items():
            if not argv or not argv[0]:
                raise ValueError(f"commands.{name} must name a program")
