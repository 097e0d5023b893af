"""The Action under act on GitHub's own example payloads: all is as GitHub wrote it but for the
commit ids, which must be in the clone."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ...github import ZERO
from ...support import Repo, peer
from ..acting import act

pytestmark = pytest.mark.peer

EXAMPLES = "node_modules/@octokit/webhooks-examples/api.github.com/index.json"
DELETED, FIRST, TAG = "a tag is deleted", "the first push of the default branch", "a new tag"
# Event and kind of every example but for the actions of a pull request that are none of a new
# commit.
KINDS = (
    ("pull_request", "opened"), ("pull_request", "ready_for_review"), ("pull_request", "reopened"),
    ("pull_request", "synchronize"),
    ("push", DELETED), ("push", FIRST), ("push", TAG), ("merge_group", "checks_requested"),
    ("workflow_dispatch", "refs/heads/main"), ("workflow_dispatch", "refs/heads/master"),
)  # fmt: skip


def kind(event: str, payload: dict[str, Any]) -> str:
    """What tells an example from others of its event."""
    if event == "push":
        branch = f"refs/heads/{payload['repository']['default_branch']}"
        return DELETED if payload["deleted"] else FIRST if payload["ref"] == branch else TAG
    return str(payload["ref"] if event == "workflow_dispatch" else payload["action"])


@cache
def examples() -> dict[tuple[str, str], dict[str, Any]]:
    """One of each kind."""
    found = json.loads(peer(EXAMPLES).read_text("utf-8"))
    return {
        (each["name"], kind(each["name"], one)): one
        for each in found
        if each["name"] in dict(KINDS)
        for one in each["examples"]
    }


def ids(payload: dict[str, Any]) -> tuple[str, ...]:
    """The example's ids of a base and of a head, where it names any."""
    if request := payload.get("pull_request"):
        return request["base"]["sha"], request["head"]["sha"]
    if group := payload.get("merge_group"):
        return group["base_sha"], group["head_sha"]
    return (payload["before"], payload["after"]) if "before" in payload else ()


def ours(payload: dict[str, Any], base: str, head: str) -> dict[str, Any]:
    """The payload about these commits."""
    text = json.dumps(payload)
    for theirs, mine in zip(ids(payload), (base, head), strict=False):
        text = text if theirs == ZERO else text.replace(theirs, mine)
    return json.loads(text)


def test_these_are_all_kinds() -> None:
    told = {name for name in examples() if name[0] != "pull_request"}
    assert told == {name for name in KINDS if name[0] != "pull_request"} and set(KINDS) <= set(
        examples()
    )


@pytest.mark.parametrize(("event", "kind"), KINDS, ids=lambda word: word.replace(" ", "-"))
def test_the_payload_names_the_commits(repo: Repo, tmp_path: Path, event: str, kind: str) -> None:
    payload = examples()[event, kind]
    repo.git("branch", "--move", payload["repository"]["default_branch"])
    repo.commit({"old.py": "import os\n"})
    clone, base = repo.clone(tmp_path / "clone"), repo.head
    clone.branch("topic")
    parent = clone.commit({"first.txt": "one\n"})
    head = clone.commit({"bad.py": "def f():\n    return undefined_name\n"})
    done = act(clone, event, ours(payload, base, head), tmp_path / "act")
    if kind == DELETED:
        assert (done.ran.code, done.outputs["verdict"], done.annotations) == (0, "", []), (
            done.ran.output
        )
        assert "nothing to review" in done.log
        return
    assert (done.codes, done.outputs["verdict"]) == ({1}, "block"), done.ran.output
    report = done.report()
    nothing = clone.git("hash-object", "-t", "tree", "/dev/null")
    begin = nothing if kind == FIRST else parent if event == "workflow_dispatch" else base
    assert (report["change"]["base"], report["change"]["head"]) == (begin, head)
    assert {
        (row["path"], row["rule"]) for row in report["findings"] if row["priority"] == "P1"
    } == {("bad.py", "ruff/F821")}
    assert ("error", "bad.py", "2") in {
        (level, place.get("file"), place.get("line")) for level, place, _ in done.annotations
    }
