"""Settings that guard the project: where they stand, and what makes each of them looser."""

import re
from typing import NamedTuple

from ....model.finding import Priority
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule

COVERAGE = ComparisonRule(
    "coverage-lowered",
    Priority.P2,
    "Untested code passes from now on, here and in later changes. Add the missing tests, or say "
    "why the floor was wrong.",
)
LINT = ComparisonRule(
    "lint-weakened",
    Priority.P2,
    "This applies to all code of the project, and to all later changes. Fix what the rule reports, "
    "or silence it there with a reason.",
)
TYPES = ComparisonRule(
    "types-loosened",
    Priority.P2,
    "Type errors pass from now on, here and in later changes. Fix them, or loosen the check for "
    "the one module that needs it.",
)
PROTECTION = ComparisonRule(
    "branch-protection-weakened",
    Priority.P1,
    "Changes can now reach the branch without it. An owner of the repository should confirm this.",
)
_PACKAGES = ComparisonRule(
    "package-safety-weakened",
    Priority.P2,
    "Packages can do more on the machines that install them. Restore it, or allow the one package "
    "that needs it.",
)


class GuardingSetting(NamedTuple):
    """What to watch: files by path, keys, and what is looser: `on`/`off` a switch, `less`/`more` a
    number, `gained`/`lost` a value, `to` a value that it may not get."""

    rule: ComparisonRule
    paths: str
    keys: str
    looser: str
    to: str = ""


