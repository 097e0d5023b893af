"""The linters that fit the changed files, each asked separately; one module a tool: which files,
which command, how its output is read."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...git import Git, tree_files
from ...git.objects import EXECUTABLE_MODE, TreeEntry
from ...model.change import Change, FileDiff
from ...model.config import LinterOptions
from ...model.errors import GateError
from ...model.languages import is_switched_on
from ...model.limits import ConfigSection
from ...model.review import PartialReview, Review, ReviewRequest, ReviewStatus
from ...system import plugins, process
from ...system.parallel import BackgroundCall
from ...text.paths import glob_matcher, is_checked_out
from ...text.visible import show_hidden
from ...trust.named_files import unapproved_file
from .._context import ReviewContext
from .._program import find_program, is_program_installed, path_outside_tree
from ._review import ask_files, join_parts, join_reviews
from ._run import LinterJob

_APPROVE = "see what would run and approve it: reviewgate-gh trust"
_NO_TREE = (
    "it reads whole packages, so it runs only in a work tree that is the reviewed commit: commit "
    "or stash the rest"
)
_SHARED_FILES = ("pyproject.toml", "setup.cfg", "tox.ini", "package.json")
# Workflows are often named after the tool that they run, and are nobody's settings
_WORKFLOWS = ".github/workflows/"
RULE_FILES = ("*.yml", "*.yaml")
_IGNORE_FILES = (".semgrepignore", ".gitleaksignore")


class Options(ConfigSection, frozen=True):
    """None of its own: tools are set under `linters` of the config."""


def load_linters() -> None:
    """Read every linter, since all of them are asked whether they fit."""
    glob_matcher(_config_names())


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """The tools that have something to read."""
    return tuple(name for name in files_of_tools(change, context) if _wanted(name, context))


def files_of_tools(change: Change, context: ReviewContext) -> dict[str, tuple[str, ...]]:
    """The files that each tool would read, whether or not it is wanted here; none without any."""
    files = _readable(change, context)
    heads = _heads(files, context)
    taken = {
        name: _taken(plugins.load("linters", name), files, heads)
        for name in plugins.names("linters")
    }
    return {name: paths for name, paths in taken.items() if paths}


def is_expected(name: str, context: ReviewContext) -> bool:
    """It runs on every machine, and not only where it is installed."""
    enabled = context.config.linters.get(name, LinterOptions()).enabled
    return bool(plugins.load("linters", name).DEFAULT) if enabled is None else enabled


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """One tool's answer.

    Of a tool that runs because it is installed here, no answer is no gap but for the languages that
    it reads: its findings stay, and its files count as not reviewed.
    """
    started = context.environment.clock()
    part, job = _ask(request, context)
    if job is None:
        return _excused(part.review, context)
    left = context.timeout - (context.environment.clock() - started)
    return _excused(join_parts([part], job, request, replace(context, timeout=left)), context)


def is_per_file(part: str) -> bool:
    """What this tool says of a file depends on no other file, so that several machines can share
    the files."""
    return getattr(plugins.load("linters", part), "PER_FILE", False)


def review_files(
    request: ReviewRequest, options: Options, context: ReviewContext, paths: Collection[str]
) -> PartialReview:
    """What the tool says of those of the files that are its own; `join_files` makes one review of
    all such answers."""
    return _ask(request, context, paths)[0]


def join_files(
    parts: Sequence[PartialReview],
    request: ReviewRequest,
    options: Options,
    context: ReviewContext,
) -> Review:
    """The answers of several machines about their files as one review. Where the base must be asked
    about more, that is done here."""
    if all(part.review.status in _NOT_RUN for part in parts):
        return _excused(join_reviews(parts), context)
    return _excused(join_parts(parts, _base_job(request, context), request, context), context)


_NOT_RUN = (ReviewStatus.UNAVAILABLE, ReviewStatus.SKIPPED)


def _excused(answer: Review, context: ReviewContext) -> Review:
    if not answer.status.broken or _is_asked_for(answer.part, context):
        return answer
    return replace(answer, status=ReviewStatus.SKIPPED, required=False)


def _ask(
    request: ReviewRequest, context: ReviewContext, only: Collection[str] | None = None
) -> tuple[PartialReview, LinterJob | None]:
    """The tool's answer as it comes, about these of its files (None: all), and how it was asked;
    None where it was not.

    It is asked before the hunks are known, and anew where files turn out to be binary.
    """
    name = request.part
    tool, settings = (
        plugins.load("linters", name),
        context.config.linters.get(name, LinterOptions()),
    )
    path = context.environment.variables.get("PATH", "")
    if why := context.refused_linters.get(name):
        return _not_asked(name, ReviewStatus.SKIPPED, why)
    program = find_program(
        tool.PROGRAM,
        context.git,
        request.without_hunks.trusted or not context.environment.in_ci,
        path,
    )
    if program is None:
        where = (
            " outside the work tree (a copy inside it may come from this change)"
            if is_program_installed(tool.PROGRAM, path)
            else ""
        )
        reason = f"{tool.PROGRAM} is not installed{where}; {tool.INSTALL}"
        # A project's own rules are wanted wherever there are such
        required = settings.enabled is True or hasattr(tool, "CONFIG_FOLDER")
        return _not_asked(name, ReviewStatus.UNAVAILABLE, reason, required)
    if getattr(tool, "NEEDS_TREE", False) and context.checkout.work_tree_at_head is None:
        return _not_asked(name, ReviewStatus.SKIPPED, _NO_TREE, required=False)
    if _executes(name, tool, context) and (
        reason := _must_not_execute(name, tool, request.change, context)
    ):
        if not _may_use_ours(tool, request.change):
            return _not_asked(name, ReviewStatus.SKIPPED, reason, required=False)
        job = _job(name, program, request.without_hunks, context, ours=True)
        answer = ask_files(job, request, context)
        note = f"read with the gate's own settings: {reason}"
        return replace(answer, review=replace(answer.review, note=note)), job
    job = _job(name, program, request.without_hunks, context)
    answer = _answer(job.limited_to(only), request, context)
    asked, readable = (
        _paths(tool, change, context) for change in (request.without_hunks, request.change)
    )
    if readable != asked:
        job = replace(job, paths=tuple(filter(_is_utf8, readable)))
        answer = _answer(job.limited_to(only), request, context)
    unnamed = tuple(
        path for path in readable if not _is_utf8(path) and (only is None or path in only)
    )
    return replace(answer, review=_without(answer.review, unnamed)), job


def _not_asked(
    name: str, status: ReviewStatus, why: str, required: bool = True
) -> tuple[PartialReview, None]:
    return PartialReview(Review("linters", name, status, error=why, required=required)), None


def _may_use_ours(tool: Any, change: Change) -> bool:
    """A tool whose settings here may run code can read the files under ours in their place: no
    settings are laid beside them, since the change has none."""
    is_its = glob_matcher(tool.CONFIG)
    return (
        getattr(tool, "WHEN_INSTALLED", False)
        and tool.DEFAULT_CONFIG is not None
        and not any(is_its(file.path.rpartition("/")[2]) for file in change.files)
    )


def _executes(name: str, tool: Any, context: ReviewContext) -> bool:
    """It runs the project's own code: always, or since the settings that it would take say so."""
    if tool.EXECUTES_CONFIG or not hasattr(tool, "executes"):
        return bool(tool.EXECUTES_CONFIG)
    own = _own_configs(name, tool, context)
    return any(tool.executes(data) for _path, data in (*own, *_extended(tool, own, context)))


