"""Who did something, from both APIs: REST has `type`, GraphQL `__typename`; both have the number, only one says [bot]."""

from ...model.pull import Account
from .read import Part

GHOST = Account()


def from_rest(user: Part | None) -> Account:
    """An account of REST; nobody for a deleted one."""
    return GHOST if user is None else Account(user.number("id"), user.text("login"), user.text("type"))


def from_graphql(actor: Part | None) -> Account:
    """An actor of GraphQL; without a number it equals nobody."""
    return GHOST if actor is None else Account(actor.count("databaseId"), actor.text("login"), actor.text("__typename"))