_PY = (
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|mypy\.ini|\.mypy\.ini|ruff\.toml"
    r"|\.ruff\.toml|\.flake8|\.pylintrc|pylintrc|\.coveragerc|pytest\.ini|pyrightconfig\.json"
    r"|basedpyright\.json|ty\.toml)$"
)
# Other tools of these files have lists of these names for what they build or search
_LINTED = (
    r"^(?!tool\.(?!ruff|flake8|pylint|pycodestyle|pydocstyle|doc8|pylama)|check-manifest|codespell)"
    r".*"
)
# Of the type checker alone, in a file that other tools share: its table there, or its own file
# https://mypy.readthedocs.io/en/stable/config_file.html
_CHECKED = (
    r"^(?:tool\.(?:mypy|pydantic-mypy|(?:based)?pyright|pyre\w*|ty)\b.*\."
    r"|(?:mypy|pydantic-mypy|pyright)\b.*\.|executionenvironments\[\]\.|-\.)?"
)
_JS = (
    r"(?:^|/)(?:package\.json|\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|biome\.jsonc?"
    r"|\.oxlintrc\.json|(?:jest|vitest|vite|karma)\.config\.\w+|\.nycrc(?:\.\w+)?"
    r"|\.c8rc(?:\.\w+)?|\.stylelintrc(?:\.\w+)?|tslint\.json|\.jshintrc)$"
)
_TSC = r"(?:^|/)(?:tsconfig|jsconfig)[\w.-]*\.json$"
_COV = (
    rf"{_PY}|{_JS}|(?:^|/)(?:\.simplecov|[\w-]*_helper\.rb"
    rf"|build\.gradle(?:\.kts)?|pom\.xml|mix\.exs|Makefile|tox\.ini|\.testcoverage\.yml"
    rf"|phpunit\.xml(?:\.dist)?|tarpaulin\.toml|coveralls\.json)$|\.github/workflows/"
    rf"|\.gitlab-ci\.yml$|(?:^"
    rf"|/)\.?coverage\w*\.\w+$|\.sh$"
)
FLOOR = (
    r"fail[_-]under|(?:^|\.)(?:branches|functions|lines|statements|minimum"
    r"|minimum_coverage(?:_by_file)?|min-?coverage|coverage_min\w*|min_coverage"
    r"|coverage_threshold|threshold|total|minbound|minimumcoverage|check_coverage_threshold)$"
    r"|coveragethreshold"
)
_CODECOV = r"(?:^|/)\.?codecov\.ya?ml$"
_BRANCHES = (
    r"(?:^|/)\.github/(?:settings|branch-protection|repository|safe-settings[\w./-]*"
    r"|rulesets?/[\w.-]+)\.(?:ya?ml|json)$"
    r"|(?:^|/)(?:rulesets?|branch[-_]protection)[\w./-]*\.(?:ya?ml|json|tf)$"
    r"|(?:^|/)\.asf\.yaml$|\.tf$"
)
_MANAGERS = r"(?:^|/)\.(?:npmrc|yarnrc(?:\.yml)?|pnpmrc)$|(?:^|/)pnpm-workspace\.yaml$"
GUARDS = (
    GuardingSetting(COVERAGE, _COV, FLOOR, "less"),
    GuardingSetting(COVERAGE, _CODECOV, r"\.target$", "less"),
    # A status that says the number and lets all pass: https://docs.codecov.com/docs/commit-status
    GuardingSetting(COVERAGE, _CODECOV, r"\.informational$", "to", "true"),
    # By how much it may fall: https://docs.codecov.com/docs/commit-status
    GuardingSetting(COVERAGE, _CODECOV, r"\.threshold$", "more"),
    GuardingSetting(COVERAGE, _JS, r"check-?coverage$", "off"),
    GuardingSetting(COVERAGE, _JS, r"^(?:coveragethreshold|thresholds)$", "lost"),
    GuardingSetting(
        COVERAGE, _CODECOV, r"status\.(?:project|patch|default_rules)$", "to", "off|false|no"
    ),
    GuardingSetting(
        LINT, _PY, rf"{_LINTED}(?:(?:lint\.)?(?:extend-)?select|\benable)\[\]$", "lost"
    ),
    GuardingSetting(
        LINT,
        _PY,
        rf"{_LINTED}(?:(?:^|[.\]])(?:extend-)?ignore(?:\[\])?$|\bdisable(?:\[\])?$"
        r"|per-file-ignores)",
        "gained",
    ),
    GuardingSetting(
        LINT, _PY, r"max-(?:complexity|line-length|args|branches|statements)$", "more-much"
    ),
    GuardingSetting(LINT, _JS, r"(?:rules?\.[^.\[\]]+(?:\[\])?|^[\w@/-]+)$", "to", "off"),
    GuardingSetting(LINT, r"(?:^|/)biome\.jsonc?$", r"rules\.\w+\.\w+(?:\.level)?$", "to", "off"),
    GuardingSetting(LINT, _JS, r"rules?\..*[\w-]$|^(?!max-)\w+[-/][\w/-]+$", "to", "0"),
    GuardingSetting(
        LINT, _JS, r"rules\.[^.\[\]]+(?:\[\])?$|^(?!max-)\w+[-/][\w/-]+$", "rank", "error>warn"
    ),
    GuardingSetting(LINT, r"(?:^|/)\.stylelintrc", r"(?:^|\.)rules\.", "to", "none|null"),
    GuardingSetting(LINT, _JS, r"max-warnings|max_warnings", "more"),
    GuardingSetting(LINT, _PY, r"(?:^|\.)skips(?:\[\])?$", "gained"),  # Bandit
    # https://detekt.dev, https://checkstyle.org, https://jeremylong.github.io/DependencyCheck
    GuardingSetting(
        LINT,
        r"detekt[\w.-]*\.yml$|build\.gradle(?:\.kts)?$|pom\.xml$",
        r"(?:^|\.)(?:maxissues|maxwarnings|maxerrors|failbuildoncvss)$",
        "more",
    ),
    # https://docs.rubocop.org/rubocop/versioning.html#pending-cops: without it they do not run
    GuardingSetting(
        LINT, r"(?:^|/)\.rubocop[\w.]*ya?ml$", r"allcops\.newcops$", "rank", "enable>disable"
    ),
    GuardingSetting(
        LINT, r"(?:^|/)phpstan[\w.-]*\.neon(?:\.dist)?$", r"ignoreerrors\[\]$", "gained"
    ),
    # https://psalm.dev/docs/running_psalm/error_levels/
    GuardingSetting(TYPES, r"(?:^|/)psalm[\w.-]*\.xml$", r"^errorlevel$", "more"),
    GuardingSetting(LINT, _JS, r"(?:^|\.)(?:extends|plugins)(?:\[\])?$", "lost"),
    GuardingSetting(LINT, _JS, r"recommended$|linter\.enabled$", "off"),
    GuardingSetting(LINT, r"(?:^|/)\.golangci\.\w+$", r"(?:^|\.)enable\[\]$", "lost"),
    GuardingSetting(
        LINT,
        r"(?:^|/)\.golangci\.\w+$",
        r"(?:^|\.)disable\[\]$|exclude[\w-]*\[\]$|settings\.\w+\.excludes\[\]$",
        "gained",
    ),
    GuardingSetting(
        LINT, r"(?:^|/)\.golangci\.\w+$", r"disable-all$|issues-exit-code$", "to", "0|true"
    ),
    GuardingSetting(LINT, r"(?:^|/)\.rubocop[\w.]*ya?ml$", r"\.enabled$", "to", "false"),
    GuardingSetting(LINT, r"(?:^|/)(?:Cargo\.toml|\.?clippy\.toml)$", r"lints\..*", "to", "allow"),
    # https://doc.rust-lang.org/rustc/lints/levels.html
    GuardingSetting(LINT, r"(?:^|/)Cargo\.toml$", r"lints\..*", "rank", "forbid>deny>warn"),
    # https://doc.rust-lang.org/cargo/reference/profiles.html#overflow-checks
    GuardingSetting(
        LINT, r"(?:^|/)Cargo\.toml$", r"^profile\.(?:dev|test)\.overflow-checks$", "switched"
    ),
    GuardingSetting(LINT, r"(?:^|/)Cargo\.toml$", r"overflow-checks$", "off"),
    # https://embarkstudios.github.io/cargo-deny/checks/cfg.html
    GuardingSetting(
        LINT,
        r"(?:^|/)deny\.toml$",
        r"\.(?:unknown-\w+|multiple-versions|wildcards|yanked|unmaintained|vulnerability)$",
        "rank",
        "deny>warn>allow",
    ),
    GuardingSetting(LINT, r"(?:^|/)deny\.toml$", r"advisories\.ignore(?:\[\])?$", "gained"),
    # https://clang.llvm.org/extra/clang-tidy/
    GuardingSetting(LINT, r"(?:^|/)\.clang-tidy$", r"^(?:checks|warningsaserrors)\[\]$", "lost"),
    # https://docs.pytest.org/en/stable/how-to/capture-warnings.html
    GuardingSetting(LINT, _PY, r"filterwarnings(?:\[\])?$", "lost", "error.*"),
    # https://docs.gradle.org/current/userguide/dependency_verification.html
    GuardingSetting(
        _PACKAGES, r"(?:^|/)verification-metadata\.xml$", r"verify-(?:signatures|metadata)$", "off"
    ),
    GuardingSetting(LINT, r"(?:^|/)(?:Cargo\.toml)$", r"lints\..*", "lost", "deny|forbid|warn"),
    GuardingSetting(
        LINT,
        r"(?:^|/)(?:detekt[\w.-]*\.yml|checkstyle[\w.-]*\.xml|\.swiftlint\.yml"
        r"|phpstan\.neon(?:\.dist)?)$",
        r"(?:active|enabled)$",
        "to",
        "false",
    ),
    # https://learn.microsoft.com/dotnet/fundamentals/code-analysis/configuration-options
    GuardingSetting(
        LINT,
        r"(?:^|/)\.(?:editor|global)config$",
        r"dotnet_diagnostic\.\w+\.severity$",
        "to",
        "none|silent",
    ),
    # https://phpstan.org/user-guide/rule-levels
    GuardingSetting(TYPES, r"(?:^|/)phpstan[\w.-]*\.neon(?:\.dist)?$", r"(?:^|\.)level$", "less"),
    GuardingSetting(
        LINT,
        r"(?:^|/)\.swiftlint\.yml$|(?:^|/)\.hadolint\.yaml$|(?:^|/)\.yamllint(?:\.ya?ml)?$|(?:^"
        r"|/)\.markdownlint[\w.-]*$",
        r"disabled_rules\[\]|ignored\[\]",
        "gained",
    ),
    GuardingSetting(LINT, r"(?:^|/)\.swiftlint\.yml$", r"opt_in_rules\[\]", "lost"),
    GuardingSetting(
        LINT,
        r"\.csproj$|Directory\.Build\.props$|build\.gradle(?:\.kts)?$|pom\.xml$|mix\.exs$",
        r"treatwarningsaserrors|allwarningsaserrors|warnings_?as_?errors|failonviolation"
        r"|failonerror|failsonerror|failonwarning|haltonfailure|ignorefailures|abortonerror"
        r"|testfailureignore|skip(?:i?tests|its)$|enablenetanalyzers|runanalyzers|codeanalysis",
        "switched",
    ),
    GuardingSetting(
        TYPES,
        _PY,
        _CHECKED + r"(?:strict\w*|disallow_\w+|check_untyped_defs|no_implicit_\w+"
        r"|warn_(?!unused|redundant)\w+"
        r"|extra_checks)$",
        "off",
    ),
    GuardingSetting(
        TYPES, _PY, rf"{_CHECKED}(?:ignore_errors|ignore_missing_imports|allow_\w+)$", "on"
    ),
    GuardingSetting(TYPES, _PY, rf"{_CHECKED}disable_error_code(?:\[\])?$", "gained"),
    GuardingSetting(TYPES, _PY, r"typecheckingmode$", "to", "off|basic"),
    GuardingSetting(TYPES, _PY, r"\breport\w+$", "to", "none|false|warning"),
    GuardingSetting(
        TYPES,
        _TSC,
        r"compileroptions\.(?:strict\w*|no(?!emit\b|lib\b|resolve)\w+|exactoptional\w+"
        r"|usedefinefor\w+|useunknown\w+|alwaysstrict|forceconsistent\w+)$",
        "off",
    ),
    # It comes from the file that this one extends
    GuardingSetting(TYPES, _TSC, r"compileroptions\.strict$", "to", "false"),
    # One of those that `strict` switches on
    GuardingSetting(
        TYPES,
        _TSC,
        r"compileroptions\.(?:strict\w+|noimplicit(?:any|this)|alwaysstrict|useunknown\w+)$",
        "except",
        "false",
    ),
    # https://learn.microsoft.com/dotnet/csharp/nullable-references#nullable-context
    GuardingSetting(
        TYPES, r"\.csproj$|Directory\.Build\.props$", r"(?:^|\.)nullable$", "to", "disable"
    ),
    GuardingSetting(
        TYPES,
        _TSC,
        r"compileroptions\.(?:allowunreachablecode|suppress\w+|noemitonerror_off)$",
        "on",
    ),
    GuardingSetting(
        PROTECTION,
        _BRANCHES,
        r"contexts\[\]|checks\[\]|required_status|success_conditions|rules\[\]\.type|(?:^"
        r"|\.)conditions\[\]|context$",
        "lost",
    ),
    GuardingSetting(PROTECTION, _BRANCHES, r"approving_review_count$", "less"),
    GuardingSetting(
        PROTECTION,
        _BRANCHES,
        r"enforce_admins|require_code_owner\w*|dismiss_stale\w*|require_last_push\w*"
        r"|required_(?:signatures|linear\w*|conversation\w*|signatures)|strict\w*"
        r"|require_signed\w*",
        "off",
    ),
    GuardingSetting(
        PROTECTION, _BRANCHES, r"allow_(?:force_pushes|deletions)\w*|bypass\w*\[\]", "on"
    ),
    GuardingSetting(
        _PACKAGES,
        _MANAGERS,
        r"ignore-scripts|strict-ssl|audit|engine-strict|enableimmutableinstalls|enablestrictssl"
        r"|checksumbehavior|strictdepbuilds",
        "off",
    ),
    GuardingSetting(_PACKAGES, _MANAGERS, r"enablescripts|dangerouslyallowallbuilds", "on"),
)


