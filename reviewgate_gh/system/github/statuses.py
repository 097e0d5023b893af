"""The older half of what CI says: commit statuses, the newest of each context."""

from ...model.pull import Check
from . import people
from .client import PER_PAGE, Client
from .errors import Malformed
from .read import Part


def read_statuses(client: Client, sha: str) -> tuple[Check, ...]:
    """The newest status of each context. GitHub's own sum of them is not read: it says pending where there is none at all."""
    found = client.pages(client.path("commits", sha, "statuses"))
    newest: dict[str, Part] = {}
    for each in found.items:  # the newest comes first
        newest.setdefault(each.text("context"), each)
    if found.items and len(found.items) % PER_PAGE == 0:
        _check_whole(client, sha, len(newest))
    return tuple(_status(each) for each in newest.values())


def _check_whole(client: Client, sha: str, known: int) -> None:
    """This list has no count of its own: when its last page is full, a link to the next one may have been lost on the way."""
    there = client.get(client.path("commits", sha, "status"), per_page=1).number("total_count")
    if there != known:
        raise Malformed(f"GitHub left out some statuses of {sha}: it returned {known} of {there} contexts", "try again")


def _status(part: Part) -> Check:
    creator = people.from_rest(part.maybe("creator"))
    app = creator.login.removesuffix("[bot]") if creator.kind == "Bot" else ""
    when = part.text("created_at")
    return Check("status", part.text("context"), part.text("state"), app=app, started=when, completed=part.optional("updated_at") or when)
