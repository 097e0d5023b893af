"""`review-gate` as its callers run it, and a reviewer that answers when it is let go."""

import json
import time
from pathlib import Path

from reviewgate_gh.model.config import KEYLESS

from ..support import Ran, Repo, module

BAD = "def f():\n    return missing\n"
# Built here, so that this file is no defect itself.
CONFLICT = f"one\n{'<' * 7} HEAD\ntwo\n{'=' * 7}\nthree\n{'>' * 7} topic\n"
SARIF = '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "slow"}}, "results": []}]}'
# A reviewer that says who asks it and who it is, and answers when it is let go.
SLOW = """\
#!/bin/sh
echo "$PPID $$" > {folder}/pids.new && mv {folder}/pids.new {folder}/pids
while [ -d {folder} ] && [ ! -e {folder}/go ]; do sleep 0.05; done
echo '{sarif}'
"""


def gate(
    repo: Repo, *args: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None
) -> Ran:
    """`review-gate ARGS` in the repository."""
    return module("reviewgate_gh.commands._gate", *args, cwd=cwd or repo.path, env=env)


def spawn(repo: Repo, *args: str | Path, **more) -> dict:
    done = gate(repo, "spawn-code-review", *(args or ("--commit", "HEAD")), **more)
    assert done.code == 0, done.output
    return json.loads(done.stdout)


def wait(repo: Repo, *args: str, **more) -> tuple[int, dict]:
    done = gate(repo, "wait", "--json", *args, **more)
    return done.code, json.loads(done.stdout)


def sessions(repo: Repo) -> list[Path]:
    home = repo.path / ".git/reviewgate-gh/sessions"
    return sorted(entry for entry in home.iterdir() if entry.is_dir()) if home.exists() else []


def with_command(repo: Repo, *argv: str | Path, more: str = "  builtin: {type: builtin}\n") -> None:
    """A config in which this program is a reviewer."""
    words = json.dumps([str(word) for word in argv])
    unnamed = [name for name in KEYLESS if f"{name}:" not in more]
    left_out = "".join(f"  {name}: off\n" for name in unnamed)
    repo.commit(
        {
            ".reviewgate-gh.yaml": (
                f"reviewers:\n{left_out}"
                f"  own: {{type: command, options: {{argv: {words}}}}}\n{more}"
            )
        },
        "config",
    )


def pids(folder: Path) -> list[int]:
    """The worker and its reviewer, once the reviewer was asked."""
    for _ in range(600):
        if (folder / "pids").exists():
            return [int(word) for word in (folder / "pids").read_text().split()]
        time.sleep(0.05)
    raise AssertionError("the slow reviewer was never asked")
