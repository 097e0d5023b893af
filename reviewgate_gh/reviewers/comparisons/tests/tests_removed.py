"""Tests that a change takes away while what they test stays."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._idle_tests import is_run_by_pattern, is_run_by_pipeline, was_never_included
from .._related import go_together, touches_subject
from .._remark import WHOLE_FILE, ComparisonRule, hint, put, taken
from .._sources import ComparedFile, ComparisonInput, Line, squeeze
from .._tests import (
    Gone,
    Test,
    find_tests,
    has_tests,
    hidden_tests,
    product_shrinks,
)
from ._assertion_words import ALWAYS
from ._assertions_kept import may_assert
from ._subjects import is_called_elsewhere, is_moot, subject_shrinks, vanished_words, went_with_file
from ._successors import (
    accepts_more,
    call_the_same,
    calls_of,
    calls_what_stays,
    is_about_refusal,
    is_edited_in_place,
    is_helper_now,
    is_written_anew,
)
from ._tables import called, called_in_tables

EVERY_FILE = False
_RULE = ComparisonRule(
    "test-removed",
    Priority.P2,
    "What it checked can now break unnoticed. Restore it, or say in the commit what makes it "
    "unnecessary.",
)
_TIDIED = "Other tests of the file change, too."
_BESIDE = "The change brings other tests of the same code."
_MOST_NAMED = 3


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change that loses tests."""
    files = [*filter(_holds_tests, sources.files)]
    if not any(file.removed for file in files):
        return
    tests = _tests_of(files)
    gone = tests.gone()
    texts = {file.path: file for file in files}
    every = tests.born(_paths_beside(sources, files, gone))
    born, beside = _successors(sources, texts, gone, tests, every)
    lost = [test for found in gone.values() for test in found if not test.suite]
    if len(born) >= len(lost) or _may_have_moved(gone, beside):  # renamed, split or rewritten
        return
    if len(born) + len(beside) >= len(lost) and not _is_swap(sources, texts, gone, tests, beside):
        return
    if product_shrinks(sources, gone):
        return
    vanished = vanished_words(sources, gone)
    copies = _bodies(tests.now, {file.path: file.head for file in files})
    left = [
        (file, test)
        for file in filter(lambda file: gone[file.path], files)
        if not _was_reworked(sources, files, file, gone, every - born)
        and not subject_shrinks(sources, file, gone)
        for test in _lost(sources, file, gone[file.path], vanished)
        if not (_body(file.base, test) in copies or _stands_elsewhere(files, file, tests, test))
    ]
    if len(left) > len(born):
        yield _finding(hint(_RULE, _BESIDE) if beside else _rule(left), left)


def _may_have_moved(gone: Gone, beside: Collection[tuple[str, str]]) -> bool:
    """To the other file, where it is written in another way."""
    losing = {path for path, found in gone.items() if any(not test.suite for test in found)}
    return not {path for path, _name in beside} <= losing


def _is_titled(files: Sequence[ComparedFile], test: Test) -> bool:
    """Its title, which says more than a name, is still a text of the tests: something else takes
    it, such as a function of the project's own that makes the test."""
    if test.name.count(" ") < _TITLE_WORDS - 1:
        return False
    return any(f"{sign}{test.name}{sign}" in file.head for file in files for sign in "\"'`")


_TITLE_WORDS = 3


def _paths_beside(sources: ComparisonInput, files: Sequence[ComparedFile], gone: Gone) -> set[str]:
    """The files whose new tests may do the work of those that are gone."""
    losing = [file for file in files if any(not test.suite for test in gone[file.path])]
    return {file.path for file in files if any(go_together(sources, each, file) for each in losing)}


def _rule(left: Sequence[tuple[ComparedFile, Test]]) -> ComparisonRule:
    """How much the loss of these tests weighs."""
    tidied = any(_acts(line.text) for file, _test in left for line in _added_to_tests(file))
    return hint(_RULE, _TIDIED) if tidied else _RULE


def _is_of_some_version(file: ComparedFile, test: Test) -> bool:
    """What stands above it keeps it from running with the others."""
    above = file.base_rows[max(0, test.line - 1 - _ABOVE) : test.line - 1]
    marks = takewhile(lambda row: row.lstrip().startswith(("@", "#[", "[")), reversed(above))
    return any(map(_OF_VERSION.search, marks))


def _may_refuse(file: ComparedFile, test: Test) -> bool:
    """It asserts something, fails by itself, or hands that on to what its file or its framework
    has."""
    declared = f"{test.name}("
    own = (r.partition("{")[2] if declared in r and "{" in r else r for r in _own_rows(file, test))
    rows = [r for r in own if not ALWAYS.search(r)]
    if any(may_assert(row) or _FAILS.search(row) for row in rows):
        return True
    return any(
        re.search(rf"\b(?:def|func|fn|fun|function|void|sub|const|let)\b.*\b{name}\b", file.base)
        for name in called(rows) - {test.name}
    )


