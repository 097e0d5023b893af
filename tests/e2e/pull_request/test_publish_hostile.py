"""Publishing where people, time and odd names get in the way: nothing lost, nothing said twice,
nobody overruled."""

import threading

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.report import Outcome, Verdict
from tests.peers.github.servers import Servers

from ..publishing import Stage, Stock, evil, prepare

ALLOWING = {"approve": True, "request_changes": True}


def hidden(stage: Stage) -> list[str]:
    """The files of the comments that nobody sees."""
    return sorted(each.origin.path for each in stage.pull.inline if each.minimized)


@pytest.mark.parametrize("resolve", [False, True])
def test_a_defect_that_comes_back_is_shown_again(
    github_servers: Servers, stock: Stock, resolve: bool
):
    """Its comment was hidden when it was gone: what is said must be there to be read."""
    with prepare(github_servers, stock, "evil", config={"resolve": resolve}).stage() as stage:
        for name, gone in (("evil", []), ("mended", ["a.py", "b.py", "d.py"]), ("evil", [])):
            stage.pull.push(stock.commits[name])
            assert stage.run(stock.report(name)).code == 0
            assert hidden(stage) == gone and bool(stage.pull.stored.resolved) == (
                resolve and bool(gone)
            )
        assert set(stage.said().values()) == {1} and len(stage.said()) == 3
        sent = len(stage.github.journal.entries)
        assert (
            stage.run(stock.report("evil")).code == 0
            and len(stage.github.journal.entries) == sent + 2
        )


def test_a_thread_that_a_person_resolved_stays_resolved(github_servers: Servers, stock: Stock):
    with prepare(github_servers, stock, "evil", config={"resolve": True}).stage() as stage:
        assert stage.run(stock.report("evil")).code == 0
        for each in stage.pull.inline:
            stage.pull.resolve(each)
        created = stage.created()
        assert (
            stage.run(stock.report("evil")).code == 0
            and stage.created() == created
            and len(stage.pull.stored.resolved) == 3
        )


def test_our_comment_with_a_persons_words_below_it_is_still_ours(
    github_servers: Servers, stock: Stock
):
    """Whoever may write can edit it; on the web that also changes its line ends."""
    with prepare(github_servers, stock, "evil", config={"max_inline": 2}).stage() as stage:
        assert stage.run(stock.report("evil")).code == 0
        for each in (*stage.pull.inline, *stage.pull.reviews):
            each.body = each.body.replace("\n", "\r\n") + "\r\n\r\n_Edited: see #12._"
        created = stage.created()
        assert stage.run(stock.report("evil")).code == 0 and stage.created() == created


def test_a_file_whose_name_no_request_can_hold_takes_no_other_finding_with_it(
    github_servers: Servers, stock: Stock
):
    repo = stock.repo
    repo.git("checkout", "--quiet", "-B", "odd", "main")
    conflict = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> topic\n"
    stock.commits["odd"] = repo.commit({"b\udcff.py": conflict, "😀.py": conflict, **evil("a.py")})
    with prepare(github_servers, stock, "odd").stage() as stage:
        assert stage.run(stock.report("odd")).code == 0
        assert {each.origin.path for each in stage.pull.inline} == {"a.py", "😀.py"}
        assert "`b\\xff.py" in stage.pull.reviews[0].body and len(stage.pull.reviews) == 1, (
            stage.pull.reviews[0].body
        )
        created = stage.created()
        assert stage.run(stock.report("odd")).code == 0 and stage.created() == created


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("name", ["clean", "evil"])
def test_what_is_closed_is_only_commented_on(
    github_servers: Servers, stock: Stock, name: str, merged: bool
):
    with prepare(
        github_servers,
        stock,
        name,
        lambda stage: stage.pull.close(merged),
        login="grace",
        config=ALLOWING,
    ).stage() as stage:
        done = stage.run(stock.report(name))
        assert done.code == 0 and {each.state for each in stage.pull.reviews} == (
            {"COMMENTED"} if name == "evil" else set()
        )
        assert ("merged" if merged else "closed") in " ".join(done.told), done


def test_a_locked_conversation_is_named(github_servers: Servers, stock: Stock):
    with prepare(github_servers, stock, "evil").stage() as stage:
        stage.github.fault(
            "403",
            "POST",
            "/repos/*/reviews",
            text="Unable to create comment because issue is locked.",
        )
        done = stage.run(stock.report("evil"))
        assert done.code == 69 and "unlock" in done.told[1], done


@pytest.mark.parametrize(("name", "state"), [("clean", "APPROVED"), ("evil", "CHANGES_REQUESTED")])
def test_a_verdict_that_a_person_dismissed_is_not_given_again(
    github_servers: Servers, stock: Stock, name: str, state: str
):
    with prepare(github_servers, stock, name, login="grace", config=ALLOWING).stage() as stage:
        assert stage.run(stock.report(name)).code == 0 and [
            each.state for each in stage.pull.reviews
        ] == [state]
        stage.pull.reviews[0].state = "DISMISSED"
        stage.pull.reviews[0].dismissed_with = "I disagree"
        done = stage.run(stock.report(name))
        assert done.code == 0 and [each.state for each in stage.pull.reviews] == ["DISMISSED"], done


def test_only_those_who_found_it_can_say_that_it_is_gone(github_servers: Servers, stock: Stock):
    """A second job on the same pull request, with other reviewers and the same token, knows nothing
    of these findings."""
    scene = prepare(
        github_servers, stock, "next", lambda stage: stage.run(stock.report("evil")), start="evil"
    )
    whole = stock.report("next")
    rows = tuple(row for row in whole.reviews if row.reviewer == "builtin")
    other = replace(whole, findings=(), reviews=rows, verdict=Verdict(Outcome.PASS))
    with scene.stage() as stage:
        assert rows and stage.run(other).code == 0 and not hidden(stage)
        assert stage.run(whole).code == 0 and hidden(stage) == ["a.py"]
        created = stage.created()
        assert (
            stage.run(other).code == 0 and stage.created() == created and hidden(stage) == ["a.py"]
        )


