"""Which dependencies a manifest declares, and which lockfile belongs to it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...text.patterns import lazy_pattern
from ...text.strict import load_loose_json, load_toml
from ._declared import NAMES, declared_in

LOCKFILES: Mapping[str, tuple[str, ...]] = {
    "package.json": (
        "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
        "bun.lockb",
    ),
    "pyproject.toml": ("poetry.lock", "uv.lock", "pdm.lock"),
    "Pipfile": ("Pipfile.lock",),
    "Cargo.toml": ("Cargo.lock",),
    "go.mod": ("go.sum",),
    "Gemfile": ("Gemfile.lock",),
    "composer.json": ("composer.lock",),
    "mix.exs": ("mix.lock",),
    "pubspec.yaml": ("pubspec.lock",),
    "requirements.in": ("requirements.txt",),
    "Podfile": ("Podfile.lock",),
    "Package.swift": ("Package.resolved",),
    "Chart.yaml": ("Chart.lock",),
}  # fmt: skip
# Those whose names end so, and that have the lockfile beside them:
# https://docs.gradle.org/current/userguide/dependency_locking.html,
# https://developer.hashicorp.com/terraform/language/files/dependency-lock
_LOCKED_BESIDE = (
    ((".csproj", ".fsproj", ".vbproj"), ("packages.lock.json",)),
    (("build.gradle", "build.gradle.kts"), ("gradle.lockfile",)),
    ((".tf",), (".terraform.lock.hcl",)),
)
# What is installed says more than what others have to install
_NPM = (
    "peerDependencies",
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "resolutions",
)
_REQUIREMENT = lazy_pattern(
    r"\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?P<spec>@\s*\S+|[^#;]*)"
)
_GEM = lazy_pattern(
    r"^\s*gem\s*\(?[\"'](?P<name>[\w.-]+)[\"']\s*(?:,\s*(?P<spec>[^#\n]*))?", re.MULTILINE
)
_GO = lazy_pattern(
    r"^\s*(?:require\s+)?(?P<name>[\w.-]+\.[\w.-]+/\S+)\s+(?P<spec>v\S+)", re.MULTILINE
)
_GO_REPLACE = lazy_pattern(
    r"^\s*(?:replace\s+)?(?P<name>\S+)(?:\s+v\S+)?\s+=>\s+(?P<spec>\S+)", re.MULTILINE
)
_MIX = lazy_pattern(r"\{:(?P<name>\w+),\s*(?P<spec>(?:\"\s*(?:[~<>=!]|\d)|\w+[:(])[^}\n]*)\}")
# https://docs.swift.org/package-manager/PackageDescription/PackageDescription.html#package-dependency
_SWIFT = lazy_pattern(
    r"\.package\(\s*(?:name:\s*\"[^\"]*\",\s*)?url:\s*\"(?P<name>[^\"]+)\",\s*(?P<spec>[^\n]*)"
)
# https://docs.gradle.org/current/userguide/dependency_versions.html#sec:dynamic-versions
_GRADLE = lazy_pattern(r"[\"'](?P<name>[\w.-]+:[\w.-]+):(?P<spec>[^\"'@:$\n]+)[\"']")
_NUGET = lazy_pattern(
    r"<Package(?:Reference|Version)\s+(?:Include|Update)=\"(?P<name>[\w.-]+)\"(?:[^>\n]*?"
    r"Version=\"(?P<spec>[^\"$\n]*)\"|[^>/\n]*>\s*<Version>(?P<inner>[^<$\n]*)<)"
)
# https://developer.hashicorp.com/terraform/language/providers/requirements
_TERRAFORM = lazy_pattern(
    r"(?<![\w-])(?P<name>[\w-]+)\s*=\s*\{\s*source\s*=\s*\"[^\"\n]+\"\s*(?:version\s*=\s*\"(?P<spec>[^\""
    r"\n]*)\")?"
)
# https://helm.sh/docs/topics/charts/#chart-dependencies
_CHART = lazy_pattern(
    r"-\s+name:\s*(?P<name>[\w-]+)\s*\n(?:\s+(?!-|version:|name:)[^\n]*\n){0,6}?"
    r"\s+version:\s*(?P<spec>[^#\n]+)"
)
_EDITABLE = lazy_pattern(r"\A(?:-e|--editable)[\s=]+")
_URL = lazy_pattern(
    r"^(?:@\s*)?(?:git\+|git@|git://|ssh://|https?://|github:|gitlab:|bitbucket:)"
    r"|^[\w.-]+/[\w.-]+(?:#\S+)?$|\b(?:git|github|gitlab|url|tarball)\s*[:=]"
)
_EXACT = lazy_pattern(
    r"^\s*(?:={2,3}|=)?\s*v?\d+(?:\.\d+){1,3}[\w.+-]*(?<!\+)\s*(?:--hash.*|\\)?$"
    # https://learn.microsoft.com/nuget/concepts/package-versioning#version-ranges
    r"|^\s*\[\s*\d+(?:\.\d+){1,3}[\w.+-]*\s*\]\s*$"
)
# Composer names branches so: https://getcomposer.org/doc/articles/versions.md#branches
_BRANCH = r"dev-[\w./-]+"
_OPEN = lazy_pattern(
    rf"^\s*(?:|\*|x|latest(?:\.\w+)?|next|any|[\d.]*\+|{_BRANCH}|>=?\s*0?(?:\.0)*|>= ?0)\s*$"
    r"|^\.?branch\b",
    re.IGNORECASE,
)


_LOCAL = ("workspace", "file:", "link:", "portal:", "catalog:", "path=")


class Dependency(Struct, frozen=True):
    """A declared dependency: its ecosystem, name as written, and what it says of the version."""

    kind: str
    name: str
    spec: str

    @property
    def is_local(self) -> bool:
        """It lies in the tree itself, or the workspace says which version it is."""
        return self.spec.lstrip().startswith(_LOCAL)

    @property
    def is_alias(self) -> bool:
        """The project chose the name itself (an alias, see `npm help package-spec`)."""
        return self.spec.startswith("npm:")

    @property
    def _version(self) -> str:
        """What it says of the version, without the package that an alias stands for."""
        return self.spec[len("npm:") :].rpartition("@")[2] if self.is_alias else self.spec

    @property
    def from_url(self) -> bool:
        """It comes from a repository or address, not from the registry."""
        if self.name.endswith(" =>"):
            module = self.spec.partition(" ")[0]  # without its version
            return not module.startswith(".") and module != self.name.removesuffix(" =>")
        return _URL.search(self.spec) is not None

    @property
    def is_exact(self) -> bool:
        """One version alone; to Cargo a bare number is the least one:
        https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html"""
        if self.kind == "cargo" and not self.spec.lstrip().startswith("="):
            return False
        return _EXACT.match(self._version) is not None

    @property
    def is_open(self) -> bool:
        """Any version, also the next one; what the platform itself is has none of its own."""
        if self.kind == "composer" and "/" not in self.name:
            return False
        return _OPEN.match(self._version) is not None


def lockfiles_of(name: str) -> tuple[str, ...]:
    """What the lockfile of a manifest may be called; none of any other file."""
    beside = (locks for endings, locks in _LOCKED_BESIDE if name.endswith(endings))
    return LOCKFILES.get(name) or next(beside, ())


def is_manifest(name: str) -> bool:
    """A file that declares dependencies."""
    return name in LOCKFILES or is_requirements(name) or name.endswith(_MANIFESTS)


_MANIFESTS = (
    ".gemspec", ".csproj", ".fsproj", "Directory.Packages.props", ".tf", "build.gradle",
    "build.gradle.kts", "libs.versions.toml", *NAMES,
)  # fmt: skip


def is_requirements(name: str) -> bool:
    """pip's list of requirements, which has no lockfile beside it."""
    return name.endswith((".txt", ".in")) and ("requirements" in name or "constraints" in name)


