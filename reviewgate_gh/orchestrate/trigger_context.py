"""What a trigger works with: the run, the trusted config, its reviewers, whether project code may
run, and the event log."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ..ensemble.models import declared_reviewers
from ..ensemble.options import ReviewOptions
from ..gate.deliver import store_report
from ..gate.review import review
from ..git import Git
from ..git.history import commits_between, has_commit
from ..git.objects import read_files
from ..git.ranges import first_parent
from ..git.tree_files import read_own_files_at, uncommitted_files
from ..issues.plan import issues_of_report
from ..issues.sync import track_report
from ..issues.tracked import IssueOrigin, Workspace
from ..model.change import MAX_COMMITS, Approvals, Range
from ..model.config import Config, ReviewerConfig
from ..model.errors import UsageError
from ..model.report import Report
from ..model.run import LogEvent, RunMetadata
from ..model.triggers import Cerberus, CodeReview, TriggerType
from ..settings.check import major_version
from ..settings.settings import parse_config, read_floor, reviewers_of_floor
from ..system.environment import Environment
from ..system.parallel import BackgroundCall
from ..text.config_file import CONFIG_FILE, parse_settings, written_keys
from ..trust.approvals import git_blob_id, load_approvals, with_tree
from ..trust.may_run import APPROVE_HINT, may_execute, require_approved
from ..trust.named_files import unapproved_direct
from ..trust.provenance import commits_made_here, is_users_base, settings_side, trusted_branch
from .events import EventLog
from .issue_context import with_issue_context
from .run_store import RunStore
from .trigger_rules import (
    DeprecatedOptions,
    EffectiveTriggers,
    apply_deprecated_options,
    deprecation_lines,
    resolve_triggers,
)

_PLUG_INS = {"cerberus": "review_gate", "agent_sdk": "agent_sdk"}


def reviewers_of_trigger(config: Config, review: CodeReview) -> Mapping[str, ReviewerConfig]:
    """The reviewers behind its reviewer_type, by name: those that are declared with that plug-in,
    or else the plug-in as it is.

    None for `ensemble`, which is everybody whom the config declares. What the review says of its
    gate goes before the gate's own entry.
    """
    plug_in = _PLUG_INS.get(review.reviewer_type)
    if plug_in is None:
        return {}
    declared = {name: entry for name, entry in config.reviewers.items() if entry.type == plug_in}
    chosen = declared or {plug_in: ReviewerConfig(type=plug_in)}
    gate = review.cerberus if review.reviewer_type == "cerberus" else None
    return {name: _told(entry, gate) for name, entry in chosen.items()} if gate else chosen


def _told(entry: ReviewerConfig, gate: Cerberus) -> ReviewerConfig:
    """Arguments for spawning reach the spawn alone, those for waiting the wait."""
    said = {"spawn_args": [*gate.spawn_args], "wait_args": [*gate.wait_args], "env": {**gate.env}}
    return replace(entry, timeout=gate.timeout, options={**entry.options, **said})


_NOTHING_RUNS = "its triggers do not fire and its commands do not run"


class TriggerOptions(Struct, frozen=True):
    """What only the caller may say: the organisation's floor, that the commits are trusted, old
    options, and no review at all."""

    policy: str = ""
    trusted: bool = False
    flags: DeprecatedOptions = field(default_factory=DeprecatedOptions)
    review: bool = True


class TriggerContext(Struct, frozen=True):
    """`approved` says that the change is approved as a whole, `made_here` that its commits and what
    is under them seem to be the user's.

    An empty run is none.
    """

    git: Git
    environment: Environment
    store: RunStore
    options: TriggerOptions
    run: RunMetadata
    config: Config
    written_config: tuple[Mapping[str, Any], ...]
    effective_triggers: EffectiveTriggers
    settings_commit: str
    approved: bool
    made_here: bool
    log: Callable[[LogEvent], None]

    @property
    def whose(self) -> str:
        """Why commits count as somebody else's, and what changes that."""
        run = self.run.run_id and not self.run.ended
        return (
            "the commits are not your own; if they are an agent's, name it to the run: "
            f"{self.run.resume_command} --agents ADDRESS; or approve them: reviewgate-gh trust "
            "--change RANGE"
            if run
            else "the commits are not your own; approve them with reviewgate-gh trust --change "
            "RANGE, or use --trusted for this call"
        )

    def refusal(self, argv: Sequence[str]) -> str:
        """Why a program of the config must not run on these commits; "" where it may.

        The files in its command line must be approved by content, and the change, too: by `trust
        --change`, or by the run that the user has started, for commits that were made here.
        """
        if self.approved:
            return ""
        if not self.made_here:
            return self.whose
        if not self.run.run_id or self.run.ended:
            return (
                "no active run covers these commits: use reviewgate-gh orchestrate start, or "
                "reviewgate-gh trust --change RANGE"
            )
        known = load_approvals(self.git)
        if self.environment.in_ci:  # what the workflow has checked out first is approved
            known = with_tree(self.git, known, self.run.run_start_commit or self.settings_commit)
        file = unapproved_direct(self.git, known, argv)
        return (
            f"it would run {file}, whose current content is not approved; {APPROVE_HINT}"
            if file
            else ""
        )

    def review_of(self, trigger: TriggerType) -> CodeReview | None:
        """The review of this trigger that is to run, old options counted in."""
        flags = self.options.flags
        for text in deprecation_lines(flags, trigger):
            self.log(LogEvent("WARN", text))
        if not self.options.review:
            self._refuse_without_review(trigger)
            self.log(LogEvent("WARN", "the review is disabled by --disable-validations"))
            return None
        session = trigger == "session_end"
        for text in self.effective_triggers.deprecations if session else ():
            self.log(LogEvent("WARN", text))
        found = apply_deprecated_options(
            flags, self.effective_triggers.review_of(trigger), self._written(trigger), session
        )
        return found if found and found.enabled else None

    def _refuse_without_review(self, trigger: TriggerType) -> None:
        floor = read_floor(self.options.policy, self.environment)
        if floor and resolve_triggers(
            parse_settings(floor.data, Config, floor.name), major_version()
        ).review_of(trigger):
            raise UsageError(
                f"--disable-validations leaves out a review that the policy {floor.name} requires",
                "leave out --disable-validations",
            )

    def _written(self, trigger: TriggerType) -> Mapping[str, Any]:
        """The keys of that review that the config file or the floor writes."""
        blocks = [_block(tree, trigger) for tree in self.written_config]
        gates = [
            block["cerberus"] for block in blocks if isinstance(block.get("cerberus"), Mapping)
        ]
        every = {key: value for block in blocks for key, value in block.items()}
        return (
            {**every, "cerberus": {key: value for gate in gates for key, value in gate.items()}}
            if gates
            else every
        )

    def review_function(self, config: CodeReview, about: str = "") -> Callable[[Range], Report]:
        """The reviewers that the review names and that the floor requires, as a function of a
        range; each report is saved.

        `about` names the issue or epic that they get as context.
        """
        chosen = reviewers_of_trigger(self.config, config)
        due = reviewers_of_floor("cli", self.options.policy, self.environment) if chosen else ()
        names = tuple(dict.fromkeys((*chosen, *due)))
        every = replace(self.config, reviewers={**self.config.reviewers, **chosen})

        def ask(wanted: Range) -> Report:
            options = ReviewOptions(
                wanted,
                trusted=self.options.trusted,
                policy=self.options.policy,
                reviewers=names,
                extra_reviewers=chosen,
            )
            asked = declared_reviewers(every, options.entry_point, names).values()
            here = Workspace(self.git, self.environment, [])
            with with_issue_context(here, about, asked, self.config, self.log) as environment:
                report = review(options, self.git, environment)
            store_report(report, self.git)
            return report

        return ask

    def track(self, report: Report, why: IssueOrigin) -> bool:
        """Make issues of all findings; what could not be done is said.

        True: each is in the tracker, or waits for it.
        """
        workspace, mine = Workspace(self.git, self.environment, []), is_covered(report)
        told = (
            track_report(report, self.config, workspace, why)
            if mine
            else (f"no issues were created: {self.whose}",)
        )
        for text in told:
            self.log(LogEvent("INFO", text))
        return (
            not workspace.undelivered
            if mine
            else not issues_of_report(report, why, self.config.tracker.issues_from)
        )


