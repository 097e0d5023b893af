"""Whether a locked version is one that a requirement takes, as each ecosystem writes these."""

import re

from ....text.patterns import lazy_pattern
from .._manifests import Dependency

Version = tuple[int, ...]
_EITHER = lazy_pattern(r"\s+or\s+|\s*\|\|?\s*")
_BOUND = lazy_pattern(
    r"[\s\"',\[(]*(?:and\s+)?(?P<sign>>=|<=|==?=?|!=|~>|~=|[\^~<>])?\s*v?"
    r"(?P<number>\d+(?:\.\d+)*)[\w.+-]*"
)
# A bare number is the least version to these, and others may raise it:
# https://go.dev/ref/mod#minimal-version-selection,
# https://learn.microsoft.com/nuget/concepts/package-versioning,
# https://docs.gradle.org/current/userguide/graph_resolution.html
_LEAST = ("go", "nuget", "gradle")


def numbers(text: str) -> Version:
    """The first version in a text."""
    found = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found[0].split(".")[:4])) if found and len(found[0]) < 40 else ()


def takes(each: Dependency, locked: Version) -> bool:
    """The requirement, or one of those that it joins by `or`, takes the version."""
    if each.kind == "swift" and (between := _BETWEEN.match(each.spec)):
        lower, upper = numbers(between["from"]), numbers(between["to"])
        return lower <= locked and (locked < upper or (between["sign"] == "." and locked == upper))
    return any(_takes(each.kind, part, locked) for part in _EITHER.split(each.spec))


# https://docs.swift.org/package-manager/PackageDescription/PackageDescription.html#package-dependency
_BETWEEN = lazy_pattern(r"\s*\"?(?P<from>[\d.]+)[^\"]*\"\s*\.\.(?P<sign>[.<])\s*\"(?P<to>[\d.]+)")


def _takes(kind: str, spec: str, locked: Version) -> bool:
    at, bounds = 0, list[tuple[str, Version]]()
    while found := _BOUND.match(spec, at):
        at = found.end()
        bounds.append((found["sign"] or _sign(kind, spec), numbers(found["number"])))
    if not bounds:
        wanted = numbers(spec)
        return locked >= wanted and locked[:1] == wanted[:1]
    return all(_holds(sign, wanted, locked) for sign, wanted in bounds)


def _sign(kind: str, spec: str) -> str:
    """What a bare number means."""
    if kind in _LEAST:
        return "==" if spec.lstrip().startswith("[") and "," not in spec else ">="
    return "^" if kind == "cargo" else "=="


def _holds(sign: str, wanted: Version, locked: Version) -> bool:
    if sign in ("==", "=", "==="):
        return (locked + (0,) * len(wanted))[: len(wanted)] == wanted
    if sign == "!=":
        return locked != wanted
    if sign in ("<", "<="):
        return locked < wanted or (sign == "<=" and locked == wanted)
    if sign in ("~>", "~="):
        return locked >= wanted and locked[: len(wanted) - 1] == wanted[:-1]
    if sign == "^":
        fixed = next((at for at, number in enumerate(wanted) if number), len(wanted) - 1) + 1
        return locked >= wanted and locked[:fixed] == wanted[:fixed]
    return locked >= wanted and (sign != "~" or locked[:1] == wanted[:1])
