"""What a trigger works with: the run, the config of the trusted side, whether project code may run, and where events go."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from ..model.change import MOST_COMMITS
from ..model.config import Config
from ..model.errors import UsageError
from ..model.event import Event
from ..model.report import Report
from ..model.run import RunMetadata
from ..model.selection import Range
from ..model.tracked import Occasion
from ..model.triggers import CodeReview, TriggerType
from ..model.values import dataclass
from ..reviewers._named_files import unapproved_direct
from ..steps.tracking import wanted
from ..steps.trigger_flags import Flags, apply, deprecations
from ..steps.trigger_rules import Settled, settle
from ..steps.version import major
from ..system.approvals import blob_id, load_approvals
from ..system.git import Git
from ..system.git.baselines import has_commit
from ..system.git.history import commits_between
from ..system.git.objects import read_files
from ..system.git.ranges import parent
from ..system.git.trust import made_here, own_base, settings_side
from ..system.git.uncommitted import uncommitted
from ..system.own_files import of_commit
from ..system.run_store import RunStore
from ..system.settings import CONFIG_FILE, parse, plain
from ..system.site import Site
from ..system.together import Later
from ..system.world import World
from .approval import HINT, may_run, require_approved
from .event_log import EventLog
from .settings import config_in, read_floor, required_by_floor
from .trigger_reviewers import reviewers_of

_NOT_YOURS = "no issues were created: the commits are not your own (to create them anyway, use --trusted)"
_NOTHING_RUNS = "its triggers do not fire and its commands do not run"


@dataclass(frozen=True, slots=True)
class Asked:
    """What only the caller may say: the organisation's floor, that the commits are trusted, old options, and no review at all."""

    policy: str = ""
    trusted: bool = False
    flags: Flags = field(default_factory=Flags)
    review: bool = True


@dataclass(frozen=True, slots=True)
class Engine:
    """`approved` says that the change is approved as a whole, `own` that its commits and what is under them seem to be the user's.

    An empty run is none.
    """

    git: Git
    world: World
    store: RunStore
    asked: Asked
    run: RunMetadata
    config: Config
    said: tuple[Mapping[str, Any], ...]
    settled: Settled
    rules: str
    approved: bool
    own: bool
    log: Callable[[Event], None]

    def refusal(self, argv: Sequence[str]) -> str:
        """Why a program of the config must not run on these commits; "" where it may.

        The files in its command line must be approved by content, and the change, too: by `trust --change`, or by the run that the
        user has started, for commits that were made here.
        """
        if self.approved:
            return ""
        if not self.own:
            return "the commits are not your own; approve them with reviewgate-gh trust --change RANGE, or use --trusted for this call"
        if not self.run.run_id or self.run.ended:
            return "no active run covers these commits: use reviewgate-gh orchestrate start, or reviewgate-gh trust --change RANGE"
        file = unapproved_direct(self.git, load_approvals(self.git), argv)
        return f"it would run {file}, whose current content is not approved; {HINT}" if file else ""

    def review_of(self, trigger: TriggerType) -> CodeReview | None:
        """The review of this trigger that is to run, old options counted in."""
        flags = self.asked.flags
        for text in deprecations(flags, trigger):
            self.log(Event("WARN", text))
        if not self.asked.review:
            self._refuse_without_review(trigger)
            self.log(Event("WARN", "the review is disabled by --disable-validations"))
            return None
        session = trigger == "session_end"
        for text in self.settled.deprecations if session else ():
            self.log(Event("WARN", text))
        found = apply(flags, self.settled.review_of(trigger), self._written(trigger), session)
        return found if found and found.enabled else None

    def _refuse_without_review(self, trigger: TriggerType) -> None:
        floor = read_floor(self.asked.policy, self.world)
        if floor and settle(parse(floor.data, Config, floor.name), major()).review_of(trigger):
            raise UsageError(
                f"--disable-validations leaves out a review that the policy {floor.name} requires", "leave out --disable-validations"
            )

    def _written(self, trigger: TriggerType) -> Mapping[str, Any]:
        """The keys of that review that the config file or the floor writes."""
        blocks = [_block(tree, trigger) for tree in self.said]
        gates = [block["cerberus"] for block in blocks if isinstance(block.get("cerberus"), Mapping)]
        every = {key: value for block in blocks for key, value in block.items()}
        return {**every, "cerberus": {key: value for gate in gates for key, value in gate.items()}} if gates else every

    def reviewer(self, config: CodeReview, about: str = "") -> Callable[[Range], Report]:
        """The reviewers that the review names and that the floor requires, as a function of a range; each report is saved.

        `about` names the issue or epic that they get as context.
        """
        from .deliver import keep
        from .issue_context import informed
        from .order import Order
        from .review import review
        from .seats import declared

        chosen = reviewers_of(self.config, config)
        due = required_by_floor("cli", self.asked.policy, self.world) if chosen else ()
        names = tuple(dict.fromkeys((*chosen, *due)))
        every = replace(self.config, reviewers={**self.config.reviewers, **chosen})

        def ask(wanted: Range) -> Report:
            order = Order(wanted, trusted=self.asked.trusted, policy=self.asked.policy, reviewers=names, also=chosen)
            asked = declared(every, order.door, names).values()
            with informed(self.world, about, asked, self.config, self.git, self.log) as world:
                report = review(order, self.git, world)
            keep(report, self.git)
            return report

        return ask

    def track(self, report: Report, why: Occasion) -> bool:
        """Make issues of all findings; what could not be done is said. True: each is in the tracker, or waits for it."""
        from .track import track

        site, mine = Site(self.git, self.world, []), report.change.trusted or report.change.own
        told = track(report, self.config, site, why) if mine else (_NOT_YOURS,)
        for text in told:
            self.log(Event("INFO", text))
        return not site.lost if mine else not wanted(report, why, self.config.tracker.issues_from)


