"""The table of README that says what each door reviews: every row of it, tried."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...github import merge_group, pull_request, push, step, workflow_dispatch
from ...support import ROOT, Repo
from ..forge import Forge
from ..pushing import Pushing

Report = dict[str, Any]


class World:
    """main has moved on since topic's two commits left it, and `repo`, where topic was written, is
    on topic. In CI nothing is one's own."""

    def __init__(self, make_repo: Callable[..., Repo], folder: Path, in_ci: bool) -> None:
        forge = Forge(make_repo, folder)
        self.folder = folder
        self.repo = Repo(
            forge.author.path, {"PYTHONPATH": str(ROOT), **({"CI": "true"} if in_ci else {})}
        )
        self.pushing = Pushing(self.repo, forge.origin)
        self.parted = self.repo.head
        self.repo.branch("topic")
        self.one, self.tip = (self.repo.commit({"topic.txt": text}) for text in ("1\n", "2\n"))
        self.repo.switch("main")
        self.main = forge.onto({"later.txt": "1\n"})
        self.repo.git("push", "--quiet", "origin", "topic:refs/pull/1/head")
        self.repo.switch("topic")
        self.repo.git("branch", "--quiet", "--set-upstream-to=origin/main")
        self.empty = self.repo.git("hash-object", "-t", "tree", "/dev/null")

    @property
    def index(self) -> str:
        """The tree that is staged."""
        return self.repo.git("write-tree")

    def asked(self, *args: str) -> Report:
        """`review ARGS`."""
        return json.loads(self.repo.cli("review", *args, "--output", "json").stdout)

    def staged(self) -> Report:
        """With something in the index."""
        self.repo.write({"new.txt": "1\n"})
        self.repo.git("add", "new.txt")
        return self.asked("--staged")

    def pushed(self, *refs: str) -> Report:
        """A push that the hook reviews."""
        assert self.repo.cli("hook", "install").code == 0
        done = self.repo.push("--quiet", "origin", *refs)
        assert done.code == 0, done.output
        [report] = self.pushing.reports()
        return report

    def acted(self, event: str, payload: Any) -> Report:
        """The Action's program."""
        return step(self.repo, event, payload, self.folder / "runner").report()


DOORS: dict[str, Callable[[World], Report]] = {
    "`reviewgate-gh review`": lambda case: case.asked(),
    "`review --staged`, `--uncommitted`": World.staged,
    "`review --pr N`, `--pr URL`": lambda case: case.asked("--pr", "1"),
    "`review --all-files`": lambda case: case.asked("--all-files"),
    "hook": lambda case: case.pushed("topic"),
    "hook, a tag of a tree or a file": lambda case: case.pushed("topic^{tree}:refs/tags/tree"),
    "Action, `pull_request`": lambda case: case.acted(
        "pull_request", pull_request(case.main, case.tip)
    ),
    "Action, `merge_group`": lambda case: case.acted(
        "merge_group", merge_group(case.one, case.tip)
    ),
    "Action, `push`": lambda case: case.acted("push", push(case.one, case.tip, "refs/heads/topic")),
    "Action, `schedule`": lambda case: case.acted("schedule", workflow_dispatch()),
    "Action, `workflow_dispatch`": lambda case: case.acted(
        "workflow_dispatch", workflow_dispatch("refs/heads/topic")
    ),
}
# What the words of the table come to in that world, as it is written there up to the first `;`:
# what follows are other cases.
ENDS: dict[str, Callable[[World], str]] = {
    "merge base with the upstream, or else with the remote's default branch": lambda case: (
        case.parted
    ),
    "merge base with the pull request's base": lambda case: case.parted,
    "merge base with the default branch": lambda case: case.parted,
    "merge base with the tip before the push": lambda case: case.one,
    # None of this world's commits is that old
    "the newest commit a day older than the head, or nothing": lambda case: case.empty,
    "for every ref of the push: what the remote has": lambda case: case.parted,
    "nothing: every file counts as new": lambda case: case.empty,
    "nothing: all of it counts as new": lambda case: case.empty,
    "the group's base": lambda case: case.one,
    "`HEAD`": lambda case: case.tip,
    "`HEAD`, or the end of the range": lambda case: case.tip,
    "the index, the work tree": lambda case: case.index,
    (
        "its head, fetched as objects or read through the API "
        "([more](docs/pull-requests.md#reviewing-one-by-hand))"
    ): lambda case: case.tip,
    "what is pushed: its commits, not the work tree": lambda case: case.tip,
    "that tree or file": lambda case: case.repo.rev("topic^{tree}"),
    "the pull request's head, not GitHub's test merge": lambda case: case.tip,
    "the group's head": lambda case: case.tip,
    "the tip after it": lambda case: case.tip,
    "the commit that the workflow runs on": lambda case: case.tip,
    "the head of the default branch": lambda case: case.tip,
}
Side = Callable[[World, Report], str]


def _parted(environment: World, change: Report) -> str:
    """The commit at which a base that the trusted branch does not hold left it; a base that it
    holds itself."""
    held = (
        environment.repo.ran("merge-base", "--is-ancestor", change["base"], "origin/main").code == 0
    )
    return (
        change["base"]
        if held
        else environment.repo.git("merge-base", change["base"], "origin/main")
    )


def _main(environment: World, change: Report) -> str:
    return environment.repo.rev("origin/main")


def _base(environment: World, change: Report) -> str:
    return str(change["base"])


def _head(environment: World, change: Report) -> str:
    return str(change["head"])


# Whose configuration counts: outside of CI, and in it.
SIDES: dict[str, tuple[Side, Side]] = {
    "the trusted branch, and content that you approved (in CI the base)": (_parted, _base),
    "the base": (_base, _base),
    "the trusted branch; without one the head": (_main, _head),
    "as for `review`": (_parted, _base),
    "as for `review`; in CI that tree": (_main, _head),
}


def table() -> list[tuple[str, ...]]:
    """The rows below the heading: door, base, head, whose configuration."""
    _, _, rest = (ROOT / "README.md").read_text().partition("## What each entry point reviews\n\n")
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in rest.partition("\n\n")[0].splitlines()
    ]
    assert rows[0][:3] == ("entry point", "base", "head")
    return rows[2:]


def test_every_door_is_in_it_once() -> None:
    assert [row[0] for row in table()] == list(DOORS)


@pytest.mark.parametrize("in_ci", [False, True], ids=["by hand", "in CI"])
@pytest.mark.parametrize("row", table(), ids=lambda row: row[0])
def test_what_a_row_says_is_what_the_report_says(
    row: tuple[str, ...], in_ci: bool, make_repo: Callable[..., Repo], tmp_path: Path
) -> None:
    environment = World(make_repo, tmp_path, in_ci)
    change = DOORS[row[0]](environment)["change"]
    base, head = (ENDS[cell.partition(";")[0]](environment) for cell in row[1:3])
    assert (change["base"], change["head"]) == (base, head), change
    assert change["rules"] == SIDES[row[3]][in_ci](environment, change), change
