"""Tests that ran and are switched off now, and tests that keep all others from running."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import PIPELINES
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line
from .._tests import Test, find_tests, has_tests, hidden_tests
from ._under_conditions import left_out

EVERY_FILE = False
_SKIPPED = ComparisonRule(
    "test-skipped",
    Priority.P2,
    "What it checks can break unnoticed while it is off. Fix the test or the code, or link the "
    "issue that says when it will be back.",
)
_LINKED = ComparisonRule(
    "test-skipped",
    Priority.P3,
    "What it checks can break unnoticed while it is off. Make sure that the issue next to it says "
    "when it will be back.",
)
_FOCUSED = ComparisonRule(
    "test-focused",
    Priority.P1,
    "The runner then leaves out every other test of the file or the run, and still reports "
    "success. Remove the focus before merging.",
)
_SKIPS = (
    "kip", "isabled", "gnore", "xit", "xdescribe", "xtest", "xfail", "todo", "pending", "fixme",
    "DISABLED_", "expectedFailure", "failing", "Incomplete", "xplicit", "enabled",
)  # fmt: skip
_FOCUSES = ("only", "fit(", "fit ", "fdescribe", "focus", "solo:", "fcontext", "fspecify")
_WORDS = tuple(word.encode() for word in (*_SKIPS, *_FOCUSES))
_ABOVE = 12  # lines
_ISSUE = lazy_pattern(r"https?://|\B#\d+\b|\b[A-Z]{2,10}-\d+\b|\b(?:issue|bug)s?[ /]#?\d+", re.I)
# Three words at least, which say more than that it fails
_REASON = lazy_pattern(
    r"\b(?:reason|because|message|Skip)\b\s*[=:(]\s*[\"'][^\"']*\w+\s+\w+\s+\w+[^\"']*[\"']"
)
_MODULE = lazy_pattern(
    r"^pytestmark\s*=.*\bskip\b(?!if)|^pytest\.skip\(.*allow_module_level\s*=\s*True|^@Skip\b"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file with focused tests, and one a file with tests that are switched off."""
    for file in sources.files:
        if not has_tests(file.path):
            continue
        if file.is_test or file.mentions(b"#[ignore", b"#[test"):
            yield from _hidden(file)
            yield from islice(_only_with_tag(sources, file), 1)
            yield from _left_out(sources, file)
            if file.added and file.mentions(*_WORDS):
                yield from _in_file(file)


