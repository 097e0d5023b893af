"""How a linter is run: on which files, in which folder, with which settings."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...git.objects import EXECUTABLE_MODE
from ...model.change import Change, FileDiff
from ...model.config import LinterOptions
from ...model.languages import is_switched_on, script_language
from ...model.review import ReviewRequest
from ...system import plugins, process
from ...text.paths import glob_matcher, is_checked_out
from .._context import ReviewContext
from .._program import find_program, path_outside_tree
from ._run import LinterJob
from ._settings import (
    IGNORE_FILES,
    executes_code,
    extended_settings,
    is_linter_settings,
    known_settings,
    own_configs,
)


def build_job(
    name: str, program: str, change: Change, context: ReviewContext, *, ours: bool = False
) -> LinterJob:
    """`ours`: with our config, whatever the project has."""
    tool = plugins.load("linters", name)
    paths = tuple(path for path in paths_read(tool, change, context) if is_nameable(tool, path))
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
        _environment(tool, program, change.trusted, context),
        paths,
        root,
        config,
        newly_read_paths(tool, change, paths, context),
        compared=ours or not _needs_tree(name, tool, context),
    )


def build_base_job(request: ReviewRequest, context: ReviewContext) -> LinterJob:
    """The work that is left where others have asked the tool about the head: that on the base."""
    name, change = request.part, request.without_hunks
    tool, trusted = plugins.load("linters", name), change.trusted or not context.environment.in_ci
    path = context.environment.variables.get("PATH", "")
    program = find_program(tool.PROGRAM, context.git, trusted, path) or ""
    root, config = _place(name, tool, (), context)
    newly_read = newly_read_paths(tool, change, paths_read(tool, change, context), context)
    env = _environment(tool, program, change.trusted, context)
    options = _options(name, tool, context)
    return LinterJob(name, tool, options, program, env, (), root, config, newly_read, compared=True)


def _environment(tool: Any, program: str, trusted: bool, context: ReviewContext) -> dict[str, str]:
    """What a tool may know; it may be a script, whose own program is not to come from a foreign
    change either."""
    variables = context.environment.variables
    env = process.clean_environment(variables, {"NO_COLOR": "1"})
    if not trusted:
        env |= {"PATH": path_outside_tree(variables, context.git.tree, program)}
    return env | getattr(tool, "ENVIRONMENT", {})


def _needs_tree(name: str, tool: Any, context: ReviewContext) -> bool:
    """It reads whole packages, or runs the project's own code, which may read anything."""
    return getattr(tool, "NEEDS_TREE", False) or executes_code(name, tool, context)


def _options(name: str, tool: Any, context: ReviewContext) -> LinterOptions:
    """What the user set for it; one that nobody asked for may have a shorter time."""
    options = context.config.linters.get(name, LinterOptions())
    if hasattr(tool, "alone"):
        own = [path for path, _data in own_configs(name, tool, context)]
        options = replace(options, args=(*tool.alone(own), *options.args))
    most = getattr(tool, "SECONDS", options.timeout)
    return options if options.enabled else replace(options, timeout=min(options.timeout, most))


def _default_config(tool: Any) -> Path | None:
    return Path(__file__).with_name("data") / tool.DEFAULT_CONFIG if tool.DEFAULT_CONFIG else None


def _place(
    name: str, tool: Any, paths: tuple[str, ...], context: ReviewContext
) -> tuple[Path, Path | None]:
    """The folder to run in, and our own config where the project has none."""
    checkout, own = context.checkout, own_configs(name, tool, context)
    if hasattr(tool, "CONFIG_FOLDER"):
        here = checkout.work_tree_if_untouched(paths, ())
        rules = checkout.add_aside(f"{name}.yml", tool.assemble(dict(own)))
        return here or checkout.with_files(paths), rules
    extended = [*extended_settings(tool, own, context)]
    accepted = checkout.read_trusted(getattr(tool, "ACCEPTED", ()))
    nested = getattr(tool, "nested_config", bytes) if _is_below_root(own) else bytes
    for path, data in (*((path, nested(data)) for path, data in own), *extended, *accepted.items()):
        checkout.add(path, data)
    if checkout.work_tree_at_head and _needs_tree(name, tool, context):
        root = checkout.work_tree_at_head
    else:
        # The user's own tree holds more than was changed
        alone = extended or getattr(tool, "WHOLE_TREE", False) or _is_below_root(own)
        here = None if alone else _untouched_tree(tool, paths, own, context)
        root = here or _copies(tool, paths, own, context)
    return root, None if own else _default_config(tool)


