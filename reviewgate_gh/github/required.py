"""Which checks and reviews a branch requires, by protection and by rulesets, as far as the token
may read it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

from ..model.pull_request import RequiredCheck
from . import graphql
from .addresses import path_segments
from .client import Client
from .reading import (
    BadCredentials,
    Forbidden,
    GitHubUnreachable,
    JsonPart,
    MalformedAnswer,
    NotFound,
    Refused,
)


class BranchRules(Struct, frozen=True):
    """The rules that REST shows, and how many there are; `counted` is None where nobody says,
    `failure` why GitHub failed to."""

    shown: tuple[JsonPart, ...]
    counted: int | None
    failure: str = ""

    @property
    def incomplete_reason(self) -> str:
        """Why rules are missing; "" where none is known to be. REST may show kinds of rules that
        GraphQL does not know."""
        if self.failure:
            return f"the rules of the branch could not be counted: {self.failure}"
        if self.counted is None or self.counted <= len(self.shown):
            return ""
        return (
            "the rules of the branch could not be read completely: GitHub counts "
            f"{self.counted} but returned {len(self.shown)}"
        )


def read_branch_rules(client: Client, branch: str) -> BranchRules:
    """The active rules of a branch, its repository's and its organization's."""
    shown = client.pages(client.path("rules", "branches", branch), identity="").items
    try:
        return BranchRules(tuple(shown), _counted(client, branch))
    except GitHubUnreachable as error:
        if not error.reached:
            raise
        return BranchRules(tuple(shown), None, error.message)


def _counted(client: Client, branch: str) -> int | None:
    """Asked last: a rule that was made in between counts as missing, one that was removed does
    not."""
    if not client.has_token:
        return None
    owner, _, name = client.repository.partition("/")
    try:
        data = client.graphql(
            graphql.RULES, {"owner": owner, "name": name, "branch": f"refs/heads/{branch}"}
        )
        ref = data["repository"].maybe("ref")
        rules = ref.maybe("rules") if ref else None
        return rules.number("totalCount") if rules else None
    except BadCredentials:
        raise
    except (Refused, MalformedAnswer):
        return None  # an older server has no such field, and a token may be refused it


T = TypeVar("T")


class _Wanted(Struct, frozen=True):
    """A required check; the number of the app that must report it is 0 where any may."""

    name: str
    app: int = 0


def read_required(
    client: Client,
    branch: str,
    apps: Mapping[int, str],
    reporters: Mapping[str, str],
    cuts: list[str],
) -> tuple[tuple[RequiredCheck, ...] | None, bool]:
    """The required checks that can be read (None when none can), and whether there may be others.

    `apps` are the slugs, by number, of apps that made check runs; `reporters`, by a check's name,
    of apps that may be behind it. Rules that GitHub left out are told in `cuts`.
    """
    protection, rules = (
        _seen(_by_protection, client, branch),
        _seen(read_branch_rules, client, branch),
    )
    if rules and rules.incomplete_reason:
        cuts.append(rules.incomplete_reason)
    found = [*(protection or ()), *(_by_rules(rules) if rules else ())]
    unread = protection is None or rules is None
    if unread and not found:
        return None, True
    required = tuple(_required(client, each, apps, reporters) for each in dict.fromkeys(found))
    return required, unread or (rules is not None and rules.counted is None)


def _seen(read: Callable[[Client, str], T], client: Client, branch: str) -> T | None:
    """None where the token may not see it."""
    try:
        return read(client, branch)
    except (Forbidden, NotFound):
        return None


def _by_protection(client: Client, branch: str) -> list[_Wanted]:
    """From the branch itself: the protection's own address asks for administration."""
    found = client.get(client.path("branches", branch))
    protection = found.maybe("protection") if found.flag("protected") else None
    level = protection.maybe("required_status_checks") if protection else None
    if level is None or level.optional("enforcement_level") == "off":
        return []
    if level.maybe("checks") is None:
        return [_Wanted(str(each.value)) for each in level.items("contexts")]
    return [_wanted(each, "app_id") for each in level.items("checks")]


def _by_rules(rules: BranchRules) -> list[_Wanted]:
    asked = [
        each["parameters"] for each in rules.shown if each.text("type") == "required_status_checks"
    ]
    return [
        _wanted(each, "integration_id")
        for rule in asked
        for each in rule.items("required_status_checks")
    ]


def _wanted(part: JsonPart, key: str) -> _Wanted:
    value = part.maybe(key)
    # -1 is GitHub's word for any app.
    # https://docs.github.com/en/rest/branches/branch-protection#update-status-check-protection
    return _Wanted(
        part.text("context"), 0 if value is None or value.value == -1 else part.number(key)
    )


def _required(
    client: Client, wanted: _Wanted, apps: Mapping[int, str], reporters: Mapping[str, str]
) -> RequiredCheck:
    """With the app's slug. The one behind a status shows its name alone, so its number is asked
    for."""
    if not wanted.app or wanted.app in apps:
        return RequiredCheck(wanted.name, apps.get(wanted.app, ""))
    slug = reporters.get(wanted.name, "")
    if slug:
        with suppress(Forbidden, NotFound):
            if client.get(f"/apps{path_segments(slug)}").number("id") == wanted.app:
                return RequiredCheck(wanted.name, slug)
    # No check has that name: it has not reported yet
    return RequiredCheck(wanted.name, f"app {wanted.app}")
