"""What GitHub hands to a step: event payloads, and the runner's environment."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .support import Ran, Repo

REPOSITORY = {
    "full_name": "octo/repo",
    "default_branch": "main",
    "name": "repo",
    "owner": {"login": "octo"},
}
ZERO = "0" * 40


def pull_request(
    base: str, head: str, fork: bool = False, title: str = "A change", branch: str = "topic"
) -> dict[str, Any]:
    """The event of a pull request from a branch of this repository or of a fork."""
    repo = {**REPOSITORY, "full_name": "eve/repo"} if fork else REPOSITORY
    sides = {
        "base": {"sha": base, "ref": "main", "repo": REPOSITORY},
        "head": {"sha": head, "ref": branch, "repo": repo},
    }
    request = {"number": 1, "title": title, "body": title, "user": {"login": "octocat"}, **sides}
    return {"action": "synchronize", "number": 1, "pull_request": request, "repository": REPOSITORY}


def push(before: str, after: str, ref: str = "refs/heads/main") -> dict[str, Any]:
    """The event of a push; the zero id stands for no commit."""
    return {
        "ref": ref,
        "before": before,
        "after": after,
        "deleted": after == ZERO,
        "commits": [],
        "repository": REPOSITORY,
    }


def merge_group(base: str, head: str) -> dict[str, Any]:
    """The event of a merge queue."""
    group = {
        "base_sha": base,
        "head_sha": head,
        "base_ref": "refs/heads/main",
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-1",
    }
    return {"action": "checks_requested", "merge_group": group, "repository": REPOSITORY}


def workflow_dispatch(ref: str = "refs/heads/main") -> dict[str, Any]:
    """The event of a run that a person started."""
    return {
        "inputs": {},
        "ref": ref,
        "workflow": ".github/workflows/gate.yml",
        "repository": REPOSITORY,
    }


def issue_comment(comment: Any, body: str | None = None) -> dict[str, Any]:
    """The event of a comment on a pull request, as the fake of GitHub stores it."""
    who = {
        "id": comment.author.id,
        "login": comment.author.login,
        "type": comment.author.kind,
    }
    return {
        "action": "created",
        "issue": {"number": comment.number, "state": "open", "pull_request": {"url": "u"}},
        "comment": {
            "id": comment.id,
            "body": comment.body if body is None else body,
            "user": who,
            "author_association": "NONE",
        },
        "sender": who,
        "repository": REPOSITORY,
    }


@dataclass(frozen=True, slots=True)
class Step:
    """A step that ended: the process, and the files that it wrote for the runner."""

    ran: Ran
    output: str
    summary: str
    temp: Path

    def report(self) -> dict[str, Any]:
        """The JSON report, where it goes by default."""
        return json.loads((self.temp / "reviewgate-gh.json").read_text("utf-8"))


def step(
    repo: Repo,
    event: str,
    payload: Any,
    folder: Path,
    sha: str = "",
    env: Mapping[str, str] | None = None,
    under: Sequence[str] = (),
    **inputs: str,
) -> Step:
    """`reviewgate-gh action` in the environment of a runner; `inputs` are the action's, with `_`
    for `-`."""
    (folder / "temp").mkdir(parents=True, exist_ok=True)
    for name in ("output", "summary"):
        (folder / name).unlink(missing_ok=True)
    (folder / "event.json").write_text(json.dumps(payload), "utf-8")
    github = {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTOR": "octocat",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_SHA": sha or repo.head,
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_WORKSPACE": str(repo.path),
        "RUNNER_TEMP": str(folder / "temp"),
    }
    named = {f"REVIEWGATE_GH_INPUT_{name.upper()}": value for name, value in inputs.items()}
    ran = repo.cli("action", env={**github, **named, **(env or {})}, under=under)
    return Step(ran, _text(folder / "output"), _text(folder / "summary"), folder / "temp")


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""
