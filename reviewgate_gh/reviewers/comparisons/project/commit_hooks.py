"""Hooks of pre-commit that a project loses."""

import re
from collections.abc import Collection, Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import PIPELINES
from .._remark import WHOLE_FILE, ComparisonRule, hint, taken
from .._sources import ComparedFile, ComparisonInput, has_word

EVERY_FILE = True
_RULE = ComparisonRule(
    "guard-removed",
    Priority.P2,
    "Nothing else in the tree does its work. Restore it, or say what takes its place.",
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        edited = file.removed and not (file.is_new or file.is_gone)
        if edited and file.name == ".pre-commit-config.yaml":
            yield from _hooks(sources, file)


def _hooks(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A hook of pre-commit is gone, and no other comes. https://pre-commit.com/#plugins"""
    before, after = ({*_HOOK.findall(text)} for text in (file.base, file.head))
    lost = sorted(before - after, key=lambda name: not _SCANS.search(name))
    named = [name for name in lost if not _is_run(sources, name)]
    if named and not (after - before) and after and not _select_more(sources, after):
        name = named[0]
        line = next((line for line in file.removed if name in line.text), WHOLE_FILE)
        rule = _RULE if _SCANS.search(name) else hint(_RULE)
        yield taken(rule, file, line, f"the hook {name} is removed")


def _is_run(sources: ComparisonInput, name: str) -> bool:
    """A pipeline of the head, or a line of the change, runs the tool."""
    places = sources.find_words({name})[name]
    return any(PIPELINES.search(place.path) for place in places) or any(
        name in line.text for each in sources.files for line in each.added
    )


def _select_more(sources: ComparisonInput, hooks: Collection[str]) -> bool:
    """The change names rules in the settings of a checker whose hook stays."""
    tools = {re.split(r"[-_]", hook)[0] for hook in hooks}
    return any(
        any(has_word(f"{each.name} {_table(each.head_rows, line.number)}", tool) for tool in tools)
        for each in sources.files
        for line in each.added
        if _SELECTS.match(line.text)
    )


def _table(rows: Sequence[str], number: int) -> str:
    return next((row for row in reversed(rows[:number]) if row.startswith("[")), "")


# https://docs.astral.sh/ruff/settings/#lint_select, https://biomejs.dev/reference/configuration/
_SELECTS = lazy_pattern(
    r"\s*[\"']?(?:(?:extend-)?select|enable|rules|plugins|extends)\b[\"']?\s*[:=]"
)
_HOOK = lazy_pattern(r"(?m)^\s*-\s*id:\s*[\"']?([\w.-]+)")
_SCANS = lazy_pattern(
    r"gitleaks|detect-|secrets|trufflehog|ggshield|bandit|semgrep|safety|pip-audit|checkov|tfsec"
    r"|trivy|hadolint|zizmor"
)
