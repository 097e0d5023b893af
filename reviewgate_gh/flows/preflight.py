"""Which permissions posting would need, and which of them the token lacks: said before anything is posted."""

import sys

from ..model.config import Config
from ..model.exits import Exit
from ..reporters._doors import line
from ..system.github.client import Client
from ..system.github.permissions import Permission, missing_permissions
from ..system.github.pulls import read_pull


def needed(config: Config) -> tuple[Permission, ...]:
    """What the config asks for."""
    wanted: list[Permission] = ["contents: read", "pull-requests: write"]
    if config.publish.approve:
        wanted += ["checks: read", "statuses: read", "actions: read"]
    if config.publish.check_run:
        wanted.append("checks: write")
    if config.tracker.type == "github":
        wanted.append("issues: write")
    return tuple(wanted)


def preflight(client: Client, number: int, config: Config) -> int:
    """Try each permission without changing anything, and name those that are missing.

    Raises:
        UpstreamError: the pull request cannot be read.
    """
    wanted = needed(config)
    missing = missing_permissions(client, read_pull(client, number), wanted)
    for each in missing:
        print(f"reviewgate-gh: the token lacks `{each.permission}`: {line(each.said)}", file=sys.stderr)
    if config.publish.resolve:
        print("reviewgate-gh: publish.resolve needs `contents: write`, which cannot be checked without changing something", file=sys.stderr)
    if not missing:
        print(f"reviewgate-gh: the token has the permissions that the configuration needs: {', '.join(wanted)}", file=sys.stderr)
    return Exit.UPSTREAM if missing else Exit.OK
