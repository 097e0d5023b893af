"""Tests: which are gone, which no longer run, and which check less."""

from ....model.change import FileDiff
from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests

_BUILDS = lazy_pattern(
    r"(?:^|/)(?:CMakeLists\.txt|meson\.build|(?:GNU)?[Mm]akefile(?:\.am)?|BUILD(?:\.bazel)?"
    r"|SConscript|SConstruct|wscript|Cargo\.toml|Package\.swift)$|\.(?:cmake|mk|pr[io]|gypi?|bzl)$"
)
_MARKS = (b"@Test",)

CODE_ALONE = True  # they see no comments


def wants(file: FileDiff) -> bool:
    """A test by its path, or code with tests among it."""
    return (
        is_tests(file.path)
        or file.path.endswith(".rs")  # whose tests stand below the code
        or _BUILDS.search(file.path) is not None  # which says what tests there are
        or any(mark in hunk.body for hunk in file.hunks for mark in _MARKS)
    )
