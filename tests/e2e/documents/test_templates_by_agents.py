"""The three templates on whole documents, by the real codex, gemini and qwen, with the real aimock
as their model."""

import json
import os
from dataclasses import dataclass

import pytest

from tests.agents import KEY, MODELS, NAME
from tests.peers import aimock
from tests.peers.aimock import Aimock, row
from tests.support import PEERS, Ran, Repo, peer

pytestmark = pytest.mark.peer
DIALECTS = {"codex": "responses", "gemini": "gemini", "qwen": "openai"}
ARCHITECTURE = """\
# Architecture of the shop

## Goals

The shop sells from one warehouse to one country. It must stay open when the payment provider is
down: an order is taken, and is paid
for later. Prices are whole cents; nobody computes with floating-point numbers.

## Parts

- `catalogue` knows articles and prices, and nothing of customers.
- `orders` owns the life of an order: taken, paid, sent, returned.
- `payments` is the only part that talks to the provider.

## Direction of dependencies

`orders` may ask `catalogue` and `payments`. Nothing asks `orders`: who wants to know what happens
to an order reads its events.

## Storage

Each part has tables of its own. No part reads the tables of another one; what it needs it asks for
or keeps a copy of.
"""
PLAN = """\
# Plan: refunds

## Why

Customers send articles back and wait for weeks for their money, because refunds are made by hand at
the end of the month.

## What changes

1. `payments` gets `refund(order, cents)`. It calls the provider and writes a row to its own table.
2. The returns page calls `refund` as soon as the parcel was scanned.
3. A nightly job of `payments` reads the table `orders.returns` and makes up for refunds that were
missed.

## What does not change

How an order is taken and paid. Partial refunds stay manual work.

## Risks

The provider limits refunds to 100 a minute. The job stops at the limit and goes on in the next
night.
"""
TASKS = """\
# Tasks

## 1. The call

Write `refund(order, cents)` with the provider's sandbox behind it. Done when a refund of 5 cents is
in the sandbox's list.

## 2. The job

Write the nightly job. Done when it works.

## 3. The page

Call `refund` from the returns page. Done when a scanned parcel leads to one call.
"""
CODE = '''"""Refunds."""


def refund(order, cents):
    """Send the amount back; the provider's id of it."""
    if cents <= 0 or cents > order.paid:
        raise ValueError(f"{cents} of {order.paid} cents")
    return order.provider.refund(order.payment, cents)
'''
FILES = {
    "docs/architecture.md": ARCHITECTURE,
    "docs/plan.md": PLAN,
    "docs/tasks.md": TASKS,
    "shop/payments.py": CODE,
}
ARCH = """\
## Summary

**FAIL** - the nightly job goes around the boundary of `orders`.

## Findings

### [PASS] Goals
Refunds are made in whole cents, and the shop stays open without the provider.

### [FAIL] A part reads the tables of another one
**File:** docs/plan.md:11
Step 3 lets `payments` read `orders.returns`. The architecture says that no part reads the tables of
another one.

### [CONCERN] `payments` now depends on `orders`
**File:** docs/plan.md:11
Nothing asks `orders`; the job should listen to its events.
"""
ORDER = """\
## Summary
CONCERNS: one task cannot be judged by its own text.

## Findings

### [CONCERN] "Done when it works" can not be tested
**File:** docs/tasks.md:9
Task 2 does not say what the job does at the provider's limit of 100 a minute.

### [PASS] Order
Each task needs only those before it.
"""
FINE = """\
## Summary
PASS

## Findings

### [PASS] Amounts
`shop/payments.py:6` refuses amounts that are too small or too large.
"""


@dataclass(frozen=True)
class Review:
    """A template, who is asked, what is answered, and what comes out."""

    agent: str
    args: tuple[str, ...]
    answer: str
    code: int
    verdict: str
    found: tuple[tuple[str, str | None], ...]
    told: tuple[str, ...]


REVIEWS = [
    Review(
        "codex", ("arch", "docs/plan.md", "--against", "docs/architecture.md"), ARCH, 1, "FAIL",
        (("PASS", None), ("FAIL", "docs/plan.md:11"), ("CONCERN", "docs/plan.md:11")),
        (ARCHITECTURE, PLAN),
    ),
    Review(
        "gemini", ("tasks", "docs/tasks.md", "--against", "docs/plan.md"), ORDER, 1, "CONCERNS",
        (("CONCERN", "docs/tasks.md:9"), ("PASS", None)), (PLAN, TASKS),
    ),
    Review("qwen", ("code", "--files", "shop/*.py"), FINE, 0, "PASS",
        (("PASS", "shop/payments.py:6"),), (CODE,)),
]  # fmt: skip


def by_agent(repo: Repo, server: Aimock, agent: str, *args: str) -> Ran:
    """A template's review of these documents by that agent."""
    options = {"model": MODELS[agent], "url": server.url(DIALECTS[agent]), "key": NAME}
    config = (
        f"reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: off\n"
        f"  mine: {json.dumps({'type': agent, 'timeout': 60, 'options': options})}\n"
    )
    repo.commit({**FILES, ".reviewgate-gh.yaml": config})
    path = os.pathsep.join(
        [str(PEERS / "venv/bin"), str(PEERS / "node_modules/.bin"), os.environ["PATH"]]
    )
    return repo.cli(
        "review", *args, "--reviewer", "mine", "--output", "json", env={"PATH": path, NAME: KEY}
    )


@pytest.mark.req("R004-004", "R004-006", "R004-007")
@pytest.mark.parametrize("wanted", REVIEWS, ids=lambda each: f"{each.args[0]} by {each.agent}")
def test_a_template_is_answered_about_whole_documents(repo: Repo, wanted: Review) -> None:
    peer(f"node_modules/.bin/{wanted.agent}")
    if not aimock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    answer = row(
        json.dumps({"nonce": "{nonce}", "review": wanted.answer}),
        match={"model": MODELS[wanted.agent]},
    )
    with aimock.serving(answer, nonce=True) as server:
        done = by_agent(repo, server, wanted.agent, *wanted.args)
        asked = [entry for entry in server.journal() if entry["response"]["status"] == 200]
    assert done.code == wanted.code, done.output
    said = json.loads(done.stdout)
    assert said["verdict"] == wanted.verdict and KEY not in done.output
    assert tuple((each["severity"], each["file_ref"]) for each in said["findings"]) == wanted.found
    question = json.dumps(asked[-1]["body"]["messages"], ensure_ascii=False)
    lines = [line for document in wanted.told for line in document.splitlines() if line]
    assert [
        line for line in lines if json.dumps(line, ensure_ascii=False)[1:-1] not in question
    ] == [], "every line is told"
