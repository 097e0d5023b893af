"""A commit's check runs, suites and statuses, and which of the check runs is our own."""

from msgspec import Struct
from msgspec.structs import replace

from ..model.check_words import CONCLUSIONS, CheckResult
from ..model.pull_request import Check, OwnResult, PullRequest, RequiredCheck
from ..text.patterns import lazy_pattern
from . import identity
from .answer import PER_PAGE
from .check_runs import (
    ACTIONS_APP,
    ACTIONS_APP_ID,
    CHECK_NAME,
    has_own_external_id,
    is_own_check,
)
from .client import Client
from .last_look import read_last_look
from .reading import Forbidden, JsonPart, MalformedAnswer, NotFound, Unprocessable
from .required import Reporters, read_requirements, required_checks


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
_RUN = lazy_pattern(r"/actions/runs/([0-9]{1,18})")
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
    all. `pull` is the pull request after all this was read; None where nobody said.
    """

    head: tuple[Check, ...]
    merge: tuple[Check, ...] = ()
    required: tuple[RequiredCheck, ...] | None = ()
    incomplete_reason: str = ""
    more: bool = False
    pull: PullRequest | None = None


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
    requirements = read_requirements(client, pull.base_ref)
    look = read_last_look(client, pull)
    merge = () if look.merge_is_bare else _read_merge(client, pull, own, cuts)
    mine = {CHECK_NAME: own.app} if own.app not in ("", ACTIONS_APP) else {}
    reporters = Reporters(
        {each.app: each.check.app for each in runs},
        {**mine, **{each.name: each.app for each in statuses if each.app}},
    )
    known = required_checks(client, requirements, reporters, look)
    return CiFacts(
        head,
        merge,
        known.checks and tuple(replace(each, own=_is_own(each, own)) for each in known.checks),
        "; ".join(filter(None, dict.fromkeys((*cuts, known.missing)))),
        known.more,
        look.pull,
    )


def _read_merge(
    client: Client, pull: PullRequest, own: OwnRun, cuts: list[str]
) -> tuple[Check, ...]:
    """The checks of the test merge, where there is one."""
    if not pull.merge_commit or pull.merge_commit == pull.head:
        return ()
    try:
        tested = _with_workflows(client, _read(client, pull.merge_commit, own, cuts))
        return (*(each.check for each in tested), *_statuses(client, pull.merge_commit, cuts))
    except (NotFound, Unprocessable):
        # The head may have moved on, and GitHub dropped the merge
        cuts.append("the checks of the test merge cannot be read")
        return ()


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
