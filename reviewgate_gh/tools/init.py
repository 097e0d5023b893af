"""Setting a repository up: the files that `init` writes, shown as a plan before they are
written."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from .. import __version__
from ..agents.setup import FileEdit, choose_agents, plan_files
from ..git import Git, tree_files
from ..hook.install import (
    HookLocation,
    find_hook_location,
    install_hook_file,
    install_obstacle,
    is_up_to_date,
)
from ..model.errors import UsageError
from ..reporters._words import PROGRAM_NAME
from ..system.environment import Environment
from ..system.search_path import find_in_folders
from ..text.config_file import CONFIG_FILE
from ..text.patterns import lazy_pattern
from ..trust.approvals import approve_content, load_approvals
from .trust import record_trusted_branch

STARTER_CONFIG = """\
# How reviewgate-gh reviews this repository. Without this file the defaults apply, as below.
#   reviewgate-gh config check        is this file valid?
#   reviewgate-gh config show         which values apply, and where do they come from?
#   reviewgate-gh config reference    every key with its meaning and its default
version: 1

# policy:
#   finding_threshold: P1     # what blocks: P0, P1, P2, P3 or none
#   coverage: report          # require: code that no reviewer for its language read is inconclusive

# Language models and coding agents beside the linters, under names of your choice.
# reviewers:
#   claude: {type: claude}

# What a rule weighs here: P0 to P3, or off.
# rules:
#   ruff/S*: {priority: P3, paths: [scripts/]}

# What the Action comments on at its line, if its workflow gives it a token.
# publish:
#   inline_from: P2
"""
_ACTION = lazy_pattern(r"[\w.-]{1,100}/[\w.-]{1,100}@(?:[0-9a-f]{40}|[0-9a-f]{64})")
# OWNER/NAME@COMMIT of the release that this is; "" for every other build
RELEASED_ACTION = ""


def starter_workflow(action: str) -> str:
    """`.github/workflows/reviewgate.yml` that runs the Action at exactly this commit; that of this
    release has its version beside it, which programs that update Actions read."""
    return _WORKFLOW.replace("ACTION", _with_version(action))


def _with_version(action: str) -> str:
    return f"{action} # v{__version__}" if action == RELEASED_ACTION else action


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
      - uses: ACTION
        id: gate
        with:
          fail-on: block # concerns: fail on concerns too; never: only report
      - name: Keep the report
        if: always() && steps.gate.outputs.html != ''
        continue-on-error: true # the verdict counts, whether or not its report can be kept
        uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        with:
          name: reviewgate-gh
          path: |
            ${{ steps.gate.outputs.html }}
            ${{ steps.gate.outputs.json }}
          if-no-files-found: error
"""


def commands_workflow(action: str) -> str:
    """`.github/workflows/reviewgate-commands.yml`, which answers commands in comments by the Action
    at exactly this commit."""
    return _COMMANDS.replace("ACTION", _with_version(action))


_COMMANDS = """\
# Carries out the commands that people with write permission give in comments on pull requests; the
# comment /reviewgate-gh help lists them. GitHub runs the default branch's copy of this file, with a
# token that may comment, for pull requests from forks, too. So nothing of a pull request is checked
# out or run here: its commits are fetched as objects and read.
name: Review gate commands

on:
  # Only what writers ask for is done, and no code of the pull request runs.
  issue_comment: # zizmor: ignore[dangerous-triggers] see above
    types: [created]

permissions: {}

# Equal commands run one after another, and of those that wait GitHub keeps the last. Every other
# comment has a group of its own, so that none is lost.
concurrency:
  group: >-
    reviewgate-commands-${{ github.event.issue.number }}-${{
    github.event.comment.body == '/reviewgate-gh review' && 'review' ||
    github.event.comment.body == '/reviewgate-gh recheck' && 'recheck' ||
    github.event.comment.id }}
  cancel-in-progress: false

jobs:
  answer:
    name: Answer
    if: >-
      github.event.issue.pull_request && github.event.comment.user.type == 'User' &&
      contains(github.event.comment.body, '/reviewgate-gh')
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    permissions:
      contents: read # to check the default branch out, and to fetch the pull request as objects
      pull-requests: write # to comment and to react
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
          fetch-depth: 0
      - uses: ACTION
        with:
          token: ${{ github.token }}
"""


