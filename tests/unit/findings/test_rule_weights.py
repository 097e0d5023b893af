"""`rules` of the configuration: globs, paths, off, and a floor."""

import pytest

from reviewgate_gh.findings.rule_weights import apply_rule_weights
from reviewgate_gh.findings.waivers import former_waivers
from reviewgate_gh.model.config import Config
from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.model.rule_weights import RuleWeight
from reviewgate_gh.settings.floor import apply_floor


def weighed(rules, rule: str = "ruff/S602", path: str = "src/a.py") -> str:
    found = Finding(Priority.P1, "security", rule, path, 1, 1, "t")
    [after] = apply_rule_weights([found], Config(rules=rules).rule_weights)
    assert (after.state is FindingState.WAIVED) is ("off" in after.note)
    return "off" if after.state is FindingState.WAIVED else after.priority.value


@pytest.mark.parametrize(
    ("rules", "level"),
    [
        ({}, "P1"),
        ({"ruff/S6*": "P3"}, "P3"),
        ({"ruff/S602": "off"}, "off"),
        ({"ruff/S602": False}, "off"),  # as YAML reads `off`
        ({"ruff/S603": "off"}, "P1"),
        ({"*": "P3", "ruff/S602": "P0"}, "P0"),
        ({"ruff/S602": "P0", "*": "P3"}, "P3"),
        ({"*": RuleWeight(priority="off", paths=("tests/",))}, "P1"),
        ({"*": RuleWeight(priority="off", paths=("src/", "tests/"))}, "off"),
        ({"*": RuleWeight(priority="P2", at_least=True)}, "P1"),
        ({"ruff/*": RuleWeight(priority="P0", at_least=True), "*": "P3"}, "P0"),
    ],
)
def test_the_last_entry_that_fits_counts(rules, level: str) -> None:
    assert weighed(rules) == level


def test_what_has_no_rule_keeps_its_priority() -> None:
    assert weighed({"*": "P3"}, rule="") == "P1"


@pytest.mark.parametrize(
    ("mine", "floor", "level"),
    [
        ({"ruff/S602": "off"}, {"ruff/S602": "P1"}, "P1"),
        ({"*": "P3"}, {"ruff/S*": "P2"}, "P2"),
        ({"ruff/S602": "P0"}, {"ruff/S602": "P2"}, "P0"),
        ({"ruff/S602": "off"}, {"ruff/S5*": "P0"}, "off"),
        ({}, {"ruff/*": "off"}, "P1"),
    ],
)
def test_a_floor_is_not_undercut(mine, floor, level: str) -> None:
    raised, _keys = apply_floor(Config(rules=mine), Config(rules=floor), {"rules": floor})
    assert weighed(raised.rules) == level


def test_what_is_off_is_no_waiver_of_a_former_name() -> None:
    found = Finding(Priority.P1, "security", "ruff/S602", "a.py", 1, 1, "t")
    [off] = apply_rule_weights([found], {"*": RuleWeight(priority="off")})
    assert off.state is FindingState.WAIVED and former_waivers([off]) == ""
