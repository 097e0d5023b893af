"""What a run spends on language models, held to its budget by us: a question that would go beyond
is not asked."""

import threading
from dataclasses import dataclass, field, replace
from typing import Any

from ..model import values
from ..model.config import Budget
from ..model.review import NO_USAGE, Usage
from ..reporters._words import count_noun
from .prompt import estimate_tokens

_ANSWER = 4_000  # tokens that an answer may have where the options name no most
_NO_PRICE = (
    "its cost is unknown, so it could exceed the budget of ${:g} (ensemble.budget.cost_usd): "
    "set the price in the reviewer's options, or install the extra `prices`"
)


@values.dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of a question: tokens to send, US dollars (None: unknown), and how often
    it is sent."""

    tokens: int
    cost: float | None = 0.0
    calls: int = 1


@dataclass(slots=True)
class BudgetAccount:
    """One run's account; many threads write to it. Questions that are on their way count with their
    estimates."""

    budget: Budget
    spent: Usage = NO_USAGE
    _reserved: dict[int, CostEstimate] = field(default_factory=dict)
    _next: int = 0
    _settled: threading.Condition = field(default_factory=threading.Condition)

    def estimate(self, text: str, options: Any) -> CostEstimate:
        """What a question to a model with these options will take; its price is looked up only
        where dollars are held."""
        size, cost = estimate_tokens(text), getattr(options, "cost", None)
        if self.budget.cost_usd is None:
            return CostEstimate(size)
        answer = getattr(options, "max_output_tokens", None) or _ANSWER
        return CostEstimate(size, cost(Usage(1, size, output=answer)) if cost else None)

    def reserve(self, estimate: CostEstimate, seconds: float = 0) -> tuple[int, str]:
        """A ticket for a question, or why it is beyond the budget.

        Dollars are estimated high, so a question that only those under way leave no room for waits
        for them, at most so many seconds.
        """
        with self._settled:
            self._settled.wait_for(lambda: not self._must_wait(estimate), seconds)
            if reason := self._beyond(estimate):
                return 0, reason
            self._next += 1
            self._reserved[self._next] = estimate
            return self._next, ""

    def reserve_retry(self, ticket: int) -> bool:
        """Whether the question may be sent once more; that is a call as well, while nobody pays for
        one that was refused."""
        with self._settled:
            most, estimate = self.budget.calls, self._reserved[ticket]
            if most is not None and self._calls() >= most:
                return False
            self._reserved[ticket] = replace(estimate, calls=estimate.calls + 1)
            return True

    def record_usage(self, ticket: int, usage: Usage) -> None:
        """What the question really cost; one without figures counts as its estimate."""
        with self._settled:
            estimate = self._reserved.pop(ticket)
            count_noun = usage if usage.input else usage.plus(Usage(input=estimate.tokens))
            count_noun = (
                count_noun
                if count_noun.cost is not None
                else replace(count_noun, cost=estimate.cost)
            )
            self.spent = self.spent.plus(
                count_noun if count_noun.calls else count_noun.plus(Usage(calls=estimate.calls))
            )
            self._settled.notify_all()

    def release(self, ticket: int) -> None:
        """The question was none after all."""
        with self._settled:
            del self._reserved[ticket]
            self._settled.notify_all()

    def _beyond(self, estimate: CostEstimate) -> str:
        budget = self.budget
        sent = self.spent.input + sum(each.tokens for each in self._reserved.values())
        if budget.calls is not None and self._calls() >= budget.calls:
            return f"over the budget of {count_noun(budget.calls, 'call')} (ensemble.budget.calls)"
        if budget.input_tokens is not None and sent + estimate.tokens > budget.input_tokens:
            more = f"{sent:,} used, {estimate.tokens:,} more needed"
            return (
                f"over the budget of {budget.input_tokens:,} input tokens "
                f"(ensemble.budget.input_tokens): {more}"
            )
        return self._over_cost(estimate)

    def _calls(self) -> int:
        return self.spent.calls + sum(each.calls for each in self._reserved.values())

    def _over_cost(self, estimate: CostEstimate) -> str:
        most, spent = self.budget.cost_usd, self._dollars()
        if most is None:
            return ""
        if estimate.cost is None:
            return _NO_PRICE.format(most)
        if spent >= most or spent + self._reserved_cost() + estimate.cost > most:
            told = (
                (
                    f": ${spent:.4f} spent, ${self._reserved_cost():.4f} pending, "
                    f"${estimate.cost:.4f} more needed"
                )
                if estimate.cost
                else ""
            )
            return f"over the budget of ${most:g} (ensemble.budget.cost_usd){told}"
        return ""

    def _must_wait(self, estimate: CostEstimate) -> bool:
        """Only pending questions keep it from fitting the budget."""
        most, cost, spent = self.budget.cost_usd, estimate.cost, self._dollars()
        return bool(
            most is not None
            and cost
            and spent + cost <= most < spent + self._reserved_cost() + cost
        )

    def _dollars(self) -> float:
        return self.spent.cost or 0.0

    def _reserved_cost(self) -> float:
        return sum(each.cost or 0.0 for each in self._reserved.values())
