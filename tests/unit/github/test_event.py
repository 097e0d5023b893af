"""Which commits an event names: GitHub's own example payloads, and payloads that nobody should
believe."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.github.runner import GitHubEvent, is_null_id, read_event
from reviewgate_gh.model.errors import UsageError
from tests.support import peer

ONE, TWO, SHA = "1" * 40, "2" * 40, "3" * 40
ZERO = "0" * 40
EXAMPLES = "node_modules/@octokit/webhooks-examples"


@cache
def examples(name: str) -> tuple[dict[str, Any], ...]:
    """Every example of an event, of github.com and of the enterprise servers."""
    files = sorted(peer(EXAMPLES).glob("*/index.json"))
    kinds = [
        kind
        for file in files
        for kind in json.loads(file.read_text("utf-8"))
        if kind["name"] == name
    ]
    return tuple(example for kind in kinds for example in kind["examples"])


def event(**parts: Any) -> dict[str, Any]:
    """A payload with a repository whose default branch is main."""
    return {"repository": {"full_name": "o/r", "default_branch": "main"}, **parts}


def pull(base: Any = ONE, head: Any = TWO, repo: Any = None, **more: Any) -> dict[str, Any]:
    """A pull request; `repo` is the head's."""
    return event(
        pull_request={
            "base": {"sha": base},
            "head": {"sha": head, "repo": repo or {"full_name": "o/r"}},
            **more,
        }
    )


@pytest.mark.peer
def test_githubs_pull_requests() -> None:
    found = examples("pull_request")
    assert len(found) >= 29
    for payload in found:
        request = payload["pull_request"]
        wanted = GitHubEvent(
            "pull_request",
            request["base"]["sha"],
            request["head"]["sha"],
            default_branch=payload["repository"]["default_branch"],
            number=payload["number"],
            whole_pull_request=payload["action"] in ("opened", "reopened", "ready_for_review"),
        )
        assert read_event("pull_request", payload, SHA) == wanted


@pytest.mark.peer
def test_a_label_asks_for_the_whole() -> None:
    pushed = next(
        payload for payload in examples("pull_request") if payload["action"] == "synchronize"
    )
    labelled = {
        **pushed,
        "pull_request": {
            **pushed["pull_request"],
            "labels": [{"name": "bug"}, {"name": "review: whole"}],
        },
    }
    assert [
        read_event("pull_request", payload, SHA).whole_pull_request
        for payload in (pushed, labelled)
    ] == [False, True]


@pytest.mark.peer
def test_githubs_pushes() -> None:
    found = examples("push")
    kinds = set()
    for payload in found:
        read = read_event("push", payload, SHA)
        kinds.add(
            (
                read is None,
                read is not None and read.base != "",
                read is not None and read.on_default,
            )
        )
        assert (read is None) == payload["deleted"]
        if read:
            assert (read.head, read.base or ZERO) == (payload["after"], payload["before"])
            assert read.on_default == (
                payload["ref"] == f"refs/heads/{payload['repository']['default_branch']}"
            )
    assert len(found) >= 7 and len(kinds) >= 2


@pytest.mark.peer
def test_githubs_merge_groups() -> None:
    found = examples("merge_group")
    assert found
    for payload in found:
        group = payload["merge_group"]
        wanted = GitHubEvent(
            "merge_group",
            group["base_sha"],
            group["head_sha"],
            compare_trees=True,
            default_branch="main",
        )
        assert read_event("merge_group", payload, SHA) == wanted


@pytest.mark.peer
def test_githubs_dispatches() -> None:
    found = examples("workflow_dispatch")
    assert found
    for payload in found:
        branch = payload["repository"]["default_branch"]
        wanted = GitHubEvent(
            "workflow_dispatch",
            "",
            SHA,
            default_branch=branch,
            on_default=payload["ref"] == f"refs/heads/{branch}",
        )
        assert read_event("workflow_dispatch", payload, SHA) == wanted


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize(
    ("payload", "fork"),
    [
        (pull(), False),
        (pull(repo={"full_name": "eve/r"}), True),
        (pull(repo={"full_name": None}), True),
        (pull(repo=["o/r"]), True),
        (pull(user={"login": "dependabot[bot]"}), True),
        (pull(user={"login": "ada"}), False),
        ({**pull(), "repository": None}, True),
        ({**pull(repo={"full_name": ""}), "repository": None}, True),
    ],
    ids=[
        "own",
        "fork",
        "fork is gone",
        "wrong type",
        "dependabot",
        "somebody",
        "no repository",
        "neither",
    ],
)
def test_whose_pull_request_it_is(name: str, payload: dict[str, Any], fork: bool) -> None:
    read = read_event(name, payload, SHA)
    assert read is not None
    assert (read.name, read.base, read.head, read.fork) == (name, ONE, TWO, fork)


@pytest.mark.parametrize("zero", [ZERO, "0" * 64], ids=["sha1", "sha256"])
def test_the_id_of_no_commit(zero: str) -> None:
    assert is_null_id(zero) and not is_null_id(ONE)
    assert read_event("push", event(before=ONE, after=zero, ref="refs/heads/x"), SHA) is None
    new = read_event("push", event(before=zero, after="a" * len(zero), ref="refs/heads/main"), SHA)
    assert new == GitHubEvent("push", "", "a" * len(zero), default_branch="main", on_default=True)


