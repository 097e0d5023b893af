"""Dependencies in manifests that say little else: version catalogs, lists of YAML and INI, and the
calls of build files."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...text.patterns import lazy_pattern
from ...text.strict import load_loose_json, load_toml
from ._settings import read_settings

_COMPARES = r"[=<>!~]=?=?\s*[^'\";#\n]*"
# https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-environments.html
_CONDA = lazy_pattern(
    rf"(?m)^\s*-\s+(?:[\w.-]+::)?(?P<name>[\w.-]+)[ \t]*(?P<spec>{_COMPARES})?[ \t]*(?:#.*)?$"
)
# https://setuptools.pypa.io/en/latest/userguide/dependency_management.html
_REQUIRES = lazy_pattern(r"\b(?:install|tests|setup|extras)_requires?\s*=\s*(?=[\[{(])")
_QUOTED = lazy_pattern(
    rf"[\"'](?P<name>[A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?P<spec>{_COMPARES})?(?:;[^\"'\n]*)?[\"']\s*[,\])]"
)
_SECTION = lazy_pattern(r"(?m)^(?:install_requires|\w+)\s*=[ \t]*\n((?:[ \t]+\S[^\n]*\n?)+)")
_LISTED = lazy_pattern(
    rf"(?m)^[ \t]+(?P<name>[A-Za-z][\w.-]*)(?:\[[^\]]*\])?[ \t]*(?P<spec>{_COMPARES})?(?:;.*)?$"
)
# https://guides.rubygems.org/specification-reference/#add_dependency
_GEMSPEC = lazy_pattern(
    r"\badd_(?:development_|runtime_)?dependency[\s(]+[\"'](?P<name>[\w.-]+)[\"']"
    r"[ \t]*(?:,[ \t]*(?P<spec>[^#\n)]*))?"
)
# https://guides.cocoapods.org/syntax/podfile.html#pod
_POD = lazy_pattern(
    r"(?m)^\s*pod\s+[\"'](?P<name>[\w./+-]+)[\"'][ \t]*(?:,[ \t]*(?P<spec>[^#\n]*))?"
)
# https://docs.conan.io/2/reference/conanfile/attributes.html#requires
_CONAN = lazy_pattern(
    r"(?:^|[\"'])(?P<name>[a-z0-9_][a-z0-9_+.-]+)/(?P<spec>\d[\w.+-]*|\[[^\]\n]*\])", re.MULTILINE
)
# https://docs.gradle.org/current/userguide/plugins_intermediate.html#sec:plugins_dsl
_GRADLE = (
    lazy_pattern(
        r"\b(?:id|kotlin)[\s(]+[\"'](?P<name>[\w.-]+)[\"']\)?\s+version\s+[\"'](?P<spec>[^\"'$\n]+)"
    ),
    lazy_pattern(
        r"\bname\s*[:=]\s*[\"'](?P<name>[\w.-]+)[\"']\s*,\s*version\s*[:=]\s*[\"'](?P<spec>[^\"'$\n]+)"
    ),
    lazy_pattern(
        r"(?m)(?:^|[\s.])(?P<name>\w+(?:[vV]ersion|_VERSION)|[\w-]+\.version)\s*=\s*[\"']?"
        r"(?P<spec>[\d\[(+][\w.+\-\[\](), ]*|latest\.\w+)"
    ),
)


class Declared(NamedTuple):
    """A dependency as a manifest has it: ecosystem, name, and what it says of the version."""

    kind: str
    name: str
    spec: str


def declared_in(name: str, text: str) -> Iterator[Declared]:
    """The dependencies of a manifest of these kinds; nothing of any other file."""
    for ending, kind, pattern in _BY_PATTERN:
        if name.endswith(ending):
            for each in pattern.finditer(text):
                yield Declared(kind, each["name"], _bare(each["spec"] or ""))
    if name.endswith("libs.versions.toml"):
        yield from _of_catalog(load_toml(text, "TOML"))
    elif name == "pubspec.yaml":
        yield from _of_pub(text)
    elif name in ("environment.yml", "environment.yaml"):
        listed = text.partition("\ndependencies:")[2]
        for each in _CONDA.finditer(listed):
            yield Declared("conda", each["name"], _bare(each["spec"] or ""))
    elif name in ("setup.py", "setup.cfg"):
        yield from _of_setuptools(name, text)
    elif name == "vcpkg.json":
        yield from _of_vcpkg(load_loose_json(text))


_BY_PATTERN = (
    (".gemspec", "gem", _GEMSPEC), ("Podfile", "pod", _POD), ("conanfile.txt", "conan", _CONAN),
    ("conanfile.py", "conan", _CONAN),
    *((end, "gradle", each) for end in (".gradle", ".gradle.kts") for each in _GRADLE),
    ("gradle.properties", "gradle", _GRADLE[-1]),
)  # fmt: skip
NAMES = (
    ".gemspec", "Podfile", "conanfile.txt", "conanfile.py", "gradle.properties", "pubspec.yaml",
    "environment.yml", "environment.yaml", "setup.py", "setup.cfg", "vcpkg.json",
)  # fmt: skip


def _bare(spec: str) -> str:
    """A requirement without its quotes; of Conan a range without its brackets."""
    bare = spec.strip().rstrip(",").strip().strip("\"'").strip()
    return bare[1:-1].strip() if re.fullmatch(r"\[[*<>~^=].*\]", bare) else bare


def _of_catalog(top: Any) -> Iterator[Declared]:
    """https://docs.gradle.org/current/userguide/version_catalogs.html"""
    for name, version in (top.get("versions") or {}).items():
        yield Declared("gradle", name, _rich(version))
    for table, key in (("libraries", "module"), ("plugins", "id")):
        for value in (top.get(table) or {}).values():
            if isinstance(value, str):
                name, _colon, version = value.rpartition(":")
                yield Declared("gradle", name, version)
            elif "ref" not in (value.get("version") or "") or isinstance(value["version"], str):
                name = value.get(key) or f"{value.get('group')}:{value.get('name')}"
                # Without a version one of a platform is meant
                if "version" in value:
                    yield Declared("gradle", name, _rich(value["version"]))


