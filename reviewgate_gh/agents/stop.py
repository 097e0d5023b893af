"""The Stop gate: an agent that says it is done goes on while the gate does not let its work
through.

It is bounded, since some agents would else go on for ever: a session is sent back once with the
same findings, and so many times at most.
"""

from pathlib import Path

from ..git import Git, open_repository
from ..hook.install import hook_is_gone
from ..model.errors import GateError, NoRepository
from ..model.finding import sha256_hex
from ..system.environment import Environment
from ..text.safe import safe_line
from ..trust.attempts import record_outcome
from .judge import Judgement, judge_work
from .program import (
    GO_ON,
    HookAnswer,
    HookEvent,
    block_stop,
    load_agent,
    missing_repository,
    tell_user,
)
from .state import remember_run, remember_session, sent_back

MOST_TIMES = 6
_TOLD = "told "  # before the digest of what the user was told of
_WORDS = 12_000  # characters
_FAILED = (
    "The review gate failed ({}), so your work is not reviewed. Tell your user, and run "
    "reviewgate-gh review --uncommitted --output agent."
)


def stop(event: HookEvent, agent: str, environment: Environment) -> HookAnswer:
    """Whether the agent may stop, in words that all agents understand."""
    try:
        git = open_repository(Path(event.folder), environment.variables)
    except NoRepository:
        return _without_repository(event, agent)
    remember_run(git, agent, "stop", environment.now())
    if gone := hook_is_gone(git, environment.variables):
        record_outcome(git, environment, load_agent(agent).TITLE, gone)
    try:
        judged = judge_work(git, environment, uncommitted=True)
    except Exception as error:
        # A bug of ours lets nobody through unseen
        why = error.message if isinstance(error, GateError) else f"{type(error).__name__}: {error}"
        words = _FAILED.format(safe_line(why))
        judged = Judgement(False, words, sha256_hex(words, 32), f"not reviewed: {safe_line(why)}")
    return _answer(judged, event, git)


def _without_repository(event: HookEvent, agent: str) -> HookAnswer:
    """Where there is none, nothing could be pushed; one that should be there is missed."""
    why = missing_repository(load_agent(agent), event.folder)
    if not why:
        return GO_ON
    words = _FAILED.format(safe_line(why))
    return (
        tell_user(f"reviewgate-gh: not reviewed: {safe_line(why)}")
        if event.again
        else (block_stop(words))
    )


def _answer(judged: Judgement, event: HookEvent, git: Git) -> HookAnswer:
    before = sent_back(git, event.session)
    told = _TOLD + sha256_hex("\n".join(judged.touched), 32)
    known = {told} if judged.touched else set[str]()
    if judged.passes:
        remember_session(git, event.session, sorted(known))
        return (
            GO_ON if not known - set(before) else tell_user(_message(judged, "The agent is done"))
        )
    times = [digest for digest in before if not digest.startswith(_TOLD)]
    if judged.digest in times or len(times) >= MOST_TIMES:
        return tell_user(_message(judged, "The agent has stopped, and its work does not pass"))
    kept = remember_session(git, event.session, [*times, judged.digest, *known])
    if event.again and not kept:
        why = "The agent has stopped, and its work does not pass"
        return tell_user(_message(judged, why))
    more = [f"Tell your user: {line}" for line in judged.touched]
    return block_stop("\n".join([judged.words.rstrip()[:_WORDS], *more]))


def _message(judged: Judgement, begin: str) -> str:
    return "\n".join([f"reviewgate-gh: {begin}: {judged.summary}", *judged.touched])
