"""Reviews in the background: `spawn` starts one and returns, `work` does it, `wait` gives its answer, as often as it is asked."""

import json
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model.asked import Effort
from ..model.codec import from_plain, to_plain
from ..model.errors import GateError, NoReviewers
from ..model.selection import Range, Selection
from ..model.values import dataclass
from ..reporters._doors import line
from ..steps import contract
from ..system import jobs
from ..system.git import Git, open_repository
from ..system.session_store import CONTEXT, LOCK, LOG, REQUEST, RESULT, find_session, home_of, last_words, prune, read_result, remember
from ..system.store import write_atomic
from ..system.together import read_ahead
from ..system.world import CONTEXT as CONTEXT_VARIABLE
from ..system.world import INSIDE, World

if TYPE_CHECKING:
    from .order import Order

CALLER = "CLAUDE_SESSION_ID"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a session is to review, how many reviewers must pass, and how hard a model shall think.

    `commits` stand in place of a selection; `caller` is the id of the session that the caller itself runs in. With the name of
    an `epic` it is verified whether these commits meet what the context demands.
    """

    selection: Selection
    commits: tuple[str, ...] = ()
    consensus: str = "all"
    effort: Effort = "high"
    caller: str = ""
    epic: str = ""


def spawn(asked: Asked, context: bytes, worker: Callable[[str], object], world: World) -> dict[str, Any]:
    """Start a session: its key and its reviewers. `worker` takes the key in a process of its own, and calls `work`.

    Raises:
        GateError: there is no such range, the config is wrong, a review is what calls this, or the session cannot be kept or started.
    """
    if world.inside:
        raise GateError("cannot start a review inside a review", f"{INSIDE} says that this runs inside one: unset it if that is wrong")
    home = home_of(open_repository(world.cwd, world.env))
    key = str(uuid.uuid4())
    folder = home / key
    try:
        write_atomic(folder / REQUEST, _json(to_plain(asked)))
        if context:
            write_atomic(folder / CONTEXT, context)
        said = jobs.start(lambda: worker(key), env=_marked(world, folder), log=folder / LOG)
        started = _started(said, folder)
        remember(home, key, asked.caller)
    except OSError as error:
        raise GateError(f"the session cannot be started: {error}", f"make sure {home} is writable") from None
    prune(home)
    return {"session_key": key, "reviewers_spawned": started}


def _marked(world: World, folder: Path) -> dict[str, str]:
    """The worker's environment: it is inside of a session, and knows where the context is."""
    context = {CONTEXT_VARIABLE: str(folder / CONTEXT)} if (folder / CONTEXT).exists() else {}
    return {name: value for name, value in world.env.items() if name != CONTEXT_VARIABLE} | {INSIDE: "session"} | context


def _started(said: bytes, folder: Path) -> list[str]:
    """The reviewers that the worker names; a session that never began leaves nothing behind."""
    died = {"error": f"the worker exited immediately; its last output: {_last_words(folder)}", "hint": ""}
    told: dict[str, Any] = json.loads(said) if said else died
    if "error" in told:
        shutil.rmtree(folder, ignore_errors=True)
        raise GateError(told["error"], told["hint"])
    reviewers: list[str] = told["reviewers"]
    return reviewers


def _last_words(folder: Path) -> str:
    return line(last_words(folder)) or "none"


def work(key: str, world: World) -> None:
    """Do a session's review and keep its answer. The range and the settings are found before the spawner is told to go on.

    Raises:
        BrokenPipeError: the spawner is gone before it knew the key, so nobody will ask.
    """
    read_ahead("flows.changes", "flows.settings", "flows.seats", "system.git.ranges", "flows.review")
    git = open_repository(world.cwd, world.env)
    folder = home_of(git) / key
    asked: Asked = from_plain(Asked, json.loads((folder / REQUEST).read_bytes()))
    from .order import Order

    with jobs.hold(folder / LOCK):
        try:
            order = Order(_range(git, asked), effort=asked.effort)
            reviewers = _reviewers(order, asked, git, world)
        except GateError as error:
            jobs.report_back(_json({"error": error.message, "hint": error.hint}))
            return
        jobs.report_back(_json({"reviewers": reviewers}))
        write_atomic(folder / RESULT, _json(_answer(order, asked, git, world)))


def _range(git: Git, asked: Asked) -> Range:
    from ..system.git.ranges import find_range, spanning

    return spanning(git, asked.commits) if asked.commits else find_range(git, asked.selection)


def _reviewers(order: "Order", asked: Asked, git: Git, world: World) -> list[str]:
    """Who will be asked; nobody where nothing has changed."""
    if asked.epic:
        from .epic_session import epic_models

        return epic_models(order, git, world)
    from .changes import load_change
    from .seats import declared
    from .settings import load_settings

    change = load_change(git, order.range, world, order.trusted)
    settings = load_settings(git, change, world, order.policy)
    return list(declared(settings.config, order.door, order.reviewers)) if change.files else []


def _answer(order: "Order", asked: Asked, git: Git, world: World) -> dict[str, Any]:
    from ..reporters._look import Look
    from ..reporters.json import load
    from .deliver import keep, render
    from .review import review

    try:
        if asked.epic:
            from .epic_session import verify_session

            return verify_session(order, asked.epic, git, world)
        report = review(order, git, world.attentive())
        text = render(report, "json", Look())
        keep(report, git, text)
        return contract.answer(load(text), asked.consensus)  # as it is kept: without secrets
    except NoReviewers as error:
        return contract.failed("no_reviewers", line(error.message))
    except GateError as error:
        return contract.failed("error", line(error.message))
    except Exception as error:
        import traceback

        traceback.print_exc()
        return contract.failed("error", line(f"internal error: {type(error).__name__}: {error}"))


def wait(key: str | None, caller: str, timeout: float, world: World) -> dict[str, Any]:
    """The answer of a session; status "timeout" when it has none after so many seconds.

    Without a key it is the newest one of the caller, who is named or known by CLAUDE_SESSION_ID, else the newest of all.

    Raises:
        UsageError: there is no such session.
    """
    home = home_of(open_repository(world.cwd, world.env))
    folder = find_session(home, key, caller or world.env.get(CALLER, ""), strict=bool(caller))
    ended = jobs.wait_free(folder / LOCK, timeout)
    said = read_result(folder)
    if said is None and not ended:
        said = contract.failed("timeout")
    if said is None:
        said = contract.failed("error", f"the worker died without a readable result; its last output: {_last_words(folder)}")
    return {**said, "session_key": folder.name, "session_dir": str(folder)}


def _json(plain: Any) -> bytes:
    return json.dumps(plain).encode()
