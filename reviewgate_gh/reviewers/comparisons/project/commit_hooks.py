"""Hooks of pre-commit that look for secrets and the like, and that a project loses."""

from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import PIPELINES
from .._remark import WHOLE_FILE, ComparisonRule, taken
from .._sources import ComparedFile, ComparisonInput

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
    """A hook that scans is gone, and no other comes. https://pre-commit.com/#plugins"""
    before, after = ({*_HOOK.findall(text)} for text in (file.base, file.head))
    lost = sorted(name for name in before - after if _SCANS.search(name))
    name = next((name for name in lost if not _is_run(sources, name)), "")
    if name and after and not (after - before):
        line = next((line for line in file.removed if name in line.text), WHOLE_FILE)
        yield taken(_RULE, file, line, f"the hook {name} is removed")


def _is_run(sources: ComparisonInput, name: str) -> bool:
    """A pipeline of the head, or a line of the change, runs the tool."""
    places = sources.find_words({name})[name]
    return any(PIPELINES.search(place.path) for place in places) or any(
        name in line.text for each in sources.files for line in each.added
    )


_HOOK = lazy_pattern(r"(?m)^\s*-\s*id:\s*[\"']?([\w.-]+)")
_SCANS = lazy_pattern(
    r"gitleaks|detect-|secrets|trufflehog|ggshield|bandit|semgrep|safety|pip-audit|checkov|tfsec"
    r"|trivy|hadolint|zizmor"
)
