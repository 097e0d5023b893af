"""Rules of several tools for one defect: what they say of one statement is one remark."""

from collections.abc import Mapping

from ..model.finding import Finding

# https://docs.astral.sh/ruff/rules/#flake8-bandit-s and
# https://bandit.readthedocs.io/en/latest/plugins/ number them alike
_NUMBERS = {
    "command-injection": (602, 604, 605, 609),
    "code-injection": (102, 307),
    "sql-injection": (608, 610, 611),
    "unsafe-deserialization": (301, 302, 403, 506),
    "cross-site-scripting": (308, 703, 704),
    "server-side-request-forgery": (310,),
    "weak-random": (311,),
    "xml-external-entities": (313, 314, 315, 316, 317, 318, 319, 320),
    "weak-hash": (303, 324),
}
_TRACED = "taint/"
_DEFECTS: Mapping[str, str] = (
    {
        f"{tool}{number}": defect
        for defect, numbers in _NUMBERS.items()
        for number in numbers
        for tool in ("ruff/S", "bandit/B")
    }
    | {"change/shell-turned-on": "command-injection"}
    | dict.fromkeys(
        ("builtin/workflow-rights", "zizmor/dangerous-triggers", "zizmor/excessive-permissions"),
        "workflow-rights",
    )
    | dict.fromkeys(
        ("builtin/code-owners", "builtin/hooks", "change/guard-removed"), "guard-removed"
    )
    | dict.fromkeys(("builtin/large-file", "change/binary-committed"), "committed-file")
    | dict.fromkeys(("builtin/container-rights", "change/security-setting-off"), "container-rights")
    | dict.fromkeys(("ruff/S110", "ruff/S112", "change/error-swallowed"), "swallowed-error")
    | dict.fromkeys(
        (
            "builtin/yaml-duplicate-key",
            "yamllint/key-duplicates",
            "ansible-lint/yaml[key-duplicates]",
        ),
        "yaml-duplicate-key",
    )
    # https://docs.astral.sh/ruff/rules/#pylint-pl
    | {"builtin/hidden-bidi": "hidden-bidi", "ruff/PLE2502": "hidden-bidi"}
    | {"builtin/hidden-zero-width": "hidden-zero-width", "ruff/PLE2515": "hidden-zero-width"}
    | dict.fromkeys(
        ("builtin/hidden-control", *(f"ruff/PLE25{number}" for number in (10, 12, 13, 14))),
        "hidden-control",
    )
)


def defect_of(rule: str) -> str:
    """The defect that a rule is about; "" where only its words can tell."""
    return rule.removeprefix(_TRACED) if is_traced(rule) else _DEFECTS.get(rule, "")


def is_traced(rule: str) -> bool:
    """The rule knows where the input comes from, and says so."""
    return rule.startswith(_TRACED)


def way_lines(finding: Finding) -> tuple[int, ...]:
    """The lines of the statements that the input goes through, the last one first."""
    lines = (place.rpartition(":")[2] for place in reversed(finding.places))
    return tuple(int(line) for line in lines if line.isdecimal())
