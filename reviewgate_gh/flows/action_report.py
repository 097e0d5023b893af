"""The second half of the two-workflow set-up: a privileged run posts the report that an unprivileged run wrote.

The author of the pull request controls what that report says, so it is data: it can add comments to the pull request that the
event itself names, and nothing else.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.report import Report
from ..reporters.json import load
from ..steps.event import read_finished
from ..system.git import Git
from ..system.github.pulls import find_pull
from ..system.world import World
from .action_post import client_of
from .publish import Order, meet, publish, shown
from .settings import config_at

MOST_BYTES = 20_000_000


def post_finished(payload: Mapping[str, Any], path: Path, git: Git, world: World) -> int:
    """Post the report in `path` on the pull request whose run has finished.

    Raises:
        UsageError: the event or the file is not what it must be.
        UpstreamError: GitHub refuses or cannot be reached.
    """
    finished = read_finished(payload)
    report = _read(path)
    if report.change.head != finished.head:
        raise UsageError(
            f"the report is for {report.change.head:.12}, but the finished run was for {finished.head:.12}",
            "nothing was posted; pass the report of the finished run",
        )
    client = client_of(world)
    number = find_pull(client, finished.repository, finished.branch, finished.head, report.change.base)
    if not number:
        print(f"reviewgate-gh: no open pull request has {finished.head:.12} as its head any more; nothing was posted")
        return Exit.OK
    config = config_at(git, git.resolve("HEAD") or git.empty_tree, world, "")
    order = Order(number, additions_only=True, keyless=True, vouched=True)
    published = publish(meet(report, order, client), order, config, client, git.common, world)
    print(shown(published, client.requests), end="")
    return Exit.OK


def _read(path: Path) -> Report:
    """The report, strictly: a regular file of a bounded size in our own schema."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is not a regular file of at most {MOST_BYTES // 1_000_000} MB", "pass only the JSON report")
        return load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "download the artifact into its own folder first") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}", "pass the file that the input json-file names") from None