def read_dependencies(name: str, text: str) -> dict[str, Dependency]:
    """By name what a manifest declares; nothing of one that cannot be read."""
    return {each.name: each for each in read_each_dependency(name, text)}


def read_each_dependency(name: str, text: str) -> list[Dependency]:
    """The same with all that it says of one name: lists for several purposes may each have it."""
    try:
        return [*_read(name, text)]
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
        return []


def _read(name: str, text: str) -> Iterator[Dependency]:
    if not text:
        return iter(())
    if name == "package.json":
        return _from_npm(load_loose_json(text))
    if name == "composer.json":
        return _from_tables("composer", load_loose_json(text), ("require", "require-dev"))
    if name == "Cargo.toml":
        return _from_cargo(load_toml(text, "TOML"))
    if name == "Pipfile":
        return _from_tables("pypi", load_toml(text, "TOML"), ("packages", "dev-packages"))
    if name == "pyproject.toml":
        return _from_pyproject(load_toml(text, "TOML"))
    if is_requirements(name):
        return _from_requirements(text.split("\n"))
    more = (Dependency(*each) for each in declared_in(name, text))
    reader = next(((kind, each) for end, kind, each in _BY_PATTERN if name.endswith(end)), None)
    if reader is None:
        return more
    kind, pattern = reader
    told = _COMMENTS[kind].sub("", text) if kind in _COMMENTS else text
    found = [Dependency(kind, m["name"], _version(m)) for m in pattern.finditer(told)]
    if kind == "go":
        replaced = (
            Dependency(kind, f"{m['name']} =>", m["spec"]) for m in _GO_REPLACE.finditer(text)
        )
        return _from_elsewhere([*found, *replaced])
    return iter([*found, *more])


