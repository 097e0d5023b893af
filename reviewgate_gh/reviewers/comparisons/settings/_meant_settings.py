"""Settings that read as looser and loosen nothing: another rule says the same, another plug-in is
meant, generated code and tests are left out."""

import re
from collections.abc import Iterable

from ....text.patterns import lazy_pattern
from .._settings import Setting
from .._sources import ComparedFile, ComparisonInput, Line, has_word
from ._guarding_settings import LINT, GuardingSetting

OFF = ("false", "off", "no", "0", "none")


def last_of(key: str) -> str:
    """The last word of a key."""
    return key.removesuffix("[]").rpartition(".")[2]


def is_other_rule(
    guard: GuardingSetting, named: str, before: set[Setting], after: set[Setting]
) -> bool:
    """A plug-in's rule of the same name is on instead.
    https://typescript-eslint.io/rules/?=extension"""
    rule = last_of(named.partition("\0")[0])
    return guard.rule is LINT and any(
        name.endswith(f"/{rule}") and value.lower() not in OFF for name, value in after - before
    )


def is_of_other_plugin(file: ComparedFile, named: str, value: str) -> bool:
    """Maven: it tells a plug-in to go on that checks nothing. ESLint: a rule of a plug-in that the
    change brings, so that it checked nothing before."""
    key, _nul, old = named.partition("\0")
    rule = last_of(key).rpartition("/")[2]
    line = line_of(file.added, rule, value)
    found = re.search(
        rf"[\"']@?([\w-]+)(?:/[\w-]+)*/{re.escape(rule)}[\"']", line.text if line else ""
    )
    if found and not old and found[1] not in file.base:
        brings = (row.text for row in file.added if f"{found[1]}/" not in row.text)
        return any(has_word(row, found[1]) for row in brings)
    if line is None or file.name != "pom.xml":
        return False
    above = reversed(file.head_rows[: line.number])
    plugin = next((row for row in above if "<artifactId>" in row or "<plugin>" in row), "")
    return "<artifactId>" in plugin and _CHECKING_PLUGIN.search(plugin) is None


_CHECKING_PLUGIN = lazy_pattern(
    r"checkstyle|pmd|spotbugs|findbugs|jacoco|dependency-check|enforcer|surefire|failsafe|compiler"
    r"|javadoc|errorprone|detekt|ktlint|spotless|sonar|cobertura|pitest|license|owasp"
    r"|animal-sniffer"
)


def is_moot(sources: ComparisonInput, named: str, value: str) -> bool:
    """It leaves out one message of a rule, or comes with the rules that it leaves out, or is about
    files that no rule is meant for."""
    files = named.partition("per-file-ignores")[2]
    return (
        (" " in value.strip() and "#" not in value)
        or (bool(files) and _MINOR.search(files) is not None)
        or _GENERATED.search(value) is not None
        or _comes_with_rules(sources, value)
    )


_GENERATED = lazy_pattern(
    r"(?i)(?:^|/)(?:gen|generated|vendor|third_party|mocks?|testdata|node_modules|dist|build)\b"
)
_MINOR = lazy_pattern(
    r"(?i)tests?\b|test_|conftest|docs?/|examples?|migrations?|__init__|noxfile|setup\.py"
    r"|\.pyi|\.ipynb|notebooks?"
)


def _comes_with_rules(sources: ComparisonInput, code: str) -> bool:
    """The change switches on the family of rules that the code belongs to, or a plugin."""
    family = re.match(r"[A-Z]+(?=\d)", code)
    added = (line.text for file in sources.files for line in file.added if code not in line.text)
    return family is not None and any(
        has_word(text, family[0]) or "flake8-" in text for text in added
    )


def line_of(lines: Iterable[Line], key: str, value: str) -> Line | None:
    named = [
        line
        for line in lines
        if value
        and has_word(line.text.lower(), value.lower())
        and not line.text.lstrip().startswith(("#", "//"))
    ]
    both = [line for line in named if key in line.text.lower()]
    return next(iter(both or named), None)
