"""The errors of a GraphQL answer, which come with status 200."""

from typing import Any

from .errors import Forbidden, NotFound, Refused
from .read import Part

_LIMITED = "RATE_LIMITED"
_DENIED = {"FORBIDDEN", "INSUFFICIENT_SCOPES"}
_LONGEST = 300


def limited(data: Any) -> bool:
    """An answer says that the rate limit is reached; then nothing was done."""
    return any(each.get("type") == _LIMITED for each in _errors(data))


def failed(data: Any) -> bool:
    """An answer says that GitHub itself failed: such an error has no type, and no place in the document."""
    return any(not {"type", "locations", "path", "extensions"} & set(each) for each in _errors(data))


def check(answer: Part) -> Part:
    """The data; with errors beside it, it may lack anything and counts as refused.

    Raises:
        Refused: there are errors.
    """
    errors = answer.items("errors") if answer.maybe("errors") else []
    if not errors:
        return answer["data"]
    kinds, said = {each.optional("type") for each in errors}, tuple(each.optional("message") for each in errors)
    message = f"GitHub refused {answer.where}: {'; '.join(said)[:_LONGEST]}"
    if kinds & _DENIED:
        raise Forbidden(message, "the token does not allow this: check its permissions", status=200, reason="; ".join(said))
    if kinds == {"NOT_FOUND"}:
        raise NotFound(message, "it does not exist, or this token cannot see it", status=200, errors=said)
    raise Refused(message, status=200, errors=said)


def _errors(data: Any) -> list[dict[str, Any]]:
    errors = data.get("errors") if isinstance(data, dict) else None
    return [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []
