"""Tests: which are gone, which no longer run, and which check less."""

from ....model.change import FileDiff
from ...checks._paths import is_tests

_MARKS = (b"@Test",)

CODE_ALONE = True  # they see no comments


def wants(file: FileDiff) -> bool:
    """A test by its path, or code with tests among it."""
    return (
        is_tests(file.path)
        or file.path.endswith(".rs")  # whose tests stand below the code
        or file.path.endswith("CMakeLists.txt")  # which says what tests there are
        or any(mark in hunk.body for hunk in file.hunks for mark in _MARKS)
    )
