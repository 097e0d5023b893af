"""Our own check run: how it is recognised, and how it is made.

Annotations go fifty a request; it ends only when the last of them has arrived, and a second try
goes on.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..text.patterns import lazy_pattern
from .answer import RetryPolicy
from .client import Client
from .reading import JsonPart, UncertainWrite, write_was_accepted

CHECK_NAME = "reviewgate-gh"
# The app behind GITHUB_TOKEN, on github.com and on every other server.
# https://docs.github.com/en/actions/concepts/security/github_token
ACTIONS_APP = "github-actions"
ACTIONS_APP_ID = 15368  # on github.com: https://api.github.com/apps/github-actions
_KEY = lazy_pattern(rf"{CHECK_NAME}:[0-9a-f]{{8,64}}")


def external_id(digest: str) -> str:
    """The external id of a check run about a verdict with this digest."""
    return f"{CHECK_NAME}:{digest}"


def has_own_external_id(external: str) -> bool:
    """The external id is one of ours, or a copy of one."""
    return _KEY.fullmatch(external) is not None


def is_own_check(app: str, external: str, apps: Collection[str]) -> bool:
    """This program made the check run; `apps` are the slugs of the apps that it works as."""
    return app in apps and has_own_external_id(external)


# https://docs.github.com/en/rest/checks/runs#update-a-check-run
MOST_ANNOTATIONS = 50
CheckConclusion = Literal["success", "neutral", "failure"]
_DOUBTS = 3
_LAG = 2.0  # seconds that a list may be behind a write
SendGuard = Callable[[], AbstractContextManager[None]]


class CheckRunDraft(Struct, frozen=True):
    """A check run to be made. `key` tells it from every other one, so that one that was lost on the
    way is found again.

    `app` is the slug of the app that makes it: another app's with a copy of the key is not it. ""
    where that is not known.
    """

    name: str
    commit: str
    key: str
    conclusion: CheckConclusion
    title: str
    summary: str
    annotations: tuple[Mapping[str, Any], ...] = ()
    app: str = ""


class _State(Struct, frozen=True):
    """How far it is."""

    number: int
    annotations: int
    done: bool


def send_check_run(client: Client, draft: CheckRunDraft, sending: SendGuard = nullcontext) -> int:
    """Make the check run, `sending` around it, or finish the one that an earlier try began; its
    number.

    Raises:
        Forbidden: only an app's token may, such as GITHUB_TOKEN with `checks: write`.
    """
    state, doubts = _find(client, draft), 0
    while state is None or not state.done:
        try:
            state = (
                _create(client, draft, sending) if state is None else _append(client, draft, state)
            )
        except UncertainWrite:
            doubts += 1
            if doubts >= _DOUBTS:
                raise
            client.sleep(_LAG)
            state = _find(client, draft)
    return state.number


def _find(client: Client, draft: CheckRunDraft) -> _State | None:
    path = client.path("commits", draft.commit, "check-runs")
    found = client.pages(path, key="check_runs", check_name=draft.name, filter="all")
    return next((_state(each) for each in found.items if _is(each, draft)), None)


def _is(part: JsonPart, draft: CheckRunDraft) -> bool:
    app = part.maybe("app")
    return part.optional("external_id") == draft.key and draft.app in (
        "",
        app.optional("slug") if app else "",
    )


def _create(client: Client, draft: CheckRunDraft, sending: SendGuard) -> _State:
    head = {"name": draft.name, "head_sha": draft.commit, "external_id": draft.key}
    with sending():
        answer = client.write("POST", client.path("check-runs"), {**head, **_body(draft, 0)})
    with write_was_accepted():
        return replace(_state(answer), annotations=min(MOST_ANNOTATIONS, len(draft.annotations)))


def _append(client: Client, draft: CheckRunDraft, state: _State) -> _State:
    """The next annotations are added to those that are there: sent twice they would stand there
    twice."""
    body = _body(draft, state.annotations)
    answer = client.write(
        "PATCH", client.path("check-runs", state.number), body, repeat=RetryPolicy.ONCE
    )
    with write_was_accepted():
        return replace(_state(answer), annotations=state.annotations + MOST_ANNOTATIONS)


def _state(part: JsonPart) -> _State:
    return _State(
        part.number("id"),
        part["output"].number("annotations_count"),
        part.text("status") == "completed",
    )


def _body(draft: CheckRunDraft, start: int) -> dict[str, Any]:
    block = [dict(each) for each in draft.annotations[start : start + MOST_ANNOTATIONS]]
    output = {"title": draft.title, "summary": draft.summary, "annotations": block}
    last = start + MOST_ANNOTATIONS >= len(draft.annotations)
    return {
        "output": output,
        **(
            {"status": "completed", "conclusion": draft.conclusion}
            if last
            else {"status": "in_progress"}
        ),
    }