def is_covered(report: Report) -> bool:
    """The reviewed commits are the user's or the run's, or approved: issues are made of them."""
    return report.change.trusted or report.change.own


def open_trigger_context(
    git: Git,
    environment: Environment,
    store: RunStore,
    options: TriggerOptions,
    log: Callable[[LogEvent], None] | None = None,
) -> TriggerContext:
    """Everything for triggers at HEAD; problems of the config and the run are logged.

    Raises:
        UsageError: there is no commit, or the run is of a later version.
        ConfigError: the config is wrong.
    """
    head = git.resolve("HEAD")
    if not head:
        raise UsageError("there is no commit yet", "make a commit first: triggers work on commits")
    run = store.load() or RunMetadata()
    environment = replace(environment, run_id=_granted_run(git, environment, run))
    told = log or EventLog(store.folder, environment, run.run_id)
    base = _base(git, run, head)
    approvals = load_approvals(git)
    trust = _trust_in(git, environment, options, approvals, Range(base, head))
    side = base if environment.in_ci else _settings_side(git, run, base, head, approvals.branch)
    files = _config_files(git, side, head, approvals, trust.approved)
    config = parse_config(files.used, files.commit, environment, options.policy)
    left_out = not environment.in_ci and files.used is None and files.at_head is not None
    require_approved(not left_out, _NOTHING_RUNS)
    known = trust.approved or may_execute(files.used, approvals, git, environment)
    require_approved(
        known or parse_config(None, files.commit, environment, options.policy) == config,
        _NOTHING_RUNS,
    )
    settled = resolve_triggers(config, major_version())
    start = _config_at(git, base) if base == run.run_start_commit else files.used
    for text in (*store.messages, *settled.warnings, *_which_config(files, start)):
        told(LogEvent("WARN", f"WARNING: {text}"))
    floor = read_floor(options.policy, environment)
    said = (
        written_keys(files.used or b"", CONFIG_FILE),
        written_keys(floor.data, floor.name) if floor else {},
    )
    return TriggerContext(
        git=git,
        environment=environment,
        store=store,
        options=options,
        run=run,
        config=config,
        written_config=said,
        effective_triggers=settled,
        settings_commit=files.commit,
        approved=trust.whole,
        made_here=trust.own,
        log=told,
    )