_FAILS = lazy_pattern(
    r"(?i)\b(?:raise|throw|panic|unwrap|die|exit|error|fatal)\b|[(,]\s*t\s*[,)]|\?;"
)


_ABOVE = 4  # lines
# With those of today it is left out
_OF_VERSION = lazy_pattern(
    r"(?i)\bskip_?(?:if)?\(.*(?:version\w*(?:\[0\])?\s*>|\bPY3\b)"
    r"|\bskip_?unless\(.*(?:version\w*(?:\[0\])?\s*<"
    r"|\bPY2\b)|DisabledForJreRange\(min|EnabledForJreRange\(max"
)


def _lost(
    sources: ComparisonInput, file: ComparedFile, tests: Sequence[Test], vanished: frozenset[str]
) -> Iterator[Test]:
    """Those that checked something which is still there, where nothing shows what checks that
    now."""
    hidden, tables = hidden_tests(file), called_in_tables(file, tests)
    for test in tests:
        if (
            not test.suite
            and test.name not in hidden
            and not _is_of_some_version(file, test)
            and _may_refuse(file, test)
            and any(map(_acts, _own_rows(file, test)))
            and not went_with_file(sources, file, test)
            and not is_edited_in_place(file, test)
            and not is_helper_now(file, test)
            and not is_moot(file, test, vanished)
            and not _is_folded(sources, file, test, tables)
            and not is_called_elsewhere(sources, file, test)
            and not is_run_by_pipeline(sources, file, test)
            and not is_run_by_pattern(sources, file, test)
            and not was_never_included(sources, file, test)
        ):
            yield test


class _TestsOfChange(NamedTuple):
    """The tests of each file by their names, on both sides."""

    before: Mapping[str, Mapping[str, Test]]
    now: Mapping[str, Mapping[str, Test]]

    def gone(self) -> Gone:
        """Those that no file has any more, but for what was skipped."""
        alive = {_bare(name) for tests in self.now.values() for name in tests}
        return {
            path: [
                test
                for name, test in tests.items()
                if _bare(name) not in alive and not test.skipped
            ]
            for path, tests in self.before.items()
        }

    def born(self, paths: Collection[str]) -> set[tuple[str, str]]:
        """The new ones in these files, by path and name: several files may name theirs alike."""
        return {
            (path, name)
            for path, tests in self.now.items()
            if path in paths
            for name in tests
            if name not in self.before[path]
        }


_MOST_PAIRS = 10_000  # of tests; more are a rewrite


Keys = set[tuple[str, str]]


def _successors(
    sources: ComparisonInput,
    files: Mapping[str, ComparedFile],
    gone: Gone,
    tests: _TestsOfChange,
    born: Collection[tuple[str, str]],
) -> tuple[Keys, Keys]:
    """Those of the new tests that are one that is gone, written anew, and the others that call the
    same code."""
    lost = [(files[path].base, test) for path, found in gone.items() for test in found]
    lost = [(text, test) for text, test in lost if not test.suite]
    if not lost or not born or len(lost) * len(born) > _MOST_PAIRS:
        return {*born}, set()
    new = {key: (files[key[0]].head, tests.now[key[0]][key[1]]) for key in born}
    about = calls_of(sources, [*lost, *new.values()])
    same = {
        key
        for key, one in new.items()
        if one[1].suite or any(is_written_anew(other, one) for other in lost)
    }
    rest = {key: one for key, one in new.items() if key not in same}
    return same, {
        key for key, one in rest.items() if any(call_the_same(other, one, about) for other in lost)
    }


def _is_swap(
    sources: ComparisonInput,
    files: Mapping[str, ComparedFile],
    gone: Gone,
    tests: _TestsOfChange,
    beside: Keys,
) -> bool:
    """The new tests do not stand for those that are gone: fewer of them are about what is refused,
    or nothing changes that would call for others."""
    lost = [(files[path].base, each) for path, found in gone.items() for each in found]
    new = [(files[path].head, tests.now[path][name]) for path, name in beside]
    if sum(map(is_about_refusal, lost)) > sum(map(is_about_refusal, new)):
        return not accepts_more(sources.files)
    changed = any(touches_subject(sources, files[path]) for path, found in gone.items() if found)
    changed = changed and not calls_what_stays(sources, lost)
    return not changed and len(new) <= len([each for each in lost if not each[1].suite])


def _tests_of(files: Sequence[ComparedFile]) -> _TestsOfChange:
    return _TestsOfChange(
        {file.path: find_tests(file.diff.old_path, file.base) for file in files},
        {file.path: find_tests(file.path, file.head) for file in files},
    )


# Their methods may be called as what they stand for has it
_HELPERS = lazy_pattern(
    r"(?i)helper|^(?!tests?[_.-]).*(?:fake|stub|dumm(?:y|ies))(?!.*[_.-](?:test|spec)s?\.)"
)


