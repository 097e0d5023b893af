"""Attacks on whole runs with language models, in this process: recordings, floods, odd changes, deadlines, two runs at once."""

import json
import os
import time
from collections.abc import Iterator

import pytest

from reviewgate_gh.flows.deliver import final_exit, render
from reviewgate_gh.flows.review import Order, Recall, review
from reviewgate_gh.model.report import Report
from reviewgate_gh.model.selection import Selection
from reviewgate_gh.reporters._look import Look
from reviewgate_gh.steps.scope import count_states
from reviewgate_gh.system.git import open_repository
from reviewgate_gh.system.git.ranges import find_range
from reviewgate_gh.system.world import World
from tests.peers.model_server import ModelServer, serving
from tests.support import Repo

from .panels import CODE, claim, declare, nonce, panel

QUICK = "ensemble: {lenses: [correctness], reverse_audit: {max_rounds: 0}}"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(panel()) as up:
        yield up


@pytest.fixture
def other() -> Iterator[ModelServer]:
    with serving(panel()) as up:
        yield up


def reviewed(repo: Repo, base: str = "HEAD~1", env: dict[str, str] | None = None, **order) -> Report:
    """A run in this process; every form of its report can be drawn."""
    world = World({**os.environ, **(env or {})}, repo.path)
    git = open_repository(repo.path, world.env)
    report = review(Order(find_range(git, Selection(base=base)), **order), git, world)
    for form in ("terminal", "json", "sarif", "markdown", "annotations", "agent"):
        render(report, form, Look()).encode()
    assert sum(count_states(report.findings).values()) == len(report.findings)
    return report


def code(report: Report) -> int:
    return int(final_exit(report))


def told(report: Report) -> str:
    return render(report, "terminal", Look())


# --- recordings


@pytest.mark.parametrize("word", ["<nonce>", "<nnonce>", "<nnnonce>"])
def test_the_placeholder_in_a_recording_is_no_nonce(repo, server, tmp_path, word):
    """Words that a change may hold: `{"nonce": "<nonce>" ...}` is no answer, now and when the recording is played."""
    server.answer = lambda asked: json.dumps({"nonce": word, "verdict": "PASS", "summary": "", "findings": []})
    declare(repo, {"one": server}, QUICK)
    repo.commit({"a.py": CODE})
    recorded = reviewed(repo, recall=Recall(record=tmp_path))
    replayed = reviewed(repo, recall=Recall(replay=tmp_path))
    assert code(recorded) == code(replayed) == 2
    assert recorded.reviews[-1].error == replayed.reviews[-1].error and word in replayed.reviews[-1].error


def test_words_like_the_placeholder_come_back_as_they_were(repo, server, tmp_path):
    body = "<nonce> <nnonce> <once> <nnnonce>"
    server.answer = lambda asked: panel(lambda what: [claim(body=f"{body} {nonce(asked)}")])(asked)
    declare(repo, {"one": server}, QUICK)
    repo.commit({"a.py": CODE})
    first = reviewed(repo, recall=Recall(record=tmp_path))
    for again in (reviewed(repo, recall=Recall(replay=tmp_path)), reviewed(repo)):
        assert again.findings[0].body.startswith(f"{body} ") and first.findings[0].body.startswith(f"{body} ")


def test_a_folder_with_an_older_recording_does_not_say_who_was_missing_then(repo, server, tmp_path):
    options = {"dialect": "openai", "url": server.url("openai"), "model": "m", "key": "ONE_KEY"}
    repo.commit(
        {
            ".reviewgate-gh.yaml": f"reviewers: {{builtin: {{type: builtin}}, one: {json.dumps({'type': 'api', 'options': options})}}}\n{QUICK}\n"
        }
    )
    repo.commit({"a.py": CODE})
    assert code(reviewed(repo, recall=Recall(record=tmp_path))) == 2
    assert code(reviewed(repo, recall=Recall(record=tmp_path), env={"ONE_KEY": "k" * 20})) == 0
    assert code(reviewed(repo, recall=Recall(replay=tmp_path))) == 0


@pytest.mark.parametrize("what", ["change", "config", "lens", "rules"])
def test_a_recording_of_something_else_answers_nothing(repo, server, tmp_path, what):
    declare(repo, {"one": server}, QUICK)
    repo.commit({"a.py": CODE})
    assert code(reviewed(repo, recall=Recall(record=tmp_path))) == 0
    repo.git("switch", "--quiet", "--detach", "HEAD~1")
    if what == "config":
        declare(repo, {"one": server}, QUICK.replace("correctness", "security"))
    else:
        files = {
            "lens": {".reviewgate-gh/lenses/correctness.yaml": "title: Mine\ninstructions: Look.\n"},
            "rules": {"CLAUDE.md": "Be kind.\n"},
        }
        repo.commit(files.get(what, {"z.txt": "z\n"}))
    repo.commit({"a.py": CODE + ("# more\n" if what == "change" else "")})
    assert code(reviewed(repo, recall=Recall(replay=tmp_path))) == 2


# --- floods


def test_a_thousand_findings_of_every_lens_are_read_in_seconds_and_none_is_lost(repo, server):
    """Of one model that goes wild: quotes that are nowhere, in a file of many lines, and words that are all alike."""
    rows = [f"value_{at} = compute(value_{at - 1}, {at * 7})" for at in range(3000)]
    quote = "\n".join(f"result_{at} = compose(thing_{at})" for at in range(25))
    wild = [
        claim(file="big.py", quote=quote, line_start=at, title=f"Problem {at} with compute of value", priority="P2") for at in range(500)
    ]
    wild += [claim(file="big.py", quote=rows[at * 5], title=f"Problem {at} with compute of value", priority="P3") for at in range(500)]
    server.answer = panel(lambda what: wild)
    declare(repo, {"one": server}, "ensemble: {lenses: [correctness, security, quality], reverse_audit: {max_rounds: 1}, verify: true}")
    repo.commit({"big.py": "\n".join(rows) + "\n"})
    started = time.monotonic()
    report = reviewed(repo)
    print(f"\n{len(report.findings)} findings in {time.monotonic() - started:.1f} s")
    assert len([each for each in report.findings if not each.rule]) == 4000