def test_what_is_no_longer_part_of_the_change_is_gone_whoever_found_it(
    github_servers: Servers, stock: Stock
):
    """Nobody is asked about a file that is not there."""
    repo = stock.repo
    repo.git("checkout", "--quiet", "-B", "emptied", stock.commits["evil"])
    stock.commits["emptied"] = repo.commit(
        dict.fromkeys(("a.py", "b.py", "d.py", "fine.py")) | {"notes.txt": "one\n"}
    )
    with prepare(
        github_servers,
        stock,
        "emptied",
        lambda stage: stage.run(stock.report("evil")),
        start="evil",
    ).stage() as stage:
        assert stage.run(stock.report("emptied")).code == 0 and hidden(stage) == [
            "a.py",
            "b.py",
            "d.py",
        ]


@pytest.mark.parametrize("login", ["github-actions[bot]", "grace"])
def test_a_review_of_the_last_commits_alone_closes_nothing_and_takes_nothing_back(
    github_servers: Servers, stock: Stock, login: str
):
    repo = stock.repo
    if "more" not in stock.commits:
        repo.git("checkout", "--quiet", "-B", "more", stock.commits["evil"])
        stock.commits["more"] = repo.commit({"more.py": "x = 1\n"})
    config = {"request_changes": login == "grace"}
    play = lambda stage: stage.run(stock.report("evil"))  # noqa: E731
    with prepare(
        github_servers, stock, "more", play, start="evil", login=login, config=config
    ).stage() as stage:
        before = [each.state for each in stage.pull.reviews]
        assert before == ["CHANGES_REQUESTED" if login == "grace" else "COMMENTED"]
        done = stage.run(stock.report("more", "evil"))
        assert (
            done.code == 0
            and not hidden(stage)
            and [each.state for each in stage.pull.reviews] == before
        ), done
        assert "only some of the pull request" in " ".join(done.told), done


def test_a_text_that_lists_again_what_is_listed_is_trimmed(github_servers: Servers, stock: Stock):
    """The first look was shown an older state, as replicas do: of this review's text only what is
    new stays."""
    config = {"max_inline": 1}
    scene = prepare(
        github_servers,
        stock,
        "next",
        lambda stage: stage.run(stock.report("evil")),
        start="evil",
        config=config,
    )
    with scene.stage() as stage:
        stage.github.fault("stale", "POST", "/graphql")
        assert stage.run(stock.report("next")).code == 0
        assert set(stage.said().values()) == {1} and len(stage.said()) == 4, stage.pull.reviews[
            -1
        ].body
        for _ in range(2):
            created = stage.created()
            assert stage.run(stock.report("next")).code == 0 and stage.created() == created
            assert set(stage.said().values()) == {1}


def test_two_heads_at_once_list_nothing_twice(github_servers: Servers, stock: Stock):
    with prepare(
        github_servers, stock, "next", start="evil", config={"max_inline": 0}
    ).stage() as stage:
        gate = threading.Barrier(2, timeout=30)
        stage.github.faults.on("POST", "/repos/*/pulls/*/reviews", times=2, before=gate.wait)
        runs = [
            threading.Thread(target=stage.run, args=(stock.report(name),))
            for name in ("evil", "next")
        ]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        assert set(stage.said().values()) == {1} and len(stage.said()) == 4
        assert all("0 findings" not in each.body for each in stage.pull.reviews)
        for _ in range(2):
            created = stage.created()
            assert (
                stage.run(stock.report("next")).code == 0
                and stage.created() == created
                and set(stage.said().values()) == {1}
            )


def test_a_finding_follows_its_file_to_another_name(github_servers: Servers, stock: Stock):
    """Renamed by the next push: the comment stands at the old name, and says what there is to
    say."""
    repo = stock.repo
    repo.git("checkout", "--quiet", "-B", "old", "main")
    text = "".join(f"x{n} = {n}\n" for n in range(30))
    stock.commits["old"] = repo.commit({"old.py": text})
    repo.git("checkout", "--quiet", "--detach")
    stock.commits["here"] = repo.commit({"old.py": text + "\n\ndef f(x):\n    return evil(x)\n"})
    repo.git("mv", "old.py", "new.py")
    stock.commits["there"] = repo.commit()
    play = lambda stage: stage.run(stock.report("here", "old"))  # noqa: E731
    with prepare(
        github_servers,
        stock,
        "there",
        play,
        start="here",
        base="old",
        report=stock.report("there", "old"),
    ).stage() as stage:
        created = stage.created()
        assert stage.run(stock.report("there", "old")).code == 0 and stage.created() == created
        assert [each.origin.path for each in stage.pull.inline] == ["old.py"] and not hidden(stage)


def test_an_approval_that_a_force_push_moved_to_other_code_is_taken_back(
    github_servers: Servers, stock: Stock
):
    """GitHub says then that the review is about the new head; the marker knows better."""
    play = lambda stage: stage.run(stock.report("clean"))  # noqa: E731
    scene = prepare(
        github_servers,
        stock,
        "rewritten",
        play,
        start="clean",
        login="grace",
        config={"approve": True},
    )
    with scene.stage() as stage:
        assert stage.approvals() == [stock.commits["clean"]]
        assert {each.commit_id for each in stage.pull.reviews} == {stock.commits["rewritten"]}
        assert stage.run(scene.report).code == 0 and not stage.approvals()
        assert [each.state for each in stage.pull.reviews] == ["DISMISSED", "COMMENTED"]
