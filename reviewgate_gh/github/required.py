"""Which checks and reviews a branch requires, by protection and by rulesets, as far as the token
may read it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

from ..model.pull_request import RequiredCheck
from .addresses import path_segments
from .client import Client
from .last_look import LastLook
from .reading import Forbidden, JsonPart, NotFound

T = TypeVar("T")


class _Wanted(Struct, frozen=True):
    """A required check; the number of the app that must report it is 0 where any may."""

    name: str
    app: int = 0


class BranchRequirements(Struct, frozen=True):
    """What protection and the rules that REST shows require; None where the token may not see
    them."""

    protection: tuple[_Wanted, ...] | None
    rules: tuple[JsonPart, ...] | None


class Reporters(Struct, frozen=True):
    """The slugs of apps: by number those that made check runs, by a check's name those that may be
    behind it."""

    apps: Mapping[int, str]
    names: Mapping[str, str]


class RequiredChecks(Struct, frozen=True):
    """The required checks that can be read (None when none can); `more`: there may be others.

    `missing` says why rules are known to be missing.
    """

    checks: tuple[RequiredCheck, ...] | None
    more: bool
    missing: str = ""


def read_requirements(client: Client, branch: str) -> BranchRequirements:
    """What a branch requires, by protection and by its repository's and its organization's
    rules."""
    return BranchRequirements(
        _seen(_by_protection, client, branch), _seen(_active_rules, client, branch)
    )


def required_checks(
    client: Client, found: BranchRequirements, reporters: Reporters, look: LastLook
) -> RequiredChecks:
    """The checks that are required, with the apps that must report them."""
    wanted = [*(found.protection or ()), *_by_rules(found.rules or ())]
    unread = found.protection is None or found.rules is None
    missing = "" if found.rules is None else _missing(len(found.rules), look)
    if unread and not wanted:
        return RequiredChecks(None, True, missing)
    required = tuple(_required(client, each, reporters) for each in dict.fromkeys(wanted))
    return RequiredChecks(required, unread or look.rules is None, missing)


def _missing(shown: int, look: LastLook) -> str:
    """Why rules are missing; "" where none is known to be. REST may show kinds of rules that
    GraphQL does not know."""
    if look.failure:
        return f"the rules of the branch could not be counted: {look.failure}"
    if look.rules is None or look.rules <= shown:
        return ""
    return (
        "the rules of the branch could not be read completely: GitHub counts "
        f"{look.rules} but returned {shown}"
    )


def _active_rules(client: Client, branch: str) -> tuple[JsonPart, ...]:
    return tuple(client.pages(client.path("rules", "branches", branch), identity="").items)


def _seen(read: Callable[[Client, str], T], client: Client, branch: str) -> T | None:
    """None where the token may not see it."""
    try:
        return read(client, branch)
    except (Forbidden, NotFound):
        return None


def _by_protection(client: Client, branch: str) -> tuple[_Wanted, ...]:
    """From the branch itself: the protection's own address asks for administration."""
    found = client.get(client.path("branches", branch))
    protection = found.maybe("protection") if found.flag("protected") else None
    level = protection.maybe("required_status_checks") if protection else None
    if level is None or level.optional("enforcement_level") == "off":
        return ()
    if level.maybe("checks") is None:
        return tuple(_Wanted(str(each.value)) for each in level.items("contexts"))
    return tuple(_wanted(each, "app_id") for each in level.items("checks"))


def _by_rules(rules: Iterable[JsonPart]) -> list[_Wanted]:
    asked = [each["parameters"] for each in rules if each.text("type") == "required_status_checks"]
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


def _required(client: Client, wanted: _Wanted, reporters: Reporters) -> RequiredCheck:
    """With the app's slug. The one behind a status shows its name alone, so its number is asked
    for."""
    if not wanted.app or wanted.app in reporters.apps:
        return RequiredCheck(wanted.name, reporters.apps.get(wanted.app, ""))
    slug = reporters.names.get(wanted.name, "")
    if slug:
        with suppress(Forbidden, NotFound):
            if client.get(f"/apps{path_segments(slug)}").number("id") == wanted.app:
                return RequiredCheck(wanted.name, slug)
    # No check has that name: it has not reported yet
    return RequiredCheck(wanted.name, f"app {wanted.app}")