def _must_not_execute(name: str, tool: Any, change: Change, context: ReviewContext) -> str:
    """Why a tool that runs the project's own code is left out; "" where that code is approved, as a
    change or by its content."""
    if not (change.trusted or change.made_here):
        return (
            "it executes the project's own code, so it runs only on changes that you made or "
            f"approved; {_APPROVE}"
        )
    if context.checkout.work_tree_at_head is None:
        return (
            "it executes the project's own code, so it runs only in a work tree that is the "
            "reviewed commit"
        )
    if change.trusted:
        return ""
    if context.checkout.differs_from_head(path for path in _paths(tool, change, context)):
        return (
            "this change adds comments that may suppress its findings, and it reads the work "
            f"tree directly; {_APPROVE}"
        )
    # Untracked ones, too
    here = (
        path
        for each in find_linter_settings(context.git)
        if each.name == name
        for path in each.paths
    )
    configs = {path for path, _data in _own_configs(name, tool, context)} | {
        *context.checkout.head_settings(glob_matcher(tool.CONFIG)),
        *here,
    }
    if not configs:
        return (
            "it executes the project's own code, and has no configuration here that could be "
            f"approved; {_APPROVE}"
        )
    try:
        file = unapproved_file(context.git, change.approvals, [tool.PROGRAM], configs)
    except GateError as error:
        return f"{error.message}; {error.hint}"
    return (
        f"it would execute {file}, whose current content is not approved; {_APPROVE}"
        if file
        else ""
    )


