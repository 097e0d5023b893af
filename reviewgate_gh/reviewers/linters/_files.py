"""Which files of a change a linter reads."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ...git.objects import EXECUTABLE_MODE
from ...model.change import Change, FileDiff
from ...text.paths import is_checked_out, matching_paths
from .._context import ReviewContext
from ._settings import is_linter_settings


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
    return tuple(f.path for f in files if tool.takes(f.path, heads.get(f.path, b"")))


def is_utf8(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def newly_read_paths(
    tool: Any, change: Change, paths: Iterable[str], context: ReviewContext
) -> frozenset[str]:
    """Of the paths those that the tool did not read before: they were not there, or another name,
    mode or `#!` line made code of them, so that all they hold is new. Copies are, too."""
    wanted = set(paths)
    files = [file for file in change.files if file.path in wanted]
    excluded = matching_paths((file.old_path for file in files), context.config.policy.exclude)
    before = [
        replace(file, path=file.old_path, mode=file.old_mode, oid=file.old_oid)
        for file in files
        if file.status not in "AC"
        and file.old_mode.startswith("100")
        and is_utf8(file.old_path)
        and (file.old_path == file.path or file.old_path not in excluded)
    ]
    read = set(taken_paths(tool, before, first_bytes(before, context)))
    return frozenset(file.path for file in files if file.old_path not in read)
