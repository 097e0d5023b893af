"""Tests that ran, and that a pipeline leaves out from now on: they are skipped where the
environment says that it is one."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put
from .._sources import ComparedFile, ComparisonInput, Line, squeeze
from .._tests import find_tests, has_tests

EVERY_FILE = False
_RULE = ComparisonRule(
    "test-skipped",
    Priority.P2,
    "No pipeline will notice when what it checks breaks. Run it there, or link the issue that says "
    "when it will be back.",
)
_WORDS = (b"CI", b"GITHUB_ACTIONS", b"TRAVIS", b"JENKINS", b"TF_BUILD", b"BUILDKITE")
# https://docs.github.com/actions/reference/variables-reference#default-environment-variables,
# https://docs.gitlab.com/ci/variables/predefined_variables/, https://circleci.com/docs/variables/,
# https://learn.microsoft.com/azure/devops/pipelines/build/variables
_NAMES = r"(?:CI|GITHUB_ACTIONS|GITLAB_CI|CIRCLECI|TRAVIS|JENKINS_(?:URL|HOME)|TF_BUILD|BUILDKITE"
_NAMES += r"|CONTINUOUS_INTEGRATION)"
_READS = lazy_pattern(
    rf"(?:environ|[gG]et[eE]nv|LookupEnv|process\.env|import\.meta\.env|\bENV\b|env::var|\benv\("
    rf"|System\.get_env|EnvironmentVariable|\$_ENV|Platform\.environment)[^,;]{{0,40}}?\b{_NAMES}\b"
    rf"|[\"']{_NAMES}[\"']\s+(?:not\s+)?in\s+os\.environ"
)
_SKIPS = lazy_pattern(
    r"\b(?:pytest\.skip|skip(?:[iI]f|Test|Now|f|_if)?|Skip(?:f|Now|When|Unless)?|markTestSkipped"
    r"|pending|xit|xdescribe|Disabled\w*|Ignore|SkipException|XCTSkip(?:If)?|GTEST_SKIP|unless)\b"
)
_RETURNS = lazy_pattern(r"\breturn\b\s*(?:;|\}|$)")
_RUNS_ONLY = lazy_pattern(
    r"\b(?:assumeTrue|assume_true|assumeThat|skip[uU]nless|skip_unless|runIf|EnabledIf\w*"
    r"|XCTSkipUnless|Assume\.That)\b"
)
_NOT_SET = lazy_pattern(
    r"==\s*[\"'][\"']|(?:===?|\bis)\s*(?:undefined|null|nil|None)\b|(?<![!=])!(?!=|!)\s*\(?[\w.]*"
    r"(?:process|env|\$_ENV|getenv|os\.)|\bnot\s+(?:bool\()?(?:os\.|\(?[\"'])|\bnot\s+in\b"
    r"|\.is_err\(\)"
    r"|\.nil\?|\bunless\s+ENV|\bif\s+!|\b!ok\b|(?:!=|!==)\s*[\"'](?:true|1)[\"']"
    r"|matches\s*=\s*\"false"
    r"|IsNullOrEmpty|\.isEmpty|\.isBlank"
)
_AND = lazy_pattern(r"&&|\sand\s")
_CONDITION = lazy_pattern(r"\s*(?:\}\s*)?(?:else\s+)?(?:if|when|unless|elsif|elif)\b")
_NEAR = 3  # lines of what a condition holds


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        tests = file.is_test or file.mentions(b"env::var")
        wanted = tests and has_tests(file.path) and not (file.is_new or file.is_gone)
        if wanted and file.added and file.mentions(*_WORDS):
            yield from islice(_in_file(file), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    before = find_tests(file.diff.old_path, file.base)
    after = find_tests(file.path, file.head)
    old = {squeeze(row) for row in file.base_rows}
    for line in file.added:
        if squeeze(line.text) in old or not _is_left_out(file.head_rows, line):
            continue
        around = [name for name, test in after.items() if test.line <= line.number <= test.last]
        below = [name for name, test in after.items() if test.line > line.number]
        name = next(iter([*around[-1:], *below]), "")
        if before and (name in before or not name):
            rule = hint(_RULE) if is_explained(file, line) else _RULE
            title = f"skipped from now on where a pipeline runs: {name or 'tests of this file'}"
            yield put(rule, file, line, title)


def _is_left_out(rows: Sequence[str], line: Line) -> bool:
    """The line, with what it holds, skips something where the pipeline says that it is one."""
    found = _READS.search(line.text)
    if found is None:
        return False
    if not all(map(_READS.search, _AND.split(line.text))):
        return False  # it asks for something else as well, and other pipelines may run it
    is_set = _NOT_SET.search(line.text) is None
    if _RUNS_ONLY.search(line.text):
        return not is_set
    if _SKIPS.search(re.sub(r"[\"'][^\"']*[\"']", "", line.text)):
        return is_set
    if not _CONDITION.match(line.text):
        return False
    return is_set and any(_SKIPS.search(row) or _RETURNS.search(row) for row in _held(rows, line))


def _held(rows: Sequence[str], line: Line) -> Iterator[str]:
    """What follows the condition in its line, and what is indented below it."""
    yield line.text.partition("{")[2] or line.text.rpartition(")")[2]
    depth = len(line.text) - len(line.text.lstrip())
    for row in rows[line.number : line.number + _NEAR]:
        if row.strip() and len(row) - len(row.lstrip()) <= depth:
            return
        yield row
