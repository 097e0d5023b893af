"""What questions to language models cost, by prices of the config or by those of the extra `[prices]`."""

from ..model.usage import Usage

_MILLION = 1_000_000
_NEARBY = ("://127.", "://localhost", "://[::1]")


def at(usage: Usage, read: float, cached: float | None, written: float | None, output: float) -> float:
    """US dollars at these prices for a million tokens; cached and written ones cost as much as all others where no price is named."""
    fresh = max(0, usage.input - usage.cached - usage.written)
    total = fresh * read + usage.output * output
    total += usage.cached * (read if cached is None else cached) + usage.written * (read if written is None else written)
    return total / _MILLION


def known(usage: Usage, model: str, url: str) -> float | None:
    """US dollars by the price that is known for this model at the vendor with this address; None without one, or without the extra.

    `url` "" is the vendor that the model's name tells.
    """
    if not usage.input + usage.output or any(sign in url for sign in _NEARBY):
        return None
    try:
        import genai_prices
    except ImportError:
        return None
    tokens = genai_prices.Usage(
        input_tokens=usage.input, cache_read_tokens=usage.cached, cache_write_tokens=usage.written, output_tokens=usage.output
    )
    try:
        return float(genai_prices.calc_price(tokens, model, provider_api_url=url or None).total_price)
    except (LookupError, ValueError):
        return None
