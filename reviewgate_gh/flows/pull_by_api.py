"""A pull request of any repository, without a clone: what GitHub's API shows of it in a private repository, for the ordinary pipeline."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ..model.pull import PullRequest
from ..model.report import Report
from ..model.selection import Range
from ..model.values import dataclass
from ..steps.unread import with_unread
from ..system.git import Git
from ..system.git.scratch import scratch_repository, store_sides
from ..system.github.client import Client
from ..system.github.pulls import read_merge_base, read_pull
from ..system.world import World
from .left_out import left_out_by_name
from .pull_files import PullFiles, pull_files
from .settings import config_at

_LIMITS = "read through the API without a clone: no history, and no unchanged files except settings"


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A pull request in a private repository: its stand-ins for the two commits, the real ones, and what could not be had."""

    git: Git
    range: Range
    pull: PullRequest
    base: str
    files: PullFiles

    def settled(self, report: Report, policy: str, world: World) -> Report:
        """The report about the real commits, with the files that were not read."""
        config = config_at(self.git, self.range.base, world, policy)
        seen = {path for file in report.change.files for path in (file.path, file.old_path)}
        unread = {*self.files.unread, *(self.files.changed - seen)}
        change = replace(report.change, base=self.base, head=self.pull.head, rules=self.base, commits=())
        report = replace(report, change=change, notices=(*report.notices, *self.files.notes))
        return with_unread(report, unread - left_out_by_name(unread, config.policy.exclude))


@contextmanager
def borrow(client: Client, number: int, world: World) -> Iterator[Borrowed]:
    """The pull request's changed files as two commits, for as long as the context lasts.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    pull = read_pull(client, number)
    base = read_merge_base(client, pull.base, pull.head)
    files = pull_files(client, pull, base)
    with scratch_repository(world.env, "sha256" if len(pull.head) == 64 else "sha1") as git:
        sides = store_sides(git, files.base, files.head)
        notes = (f"{client.repository}#{number}: {pull.head[:12]}, since the merge base with {pull.base_ref}", _LIMITS)
        yield Borrowed(git, Range(sides.base, sides.head, notes, foreign=True), pull, base, files)
