"""Faults at every request of what only reads: reviews by number and by address, the last review,
the other workflow's pull request.

Whatever the fault: no verdict that lets through with something unread, no answer about another pull
request, and no permission that is not there. A seeded sample; the whole with REVIEWGATE_GH_FULL.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.incremental import last_review_query
from reviewgate_gh.ensemble.options import ReviewOptions
from reviewgate_gh.gate.review import review
from reviewgate_gh.git import open_repository
from reviewgate_gh.github.client import Client, open_github
from reviewgate_gh.github.pull_requests import find_pull_number, read_pull
from reviewgate_gh.model.config import Config, PublishConfig
from reviewgate_gh.model.errors import UpstreamError
from reviewgate_gh.model.report import Outcome, Report, ReviewRow
from reviewgate_gh.model.review import ModelCall, ReviewStatus
from reviewgate_gh.pull_request.fetch import PullOrigin, fetch_pull, is_from_outside
from reviewgate_gh.pull_request.fetch_by_api import open_pull_by_api
from reviewgate_gh.pull_request.publish_kept import check_permissions
from reviewgate_gh.system.environment import Environment
from tests.peers.github.handle import GATE, READ_ONLY, GitHub
from tests.peers.github.limits import Limits
from tests.peers.github.servers import Servers
from tests.support import Repo

from ..faulting import NEVER, SLOW, Cell, cells
from ..publishing import EVIL, Skipping, Stage, Stock, prepare
from ..sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CELLS = 20261124, 6
# By the base's word every finding blocks, so a run that does not see the file lets through what
# must not go.
STRICT = "version: 1\npolicy: {finding_threshold: P2}\n"
REFUSED = ("404", "406", "409", "410", "422", "422-text")
PASSING = ("500", "502", "503", "429", "403-retry-after")


@dataclass(frozen=True)
class Read:
    """A clean run's answer, and how one under a fault may differ from it; `play` is the run."""

    play: Callable[[GitHub, float], Any]
    wrong: Callable[[Any, Any, Cell], str]


def client(github: GitHub, token: str, exchange: float) -> Client:
    return open_github(
        Environment(github.env(token), Path.cwd()), "octo/repo", timing=Skipping(exchange).timing
    )


def world_of(github: GitHub, token: str, folder: Path) -> Environment:
    return Environment({**os.environ, **github.env(token), "CI": "true"}, folder)


def let_through(wanted: Report, found: Report, cell: Cell) -> str:
    """Each finding of the fault-free run stands there, or its file is named as not reviewed and the
    verdict is no pass."""
    names = {(finding.path, finding.rule) for finding in found.findings}
    lost = {(finding.path, finding.rule) for finding in wanted.findings} - names
    outcome, unread = found.verdict.outcome, set(found.verdict.not_reviewed)
    if outcome in (Outcome.PASS, Outcome.CONCERNS):
        return f"OPEN: {outcome}"
    listed = "GitHub does not list" in " ".join(unread)
    return f"LOST: {lost}, {unread}" if {path for path, _ in lost} - unread and not listed else ""


def by_address(github: GitHub, repo: Repo) -> Read:
    token = github.token()

    def play(github: GitHub, exchange: float) -> Report:
        environment = world_of(github, token, repo.path.parent)
        with open_pull_by_api(client(github, token, exchange), 1, environment) as found:
            door = "fork" if is_from_outside(found.pull) else "pr"
            return found.with_real_commits(
                review(ReviewOptions(found.range, door), found.git, environment), "", environment
            )

    return Read(play, let_through)


def by_number(github: GitHub, repo: Repo) -> Read:
    token, clone = github.token(), repo.clone(repo.path.parent / "by-number")

    def play(github: GitHub, exchange: float) -> Report:
        environment = world_of(github, token, clone.path)
        git, asked = (
            open_repository(clone.path, environment.variables),
            client(github, token, exchange),
        )
        fetched = fetch_pull(
            git, PullOrigin("origin", 1, "pr-1"), "", read_pull(asked, 1), environment
        )
        since = last_review_query(asked, 1, git, fetched.range.head)
        return review(
            ReviewOptions(fetched.range, "fork" if fetched.fork else "pr", last_review=since),
            git,
            environment,
        )

    return Read(play, let_through)


READS = {"by address": by_address, "by number": by_number}


def faulted(github: GitHub, cell: Cell, read: Read) -> Any:
    """What the run under this fault gives; None where it says that it cannot."""
    github.faults.planned.clear()
    github.journal.entries.clear()
    # Or the hour's requests would soon be spent, and every run refused
    github.world.limits = Limits()
    github.fault(
        cell.mode,
        cell.method,
        cell.path,
        cell.nth,
        times=NEVER if cell.always else 1,
        text=cell.text,
    )
    try:
        return read.play(github, 0.25 if cell.mode in SLOW else 30)
    except UpstreamError:
        return None
    finally:
        github.faults.planned.clear()


def gives_up(cell: Cell) -> str:
    """What passes at once must not keep a run from its answer, or this whole test may be about
    refusals."""
    return "REFUSED" if cell.mode in PASSING and not cell.always else ""


