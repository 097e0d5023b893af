"""Tests that are still there, and that nothing runs any more."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests
from .._guards import code_of
from .._remark import WHOLE_FILE, ComparisonRule, put, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word
from .._tests import find_tests

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
        if name := _no_longer_found(sources, file):
            title = f"tests are no longer found by their name: {file.name} was {name}"
            yield put(_RULE, file, WHOLE_FILE, title)
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


# Which files a runner takes for tests, unless it is told otherwise:
# https://docs.pytest.org/en/stable/explanation/goodpractices.html#test-discovery,
# https://docs.python.org/3/library/unittest.html#test-discovery, https://pkg.go.dev/cmd/go#hdr-Test_packages,
# https://hexdocs.pm/mix/Mix.Tasks.Test.html, https://docs.phpunit.de/en/12.0/organizing-tests.html
_FOUND_BY_NAME = {
    ".py": lazy_pattern(r"(?:^|/)(?:test\w*|\w+_test)\.py$"),
    ".go": lazy_pattern(r"_test\.go$"),
    ".exs": lazy_pattern(r"_test\.exs$"),
    ".php": lazy_pattern(r"Test\.php$"),
}
_TOLD_OTHERWISE = ("python_files", "test_pattern", "test_load_filters")


def _no_longer_found(sources: ComparisonInput, file: ComparedFile) -> str:
    """The name that a file of tests had, where its new one hides them from the runner, and nothing
    names the file: "" for any other file."""
    old, (stem, dot, suffix) = file.diff.old_path, file.name.rpartition(".")
    found = _FOUND_BY_NAME.get(dot + suffix)
    if old == file.path or file.is_gone or found is None:
        return ""
    if found.search(file.path) or not found.search(old):
        return ""
    before, now = find_tests(old, file.base), find_tests(file.path, file.head)
    left = [name for name, test in now.items() if name in before and not before[name].skipped]
    places = sources.find_words((stem, *_TOLD_OTHERWISE)) if left else {}
    if not left or any(place.path != file.path for each in places.values() for place in each):
        return ""
    return old.rpartition("/")[2]


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
    """A row calls it, alone or within an expression, or gives it to something else."""
    word = re.escape(name)
    called = re.compile(
        rf"(?:^\s+|[(&|!=?:,;{{]\s*|\breturn\s+|\belse\s+|\bco_await\s+)(?:\w+::)*{word}\s*\("
        rf"|[(,{{]\s*&?(?:\w+::)*{word}\s*[,)}}]"
    )
    codes = (code_of(row) for row in file.head_rows if name in row)
    return any(
        _is_named(code, name)
        or (code[:1].isspace() and called.search(code) and not _BEGINS.search(code))
        for code in codes
    )


def _is_named(code: str, name: str) -> bool:
    """The line runs the test in the words of a framework, wherever it stands."""
    found = _RUNS.match(code)
    return found is not None and name in (found["name"], found["called"])


# A definition, or the macro of one; a condition does so too, and runs what it names
_BEGINS = lazy_pattern(r"^(?!.*\b(?:if|while|for|switch|else|return)\b).*\)[^;]*\{\s*$")


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


_LISTS = lazy_pattern(
    r"(?:^|/)(?:CMakeLists\.txt|meson\.build|(?:GNU)?[Mm]akefile(?:\.am)?|BUILD(?:\.bazel)?"
    r"|SConscript|SConstruct|wscript|Cargo\.toml|Package\.swift|lib\.rs|mod\.rs|main\.rs)$"
    r"|\.(?:cmake|mk|pr[io]|gypi?|bzl)$"
)
_WORDS = lazy_pattern(r"[\w./+-]*\w")
_SUFFIX = lazy_pattern(r"\.(?:c|cc|cpp|cxx|mm?|rs|o|obj|lo|swift)$")
_GLOBS = lazy_pattern(r"(?i)\bglob\b|\*\.|\*_test|wildcard")
_RUST_MODULE = lazy_pattern(r"\s*(?:pub(?:\(\w+\))?\s+)?mod\s+(?P<name>\w+);")


def _test_is_not_built(sources: ComparisonInput, file: ComparedFile) -> tuple[Line, str] | None:
    """What says which sources are built, folders or files, no longer names one of tests that is
    still there."""
    if not _LISTS.search(file.path) or any(map(_GLOBS.search, sources.added_rows)):
        return None
    named = {*_stems(file.head), *_stems(sources.added_text)}
    for line in file.removed:
        for word in _named_in(file, line.text):
            if word in named or _stem(word) in named:
                continue
            if path := _tests_at(sources, file, word):
                return line, path
    return None


def _named_in(file: ComparedFile, text: str) -> Iterator[str]:
    bare = text.partition("#")[0] if not file.path.endswith((".rs", ".swift")) else text
    if file.path.endswith(".rs"):
        found = _RUST_MODULE.match(text)
        yield from [found["name"]] if found else []
    else:
        yield from _WORDS.findall(bare)


def _stems(text: str) -> Iterator[str]:
    return (_stem(word) for word in _WORDS.findall(text))


def _stem(word: str) -> str:
    return _SUFFIX.sub("", word).rpartition("/")[2]


def _tests_at(sources: ComparisonInput, file: ComparedFile, word: str) -> str:
    """The source of tests that a word of a build file names, or one below the folder."""
    stem = _SUFFIX.sub("", f"{file.folder}{word.removeprefix('./')}")
    ends = ("", "/mod") if file.path.endswith(".rs") else ("",)
    exact = {f"{stem}{end}{suffix}" for end in ends for suffix in _SOURCES}
    below = f"{stem}/" if _FOLDERS.search(file.path) and is_tests(f"{stem}/a.c") else ""
    if file.name == "Package.swift":
        below = f"Tests/{word}/"
    for path in sources.list_head():
        if path in exact or (below and path.startswith(below)):
            text = sources.read_head([path]).get(path, "")
            if find_tests(path, text):
                return path
    return ""


_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm", ".rs")
_FOLDERS = lazy_pattern(r"(?:^|/)(?:CMakeLists\.txt|meson\.build)$")


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
