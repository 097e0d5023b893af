"""The workflow `sharded.yml` as it stands, called by another one and run by act: only the
installation is left out, and artifacts go through a folder."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support import ROOT, Ran, Repo, run, tool

from ..acting import CACHE, action_folder, cache_action, python_of_this_project

WORKFLOW = ROOT / ".github/workflows/sharded.yml"
OURS = "octo/reviewgate-gh@v1"
# What stands for actions that talk to GitHub's store of artifacts, or install Python
_UPLOAD = """\
if [ -n "$FILES" ]; then rm -rf "$STORE/$NAME"; mkdir -p "$STORE/$NAME"
for f in $FILES; do cp "$f" "$STORE/$NAME"; done; fi"""
_DOWNLOAD = 'mkdir -p "$FILES"; for d in "$STORE"/$PATTERN; do cp -r "$d" "$FILES"; done'
# Jobs that fail, or that a re-run leaves out
_SHIM = """\
#!/bin/sh
case " $FAILING " in *" $REVIEWGATE_GH_INPUT_SHARD "*) exit 1;; esac
case " $LEFT_OUT " in *" $REVIEWGATE_GH_INPUT_SHARD "*) exit 0;; esac
exec {python} "$@"
"""
_SCRIPTS = {"upload-artifact": _UPLOAD, "download-artifact": _DOWNLOAD, "setup-python": "true"}


@dataclass(frozen=True)
class Sharded:
    """A repository whose workflow calls ours."""

    repo: Repo
    folder: Path

    @property
    def store(self) -> Path:
        """The artifacts, each a folder."""
        return self.folder / "store"

    @property
    def report(self) -> dict[str, Any]:
        """What `gather` has kept."""
        found: dict[str, Any] = json.loads(
            (self.store / "reviewgate-gh/reviewgate-gh.json").read_text()
        )
        return found

    def play(self, shards: int, attempt: int = 1, failing: str = "", left_out: str = "") -> Ran:
        """All jobs; of these shards they fail, or are left out as in a re-run of others."""
        program = tool("act")
        here = self.folder
        here.mkdir(parents=True, exist_ok=True)
        ours = here / "ours"
        actions = {
            OURS: ours if ours.exists() else action_folder(ours),
            CACHE: cache_action(here / "cache"),
            **self._actions(),
        }
        calls = {"uses": "./.github/workflows/sharded.yml", "with": self._inputs(shards)}
        caller = {"name": "gate", "on": {"push": None}, "jobs": {"review": calls}}
        (here / "caller.yml").write_text(yaml.safe_dump(caller))
        called = self.repo.file(".github/workflows/sharded.yml")
        called.parent.mkdir(parents=True, exist_ok=True)
        called.write_text(yaml.safe_dump(_played(here)))
        (here / "event.json").write_text(json.dumps(self._push()))
        argv: list[str | Path] = [
            program, "push", "-W", here / "caller.yml", "-e", here / "event.json",
            "-P", "ubuntu-24.04=-self-hosted", "--no-cache-server", "--action-offline-mode",
            "--artifact-server-addr", "127.0.0.1", "--cache-server-addr", "127.0.0.1",
            "--env", f"STORE={self.store}", "--env", f"GITHUB_RUN_ATTEMPT={attempt}",
            "--env", f"FAILING={failing or 'none'}", "--env", f"LEFT_OUT={left_out or 'none'}",
        ]  # fmt: skip
        for uses, path in actions.items():
            argv += ["--local-repository", f"{uses}={path}"]
        try:
            return run(argv, self.repo.path)
        finally:
            called.unlink()

    def _inputs(self, shards: int) -> dict[str, Any]:
        return {"shards": str(shards), "base": self.repo.rev("HEAD~1")}

    def _push(self) -> Mapping[str, Any]:
        return {
            "before": self.repo.rev("HEAD~1"),
            "after": self.repo.head,
            "ref": "refs/heads/main",
            "repository": {"default_branch": "main"},
        }

    def _actions(self) -> dict[str, Path]:
        found = {}
        for uses in re.findall(r"actions/[\w-]+@[0-9a-f]{40}", WORKFLOW.read_text("utf-8")):
            name = uses.partition("@")[0].removeprefix("actions/")
            if name in _SCRIPTS:
                found[uses] = self._action(name)
        return found

    def _action(self, name: str) -> Path:
        inputs = ("name", "path", "pattern")
        variables = {"name": "NAME", "path": "FILES", "pattern": "PATTERN"}
        step = {
            "shell": "bash",
            "env": {variables[each]: f"${{{{ inputs.{each} }}}}" for each in inputs},
            "run": _SCRIPTS[name],
        }
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        action = {
            "name": name,
            "inputs": {each: {"required": False, "default": ""} for each in inputs},
            "runs": {"using": "composite", "steps": [step]},
        }
        (folder / "action.yml").write_text(yaml.safe_dump(action))
        return folder


def _played(here: Path) -> dict[Any, Any]:
    """The workflow, whose Action is this project's own and is not installed."""
    data = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    shim = here / "shim"
    shim.write_text(_SHIM.format(python=shlex.quote(str(python_of_this_project(here)))))
    shim.chmod(0o755)
    python = str(shim)
    for job in data["jobs"].values():
        for step in job["steps"]:
            if step.get("uses") == "$/":
                step["uses"] = OURS
                step["with"] = {**step["with"], "install": "false", "python": python}
    return {"on": data.pop(True), **data}
