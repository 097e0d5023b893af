"""Real answers with one thing changed, seeded: every reader has a value or an error of ours, never
a crash."""

import copy
import os
import random
from typing import Any

import pytest
import requests

from reviewgate_gh.github.checks import OwnRun, read_ci_facts
from reviewgate_gh.github.identity import may_write, read_viewer
from reviewgate_gh.github.pull_requests import (
    read_changed_files,
    read_comparison,
    read_merge_base,
    read_pull,
)
from reviewgate_gh.github.reviews import read_reviews
from reviewgate_gh.github.threads import read_threads
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.model.pull_request import Account
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import pull_of
from tests.unit.github.scripted import Clock, Say, Seen, Server, opened

ROUNDS = 400 if os.environ.get("REVIEWGATE_GH_FULL") else 25
WRONG = (None, [], {}, "x", "", -1, 0, True, 1.5, 10**30, "\ud800", [[]], [None], {"id": {}})
READERS = {
    "pull": lambda client: read_pull(client, 1),
    "comparison": lambda client: read_comparison(client, "main", "topic"),
    "merge base": lambda client: read_merge_base(client, "main", "topic"),
    "files": lambda client: read_changed_files(client, read_pull(client, 1)),
    "threads": lambda client: read_threads(client, 1),
    "ci": lambda client: read_ci_facts(client, read_pull(client, 1), OwnRun(run="1")),
    "reviews": lambda client: read_reviews(client, 1),
    "viewer": read_viewer,
    "permission": lambda client: may_write(client, Account(5, "ada")),
}


def spots(value: Any) -> list[tuple[Any, Any]]:
    """Every place of an answer, as (container, key)."""
    keys = (
        list(value)
        if isinstance(value, dict)
        else list(range(len(value)))
        if isinstance(value, list)
        else []
    )
    return [spot for key in keys for spot in [(value, key), *spots(value[key])]]


def changed(answer: Any, chance: random.Random) -> Any:
    made = copy.deepcopy(answer)
    places = spots(made)
    if not places or chance.random() < 0.05:
        return chance.choice(WRONG)
    container, key = chance.choice(places)
    if isinstance(container, dict) and chance.random() < 0.4:
        del container[key]
    else:
        container[key] = chance.choice(WRONG)
    return made


@pytest.mark.contract(plain=["pull", "threads"])
@pytest.mark.parametrize("reader", READERS)
def test_a_changed_answer_is_a_value_or_an_error_of_ours(
    github_plain: GitHub, repo: Repo, server: Server, reader
):
    pull = pull_of(github_plain, repo)
    pull.reply(pull.on_line("ada", "new.py", 1, "text"), "bob", "answer")
    pull.review("bob", body="a review")
    pull.say("bob", "a remark")
    for number in (1, 2):
        pull.repo.check(repo.head, "build", run=number)
    pull.repo.status(repo.head, "ci/a")
    pull.repo.stored.required["main"], pull.repo.stored.rules["main"] = (
        [("build", 15368)],
        [("e2e", None)],
    )
    known: dict[tuple[str, str, bytes], Say] = {}
    token = github_plain.token()

    def kept(seen: Seen) -> Say:
        key = (seen.method, seen.path, seen.body)
        if key not in known:
            sent = {"authorization": f"Bearer {token}"}
            answer = requests.request(
                seen.method, github_plain.url + seen.path, data=seen.body, headers=sent, timeout=20
            )
            known[key] = Say(answer.status_code, answer.json())
        return known[key]

    server.rule = kept
    whole = READERS[reader](opened(server, Clock()))
    count, chance, errors = len(server.seen), random.Random(reader), 0
    for _ in range(ROUNDS):
        which, before = chance.randrange(count), len(server.seen)

        def rule(seen: Seen, which=which, before=before) -> Say:
            answer = kept(seen)
            meant = len(server.seen) - before - 1 == which
            return Say(answer.status, changed(answer.body, chance)) if meant else answer

        server.rule = rule
        try:
            READERS[reader](opened(server, Clock()))
        except GateError:
            errors += 1
    server.rule = kept
    assert READERS[reader](opened(server, Clock())) == whole
    assert errors or reader in ("viewer", "threads", "permission", "merge base")
