"""Whether a machine starts a file by itself: by its place or mode, or because a pipeline, an image
or a script of the head names it."""

from collections.abc import Callable
from functools import cache

from ..git.grep import find_words
from ..git.objects import read_blobs, read_files
from ..model.change import Change, FileDiff
from ..model.languages import is_executed, script_language
from ..text.paths import matching_paths
from ._context import ReviewContext
from .checks._foreign import may_start
from .checks._paths import is_foreign, is_prose

_MOST_READ = 50  # files that name it


def start_finder(change: Change, context: ReviewContext) -> Callable[[FileDiff], bool]:
    """The answer for each file, asked of git once."""
    known = cache(lambda path, mode, oid: _is_started(path, mode, oid, change.head, context))
    return lambda file: known(file.path, file.mode, file.oid)


def _is_started(path: str, mode: str, oid: str, head: str, context: ReviewContext) -> bool:
    if is_executed(path, mode, read_blobs(context.git, [oid]).get(oid, b"")):
        return True
    # What actions and packages begin with is not left out
    patterns = context.config.policy.exclude
    if path in matching_paths((path,), patterns) and path not in context.excluded:
        return True
    name = path.rpartition("/")[2]
    if "\n" in name:
        return True
    naming = {hit.path for hit in find_words(context.git, head, [name])} - {path}
    if any(map(may_start, naming)):
        return True
    unknown = sorted(
        each for each in naming if "." not in each.rpartition("/")[2] and not is_foreign(each)
    )
    scripts = read_files(context.git, head, unknown[:_MOST_READ])
    return any(script_language(data) and not is_prose(each) for each, data in scripts.items())
