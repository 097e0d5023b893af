"""An epic at GitHub: an issue with sub-issues, or with a task list in its text."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model.epic import Epic

if TYPE_CHECKING:
    from ..system.github.client import Client
    from ..system.github.read import Part

_TASK = re.compile(r"^[ \t]*[-*+][ \t]+\[(?P<mark>[ xX])\][ \t]+(?P<text>\S.*?)[ \t]*$", re.MULTILINE)
_MOST = 200


def epic_at(client: "Client", name: str) -> Epic | None:
    """The epic of that number; None where there is no such issue.

    An entry of a task list that begins with an issue's number stands as that issue does, any other one as it is ticked.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    mine = issue_at(client, name)
    return mine and replace(mine, children=_below(client, int(mine.id)) or _listed(client, mine.description))


def issue_at(client: "Client", name: str) -> Epic | None:
    """The issue of that number alone; None where there is none.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    from ..system.github.errors import NotFound

    number = name.removeprefix("#")
    if not number.isascii() or not number.isdecimal():
        return None
    try:
        mine = client.get(client.path("issues", int(number)))
    except NotFound:
        return None
    return Epic(number, title=mine.text("title"), description=mine.optional("body").replace("\r\n", "\n"))


def _below(client: "Client", number: int) -> dict[str, bool]:
    """The sub-issues; none at servers that know none."""
    from ..system.github.errors import NotFound

    try:
        items = client.pages(client.path("issues", number, "sub_issues")).items
    except NotFound:
        return {}
    return {str(item.number("number")): _closed(item) for item in items}


def _listed(client: "Client", body: str) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for entry in list(_TASK.finditer(body))[:_MOST]:
        issue = re.match(r"#(\d+)\b", entry["text"])
        if issue:
            found[issue[1]] = _is_closed(client, int(issue[1]))
        else:
            found[entry["text"][:100]] = entry["mark"] != " "
    return found


def _is_closed(client: "Client", number: int) -> bool:
    """An issue that is not there is not closed."""
    from ..system.github.errors import NotFound

    try:
        return _closed(client.get(client.path("issues", number)))
    except NotFound:
        return False


def _closed(item: "Part") -> bool:
    return item.text("state") == "closed"
