"""The one summary of a pull request: it says what is so now, whatever happened before, and what it
alone lists can be dismissed."""

import re

import pytest

from tests.peers.github.servers import Servers
from tests.unit.reporters.golden import assert_golden

from ..publishing import Stage, Stock, prepare


def opened(servers: Servers, stock: Stock, most: int = 1, **more):
    """Three findings, of which the first has a comment and two are listed."""
    return prepare(
        servers,
        stock,
        "evil",
        lambda stage: stage.run(stock.report("evil")),
        config={"max_inline": most, **more},
    ).stage()


def pushed(stage: Stage, stock: Stock, name: str) -> str:
    """The summary after a push and a review."""
    stage.pull.push(stock.commits[name])
    done = stage.run(stock.report(name))
    assert done.code == 0, done
    return summary(stage)


def summary(stage: Stage) -> str:
    """The one text that has a verdict."""
    [text] = [each.body for each in stage.pull.reviews if "**reviewgate-gh: " in each.body]
    return text


def fingerprint(stock: Stock, path: str) -> str:
    [found] = [each for each in stock.report("evil").findings if each.path == path]
    return found.fingerprint


def test_it_is_edited_from_push_to_push_and_its_last_word_is_the_last_verdict(
    github_servers: Servers, stock: Stock
):
    with opened(github_servers, stock) as stage:
        texts = [summary(stage)]
        texts += [pushed(stage, stock, name) for name in ("next", "mended", "mended", "again")]
        first, second, fixed, same, again = texts
        assert first.startswith("**reviewgate-gh: block**") and "1 with a comment" in first
        assert "Earlier reviews" not in first and "3 open" in first and "3 open" in second
        assert fixed.startswith("**reviewgate-gh: pass**") and same == fixed
        assert "4 fixed" in fixed and " open" not in fixed
        assert "P1" not in fixed.partition("<details>")[0], "nothing that is gone is open"
        assert again.startswith("**reviewgate-gh: block**") and "3 open" in again
        # One commit per review, the newest first
        seen = re.findall(r"(?m)^- `([0-9a-f]{12})` (\w+) · ", again)
        names = ("mended", "next", "evil")
        assert seen == [
            (stock.commits[name][:12], "pass" if name == "mended" else "block") for name in names
        ]
        marks = {stock.commits[name]: name for name in stock.commits}
        told = re.sub("[0-9a-f]{40}", lambda found: marks.get(found[0], found[0]), fixed)
        assert_golden("summary.txt", settled(stock, f"{first}\n\n{'=' * 20}\n\n{told}\n"))


def settled(stock: Stock, text: str) -> str:
    """Without what differs from machine to machine."""
    for name, sha in stock.commits.items():
        text = text.replace(sha, f"<{name}>").replace(sha[:12], f"<{name}>")
    text = re.sub(r"(ruff|builtin|change) [0-9.]+", r"\1 VERSION", text)
    text = re.sub(r"<!-- .* -->", "<!-- marker -->", text)
    base = stock.repo.rev("main")
    return text.replace(base, "<main>").replace(base[:12], "<main>")


def test_an_unchanged_run_sends_nothing_and_a_push_one_edit(github_servers: Servers, stock: Stock):
    with opened(github_servers, stock) as stage:
        stage.github.journal.entries.clear()
        assert stage.run(stock.report("evil")).code == 0
        assert len(stage.github.journal.entries) == 2
        pushed(stage, stock, "mended")
        edits = stage.github.journal.of("PUT", "/repos/*/reviews/*")
        assert len(edits) == 1 and len(stage.pull.reviews) == 1


