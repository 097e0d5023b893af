"""Checks that still run, and are told to let more pass: a level of severity from which they fail, a
number, and options by which a release or an installation is verified."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import is_explained
from .._pipelines import COMMENT, PIPELINES
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, squeeze

EVERY_FILE = True
_RULE = ComparisonRule(
    "ci-check-loosened",
    Priority.P2,
    "It may now pass what it rejected before, here and in later changes. Restore the option, or "
    "say why it was too strict.",
)
_FILES = lazy_pattern(
    r"(?:Docker|Container)file[^/]*$|(?:^|/)(?:Makefile|package\.json|composer\.json|tox\.ini"
    r"|justfile|noxfile\.py)$|\.(?:mk|sh)$"
)
# From which level on it fails, as the tools name levels, each after those that it includes
_LEVEL = lazy_pattern(
    r"(?P<key>--(?:min(?:imum)?-)?severity(?:-threshold)?|--fail-?(?:on|level)(?:-severity)?"
    r"|--audit-level|--failure-threshold|--exit|--level)[= ](?P<value>[A-Za-z]+(?:,[A-Za-z]+)*)\b"
)
_LEVELS = (
    ("style", "info", "note", "refactor", "unknown"),
    ("convention", "low"),
    ("warning", "moderate", "medium"),
    ("error", "high"),
    ("fatal", "critical"),
    ("none", "never"),
)
_RANKS = {word: rank for rank, words in enumerate(_LEVELS) for word in words}
# From which number on it fails, and what it exits with then
_NUMBER = lazy_pattern(
    r"(?P<key>failBuildOnCVSS|--fail-on-cvss|--exit-code)[= ](?P<value>\d+(?:\.\d+)?)\b"
)
# https://github.com/npm/provenance, https://hexdocs.pm/mix/Mix.Tasks.Deps.Get.html
_VERIFIES = lazy_pattern(
    r"\s--(?:provenance|attest\w*|sign|verify-tag|verify-signatures?)\b(?!=false)"
)


# https://vitest.dev/config/#coverage-thresholds
_MEASURES = lazy_pattern(r"\s--(?:coverage|enforce-coverage|cov)\b(?:=\S+)?")
_FLOORS = ("thresholds", "coverageThreshold", "fail_under", "minimum_coverage")
_COVERAGE = replace(
    _RULE,
    name="coverage-lowered",
    advice=(
        "The floor in the settings is no longer enforced. Measure coverage again, or say what does."
    ),
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.removed:
            continue
        if PIPELINES.search(file.path) or _FILES.search(file.path):
            yield from islice(chain(_in_file(file), _unmeasured(sources, file)), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for old in block.removed:
            was = COMMENT.sub("", old.text)
            for new in block.added:
                title = _loosened(was, COMMENT.sub("", new.text))
                if title and not ("--provenance" in was and _attests_anyway(file.head)):
                    rule = hint(_RULE) if is_explained(file, new) else _RULE
                    yield put(rule, file, new, title, quoted(old.text))


def _attests_anyway(head: str) -> bool:
    """npm does it by itself where the pipeline needs no token to publish."""
    return _NO_TOKEN.search(head) is not None and not _TOKEN.search(head)


# The manual of npm: "Trusted publishing for npm packages"
_NO_TOKEN = lazy_pattern(r"\bid-token:\s*[\"']?write\b")
_TOKEN = lazy_pattern(r"\bN(?:ODE_AUTH|PM)_TOKEN|_authToken\b")


def _unmeasured(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The same run of tests, without measuring what they reach."""
    for block in file.blocks:
        for old in block.removed:
            lost = _MEASURES.search(old.text)
            bare = squeeze(_MEASURES.sub("", old.text)) if lost else ""
            for new in block.added if lost else ():
                if squeeze(new.text) != bare or _MEASURES.search("\n".join(sources.added_rows)):
                    continue
                if any(sources.find_words(_FLOORS).values()):
                    rule = hint(_COVERAGE) if is_explained(file, new) else _COVERAGE
                    yield put(rule, file, new, "coverage is no longer measured", quoted(old.text))


def _loosened(was: str, now: str) -> str:
    """What the same command lets pass now; "" where it is another one, or as strict."""
    for option, is_looser in ((_LEVEL, _is_higher), (_NUMBER, _is_off)):
        before, after = option.search(was), option.search(now)
        if (
            before
            and after
            and before["key"] == after["key"]
            and is_looser(before["value"], after["value"])
            and _others(was, option) == _others(now, option)
        ):
            return f"this check fails for less: {quoted(after[0])}"
    lost = _VERIFIES.search(was)
    if lost and not _VERIFIES.search(now) and _others(was, _VERIFIES) == squeeze(now):
        return f"what {quoted(lost[0])} verified is no longer verified"
    return ""


def _others(text: str, option: re.Pattern[str]) -> str:
    return squeeze(option.sub("", text))


def _is_higher(was: str, now: str) -> bool:
    """Fewer levels count, or only higher ones."""
    before, after = (
        [_RANKS.get(word, -1) for word in each.lower().split(",")] for each in (was, now)
    )
    return -1 not in (*before, *after) and min(after) > min(before)


def _is_off(was: str, now: str) -> bool:
    """A status of 0 is no failure; a score that is out of reach fails nothing."""
    before, after = float(was), float(now)
    return (before == 1 and after == 0) or (before > 1 and after > before)
