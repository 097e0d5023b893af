"""What a model's tokens cost by its options."""

from dataclasses import replace
from typing import Any

from ..model.config import STRICT
from ..model.usage import Usage
from ..model.values import dataclass
from ..system import prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens; `cached` and `written` are tokens that the vendor's cache gave or took in."""

    __pydantic_config__ = STRICT
    input: float
    output: float
    cached: float | None = None
    written: float | None = None

    def __post_init__(self) -> None:
        if not all(each is None or 0 <= each < 1_000_000 for each in (self.input, self.output, self.cached, self.written)):
            raise ValueError("a price must be 0 or more")


def cost(usage: Usage, price: Price | None, model: str, url: str) -> float | None:
    """US dollars, by the given price or the list price of this model (`url` "": whichever vendor has it); None where neither is known."""
    if price is not None:
        return prices.at(usage, price.input, price.cached, price.written, price.output)
    return prices.known(usage, model, url) if model else None


def priced(usage: Usage, options: Any) -> Usage:
    """With the cost: what the config says counts before what the vendor says, and a list price where neither says any."""
    told = usage.cost is not None and options.price is None
    return usage if told else replace(usage, cost=options.cost(usage))
