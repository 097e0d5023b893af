"""What publishing costs in requests, how much it says at once, and what it does where GitHub does
not take a line."""

import pytest

from reviewgate_gh.pull_request.placement import MAX_LISTED
from tests.peers.github.handle import GATE, READ_ONLY
from tests.peers.github.servers import Servers

from ..publishing import RESOLVER, Stage, Stock, evil, prepare

REVIEWS, DOCUMENT, STATE = (
    "POST /repos/octo/repo/pulls/1/reviews",
    "POST /graphql",
    "GET /repos/octo/repo/pulls/1",
)


def counted(stage: Stage) -> dict[str, int]:
    """The requests since the last look."""
    calls = dict(stage.github.journal.by_call())
    stage.github.journal.entries.clear()
    return calls


def budget(threads: int, findings: int, minimized: int = 0) -> int:
    """1 viewer + ceil(threads / 100) + 1 review for 30 findings + 2, and one for each comment that
    is minimised."""
    return 1 + -(-threads // 100) + -(-findings // 30) + 2 + minimized


def edited(stage: Stage) -> str:
    """The request that edits the summary."""
    return f"PUT /repos/octo/repo/pulls/1/reviews/{stage.pull.reviews[-2].id}"


@pytest.mark.req("R003-050")
def test_a_first_run_asks_for_everything_at_once_and_an_unchanged_one_sends_nothing(
    github_servers: Servers, stock: Stock
):
    with prepare(github_servers, stock, "evil").stage() as stage:
        assert stage.run(stock.report("evil")).code == 0
        assert (calls := counted(stage)) == {DOCUMENT: 2, STATE: 1, REVIEWS: 1}
        assert sum(calls.values()) <= budget(0, 3)
        assert stage.run(stock.report("evil")).code == 0
        assert counted(stage) == {DOCUMENT: 1, STATE: 1}


@pytest.mark.parametrize("threads", [4, 100, 101, 340])
def test_many_threads_cost_a_request_a_hundred(github_servers: Servers, stock: Stock, threads):
    def play(stage: Stage) -> None:
        stage.pull.review(
            "bob",
            *(
                {"path": "b.py", "line": 1, "body": f"Remark {number}"}
                for number in range(threads - 3)
            ),
        )
        assert stage.run(stock.report("evil")).code == 0

    with prepare(github_servers, stock, "next", play, start="evil").stage() as stage:
        assert stage.run(stock.report("next")).code == 0
        calls = counted(stage)
        assert sum(calls.values()) <= budget(threads, 1, minimized=1)
        # The first look, the last look, and the one comment whose finding is gone.
        edit = edited(stage)
        assert calls == {DOCUMENT: -(-threads // 100) + 2, STATE: 1, REVIEWS: 1, edit: 1}
        assert stage.run(stock.report("next")).code == 0 and counted(stage) == {
            DOCUMENT: -(-(threads + 1) // 100),
            STATE: 1,
        }


def test_ci_is_asked_only_before_an_approval(github_servers: Servers, stock: Stock):
    for name in ("evil", "clean"):
        with prepare(
            github_servers, stock, name, login="grace", config={"approve": True}
        ).stage() as stage:
            for reviews in (1, 0):
                assert stage.run(stock.report(name)).code == 0
                calls = counted(stage)
                asked = {
                    call: calls.pop(call)
                    for call in [*calls]
                    if "/commits/" in call or "/branches/" in call
                }
                assert (
                    bool(asked) == (name == "clean")
                    and set(asked.values()) <= {1}
                    and calls.pop(REVIEWS, 0) == reviews
                )
                # GraphQL counts the rules and says whether the head is still the same, because all
                # that takes its time.
                assert calls == {DOCUMENT: 1 + reviews + bool(asked), STATE: 1}
                assert len(asked) + sum(calls.values()) + reviews <= 10


def test_what_reported_at_the_test_merge_alone_holds_an_approval_back(
    github_servers: Servers, stock: Stock
):
    with prepare(
        github_servers, stock, "clean", login="grace", config={"approve": True}
    ).stage() as stage:
        stage.pull.repo.status(stage.pull.stored.merge_sha, "merge-ci", "failure")
        assert stage.run(stock.report("clean")).code == 0
        assert [each.state for each in stage.pull.reviews] == ["COMMENTED"]
        assert "merge-ci" in stage.pull.reviews[0].body


def test_seventy_findings_are_three_reviews_a_second_apart(github_servers: Servers, stock: Stock):
    with prepare(github_servers, stock, "many", config={"max_inline": 100}).stage() as stage:
        done = stage.run(stock.report("many"))
        posts = stage.github.journal.of("POST", "/repos/*/reviews")
        assert [len(each.json()["comments"]) for each in posts] == [30, 30, 10]
        assert {each.json()["commit_id"] for each in posts} == {stock.commits["many"]} and all(
            each.json()["event"] for each in posts
        )
        assert (
            not stage.github.journal.overlapping
            and len([nap for nap in done.naps if nap > 0.5]) == 2
        )
        calls = counted(stage)
        assert sum(calls.values()) <= budget(0, 70) and calls[DOCUMENT] == 2


@pytest.mark.parametrize("most", [0, 1, 30, 31, 69])
def test_what_is_beyond_max_inline_is_listed_once(github_servers: Servers, stock: Stock, most):
    with prepare(github_servers, stock, "many", config={"max_inline": most}).stage() as stage:
        for _ in range(3):
            assert stage.run(stock.report("many")).code == 0
            text = stage.pull.reviews[0].body
            assert len(stage.pull.inline) == most and text.count(
                "beyond publish.max_inline"
            ) == min(MAX_LISTED, 70 - most)
            assert ("more in the report only" in text) == (70 - most > MAX_LISTED)
        assert len(stage.pull.reviews) == max(1, -(-most // 30))


def test_what_was_listed_is_not_said_again_beside_something_new(
    github_servers: Servers, stock: Stock
):
    scene = prepare(
        github_servers,
        stock,
        "next",
        lambda stage: stage.run(stock.report("evil")),
        start="evil",
        config={"max_inline": 1},
    )
    with scene.stage() as stage:
        assert stage.run(stock.report("next")).code == 0
        first, second = stage.pull.reviews
        assert (
            "d.py:2" in first.body
            and "d.py:2" not in second.body
            and "c.py:5" in [f"{c.origin.path}:{c.origin.line}" for c in stage.pull.inline]
        )
        assert set(stage.said().values()) == {1}


@pytest.mark.parametrize("stays", [29, 0])
def test_of_thirty_only_lines_that_github_does_not_show_go_to_the_text(
    github_servers: Servers, stock: Stock, stays
):
    """The review starts at an older commit than the pull request, whose diff is smaller
    therefore."""
    repo = stock.repo
    wide = {
        "wide.py": "".join(
            f"def f{n}(x):\n    return evil(x + {n})\n\n\n" for n in range(stays or 29)
        ),
        "fine.py": "x = 1\n",
    }
    repo.git("checkout", "--quiet", "-B", "base", "main")
    repo.commit(evil("e.py") if stays else {**wide, **evil("e.py")})
    repo.git("checkout", "--quiet", "-B", "wide", "base")
    stock.commits[f"wide {stays}"] = repo.commit({**wide, "fine.py": "x = 2\n"})
    report = stock.report(f"wide {stays}")
    with prepare(
        github_servers,
        stock,
        f"wide {stays}",
        base="base",
        config={"max_inline": 30},
        report=report,
    ).stage() as stage:
        stage.github.forgive()
        assert stage.run(report).code == 0
        assert len(stage.pull.inline) == stays and len(stage.pull.reviews) == 1
        assert stage.pull.reviews[0].body.count("GitHub rejected its line") == 30 - stays
        calls = counted(stage)
        # Also what GitHub shows, and whether these are all commits
        assert calls.pop(REVIEWS) == 2 and sum(calls.values()) == 5
        assert set(stage.said().values()) == {1} and len(stage.said()) == 30
        assert stage.run(report).code == 0 and counted(stage) == {DOCUMENT: 1, STATE: 1}


def test_permissions_that_are_missing_are_named_and_nothing_is_half_done(
    github_servers: Servers, stock: Stock
):
    with prepare(github_servers, stock, "evil", permissions=READ_ONLY).stage() as stage:
        done = stage.run(stock.report("evil"))
        assert done.code == 69 and "pull-requests: write" in done.told[1] and not stage.pull.reviews


def test_a_thread_that_the_token_may_not_resolve_is_counted_without_a_request(
    github_servers: Servers, stock: Stock
):
    scenes = {
        name: prepare(
            github_servers,
            stock,
            "mended",
            lambda stage: stage.run(stock.report("evil")),
            start="evil",
            config={"resolve": True},
            permissions=held,
        )
        for name, held in (("may not", GATE), ("may", RESOLVER))
    }
    for name, scene in scenes.items():
        with scene.stage() as stage:
            done = stage.run(scene.report)
            [said] = [
                text for text in done.told if text.startswith("threads whose finding is gone")
            ]
            assert said.endswith(
                ": 0 of 3 (3 not permitted by the token) resolved"
                if name == "may not"
                else ": 3 of 3 resolved"
            )
            assert all(each.minimized for each in stage.pull.inline)
            mutations = [
                each
                for each in stage.github.journal.of("POST", "/graphql")
                if b"resolveReviewThread" in each.body
            ]
            assert len(mutations) == (0 if name == "may not" else 3)
