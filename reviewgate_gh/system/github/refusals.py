"""From a refusal to the error that says what to do next."""

import re

from .answer import Answer
from .errors import BadCredentials, Forbidden, NotFound, Refused, Unprocessable

_LONGEST = 300
_KINDS = {404: NotFound, 410: NotFound, 422: Unprocessable}


def refusal(answer: Answer, request: str, has_token: bool) -> Refused:
    """The error for a status of 400 to 499; `request` is method and path."""
    reason, errors = answer.words()
    said = "; ".join(filter(None, (reason, *errors)))[:_LONGEST] or f"status {answer.status}"
    message = f"GitHub refused {request}: {said}"
    if answer.status == 401:
        hint = "the token is wrong or has expired: renew it" if has_token else "set GITHUB_TOKEN"
        return BadCredentials(message, hint, status=401, reason=reason)
    if answer.status == 403:
        needed = spelled(answer.headers.get("x-accepted-github-permissions", ""))
        return Forbidden(message, _forbidden(answer, needed), permission=needed, status=403, reason=reason)
    hint = "it does not exist, or this token cannot see it" if answer.status in (404, 410) else ""
    return _KINDS.get(answer.status, Refused)(message, hint, status=answer.status, reason=reason, errors=errors)


def spelled(header: str) -> str:
    """`pull_requests=write; issues=write` as a workflow has it: `pull-requests: write or issues: write`."""
    sets = (re.sub(r"\s*,\s*", ", ", each.strip()) for each in header.split(";"))
    return " or ".join(each.replace("_", "-").replace("=", ": ") for each in sets if each)


def _forbidden(answer: Answer, needed: str) -> str:
    if "is locked" in answer.words()[0].lower():
        return "the conversation is locked: unlock it on GitHub, and run again"
    if "required" in answer.headers.get("x-github-sso", ""):
        return "authorise the token for the organisation's single sign-on"
    if needed:
        return f"the token lacks {needed}: add it under `permissions:` of the workflow, or to the token"
    scopes = answer.headers.get("x-accepted-oauth-scopes", "")
    return f"the token needs one of the scopes {scopes}" if scopes else "the token does not allow this: check its permissions"
