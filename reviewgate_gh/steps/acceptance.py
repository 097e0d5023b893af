"""Whether something that people accepted covers a finding: a waiver, or a dismissal on a pull request.

Equal fingerprints are for the caller to find. They say that rule (of a language model's finding: the category) and code are equal, and a
model can say several things of one line: what it says counts, too. Nobody has accepted anything that is more severe than what they saw.
"""

from typing import NamedTuple

from ..model.finding import Finding, Priority
from ..text.redact import redact
from .meaning import same_claim


class Accepted(NamedTuple):
    """The finding as it was when it was accepted; "" and None where that was not written down."""

    title: str = ""
    priority: Priority | None = None


def objection(accepted: Accepted, finding: Finding) -> str:
    """Why the finding is not the one that was accepted; "" where it is."""
    if accepted.priority and finding.priority < accepted.priority:  # P0 is the most severe, and the first in order
        return f"it is {finding.priority.value}, but the accepted finding was {accepted.priority.value}"
    if names_its_defect(finding):
        return ""
    if not accepted.title:
        return "the accepted finding has no title, and a reviewer without rules can report several problems on one line"
    same = bare_title(accepted.title) == bare_title(finding.title) or same_claim(accepted.title, redact(finding.title))
    return "" if same else f"the accepted finding is {accepted.title!r}"


def names_its_defect(finding: Finding) -> bool:
    """Its rule says what is wrong. A model's finding has no rule, and a tool that is named alone can mean anything."""
    return bool(finding.rule) and finding.rule not in finding.sources


def bare_title(title: str) -> str:
    """A title as it is compared: without secrets, as reports show it, and however it is spaced."""
    return " ".join(redact(title).split())
