"""What a run spends on language models, held to its budget by us: a question that would go beyond
is not asked."""

import threading
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..model.config import Budget
from ..model.review import NO_USAGE, Usage
from ..reporters._words import count_noun
from .prompt import estimate_tokens

_ANSWER = 4_000  # tokens that an answer may have where the options name no most
_NO_PRICE = (
    "its cost is unknown, so it could exceed the budget of ${:g} ({}): set the "
    "price in the reviewer's options, or install the extra `prices`"
)


class CostEstimate(Struct, frozen=True):
    """The estimated cost of a question: tokens to send, US dollars (None: unknown), and how often
    it is sent."""

    tokens: int
    cost: float | None = 0.0
    calls: int = 1


def share_of_budget(budget: Budget, share: float) -> Budget:
    """What one of several machines may spend of it, rounded down, but one call and one token."""
    calls, tokens, dollars = budget.calls, budget.input_tokens, budget.cost_usd
    return Budget(
        calls=None if calls is None else max(1, int(calls * share)),
        input_tokens=None if tokens is None else max(1, int(tokens * share)),
        cost_usd=None if dollars is None else dollars * share,
    )


@dataclass(slots=True)
class BudgetAccount:
    """One run's account; many threads write to it. Questions that are on their way count with their
    estimates.

    `shared` is the account of several runs, which all of this one's questions must fit as well;
    `named` is where the user has set the dollars.
    """

    budget: Budget
    spent: Usage = NO_USAGE
    shared: "BudgetAccount | None" = None
    named: str = "ensemble.budget.cost_usd"
    _reserved: dict[int, CostEstimate] = field(default_factory=dict)
    _also: dict[int, int] = field(default_factory=dict)  # tickets of the shared account
    _next: int = 0
    _settled: threading.Condition = field(default_factory=threading.Condition)

    def estimate(self, text: str, options: Any) -> CostEstimate:
        """What a question to a model with these options will take; its price is looked up only
        where dollars are held."""
        size, cost = estimate_tokens(text), getattr(options, "cost", None)
        if self.limits().cost_usd is None:
            return CostEstimate(size)
        answer = getattr(options, "max_output_tokens", None) or _ANSWER
        return CostEstimate(size, cost(Usage(1, size, output=answer)) if cost else None)

    def reserve(self, estimate: CostEstimate, seconds: float = 0) -> tuple[int, str]:
        """A ticket for a question, or why it is beyond the budget.

        Dollars are estimated high, so a question that only those under way leave no room for waits
        for them, at most so many seconds.
        """
        ticket, reason = self._reserve(estimate, seconds)
        if reason or self.shared is None:
            return ticket, reason
        also, reason = self.shared.reserve(estimate, seconds)
        if reason:
            self.release(ticket)
            return 0, reason
        self._also[ticket] = also
        return ticket, ""

    def _reserve(self, estimate: CostEstimate, seconds: float) -> tuple[int, str]:
        with self._settled:
            self._settled.wait_for(lambda: not self._must_wait(estimate), seconds)
            if reason := self._beyond(estimate):
                return 0, reason
            self._next += 1
            self._reserved[self._next] = estimate
            return self._next, ""

    def limits(self, ticket: int = 0) -> Budget:
        """The budget of a question, its dollars no more than the shared account has left, what that
        holds for this ticket included."""
        most = self.shared.left if self.shared else None
        if most is None:
            return self.budget
        held = self._reserved.get(ticket)
        most += (held.cost or 0.0) if held else 0.0
        own = self.budget.cost_usd
        return replace(self.budget, cost_usd=most if own is None else min(own, most))

    @property
    def left(self) -> float | None:
        """Dollars that are neither spent nor reserved; None where these are not limited."""
        most = self.budget.cost_usd
        if most is None:
            return None
        with self._settled:
            return max(0.0, most - self._dollars() - self._reserved_cost())

    def reserve_retry(self, ticket: int) -> bool:
        """Whether the question may be sent once more; that is a call as well, while nobody pays for
        one that was refused."""
        with self._settled:
            most, estimate = self.budget.calls, self._reserved[ticket]
            if most is not None and self._calls() >= most:
                return False
            self._reserved[ticket] = replace(estimate, calls=estimate.calls + 1)
            return True

    def reserve_more(self, ticket: int, estimate: CostEstimate) -> str:
        """Add to what is reserved for a question that takes more than its estimate; why that is
        beyond the budget."""
        shared = self.shared
        if shared and (why := shared.reserve_more(self._also[ticket], estimate)):
            return why
        with self._settled:
            if why := self._beyond(estimate):
                return why
            held = self._reserved[ticket]
            cost = None if held.cost is None or estimate.cost is None else held.cost + estimate.cost
            more = CostEstimate(held.tokens + estimate.tokens, cost, held.calls + estimate.calls)
            self._reserved[ticket] = more
            return ""

    def record_usage(self, ticket: int, usage: Usage) -> None:
        """What the question really cost; one without figures counts as its estimate."""
        if self.shared is not None:
            self.shared.record_usage(self._also.pop(ticket), usage)
        with self._settled:
            estimate = self._reserved.pop(ticket)
            counted = usage if usage.input else usage.plus(Usage(input=estimate.tokens))
            counted = counted if counted.cost is not None else replace(counted, cost=estimate.cost)
            self.spent = self.spent.plus(
                counted if counted.calls else counted.plus(Usage(calls=estimate.calls))
            )
            self._settled.notify_all()

    def release(self, ticket: int) -> None:
        """The question was none after all."""
        if self.shared is not None and (also := self._also.pop(ticket, None)) is not None:
            self.shared.release(also)
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
            return _NO_PRICE.format(most, self.named)
        if spent >= most or spent + self._reserved_cost() + estimate.cost > most:
            told = (
                (
                    f": ${spent:.4f} spent, ${self._reserved_cost():.4f} pending, "
                    f"${estimate.cost:.4f} more needed"
                )
                if estimate.cost
                else ""
            )
            return f"over the budget of ${most:g} ({self.named}){told}"
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