def _holds_tests(file: ComparedFile) -> bool:
    return (
        has_tests(file.path)
        and not _HELPERS.search(file.name)
        and (file.is_test or file.mentions(b"#[test]", b"@Test"))
    )


def _own_rows(file: ComparedFile, test: Test) -> Iterator[str]:
    """The lines below a test's name, up to its end where brackets or words show that."""
    rows = file.base_rows
    depth = len(rows[test.line - 1]) - len(rows[test.line - 1].lstrip())
    for row in rows[test.line : test.last]:
        if row.strip() in _ENDS and len(row) - len(row.lstrip()) <= depth:
            return
        yield row


_ENDS = ("}", "end", "})", "});")


def _acts(row: str) -> bool:
    """A statement: neither a comment nor a bracket, nor what announces the next test."""
    bare = code_of(row).strip(" \t{}();")
    return bool(bare) and not bare.startswith(("@", "[", "fun ", "public ", "func ", "def ", "end"))


def _bare(name: str) -> str:
    """Another framework, or another style, writes the same name so."""
    return "".join(re.findall(r"\w", name.lower())).replace("_", "").removeprefix("test")


def _was_reworked(
    sources: ComparisonInput,
    files: Sequence[ComparedFile],
    file: ComparedFile,
    gone: Gone,
    unrelated: Collection[tuple[str, str]],
) -> bool:
    """What the tests are about changes, and so do other tests than those that are gone: somebody
    went through them."""
    if not touches_subject(sources, file):
        return False
    return any(
        len(line.text.strip()) > 3
        and not line.text.lstrip().startswith(("import ", "from ", "use "))
        for other in files
        if (other.is_test or gone[other.path]) and go_together(sources, file, other)
        for line in _added_beside(other, unrelated)
    )


def _added_beside(file: ComparedFile, unrelated: Collection[tuple[str, str]]) -> Iterator[Line]:
    """What the change adds to a file of tests, but for new tests of something else."""
    tests = find_tests(file.path, file.head)
    others = [test for name, test in tests.items() if (file.path, name) in unrelated]
    for line in _added_to_tests(file):
        if not any(test.line <= line.number <= test.last for test in others):
            yield line


def _added_to_tests(file: ComparedFile) -> Iterator[Line]:
    """The added lines of a file of tests; of a file with code as well, those of its tests."""
    if file.is_test:
        yield from file.added
        return
    tests = find_tests(file.path, file.head).values()
    for line in file.added:
        if any(test.line <= line.number <= test.last for test in tests):
            yield line


def _bodies(tests: Mapping[str, Mapping[str, Test]], texts: Mapping[str, str]) -> set[str]:
    """What the tests at head do."""
    return {_body(texts[path], test) for path, found in tests.items() for test in found.values()}


def _body(text: str, test: Test) -> str:
    rows = _rows(text)[test.line : test.last]
    return "".join(squeeze(row) for row in rows if len(row.strip()) > 3)


@lru_cache(2)  # asked for test by test
def _rows(text: str) -> list[str]:
    return text.split("\n")


def _stands_elsewhere(
    files: Sequence[ComparedFile], file: ComparedFile, tests: _TestsOfChange, test: Test
) -> bool:
    return _body(file.base, test) in _doubles(tests, file, test) or _is_titled(files, test)


def _doubles(tests: _TestsOfChange, file: ComparedFile, gone: Test) -> set[str]:
    """What the file's other tests did that are still there, whatever they do now."""
    now = tests.now[file.path]
    same = (test for name, test in tests.before[file.path].items() if name in now)
    return {_body(file.base, test) for test in same if not test.suite and test is not gone}


def _is_folded(
    sources: ComparisonInput, file: ComparedFile, test: Test, tables: Collection[str]
) -> bool:
    """Its statements stand in another test now, or it became a row of a table: a test for many
    values came, which calls what it called."""
    body = file.base_rows[test.line : test.last]
    rows = [squeeze(row) for row in body if len(row.strip()) > 8]
    kept = sum(row in sources.added_statements for row in rows)
    return kept * 2 > len(rows) or not called(body).isdisjoint(tables)


def _finding(rule: ComparisonRule, gone: list[tuple[ComparedFile, Test]]) -> Finding:
    names = ", ".join(test.name for _file, test in gone[:_MOST_NAMED])
    more = f" and {len(gone) - _MOST_NAMED} more" if len(gone) > _MOST_NAMED else ""
    count = "a test is" if len(gone) == 1 else f"{len(gone)} tests are"
    title = f"{count} removed: {names}{more}"
    file, first = gone[0]
    line = Line(first.line, file.base_rows[first.line - 1])
    finding = (
        put(rule, file, WHOLE_FILE, title, "they were in this file")
        if file.is_gone
        else taken(rule, file, line, title)
    )
    paths = {each.path for each, _test in gone}
    return replace(finding, places=tuple(sorted(paths - {file.path})))
