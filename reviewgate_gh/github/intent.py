"""What a pull request is meant to do, as its author and the issues that it closes say. All of it is
data: anybody may have written it."""

import re
from collections.abc import Sequence

from ..text.patterns import lazy_pattern
from ..text.safe import safe_line
from .client import Client
from .graphql import CLOSED_ISSUES
from .reading import Forbidden, JsonPart, NotFound

_MOST_ISSUES = 3
_MOST_TEXT = 20_000  # characters of each
# GitHub links an issue by these words only where the pull request goes to the default branch:
# https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
_KEYWORD = lazy_pattern(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+#(?P<number>[1-9][0-9]{0,8})\b",
    re.ASCII | re.I,
)


def read_intent(client: Client, number: int) -> str:
    """The issues of the same repository that a pull request closes, then its own title and body; ""
    where it closes none.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    owner, _, name = client.repository.partition("/")
    values = {"owner": owner, "name": name, "number": number, "most": _MOST_ISSUES}
    try:
        pull = client.graphql(CLOSED_ISSUES, values)["repository"]["pullRequest"]
    except Forbidden as error:
        hint = "the issue that it closes is read with the permission `issues: read`"
        raise Forbidden(error.message, hint, permission="issues: read") from None
    body = pull.optional("body")
    issues = _linked(pull, client) or _named(body, number, client)
    if not issues:
        return ""
    return "\n\n".join((*issues, _told("the pull request itself", pull.text("title"), body)))


def named_issues(body: str) -> Sequence[int]:
    """The numbers that stand behind a word like "fixes" in a pull request's body."""
    return [*dict.fromkeys(int(found["number"]) for found in _KEYWORD.finditer(body))]


def _linked(pull: JsonPart, client: Client) -> list[str]:
    found = pull.maybe("closingIssuesReferences")
    return [
        _issue(each)
        for each in (found.items("nodes") if found else [])
        if each["repository"].text("nameWithOwner").lower() == client.repository.lower()
    ]


def _named(body: str, own: int, client: Client) -> list[str]:
    found = []
    for number in [each for each in named_issues(body) if each != own][:_MOST_ISSUES]:
        try:
            issue = client.get(client.path("issues", number))
        except NotFound:
            continue
        if not issue.maybe("pull_request"):
            found.append(_issue(issue))
    return found


def _issue(issue: JsonPart) -> str:
    what = f"issue #{issue.number('number')}"
    return _told(what, issue.text("title"), issue.optional("body"))


def _told(what: str, title: str, body: str) -> str:
    cut = "\n(cut)" if len(body) > _MOST_TEXT else ""
    return f"{what}: {safe_line(title)}\n{body[:_MOST_TEXT].strip()}{cut}".strip()
