"""What the turns of an agent cost: each of them is a question to its model, and held to the budget as every other."""

from dataclasses import dataclass, field
from typing import Any

from ..reviewers._anthropic import usage
from ..steps.prompt import tokens
from .spending import Spending


@dataclass(slots=True)
class Bill:
    """The account of a run, and the turn that is under way."""

    spending: Spending
    _ticket: int = 0
    _turn: Any = field(default=None)

    def begin(self, prompt: str) -> str:
        """Why the first turn is beyond the budget; "" when it may begin."""
        return self._admit(tokens(prompt))

    def hear(self, message: Any, goes_on: bool) -> str:
        """Count a message of the agent's; why the turn that it asks for (`goes_on`) is beyond the budget.

        A turn may come in several messages. The next one sends again all that this one has sent.
        """
        spent, turn = usage({"usage": getattr(message, "usage", None)}), getattr(message, "message_id", None) or object()
        if turn != self._turn:
            if not self._ticket and (why := self._admit(spent.input)):
                return why
            self.spending.settle(self._ticket, spent)
            self._turn, self._ticket = turn, 0
        return self._admit(spent.input) if goes_on and not self._ticket else ""

    def answered(self) -> None:
        """What tools have found was sent: a new turn, even where a server gives all of them one name."""
        self._turn = None

    def _admit(self, size: int) -> str:
        self._ticket, why = self.spending.admit(size)
        return why

    def limits(self) -> dict[str, Any]:
        """The same for the agent itself, which knows before us what a turn has cost."""
        budget = self.spending.budget
        told = {"max_turns": budget.calls, "max_budget_usd": budget.cost_usd}
        return {name: most for name, most in told.items() if most is not None}

    def fault(self, subtype: str) -> str:
        """What an end of the agent's says of the budget."""
        budget = self.spending.budget
        if subtype == "error_max_turns" and budget.calls is not None:
            return f"beyond the budget of {budget.calls:,} calls (ensemble.budget.calls)"
        if subtype == "error_max_budget_usd" and budget.cost_usd is not None:
            return f"beyond the budget of ${budget.cost_usd:g} (ensemble.budget.cost_usd)"
        return ""