def open_engine(git: Git, world: World, store: RunStore, asked: Asked, log: Callable[[Event], None] | None = None) -> Engine:
    """Everything for triggers at HEAD; problems of the config and the run are logged.

    Raises:
        UsageError: there is no commit, or the run is of a later version.
        ConfigError: the config is wrong.
    """
    head = git.resolve("HEAD")
    if not head:
        raise UsageError("there is no commit yet", "make a commit first: triggers work on commits")
    run = store.load() or RunMetadata()
    told = log or EventLog(store.folder, world, run.run_id)
    base = _base(git, run, head)
    approvals = load_approvals(git)
    approved = asked.trusted or (not world.in_ci and bool(approvals.trees) and git.resolve(head, "tree") in approvals.trees)
    whole = asked.trusted or (approved and not uncommitted(git))  # commands run in the work tree with all its uncommitted files
    own = whole or (not world.in_ci and own_work(git, base, head))
    side = base if world.in_ci else settings_side(git, base, approvals.branch)
    data = {each: of_commit(git, each, (CONFIG_FILE,)).get(CONFIG_FILE) for each in {base, side}}
    ours = read_files(git, head, [CONFIG_FILE]).get(CONFIG_FILE)
    rules = head if approved or (ours is not None and approvals.holds(CONFIG_FILE, blob_id(git, ours))) else side
    data[rules] = ours if rules == head else data[rules]
    config = config_in(data[rules], rules, world, asked.policy)
    require_approved(world.in_ci or data[rules] is not None or ours is None, _NOTHING_RUNS)
    known = approved or may_run(data[rules], approvals, git, world)
    require_approved(known or config_in(None, rules, world, asked.policy) == config, _NOTHING_RUNS)
    settled = settle(config, major())
    for text in (
        *store.told,
        *settled.warnings,
        *_which_config(data[rules], ours, data[base] if base == run.run_start_commit else data[rules]),
    ):
        told(Event("WARN", f"WARNING: {text}"))
    floor = read_floor(asked.policy, world)
    said = (plain(data[rules] or b"", CONFIG_FILE), plain(floor.data, floor.name) if floor else {})
    return Engine(git, world, store, asked, run, config, said, settled, rules, whole, own, told)


def _which_config(used: bytes | None, at_head: bytes | None, at_start: bytes | None) -> Iterator[str]:
    """What the user should know of the config that counts, where that of HEAD or of the run's first commit is another one."""
    if at_head != used:
        yield f"the {CONFIG_FILE} of HEAD is ignored here, and that of the trusted branch applies; {HINT}"
    elif at_start != used:
        yield f"{CONFIG_FILE} has changed since the run started; the changed version applies"


def _block(tree: Mapping[str, Any], trigger: TriggerType) -> Mapping[str, Any]:
    """What a file writes of a trigger's review."""
    block = ((tree.get("validation_triggers") or {}).get(trigger) or {}).get("code_review")
    if not block and trigger == "session_end":
        block = tree.get("per_issue_review") or {key: value for key, value in tree.items() if key == "reviewer_type"}
    return block or {}


def own_work(git: Git, base: str, head: str) -> bool:
    """The user made all commits of the range in this clone, and what is under them is the user's, too."""
    made, commits = Later(made_here, git), commits_between(git, base, head)
    mine = made.result()
    return len(commits) <= MOST_COMMITS and all(commit.oid in mine for commit in commits) and own_base(git, base)


def _base(git: Git, run: RunMetadata, head: str) -> str:
    """From where on a run's commits are judged: its first commit, else the one under HEAD."""
    if run.run_start_commit and has_commit(git, run.run_start_commit):
        return run.run_start_commit
    try:
        return parent(git, head)
    except UsageError:
        return head
