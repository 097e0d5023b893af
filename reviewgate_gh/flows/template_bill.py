"""What the turns of an agent cost: each of them is a question to its model, and held to the budget as every other."""

import dataclasses
from typing import Any

from ..reporters._words import counted
from ..reviewers._anthropic import usage
from ..steps.prompt import tokens
from .spending import Estimate, Spending


@dataclasses.dataclass(slots=True)
class Bill:
    """The account of a run, and the turn that is under way.

    `_size`: the tokens of the last turn that are known. `_answered`: tools have answered since its last message.
    `_doubtful`: what may be turns, of a server that gives all of them one name; None once a second name was heard.
    """

    spending: Spending
    _ticket: int = 0
    _turn: Any = None
    _size: int = 0
    _answered: bool = False
    _doubtful: list[int] | None = dataclasses.field(default_factory=list)

    def begin(self, prompt: str) -> str:
        """Why the first turn is beyond the budget; "" when it may begin."""
        self._size = tokens(prompt)
        return self._admit()

    def hear(self, message: Any, goes_on: bool) -> str:
        """Count a message of the agent's; why the turn that it asks for (`goes_on`) is beyond the budget.

        A turn may come in several messages, with answers of tools between them. The next one sends again all that this one has sent.
        """
        spent, turn = usage({"usage": getattr(message, "usage", None)}), getattr(message, "message_id", None) or object()
        other, grown = turn != self._turn, spent.input > self._size
        self._size = spent.input or self._size
        if other and self._turn is not None:
            self._tell_apart()
        sure = other or (self._answered and grown)
        perhaps = self._doubtful if self._answered and not sure else None
        if sure or perhaps is not None:
            if not self._ticket and (why := self._admit()):
                return why
            if perhaps is None:
                self.spending.settle(self._ticket, spent)
            else:
                perhaps.append(self._ticket)
            self._ticket = 0
        self._turn, self._answered = turn, False
        return self._admit() if goes_on and not self._ticket else ""

    def answered(self) -> None:
        """Tools' answers came: a new turn may begin, even under the same name, or the same one may go on."""
        self._answered = True

    def _tell_apart(self) -> None:
        """Turns have names of their own here, so what came under one name was one."""
        for ticket in self._doubtful or ():
            self.spending.withdraw(ticket)
        self._doubtful = None

    def _admit(self) -> str:
        self._ticket, why = self.spending.admit(Estimate(self._size))  # the limit in dollars is passed to the agent
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
            return f"over the budget of {counted(budget.calls, 'call')} (ensemble.budget.calls)"
        if subtype == "error_max_budget_usd" and budget.cost_usd is not None:
            return f"over the budget of ${budget.cost_usd:g} (ensemble.budget.cost_usd)"
        return ""
