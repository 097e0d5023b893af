"""Code that is gone while what it served stays: checks, handlers, definitions."""

from ....model.change import FileDiff


def wants(file: FileDiff) -> bool:
    """Something was taken out of it, or it is no longer where it was."""
    return any(hunk.old_count for hunk in file.hunks) or file.status in ("D", "R")
