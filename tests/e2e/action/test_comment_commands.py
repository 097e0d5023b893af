"""Commands by comment: who may give them, what they do, and that each is answered once."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from reviewgate_gh.action.comment import answer_comment
from reviewgate_gh.action.step import ActionContext
from reviewgate_gh.git import open_repository
from reviewgate_gh.github.client import open_github
from reviewgate_gh.github.runner import StepLog
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.system.environment import Environment
from tests.github import issue_comment, step
from tests.support import Repo

from ..panels import CODE, claim, declare, panel
from ..publishing import Skipping, evil
from ..serving import served

NAME = r"`([0-9a-f]{16})`"


@dataclass
class Told:
    """A repository at GitHub with a pull request of ada's, and a clone of its default branch."""

    github: Any
    repo: Repo
    clone: Repo
    stored: Any
    pull: Any
    token: str
    job: dict[str, str] = field(default_factory=dict)

    def say(self, words: str, by: str = "grace") -> Any:
        return self.pull.say(by, words)

    def act(self, said: Any, **event: Any) -> int:
        """The step for a comment: its exit code, or that of the error which ends it."""
        variables = {
            **self.clone.env,
            **self.github.env(),
            "CI": "true",
            "GITHUB_SHA": self.clone.head,
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(self.clone.path.parent),
            "REVIEWGATE_GH_INPUT_TOKEN": self.token,
            **self.job,
        }
        signed = Environment({**variables, "GITHUB_TOKEN": self.token}, self.clone.path)
        client = open_github(signed, "octo/repo", timing=Skipping().timing)
        environment = Environment(variables, self.clone.path)
        git = open_repository(self.clone.path, variables)
        payload = {**issue_comment(said), **event}
        try:
            return answer_comment(
                payload, StepLog(), ActionContext(git, environment, lambda: client)
            )
        except GateError as error:
            return int(error.exit)

    def answered(self, words: str, by: str = "grace") -> tuple[int, list[str]]:
        """The exit code for a new comment, and the reactions that it has in the end."""
        comment = self.say(words, by)
        return self.act(comment), reactions(comment)

    @property
    def summary(self) -> str:
        [text] = [each.body for each in self.pull.reviews if "**reviewgate-gh: " in each.body]
        return text

    @property
    def answers(self) -> list[str]:
        """The comments in which commands are answered."""
        return [each.body for each in self.pull.comments if "reviewgate-gh:answers" in each.body]

    @property
    def written(self) -> list[str]:
        """Every request that changes something, GraphQL left out."""
        return [
            f"{each.method} {each.path}"
            for each in self.github.journal.entries
            if each.method != "GET" and "graphql" not in each.path
        ]


def reactions(comment: Any) -> list[str]:
    return [word for _, _, word in comment.reactions]


def opened(github, repo: Repo, files: dict[str, str]) -> Told:
    base, seconds = repo.head, count(1_800_000_000)
    github.world.clock = lambda: next(seconds)
    repo.branch("topic")
    repo.commit(files)
    stored = github.repository(repo.path)
    stored.stored.collaborators |= {"grace": "write", "ada": "write", "rita": "read"}
    pull = stored.pull("topic")
    clone = repo.clone(repo.path.parent / "clone")
    clone.git("checkout", "--quiet", base)
    # What the docs' workflow gives its job
    token = github.token(contents="read", pull_requests="write")
    return Told(github, repo, clone, stored, pull, token)


@pytest.fixture
def told(github, repo: Repo) -> Told:
    return opened(github, repo, evil("a.py", "b.py"))


def test_a_writer_asks_for_a_review_and_a_second_run_of_the_step_says_nothing(told: Told):
    comment = told.say("Please:\n/reviewgate-gh review")
    assert told.act(comment) == 0 and reactions(comment) == ["+1"]
    assert "**reviewgate-gh: block**" in told.summary and not told.answers
    assert {each.commit_id for each in told.pull.reviews} == {told.pull.stored.head_sha}
    told.github.journal.entries.clear()
    assert told.act(comment) == 0 and not told.written
    assert not told.clone.file("a.py").exists(), "the head was read as objects"