def _rich(version: Any) -> str:
    """https://docs.gradle.org/current/userguide/dependency_versions.html#sec:rich-version-constraints"""
    if not isinstance(version, dict):
        return str(version)
    return str(next((version[key] for key in _RICH if key in version), ""))


_RICH = ("strictly", "require", "prefer")


def _of_pub(text: str) -> Iterator[Declared]:
    """https://dart.dev/tools/pub/dependencies"""
    for key, value in sorted(read_settings("pubspec.yaml", text)):
        table, _dot, rest = key.partition(".")
        name, _dot, more = rest.partition(".")
        if table not in ("dependencies", "dev_dependencies", "dependency_overrides") or not name:
            continue
        if more in ("", "version"):
            yield Declared("pub", name, "any" if value in ("", "null", "~") else value)
        elif more in ("git", "git.url"):
            yield Declared("pub", name, f"git={value}")
        elif more in ("path", "sdk"):
            yield Declared("pub", name, f"path={value}")


def _of_setuptools(name: str, text: str) -> Iterator[Declared]:
    if name == "setup.cfg":
        parts = [found[1] for found in _SECTION.finditer(text) if "require" in found[0][:30]]
        pattern = _LISTED
    else:
        parts = [_bracketed(text, found.end()) for found in _REQUIRES.finditer(text)]
        pattern = _QUOTED
    for part in parts:
        for each in pattern.finditer(part):
            yield Declared("pypi", each["name"], _bare(each["spec"] or ""))


def _bracketed(text: str, start: int) -> str:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "[{(") - (text[at] in "]})")
        if not depth:
            return text[start : at + 1]
    return ""


def _of_vcpkg(top: Any) -> Iterator[Declared]:
    """https://learn.microsoft.com/vcpkg/reference/vcpkg-json"""
    for each in (*(top.get("dependencies") or ()), *(top.get("overrides") or ())):
        if isinstance(each, dict):
            yield Declared("vcpkg", each["name"], str(each.get("version", "")))
        else:
            yield Declared("vcpkg", each, "")