def tried(
    name: str,
    github: GitHub,
    read: Read,
    wanted: Any,
    size: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every fault, or some of them; it fails with what was wrong."""
    github.forgive()
    all_cells = [*cells([(each.method, each.path, False) for each in github.journal.entries])]
    chosen = all_cells if FULL else sample(all_cells, size, f"{SEED} {name}")
    wrong, refused = list[str](), 0
    for cell in chosen:
        found = faulted(github, cell, read)
        refused += found is None
        said = gives_up(cell) if found is None else read.wrong(wanted, found, cell)
        wrong += [f"{cell}: {said}"] if said else []
    with capsys.disabled():
        print(
            f"\n{name}: {len(chosen)} of {len(all_cells)} faults injected; {refused} refused to "
            f"answer, {len(wrong)} open or lost"
        )
    assert not wrong, "\n".join(wrong[:20])


@pytest.fixture
def pulled(repo: Repo) -> Callable[[GitHub], Repo]:
    """Pull request 1: a finding in each file, new, changed, renamed, below the root; and a base
    whose config makes all of them block."""

    def make(github: GitHub) -> Repo:
        repo.commit(
            {
                ".reviewgate-gh.yaml": STRICT,
                "old.py": "x = 1\n" * 20,
                "changed.py": "y = 2\n",
                "gone.py": "z = 3\n",
            }
        )
        repo.branch("topic")
        moved = "x = 1\n" * 20 + EVIL["b.py"]
        repo.commit(
            {
                "old.py": None,
                "gone.py": None,
                "new.py": moved,
                "changed.py": "y = 2\n" + EVIL["d.py"],
                "deep/a.py": EVIL["a.py"],
            }
        )
        repo.switch("main")
        github.repository(repo.path).pull("topic")
        return repo

    return make


@pytest.mark.parametrize("name", READS)
def test_no_fault_lets_through_what_was_not_read(
    name: str, github_servers: Servers, pulled, capsys
):
    with github_servers.github(refereed=False) as github:
        read = READS[name](github, pulled(github))
        wanted = read.play(github, 30)
        assert wanted.verdict.outcome is Outcome.BLOCK and {
            each.path for each in wanted.findings
        } >= {"new.py", "changed.py", "deep/a.py"}
        assert not wanted.verdict.not_reviewed
        tried(f"review {name}", github, read, wanted, CELLS, capsys)


def by_model(report: Report) -> Report:
    """The report as if a model had found it all, so that the next run may go on from it."""
    row = ReviewRow("one", "", ReviewStatus.OK, found=len(report.findings), asked=ModelCall())
    found = tuple(replace(each, rule="", category="bug") for each in report.findings)
    return replace(report, reviews=(*report.reviews, row), findings=found)


def crowded(stage: Stage, report: Report) -> None:
    """Its threads and ours take two pages."""
    for number in range(101):
        stage.pull.on_line("bob", "a.py", 1, f"Remark {number}")
    assert not stage.run(report).code


def test_no_fault_makes_the_last_review_say_less(github_servers: Servers, stock: Stock, capsys):
    """What stood open, all of it, or that nothing is known: then everything is read again."""
    report = by_model(stock.report("evil"))
    with prepare(
        github_servers, stock, "next", lambda stage: crowded(stage, report), start="evil"
    ).stage() as stage:
        git = open_repository(stock.repo.path, os.environ)
        digest, head = stock.report("evil").config_digest, stock.commits["next"]

        def asked(github: GitHub, exchange: float) -> Any:
            return (
                last_review_query(client(github, stage.token, exchange), 1, git, head)(digest)
                or "nothing known"
            )

        wanted = asked(stage.github, 30)
        assert len(wanted.findings) == 3 and wanted.head == stock.commits["evil"]
        read = Read(
            asked,
            lambda wanted, found, cell: (
                "" if found in (wanted, "nothing known") else f"LOST: {found}"
            ),
        )
        tried("the last review", stage.github, read, wanted, 4 * CELLS, capsys)


def test_no_fault_finds_another_pull_request(github_servers: Servers, stock: Stock, capsys):
    """Its number, or none: GitHub's list may lag behind."""
    with prepare(github_servers, stock, "evil").stage() as stage:
        for number in range(101):  # so that ours, the oldest, is on the second page
            stock.repo.git("branch", "--force", f"other-{number}", stock.commits["clean"])
            stage.hosted.pull(f"other-{number}", fork=stage.pull.stored.head_repo)
        head = stock.commits["evil"]

        def asked(github: GitHub, exchange: float) -> Any:
            return find_pull_number(client(github, stage.token, exchange), "octo/repo", "pr", head)

        assert asked(stage.github, 30) == 1
        known = lambda cell: (0, 1) if cell.mode in ("short-page", "stale") else (1,)  # noqa: E731
        read = Read(
            asked, lambda wanted, found, cell: "" if found in known(cell) else f"OPEN: {found}"
        )
        tried("the other workflow's pull request", stage.github, read, 1, 4 * CELLS, capsys)


def test_no_fault_gives_a_permission(github_servers: Servers, stock: Stock, capsys):
    """GitHub's refusals of another kind say that the thing is not there, which nobody asks who
    lacks the permission."""
    config = Config(publish=PublishConfig(approve=True, check_run=True))
    with prepare(github_servers, stock, "evil").stage() as stage:
        token = stage.github.token(**READ_ONLY)

        def asked(github: GitHub, exchange: float) -> int:
            return check_permissions(client(github, token, exchange), 1, config)

        able = stage.github.token(**{**GATE, "checks": "write"})
        assert (
            asked(stage.github, 30) == 69
            and check_permissions(client(stage.github, able, 30), 1, config) == 0
        )
        read = Read(
            asked,
            lambda wanted, found, cell: (
                "" if found == 69 or cell.mode in REFUSED else f"OPEN: {found}"
            ),
        )
        tried("preflight", stage.github, read, 69, 4 * CELLS, capsys)