class LinterSettingsFiles(Struct, frozen=True):
    """A linter's settings in the work tree, and whether they can run code."""

    name: str
    executes: bool
    paths: tuple[str, ...]


def find_linter_settings(git: Git) -> tuple[LinterSettingsFiles, ...]:
    """Every linter that files of the work tree configure, among those that git tracks or would
    add."""
    rows = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", in_tree=True)
    fits = glob_matcher(_config_names())
    names = plugins.names("linters")
    paths_here = dict.fromkeys(os.fsdecode(rows).split("\0"))
    folders = {getattr(plugins.load("linters", name), "CONFIG_FOLDER", None) for name in names}
    paths = [
        path
        for path in paths_here
        if fits(path.rpartition("/")[2]) or path.rpartition("/")[0] in folders
    ]
    data = {
        path: data
        for path in paths
        if not path.startswith(_WORKFLOWS) and (data := _regular(git, path)) is not None
    }
    found = []
    for name in names:
        tool = plugins.load("linters", name)
        is_its = glob_matcher(tool.CONFIG)
        own = tuple(
            path
            for path in data
            if is_its(path.rpartition("/")[2]) and _configures(name, path, data[path])
        ) or _in_folder(tool, data)
        if own:
            paths_of = (*own, *_extended_here(tool, git, {path: data[path] for path in own}))
            by_content = getattr(tool, "executes", lambda content: False)
            executes = tool.EXECUTES_CONFIG or any(
                by_content(data.get(path) or _regular(git, path) or b"") for path in paths_of
            )
            found.append(LinterSettingsFiles(name, executes, paths_of))
    return tuple(found)


def _in_folder(tool: Any, paths: Iterable[str]) -> tuple[str, ...]:
    folder, fits = getattr(tool, "CONFIG_FOLDER", None), glob_matcher(RULE_FILES)
    return tuple(
        path
        for path in paths
        if path.rpartition("/")[0] == folder and fits(path.rpartition("/")[2])
    )


def _extended_here(tool: Any, git: Git, own: dict[str, bytes]) -> list[str]:
    """The files of the work tree that these settings build on, and those that they build on."""
    extends, known, new = getattr(tool, "extends", None), set(own), own
    while extends and new:
        names = {
            normpath(join(dirname(path), name))
            for path, data in new.items()
            for name in extends(data)
        } - known
        new = {
            name: data
            for name in names
            if not name.startswith(("/", "../")) and (data := _regular(git, name)) is not None
        }
        known |= names
    return sorted(known - set(own)) if extends else []


def _regular(git: Git, path: str) -> bytes | None:
    place = (git.tree or git.private_folder) / path
    return tree_files.read_or_none(place) if place.is_file() and not place.is_symlink() else None


