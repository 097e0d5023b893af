"""Of many cells the few that a regular run tries; the same ones every time."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def sample(cells: Sequence[T], size: int, seed: str, *always: Callable[[T], bool]) -> list[T]:
    """So many cells in their order: one of each kind that must not be missing, and the others at
    even distances."""
    dice, chosen = random.Random(seed), set[int]()
    for kind in always:
        of_kind = [at for at, cell in enumerate(cells) if kind(cell)]
        chosen |= {dice.choice(of_kind)} if of_kind and not chosen & {*of_kind} else set()
    rest = [at for at in range(len(cells)) if at not in chosen]
    left = max(0, min(size - len(chosen), len(rest)))
    first = dice.random()
    chosen |= {rest[int((step + first) * len(rest) / left)] for step in range(left)}
    return [cells[at] for at in sorted(chosen)]
