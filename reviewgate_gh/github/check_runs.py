"""Our own check run, with its annotations fifty a request; it ends only when the last of them has
arrived, and a second try goes on."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Literal

from ..model.values import dataclass
from .answer import RetryPolicy
from .client import Client
from .errors import UncertainWrite, write_was_accepted
from .reading import JsonPart

MOST_ANNOTATIONS = 50
CheckConclusion = Literal["success", "neutral", "failure"]
_DOUBTS = 3
_LAG = 2.0  # seconds that a list may be behind a write
SendGuard = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class CheckRunDraft:
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


@dataclass(frozen=True, slots=True)
class _State:
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
