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


def test_several_runs_share_one_account_beside_their_own():
    limit = Budget(calls=None, input_tokens=None, cost_usd=1.0)
    shared = BudgetAccount(limit, named="--budget")
    runs = [BudgetAccount(Budget(calls=1), shared=shared) for _ in range(2)]
    first, _ = runs[0].reserve(CostEstimate(10, 0.7))
    assert runs[1].reserve(CostEstimate(10, 0.4))[1].startswith("over the budget of $1 (--budget)")
    assert round(runs[1].limits().cost_usd, 9) == 0.3
    assert round(runs[0].limits(first).cost_usd, 9) == 1.0
    runs[0].record_usage(first, Usage(1, 10, cost=0.5))
    second, refused = runs[1].reserve(CostEstimate(10, 0.4))
    assert not refused and shared.left is not None and round(shared.left, 9) == 0.1
    runs[1].release(second)
    # What its own limits refuse takes nothing from the others
    runs[1].reserve(CostEstimate(10, 0.1))
    assert "over the budget of 1 call " in runs[1].reserve(CostEstimate(10, 0.1))[1]
    assert round(shared.left, 9) == 0.4
    assert runs[0].spent.cost == shared.spent.cost == 0.5


def test_no_run_of_many_threads_goes_beyond_the_shared_account():
    shared = held(10.0)

    def ask(number: int) -> int:
        account, asked = BudgetAccount(Budget(calls=None), shared=shared), 0
        for _ in range(20):
            ticket, refused = account.reserve(CostEstimate(10, 0.5))
            asked += not refused
            if ticket:
                account.record_usage(ticket, Usage(1, 10, cost=0.5))
        return asked

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(ask, range(4))) == 20
    assert shared.spent.cost == 10.0 and shared.left == 0.0


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
