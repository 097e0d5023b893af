"""Setting a repository up: the files that `init` writes, shown as a plan before they are
written."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct, to_builtins

from .. import __version__
from ..git import Git, tree_files
from ..hook.install import (
    HookLocation,
    find_hook_location,
    install_hook_file,
    install_obstacle,
    is_up_to_date,
)
from ..model.config import Config, LinterOptions
from ..model.errors import UsageError
from ..settings.descriptions import DESCRIPTIONS, description_key
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE
from ..text.yaml import YamlLine, yaml_lines
from ..trust.approvals import approve_content, load_approvals
from .trust import record_trusted_branch

_HEAD = """\
# What differs from the defaults of reviewgate-gh. Every key is here with its default: uncomment
# what you change, with its section.
#   reviewgate-gh config check    is this file valid?
#   reviewgate-gh config show     which values apply, and where do they come from?
version: 1
"""
_EXAMPLE = "ruff"


def starter_config() -> str:
    """`.reviewgate-gh.yaml` as a start."""
    plain = to_builtins(Config())
    del plain["version"]
    plain["linters"] = {_EXAMPLE: to_builtins(LinterOptions())}
    said: set[str] = set()
    return _HEAD + "".join(
        f"{line}\n" for row in yaml_lines(plain) for line in _explained(row, said)
    )


def _explained(row: YamlLine, said: set[str]) -> Iterator[str]:
    """The row as a comment, after what its key means; without the outer `# ` it is YAML again."""
    indent = row.text[: len(row.text) - len(row.text.lstrip())]
    if len(row.path) == 1:
        yield ""
    key = description_key(row.path) if row.path else ""
    if key in DESCRIPTIONS and key not in said:
        said.add(key)
        yield f"# {indent}# {DESCRIPTIONS[key]}"
    yield f"# {row.text}"


def starter_workflow(version: str) -> str:
    """`.github/workflows/reviewgate.yml` that installs exactly this release."""
    return _WORKFLOW.replace("VERSION", version)


# The gate runs isolated (-I) from a virtual environment outside the checkout: no module is imported
# from the reviewed commits. https://docs.python.org/3/using/cmdline.html#cmdoption-I
_WORKFLOW = """\
# Reviews every pull request, and what the merge queue is about to merge, with reviewgate-gh.
# It needs no secret.
name: Review gate

on:
  pull_request:
    types: [opened, synchronize, reopened, ready_for_review]
  merge_group:

permissions: {}

concurrency:
  group: reviewgate-${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}
  cancel-in-progress: true

jobs:
  review:
    name: Review
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      contents: read # to check the commits out
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
          fetch-depth: 0
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0
        with:
          python-version: "3.13"
      - name: Install
        run: |
          python -I -m venv "$RUNNER_TEMP/reviewgate-gh"
          "$RUNNER_TEMP/reviewgate-gh/bin/python" -I -m pip install --quiet \\
            --disable-pip-version-check "reviewgate-gh[linters]==VERSION"
      - name: Review
        env:
          REVIEWGATE_GH_INPUT_FAIL_ON: block # concerns: fail on concerns too; never: only report
        run: |
          "$RUNNER_TEMP/reviewgate-gh/bin/python" -I -m reviewgate_gh action
"""


WORKFLOW_FILE = ".github/workflows/reviewgate.yml"


class SetupStep(Struct, frozen=True):
    """One thing to do: what it is in words, and the deed, which says what it did; None where there
    is nothing to do, or where it is left to the user, for a reason."""

    description: str
    run: Callable[[], tuple[str, ...]] | None
    blocked_by: UsageError | None = None


def plan_setup(
    git: Git, environment: Environment, workflow: bool, hook: bool
) -> tuple[SetupStep, ...]:
    """What `init` would do here.

    Raises:
        UsageError: there is no work tree, or git runs no hooks here.
    """
    steps = [
        _file(
            git, CONFIG_FILE, starter_config(), "the configuration, with every default as a comment"
        )
    ]
    if workflow:
        steps.append(
            _file(
                git,
                WORKFLOW_FILE,
                starter_workflow(__version__),
                "a workflow that reviews pull requests and the merge queue",
            )
        )
    if hook:
        steps.append(_hook(git, environment))
    return tuple(steps)


def _file(git: Git, name: str, text: str, what: str) -> SetupStep:
    path = tree_files.path_in_top(git, name)
    if os.path.lexists(path):
        return SetupStep(f"kept     {name}: it already exists", None)
    if left := _no_folder(git, path):
        return SetupStep(f"left     for you to do: {left.message}; {left.hint}", None, left)
    return SetupStep(f"write    {name}: {what}", lambda: _written(git, path, name, text))


def _no_folder(git: Git, path: Path) -> UsageError | None:
    """Why a file cannot lie there: a link may lead out of the repository, and git takes no file
    from behind one."""
    top = tree_files.top_folder(git)
    for folder in path.parents[: len(path.relative_to(top).parts) - 1]:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            what = "a symbolic link" if folder.is_symlink() else "not a folder"
            return UsageError(
                f"{folder.relative_to(top)} is {what}", "make it a folder, or use --no-workflow"
            )
    return None


def _written(git: Git, path: Path, name: str, text: str) -> tuple[str, ...]:
    """Write the file. The user asked for this very content, so it counts without another
    approval."""
    tree_files.replace_file(path, text.encode())
    approve_content(git, [(name, text.encode())])
    return (f"written: {name} (commit it)",)


def _hook(git: Git, environment: Environment) -> SetupStep:
    place = find_hook_location(git, environment.variables)
    if place.caller and not place.installed:
        return SetupStep(f"kept     {place.caller}: it already calls reviewgate-gh", None)
    if is_up_to_date(place, sys.executable):
        return SetupStep(f"kept     {place.hook}: it is already installed", None)
    if not place.installed and (left := install_obstacle(git, place)):
        return SetupStep(f"left     for you to do: {left.message}; {left.hint}", None, left)
    verb = "renew   " if place.installed else "install "
    before = (
        "; the existing hook runs first"
        if not place.installed and os.path.lexists(place.hook)
        else ""
    )
    return SetupStep(
        f"{verb} {place.hook}: it reviews every push{before}", lambda: install_hook(git, place)
    )


def install_hook(git: Git, location: HookLocation) -> tuple[str, ...]:
    """Install the hook, and record the branch whose settings count from now on; what was done, a
    line each."""
    said, known = install_hook_file(git, location, sys.executable), load_approvals(git).branch
    branch = record_trusted_branch(git)
    where = branch.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    return (
        (*said, f"changes that are not approved use the settings of {where}")
        if branch != known
        else said
    )
