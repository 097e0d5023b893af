"""What a model's tokens cost, by the config's prices or those of the extra `prices`."""

from typing import Any

from msgspec.structs import replace

from ..model.limits import ConfigSection
from ..model.review import Usage


class Price(ConfigSection, frozen=True, kw_only=True):
    """US dollars for a million tokens; `cached` and `written` are tokens that the vendor's cache
    gave or took in."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None

    def __post_init__(self) -> None:
        if not all(
            each is None or 0 <= each < 1_000_000
            for each in (self.input, self.output, self.cached, self.written)
        ):
            raise ValueError("a price must be 0 or more")


def usage_cost(usage: Usage, price: Price | None, model: str, url: str) -> float | None:
    """US dollars, by the given price or the list price of this model (`url` "": whichever vendor
    has it); None where neither is known."""
    if price is not None:
        return cost_at_prices(usage, price.input, price.cached, price.written, price.output)
    return known_cost(usage, model, url) if model else None


def with_cost(usage: Usage, options: Any) -> Usage:
    """With the cost: what the config says counts before what the vendor says, and a list price
    where neither says any."""
    told = usage.cost is not None and options.price is None
    return usage if told else replace(usage, cost=options.cost(usage))


_MILLION = 1_000_000
_NEARBY = ("://127.", "://localhost", "://[::1]")


def cost_at_prices(
    usage: Usage, read: float, cached: float | None, written: float | None, output: float
) -> float:
    """US dollars at these prices for a million tokens; cached and written ones cost as much as all
    others where no price is named."""
    fresh = max(0, usage.input - usage.cached - usage.written)
    total = fresh * read + usage.output * output
    total += usage.cached * (read if cached is None else cached) + usage.written * (
        read if written is None else written
    )
    return total / _MILLION


def known_cost(usage: Usage, model: str, url: str) -> float | None:
    """US dollars by the price that is known for this model at the vendor with this address; None
    without one, or without the extra.

    `url` "" is the vendor that the model's name tells.
    """
    if not usage.input + usage.output or any(sign in url for sign in _NEARBY):
        return None
    try:
        import genai_prices
    except ImportError:
        return None
    tokens = genai_prices.Usage(
        input_tokens=usage.input,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.written,
        output_tokens=usage.output,
    )
    try:
        return float(
            genai_prices.calc_price(tokens, model, provider_api_url=url or None).total_price
        )
    except (LookupError, ValueError):
        return None