@pytest.mark.parametrize(
    ("who", "words", "holds"),
    [
        ("grace", "{name} x is a constant", True),
        ("grace", "`{name}`: x is a constant", True),
        ("eve", "{name} x is a constant", False),
        ("grace", "{name}", False),
        ("grace", "x is a constant", False),
        ("ada", "{name} x is a constant", False),
    ],
    ids=["a writer", "in code", "a stranger", "no reason", "no name", "the author"],
)
def test_a_listed_finding_is_dismissed_in_the_conversation(
    github_servers: Servers, stock: Stock, who: str, words: str, holds: bool
):
    with opened(github_servers, stock) as stage:
        stage.hosted.stored.collaborators |= {"grace": "write", "ada": "write"}
        name = fingerprint(stock, "b.py")
        stage.pull.say(who, f"Hm.\n/reviewgate-gh dismiss {words.format(name=name)}")
        for _ in range(2):  # the second time from its row under "Dismissed"
            assert stage.run(stock.report("evil")).code == 0
            text = summary(stage)
            assert (f"`{name}`; dismissed by grace: x is a constant)" in text) == holds, text
            assert (f"{who} asked to dismiss" in text) != holds
            assert ("2 open" in text) == holds and ("1 dismissed" in text) == holds
        assert stage.said()[name] == (0 if holds else 1)


@pytest.mark.parametrize("whole", [True, False], ids=["alone", "with a reply"])
@pytest.mark.parametrize("author", ["", "write"], ids=["", "the author may write"])
def test_a_comment_that_somebody_deleted_stays_deleted(
    github_servers: Servers, stock: Stock, author: str, whole: bool
):
    with opened(github_servers, stock, most=10) as stage:
        stage.hosted.stored.collaborators |= {"ada": author} if author else {}
        gone = next(each for each in stage.pull.inline if each.origin.path == "b.py")
        if not whole:
            stage.pull.reply(gone, "bob", "Hm")
        stage.hosted.stored.review_comments.remove(gone)
        name, before = fingerprint(stock, "b.py"), stage.created()
        for _ in range(2):
            stage.github.journal.entries.clear()
            assert stage.run(stock.report("evil")).code == 0
            text = summary(stage)
            assert stage.created() == before and name in text, text
            assert ("dismissed by somebody: its comment was deleted" in text) == (not author)
            assert (f"`{name}`; its comment was deleted)" in text) == bool(author), text


def test_a_list_that_lags_behind_deletes_nothing(github_servers: Servers, stock: Stock):
    """A comment that only one of two answers shows was not deleted."""
    with opened(github_servers, stock, most=10) as stage:
        kept = list(stage.hosted.stored.review_comments)
        back = lambda: stage.hosted.stored.review_comments.__setitem__(slice(None), kept)  # noqa: E731
        stage.hosted.stored.review_comments.clear()
        stage.github.faults.on("POST", "/graphql", after=back)
        assert stage.run(stock.report("evil")).code == 0
        assert "deleted" not in summary(stage) and set(stage.said().values()) == {1}


def test_one_that_cannot_be_edited_is_posted_again(github_servers: Servers, stock: Stock):
    with opened(github_servers, stock) as stage:
        stage.github.fault("403", "PUT", "/repos/*/reviews/*")
        stage.pull.push(stock.commits["mended"])
        assert stage.run(stock.report("mended")).code == 0
        texts = [each.body for each in stage.pull.reviews]
        assert len(texts) == 2 and texts[-1].startswith("**reviewgate-gh: pass**")
        before = stage.created()
        assert stage.run(stock.report("mended")).code == 0 and stage.created() == before


def test_an_unverified_report_leaves_the_summary_alone(github_servers: Servers, stock: Stock):
    with opened(github_servers, stock) as stage:
        before = summary(stage)
        stage.order = {"additions_only": True}
        stage.pull.push(stock.commits["next"])
        assert stage.run(stock.report("next")).code == 0
        first, second = [each.body for each in stage.pull.reviews]
        assert first == before and second.startswith("**reviewgate-gh: block**")
        stage.order = {}
        assert stage.run(stock.report("next")).code == 0
        first, second = [each.body for each in stage.pull.reviews]
        assert first != before and stock.commits["next"][:12] in first
