"""A commit's check runs, suites and statuses, which of the check runs is our own, and how that one
is made.

Annotations go fifty a request; it ends only when the last of them has arrived, and a second try
goes on.
"""

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..model.check_words import CONCLUSIONS, CheckResult
from ..model.pull_request import Check, OwnResult, PullRequest, RequiredCheck
from . import identity
from .answer import PER_PAGE, RetryPolicy
from .client import Client
from .reading import (
    Forbidden,
    JsonPart,
    MalformedAnswer,
    NotFound,
    UncertainWrite,
    Unprocessable,
    write_was_accepted,
)
from .required import read_required


def read_statuses(client: Client, sha: str) -> tuple[Check, ...]:
    """The newest status of each context.

    GitHub's own sum of them is not read: it says pending where there is none at all.
    """
    found = client.pages(client.path("commits", sha, "statuses"))
    newest: dict[str, JsonPart] = {}
    for each in found.items:  # the newest comes first
        newest.setdefault(each.text("context"), each)
    if found.items and len(found.items) % PER_PAGE == 0:
        _check_whole(client, sha, len(newest))
    return tuple(_status(each) for each in newest.values())


def _check_whole(client: Client, sha: str, known: int) -> None:
    """This list has no count of its own: when its last page is full, a link to the next one may
    have been lost on the way."""
    there = client.get(client.path("commits", sha, "status"), per_page=1).number("total_count")
    if there != known:
        raise MalformedAnswer(
            f"GitHub left out some statuses of {sha}: it returned {known} of {there} contexts",
            "try again",
        )


def _status(part: JsonPart) -> Check:
    creator = identity.account_from_rest(part.maybe("creator"))
    app = creator.login.removesuffix("[bot]") if creator.kind == "Bot" else ""
    when = part.text("created_at")
    return Check(
        "status",
        part.text("context"),
        part.text("state"),
        app=app,
        started=when,
        completed=part.optional("updated_at") or when,
    )


# GitHub keeps the runs of so many suites and says nothing of older ones.
# https://docs.github.com/en/rest/checks/runs#list-check-runs-for-a-git-reference
_MOST_SUITES = 1000
_RUN = re.compile(r"/actions/runs/([0-9]{1,18})")
_CANCELLED = "cancelled"  # before it had a run: a newer push took its place


class OwnRun(Struct, frozen=True):
    """Which run asks: the number of the check run of its job (0 where that is not known), else its
    workflow run's number.

    `app` is the slug of the app that asks, "" for a person.
    """

    check: int = 0
    run: str = ""
    app: str = ""

    @property
    def apps(self) -> frozenset[str]:
        """Whose check runs may be our own: a person's approval may rest on what a workflow has
        published."""
        return frozenset(filter(None, (ACTIONS_APP, self.app)))


class CiFacts(Struct, frozen=True):
    """Checks of the head and of the test merge; `incomplete_reason` says why checks may be missing.

    `required` is None where it cannot be read; of what can be read, `more` says that it may not be
    all.
    """

    head: tuple[Check, ...]
    merge: tuple[Check, ...] = ()
    required: tuple[RequiredCheck, ...] | None = ()
    incomplete_reason: str = ""
    more: bool = False


class _Run(Struct, frozen=True):
    """A check run, with the number of its app."""

    check: Check
    app: int


def read_ci_facts(client: Client, pull: PullRequest, own: OwnRun) -> CiFacts:
    """All that is known of CI for a pull request, at its head and at its test merge."""
    cuts: list[str] = []
    runs = _read(client, pull.head, own, cuts)
    checks = [each.check for each in _with_workflows(client, runs)]
    statuses = _statuses(client, pull.head, cuts)
    head = (*checks, *_suites(client, pull.head, cuts), *statuses)
    merge: tuple[Check, ...] = ()
    if pull.merge_commit and pull.merge_commit != pull.head:
        try:
            tested = _with_workflows(client, _read(client, pull.merge_commit, own, cuts))
            merge = (*(each.check for each in tested), *_statuses(client, pull.merge_commit, cuts))
        except (NotFound, Unprocessable):
            # The head may have moved on, and GitHub dropped the merge
            cuts.append("the checks of the test merge cannot be read")
    mine = {CHECK_NAME: own.app} if own.app not in ("", ACTIONS_APP) else {}
    reporters = {**mine, **{each.name: each.app for each in statuses if each.app}}
    apps = {each.app: each.check.app for each in runs}
    required, more = read_required(client, pull.base_ref, apps, reporters, cuts)
    required = required and tuple(replace(each, own=_is_own(each, own)) for each in required)
    return CiFacts(head, merge, required, "; ".join(dict.fromkeys(cuts)), more)