def _only_with_tag(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Go: the tests of a file are built only where somebody asks for it.
    https://pkg.go.dev/cmd/go#hdr-Build_constraints"""
    if not file.path.endswith("_test.go") or file.is_new or _TAG.search(file.written.base):
        return
    for line in file.written.added:
        found = _TAG.match(line.text)
        if found and find_tests(file.diff.old_path, file.base):
            places = sources.find_words([found["tag"]])[found["tag"]]
            # Nothing runs them with it; a pipeline may have it among the values of a matrix
            if not any("-tags" in each.text or PIPELINES.search(each.path) for each in places):
                title = f"these tests now run only with the tag {found['tag']}"
                yield put(_SKIPPED, file, line, title)


# Those of a platform, or of the language's version, are ordinary
_TAG = lazy_pattern(
    r"(?m)^//(?:go:build| \+build)\s+(?P<tag>(?!(?:linux|darwin|windows|unix|cgo|go1|amd64|arm64"
    r"|race|js|wasm|\w*bsd|android|ios)\b)[a-z]\w*)\s*$"
)


def _left_out(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """One finding about the tests that are no longer compiled."""
    out = [*left_out(sources, file)]
    for name, line in out[:1]:
        more = f" and {len(out) - 1} more" if len(out) > 1 else ""
        yield put(_SKIPPED, file, line, f"a test is no longer compiled: {name}{more}")


def _hidden(file: ComparedFile) -> Iterator[Finding]:
    """One finding about the tests that the runner no longer takes for such."""
    hidden = [*hidden_tests(file).items()]
    for name, line in hidden[:1]:
        more = f" and {len(hidden) - 1} more" if len(hidden) > 1 else ""
        title = f"a test no longer runs: {name}{more}"
        test = find_tests(file.diff.old_path, file.base)[name]
        yield put(_SKIPPED, file, line, title, quoted(file.base_rows[test.line - 1]))


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    before = find_tests(file.diff.old_path, file.base)
    whole = [line for line in file.added if _MODULE.search(line.text)] if before else []
    skipped: list[tuple[Test, Test]] = []
    focused: list[Test] = []
    none_ran = _skips_all(file)
    now = find_tests(file.path, file.head)
    ran, runs = _running(before), _running(now)
    for name, test in now.items():
        old = before.get(name)
        if test.focused and not (old and old.focused):
            focused.append(test)
        elif not (test.skipped and old) or whole or runs[test.name] >= ran[test.name]:
            continue
        elif not (old.skipped or none_ran) and _is_new(file, test):
            skipped.append((test, old))
    if focused:
        yield _focus(file, focused)
    if skipped:
        yield _skip(file, skipped)
    for line in whole:
        yield put(_SKIPPED, file, line, "all tests of this file are skipped", "they ran")


def _focus(file: ComparedFile, focused: Sequence[Test]) -> Finding:
    """One finding for all tests that keep others from running."""
    test = focused[0]
    more = f" and {len(focused) - 1} more" if len(focused) > 1 else ""
    what = "suite" if test.suite else "test"
    line = Line(test.line, file.head_rows[test.line - 1])
    return put(_FOCUSED, file, line, f"only this {what} runs now: {test.name}{more}")


def _skip(file: ComparedFile, skipped: Sequence[tuple[Test, Test]]) -> Finding:
    """One finding for all tests that are skipped, each as it is and as it was."""
    test, old = skipped[0]
    more = f" and {len(skipped) - 1} more" if len(skipped) > 1 else ""
    line = _skip_line(file, Line(test.line, file.head_rows[test.line - 1]))
    near = "\n".join(file.written.head_rows[max(0, line.number - 4) : line.number])
    rule = hint(_SKIPPED) if _REASON.search(near) else _SKIPPED
    rule = _LINKED if _ISSUE.search(near) else rule
    title = f"a test is skipped: {test.name}{more}"
    return put(rule, file, line, title, quoted(file.base_rows[old.line - 1]))


def _running(tests: Mapping[str, Test]) -> Counter[str]:
    """How many tests of each name run: several classes of a file may name theirs alike."""
    return Counter(test.name for test in tests.values() if not test.skipped)


def _skips_all(file: ComparedFile) -> bool:
    """What ran before each test of a class skipped them."""
    return any(
        _SKIPS_ALL.match(row) and file.base_code.unit(number).rpartition(".")[2] in _SET_UPS
        for number, row in enumerate(file.base_rows, 1)
    )


# https://docs.python.org/3/library/unittest.html#unittest.TestCase.setUp,
# https://docs.seattlerb.org/minitest/Minitest/Test/LifecycleHooks.html
_SET_UPS = ("setUp", "setup", "set_up", "setUpClass", "setup_method", "setup_class")
_SKIPS_ALL = lazy_pattern(r"\s*(?:self\.|\$this->|pytest\.)?(?:skip(?:Test)?|markTestSkipped)\b")


def _is_new(file: ComparedFile, test: Test) -> bool:
    """What skips it is new: what skipped all tests may skip this one now."""
    if file.path.endswith(".dart"):
        return True  # it says so itself, maybe far below
    near = (line for line in file.added if test.line - _ABOVE <= line.number <= test.last)
    return any(any(word in line.text for word in _SKIPS) for line in near)


def _skip_line(file: ComparedFile, line: Line) -> Line:
    """The added line that switches the test off: beside its first line, or that itself."""
    near = [each for each in file.added if abs(each.number - line.number) <= 12]
    fits = [each for each in near if any(word in each.text for word in _SKIPS)]
    return min(fits, key=lambda each: abs(each.number - line.number), default=line)
