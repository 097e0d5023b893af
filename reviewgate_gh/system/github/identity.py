"""Who we are at GitHub. REST's `GET /user` refuses installation tokens; GraphQL's viewer answers every kind."""

from ...model.pull import Account
from . import queries
from .client import Client
from .errors import Malformed, Refused

_BOT = "[bot]"


def read_viewer(client: Client) -> Account | None:
    """The account behind the token; None where GitHub does not say, and then nothing counts as ours.

    Raises:
        Unreachable: it could not be asked: whoever takes that for None posts everything again.
    """
    if not client.has_token:
        return None
    try:
        viewer = client.graphql(queries.VIEWER, {})["viewer"]
        login, number = viewer.text("login"), viewer.count("databaseId")
    except (Refused, Malformed):
        return None
    # To the schema every viewer is a User; no person's login can hold a bracket.
    return Account(number, login, "Bot" if login.endswith(_BOT) else "User") if number else None
