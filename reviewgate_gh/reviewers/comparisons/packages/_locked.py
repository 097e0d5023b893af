"""What a lockfile holds: its packages, and which of them another one asks for."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json, load_toml


class Locked(NamedTuple):
    """The packages by their names, each with its versions ("" where none is read), and those that
    packages ask for; None where the format does not say that."""

    versions: Mapping[str, frozenset[str]]
    asked: frozenset[str] | None


def read_lock(name: str, text: str) -> Locked | None:
    """What a lockfile of this name says; None of a format that is not known here, or cannot be
    read."""
    reader = _READERS.get(name)
    if reader is None or not text:
        return None
    try:
        return reader(text)
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
        return None


def spelt(name: str) -> str:
    """A name as all of its spellings have it. https://peps.python.org/pep-0503/"""
    return re.sub(r"[-_.]+", "-", name).lower()


def _composer(text: str) -> Locked:
    """https://getcomposer.org/doc/01-basic-usage.md#commit-your-composer-lock-file-to-version-control"""
    top = load_loose_json(text)
    every = [*(top.get("packages") or ()), *(top.get("packages-dev") or ())]
    asked = {name for each in every for name in (each.get("require") or ())}
    return _locked([(each["name"], str(each["version"]).lstrip("v")) for each in every], asked)


def _rows(
    package: re.Pattern[str], asks: re.Pattern[str], start: str = "", end: str = r"\Z"
) -> Callable[[str], Locked]:
    """A reader of a format with a row for each package, between two rows."""

    def read(text: str) -> Locked:
        first = re.search(start, text)
        part = text[first.end() :] if first else ""
        last = re.search(end, part)
        part = part[: last.start()] if last else part
        found = [(each["name"], each["version"] or "") for each in package.finditer(part)]
        return _locked(found, {each["name"] for each in asks.finditer(part)})

    return read


def _cargo(text: str) -> Locked:
    """What has no source is a package of the tree: its manifest says what it asks for.
    https://doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html"""
    every = [each for each in load_toml(text, "TOML")["package"] if "source" in each]
    asked = {name.partition(" ")[0] for each in every for name in each.get("dependencies", ())}
    return _locked([(each["name"], each["version"]) for each in every], asked)


def _python(text: str) -> Locked:
    """Of Poetry, PDM and uv, whose own packages lie in the tree."""
    every = [each for each in load_toml(text, "TOML")["package"] if not _lies_here(each)]
    return _locked(
        [(each["name"], str(each.get("version", ""))) for each in every],
        {name for each in every for name in _needed(each)},
    )


def _lies_here(each: Mapping[str, Any]) -> bool:
    source = each.get("source")
    return isinstance(source, dict) and not source.keys().isdisjoint(
        ("virtual", "editable", "directory", "workspace")
    )


def _needed(each: Mapping[str, Any]) -> Iterator[str]:
    lists = [each.get("dependencies") or (), each.get("dependency_groups") or ()]
    lists += (each.get("optional-dependencies") or each.get("extras") or {}).values()
    for listed in lists:
        for one in listed:
            told = one.get("name", "") if isinstance(one, dict) else str(one)
            found = re.match(r"[\w.-]+", told)
            yield found[0] if found else ""


def _nuget(text: str) -> Locked:
    """https://learn.microsoft.com/nuget/consume-packages/package-references-in-project-files"""
    every = [
        (name, each)
        for packages in load_loose_json(text)["dependencies"].values()
        for name, each in packages.items()
    ]
    asked = {name for _name, each in every for name in (each.get("dependencies") or ())}
    found = [(n, str(each.get("resolved", ""))) for n, each in every if each["type"] != "Project"]
    return _locked(found, asked)


def _swift(text: str) -> Locked:
    top = load_loose_json(text)
    pins = top.get("pins") or top["object"]["pins"]
    found = [(p.get("location") or p["repositoryURL"], str(p["state"]["version"])) for p in pins]
    return Locked(_by_name((repository(name), version) for name, version in found), None)


def repository(address: str) -> str:
    """What a package of Swift is called there: the last part of its address."""
    return address.rstrip("/").rpartition("/")[2].removesuffix(".git")


