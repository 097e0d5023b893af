"""Commands by comment on a pull request: who may give them, what is done, and how that is answered.

The job has a token that may write, for pull requests from forks, too. So the head is fetched as
objects at the commit that GitHub names once, and nothing of it is checked out or run.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.incremental import last_review_query
from ..ensemble.options import ReviewOptions
from ..gate.report import with_repository
from ..gate.review import review
from ..git import Git
from ..git.history import commits_between
from ..git.ranges import from_merge_base
from ..github.check_outputs import open_ci
from ..github.client import Client
from ..github.comments import (
    react,
    read_comment,
    read_conversation,
    read_reactions,
    remove_reaction,
)
from ..github.identity import may_write, read_user, read_viewer
from ..github.intent import read_intent
from ..github.pull_requests import read_pull
from ..github.reading import NotFound
from ..github.runner import (
    COMMENT,
    CommentEvent,
    GitHubEvent,
    StepLog,
    read_comment_event,
    read_input,
)
from ..issues.tracked import Workspace
from ..model.errors import Exit, GateError, UpstreamError, UsageError
from ..model.finding import Finding, FindingState
from ..model.pull_request import Account, PullRequest
from ..model.report import Report
from ..pull_request.answer_comment import post_answers
from ..pull_request.answers import (
    HELP,
    earlier_review,
    explanation,
    help_text,
    refusal,
    stated_explanation,
)
from ..pull_request.command_plan import CommandPlan, plan_commands
from ..pull_request.comment_commands import commands_in
from ..pull_request.dismissal import DISMISS, UNDISMISS, alike
from ..pull_request.fetch import (
    PullOrigin,
    fetch_head,
    is_from_outside,
    variables_with_token,
)
from ..pull_request.grant import read_stated
from ..pull_request.publish import PublishOptions, prepare_publish
from ..pull_request.publish_kept import publish_and_track
from ..pull_request.targets import pull_target
from ..settings.settings import read_config_at
from ..text.safe import safe_line
from .step import (
    ActionContext,
    noted,
    page_of_repository,
    policy_of_base,
    report_places,
    write_results,
)
from .target_guard import refuse_foreign_code

_MOST_LOOKS = 3
_REMOTE = "origin"


class _Asked(Struct, frozen=True):
    """A comment that is answered: what it asks for, and who we are."""

    event: CommentEvent
    plan: CommandPlan
    viewer: Account
    context: ActionContext

    @property
    def client(self) -> Client:
        """GitHub."""
        return self.context.client()


class _Done(Struct, frozen=True):
    """What came of it: sentences about what was refused, answers in words by their names, and the
    report, if there was a review."""

    refused: tuple[str, ...] = ()
    answers: Mapping[str, str] = {}
    report: Report | None = None


def answer_comment(payload: Mapping[str, Any], log: StepLog, context: ActionContext) -> int:
    """Carry out the commands of a comment, unless that was done before; returns the step's exit
    code, which says whether they could be answered and nothing of the verdict.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached; a second run goes on from there.
        GateError: the configuration does not allow a review.
    """
    event = read_comment_event(payload)
    commands = commands_in(event.body)
    why = event.ignored or ("" if commands else "it holds no command")
    if why or (why := _objection(event, context)):
        print(f"reviewgate-gh: the comment was left alone: {safe_line(why)}")
        return Exit.OK
    client = context.client()
    asked = _Asked(event, plan_commands(commands), _viewer(client), context)
    given = read_reactions(client, event.comment, asked.viewer)
    if "+1" in given or "confused" in given:
        print("reviewgate-gh: the comment was answered before")
        return Exit.OK
    seen = react(client, event.comment, "eyes")
    error: GateError | None = None
    try:
        done = _carry_out(asked)
    except UpstreamError:
        raise  # a second run may do better
    except GateError as stopped:
        why = f"{stopped.message}. {stopped.hint}".strip()
        done = _Done((*asked.plan.refused, why))
        error = None if isinstance(stopped, UsageError) else stopped
    _answer(asked, done)
    remove_reaction(client, event.comment, seen)
    if done.report:
        write_results(done.report, report_places(context.environment), log, context)
    if error:
        raise error
    return Exit.OK


def _objection(event: CommentEvent, context: ActionContext) -> str:
    """Why the comment is none that may give commands, as GitHub has it now; "" where it is."""
    if not read_input(context.environment, "token"):
        raise UsageError(
            "the input token is required on issue_comment",
            "pass github.token, with the job's permission pull-requests: write",
        )
    said = read_comment(context.client(), event.comment)
    if said is None:
        return "it was deleted"
    if said.edited or said.body != event.body:
        return "it was edited"
    if not said.author.same_as(event.author):
        return "it has another author than the event says"
    if not may_write(context.client(), said.author):
        return f"{said.author.login} has no write permission"
    return ""


def _viewer(client: Client) -> Account:
    found = read_viewer(client) or read_user(client)
    if found is None:
        raise UpstreamError(
            "GitHub does not say which account the token belongs to", "check the input token"
        )
    return found


def _carry_out(asked: _Asked) -> _Done:
    plan, refused = asked.plan, list(asked.plan.refused)
    pull = read_pull(asked.client, asked.event.number)  # its head is the one of all that follows
    if plan.publishes and pull.state != "open":
        refused.append(f"the pull request is {pull.state}")
        plan = replace(plan, review=False, recheck=False, dismissed=(), restored=())
    report: Report | None = None
    if plan.publishes:
        report = _published(asked, pull)
        refused += _without_effect(plan, report, asked.event.author.login)
    explained = _explained(asked, pull, report) if plan.explained else {}
    refused += (
        f"no finding {name} is known here" for name in plan.explained if name not in explained
    )
    answers = {f"explain:{name}": text for name, text in explained.items()}
    if report and report.change.head != pull.head:
        answers |= dict([earlier_review(report)])
    return _Done(tuple(refused), answers, report)


def _answer(asked: _Asked, done: _Done) -> None:
    """In our comment what needs words, and a reaction for all of it."""
    answers = dict(done.answers)
    if done.refused:
        name, text = refusal(asked.event.comment, "; ".join(done.refused))
        answers[name] = text
    if asked.plan.help:
        answers[HELP] = help_text()
    if answers:
        post_answers(asked.client, asked.event.number, asked.viewer, answers)
    try:
        react(asked.client, asked.event.comment, "confused" if done.refused else "+1")
    except NotFound:
        print("reviewgate-gh: the comment was deleted meanwhile")
    for each in done.refused:
        print(f"reviewgate-gh: not done: {safe_line(each, 400)}")


def _reviewed(asked: _Asked, pull: PullRequest) -> tuple[Report, str]:
    """The report on the head, or on the commit that was asked for, and the path of the policy."""
    git, environment = asked.context.git, asked.context.environment
    token = read_input(environment, "token")
    origin = PullOrigin(_REMOTE, pull.number, pull_target(pull.number))
    base, head = fetch_head(git, origin, pull, variables_with_token(environment, token))
    target = _target(asked.plan.commit, base, head, git) if asked.plan.commit else head
    event = GitHubEvent(COMMENT, base, target, fork=is_from_outside(pull), number=pull.number)
    refuse_foreign_code(replace(event, head=head), git, environment)
    wanted = replace(from_merge_base(git, base, target, pull.base_ref), is_foreign=True)
    options = ReviewOptions(
        wanted,
        "fork" if event.fork else "pr",
        policy=policy_of_base(wanted, False, git, environment),
        ci=open_ci(lambda: asked.client, target, ""),
        intent=partial(read_intent, asked.client, pull.number),
    )
    if not asked.plan.review:
        query = last_review_query(asked.client, pull.number, git, target)
        options = replace(options, last_review=query, asks_no_models=True)
    report = with_repository(review(options, git, environment), page_of_repository(environment))
    return report, options.policy


def _target(name: str, base: str, head: str, git: Git) -> str:
    """The commit of the pull request that somebody names."""
    known = [each.oid for each in commits_between(git, base, head)]
    found = [oid for oid in known if oid.startswith(name)]
    if len(found) != 1:
        raise UsageError(
            f"{name} is {'more than one commit' if found else 'no commit'} of this pull request, "
            f"whose head is {head:.12}"
        )
    return found[0]


def _published(asked: _Asked, pull: PullRequest) -> Report:
    """The report after people's dismissals, posted. Whoever dismisses something meanwhile is not
    overwritten: it is looked at again until nothing new was asked for."""
    report, policy = _reviewed(asked, pull)
    context, client = asked.context, asked.client
    if report.skipped:
        raise UsageError("nothing was reviewed, because REVIEWGATE_GH_SKIP is set")
    config = read_config_at(context.git, report.change.rules, context.environment, policy)
    options = PublishOptions(
        pull.number,
        head_confirmed=report.change.head == pull.head,
        track_issues=not is_from_outside(pull),
    )
    workspace = Workspace(context.git, context.environment, [])
    for _ in range(_MOST_LOOKS):
        known = _dismissals_asked(asked)
        posted = publish_and_track(report, options, config, client, workspace)
        print(posted.terminal_text, end="")
        if posted.error:
            raise posted.error
        if posted.closed:
            raise UsageError(f"the pull request is {posted.closed}")
        if _dismissals_asked(asked) == known:
            break
    return noted(posted.report, *posted.messages)


def _dismissals_asked(asked: _Asked) -> frozenset[int]:
    return frozenset(
        each.id
        for each in read_conversation(asked.client, asked.event.number)
        if any(command.verb in (DISMISS, UNDISMISS) for command in commands_in(each.body))
    )


def _without_effect(plan: CommandPlan, report: Report, login: str) -> list[str]:
    """What was asked for and is not so, with the reason that the report gives."""
    wanted = [(name, True) for name in plan.dismissed] + [(name, False) for name in plan.restored]
    told = [note for note in report.notices if note.startswith(f"{login} ")]
    refused = list[str]()
    for name, dismissed in wanted:
        found = _named(name, report)
        if not found:
            refused.append(f"the head has no finding {name}")
        elif dismissed != any(each.state is FindingState.DISMISSED for each in found):
            why = [note for note in told if name in note]
            refused.append((why or [found[0].note])[-1] or f"{name} is {found[0].state.value}")
    return refused


def _named(name: str, report: Report) -> list[Finding]:
    names = alike(name, [each.fingerprint for each in report.findings])
    return [each for each in report.findings if each.fingerprint in names]


def _explained(asked: _Asked, pull: PullRequest, report: Report | None) -> dict[str, str]:
    """What each finding is: by a report without new questions to models, or else by what we have
    said earlier."""
    if report is None:
        try:
            report, policy = _reviewed(asked, pull)
            git, environment = asked.context.git, asked.context.environment
            config = read_config_at(git, report.change.rules, environment, policy)
            options = PublishOptions(pull.number)
            report = prepare_publish(report, options, config, asked.client).report
        except UsageError as error:
            print(f"reviewgate-gh: explained from earlier posts: {safe_line(error.message)}")
    stated = read_stated(asked.client, pull.number)
    found = dict[str, str]()
    for name in asked.plan.explained:
        known = _named(name, report) if report else []
        if report and known:
            found[name] = explanation(known[0], report)
        elif name in stated:
            found[name] = stated_explanation(name, stated[name])
    return found