def _is_below_root(own: Sequence[tuple[str, bytes]]) -> bool:
    """The project's config is of some of its folders alone."""
    return bool(own) and all("/" in path for path, _data in own)


def _untouched_tree(
    tool: Any, paths: tuple[str, ...], own: Sequence[tuple[str, bytes]], context: ReviewContext
) -> Path | None:
    """The user's work tree, where the tool finds there what it would find in copies."""
    here = context.checkout.work_tree_if_untouched(paths, known_settings(tool, context))
    return here if here and not _stray(tool, here, own, context) else None


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


def _stray(tool: Any, tree: Path, own: Sequence[tuple[str, bytes]], context: ReviewContext) -> bool:
    """A config lies in the work tree that the reviewed commit does not hold, or that is another
    tool's, or a list of files to leave out: the tool would take it."""
    known = (
        {path for path, _data in own}
        if hasattr(tool, "configures")
        else {entry.path for entry in known_settings(tool, context)}
    )
    names = [name for name in tool.CONFIG if "*" not in name]
    places = [f"{folder}{name}" for folder in context.checkout.folders for name in names]
    return any(
        os.path.lexists(f"{tree}/{place}")
        for place in (*IGNORE_FILES, *places)
        if place not in known
    )


def paths_read(tool: Any, change: Change, context: ReviewContext) -> tuple[str, ...]:
    files = readable_files(change, context)
    return taken_paths(tool, files, first_bytes(files, context))


def readable_files(change: Change, context: ReviewContext) -> list[FileDiff]:
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


def first_bytes(files: Iterable[FileDiff], context: ReviewContext) -> dict[str, bytes]:
    """The first bytes of the files whose name says nothing, or that are programs: a shebang tells
    the language."""
    asked = {
        f.path: f.oid
        for f in files
        if f.mode == EXECUTABLE_MODE or "." not in f.path.rpartition("/")[2]
    }
    heads = context.checkout.read_first_bytes(asked.values())
    return {path: heads[oid] for path, oid in asked.items()}


def taken_paths(tool: Any, files: Iterable[FileDiff], heads: dict[str, bytes]) -> tuple[str, ...]:
    is_taken = file_matcher(tool)
    return tuple(f.path for f in files if is_taken(f.path, heads.get(f.path, b"")))


def file_matcher(tool: Any) -> Callable[[str, bytes], bool]:
    """Whether a file is the tool's, by its path and its first 256 bytes."""
    is_named = glob_matcher(tool.FILES)
    any_case = getattr(tool, "ANY_CASE", False)
    scripts = getattr(tool, "SCRIPTS", ())
    fits = getattr(tool, "fits", None)

    def is_taken(path: str, head: bytes) -> bool:
        name = path.rpartition("/")[2]
        found = is_named(name) or (any_case and is_named(name.lower()))
        if not found and scripts and head.startswith(b"#!"):
            found = script_language(head) in scripts
        return found and (fits is None or fits(path, head))

    return is_taken


def is_nameable(tool: Any, path: str) -> bool:
    """The tool can print this name so that it is told from what follows."""
    return is_utf8(path) and not ("\n" in path and getattr(tool, "ROWS", False))


def is_utf8(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def newly_read_paths(
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
        and is_utf8(file.old_path)
        and file.path not in context.excluded_before
        and not is_switched_on(file.old_path, file.path)
    ]
    read = set(taken_paths(tool, before, first_bytes(before, context)))
    return frozenset(file.path for file in files if file.old_path not in read)
