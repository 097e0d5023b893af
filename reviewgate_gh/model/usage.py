"""What a question to a language model cost, and to whom it went."""

from .values import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost. `input` holds all tokens that were sent; `cached` and `written` are those of them that a prompt
    cache gave or took in. `cost` is in US dollars where the vendor says it or a price is known."""

    calls: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    cost: float | None = None

    def plus(self, other: "Usage") -> "Usage":
        """Both together; the costs that are known are added."""
        cost = None if self.cost is None and other.cost is None else (self.cost or 0) + (other.cost or 0)
        written, output = self.written + other.written, self.output + other.output
        return Usage(self.calls + other.calls, self.input + other.input, self.cached + other.cached, written, output, cost)


NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Asked:
    """Which model answered: names from the config, 12 hex digits of the question, and its cost.

    `kept`: an earlier answer served again. `instead` names the reviewer in whose place it was asked, and why.
    """

    model: str = ""
    endpoint: str = ""
    prompt: str = ""
    usage: Usage = NOTHING
    kept: bool = False
    instead: str = ""
