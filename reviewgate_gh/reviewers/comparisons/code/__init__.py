"""Code that is gone while what it served stays: checks, handlers, definitions."""

from ....model.change import FileDiff

CODE_ALONE = True  # they see no comments


def wants(file: FileDiff) -> bool:
    """Something was taken out of it, or it is no longer where it was."""
    return any(hunk.old_count for hunk in file.hunks) or file.status in ("D", "R")
