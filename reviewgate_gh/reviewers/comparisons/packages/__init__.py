"""Packages: what a manifest asks for, where it comes from, and what runs when it is installed."""

from ....model.change import FileDiff
from ....text.paths import glob_matcher

CODE_ALONE = False

_FILES = (
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
    "bun.lock", "pyproject.toml", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile", "Pipfile.lock",
    "*requirements*", "*constraints*", "setup.py", "setup.cfg", "noxfile.py",
    "environment.yml", "Cargo.toml", "Cargo.lock", "build.rs", "go.mod",
    "go.sum", "Gemfile", "Gemfile.lock", "*.gemspec", "extconf.rb", "composer.json",
    "composer.lock", "mix.exs", "mix.lock", "pubspec.yaml", "pubspec.lock", "Podfile",
    "Podfile.lock", "Package.swift", "Package.resolved", ".npmrc", ".yarnrc", ".yarnrc.yml",
    "pip.conf", "config.toml", "settings.xml", "gradle-wrapper.properties",
    "maven-wrapper.properties", "*.gradle",
    "*.gradle.kts", "libs.versions.toml", "gradle.properties", "conanfile.*", "vcpkg.json",
    "environment.yaml", "packages.lock.json", "pom.xml", "*.csproj", "*.fsproj",
    "Directory.Packages.props", "nuget.config", "NuGet.[Cc]onfig", "*.tf", "Chart.yaml",
    "Chart.lock", "action.yml", "action.yaml", "CMakeLists.txt", "*.cmake", "WORKSPACE",
    "WORKSPACE.bazel", "MODULE.bazel", "*.bzl", "*.vbproj",
    "*[Dd]ockerfile*", "*[Cc]ontainerfile*", "[Mm]akefile", "*.sh", "*.bash", "*.zsh",
)  # fmt: skip


def wants(file: FileDiff) -> bool:
    """A manifest, a lockfile, a script that installs, a package manager's settings, or a workflow,
    which names actions."""
    return glob_matcher(_FILES)(file.path.rpartition("/")[2]) or file.path.startswith(_FORGES)


_FORGES = (".github/", ".gitea/", ".forgejo/")
