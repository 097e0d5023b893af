"""What a run spends on language models, held to its budget by us: a question that would go beyond is not asked."""

import threading
from dataclasses import dataclass, field

from ..model.config import Budget
from ..model.usage import NOTHING, Usage


@dataclass(slots=True)
class Spending:
    """One run's account; many threads write to it. Questions that are on their way count with their estimates."""

    budget: Budget
    spent: Usage = NOTHING
    _promised: dict[int, int] = field(default_factory=dict)
    _next: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admit(self, tokens: int) -> tuple[int, str]:
        """A ticket for a question of about so many tokens, or why it is beyond the budget."""
        with self._lock:
            reason = self._beyond(tokens)
            if reason:
                return 0, reason
            self._next += 1
            self._promised[self._next] = tokens
            return self._next, ""

    def settle(self, ticket: int, usage: Usage) -> None:
        """What the question really cost; one without figures counts as its estimate."""
        with self._lock:
            estimate = self._promised.pop(ticket)
            counted = usage if usage.input else usage.plus(Usage(input=estimate))
            self.spent = self.spent.plus(counted if counted.calls else counted.plus(Usage(calls=1)))

    def withdraw(self, ticket: int) -> None:
        """The question was none after all."""
        with self._lock:
            del self._promised[ticket]

    def _beyond(self, tokens: int) -> str:
        budget, calls = self.budget, self.spent.calls + len(self._promised)
        sent = self.spent.input + sum(self._promised.values())
        if budget.calls is not None and calls >= budget.calls:
            return f"beyond the budget of {budget.calls:,} calls (ensemble.budget.calls)"
        if budget.input_tokens is not None and sent + tokens > budget.input_tokens:
            return f"beyond the budget of {budget.input_tokens:,} input tokens (ensemble.budget.input_tokens): {sent:,} and {tokens:,} more"
        if budget.cost_usd is not None and (self.spent.cost or 0) >= budget.cost_usd:
            return f"beyond the budget of ${budget.cost_usd:g} (ensemble.budget.cost_usd)"
        return ""
