"""Who we are at GitHub. REST's `GET /user` refuses installation tokens; GraphQL's viewer answers every kind."""

from ...model.pull import Account
from . import queries
from .client import Client
from .errors import Malformed, Refused
from .read import Part

_BOT = "[bot]"


def read_viewer(client: Client) -> Account | None:
    """The account behind the token; None where GitHub does not say, and then nothing counts as ours.

    Raises:
        Unreachable: it could not be asked: whoever takes that for None posts everything again.
    """
    if not client.has_token:
        return None
    try:
        return account_of(client.graphql(queries.VIEWER, {})["viewer"])
    except (Refused, Malformed):
        return None


def account_of(viewer: Part) -> Account | None:
    """Whom GraphQL's viewer is. To the schema every viewer is a User; no person's login can hold a bracket."""
    login, number = viewer.text("login"), viewer.count("databaseId")
    return Account(number, login, "Bot" if login.endswith(_BOT) else "User") if number else None
