"""Reviews by the command line with a model behind each of the three APIs, on loopback."""

import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
import yaml

from ...peers.model_server import Asked, ModelServer, Say, Spoken
from ...support import ROOT, Ran, Repo

KEY = "sk-live-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
BUG = {
    "file": "app.py", "quote": "return a - b", "line_start": 2, "line_end": 2, "priority": "P1",
    "category": "correctness",
    "title": "add subtracts", "body": "It returns the difference.", "suggestion": None,
    "confidence": "high",
}  # fmt: skip
DIALECTS = ("openai", "responses", "anthropic", "gemini")


def says(*findings: dict):
    """A model that reports this of every lens and confirms it, with the question's own nonce."""

    def answer(asked: Asked) -> str:
        nonce = re.findall(r"nonce: (\S+)", asked.prompt)[-1]
        if 'kind "rulings". nonce' in asked.prompt:
            ids = re.findall(r'"id": "([^"]+)"', asked.prompt)
            rulings = [
                {
                    "id": each,
                    "ruling": "confirmed",
                    "reason": "so it is",
                    "reason_kind": "other",
                    "file": "",
                    "quote": "",
                }
                for each in ids
            ]
            return json.dumps({"nonce": nonce, "rulings": rulings})
        found = [] if "a reverse audit" in asked.prompt else list(findings)
        verdict = "FAIL" if found else "PASS"
        return json.dumps(
            {
                "nonce": nonce,
                "verdict": verdict,
                "summary": f"Done. My key is {KEY}.",
                "findings": found,
            }
        )

    return answer


def prepare(repo: Repo, server: ModelServer, dialect: str) -> None:
    """A change that breaks a function, and one model to review it."""
    options = {
        "dialect": dialect,
        "model": "big-1",
        "url": server.url(dialect),
        "key": "MY_MODEL_KEY",
    }
    written = {
        "reviewers": {
            "linters": False,
            "change": False,
            "callers": False,
            "builtin": False,
            "big": {"type": "api", "options": options},
        },
        "ensemble": {"lenses": ["correctness"], "cache": False},
    }
    repo.commit(
        {
            ".reviewgate-gh.yaml": yaml.safe_dump(written),
            "app.py": "def add(a, b):\n    return a + b\n",
        },
        "base",
    )
    repo.branch("topic")
    repo.commit({"app.py": "def add(a, b):\n    return a - b\n"}, "change")


def reviewed(repo: Repo, server: ModelServer, dialect: str, key: str = KEY) -> Ran:
    prepare(repo, server, dialect)
    return repo.cli("review", "--base", "main", env={"MY_MODEL_KEY": key} if key else {})


@pytest.mark.contract(plain=["anthropic"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_finding_of_a_model_blocks_and_silence_passes(
    repo: Repo, model_server: ModelServer, dialect
):
    model_server.answer = says(BUG)
    blocked = reviewed(repo, model_server, dialect)
    assert blocked.code == 1 and "add subtracts" in blocked.stdout, blocked.output
    assert KEY not in blocked.output and all(
        KEY not in asked.body.decode() for asked in model_server.requests
    )
    model_server.answer = says()
    passed = repo.cli("review", "--base", "main", "--output", "json", env={"MY_MODEL_KEY": KEY})
    assert passed.code == 0, passed.output
    assert KEY not in passed.output and "big-1" in passed.stdout


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "answer",
    [
        Spoken('{"verdict": "PASS"', "length"),
        Spoken("I'd rather not.", "refusal"),
        Spoken("PASS"),
        Say(400, {"error": {"message": f"no {KEY}"}}),
        Say(200, {"error": {"message": "no"}}),
    ],
    ids=["cut", "refusal", "prose", "400", "error in 200"],
)
def test_no_answer_is_no_pass(repo: Repo, model_server: ModelServer, dialect, answer):
    model_server.answer = lambda asked: answer
    done = reviewed(repo, model_server, dialect)
    assert done.code == 2 and "big" in done.output and KEY not in done.output, done.output


def test_without_a_key_nobody_reviews_and_nothing_is_sent(repo: Repo, model_server: ModelServer):
    done = reviewed(repo, model_server, "openai", key="")
    assert (
        done.code == 4 and "MY_MODEL_KEY is not set" in done.output and model_server.requests == []
    ), done.output


def test_an_interrupt_ends_it_with_the_questions_still_open(repo: Repo, model_server: ModelServer):
    begun = threading.Event()

    def stall(asked: Asked) -> Say:
        begun.set()
        return Say(mode="stall")

    model_server.answer = stall
    prepare(repo, model_server, "openai")
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--base", "main"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MY_MODEL_KEY": KEY}
    with subprocess.Popen(
        argv, cwd=repo.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as started:
        assert begun.wait(60)
        started.send_signal(signal.SIGINT)
        said, _ = started.communicate(timeout=60)
    assert (started.returncode, said.strip()) == (130, "reviewgate-gh: interrupted")