def _answer(job: LinterJob, request: ReviewRequest, context: ReviewContext) -> PartialReview:
    """What it says of the commit's files: where it read the user's own, and these changed
    meanwhile, it is asked about copies."""
    if job.root != context.git.tree:
        return ask_files(job, request, context)
    known = _known(job.tool, context)
    # While the tool is at work
    before = BackgroundCall(context.checkout.work_tree_if_equal, job.paths, known)
    answer = ask_files(job, request, context)
    if before.result() and context.checkout.work_tree_if_equal(job.paths, known):
        return answer
    if job.tool.EXECUTES_CONFIG or getattr(job.tool, "NEEDS_TREE", False):
        why = "the work tree changed while it was running: run this again"
        failed = replace(answer.review, status=ReviewStatus.FAILED, error=why)
        return replace(answer, review=failed)
    return ask_files(replace(job, root=context.checkout.with_files(job.paths)), request, context)


def _paths(tool: Any, change: Change, context: ReviewContext) -> tuple[str, ...]:
    files = _readable(change, context)
    return _taken(tool, files, _heads(files, context))


def _environment(program: str, trusted: bool, context: ReviewContext) -> dict[str, str]:
    """What a tool may know; it may be a script, whose own program is not to come from a foreign
    change either."""
    env = process.clean_environment(context.environment.variables, {"NO_COLOR": "1"})
    return (
        env
        if trusted
        else env
        | {"PATH": path_outside_tree(context.environment.variables, context.git.tree, program)}
    )


def _job(
    name: str, program: str, change: Change, context: ReviewContext, *, ours: bool = False
) -> LinterJob:
    """`ours`: with our config, whatever the project has."""
    tool = plugins.load("linters", name)
    paths = tuple(filter(_is_utf8, _paths(tool, change, context)))
    root, config = (
        (context.checkout.with_files(paths), _default_config(tool))
        if ours
        else _place(name, tool, paths, context)
    )
    return LinterJob(
        name,
        tool,
        _options(name, tool, context),
        program,
        {**_environment(program, change.trusted, context), **getattr(tool, "ENVIRONMENT", {})},
        paths,
        root,
        config,
        _newly_read(tool, change, paths, context),
        compared=ours or not _needs_tree(name, tool, context),
    )


def _base_job(request: ReviewRequest, context: ReviewContext) -> LinterJob:
    """The work that is left where others have asked the tool about the head: that on the base."""
    name, change = request.part, request.without_hunks
    tool, trusted = plugins.load("linters", name), change.trusted or not context.environment.in_ci
    path = context.environment.variables.get("PATH", "")
    program = find_program(tool.PROGRAM, context.git, trusted, path) or ""
    root, config = _place(name, tool, (), context)
    newly_read = _newly_read(tool, change, _paths(tool, change, context), context)
    env = {**_environment(program, change.trusted, context), **getattr(tool, "ENVIRONMENT", {})}
    options = _options(name, tool, context)
    return LinterJob(name, tool, options, program, env, (), root, config, newly_read, compared=True)


def _needs_tree(name: str, tool: Any, context: ReviewContext) -> bool:
    """It reads whole packages, or runs the project's own code, which may read anything."""
    return getattr(tool, "NEEDS_TREE", False) or _executes(name, tool, context)


def _options(name: str, tool: Any, context: ReviewContext) -> LinterOptions:
    """What the user set for it; one that nobody asked for may have a shorter time."""
    options = context.config.linters.get(name, LinterOptions())
    most = getattr(tool, "SECONDS", options.timeout)
    return options if options.enabled else replace(options, timeout=min(options.timeout, most))


def _default_config(tool: Any) -> Path | None:
    return Path(__file__).with_name("data") / tool.DEFAULT_CONFIG if tool.DEFAULT_CONFIG else None


def _newly_read(
    tool: Any, change: Change, paths: Iterable[str], context: ReviewContext
) -> frozenset[str]:
    """Of the paths those that the tool did not read before: they were not there, or another name,
    mode or `#!` line made code of them, so that all they hold is new. Copies are, too."""
    wanted = set(paths)
    files = [file for file in change.files if file.path in wanted]
    before = [
        replace(file, path=file.old_path, mode=file.old_mode, oid=file.old_oid)
        for file in files
        if file.status not in "AC"
        and file.old_mode.startswith("100")
        and _is_utf8(file.old_path)
        and file.path not in context.excluded_before
        and not is_switched_on(file.old_path, file.path)
    ]
    read = set(_taken(tool, before, _heads(before, context)))
    return frozenset(file.path for file in files if file.old_path not in read)