STRANGERS = {
    "a stranger": ("eve", "/reviewgate-gh review", {}),
    "a reader": ("rita", "/reviewgate-gh review", {}),
    "a bot that may write": ("helper[bot]", "/reviewgate-gh review", {}),
    "no command": ("grace", "Looks good to me", {}),
    "code": ("grace", "```\n/reviewgate-gh review\n```", {}),
    "a quote": ("grace", "> /reviewgate-gh review", {}),
    "an edited event": ("grace", "/reviewgate-gh review", {"action": "edited"}),
    "somebody else's event": ("grace", "/reviewgate-gh review", {"sender": {"id": 1}}),
    "an issue": ("grace", "/reviewgate-gh review", {"issue": {"number": 1}}),
}


@pytest.mark.req("R008-012")
def test_what_is_no_command_of_a_writer_changes_nothing(told: Told):
    told.stored.stored.collaborators["helper[bot]"] = "admin"
    for case, (by, words, event) in STRANGERS.items():
        assert told.act(told.say(words, by), **event) == 0
        assert not told.written, case


@pytest.mark.req("R008-012")
def test_a_comment_that_is_edited_or_deleted_before_the_step_starts_is_none(told: Told):
    comment = told.say("/reviewgate-gh review")
    comment.body, comment.edited = "/reviewgate-gh help", "later"
    assert (
        told.act(comment, comment=issue_comment(comment, "/reviewgate-gh review")["comment"]) == 0
    )
    gone = told.stored.stored.comments
    gone.remove(comment)
    assert told.act(comment) == 0 and not told.written
    comment = told.say("/reviewgate-gh help")
    told.github.fault("", "POST", "*/reactions", nth=2, before=lambda: gone.remove(comment))
    assert told.act(comment) == 0 and len(told.answers) == 1


def test_whoever_took_over_a_writers_login_is_a_stranger(told: Told):
    comment = told.say("/reviewgate-gh review")
    told.github.world.accounts["grace"] = told.github.world.account("another")
    assert told.act(comment) == 0 and not told.written


@pytest.mark.req("R008-015")
def test_dismissals_are_taken_and_taken_back_and_both_are_listed(told: Told):
    assert told.answered("/reviewgate-gh review")[1] == ["+1"]
    [name, other] = sorted(set(re.findall(NAME, told.summary)))
    dismissed = told.answered(f"/reviewgate-gh dismiss {name} x is a constant")
    assert dismissed == (0, ["+1"]) and f"`{name}`; dismissed by grace: x is" in told.summary
    code, given = told.answered(f"/reviewgate-gh dismiss {other} mine", by="ada")
    assert (code, given) == (0, ["confused"]) and "opened the pull request" in told.answers[0]
    assert told.answered(f"/reviewgate-gh undismiss {name}", by="ada") == (0, ["+1"])
    assert "ada took back the dismissal of" in told.summary and "2 open" in told.summary
    again = told.answered(f"/reviewgate-gh dismiss {name} it is, really")
    assert again[1] == ["+1"] and "dismissed by grace: it is, really" in told.summary
    edited = next(each for each in told.pull.comments if "it is, really" in each.body)
    edited.body, edited.edited = edited.body.replace("really", "truly"), "later"
    assert told.answered("/reviewgate-gh recheck")[1] == ["+1"]
    assert "in a comment that was edited since" in told.summary and "2 open" in told.summary
    assert not told.github.duplicates()


def test_explanations_stand_in_one_comment_which_says_each_once(told: Told):
    assert told.answered("/reviewgate-gh recheck")[1] == ["+1"]
    names = sorted(set(re.findall(NAME, told.summary)))
    for name in (*names, f"  {names[0]}"):
        assert told.answered(f"/reviewgate-gh explain {name}")[1] == ["+1"]
    [text] = told.answers
    assert all(text.count(f"answer explain:{name} ") == 1 for name in names)
    assert "It blocks" in text and "State: open" in text and "F821" in text
    edits = len([each for each in told.written if each.startswith("PATCH")])
    assert edits == 1, "one that says the same is no edit"
    assert told.answered(f"/reviewgate-gh explain {'0' * 16}")[1] == ["confused"]
    assert len(told.answers) == 1 and not told.github.duplicates()


