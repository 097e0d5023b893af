"""What a user says that a rule weighs."""

from typing import Literal

from .limits import ConfigSection

OFF = "off"
RuleLevel = Literal["P0", "P1", "P2", "P3", "off"]
_ORDER = ("P0", "P1", "P2", "P3", OFF)


class RuleWeight(ConfigSection, frozen=True, kw_only=True):
    """The priority of rules, or off, at these paths; everywhere where there are none.

    `at_least`: it raises what weighs less, and lowers nothing.
    """

    priority: RuleLevel | bool
    paths: tuple[str, ...] = ()
    at_least: bool = False

    def __post_init__(self) -> None:
        # YAML 1.1 reads `off` as false: https://yaml.org/type/bool.html
        if self.priority is True:
            raise ValueError("rules: a rule is P0, P1, P2, P3 or off")

    @property
    def level(self) -> str:
        """The priority, or `off`."""
        return OFF if isinstance(self.priority, bool) else self.priority


def stricter(one: str, other: str) -> str:
    """The level of the two that weighs more."""
    return min(one, other, key=_ORDER.index)
