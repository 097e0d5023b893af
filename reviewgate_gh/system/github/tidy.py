"""Closing what is settled and opening it again: threads and comments; what the token may not do is counted, never hidden."""

from collections.abc import Callable, Iterable
from typing import Literal

from ...model.values import dataclass
from . import queries
from .client import Client
from .errors import Forbidden, Malformed, NotFound, Refused

Reason = Literal["OUTDATED", "RESOLVED", "DUPLICATE"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many were done, were gone already, were forbidden, and what GitHub said of the others."""

    done: int = 0
    gone: int = 0
    forbidden: int = 0
    refused: tuple[str, ...] = ()


def resolve_threads(client: Client, threads: Iterable[str]) -> Tally:
    """Resolve threads by their node ids; it asks for `contents: write`, which a gate rarely has."""

    def resolve(node: str) -> bool:
        answer = client.graphql(queries.RESOLVE, {"thread": node}, changes=True)
        return answer["resolveReviewThread"]["thread"].flag("isResolved")

    return _each(threads, resolve)


def minimize_comments(client: Client, comments: Iterable[str], reason: Reason) -> Tally:
    """Hide comments by their node ids, with GitHub's word for why."""

    def minimize(node: str) -> bool:
        answer = client.graphql(queries.MINIMIZE, {"comment": node, "reason": reason}, changes=True)
        return answer["minimizeComment"]["minimizedComment"].flag("isMinimized")

    return _each(comments, minimize)


def unresolve_threads(client: Client, threads: Iterable[str]) -> Tally:
    """Open threads again by their node ids."""

    def unresolve(node: str) -> bool:
        answer = client.graphql(queries.UNRESOLVE, {"thread": node}, changes=True)
        return not answer["unresolveReviewThread"]["thread"].flag("isResolved")

    return _each(threads, unresolve)


def show_comments(client: Client, comments: Iterable[str]) -> Tally:
    """Show hidden comments again by their node ids."""

    def show(node: str) -> bool:
        answer = client.graphql(queries.UNMINIMIZE, {"comment": node}, changes=True)
        return not answer["unminimizeComment"]["unminimizedComment"].flag("isMinimized")

    return _each(comments, show)


def _each(nodes: Iterable[str], change: Callable[[str], bool]) -> Tally:
    done = gone = forbidden = 0
    refused: list[str] = []
    for node in nodes:
        if forbidden:
            forbidden += 1  # what one is forbidden, the next one is too: no request for it
            continue
        try:
            if not change(node):
                raise Malformed(f"GitHub did not change {node} and gave no reason")
            done += 1
        except Forbidden:
            forbidden += 1
        except (Refused, Malformed) as error:
            if isinstance(error, NotFound) and error.status == 200:  # the node is gone; any other status is about GraphQL as a whole
                gone += 1
            else:
                refused.append(error.message)
    return Tally(done, gone, forbidden, tuple(refused))
