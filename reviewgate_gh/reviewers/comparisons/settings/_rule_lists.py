"""Linters that lists tell what to report: whether they report a rule at all."""

import re
from collections.abc import Collection, Iterable

from ....text.patterns import lazy_pattern
from .._settings import Setting
from ._meant_settings import last_of

# In `tool.ruff.lint.select[]`, `flake8.ignore`, `messages control.disable[]`
_LIST = lazy_pattern(
    r"(?:^|[.\]])(?:(?P<on>(?:extend-)?select|enable)|(?:extend-)?ignore|disable)(?:\[\])?$"
)
_FOR_FILES = "per-file-ignores"
_OF_GOLANGCI = lazy_pattern(r".*\.(?:enable|disable)\[\]")
_OF_GOSEC = lazy_pattern(r"\bgosec\.(?:includes|excludes)\[\]$")
# https://golangci-lint.run/docs/linters/
_STANDARD = frozenset(
    ("errcheck", "gosimple", "govet", "ineffassign", "staticcheck", "typecheck", "unused")
)
_PARTS = lazy_pattern(r"[,\s]+")


def is_reported(name: str, settings: set[Setting], key: str, rule: str) -> bool | None:
    """With these settings of a file, the tool that has the list of this key reports the rule; None
    where its lists do not say."""
    if name.startswith(".golangci"):
        if _OF_GOSEC.search(key):
            return _is_of_gosec(settings, key, rule)
        return _is_run(settings, key, rule) if _OF_GOLANGCI.fullmatch(key) else None
    if not (_LIST.search(key) or _FOR_FILES in key):
        return None
    root = _tool_of(name, key)
    own = [each for each in settings if each.key.startswith(root)]
    on, off = _entries(own, True), _entries(own, False)
    # A list for some files leaves out what it names however narrowly that was selected
    within = [each for each in on if _FOR_FILES in key and _covers(rule, each)]
    for each in (rule, *within):
        picked, left_out = _narrowest(on, each), _narrowest(off, each)
        if picked > left_out:
            return True
    selects = any(last_of(each.key) == "select" for each in own)
    if selects or left_out >= 0:
        return False
    return _by_default(f"{name}{root}", on, rule)


def _by_default(tool: str, on: Collection[str], rule: str) -> bool | None:
    """Whether the tool reports a rule that none of its lists has."""
    # https://docs.astral.sh/ruff/settings/#lint_select
    if on and "ruff" in tool and not (_covers("E", rule) or _covers("F", rule)):
        return False
    # Unless they are told otherwise, these report whatever they know, by plug-ins as well
    return True if "pylint" in tool or "flake8" in tool else None


def _entries(own: Iterable[Setting], on: bool) -> list[str]:
    """What the lists of the tool name that switch rules on, or those that switch them off."""
    lists = [(found, each.value) for each in own if (found := _LIST.search(each.key))]
    texts = (value for found, value in lists if bool(found["on"]) == on)
    return [part for text in texts for part in _PARTS.split(text)]


def _tool_of(name: str, key: str) -> str:
    """What the keys of its settings begin with; nothing in a file of its own."""
    words = key.split(".")
    if name.lstrip(".") in ("pylintrc", "ruff.toml"):
        return ""
    return ".".join([*words[: 2 if words[0] == "tool" else 1], ""])


def _narrowest(entries: Iterable[str], rule: str) -> int:
    """How narrow the narrowest entry is that the rule belongs to; -1 where it belongs to none. The
    narrower one holds: https://docs.astral.sh/ruff/settings/#lint_ignore"""
    covering = (each for each in entries if _covers(each, rule))
    return max((0 if each.lower() == "all" else len(each) for each in covering), default=-1)


def _covers(entry: str, rule: str) -> bool:
    """`D` is all of `D204`, and no other letters: `DTZ001`."""
    if entry.lower() == "all" or entry == rule:
        return True
    rest = rule.removeprefix(entry)
    return (
        bool(entry)
        and rest != rule
        and (entry == "PL" or re.search(r"\d$", entry) is not None or rest[0].isdigit())
    )


def _is_of_gosec(settings: set[Setting], key: str, rule: str) -> bool:
    """What it includes is all that it reports; else what it does not exclude.
    https://golangci-lint.run/docs/linters/configuration/#gosec"""
    table = key.rpartition(".")[0]
    includes, excludes = (
        {each.value for each in settings if each.key == f"{table}.{word}[]"}
        for word in ("includes", "excludes")
    )
    return rule not in excludes and (not includes or rule in includes)


def _is_run(settings: set[Setting], key: str, linter: str) -> bool | None:
    """golangci-lint, and those of its linters that have lists of their own:
    https://golangci-lint.run/docs/configuration/file/"""
    table = key.rpartition(".")[0]
    own = {(each.key.removeprefix(f"{table}."), each.value) for each in settings}
    for word, runs in (("enable", True), ("disable", False)):
        if (f"{word}[]", linter) in own:
            return runs
    if any(name == "presets[]" for name, _value in own):
        return None
    if own & {("default", "all"), ("enable-all", "true")}:
        return True
    if own & {("default", "none"), ("disable-all", "true")}:
        return False
    return linter in _STANDARD if table == "linters" else None