HOSTILE: list[Any] = [
    None, 1, True, [], {}, [ONE], {"sha": ONE}, "", "main", "HEAD", "--output=x", ONE[:39],
    ONE + "1", "1" * 63, "1" * 65, "g" * 40,
    "A" * 40, f"{ONE}\n", f" {ONE}", f"{ONE}..{TWO}", f"{ONE}^", "refs/heads/main", "$(touch x)",
    "\u0661" * 40, "\ud800" * 40, "１" * 40,
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("pull_request", lambda bad: pull(base=bad)),
        ("pull_request", lambda bad: pull(head=bad)),
        ("pull_request_target", lambda bad: pull(head=bad)),
        ("merge_group", lambda bad: event(merge_group={"base_sha": bad, "head_sha": ONE})),
        ("merge_group", lambda bad: event(merge_group={"base_sha": ONE, "head_sha": bad})),
        ("push", lambda bad: event(before=bad, after=ONE)),
        ("push", lambda bad: event(before=ONE, after=bad)),
    ],
    ids=["base", "head", "target", "group base", "group head", "before", "after"],
)
def test_what_is_no_id_is_refused(name: str, make: Any) -> None:
    for bad in HOSTILE:
        with pytest.raises(UsageError, match="is not a commit id") as refused:
            read_event(name, make(bad), SHA)
        assert str(bad) not in refused.value.message or not bad or not isinstance(bad, str)


@pytest.mark.parametrize("sha", ["", "main", ONE[:12], f"{ONE}\n", "-" * 40])
def test_a_dispatch_needs_the_runners_own_id(sha: str) -> None:
    with pytest.raises(UsageError, match="GITHUB_SHA is not a commit id"):
        read_event("workflow_dispatch", event(ref="refs/heads/main"), sha)


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target", "merge_group", "push"])
@pytest.mark.parametrize(
    "payload",
    [{}, {"pull_request": None, "merge_group": [], "before": {}}, {"pull_request": {"base": ONE}}],
)
def test_missing_parts_are_refused(name: str, payload: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is not a commit id"):
        read_event(name, payload, SHA)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "issues",
        "workflow_run",
        "PUSH",
        "pull_request\n",
        "pull_request_review",
        "../push",
    ],
)
def test_other_events_name_no_commits(name: str) -> None:
    with pytest.raises(UsageError, match="has no commits to review"):
        read_event(name, {**pull(), "before": ONE, "after": TWO}, SHA)


@pytest.mark.parametrize(
    "ref",
    ["refs/heads/x", "main", "refs/tags/main", "refs/heads/main/", "", None, ["refs/heads/main"]],
)
def test_another_ref_is_not_the_default_branch(ref: Any) -> None:
    read = read_event("push", event(before=ONE, after=TWO, ref=ref), SHA)
    assert read is not None and not read.on_default


def test_without_a_default_branch_nothing_is_on_it() -> None:
    read = read_event("push", {"before": ONE, "after": TWO, "ref": "refs/heads/"}, SHA)
    assert read == GitHubEvent("push", ONE, TWO)


WHOLE: dict[str, Any] = {
    **pull(),
    "merge_group": {"base_sha": ONE, "head_sha": TWO},
    "before": ONE,
    "after": TWO,
    "ref": "refs/heads/main",
}
PLACES = [
    ["pull_request"], ["pull_request", "base"], ["pull_request", "base", "sha"],
    ["pull_request", "head", "repo"], ["pull_request", "user"],
    ["repository"], ["repository", "default_branch"], ["merge_group"], ["merge_group", "head_sha"],
    ["before"], ["after"], ["ref"],
]  # fmt: skip
TEXT = st.sampled_from([ONE, ZERO, "0" * 64, "main"]) | st.text(alphabet="0af-^ \n", max_size=50)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | TEXT
    | st.lists(TEXT, max_size=2)
    | st.dictionaries(TEXT, TEXT, max_size=2)
)


def damaged(payload: Any, place: list[str], value: Any) -> dict[str, Any]:
    """The payload with another value at one place, as far as there is such a place."""
    first, *rest = place
    inner = payload.get(first)
    return {
        **payload,
        first: damaged(inner, rest, value) if rest and isinstance(inner, dict) else value,
    }


@given(
    st.sampled_from(
        [
            "pull_request",
            "pull_request_target",
            "merge_group",
            "push",
            "workflow_dispatch",
            "issues",
        ]
    ),
    st.lists(st.tuples(st.sampled_from(PLACES), VALUES), max_size=3),
    st.sampled_from([SHA, ""]),
)
def test_any_payload_is_read_or_refused(
    name: str, damages: list[tuple[list[str], Any]], sha: str
) -> None:
    payload = WHOLE
    for place, value in damages:
        payload = damaged(payload, place, value)
    try:
        read = read_event(name, payload, sha)
    except UsageError:
        return
    ids = [] if read is None else [read.head, *filter(None, [read.base])]
    assert all(len(oid) in (40, 64) and set(oid) <= set("0123456789abcdef") for oid in ids)