def is_looser(guard: GuardingSetting, named: str, new: object) -> bool:
    old, value = named.partition("\0")[2], str(new)
    match guard.looser:
        case "off":
            return old.lower() in _ON and value.lower() in (*OFF, "")
        case "on":
            return value.lower() in _ON and old.lower() in (*OFF, "")
        case "switched":
            return _is_switched_off(named, value)
        case "to":
            return _is_set_to(guard, named, value.lower())
        case "except":
            return not old and value.lower() == guard.to
        case "rank":
            order = guard.to.split(">")
            return old in order and value in order and order.index(value) > order.index(old)
        case "lost":
            return bool(old) and (not guard.to or re.fullmatch(guard.to, old) is not None)
        case "gained":
            return bool(value)
    return _is_number_looser(guard.looser, named, value)


def _is_set_to(guard: GuardingSetting, named: str, value: str) -> bool:
    """The value is one that weakens, and another one was known."""
    old = named.partition("\0")[2]
    known = bool(old) or guard.rule is LINT or _INHERITED.search(named) is not None
    changed = old.lower() not in (*OFF, value)
    return known and changed and re.fullmatch(guard.to, value) is not None


def _is_switched_off(named: str, value: str) -> bool:
    """A check, by its own key or by one that ignores."""
    old = named.partition("\0")[2]
    ignoring = re.search(r"ignore|skip", named) is not None
    gone = not (value or ignoring) and old.lower() in _ON
    return gone or (value.lower() in ((*_ON,) if ignoring else OFF) and value != old)


def _is_number_looser(looser: str, named: str, value: str) -> bool:
    was, now = NUMBER.search(named.partition("\0")[2]), NUMBER.search(value)
    if looser == "less" and not value:
        return was is not None and re.search(_MUST_STAY, named) is not None
    if looser == "less":
        return (
            was is not None
            and float(was[0]) > 0
            and (now is not None and float(now[0]) < float(was[0]))
        )
    most = 1.5 if looser == "more-much" else 1.0
    return was is not None and now is not None and float(now[0]) > float(was[0]) * most


_ON = ("true", "on", "yes", "1", "error")
OFF = ("false", "off", "no", "0", "none")
# A floor that is gone; of others the default may be as good
_MUST_STAY = (
    r"fail[_-]under|minimum_?coverage|coveragethreshold|thresholds?\.|approving_review_count"
)
# Of these the file that this one extends, or the service, says another value
_INHERITED = lazy_pattern(r"report|compileroptions\.strict|informational")
NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?")