_BY_PATTERN = (
    ("Gemfile", "gem", _GEM), ("go.mod", "go", _GO), ("mix.exs", "hex", _MIX),
    ("Package.swift", "swift", _SWIFT), (".gradle", "gradle", _GRADLE),
    (".gradle.kts", "gradle", _GRADLE),
    (".csproj", "nuget", _NUGET), (".fsproj", "nuget", _NUGET), (".vbproj", "nuget", _NUGET),
    ("Directory.Packages.props", "nuget", _NUGET), (".tf", "terraform", _TERRAFORM),
    ("Chart.yaml", "helm", _CHART),
)  # fmt: skip


# Whole lines, as the others begin with what they declare
_COMMENTS = {
    "hex": lazy_pattern(r"(?m)^\s*#.*"),
    "swift": lazy_pattern(r"(?m)^\s*//.*"),
    "gradle": lazy_pattern(r"(?m)^\s*//.*"),
    "terraform": lazy_pattern(r"(?m)^\s*(?:#|//).*"),
    "nuget": lazy_pattern(r"(?s)<!--.*?-->"),
}


def _from_elsewhere(modules: list[Dependency]) -> Iterator[Dependency]:
    """Those that do not come from this tree: a path takes the place of a module without a sum.
    https://go.dev/ref/mod#go-mod-file-replace"""
    here = {
        each.name.removesuffix(" =>")
        for each in modules
        if each.name.endswith(" =>") and each.spec.startswith((".", "/"))
    }
    return (each for each in modules if each.name.removesuffix(" =>") not in here)


def _version(found: re.Match[str]) -> str:
    """What a manifest says of the version; of SwiftPM an exact one without that word."""
    spec = _bare(found["spec"] or found.groupdict().get("inner") or "")
    exact = _ONLY.match(spec)
    return exact["version"] if exact else spec


_ONLY = lazy_pattern(r"\.?exact[:(]\s*\"(?P<version>[^\"]+)")


def _bare(spec: str) -> str:
    return spec.strip().strip("\"'").strip()


def _from_tables(kind: str, top: Any, names: tuple[str, ...]) -> Iterator[Dependency]:
    for table in names:
        for name, value in (top.get(table) or {}).items():
            yield Dependency(kind, name, _spec(value))


def _from_npm(top: Any) -> Iterator[Dependency]:
    """An object in `overrides` is about what a package needs, and its `.` about the package itself
    (`npm help package.json`)."""
    overrides = top.get("overrides")
    overrides = overrides if isinstance(overrides, dict) else {}
    left = [*overrides.items()]
    while left:  # what a package below wants comes first: of one name the last counts
        name, value = left.pop(0)
        if isinstance(value, dict):
            left += [(name if below == "." else below, each) for below, each in value.items()]
        else:
            yield Dependency("npm", name, str(value))
    yield from _from_tables("npm", top, _NPM)
    for name, value in overrides.items():
        own = value.get(".") if isinstance(value, dict) else value
        if own is not None:
            yield Dependency("npm", name, str(own))


def _spec(value: Any) -> str:
    """A version, or what a table of Cargo, Pipenv or Poetry says of the source."""
    if not isinstance(value, dict):
        return str(value)
    for key in ("git", "url", "path"):
        if key in value:
            fixed = (f" {pin}={value[pin]}" for pin in ("tag", "rev", "ref") if pin in value)
            return "".join((f"{key}={value[key]}", *fixed))
    return str(value.get("version", "workspace" if value.get("workspace") else ""))


def _from_cargo(top: Any) -> Iterator[Dependency]:
    tables = [top, top.get("workspace") or {}, *(top.get("target") or {}).values()]
    for table in tables:
        yield from _from_tables(
            "cargo", table, ("dependencies", "dev-dependencies", "build-dependencies")
        )


def _from_pyproject(top: Any) -> Iterator[Dependency]:
    project = top.get("project") or {}
    lists = [project.get("dependencies") or []]
    lists += [*(project.get("optional-dependencies") or {}).values()]
    lists += [*(top.get("dependency-groups") or {}).values()]
    for rows in lists:
        yield from _from_requirements([row for row in rows if isinstance(row, str)])
    poetry = (top.get("tool") or {}).get("poetry") or {}
    groups = [poetry, *(poetry.get("group") or {}).values()]
    for group in groups:
        for each in _from_tables("pypi", group, ("dependencies", "dev-dependencies")):
            if each.name != "python":
                yield each


def _from_requirements(rows: list[str]) -> Iterator[Dependency]:
    for row in rows:
        bare = _EDITABLE.sub("", row.strip())
        if bare.startswith(("git+", "http://", "https://")):
            yield Dependency("pypi", bare.rpartition("egg=")[2] or bare, bare)
        elif bare and not bare.startswith(("#", "-")) and (found := _REQUIREMENT.match(bare)):
            yield Dependency("pypi", found["name"], found["spec"].strip().rstrip("\\").strip())
