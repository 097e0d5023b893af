"""Tests: which are gone, which no longer run, and which check less."""

from ....model.change import FileDiff
from ...checks._paths import is_tests

_MARKS = (b"#[test", b"#[ignore", b"@Test", b"assert_eq!(", b"assert!(")

CODE_ALONE = True  # they see no comments


def wants(file: FileDiff) -> bool:
    """A test by its path, or code with tests among it."""
    return is_tests(file.path) or any(mark in hunk.body for hunk in file.hunks for mark in _MARKS)
