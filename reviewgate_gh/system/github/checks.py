"""What CI says of a commit: check runs, the suites that hold them, statuses, and which of the runs is our own."""

import re
from dataclasses import replace

from ...model import own_check
from ...model.presubmit import Required
from ...model.pull import Check, Ours, PullRequest
from ...model.values import dataclass
from .client import Client
from .errors import Forbidden, NotFound, Unprocessable
from .read import Part
from .required import read_required
from .statuses import read_statuses

# GitHub keeps the runs of so many suites and says nothing of older ones.
_MOST_SUITES = 1000
_RUN = re.compile(r"/actions/runs/([0-9]{1,18})")
_ENDED_BADLY = ("failure", "startup_failure", "timed_out", "action_required")


@dataclass(frozen=True, slots=True)
class Own:
    """Which run asks: the number of the check run of its job (0 where that is not known), else its workflow run's number.

    `app` is the slug of the app that asks, "" for a person.
    """

    check: int = 0
    run: str = ""
    app: str = ""

    @property
    def apps(self) -> frozenset[str]:
        """Whose check runs may be our own: a person's approval may rest on what a workflow has published."""
        return frozenset(filter(None, (own_check.ACTIONS, self.app)))


@dataclass(frozen=True, slots=True)
class CiFacts:
    """Checks of the head and of the test merge; `cut` says why checks may be missing.

    `required` is None where it cannot be read; of what can be read, `more` says that it may not be all.
    """

    head: tuple[Check, ...]
    merge: tuple[Check, ...] = ()
    required: tuple[Required, ...] | None = ()
    cut: str = ""
    more: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """A check run, with the number of its app."""

    check: Check
    app: int


def read_ci(client: Client, pull: PullRequest, own: Own) -> CiFacts:
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
            cuts.append("the checks of the test merge cannot be read")  # the head may have moved on, and GitHub dropped the merge
    mine = {own_check.NAME: own.app} if own.app not in ("", own_check.ACTIONS) else {}
    reporters = {**mine, **{each.name: each.app for each in statuses if each.app}}
    apps = {each.app: each.check.app for each in runs}
    required, more = read_required(client, pull.base_ref, apps, reporters, cuts)
    required = required and tuple(replace(each, own=_is_own(each, own)) for each in required)
    return CiFacts(head, merge, required, "; ".join(dict.fromkeys(cuts)), more)


def _is_own(required: Required, own: Own) -> bool:
    """The branch's rules ask for our own verdict. An app that has reported nothing yet is known by its number alone."""
    return required.name == own_check.NAME and required.app in ("", *own.apps, f"app {own_check.ACTIONS_NUMBER}")


def _read(client: Client, sha: str, own: Own, cuts: list[str]) -> list[_Run]:
    try:
        found = client.pages(client.path("commits", sha, "check-runs"), key="check_runs", filter="latest")
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
    """Suites that ended badly before they had a run: a workflow that could not start, or waits for somebody's approval."""
    try:
        found = client.pages(client.path("commits", sha, "check-suites"), key="check_suites")
    except Forbidden as error:
        cuts.append(f"check runs cannot be read ({error.hint})")  # one permission for both, so it is said once
        return []
    if not found.whole or found.total >= _MOST_SUITES:
        cuts.append(f"GitHub counts {found.total} check suites but returns the runs of at most {_MOST_SUITES}")
    return [
        _suite(each) for each in found.items if not each.number("latest_check_runs_count") and each.optional("conclusion") in _ENDED_BADLY
    ]


def _suite(part: Part) -> Check:
    app = part.maybe("app")
    slug = app.optional("slug") if app else ""
    name = f"{slug or 'check'} suite {part.number('id')}"
    when = part.optional("created_at"), part.optional("updated_at")
    return Check("check", name, part.text("status"), part.text("conclusion"), slug, started=when[0], completed=when[1])


def _run(part: Part, own: Own) -> _Run:
    app, found = part.maybe("app"), _RUN.search(part.optional("details_url"))
    slug = app.optional("slug") if app else ""
    run, external = found[1] if found and slug == own_check.ACTIONS else "", part.optional("external_id")
    asks = part.number("id") == own.check if own.check else bool(run) and run == own.run
    verdict = Ours.VERDICT if own_check.is_own(slug, external, own.apps) else Ours.NO
    check = Check(
        kind="check",
        name=part.text("name"),
        status=part.text("status"),
        conclusion=part.optional("conclusion"),
        app=slug,
        started=part.optional("started_at"),
        completed=part.optional("completed_at"),
        own=Ours.RUN if asks else verdict,
        run=run,
        marked=own_check.marked(external),
    )
    return _Run(check, app.number("id") if app else 0)


def _with_workflows(client: Client, runs: list[_Run]) -> list[_Run]:
    """Jobs of one name from several workflow runs, told apart by their workflows: a run is replaced by a later one of its own alone."""
    named: dict[str, set[str]] = {}
    for each in runs:
        if each.check.run:
            named.setdefault(each.check.name, set()).add(each.check.run)
    unclear = {run for numbers in named.values() if len(numbers) > 1 for run in numbers}
    workflows = {run: _workflow(client, run) for run in sorted(unclear)}
    return [replace(each, check=replace(each.check, workflow=workflows.get(each.check.run, ""))) for each in runs]


def _workflow(client: Client, run: str) -> str:
    """The workflow's file, or the run itself where that cannot be read: then nothing replaces it."""
    try:
        return client.get(client.path("actions", "runs", run)).text("path").partition("@")[0]
    except (Forbidden, NotFound):
        return f"run {run}"
