"""Publishing while others are at work: runs at once, a head that moves, a slow run of an older
head."""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from reviewgate_gh.model.report import Report
from tests.peers.github.servers import Servers

from ..publishing import Ended, Result, Stage, Stock, prepare

REVIEWS = "/repos/*/pulls/*/reviews"
ALLOWING = {"approve": True, "request_changes": True}


def at_once(stage: Stage, reports: Sequence[Report]) -> list[Ended]:
    """As many runs, none of which posts before all are about to."""
    gate, ends = threading.Barrier(len(reports), timeout=30), list[Ended]()
    stage.github.faults.on("POST", REVIEWS, times=len(reports), before=gate.wait)
    runs = [
        threading.Thread(target=lambda report=report: ends.append(stage.run(report)))
        for report in reports
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    return ends


def shown(stage: Stage) -> list[Any]:
    """The reviews that people see."""
    return [each for each in stage.pull.reviews if not each.minimized]


@pytest.mark.parametrize("runs", [2, 5])
def test_of_runs_at_once_one_review_is_left(github_servers: Servers, stock: Stock, runs):
    with prepare(github_servers, stock, "evil", config={"max_inline": 2}).stage() as stage:
        ends = at_once(stage, [stock.report("evil")] * runs)
        assert {end.code for end in ends} == {0} and len(stage.pull.reviews) == runs
        assert [each.id for each in shown(stage)] == [min(each.id for each in stage.pull.reviews)]
        assert set(stage.said().values()) == {1} and len(stage.said()) == 3
        created = stage.created()
        assert stage.run(stock.report("evil")).code == 0 and stage.created() == created


def test_what_a_killed_run_left_twice_is_hidden_by_the_next(github_servers: Servers, stock: Stock):
    """Both had posted, and neither came to look."""
    with prepare(github_servers, stock, "evil").stage() as stage:
        stage.github.fault("502", "POST", "/graphql", nth=3, times=99)
        at_once(stage, [stock.report("evil")] * 2)
        assert set(stage.said().values()) == {2}
        stage.github.faults.planned.clear()
        assert stage.run(stock.report("evil")).code == 0
        assert set(stage.said().values()) == {1} and len(shown(stage)) == 1


def test_a_copy_that_people_talk_in_is_not_hidden(github_servers: Servers, stock: Stock):
    with prepare(github_servers, stock, "evil").stage() as stage:
        stage.github.fault("502", "POST", "/graphql", nth=3, times=99)
        at_once(stage, [stock.report("evil")] * 2)
        stage.github.faults.planned.clear()
        later = stage.pull.inline[-1]
        stage.pull.reply(later, "ada", "Why?")
        assert stage.run(stock.report("evil")).code == 0
        assert not next(each for each in stage.pull.inline if each.id == later.id).minimized
        assert set(
            Counter(
                each.origin.path
                for each in stage.pull.inline
                if not each.minimized and not each.reply_to
            ).values()
        ) == {1}


def test_an_older_and_a_newer_head_at_once(github_servers: Servers, stock: Stock):
    with prepare(github_servers, stock, "next", start="evil").stage() as stage:
        ends = at_once(stage, [stock.report("evil"), stock.report("next")])
        assert {end.code for end in ends} == {0} and set(stage.said().values()) == {1}
        assert stage.run(stock.report("next")).code == 0
        assert sorted(each.origin.path for each in stage.pull.inline if not each.minimized) == [
            "b.py",
            "c.py",
            "d.py",
        ]


def test_a_slow_run_of_an_older_head_takes_nothing_back(github_servers: Servers, stock: Stock):
    """Its report knows neither the newer findings nor that nothing is mended."""
    newer = prepare(
        github_servers,
        stock,
        "next",
        lambda stage: stage.run(stock.report("next")),
        login="grace",
        config=ALLOWING,
    )
    for late in ("evil", "clean"):
        with newer.stage() as stage:
            before = Result.of(stage)
            done = stage.run(stock.report(late))
            assert (
                done.code == 0
                and Result.of(stage) == before
                and before.verdicts == ["CHANGES_REQUESTED"]
            ), done


def test_a_slow_run_of_an_older_head_leaves_a_newer_approval(github_servers: Servers, stock: Stock):
    newer = prepare(
        github_servers,
        stock,
        "mended",
        lambda stage: stage.run(stock.report("mended")),
        login="grace",
        config=ALLOWING,
    )
    with newer.stage() as stage:
        assert stage.run(stock.report("evil")).code == 0
        assert stage.approvals() == [stock.commits["mended"]] and not stage.pull.inline


@pytest.mark.parametrize(
    "when", ["while CI is asked", "before the review arrives", "after it was stored"]
)
def test_a_head_that_moves_is_not_approved(github_servers: Servers, stock: Stock, when):
    scene = prepare(github_servers, stock, "clean", login="grace", config=ALLOWING)
    with scene.stage() as stage:
        move = lambda: stage.pull.push(stock.commits["evil"])  # noqa: E731
        if when == "while CI is asked":
            stage.github.faults.on("GET", "/repos/*/rules/*", before=move)
        else:
            side = "before" if when == "before the review arrives" else "after"
            stage.github.faults.on("POST", REVIEWS, **{side: move})
        done = stage.run(scene.report)
        assert done.code == 0 and not stage.approvals(), done
        assert ("head is now" in " ".join(done.told)) == (when == "while CI is asked")
        why = [stage.run(scene.report).code or stage.withheld() for _ in range(3)]
        assert all(each == why[0] for each in why) and sum(why[0].values()) == (
            when == "while CI is asked"
        ), why


@pytest.mark.parametrize("runs", [2, 5])
def test_of_runs_at_once_that_may_not_approve_one_says_why(
    github_servers: Servers, stock: Stock, runs
):
    with prepare(
        github_servers, stock, "clean", login="grace", config=ALLOWING, draft=True
    ).stage() as stage:
        assert {end.code for end in at_once(stage, [stock.report("clean")] * runs)} == {0} and len(
            stage.pull.reviews
        ) == runs
        assert [each.id for each in shown(stage)] == [min(each.id for each in stage.pull.reviews)]
        created = stage.created()
        assert stage.run(stock.report("clean")).code == 0 and stage.created() == created


def test_a_report_of_an_older_head_says_why_once_however_often_the_head_moves(
    github_servers: Servers, stock: Stock
):
    with prepare(
        github_servers, stock, "evil", start="clean", login="grace", config=ALLOWING
    ).stage() as stage:
        for head in ("evil", "next", "mended"):
            stage.pull.push(stock.commits[head])
            assert stage.run(stock.report("clean")).code == 0 and len(stage.pull.reviews) == 1
        stage.pull.push(stock.commits["rewritten"])
        assert stage.run(stock.report("mended")).code == 0 and len(stage.pull.reviews) == 1, (
            "its commit is gone"
        )


@pytest.mark.parametrize("part", [True, False])
def test_who_has_seen_a_part_of_the_head_silences_no_slow_run(
    github_servers: Servers, stock: Stock, part
):
    newer = stock.report("mended", "next") if part else stock.report("mended")
    with prepare(
        github_servers, stock, "mended", login="grace", config=ALLOWING, draft=not part
    ).stage() as stage:
        assert stage.run(newer).code == 0 and sum(stage.withheld().values()) == 1
        assert stage.run(stock.report("evil")).code == 0 and len(stage.said()) == (3 if part else 0)


@pytest.mark.parametrize("part", [True, False])
def test_who_has_found_something_in_a_part_of_the_head_silences_none_either(
    github_servers: Servers, stock: Stock, part
):
    newer = stock.report("next", "evil") if part else stock.report("next")
    with prepare(github_servers, stock, "next", login="grace", config=ALLOWING).stage() as stage:
        assert stage.run(newer).code == 0 and len(stage.said()) == (1 if part else 3)
        assert stage.run(stock.report("evil")).code == 0 and len(stage.said()) == (4 if part else 3)
        assert stage.run(stock.report("next")).code == 0 and set(stage.said().values()) == {1}


def test_red_after_an_approval_is_said_again_and_beside_one_not_at_all(
    github_servers: Servers, stock: Stock
):
    with prepare(
        github_servers, stock, "clean", login="grace", config={"approve": True}
    ).stage() as stage:
        for head, ended, states in (
            ("clean", "failure", "C"),
            ("clean", "success", "CA"),
            ("clean", "failure", "CA"),
            ("mended", "failure", "CD"),
            ("mended", "failure", "CD"),
            ("mended", "success", "CDA"),
        ):
            stage.pull.push(stock.commits[head])
            stage.hosted.check(stock.commits[head], "build", ended)
            assert stage.run(stock.report(head)).code == 0
            assert "".join(each.state[0] for each in stage.pull.reviews) == states
            withheld = ended == "failure" and not states.endswith("A")
            assert ("CI is failing: build" in stage.pull.reviews[0].body) == withheld


def test_an_approval_that_cannot_be_taken_back_is_no_success(github_servers: Servers, stock: Stock):
    play = lambda stage: stage.run(stock.report("clean"))  # noqa: E731
    with prepare(
        github_servers, stock, "evil", play, start="clean", login="grace", config={"approve": True}
    ).stage() as stage:
        stage.github.fault("403", "PUT", "/repos/*/dismissals", times=9)
        done = stage.run(stock.report("evil"))
        assert done.code == 69 and "by hand" in done.told[1] and len(stage.pull.inline) == 3, done


def test_a_review_that_changed_its_mind_about_one_commit_takes_its_approval_back(
    github_servers: Servers, stock: Stock
):
    """The same head, read by more or stricter reviewers."""
    from msgspec.structs import replace

    from reviewgate_gh.model.report import Outcome

    clean = stock.report("clean")
    unsure = replace(
        clean,
        verdict=replace(
            clean.verdict, outcome=Outcome.INCONCLUSIVE, reasons=("a reviewer gave no answer",)
        ),
    )
    with prepare(
        github_servers,
        stock,
        "clean",
        lambda stage: stage.run(clean),
        login="grace",
        config={"approve": True},
    ).stage() as stage:
        assert stage.approvals() and stage.run(unsure).code == 0 and not stage.approvals()


@pytest.mark.parametrize("vouched", [True, False])
def test_after_a_force_push_the_findings_are_text_at_the_head_where_somebody_vouches(
    github_servers: Servers, stock: Stock, vouched
):
    """Without GitHub's own word that the commit was the head, the number may as well be a wrong
    one."""
    scene = prepare(
        github_servers,
        stock,
        "rewritten",
        report="evil",
        start="evil",
        order={"head_confirmed": vouched},
    )
    with scene.stage() as stage:
        done = stage.run(scene.report)
        assert (done.code, len(stage.pull.reviews)) == ((0, 1) if vouched else (69, 0)), done
        assert (
            not stage.pull.inline and "review the pull request's head" in done.told[1]
        ) or vouched
        if vouched:
            [review] = stage.pull.reviews
            assert (
                review.commit_id == stock.commits["rewritten"]
                and stock.commits["evil"][:12] in review.body
            )
            assert set(stage.said().values()) == {1} and len(stage.said()) == 3
            created = stage.created()
            assert stage.run(scene.report).code == 0 and stage.created() == created


def test_a_request_for_changes_is_made_once_until_it_is_dismissed(
    github_servers: Servers, stock: Stock
):
    with prepare(github_servers, stock, "evil", login="grace", config=ALLOWING).stage() as stage:
        for _ in range(3):
            assert stage.run(stock.report("evil")).code == 0
        assert [each.state for each in stage.pull.reviews] == ["CHANGES_REQUESTED"]
        stage.pull.push(stock.commits["mended"])
        assert stage.run(stock.report("mended")).code == 0
        assert [each.state for each in stage.pull.reviews] == ["DISMISSED", "APPROVED"]


def test_our_own_pending_review_with_text_is_left_and_said(github_servers: Servers, stock: Stock):
    with prepare(github_servers, stock, "evil").stage() as stage:
        stage.pull.review(stage.me, event="", body="A draft of somebody's")
        done = stage.run(stock.report("evil"))
        assert done.code == 69 and "submit or discard it" in done.told[1]
        assert [each.state for each in stage.pull.reviews] == ["PENDING"]


def test_a_report_that_nobody_vouches_for_takes_no_approval_back(
    github_servers: Servers, stock: Stock
):
    play = lambda stage: stage.run(stock.report("clean"))  # noqa: E731
    scene = prepare(
        github_servers,
        stock,
        "evil",
        play,
        start="clean",
        login="grace",
        config={"approve": True},
        order={"additions_only": True},
    )
    with scene.stage() as stage:
        stage.order = {"additions_only": True}
        assert stage.run(stock.report("evil")).code == 0
        assert stage.approvals() == [stock.commits["clean"]] and len(stage.pull.inline) == 3