class _Trust(Struct, frozen=True):
    """How far the commits up to HEAD are trusted.

    `approved` as a whole, `whole` with all that lies in the work tree, and `own`: they and what is
    under them seem to be the user's.
    """

    approved: bool
    whole: bool
    own: bool


def _trust_in(
    git: Git,
    environment: Environment,
    options: TriggerOptions,
    approvals: Approvals,
    commits: Range,
) -> _Trust:
    """What the caller says, else what was approved or made on this machine; in CI only the commits
    of a run's agents."""
    if options.trusted:
        return _Trust(approved=True, whole=True, own=True)
    if environment.in_ci:
        own = bool(environment.run_id) and is_users_work(git, commits, environment.run_id)
        return _Trust(approved=False, whole=False, own=own)
    approved = bool(approvals.trees) and git.resolve(commits.head, "tree") in approvals.trees
    # Commands run in the work tree with all its uncommitted files
    whole = approved and not uncommitted_files(git)
    return _Trust(approved, whole, whole or is_users_work(git, commits, environment.run_id))


def _granted_run(git: Git, environment: Environment, run: RunMetadata) -> str:
    """The run whose grant holds; "" where it has ended, or in CI where it names no agents."""
    if not run.run_id or run.ended:
        return ""
    named = not environment.in_ci or load_approvals(git).grant_of(run.run_id).agents
    return run.run_id if named else ""


class _ConfigFiles(Struct, frozen=True):
    """The config file that counts, the commit that it is of, and the file at HEAD."""

    used: bytes | None
    commit: str
    at_head: bytes | None


def _config_files(
    git: Git, side: str, head: str, approvals: Approvals, approved: bool
) -> _ConfigFiles:
    """HEAD's config counts where the commits or its content are approved, else that of `side`."""
    ours = read_files(git, head, [CONFIG_FILE]).get(CONFIG_FILE)
    if approved or (ours and approvals.is_approved(CONFIG_FILE, git_blob_id(git, ours))):
        return _ConfigFiles(ours, head, ours)
    return _ConfigFiles(_config_at(git, side), side, ours)


def _config_at(git: Git, commit: str) -> bytes | None:
    return read_own_files_at(git, commit, (CONFIG_FILE,)).get(CONFIG_FILE)


def _which_config(files: _ConfigFiles, at_start: bytes | None) -> Iterator[str]:
    """What the user should know of the config that counts, where that of HEAD or of the run's first
    commit is another one."""
    if files.at_head != files.used:
        later = "it applies after the merge, or once approved with: reviewgate-gh trust"
        yield (
            f"the {CONFIG_FILE} of HEAD is ignored here, and that of the trusted branch "
            f"applies; {later}"
        )
    elif at_start != files.used:
        yield f"{CONFIG_FILE} has changed since the run started; the changed version applies"


def _block(tree: Mapping[str, Any], trigger: TriggerType) -> Mapping[str, Any]:
    """What a file writes of a trigger's review."""
    block = ((tree.get("validation_triggers") or {}).get(trigger) or {}).get("code_review")
    if not block and trigger == "session_end":
        block = tree.get("per_issue_review") or {
            key: value for key, value in tree.items() if key == "reviewer_type"
        }
    return block or {}


def is_users_work(git: Git, wanted: Range, run_id: str) -> bool:
    """The user or the run's agents made all commits of the range, and what is under them is the
    user's, too."""
    made = BackgroundCall(commits_made_here, git, run_id)
    commits = commits_between(git, wanted.base, wanted.head)
    mine = made.result()
    return (
        len(commits) <= MAX_COMMITS
        and all(commit.oid in mine for commit in commits)
        and is_users_base(git, wanted.base, run_id)
    )


def _settings_side(git: Git, run: RunMetadata, base: str, head: str, recorded: str) -> str:
    """The commit whose settings count: a run's from where it began; without one, as much of HEAD
    as the trusted branch holds."""
    alone = not run.run_start_commit and trusted_branch(git, recorded)[0]
    return settings_side(git, head if alone else base, recorded)


def _base(git: Git, run: RunMetadata, head: str) -> str:
    """From where on a run's commits are judged: its first commit, else the one under HEAD."""
    if run.run_start_commit and has_commit(git, run.run_start_commit):
        return run.run_start_commit
    try:
        return first_parent(git, head)
    except UsageError:
        return head
