"""What the ensemble costs beside its models: wall time over a server that takes a second for each
answer, and the tokens that are paid for.

Printed, not asserted: goals stand beside the figures.
"""

import json
import re
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.panels import CODE, claim, declare, kind, panel
from tests.peers import aimock
from tests.peers.model_server import Spoken, serving
from tests.support import Repo

pytestmark = [pytest.mark.bench, pytest.mark.peer]
ROUNDS, LATENCY = 5, 1.0
NOBODY = "0" * 32
LENSES = (
    "correctness, security, quality, performance, tests, attacker, oncall, maintainer, "
    "build-and-test"
)
ANSWERS = (
    ("Lens: Correctness", {"verdict": "FAIL", "summary": "s", "findings": [claim()]}),
    (
        "Your task: check every finding",
        {
            "rulings": [
                {
                    "id": "f1",
                    "ruling": "confirmed",
                    "reason": "r",
                    "reason_kind": "other",
                    "file": "",
                    "quote": "",
                }
            ]
        },
    ),
    ("", {"verdict": "PASS", "summary": "s", "findings": []}),
)


@contextmanager
def filling(root: str) -> Iterator[str]:
    """In front of aimock, whose answers are fixed beforehand: each answer gets the nonce of its
    question."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = urllib.request.Request(
                f"{root}{self.path}", body, {"content-type": "application/json"}
            )
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                request
            ) as answer:
                nonce = re.findall(rb"nonce: ([0-9a-f]{32})", body)[-1]
                data = answer.read().replace(NOBODY.encode(), nonce)
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Front:
    """An address like a model server's, for `declare`."""

    def __init__(self, root: str) -> None:
        self._root = root

    def url(self, dialect: str) -> str:
        """OpenAI's base address."""
        return f"{self._root}/v1"


def wall(repo: Repo, *more: str) -> float:
    started = time.perf_counter()
    done = repo.cli(
        "review", "--base", "HEAD~1", "--no-cache", *more, env={"PYTHONDONTWRITEBYTECODE": ""}
    )
    assert done.code in (0, 1), done.output
    return time.perf_counter() - started


def test_nine_questions_at_once_then_verification_and_a_dry_audit(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [aimock.row(json.dumps({"nonce": NOBODY, **answer}), user) for user, answer in ANSWERS]
    repo.bare_remote(tmp_path / "bare")
    repo.commit({"Makefile": "test:\n\t@true\n"})
    seen: dict[str, list[float]] = {"keyless": [], "review": [], "whole": []}
    with aimock.serving(*rows) as server, filling(server.root) as root:
        server.chaos(latencyMs=LATENCY * 1000)
        for stage, more in (
            ("review", "verify: false, reverse_audit: {max_rounds: 0}"),
            ("whole", "verify: true"),
        ):
            declare(repo, {"one": Front(root)}, f"ensemble: {{lenses: [{LENSES}], {more}}}")
            repo.push("-q", "-f", "-u", "origin", "main")
            repo.commit({"a.py": CODE})
            for _ in range(ROUNDS):
                seen["keyless"].append(wall(repo, "--reviewer", "linters", "--reviewer", "builtin"))
                seen[stage].append(wall(repo))
            asked = [each for each in server.journal() if each["method"] == "POST"]
            repo.commit({"a.py": None})
    best = {name: min(times) for name, times in seen.items()}
    with capsys.disabled():
        print(
            f"\nnine questions at once, {LATENCY:g} s each, {len(asked)} requests in all; "
            f"keyless review {best['keyless']:.2f} s"
        )
        for name, goal, least in (("review", 1.3, 1), ("whole", 3.5, 3)):
            print(
                f"  {name}: {best[name] - best['keyless']:.2f} s over that (goal {goal}; "
                f"{least * LATENCY:g} s of it is the server's)"
            )


def test_billed_input_of_a_whole_review_with_eight_lenses(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    """At Anthropic's prices: what is written to the cache costs 1.25, what comes from it 0.1. Its
    key is the schema and all before the mark."""
    said = claim(file="big.py", quote="value_7 = 7  # a line of the change that all of them read")
    answer = panel(lambda what: [said] if what == "Correctness" else [])
    with serving(
        lambda asked: (
            Spoken("{", stop="length") if asked.json()["max_tokens"] == 1 else answer(asked)
        )
    ) as server:
        declare(repo, {"one": server}, dialect="anthropic")
        line = "value_{0} = {0}  # a line of the change that all of them read\n"
        repo.commit({"big.py": "".join(line.format(at) for at in range(2000))})
        repo.cli("review", "--base", "HEAD~1", "--no-cache", env={"CI": "true"})
    sent = [each.json() for each in server.requests]
    kinds = [kind(each) for each in server.requests]
    assert len(sent) == 11 and kinds[-2:] == ["verify", "audit"], kinds
    known, billed, uncached = set[str](), 0.0, 0.0
    for each in sent:
        shared, own = (part["text"] for part in each["messages"][0]["content"])
        before = each["system"][0]["text"] + shared
        key = json.dumps(each["output_config"]["format"]) + before
        factor = 0.1 if key in known else 1.25
        known.add(key)
        billed += factor * len(before) + len(own)
        uncached += (len(before) + len(own)) * (each["max_tokens"] > 1)
    with capsys.disabled():
        print(
            f"\nprefix {len(before) / 4:,.0f} tokens, 8 lenses, verification and audit: "
            f"{billed / uncached:.3f} of uncached input (goal .32)"
        )
    # Of characters, so it does not depend on the machine
    assert len(before) > 120_000 and billed <= 0.32 * uncached