@dataclass(slots=True)
class TurnBudget:
    """A question on its way: its ticket, and the turns of an agent that tells of each.

    `_size` and `_cost`: the tokens and dollars of the last turn that are known. `_seconds`: how
    long a turn waits for dollars that others have reserved. `_answered`: tools have answered since
    its last message. `_doubtful`: what may be turns, of a server that gives all of them one name;
    None once a second name was heard.
    """

    account: BudgetAccount
    _ticket: int
    _size: int
    _seconds: float = 0
    _cost: float = 0.0
    _turn: object = None
    _answered: bool = False
    _doubtful: list[int] | None = field(default_factory=list)

    @property
    def budget(self) -> Budget:
        """The limits of the run."""
        return self.account.limits(self._ticket)

    def count_turn(self, turn: object, usage: Usage, continues: bool) -> str:
        """Count a message of the agent's; why the turn that it asks for (`continues`) is beyond the
        budget.

        A turn may come in several messages, with answers of tools between them. The next one sends
        again all that this one has sent.
        """
        other, grown = turn != self._turn, usage.input > self._size
        self._size, self._cost = usage.input or self._size, usage.cost or 0.0
        if other and self._turn is not None:
            self._tell_apart()
        sure = other or (self._answered and grown)
        perhaps = self._doubtful if self._answered and not sure else None
        if sure or perhaps is not None:
            if not self._ticket and (why := self._reserve()):
                return why
            if perhaps is None:
                self.account.record_usage(self._ticket, usage)
            else:
                perhaps.append(self._ticket)
            self._ticket = 0
        self._turn, self._answered = turn, False
        return self._reserve() if continues and not self._ticket else ""

    def may_retry(self) -> bool:
        """Whether the turn that is under way may be sent once more: that is a call as well."""
        return self.account.reserve_retry(self._ticket)

    def tools_answered(self) -> None:
        """Tools' answers came: a new turn may begin, even under the same name, or the same one may
        go on."""
        self._answered = True

    def reserve_turn(self, more: str) -> str:
        """One more turn of an agent that tells of none, which sends all again and this text; why it
        is beyond the budget. What they really took is known in the end."""
        self._size += estimate_tokens(more)
        return self.account.reserve_more(self._ticket, CostEstimate(self._size, self._cost))

    def end(self, usage: Usage) -> None:
        """The cost of a question without counted turns; a turn without an end stays reserved."""
        if self._turn is None:
            self.account.record_usage(self._ticket, usage)

    def _tell_apart(self) -> None:
        """Turns have names of their own here, so what came under one name was one."""
        for ticket in self._doubtful or ():
            self.account.release(ticket)
        self._doubtful = None

    def _reserve(self) -> str:
        # Dollars that an agent does not tell it holds itself: the limit is passed to it
        estimate = CostEstimate(self._size, self._cost)
        self._ticket, why = self.account.reserve(estimate, self._seconds)
        return why