def _without(answer: Review, unnamed: tuple[str, ...]) -> Review:
    """Most tools cannot print a name that is not UTF-8, so what they would say about such a file
    would be lost.

    Where there is no other file the tool was not asked, and that is no review of this one either.
    """
    if not unnamed or answer.status not in (ReviewStatus.OK, ReviewStatus.SKIPPED):
        return answer
    error = f"it cannot name {show_hidden(unnamed[0])}: give the file a name in UTF-8"
    return replace(answer, status=ReviewStatus.FAILED, error=error, required=True)


def _wanted(name: str, context: ReviewContext) -> bool:
    enabled = context.config.linters.get(name, LinterOptions()).enabled
    if enabled is not None:
        return enabled
    tool = plugins.load("linters", name)
    if hasattr(tool, "CONFIG_FOLDER"):
        return bool(_own_configs(name, tool, context))
    return bool(tool.DEFAULT) or (
        is_program_installed(tool.PROGRAM, context.environment.variables.get("PATH", ""))
        and (getattr(tool, "WHEN_INSTALLED", False) or bool(_own_configs(name, tool, context)))
    )


def _is_asked_for(name: str, context: ReviewContext) -> bool:
    """It belongs to the default gate, or the user or the project wants it."""
    tool, enabled = plugins.load("linters", name), context.config.linters.get(name, LinterOptions())
    return bool(tool.DEFAULT or enabled.enabled or _own_configs(name, tool, context))


def is_linter_settings(path: str) -> bool:
    """A name under which a linter that reads foreign changes looks for its settings: those of the
    change itself must not count."""
    return (
        not path.startswith(_WORKFLOWS)
        and _settings_names().fullmatch(path.rpartition("/")[2]) is not None
    )


@cache
def _settings_names() -> re.Pattern[str]:
    tools = (plugins.load("linters", name) for name in plugins.names("linters"))
    globs = {
        *_IGNORE_FILES,
        *(glob for tool in tools if not tool.EXECUTES_CONFIG for glob in tool.CONFIG),
    }
    return re.compile("|".join(translate(glob) for glob in sorted(globs)), re.IGNORECASE)


def _readable(change: Change, context: ReviewContext) -> list[FileDiff]:
    files = [
        f
        for f in change.files
        if f.is_text_file and f.path not in context.excluded and is_checked_out(f.path)
    ]
    return (
        files
        if change.settings_commit == change.head
        else [f for f in files if not is_linter_settings(f.path)]
    )


def _heads(files: Iterable[FileDiff], context: ReviewContext) -> dict[str, bytes]:
    """The first bytes of the files whose name says nothing, or that are programs: a shebang tells
    the language."""
    asked = {
        f.path: f.oid
        for f in files
        if f.mode == EXECUTABLE_MODE or "." not in f.path.rpartition("/")[2]
    }
    heads = context.checkout.read_first_bytes(asked.values())
    return {path: heads[oid] for path, oid in asked.items()}


