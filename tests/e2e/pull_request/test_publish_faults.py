"""Everything that can go wrong between the product and GitHub, at every request that publishing
sends.

Whatever the fault: no approval without evidence, nothing said twice, exit 0 only when everything
stands there, and the next run, without a fault, leaves what a run without faults would have left. A
seeded sample, always with a POST and with a rule that is left out; the whole with
REVIEWGATE_GH_FULL.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.github.client import open_github
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.pull_request.presubmit import PresubmitOptions, write_presubmit_report
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import render
from reviewgate_gh.system.environment import Environment
from tests.peers.github.servers import Servers

from ..faulting import HIDDEN, NEVER, SLOW, Cell, cells, posts, requests_of
from ..publishing import RESOLVER, Result, Scene, Skipping, Stage, Stock, prepare
from ..sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CELLS = 20260102, 1
UNREADABLE = ("403", "404", "410")
ALLOWING = {"approve": True, "request_changes": True}


# The scenes


def first(servers: Servers, stock: Stock) -> Scene:
    return prepare(servers, stock, "evil", config={"max_inline": 2})


def later(servers: Servers, stock: Stock) -> Scene:
    """One finding is mended, one dismissed, one still listed, one new."""

    def play(stage: Stage) -> None:
        stage.hosted.stored.collaborators["grace"] = "write"  # ada opened it
        assert not stage.run(stock.report("evil")).code
        [comment] = [each for each in stage.pull.inline if each.origin.path == "b.py"]
        stage.pull.reply(comment, "grace", "/reviewgate-gh dismiss x is a constant")

    return prepare(
        servers, stock, "next", play, start="evil", config={"max_inline": 2, "resolve": True}
    )


def unchanged(servers: Servers, stock: Stock) -> Scene:
    return prepare(
        servers,
        stock,
        "evil",
        lambda stage: stage.run(stock.report("evil")),
        config={"max_inline": 2},
    )


def moved(servers: Servers, stock: Stock) -> Scene:
    return prepare(servers, stock, "next", report="evil", start="evil")


def forced(servers: Servers, stock: Stock) -> Scene:
    """Force-pushed while it was reviewed."""
    return prepare(
        servers, stock, "rewritten", report="evil", start="evil", order={"head_confirmed": True}
    )


def overtaken(servers: Servers, stock: Stock) -> Scene:
    """A slow run of an older head ends after that of the newer one."""
    return prepare(
        servers,
        stock,
        "next",
        lambda stage: stage.run(stock.report("next")),
        report="evil",
        older=True,
    )


def many(servers: Servers, stock: Stock) -> Scene:
    return prepare(servers, stock, "many", config={"max_inline": 100})


def left(servers: Servers, stock: Stock) -> Scene:
    """An empty review of ours was left pending."""
    return prepare(servers, stock, "evil", lambda stage: stage.pull.review(stage.me, event=""))


def crowded(servers: Servers, stock: Stock) -> Scene:
    """Ours are on the second page."""

    def play(stage: Stage) -> None:
        for number in range(101):
            stage.pull.on_line("bob", "a.py", 1, f"Remark {number}")
        assert not stage.run(stock.report("evil")).code

    return prepare(servers, stock, "next", play, start="evil")


def withdrawn(servers: Servers, stock: Stock) -> Scene:
    """What was approved gets a defect."""
    return prepare(
        servers,
        stock,
        "evil",
        lambda stage: stage.run(stock.report("clean")),
        start="clean",
        login="grace",
        config={"approve": True},
    )


def mended(servers: Servers, stock: Stock) -> Scene:
    """The changes that we requested were made."""
    config = {"request_changes": True}
    return prepare(
        servers,
        stock,
        "mended",
        lambda stage: stage.run(stock.report("evil")),
        start="evil",
        login="grace",
        config=config,
    )


def returned(servers: Servers, stock: Stock) -> Scene:
    """What was mended, and its threads closed, is broken again."""

    def play(stage: Stage) -> None:
        for name in ("evil", "mended"):
            stage.pull.push(stock.commits[name])
            assert not stage.run(stock.report(name)).code

    return prepare(
        servers, stock, "again", play, start="evil", config={"max_inline": 2, "resolve": True}
    )


def blocked(servers: Servers, stock: Stock) -> Scene:
    return prepare(servers, stock, "evil", login="grace", config=ALLOWING)


def checked(servers: Servers, stock: Stock) -> Scene:
    """With a check run, whose annotations take two requests."""
    return prepare(
        servers,
        stock,
        "many",
        config={"check_run": True},
        permissions={**RESOLVER, "checks": "write"},
    )


def green(stage: Stage) -> str:
    """CI as it is when all is well; the head."""
    head = stage.pull.stored.head_sha
    run = stage.hosted.workflow_run("CI", head)
    stage.hosted.check(head, "build", run=run.id)
    stage.hosted.status(head, "ci/build")
    stage.hosted.status(stage.pull.stored.merge_sha, "ci/merge")
    return head


def approved(servers: Servers, stock: Stock) -> Scene:
    return prepare(servers, stock, "clean", green, login="grace", config=ALLOWING, approves=True)


@dataclass(frozen=True)
class Red:
    """All is green but one thing, which must be seen to be known."""

    spoil: Callable[[Stage, str], Any] = lambda stage, head: None
    more: dict[str, Any] = field(default_factory=dict)

    def __call__(self, servers: Servers, stock: Stock) -> Scene:
        more = {"login": "grace", "config": ALLOWING, **self.more}
        if isinstance(based := more.get("report"), tuple):
            more["report"] = stock.report(*based)
        return prepare(
            servers,
            stock,
            more.pop("head", "clean"),
            lambda stage: self.spoil(stage, green(stage)),
            **more,
        )


def _required(name: str) -> Callable[[Stage, str], Any]:
    return lambda stage, head: getattr(stage.hosted.stored, name).update(main=[("e2e", None)])


def _beyond_protection(stage: Stage, head: str) -> None:
    """What protection requires has passed."""
    stage.hosted.stored.required.update(main=[("build", None)])
    _required("rules")(stage, head)


def _second_page(stage: Stage, head: str) -> None:
    """The one that fails is the oldest of 101, so it comes last."""
    stage.hosted.check(head, "lint", "failure")
    for number in range(101):
        stage.hosted.check(head, f"unit {number}")


def _second_page_of_statuses(stage: Stage, head: str) -> None:
    stage.hosted.status(head, "lint", "failure")
    for number in range(101):
        stage.hosted.status(head, f"unit {number}")


RED: dict[str, Red] = {
    "a check fails": Red(lambda stage, head: stage.hosted.check(head, "lint", "failure")),
    "a check is queued": Red(lambda stage, head: stage.hosted.check(head, "lint", None)),
    "a check fails on page two": Red(_second_page),
    "a status fails": Red(lambda stage, head: stage.hosted.status(head, "lint", "failure")),
    "a status fails on page two": Red(_second_page_of_statuses),
    "the merge fails": Red(
        lambda stage, head: stage.hosted.status(stage.pull.stored.merge_sha, "lint", "failure")
    ),
    "protection requires more": Red(_required("required")),
    "a ruleset requires more": Red(_required("rules")),
    "a ruleset requires more than protection": Red(_beyond_protection),
    "it is our own": Red(more={"login": "ada"}),
    "it is a draft": Red(more={"draft": True}),
    "the head moved": Red(more={"head": "evil", "start": "clean", "report": "clean"}),
    "a part was reviewed": Red(more={"head": "mended", "report": ("mended", "next")}),
}
SCENES: dict[str, Callable[[Servers, Stock], Scene]] = {
    each.__name__: each
    for each in (
        first,
        later,
        unchanged,
        moved,
        forced,
        overtaken,
        many,
        left,
        crowded,
        withdrawn,
        mended,
        returned,
        blocked,
        checked,
        approved,
    )
} | {f"red: {name}": red for name, red in RED.items()}


def play(scene: Scene, cell: Cell, wanted: Result) -> list[str]:
    """What was wrong with the runs under this fault; nothing."""
    wrong = []
    with scene.stage() as stage:
        stage.github.forgive()
        times = NEVER if cell.always else 1
        stage.github.fault(
            cell.mode,
            cell.method,
            cell.path,
            cell.nth,
            times=times,
            stored=cell.stored,
            text=cell.text,
        )
        run = stage.run(scene.report, exchange=0.25 if cell.mode in SLOW else 30)
        result = Result.of(stage)
        noted = rules_hidden(scene, cell) and "could not be read" in "".join(
            each.body for each in stage.pull.reviews
        )
        unseen = cell.mode == "stale" and cell.always and withdrawn_before(scene)
        if (
            stage.approvals()
            and not scene.approves
            and not noted
            and not unseen
            and (run.code == 0 or not withdrawn_before(scene))
        ):
            wrong.append(f"OPEN: approved {stage.approvals()}")
        if not (cell.mode == "stale" and cell.always):
            there = (*result.said.items(), *result.withheld.items())
            wrong += [
                f"TWICE: {name} stands there {times} times" for name, times in there if times > 1
            ]
        wrong += [f"TWICE: {each}" for each in stage.github.duplicates() if cell.mode not in HIDDEN]
        if run.code == 0 and (missing := wanted.said - result.said):
            wrong.append(f"LOST: exit 0, and {missing} is not there")
        if run.code not in (0, 69):
            wrong.append(f"OPEN: exit {run.code}: {run.told}")
        stage.github.faults.planned.clear()
        second = stage.run(scene.report)
        after = Result.of(stage).beside(wanted)
        if noted:
            after.verdicts, after.withheld = wanted.verdicts, wanted.withheld
        if scene.older:
            after.said &= wanted.said
        if second.code or after != wanted:
            wrong.append(
                f"LOST: after the second run (exit {second.code}, {second.told}) {after} instead "
                f"of {wanted}"
            )
        created = stage.created()
        third = stage.run(scene.report)
        if third.code or stage.created() != created:
            wrong.append(
                f"TWICE: a third run (exit {third.code}) creates {stage.created() - created}: "
                f"{third.told}"
            )
    return [f"{cell}: {each} (first run: exit {run.code}, {run.told})" for each in wrong]


def rules_hidden(scene: Scene, cell: Cell) -> bool:
    """The branch requires checks, and this fault keeps them from whoever asks: what is approved
    then says so."""
    hosted = scene.saved["repos"]["octo/repo"]
    return (
        bool(hosted.required or hosted.rules)
        and cell.mode in UNREADABLE
        and "/branches/" in cell.path
    )


def leaves_out_rules(scene: Scene, cell: Cell) -> bool:
    """A ruleset requires checks, and this fault leaves the rule out of an answer that is whole to
    look at."""
    return (
        bool(scene.saved["repos"]["octo/repo"].rules)
        and cell.mode == "short-page"
        and "/rules/" in cell.path
    )


def withdrawn_before(scene: Scene) -> bool:
    """An approval of ours stood there before."""
    return any(each.state == "APPROVED" for each in scene.saved["repos"]["octo/repo"].reviews)


@pytest.mark.parametrize("name", SCENES)
def test_no_fault_opens_the_gate_says_it_twice_or_loses_a_finding(
    name: str, github_servers: Servers, stock: Stock, capsys
):
    scene = SCENES[name](github_servers, stock)
    with scene.stage(refereed=True) as stage:
        clean = stage.run(scene.report)
        wanted, all_cells = Result.of(stage), [*cells(requests_of(stage))]
        assert clean.code == 0 and not wanted.pending and set(wanted.said.values()) <= {1}, clean
        assert bool(stage.approvals()) == scene.approves
        assert sum(wanted.withheld.values()) == name.startswith("red: ")
    chosen = (
        all_cells
        if FULL
        else sample(all_cells, CELLS, f"{SEED} {name}", posts, partial(leaves_out_rules, scene))
    )
    wrong = [each for cell in chosen for each in play(scene, cell, wanted)]
    counts = Counter(
        kind for each in wrong for kind in ("OPEN", "TWICE", "LOST") if f": {kind}: " in each
    )
    with capsys.disabled():
        print(
            f"\n{name}: {len(chosen)} of {len(all_cells)} faults injected; "
            f"{counts['OPEN']} open, {counts['TWICE']} twice, {counts['LOST']} lost"
        )
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.big
@pytest.mark.parametrize("mode", ["403", "404", "410", "422", "429", "500", "reset"])
def test_of_five_hundred_findings_none_is_lost_whichever_post_fails(
    mode: str, github_servers: Servers, stock: Stock, capsys
):
    """They take seventeen reviews; the first, one in the middle and the last fail, once and from
    then on."""
    if "vast" not in stock.commits:
        stock.repo.git("checkout", "--quiet", "-B", "vast", "main")
        lines = "".join(f"def f{n}(x):\n    return evil(x + {n})\n\n\n" for n in range(500))
        stock.commits["vast"] = stock.repo.commit({"vast.py": lines})
    scene = prepare(github_servers, stock, "vast", config={"max_inline": 1_000})
    with scene.stage() as stage:
        assert stage.run(scene.report).code == 0
        wanted, path = (
            Result.of(stage),
            next(each.path for each in stage.github.journal.of("POST", "/repos/*/reviews")),
        )
        assert len(wanted.said) == 500 and stage.github.journal.count("POST", path) == 17
    chosen = [
        Cell(mode, "POST", path, nth, always=always)
        for nth in (1, 9, 17)
        for always in (False, True)
    ]
    wrong = [each for cell in chosen for each in play(scene, cell, wanted)]
    with capsys.disabled():
        print(
            f"\n500 findings, {mode}: {len(chosen)} faults injected; {len(wrong)} open, twice or "
            "lost"
        )
    assert not wrong, "\n".join(wrong[:20])


def asked(
    stage: Stage, scene: Scene, out: Path, exchange: float = 30
) -> tuple[int, dict[str, Any]]:
    """`presubmit` as the command does it: its exit code and its report."""
    out.unlink(missing_ok=True)
    environment = Environment(stage.github.env(stage.token), stage.common.parent)
    findings = out.with_name("findings.json")
    findings.write_text(render(scene.report, OutputStyle()))
    try:
        client = open_github(environment, "octo/repo", timing=Skipping(exchange).timing)
        code = write_presubmit_report(
            PresubmitOptions("1", scene.report.change.head, out, findings), client, environment
        )
    except GateError as error:
        code = int(error.exit)
    assert out.exists() == (code == 0)
    return code, json.loads(out.read_text()) if code == 0 else {}


@pytest.mark.parametrize(
    "name", ["later", *(f"red: {name}" for name in RED if name != "a part was reviewed")]
)
def test_no_fault_makes_presubmit_say_yes_or_forget_a_comment(
    name: str, github_servers: Servers, stock: Stock, tmp_path: Path, capsys
):
    scene = SCENES[name](github_servers, stock)
    out = tmp_path / "presubmit.json"
    with scene.stage(refereed=True) as stage:
        code, wanted = asked(stage, scene, out)
        all_cells = [*cells(requests_of(stage))]
        assert code == 0 and (wanted["downgradeApprove"] or name == "later")
    chosen = (
        all_cells
        if FULL
        else sample(all_cells, 1, f"{SEED} presubmit {name}", partial(leaves_out_rules, scene))
    )
    wrong = []
    for cell in chosen:
        with scene.stage() as stage:
            times = NEVER if cell.always else 1
            stage.github.fault(
                cell.mode,
                cell.method,
                cell.path,
                cell.nth,
                times=times,
                stored=cell.stored,
                text=cell.text,
            )
            code, found = asked(stage, scene, out, 0.25 if cell.mode in SLOW else 30)
            if code not in (0, 69) or (
                found
                and name != "later"
                and not found["downgradeApprove"]
                and not rules_hidden(scene, cell)
            ):
                wrong.append(f"{cell}: OPEN: exit {code}, {found}")
            unknown = any(
                "The posting account is unknown" in reason
                for reason in found.get("downgradeReasons", ())
            )
            if (
                found
                and not unknown
                and cell.mode != "stale"
                and found["existingComments"]["total"] != wanted["existingComments"]["total"]
            ):
                wrong.append(f"{cell}: LOST: {found}")
    with capsys.disabled():
        print(
            f"\npresubmit, {name}: {len(chosen)} of {len(all_cells)} faults injected; "
            f"{len(wrong)} open or lost"
        )
    assert not wrong, "\n".join(wrong[:20])
