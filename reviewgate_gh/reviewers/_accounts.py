"""Whose account pays for a coding agent, and the variables that it gets to see."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct, field

from ..model.limits import ConfigSection
from ..model.review import Usage
from ..system.environment import Environment
from ..system.http import LOOPBACK
from ..text.patterns import lazy_pattern
from ._prices import Price, usage_cost
from .apis import _addresses

# What any program needs to run and to reach the network; everything else is another program's
# business.
_EVERYBODYS = (
    "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "HTTP_PROXY", "HTTPS_PROXY",
    "ALL_PROXY", "NO_PROXY", "http_proxy",
    "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
)  # fmt: skip
_NEVER_A_KEY = lazy_pattern(r"GITHUB_|GH_|ACTIONS_|RUNNER_|REVIEWGATE_GH_")
_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


class AgentOptions(ConfigSection, frozen=True, kw_only=True):
    """`path`: the program, unless the one on PATH; `key`: the NAME of the variable that holds the
    key; `url`: a gateway.

    Without `key` a person's own login is used, or a key variable of the vendor's; in CI only `key`
    counts. Only the files of the login reach the agent's new and empty home; with `home: own` it
    gets the user's real one.
    """

    path: str = ""
    model: str = ""
    key: str = ""
    url: str = ""
    cloud: str = ""
    home: Literal["fresh", "own"] = "fresh"
    price: Price | None = None

    def __post_init__(self) -> None:
        if self.path and not os.path.expanduser(self.path).startswith("/"):
            raise ValueError("path must be absolute, or begin with ~")
        if self.key and not _NAME.fullmatch(self.key):
            raise ValueError("key must be the name of a variable, never the key itself")
        if _NEVER_A_KEY.match(self.key):
            raise ValueError(
                "key must name a variable that holds a key for this model; GitHub's own tokens "
                "are never passed to a model"
            )
        if self.url and (wrong := _addresses.address_problem(self.url, has_key=True)):
            raise ValueError(wrong)

    def cost(self, usage: Usage) -> float | None:
        """US dollars, where they are known: a login's plan may cost nothing for it, and that only
        `price` can say."""
        return usage_cost(usage, self.price, self.model, self.url)


class Cloud(NamedTuple):
    """A vendor's models at somebody else's: its name, what chooses it, the variables that it needs,
    and files that hold its login."""

    name: str
    selector: Mapping[str, str]
    variables: tuple[str, ...]
    files: Mapping[str, str]


class Vendor(Struct, frozen=True, kw_only=True):
    """How an agent's account is found: variables for a key (the first takes any), its folder at
    home, and the files of a login there.

    `home_variable` is the variable that names another folder, `address` one for another base
    address; `destination` is where questions go without one, `login_destination` where they always
    go with a login.
    """

    keys: tuple[str, ...]
    home_folder: str
    home_variable: str
    logins: tuple[str, ...]
    destination: str
    access_hint: str
    login_destination: str = ""
    address: str = ""
    clouds: Mapping[str, Cloud] = field(default_factory=dict)


class Access(Struct, frozen=True):
    """The way in, or why there is none; `kind` is what pays.

    `files` are those to carry along, by their place in the new home.
    """

    error: str = ""
    kind: Literal["key", "login", "own", "cloud"] = "key"
    login: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    destination: str = ""


def find_access(vendor: Vendor, options: AgentOptions, environment: Environment) -> Access:
    """Decide it from the options, the variables and the files that are there; nothing is tried
    out."""
    base = options.url or (
        "" if environment.in_ci else environment.variables.get(vendor.address, "")
    )
    env = {vendor.address: base} if base and vendor.address else {}
    sends = base or vendor.destination
    if options.cloud:
        return _by_cloud(vendor.clouds[options.cloud], environment)
    if options.key:
        name = options.key if options.key in vendor.keys else vendor.keys[0]
        key = environment.variables.get(options.key, "").strip()
        if not key:
            return Access(
                error=f"{options.key} is not set: set it to the API key", destination=sends
            )
        return Access(login=options.key, env={**env, name: key}, destination=sends)
    if environment.in_ci:
        return Access(
            error=(
                "in CI it runs only with an API key: set options.key to the variable that holds it"
            ),
            destination=sends,
        )
    return _own(vendor, options, environment, env, sends)


def _own(
    vendor: Vendor,
    options: AgentOptions,
    environment: Environment,
    env: Mapping[str, str],
    sends: str,
) -> Access:
    """A person's own machine: the login that the program has, else a key of the vendor's in the
    environment."""
    home = Path(environment.variables.get("HOME", "/nonexistent"))
    folder = Path(environment.variables.get(vendor.home_variable) or home / vendor.home_folder)
    keys = {
        name: key for name in vendor.keys if (key := environment.variables.get(name, "").strip())
    }
    if options.home == "own":
        moved = (
            {vendor.home_variable: str(folder)}
            if vendor.home_variable in environment.variables
            else {}
        )
        told = options.url or f"{sends}, unless the settings in {home} say otherwise"
        return Access(
            "",
            "own",
            f"whatever the program uses in {home}",
            {**env, **keys, **moved},
            destination=told,
        )
    files = {
        f"{vendor.home_folder}/{name}": folder / name
        for name in vendor.logins
        if (folder / name).is_file()
    }
    if files and not (options.url and vendor.login_destination):
        address = {} if vendor.login_destination else env
        return Access(
            "", "login", f"the login in {folder}", address, files, vendor.login_destination or sends
        )
    if keys:
        name = next(iter(keys))
        return Access("", "key", name, {**env, name: keys[name]}, destination=sends)
    if files:
        return Access(
            error=(
                "a login works only with its own vendor, and url is another server: set "
                "options.key to the variable that holds a key"
            ),
            destination=sends,
        )
    return Access(
        error=(
            f"no login and no key: {vendor.access_hint}, or set options.key to the variable "
            "that holds a key"
        ),
        destination=sends,
    )


def _by_cloud(cloud: Cloud, environment: Environment) -> Access:
    """In CI no address that an earlier step may have set, and no file of a person's."""
    names = {
        name: environment.variables[name]
        for name in cloud.variables
        if name in environment.variables and not (environment.in_ci and name.endswith("_BASE_URL"))
    }
    home = Path(environment.variables.get("HOME", "/nonexistent"))
    files = (
        {}
        if environment.in_ci
        else {
            name: str(home / path) for name, path in cloud.files.items() if (home / path).is_file()
        }
    )
    return Access(
        "",
        "cloud",
        f"the account of {cloud.name}",
        {**cloud.selector, **files, **names},
        destination=cloud.name,
    )


def agent_environment(
    environment: Environment, found: Access, home: Path, temporary: Path
) -> dict[str, str]:
    """All that the agent sees but PATH and what its own plug-in adds; a proxy would read what goes
    to this machine, and mean its own."""
    own, here = found.kind == "own", _is_here(found.destination)
    given = {
        name: environment.variables[name]
        for name in _EVERYBODYS
        if name in environment.variables and not (here and name.lower().endswith("_proxy"))
    }
    places = {
        name: environment.variables[name]
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
        if own and name in environment.variables
    }
    return {
        **given,
        **(places or {"HOME": str(home)}),
        "TMPDIR": str(temporary),
        "NO_COLOR": "1",
        **found.env,
    }


def _is_here(address: str) -> bool:
    try:
        return _addresses.host_of(address) in LOOPBACK
    except ValueError:  # a variable may hold anything; the program will say so
        return False
