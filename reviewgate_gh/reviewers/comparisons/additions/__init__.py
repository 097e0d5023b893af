"""What a change puts there and should not leave: switched off protection, leftovers, one-way
migrations, edits of generated files."""

from ....model.change import FileDiff

CODE_ALONE = False


def wants(file: FileDiff) -> bool:
    """Something was put into it."""
    return any(hunk.new_count for hunk in file.hunks)
