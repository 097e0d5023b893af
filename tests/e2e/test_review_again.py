"""A pull request that is reviewed again: models read what is new, and what stood open stays in the verdict, said once."""

import json
from collections.abc import Iterator

import pytest

from tests.peers.model_server import ModelServer, serving
from tests.support import Repo

from .panels import claim, kind, panel
from .test_review_pull_posts import Hosted

pytestmark = pytest.mark.peer
CODE = "def mean(items):\n    total = sum(items)\n    return total / len(items)\n"
QUIET = {"cache": False, "verify": False, "reverse_audit": {"max_rounds": 0}, "lenses": ["correctness", "security"]}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(panel()) as up:
        yield up


@pytest.fixture
def hosted(github, repo: Repo, tmp_path, server) -> Hosted:
    """A pull request on which a model finds a division by zero, reviewed and posted once."""
    one = {"type": "api", "options": {"dialect": "openai", "url": server.url("openai"), "model": "m"}}
    reviewers = {"builtin": {"type": "builtin"}, "one": one}
    repo.commit({".reviewgate-gh.yaml": json.dumps({"reviewers": reviewers, "ensemble": QUIET})}, "config")
    server.answer = panel(lambda what: [claim()] if what == "Correctness" else [])
    hosted = Hosted(github, repo, tmp_path).open({"a.py": CODE})
    done, report = hosted.review("--publish")
    assert done.code == 1 and [each["path"] for each in report["findings"]] == ["a.py"], done.output
    assert len(hosted.pull.inline) == 1 and len(hosted.pull.reviews) == 1 and "reviewgate-gh:open" in hosted.pull.reviews[0].body
    server.requests.clear()
    server.answer = panel()  # a model that has forgotten everything
    return hosted


def push(hosted: Hosted, files) -> None:
    hosted.repo.switch("topic")
    hosted.repo.commit(files)
    hosted.repo.switch("main")
    hosted.pull.push()


def again(hosted: Hosted, code: int):
    done, report = hosted.review("--publish")
    assert done.code == code, done.output
    return report


def test_models_read_what_is_new_and_the_verdict_keeps_what_stood_open(hosted, server):
    push(hosted, {"b.py": "x = 1\n", "a.py": "# a comment\n\n" + CODE})
    report = again(hosted, 1)
    (finding,) = report["findings"]
    assert (finding["line_start"], finding["sources"], finding["state"]) == (5, ["one/correctness", "earlier review"], "open")
    assert len(server.requests) == 2 and all("x = 1" in each for each in server.prompts)
    assert "What is new in the change" in server.prompts[0]
    assert len(hosted.pull.inline) == 1 and any("models read what is new since" in each for each in report["notices"])


def test_the_same_commit_is_not_read_again(hosted, server):
    report = again(hosted, 1)
    assert not server.requests and [each["title"] for each in report["findings"]] == ["Division by zero on an empty list"]
    assert len(hosted.pull.inline) == 1 and len(hosted.pull.reviews) == 1


def test_a_finding_is_gone_when_its_code_is(hosted, server):
    push(hosted, {"a.py": CODE.replace("return total / len(items)", "return statistics.fmean(items)")})
    report = again(hosted, 0)
    assert not report["findings"] and len(server.requests) == 2 and "fmean" in server.prompts[0]
    assert [each.minimized for each in hosted.pull.inline] == ["RESOLVED"]


def test_what_is_new_is_posted_and_kept_as_well(hosted, server):
    push(hosted, {"b.py": "import os\nos.remove(path)\n"})
    new = claim(
        file="b.py", quote="os.remove(path)", title="Deletes a path that nobody checked", body="Any path is deleted.", category="security"
    )
    server.answer = panel(lambda what: [new] if what == "Security" else [])
    assert {each["path"] for each in again(hosted, 1)["findings"]} == {"a.py", "b.py"}
    assert sorted(each.origin.path for each in hosted.pull.inline) == ["a.py", "b.py"]
    server.answer = panel()
    push(hosted, {"c.py": "y = 2\n"})
    assert {each["path"] for each in again(hosted, 1)["findings"]} == {"a.py", "b.py"}
    assert len(hosted.pull.inline) == 2 and "y = 2" in server.prompts[-1] and "os.remove" not in server.prompts[-1]


def test_after_a_rebase_everything_is_read(hosted, server):
    hosted.repo.git("branch", "before", "topic")
    hosted.repo.switch("topic")
    hosted.repo.git("commit", "--quiet", "--amend", "--message", "another")
    hosted.repo.switch("main")
    hosted.pull.push()
    again(hosted, 0)
    assert len(server.requests) == 2 and "return total" in server.prompts[0]


def test_asked_to_forget_it_reads_everything(hosted, server):
    push(hosted, {"b.py": "x = 1\n"})
    done, _report = hosted.review("--no-cache")
    assert done.code == 0 and "return total" in server.prompts[0] and [*map(kind, server.requests)] != []


def test_after_a_review_that_was_not_whole_everything_is_read(hosted, server):
    push(hosted, {"b.py": "import os\nos.remove(path)\n"})
    new = claim(file="b.py", quote="os.remove(path)", title="Deletes a path that nobody checked", body="Any path is deleted.")
    answer = panel(lambda what: [new] if what == "Correctness" else [])
    server.answer = lambda asked: "no" if kind(asked) == "Security" else answer(asked)
    again(hosted, 1)
    server.requests.clear()
    server.answer = panel()
    push(hosted, {"c.py": "y = 2\n"})
    again(hosted, 0)
    assert "return total" in server.prompts[0] and "y = 2" in server.prompts[0]
