"""The account of a run, with dollars that are held before they are spent."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

from reviewgate_gh.ensemble.budget import BudgetAccount, CostEstimate
from reviewgate_gh.model.config import Budget
from reviewgate_gh.model.review import Usage


def held(dollars: float) -> BudgetAccount:
    return BudgetAccount(Budget(calls=None, input_tokens=None, cost_usd=dollars))


def test_a_question_waits_for_what_is_under_way_and_leaves_when_that_was_cheaper():
    account, left = held(1.0), threading.Event()
    first, _ = account.reserve(CostEstimate(10, 0.9))

    def second() -> tuple[int, str]:
        found = account.reserve(CostEstimate(10, 0.5), 60)
        left.set()
        return found

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(second)
        assert not left.wait(0.2)
        account.record_usage(first, Usage(1, 10, output=1, cost=0.4))
        ticket, refused = asked.result()
    assert ticket and not refused
    account.record_usage(ticket, Usage(1, 10, cost=0.3))
    assert account.spent.cost == 0.7
    assert (
        "$0.7000 spent, $0.0000 pending, $0.3100 more needed"
        in account.reserve(CostEstimate(10, 0.31), 60)[1]
    )


def test_a_question_that_is_too_dear_by_itself_does_not_wait():
    account = held(1.0)
    account.reserve(CostEstimate(10, 0.9))
    assert "$1.0100 more" in account.reserve(CostEstimate(10, 1.01), 3600)[1]


def test_who_has_waited_long_enough_is_refused():
    account = held(1.0)
    account.reserve(CostEstimate(10, 0.9))
    assert "$0.9000 pending" in account.reserve(CostEstimate(10, 0.2), 0.01)[1]


def test_a_question_whose_cost_nobody_says_counts_as_estimated():
    account = held(1.0)
    account.record_usage(account.reserve(CostEstimate(10, 0.6))[0], Usage(1, 10))
    assert account.spent.cost == 0.6 and account.reserve(CostEstimate(10, 0.6))[1]


def test_without_a_price_nobody_is_asked_where_dollars_are_held():
    class Silent:
        def cost(self, usage: Usage) -> None:
            return None

    for options in (Silent(), object()):
        assert (
            "its cost is unknown" in held(1.0).reserve(held(1.0).estimate("question", options))[1]
        )
        free = BudgetAccount(Budget())
        assert free.reserve(free.estimate("question", options)) == (1, "")


def test_what_is_estimated_is_the_question_and_the_longest_answer():
    class Known:
        max_output_tokens: int | None = None

        def cost(self, usage: Usage) -> float:
            return usage.input + usage.output / 1000

    options = Known()
    assert held(1.0).estimate("x" * 40, options) == CostEstimate(10, 14.0)
    options.max_output_tokens = 1000
    assert held(1.0).estimate("x" * 40, options) == CostEstimate(10, 11.0)


def test_many_at_once_never_spend_more_and_nobody_waits_for_ever():
    for seed in range(20):
        account, dice = held(1.0), random.Random(seed)
        prices = [dice.choice([0.05, 0.2, 0.6, 1.2]) for _ in range(40)]

        def ask(price: float, account: BudgetAccount = account) -> float:
            ticket, _ = account.reserve(CostEstimate(1, price), 60)
            if not ticket:
                return 0.0
            account.record_usage(ticket, Usage(1, 1, cost=price / 2))
            return price / 2

        with ThreadPoolExecutor(8) as pool:
            spent = sum(pool.map(ask, prices))
        assert 0 < spent <= 1.0 and abs(spent - (account.spent.cost or 0)) < 1e-9, seed