def test_what_is_unknown_or_malformed_is_refused_with_help_once(told: Told):
    for words in ("frobnicate", "review main", "review --all", "dismiss 0123456789abcdef", "", "x"):
        assert told.answered(f"/reviewgate-gh {words}") == (0, ["confused"]), words
    [text] = told.answers
    assert text.count("`/reviewgate-gh review [SHA]`") == 1
    assert told.answered("/reviewgate-gh help") == (0, ["+1"])
    assert told.answers == [text] and not told.pull.reviews


def test_a_closed_pull_request_is_not_reviewed(told: Told):
    told.pull.close()
    assert told.answered("/reviewgate-gh review\n/reviewgate-gh help") == (0, ["confused"])
    assert "the pull request is closed" in told.answers[0] and not told.pull.reviews


def test_the_head_that_was_read_first_is_the_one_reviewed(told: Told):
    first = told.pull.stored.head_sha

    def push() -> None:
        told.repo.switch("topic")
        told.repo.commit({"a.py": "x = 1\n"})
        told.pull.push()

    told.github.fault("", "GET", "*/pulls/1", nth=1, after=push)
    assert told.answered("/reviewgate-gh review")[1] == ["+1"]
    assert f"Commit `{first[:12]}` was reviewed, but the head is now" in told.summary
    assert told.answered(f"/reviewgate-gh review {first[:9]}")[1] == ["+1"]
    assert f"Commit `{first[:12]}`, which is not the head: **block**" in told.answers[0]
    for foreign in (told.repo.rev("main"), "0" * 40):
        assert told.answered(f"/reviewgate-gh review {foreign}")[1] == ["confused"]
    assert "is no commit of this pull request" in told.answers[0]
    assert told.answered(f"/reviewgate-gh review {told.pull.stored.head_sha}")[1] == ["+1"]
    assert "1 open" in told.summary


@pytest.mark.req("R008-013")
def test_two_comments_at_once_are_both_answered_and_nothing_is_said_twice(told: Told):
    assert told.answered("/reviewgate-gh review")[1] == ["+1"]
    names = sorted(set(re.findall(NAME, told.summary)))
    said = [
        told.say(f"/reviewgate-gh dismiss {name} no\n/reviewgate-gh explain {name}")
        for name in names
    ]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(told.act, said)) == [0, 0]
    assert [reactions(each) for each in said] == [["+1"], ["+1"]]
    assert "2 dismissed" in told.summary and "open" not in told.summary.partition("\n\n")[2][:20]
    assert all(f"answer explain:{name} " in told.answers[0] for name in names)
    assert len(told.answers) == 1 and not told.github.duplicates()


def test_a_dismissal_that_comes_while_another_run_writes_is_not_overwritten(told: Told):
    assert told.answered("/reviewgate-gh review")[1] == ["+1"]
    first, other = sorted(set(re.findall(NAME, told.summary)))

    def meanwhile() -> None:
        assert told.answered(f"/reviewgate-gh dismiss {other} no")[1] == ["+1"]
        assert "1 dismissed" in told.summary or "2 dismissed" in told.summary

    told.github.fault("", "PUT", "*/pulls/1/reviews/*", before=meanwhile)
    assert told.answered(f"/reviewgate-gh dismiss {first} no")[1] == ["+1"]
    assert "2 dismissed" in told.summary and not told.github.duplicates()


@pytest.mark.req("R008-013")
@pytest.mark.parametrize("where", ["*/issues/1/comments", "*/reactions", "*/pulls/1/reviews"])
def test_after_a_lost_answer_the_next_run_says_nothing_twice(told: Told, where: str):
    told.github.fault("502", "POST", where, stored=True, times=9)
    comment = told.say("/reviewgate-gh recheck\n/reviewgate-gh help")
    told.act(comment)
    told.github.faults.planned.clear()
    assert told.act(comment) == 0 and reactions(comment) == ["+1"]
    assert len(told.answers) == 1 and not told.github.duplicates()


@pytest.mark.req("R008-014")
def test_a_forks_head_is_no_file_beside_the_token(told: Told):
    fork = told.stored.pull("topic", fork="eve/repo")
    comment = fork.say("grace", "/reviewgate-gh review")
    told.clone.git("fetch", "--quiet", "origin", "topic")
    told.clone.git("checkout", "--quiet", "FETCH_HEAD")
    assert told.act(comment) == 0 and reactions(comment) == ["confused"]
    assert "refusing issue\\_comment" in fork.comments[-1].body or (
        "commits checked out" in fork.comments[-1].body
    )
    told.clone.git("checkout", "--quiet", "main")
    comment = fork.say("grace", "/reviewgate-gh review")
    assert told.act(comment) == 0 and reactions(comment) == ["+1"] and fork.reviews