def _pipfile(text: str) -> Locked:
    top = load_loose_json(text)
    every = {**(top.get("default") or {}), **(top.get("develop") or {})}
    found = [(name, str(each.get("version", "")).lstrip("=")) for name, each in every.items()]
    return Locked(_by_name(found), None)


def _go(text: str) -> Locked:
    """https://go.dev/ref/mod#go-sum-files"""
    return Locked(_by_name((each["name"], "") for each in _GO.finditer(text)), None)


def _locked(found: list[tuple[str, str]], asked: set[str]) -> Locked:
    return Locked(_by_name(found), frozenset(map(spelt, asked)))


def _by_name(found: Iterable[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    versions = defaultdict[str, set[str]](set)
    for name, version in found:
        versions[name].add(version)
    return {name: frozenset(each) for name, each in versions.items()}


_NOTHING = re.compile(r"(?P<name>(?!))")
_GO = lazy_pattern(r"(?m)^(?P<name>\S+) v\S+(?<!/go\.mod) h1:")
# https://bundler.io/guides/using_bundler_in_applications.html
_GEM = re.compile(r"(?m)^ {4}(?P<name>[\w.-]+) \((?P<version>[\w.]+)[^)\n]*\)$")
_GEM_ASKS = re.compile(r"(?m)^ {6}(?P<name>[\w.-]+)(?: \(.*\))?$")
_MIX = re.compile(r'(?m)^\s*"(?P<name>\w+)": \{:\w+, [^,]+, "(?P<version>[^"]*)"')
_MIX_ASKS = re.compile(r'\{:(?P<name>\w+), "[^"]*", \[')
# https://guides.cocoapods.org/using/using-cocoapods.html#what-is-podfilelock
_POD = re.compile(r"(?m)^  - \"?(?P<name>[\w+-]+)(?:/[^ \n]+)? \((?P<version>[^)\n]*)\)")
_POD_ASKS = re.compile(r"(?m)^    - \"?(?P<name>[\w+-]+)")
# Only what the package itself asks for is told apart from what others do
_PUB = re.compile(
    r"(?m)^  (?P<name>\w+):\n    dependency: \"?direct[^\n]*\n(?:    [^\n]*\n)*?"
    r"    version: \"?(?P<version>[^\"\n]*)"
)
# https://developer.hashicorp.com/terraform/language/files/dependency-lock
_TERRAFORM = re.compile(
    r"(?m)^provider \"(?:[^\"\n]*/)?(?P<name>[\w-]+)\" \{\n\s+version\s*=\s*\"(?P<version>[^\"\n]*)"
)
_CHART = re.compile(r"(?m)^- name: (?P<name>\S+)\n(?:  [^\n]*\n)*?  version: (?P<version>\S+)")
# https://github.com/pnpm/spec/blob/master/lockfile/9.0.md
_PNPM = re.compile(r"(?m)^  ['/]?(?P<name>(?:@[^/\n]+/)?[\w.-]+)[@/](?P<version>[^:('\n]*)")
_PNPM_ASKS = re.compile(r"(?m)^      '?(?P<name>(?:@[^/\n]+/)?[\w.-]+)'?: \S")
_READERS: Mapping[str, Callable[[str], Locked]] = {
    "composer.lock": _composer, "Gemfile.lock": _rows(_GEM, _GEM_ASKS), "Cargo.lock": _cargo,
    "mix.lock": _rows(_MIX, _MIX_ASKS), "poetry.lock": _python, "uv.lock": _python,
    "pdm.lock": _python, "packages.lock.json": _nuget, "Package.resolved": _swift,
    "Pipfile.lock": _pipfile, "go.sum": _go, "pubspec.lock": _rows(_PUB, _NOTHING),
    "Podfile.lock": _rows(_POD, _POD_ASKS, end=r"(?m)^DEPENDENCIES:"),
    ".terraform.lock.hcl": _rows(_TERRAFORM, _NOTHING),
    "Chart.lock": _rows(_CHART, _NOTHING),
    "pnpm-lock.yaml": _rows(_PNPM, _PNPM_ASKS, r"(?m)^packages:"),
}  # fmt: skip
