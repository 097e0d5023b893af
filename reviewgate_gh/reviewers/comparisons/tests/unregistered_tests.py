"""Tests that are still there, and that nothing runs any more."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests
from .._remark import WHOLE_FILE, ComparisonRule, put, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word

EVERY_FILE = True
_RULE = ComparisonRule(
    "test-not-run",
    Priority.P2,
    "It is still there, but nothing notices when what it checks breaks. Run it again, or remove it "
    "and say why.",
)
# A test of C is run where it is named: https://github.com/ThrowTheSwitch/Unity, Check, CUnit, GLib
_RUNS = lazy_pattern(
    r"^\s*(?:RUN_TEST|RUN_TEST_CASE|CU_add_test|CU_ADD_TEST|tcase_add_(?:loop_)?test"
    r"|suite_add_tcase"
    r"|g_test_add_func|mu_run_test|MU_RUN_TEST"
    r"|cmocka_unit_test)\s*\((?:[^()]*,\s*)?(?P<name>\w+)\s*\)"
    # Called by the program of the tests itself
    r"|^\s+(?P<called>(?!\w*(?:clean_?up|initiali[sz]e|set_?up|tear_?down|init|reset)\()"
    r"(?:test_\w+|\w+_test))\(\s*\);\s*$"
)
_BUILD_FILE = lazy_pattern(
    r"(?:^|/)(?:CMakeLists\.txt|meson\.build|Makefile(?:\.am)?|BUILD(?:\.bazel)?)$"
)
_ADDS = lazy_pattern(r"^\s*add_test\(\s*(?:NAME\s+)?(?P<name>[\w-]+)")
_LISTED = lazy_pattern(r"^\s*[\"']?(?P<name>[\w-]{4,})(?:\.(?:c|cc|cpp))?[\"']?,?\s*(?:\\\s*)?$")
_TESTS = lazy_pattern(r"(?:^|/)tests?/")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_gone and _FUZZES.search(file.path) and _TARGET.search(file.base):
            yield from _fuzz_target(sources, file)
        if file.is_gone or file.is_new or not file.removed:
            continue
        gone = (
            _no_longer_run(file)
            or _no_longer_built(sources, file)
            or _no_longer_added(sources, file)
            or _test_is_not_built(sources, file)
        )
        if gone:
            line, name = gone
            yield taken(_RULE, file, line, f"a test is no longer run: {name}")


# https://rust-fuzz.github.io/book/cargo-fuzz.html, https://llvm.org/docs/LibFuzzer.html
_FUZZES = lazy_pattern(r"(?i)fuzz")
_TARGET = lazy_pattern(
    r"\bfuzz_target!|\bLLVMFuzzerTestOneInput\b|\batheris\.|\bfuzzerTestOneInput\b"
)
_GONE = replace(
    _RULE,
    name="test-removed",
    advice="What it found can come back unnoticed. Restore it, or say what takes its place.",
)


def _fuzz_target(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A program that gives the code any input is gone, and none comes."""
    more = any(each.is_gone and each is not file and each.is_product for each in sources.files)
    if not more and not any(_TARGET.search(row) for row in sources.added_rows):
        yield put(_GONE, file, WHOLE_FILE, f"a fuzz target is removed: {file.name}")


def _no_longer_run(file: ComparedFile) -> tuple[Line, str] | None:
    """The call that runs it is gone, the function is not."""
    if not file.path.endswith((".c", ".cc", ".cpp", ".h")):
        return None
    for line in file.removed:
        found = _RUNS.match(line.text)
        name = found["name"] or found["called"] if found else ""
        if name and has_word(file.head, name) and not _is_run(file, name):
            return line, name
    return None


def _is_run(file: ComparedFile, name: str) -> bool:
    matches = (_RUNS.match(row) for row in file.head_rows)
    return any(found and name in (found["name"], found["called"]) for found in matches)


def _no_longer_built(sources: ComparisonInput, file: ComparedFile) -> tuple[Line, str] | None:
    """A list of the tests' build file loses the name of a source that is still beside it."""
    if not (_BUILD_FILE.search(file.path) and _TESTS.search(file.path)):
        return None
    for line in file.removed:
        found = _LISTED.match(line.text)
        if found and not has_word(file.head, found["name"]):
            source = re.compile(re.escape(file.folder + found["name"]) + r"\.(?:c|cc|cpp)")
            if any(map(source.fullmatch, sources.list_head())):
                return line, found["name"]
    return None


# https://cmake.org/cmake/help/latest/command/add_executable.html
_BUILDS = lazy_pattern(r"^\s*add_executable\(\s*(?P<name>[\w-]+)\s+(?P<sources>[^)]*)")


def _test_is_not_built(sources: ComparisonInput, file: ComparedFile) -> tuple[Line, str] | None:
    """CMake: the program of a test is no longer built, and its source is still there."""
    if file.name != "CMakeLists.txt":
        return None
    for line in file.removed:
        found = _BUILDS.match(line.text)
        paths = [f"{file.folder}{path}" for path in found["sources"].split()] if found else []
        tests = [path for path in paths if is_tests(path) or "test" in path.rpartition("/")[2]]
        left = [path for path in tests if path in sources.list_head()]
        name = left[0].rpartition("/")[2] if left else ""
        if name and name not in file.head and name not in sources.added_text:
            return line, left[0]
    return None


def _no_longer_added(sources: ComparisonInput, file: ComparedFile) -> tuple[Line, str] | None:
    """CMake still builds the program of a test, and `ctest` no longer knows it.
    https://cmake.org/cmake/help/latest/command/add_test.html"""
    if file.name != "CMakeLists.txt":
        return None
    for line in file.removed:
        found = _ADDS.match(line.text)
        program = re.search(r"\bCOMMAND\s+\"?([\w-]+)", line.text) if found else None
        added = any("add_test" in new.text for each in sources.files for new in each.added)
        if found and program and not added and has_word(file.head, program[1]):
            return line, found["name"]
    return None