WORKFLOW_FILE = ".github/workflows/reviewgate.yml"
COMMANDS_FILE = ".github/workflows/reviewgate-commands.yml"


class SetupStep(Struct, frozen=True):
    """One thing to do: what it is in words, and the deed, which says what it did; None where there
    is nothing to do, or where it is left to the user, for a reason."""

    description: str
    run: Callable[[], tuple[str, ...]] | None
    blocked_by: UsageError | None = None


class SetupChoice(Struct, frozen=True):
    """Which parts are set up; `action` is OWNER/NAME@COMMIT of the Action for the workflows, "" for
    that of this release. `agents` are coding agents, separated by commas."""

    workflow: bool = True
    commands: bool = False
    hook: bool = True
    action: str = ""
    agents: str = ""


def plan_setup(git: Git, environment: Environment, choice: SetupChoice) -> tuple[SetupStep, ...]:
    """What `init` would do here.

    Raises:
        UsageError: there is no work tree, git runs no hooks here, the Action is not named by a
            commit, or an agent is not known.
    """
    steps = [_file(git, CONFIG_FILE, STARTER_CONFIG, "a configuration to start from")]
    action = choice.action or RELEASED_ACTION
    if choice.workflow:
        what = "a workflow that reviews pull requests and the merge queue"
        steps.append(_workflow(git, action, (WORKFLOW_FILE, what, starter_workflow)))
    if choice.commands:
        what = "a workflow that answers commands in comments"
        steps.append(_workflow(git, action, (COMMANDS_FILE, what, commands_workflow)))
    if choice.hook:
        steps.append(_hook(git, environment))
    if choice.agents:
        steps += _agents(git, environment, choice.agents)
    return tuple(steps)


def _agents(git: Git, environment: Environment, wanted: str) -> Iterator[SetupStep]:
    names = choose_agents(wanted, git, environment)
    for edit in plan_files(names, git):
        yield _agent_file(git, edit)
    if find_in_folders(PROGRAM_NAME, environment.variables.get("PATH", "").split(os.pathsep)):
        return
    yield SetupStep(
        f"note     {PROGRAM_NAME} is not on PATH, where agents look for it: install it with pipx, "
        "or start the agents in a shell where it is",
        None,
    )


def _agent_file(git: Git, edit: FileEdit) -> SetupStep:
    path = tree_files.path_in_top(git, edit.path)
    if edit.problem:
        left = UsageError(
            f"{edit.path}: {edit.problem}", f"put this into it yourself:\n{edit.paste}"
        )
        return SetupStep(
            f"left     for you to do: {left.message}; {left.hint.rstrip()}", None, left
        )
    if edit.data is None:
        return SetupStep(f"kept     {edit.path}: it has what it needs", None)
    if obstacle := _no_folder(git, path):
        told = f"left     for you to do: {obstacle.message}; {obstacle.hint}"
        return SetupStep(told, None, obstacle)
    data = edit.data

    def write() -> tuple[str, ...]:
        tree_files.replace_file(path, data)
        return (f"written: {edit.path} (commit it)",)

    return SetupStep(f"{'write   ' if edit.is_new else 'add to  '} {edit.path}: {edit.what}", write)


def _workflow(git: Git, action: str, file: tuple[str, str, Callable[[str], str]]) -> SetupStep:
    name, what, text = file
    if os.path.lexists(tree_files.path_in_top(git, name)):
        return _file(git, name, "", what)
    if not action:
        # Who owns a package's name in an index can put any program there
        why = "this is not a release build, so it has no commit of the Action to pin a workflow to"
        option = " --commands" if name == COMMANDS_FILE else ""
        hint = f"{PROGRAM_NAME} init{option} --action OWNER/NAME@COMMIT"
        return SetupStep(f"skip     {name}: {why}; to write it: {hint}", None)
    if not _ACTION.fullmatch(action):
        raise UsageError(
            f"{action!r} does not name a commit of an Action",
            "give it as OWNER/NAME@COMMIT, with all 40 digits of the commit that you have read",
        )
    return _file(git, name, text(action), what)


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