def _is_utf8(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _taken(tool: Any, files: Iterable[FileDiff], heads: dict[str, bytes]) -> tuple[str, ...]:
    return tuple(f.path for f in files if tool.takes(f.path, heads.get(f.path, b"")))


def _own_configs(name: str, tool: Any, context: ReviewContext) -> list[tuple[str, bytes]]:
    """Path and content of the project's files that configure this tool."""
    if hasattr(tool, "CONFIG_FOLDER"):
        return [*context.checkout.settings_in(tool.CONFIG_FOLDER, RULE_FILES).items()]
    contents = context.checkout.settings_contents(
        entry for entry in _known(tool, context) if not entry.path.startswith(_WORKFLOWS)
    )
    return [(path, data) for path, data in contents.items() if _configures(name, path, data)]


def _known(tool: Any, context: ReviewContext) -> list[TreeEntry]:
    """The files beside the changed ones, or above them, that have the names of this tool's
    settings."""
    beside, is_its = context.checkout.find_settings(_config_names()), glob_matcher(tool.CONFIG)
    return [entry for base, found in beside.items() if is_its(base) for entry in found]


@cache
def _config_names() -> tuple[str, ...]:
    """Every tool's, so that the folders are listed once."""
    return tuple(
        sorted(
            {
                glob
                for name in plugins.names("linters")
                for glob in plugins.load("linters", name).CONFIG
            }
        )
    )


def _configures(name: str, path: str, data: bytes) -> bool:
    if path.rpartition("/")[2] not in _SHARED_FILES:
        return True
    word = re.escape(name.replace("_", "-").encode())
    return (
        re.search(
            rb"(?m)^\s*\[\[?(?:tool\.)?" + word + rb'\b|^\s*"' + word + rb'(?:Config)?"\s*:', data
        )
        is not None
    )


def _place(
    name: str, tool: Any, paths: tuple[str, ...], context: ReviewContext
) -> tuple[Path, Path | None]:
    """The folder to run in, and our own config where the project has none."""
    checkout, own = context.checkout, _own_configs(name, tool, context)
    if hasattr(tool, "CONFIG_FOLDER"):
        here = checkout.work_tree_if_untouched(paths, ())
        rules = checkout.add_aside(f"{name}.yml", tool.assemble(dict(own)))
        return here or checkout.with_files(paths), rules
    extended = [*_extended(tool, own, context)]
    accepted = checkout.read_trusted(getattr(tool, "ACCEPTED", ()))
    for path, data in (*own, *extended, *accepted.items()):
        checkout.add(path, data)
    if checkout.work_tree_at_head and _needs_tree(name, tool, context):
        root = checkout.work_tree_at_head
    else:
        # The user's own tree holds more than was changed
        alone = extended or getattr(tool, "WHOLE_TREE", False) or _is_below_root(own)
        here = None if alone else _untouched_tree(tool, paths, context)
        root = here or _copies(tool, paths, own, context)
    return root, None if own else _default_config(tool)


def _is_below_root(own: Sequence[tuple[str, bytes]]) -> bool:
    """The project's config is of some of its folders alone."""
    return bool(own) and all("/" in path for path, _data in own)


def _untouched_tree(tool: Any, paths: tuple[str, ...], context: ReviewContext) -> Path | None:
    """The user's work tree, where the tool finds there what it would find in copies."""
    here = context.checkout.work_tree_if_untouched(paths, _known(tool, context))
    return here if here and not _stray(tool, here, context) else None


def _copies(
    tool: Any, paths: tuple[str, ...], own: Sequence[tuple[str, bytes]], context: ReviewContext
) -> Path:
    """The folder of copies, with what the tool looks for around them."""
    root, default = context.checkout.with_files(paths), _default_config(tool)
    if own:  # our defaults are about the files alone
        context.checkout.add_empty_files(getattr(tool, "NEIGHBOURS", ()))
    if default and _is_below_root(own):  # ends the tool's search upwards, out of the folder
        context.checkout.add(tool.CONFIG[0], default.read_bytes())
    return root


def _extended(
    tool: Any, own: list[tuple[str, bytes]], context: ReviewContext
) -> Iterator[tuple[str, bytes]]:
    """The files of the trusted side that the project's config builds on, and those that they build
    on."""
    extends = getattr(tool, "extends", None)
    known, new = {path for path, _data in own}, own if extends else []
    while extends and new:
        named = {
            normpath(join(dirname(path), name)) for path, data in new for name in extends(data)
        }
        new = [
            *context.checkout.read_trusted(
                sorted(name for name in named - known if not name.startswith(("/", "../")))
            ).items()
        ]
        known |= named
        yield from new


def _stray(tool: Any, tree: Path, context: ReviewContext) -> bool:
    """A config lies in the work tree that the reviewed commit does not hold, or a list of files to
    leave out: the tool would take it."""
    known = {entry.path for entry in _known(tool, context)}
    names = [name for name in tool.CONFIG if "*" not in name]
    places = [f"{folder}{name}" for folder in context.checkout.folders for name in names]
    return any(
        os.path.lexists(f"{tree}/{place}")
        for place in (*_IGNORE_FILES, *places)
        if place not in known
    )
