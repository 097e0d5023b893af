"""What the configuration says that rules weigh (`rules`)."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from msgspec.structs import replace

from ..model.finding import Finding, FindingState, Priority
from ..model.rule_weights import OFF, RuleWeight, stricter
from ..text.paths import matching_paths

_NOTE = "{rule} is {level} by `rules` of the configuration"


def apply_rule_weights(
    findings: Iterable[Finding], rules: Mapping[str, RuleWeight]
) -> tuple[Finding, ...]:
    """The findings with the priorities that the configuration gives their rules; one whose rule is
    off is waived. The last entry that fits counts, and no less than each that is `at_least`."""
    return tuple(_weighed(finding, rules) if finding.rule else finding for finding in findings)


def _weighed(finding: Finding, rules: Mapping[str, RuleWeight]) -> Finding:
    fitting = [(glob, rule) for glob, rule in rules.items() if _fits(finding, glob, rule)]
    if not fitting or finding.state is not FindingState.OPEN:
        return finding
    level: str = finding.priority.value
    named = ""
    for glob, rule in fitting:
        if not rule.at_least:
            level, named = rule.level, glob
    for glob, rule in fitting:
        if rule.at_least and stricter(level, rule.level) != level:
            level, named = rule.level, glob
    if not named or level == finding.priority.value:
        return finding
    note = _NOTE.format(rule=named, level=level)
    if level == OFF:
        return replace(finding, state=FindingState.WAIVED, note=note)
    return replace(finding, priority=Priority(level), note=finding.note or note)


def _fits(finding: Finding, glob: str, rule: RuleWeight) -> bool:
    return fnmatchcase(finding.rule, glob) and (
        not rule.paths or bool(matching_paths([finding.path], rule.paths))
    )
