"""Excluded files: our quick way and the library agree."""

from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from reviewgate_gh.model.change import FileDiff
from reviewgate_gh.model.config import DEFAULT_EXCLUDES
from reviewgate_gh.text.paths import denied_files, matching_paths

PARTS = st.sampled_from(
    [
        "a",
        "vendor",
        "x.min.js",
        "a_pb2.py",
        "b.lock",
        "poetry.lock",
        "node_modules",
        "src",
        "c.snap",
        ".x",
        "VENDOR",
        "[b]",
    ]
)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
PATTERNS = st.lists(
    st.sampled_from(["vendor/", "vendor", "*.min.js", "*_pb2.py", "[ab]", "?", "*", ".*", "src/",
        "!b.lock", "/a",
                     "src/*.js", "a/**/b", "# x", ""]), max_size=4
)  # fmt: skip


def by_library(paths, patterns):
    spec = GitIgnoreSpec.from_lines(patterns)
    return frozenset(path for path in paths if spec.match_file(path))


@given(st.lists(PATHS, max_size=8), PATTERNS)
def test_equal_to_the_library(paths, patterns):
    assert matching_paths(paths, patterns) == by_library(paths, patterns)


@given(st.lists(PATHS, max_size=8))
def test_the_defaults_are_equal_to_the_library(paths):
    assert matching_paths(paths, DEFAULT_EXCLUDES) == by_library(paths, DEFAULT_EXCLUDES)


def test_the_defaults_name_what_nobody_reviews():
    paths = [
        "package-lock.json",
        "web/yarn.lock",
        "vendor/a.go",
        "src/pip/_vendor/six.py",
        "third-party/a.c",
        "a/node_modules/b/c.js",
        "api_pb2.py",
        "x.min.css",
        "t/__snapshots__/a.txt",
        "dist/index.js",
        "src/app.py",
        "src/vendors/app.py",
    ]
    assert matching_paths(paths, DEFAULT_EXCLUDES) == frozenset(paths[:-2])


def test_a_file_that_leaves_a_denied_place_stays_denied():
    def moved(old, new):
        return FileDiff(new, old, "R", "100644", "100644", "0" * 40, "1" * 40)

    files = [moved("keys/a", "src/a"), moved("src/b", "keys/b"), moved("src/c", "lib/c")]
    assert denied_files(files, ["keys/"]) == {"src/a", "keys/b"}
