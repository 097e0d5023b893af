"""Which checks a branch requires, by protection and by rulesets, as far as the token may read it."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from ...model.presubmit import Required
from ...model.pull import Check
from ...model.values import dataclass
from .addresses import segments
from .client import Client
from .errors import Forbidden, NotFound
from .read import Part


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A required check; the number of the app that must report it is 0 where any may."""

    name: str
    app: int = 0


def read_required(
    client: Client, branch: str, apps: Mapping[int, str], statuses: Iterable[Check]
) -> tuple[tuple[Required, ...] | None, bool]:
    """The required checks that can be read (None when none can), and whether there may be others.

    `apps` are the slugs, by number, of apps that made check runs.
    """
    found: list[_Wanted] = []
    unread = 0
    for source in (_by_protection, _by_rules):
        try:
            found += source(client, branch)
        except (Forbidden, NotFound):
            unread += 1
    if unread and not found:
        return None, True
    reporters = {each.name: each.app for each in statuses if each.app}
    return tuple(_required(client, each, apps, reporters) for each in dict.fromkeys(found)), bool(unread)


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


def _by_rules(client: Client, branch: str) -> list[_Wanted]:
    rules = client.pages(client.path("rules", "branches", branch), identity="").items
    asked = [each["parameters"] for each in rules if each.text("type") == "required_status_checks"]
    return [_wanted(each, "integration_id") for rule in asked for each in rule.items("required_status_checks")]


def _wanted(part: Part, key: str) -> _Wanted:
    value = part.maybe(key)
    # -1 is GitHub's word for any app.
    return _Wanted(part.text("context"), 0 if value is None or value.value == -1 else part.number(key))


def _required(client: Client, wanted: _Wanted, apps: Mapping[int, str], reporters: Mapping[str, str]) -> Required:
    """With the app's slug. The one behind a status shows its name alone, so its number is asked for."""
    if not wanted.app or wanted.app in apps:
        return Required(wanted.name, apps.get(wanted.app, ""))
    slug = reporters.get(wanted.name, "")
    if slug:
        with suppress(Forbidden, NotFound):
            if client.get(f"/apps{segments(slug)}").number("id") == wanted.app:
                return Required(wanted.name, slug)
    return Required(wanted.name, f"app {wanted.app}")  # no check has that name: it has not reported yet
