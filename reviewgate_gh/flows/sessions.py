"""Reviews in the background: `spawn` starts one and returns, `work` does it, `wait` gives its answer, as often as it is asked."""

import json
import shutil
import sys
import traceback
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model.codec import from_plain, to_plain
from ..model.errors import GateError, NoReviewers, UsageError
from ..model.selection import Selection
from ..reporters._doors import line
from ..reporters._look import Look
from ..reporters.json import load
from ..steps import contract
from ..system import jobs
from ..system.git import Git, open_repository
from ..system.git.ranges import find_range
from ..system.store import HOME, write_atomic
from ..system.world import World
from .changes import load_change
from .deliver import keep, render
from .review import Order, review
from .seats import declared
from .settings import load_settings

_KEPT_SESSIONS = 50
_REQUEST, _RESULT, _LOCK, _LOG, _CONTEXT = "request.json", "result.json", "lock", "worker.log", "context.txt"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a session is to review, how many reviewers must pass, and how hard a reviewer with a reasoning effort shall think."""

    selection: Selection
    consensus: str = "all"
    effort: str = "high"


def spawn(asked: Asked, context: bytes, worker: tuple[str, ...], world: World) -> dict[str, Any]:
    """Start a session: its key and its reviewers. `worker` are the arguments after which this Python takes the key and calls `work`.

    Raises:
        GateError: there is no such range, the config is wrong, or the session cannot be kept or started.
    """
    home = _home(open_repository(world.cwd, world.env))
    key = str(uuid.uuid4())
    folder = home / key
    try:
        write_atomic(folder / _REQUEST, _json(to_plain(asked)))
        if context:
            write_atomic(folder / _CONTEXT, context)
        said = jobs.start([sys.executable, *worker, key], cwd=world.cwd, env=world.env, log=folder / _LOG)
        started = _started(said, folder)
        write_atomic(home / "latest", key.encode())
    except OSError as error:
        raise GateError(f"the session cannot be started: {error}", f"see that {home} can be written") from None
    _prune(home)
    return {"session_key": key, "reviewers_spawned": started}


def _started(said: bytes, folder: Path) -> list[str]:
    """The reviewers that the worker names; a session that never began leaves nothing behind."""
    died = {"error": f"the worker ended at once; its last words: {_last_words(folder)}", "hint": ""}
    told: dict[str, Any] = json.loads(said) if said else died
    if "error" in told:
        shutil.rmtree(folder, ignore_errors=True)
        raise GateError(told["error"], told["hint"])
    reviewers: list[str] = told["reviewers"]
    return reviewers


def _last_words(folder: Path) -> str:
    log = folder / _LOG
    text = log.read_text("utf-8", "replace") if log.exists() else ""
    said = [words for words in text.splitlines() if not words.startswith(" ")]  # without hints and stack frames
    return line(said[-1]) if said else "none"


def work(key: str, world: World) -> None:
    """Do a session's review and keep its answer. The range and the settings are found before the spawner is told to go on.

    Raises:
        BrokenPipeError: the spawner is gone before it knew the key, so nobody will ask.
    """
    git = open_repository(world.cwd, world.env)
    folder = _home(git) / key
    asked: Asked = from_plain(Asked, json.loads((folder / _REQUEST).read_bytes()))
    with jobs.hold(folder / _LOCK):
        try:
            order = Order(find_range(git, asked.selection))
            reviewers = _reviewers(order, git, world)
        except GateError as error:
            jobs.report_back(_json({"error": error.message, "hint": error.hint}))
            return
        jobs.report_back(_json({"reviewers": reviewers}))
        write_atomic(folder / _RESULT, _json(_answer(order, asked.consensus, git, world)))


def _reviewers(order: Order, git: Git, world: World) -> list[str]:
    """Who will be asked; nobody where nothing has changed."""
    change = load_change(git, order.range, world, order.trusted)
    settings = load_settings(git, change, world, order.policy)
    return list(declared(settings.config, order.door, order.reviewers)) if change.files else []


def _answer(order: Order, rule: str, git: Git, world: World) -> dict[str, Any]:
    try:
        report = review(order, git, world.attentive())
        text = render(report, "json", Look())
        keep(report, git, text)
        return contract.answer(load(text), rule)  # as it is kept: without secrets
    except NoReviewers as error:
        return contract.failed("no_reviewers", line(error.message))
    except GateError as error:
        return contract.failed("error", line(error.message))
    except Exception as error:
        traceback.print_exc()
        return contract.failed("error", line(f"internal error: {type(error).__name__}: {error}"))


def wait(key: str | None, timeout: float, world: World) -> dict[str, Any]:
    """The answer of a session (None: of the newest one); status "timeout" when it has none after so many seconds.

    Raises:
        UsageError: there is no such session.
    """
    folder = _find(_home(open_repository(world.cwd, world.env)), key)
    ended = jobs.wait_free(folder / _LOCK, timeout)
    said = _result(folder / _RESULT)
    if said is None and not ended:
        said = contract.failed("timeout")
    if said is None:
        said = contract.failed("error", f"the worker died without a readable result; its last words: {_last_words(folder)}")
    return {**said, "session_key": folder.name, "session_dir": str(folder)}


def _find(home: Path, key: str | None) -> Path:
    latest = home / "latest"
    if key is None and not latest.is_file():
        raise UsageError("no session was spawned here", "start one with: review-gate spawn-code-review --diff A..B")
    folder = home / (key or latest.read_text("utf-8", "replace"))
    if not (folder / _REQUEST).is_file():
        raise UsageError(f"there is no session {folder.name} in this repository", f"the last {_KEPT_SESSIONS} are kept")
    return folder


def _result(path: Path) -> dict[str, Any] | None:
    """What the worker kept; None when that is nothing, or nothing that can be believed."""
    try:
        said = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None


def _prune(home: Path) -> None:
    """Let the oldest sessions beyond 50 go, but for those at work."""
    with suppress(OSError):  # another spawn may be at it, too
        folders = sorted((entry for entry in home.iterdir() if entry.is_dir()), key=lambda entry: entry.stat().st_mtime_ns)
        for old in folders[:-_KEPT_SESSIONS]:
            if jobs.wait_free(old / _LOCK, 0):
                shutil.rmtree(old, ignore_errors=True)


def _home(git: Git) -> Path:
    return git.common / HOME / "sessions"


def _json(plain: Any) -> bytes:
    return json.dumps(plain).encode()
