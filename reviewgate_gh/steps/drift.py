"""Whether the pull request moved on while it was reviewed, and whether that moves what we would comment on."""

from collections.abc import Collection

from ..model.presubmit import Comparison, HeadDrift

_WORDS = ("identical", "ahead", "behind", "diverged")


def head_drift(reviewed: str, head: str, comparison: Comparison | None, paths: Collection[str] | None) -> HeadDrift:
    """The reviewed commit against the head now. `paths` are those of the new findings, None where they are not known.

    Comments are at risk unless it is known that the commits since touch none of these files.
    """
    if reviewed == head:
        return HeadDrift(reviewed, head, drifted=False, compare="identical")
    word = comparison.status if comparison and comparison.status in _WORDS else "unknown"
    touched = comparison.paths if comparison and word == "ahead" else None
    safe = touched is not None and paths is not None and touched.isdisjoint(paths)
    return HeadDrift(reviewed, head, True, word, comparison.ahead if comparison else 0, at_risk=not safe)


def sentence(drift: HeadDrift) -> str:
    """For people: what was reviewed and what the head is; "" where they are one."""
    if not drift.drifted:
        return ""
    many = f"{drift.ahead} commit{'s' * (drift.ahead != 1)} later" if drift.compare == "ahead" and drift.ahead else ""
    how = many or {"behind": "commits were removed", "diverged": "history was rewritten"}.get(drift.compare, "")
    return f"Commit {drift.reviewed[:12]} was reviewed, but the head is now {drift.head[:12] or 'gone'}{f' ({how})' * bool(how)}."
