"""A plan for people."""

from ..model.review import Portion
from ..reporters._words import count_noun
from ..text.visible import show_hidden
from .plan import ShardPlan

_MOST_NAMED = 6


def plan_table(plan: ShardPlan) -> str:
    """A row for each shard: how long it may take, and what it asks."""
    rows = [("shard", "about", "asks")]
    rows += [
        (f"{portion.piece}/{plan.shards}", f"{seconds:.0f} s", _asks(portion))
        for portion, seconds in zip(plan.portions, plan.seconds, strict=True)
    ]
    widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
    shown = "".join(
        f"{first:<{widths[0]}}  {second:>{widths[1]}}  {third}\n" for first, second, third in rows
    )
    return f"{shown}plan {plan.digest[:12]}\n"


def _asks(portion: Portion) -> str:
    names = sorted(portion.whole)
    more = len(names) - _MOST_NAMED
    parts = [*map(show_hidden, names[:_MOST_NAMED]), *([f"{more} more"] if more > 0 else [])]
    if portion.batches:
        parts.append(f"models ({len(portion.batches)} of their batches)")
    if portion.files:
        parts.append(f"linters ({count_noun(len(portion.files), 'file')})")
    return ", ".join(parts) or "nothing"
