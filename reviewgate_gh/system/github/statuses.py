"""The older half of what CI says: commit statuses, the newest of each context."""

from ...model.pull import Check
from . import people
from .client import Client
from .read import Part


def read_statuses(client: Client, sha: str) -> tuple[Check, ...]:
    """The newest status of each context. GitHub's own sum of them is not read: it says pending where there is none at all."""
    found = client.pages(client.path("commits", sha, "statuses"))
    newest: dict[str, Part] = {}
    for each in found.items:  # the newest comes first
        newest.setdefault(each.text("context"), each)
    return tuple(_status(each) for each in newest.values())


def _status(part: Part) -> Check:
    creator = people.from_rest(part.maybe("creator"))
    app = creator.login.removesuffix("[bot]") if creator.kind == "Bot" else ""
    when = part.text("created_at")
    return Check("status", part.text("context"), part.text("state"), app=app, started=when, completed=part.optional("updated_at") or when)