def _is_own(required: RequiredCheck, own: OwnRun) -> bool:
    """The branch's rules ask for our own verdict. An app that has reported nothing yet is known by
    its number alone."""
    return required.name == CHECK_NAME and required.app in ("", *own.apps, f"app {ACTIONS_APP_ID}")


def _read(client: Client, sha: str, own: OwnRun, cuts: list[str]) -> list[_Run]:
    try:
        found = client.pages(
            client.path("commits", sha, "check-runs"), key="check_runs", filter="latest"
        )
    except Forbidden as error:
        cuts.append(f"check runs cannot be read ({error.hint})")
        return []
    if not found.whole:
        cuts.append(f"GitHub counts {found.total} check runs but returned {len(found.items)}")
    return [_run(each, own) for each in found.items]


def _statuses(client: Client, sha: str, cuts: list[str]) -> tuple[Check, ...]:
    try:
        return read_statuses(client, sha)
    except Forbidden as error:
        cuts.append(f"commit statuses cannot be read ({error.hint})")
        return ()


def _suites(client: Client, sha: str, cuts: list[str]) -> list[Check]:
    """Suites that ended badly before they had a run: a workflow that could not start, or waits for
    somebody's approval."""
    try:
        found = client.pages(client.path("commits", sha, "check-suites"), key="check_suites")
    except Forbidden as error:
        # One permission for both, so it is said once
        cuts.append(f"check runs cannot be read ({error.hint})")
        return []
    if not found.whole or found.total >= _MOST_SUITES:
        cuts.append(
            f"GitHub counts {found.total} check suites but returns the runs of at most "
            f"{_MOST_SUITES}"
        )
    empty = [each for each in found.items if not each.number("latest_check_runs_count")]
    return [_suite(each) for each in empty if _has_failed(each.optional("conclusion"))]


def _has_failed(conclusion: str) -> bool:
    return conclusion != _CANCELLED and CONCLUSIONS.get(conclusion) is CheckResult.FAILED


def _suite(part: JsonPart) -> Check:
    app = part.maybe("app")
    slug = app.optional("slug") if app else ""
    name = f"{slug or 'check'} suite {part.number('id')}"
    when = part.optional("created_at"), part.optional("updated_at")
    return Check(
        "check",
        name,
        part.text("status"),
        part.text("conclusion"),
        slug,
        started=when[0],
        completed=when[1],
    )


def _run(part: JsonPart, own: OwnRun) -> _Run:
    app, found = part.maybe("app"), _RUN.search(part.optional("details_url"))
    slug = app.optional("slug") if app else ""
    run, external = found[1] if found and slug == ACTIONS_APP else "", part.optional("external_id")
    asks = part.number("id") == own.check if own.check else bool(run) and run == own.run
    verdict = OwnResult.VERDICT if is_own_check(slug, external, own.apps) else OwnResult.NO
    check = Check(
        kind="check",
        name=part.text("name"),
        status=part.text("status"),
        conclusion=part.optional("conclusion"),
        app=slug,
        started=part.optional("started_at"),
        completed=part.optional("completed_at"),
        own=OwnResult.RUN if asks else verdict,
        run=run,
        marked=has_own_external_id(external),
    )
    return _Run(check, app.number("id") if app else 0)


def _with_workflows(client: Client, runs: list[_Run]) -> list[_Run]:
    """Jobs of one name from several workflow runs, told apart by their workflows: a run is replaced
    by a later one of its own alone."""
    named: dict[str, set[str]] = {}
    for each in runs:
        if each.check.run:
            named.setdefault(each.check.name, set()).add(each.check.run)
    unclear = {run for numbers in named.values() if len(numbers) > 1 for run in numbers}
    workflows = {run: _workflow(client, run) for run in sorted(unclear)}
    return [
        replace(each, check=replace(each.check, workflow=workflows.get(each.check.run, "")))
        for each in runs
    ]


def _workflow(client: Client, run: str) -> str:
    """The workflow's file, or the run itself where that cannot be read: then nothing replaces
    it."""
    try:
        return client.get(client.path("actions", "runs", run)).text("path").partition("@")[0]
    except (Forbidden, NotFound):
        return f"run {run}"


CHECK_NAME = "reviewgate-gh"
# The app behind GITHUB_TOKEN, on github.com and on every other server.
# https://docs.github.com/en/actions/concepts/security/github_token
ACTIONS_APP = "github-actions"
ACTIONS_APP_ID = 15368  # on github.com: https://api.github.com/apps/github-actions
_KEY = re.compile(rf"{CHECK_NAME}:[0-9a-f]{{8,64}}")


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
