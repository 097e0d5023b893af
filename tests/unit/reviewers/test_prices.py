"""What a question cost, by given and by known prices."""

import importlib.util
import sys

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.review import NO_USAGE, Usage
from reviewgate_gh.reviewers import _prices
from tests.support import ROOT, run

USAGE = Usage(calls=1, input=1_000_000, cached=500_000, written=100_000, output=10_000)
OPENAI = "https://api.openai.com/v1"
needs_prices = pytest.mark.skipif(
    not importlib.util.find_spec("genai_prices"), reason="the extra [prices] is not installed"
)


def test_given_prices_are_for_a_million_tokens():
    assert _prices.cost_at_prices(USAGE, 2, 0.2, 2.5, 10) == pytest.approx(
        0.4 * 2 + 0.5 * 0.2 + 0.1 * 2.5 + 0.1
    )
    assert _prices.cost_at_prices(USAGE, 2, None, None, 10) == pytest.approx(2.1)
    assert (
        _prices.cost_at_prices(Usage(input=1, cached=5), 1, 0, 0, 0)
        == 0
        == _prices.cost_at_prices(NO_USAGE, 1, 1, 1, 1)
    )


@needs_prices
@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-4o", OPENAI),
        ("claude-sonnet-4-5", "https://api.anthropic.com"),
        ("gemini-2.5-pro", "https://generativelanguage.googleapis.com"),
        ("gpt-4o", "https://mine.openai.azure.com/openai/v1"),
    ],
)
def test_known_models_at_their_vendors_have_a_price_and_the_cache_makes_it_less(model, url):
    cost = _prices.known_cost(USAGE, model, url)
    assert (
        cost
        and 0 < cost < _prices.known_cost(replace(USAGE, cached=0, written=0), model, url) + 1e-9
    )


@needs_prices
def test_what_is_unknown_has_no_price():
    for model, url in (
        ("no-such-model", OPENAI),
        ("gpt-4o", "https://models.example/v1"),
        ("gpt-4o", "http://127.0.0.1:11434/v1"),
    ):
        assert _prices.known_cost(USAGE, model, url) is None
    assert _prices.known_cost(NO_USAGE, "gpt-4o", OPENAI) is None
    assert _prices.known_cost(Usage(input=5, cached=9), "gpt-4o", OPENAI) is None


def test_without_the_extra_there_is_no_price_and_no_error():
    script = (
        "import sys; sys.modules['genai_prices'] = None\n"
        "from reviewgate_gh.model.review import Usage\n"
    )
    script += (
        "from reviewgate_gh.reviewers._prices import known_cost\n"
        f"print(known_cost(Usage(1, 1000), 'gpt-4o', {OPENAI!r}))"
    )
    done = run([sys.executable, "-c", script], ROOT)
    assert done.stdout == "None\n", done.output