def test_the_action_answers_the_event(told: Told, tmp_path):
    comment = told.say("/reviewgate-gh help", by="eve")
    env = {**told.github.env()}
    done = step(
        told.clone, "issue_comment", issue_comment(comment), tmp_path, env=env, token=told.token
    )
    assert done.ran.code == 0 and "eve has no write permission" in done.ran.stdout, done.ran.output
    bare = step(told.clone, "issue_comment", issue_comment(comment), tmp_path, env=env)
    assert bare.ran.code == 64 and "the input token is required" in bare.ran.stderr


def test_only_review_asks_models_and_what_they_found_outlives_a_dismissal(
    github, repo: Repo, model_server
):
    more = "ensemble: {lenses: [correctness], reverse_audit: {max_rounds: 0}, cache: false}"
    declare(repo, {"one": model_server}, more)
    model_server.answer = panel(lambda what: [claim()])
    told = opened(github, repo, {"a.py": CODE})
    assert told.answered("/reviewgate-gh recheck") == (0, ["confused"])
    assert "have not read" in told.answers[0] and not told.pull.reviews
    assert not model_server.requests
    assert told.answered("/reviewgate-gh review") == (0, ["+1"])
    asked, [name] = len(model_server.requests), set(re.findall(NAME, told.summary))
    assert asked
    assert told.answered(f"/reviewgate-gh dismiss {name} never empty")[1] == ["+1"]
    assert "1 dismissed" in told.summary
    assert told.answered("/reviewgate-gh recheck")[1] == ["+1"] and "1 dismissed" in told.summary
    assert told.answered(f"/reviewgate-gh undismiss {name}")[1] == ["+1"]
    assert "1 open" in told.summary and len(model_server.requests) == asked
    told.repo.switch("topic")
    told.repo.commit({"b.py": "x = 1\n"})
    told.pull.push()
    assert told.answered("/reviewgate-gh recheck?\n/reviewgate-gh recheck")[1] == ["confused"]
    assert told.answered("/reviewgate-gh review")[1] == ["+1"]
    assert len(model_server.requests) > asked
    asked = len(model_server.requests)
    assert told.answered(f"/reviewgate-gh dismiss {name} really not")[1] == ["+1"]
    assert told.answered("/reviewgate-gh recheck\n")[1] == ["+1"]
    assert "1 dismissed" in told.summary and len(model_server.requests) == asked


def test_a_review_by_comment_reads_what_the_pull_requests_ci_says(github, repo, model_server):
    more = "ensemble: {lenses: [build-and-test], reverse_audit: {max_rounds: 0}, cache: false}"
    declare(repo, {"one": model_server}, more)
    model_server.answer = panel()
    told = opened(github, repo, {"a.py": CODE})
    told.token = github.token(contents="read", pull_requests="write", checks="read")
    failed = told.stored.check(repo.rev("topic"), "tests (3.12)", "failure")
    failed.output = {"title": "1 failed", "summary": "mean([]) raised ZeroDivisionError"}
    assert told.answered("/reviewgate-gh review")[1] == ["+1"]
    assert "check tests (3.12): failure\n  1 failed" in model_server.requests[0].prompt


def test_a_private_repository_is_fetched_with_the_token_and_from_its_own_server_only(told: Told):
    """The checkout has kept no credentials."""
    bare = told.repo.path.parent / "private.git"
    told.repo.git("clone", "--quiet", "--mirror", str(told.repo.path), str(bare))
    with served(bare, f"x-access-token:{told.token}") as address:
        told.clone.git("remote", "set-url", "origin", address)
        told.job = {"GITHUB_SERVER_URL": address.rpartition("/")[0]}
        assert told.answered("/reviewgate-gh review") == (0, ["+1"])
        config = told.clone.git("config", "--list")
        assert "extraheader" not in config.lower()
        told.job = {"GITHUB_SERVER_URL": "http://127.0.0.1:9"}
        told.pull.stored.head_sha = told.repo.commit({"c.py": "x = 1\n"})
        assert told.answered("/reviewgate-gh review") == (69, ["eyes"])
