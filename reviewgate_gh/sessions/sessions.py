"""Reviews in the background: `spawn` starts one and returns, `work` does it, `wait` gives its
answer, as often as it is asked."""

import json
import shutil
import traceback
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, to_builtins

from ..ensemble.models import declared_reviewers
from ..ensemble.options import ReviewOptions
from ..gate.deliver import render_report, store_report
from ..gate.review import review
from ..git import Git, open_repository
from ..git.ranges import range_over_commits, resolve_range
from ..model.change import Range, Selection
from ..model.errors import GateError, NoReviewers
from ..model.question import RunEffort
from ..reporters._look import OutputStyle
from ..reporters.json import load_report
from ..settings.change import load_change
from ..settings.settings import load_settings
from ..system import jobs
from ..system.environment import CONTEXT_VARIABLE as CONTEXT_VARIABLE
from ..system.environment import NESTED_VARIABLE, Environment
from ..system.files import write_atomic
from ..system.parallel import preload_modules
from ..text.safe import safe_line
from . import contract
from .epics import epic_models, verify_session
from .store import (
    CONTEXT,
    LOCK,
    LOG,
    REQUEST,
    RESULT,
    find_session,
    last_error_line,
    prune_sessions,
    read_result,
    record_session,
    sessions_folder,
)

CALLER_VARIABLE = "CLAUDE_SESSION_ID"


class SessionRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a session is to review, how many reviewers must pass, and how hard a model shall think.

    `commits` stand in place of a selection; `caller` is the id of the session that the caller
    itself runs in. With the name of an `epic` it is verified whether these commits meet what the
    context demands.
    """

    selection: Selection
    commits: tuple[str, ...] = ()
    consensus: str = "all"
    effort: RunEffort = "high"
    caller: str = ""
    epic: str = ""


def spawn_session(
    request: SessionRequest,
    context: bytes,
    worker: Callable[[str], object],
    environment: Environment,
) -> dict[str, Any]:
    """Start a session: its key and its reviewers. `worker` takes the key in a process of its own,
    and calls `work`.

    Raises:
        GateError: there is no such range, the config is wrong, a review is what calls this, or the
            session cannot be kept or started.
    """
    if environment.nested_in:
        raise GateError(
            "cannot start a review inside a review",
            f"{NESTED_VARIABLE} says that this runs inside one: unset it if that is wrong",
        )
    home = sessions_folder(open_repository(environment.cwd, environment.variables))
    key = str(uuid.uuid4())
    folder = home / key
    try:
        write_atomic(folder / REQUEST, _json(to_builtins(request)))
        if context:
            write_atomic(folder / CONTEXT, context)
        said = jobs.start_job(
            lambda: worker(key), env=_marked(environment, folder), log=folder / LOG
        )
        started = _started(said, folder)
        record_session(home, key, request.caller)
    except OSError as error:
        raise GateError(
            f"the session cannot be started: {error}", f"make sure {home} is writable"
        ) from None
    prune_sessions(home)
    return {"session_key": key, "reviewers_spawned": started}


def _marked(environment: Environment, folder: Path) -> dict[str, str]:
    """The worker's environment: it is inside of a session, and knows where the context is."""
    context = {CONTEXT_VARIABLE: str(folder / CONTEXT)} if (folder / CONTEXT).exists() else {}
    return (
        {name: value for name, value in environment.variables.items() if name != CONTEXT_VARIABLE}
        | {NESTED_VARIABLE: "session"}
        | context
    )


def _started(said: bytes, folder: Path) -> list[str]:
    """The reviewers that the worker names; a session that never began leaves nothing behind."""
    died = {
        "error": f"the worker exited immediately; its last output: {_last_words(folder)}",
        "hint": "",
    }
    told: dict[str, Any] = json.loads(said) if said else died
    if "error" in told:
        shutil.rmtree(folder, ignore_errors=True)
        raise GateError(told["error"], told["hint"])
    reviewers: list[str] = told["reviewers"]
    return reviewers


def _last_words(folder: Path) -> str:
    return safe_line(last_error_line(folder)) or "none"


def run_session(key: str, environment: Environment) -> None:
    """Do a session's review and keep its answer. The range and the settings are found before the
    spawner is told to go on.

    Raises:
        BrokenPipeError: the spawner is gone before it knew the key, so nobody will ask.
    """
    preload_modules(
        "settings.change", "settings.settings", "ensemble.models", "git.ranges", "gate.review"
    )
    git = open_repository(environment.cwd, environment.variables)
    folder = sessions_folder(git) / key
    asked = convert(json.loads((folder / REQUEST).read_bytes()), SessionRequest)
    with jobs.hold_job_lock(folder / LOCK):
        try:
            options = ReviewOptions(_range(git, asked), effort=asked.effort)
            reviewers = _reviewers(options, asked, git, environment)
        except GateError as error:
            jobs.report_to_starter(_json({"error": error.message, "hint": error.hint}))
            return
        jobs.report_to_starter(_json({"reviewers": reviewers}))
        write_atomic(folder / RESULT, _json(_answer(options, asked, git, environment)))


def _range(git: Git, request: SessionRequest) -> Range:
    return (
        range_over_commits(git, request.commits)
        if request.commits
        else resolve_range(git, request.selection)
    )


def _reviewers(
    options: "ReviewOptions", request: SessionRequest, git: Git, environment: Environment
) -> list[str]:
    """Who will be asked; nobody where nothing has changed."""
    if request.epic:
        return epic_models(options, git, environment)
    change = load_change(git, options.range, environment, options.trusted)
    settings = load_settings(git, change, environment, options.policy)
    return (
        list(declared_reviewers(settings.config, options.entry_point, options.reviewers))
        if change.files
        else []
    )


def _answer(
    options: "ReviewOptions", request: SessionRequest, git: Git, environment: Environment
) -> dict[str, Any]:
    try:
        if request.epic:
            return verify_session(options, request.epic, git, environment)
        report = review(options, git, environment.without_skip())
        text = render_report(report, "json", OutputStyle())
        store_report(report, git, text)
        # As it is kept: without secrets
        return contract.contract_answer(load_report(text), request.consensus)
    except NoReviewers as error:
        return contract.failed_answer("no_reviewers", safe_line(error.message))
    except GateError as error:
        return contract.failed_answer("error", safe_line(error.message))
    except Exception as error:
        traceback.print_exc()
        return contract.failed_answer(
            "error", safe_line(f"internal error: {type(error).__name__}: {error}")
        )


def wait_for_answer(
    key: str | None, caller: str, timeout: float, environment: Environment
) -> dict[str, Any]:
    """The answer of a session; status "timeout" when it has none after so many seconds.

    Without a key it is the newest one of the caller, who is named or known by CLAUDE_SESSION_ID,
    else the newest of all.

    Raises:
        UsageError: there is no such session.
    """
    home = sessions_folder(open_repository(environment.cwd, environment.variables))
    folder = find_session(
        home, key, caller or environment.variables.get(CALLER_VARIABLE, ""), strict=bool(caller)
    )
    ended = jobs.wait_for_job(folder / LOCK, timeout)
    said = read_result(folder)
    if said is None and not ended:
        said = contract.failed_answer("timeout")
    if said is None:
        said = contract.failed_answer(
            "error",
            f"the worker died without a readable result; its last output: {_last_words(folder)}",
        )
    return {**said, "session_key": folder.name, "session_dir": str(folder)}


def _json(plain: Any) -> bytes:
    return json.dumps(plain).encode()
