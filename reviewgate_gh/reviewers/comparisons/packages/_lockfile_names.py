"""The files that say where packages come from and what they must hash to."""

from ....model.finding import Priority
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule

FILES = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum", "Gemfile.lock",
    "composer.lock", "requirements*.txt", ".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf",
    "pyproject.toml", "Gemfile", "config.toml", "settings.xml", "gradle-wrapper.properties",
    "maven-wrapper.properties",
    "Package.resolved", "build.gradle", "build.gradle.kts", "settings.gradle",
    "settings.gradle.kts", "pom.xml", "nuget.config", "NuGet.Config", "NuGet.config",
)  # fmt: skip
LOCK = lazy_pattern(r"lock|shrinkwrap|go\.sum|requirements|\.resolved")
UNCHECKED = ComparisonRule(
    "integrity-removed",
    Priority.P2,
    "The package manager can no longer tell whether it gets the package that was reviewed. Restore "
    "the hashes.",
)
