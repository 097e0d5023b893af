"""Tests that stay, and that the settings of their runner leave out of every run from now on: by a
mark, a pattern of names, or a list of folders."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put
from .._sources import ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = True
_RULE = ComparisonRule(
    "test-not-run",
    Priority.P2,
    "They are still there, but nobody notices when what they check breaks. Run them again, or name "
    "the pipeline that runs them.",
)
_NARROW = "Another file may decide which tests run."
_MOST_PLACES = 50
_ABOVE = 40  # lines


class _Exclusion(NamedTuple):
    """A line of a runner's settings by which it leaves tests out."""

    files: re.Pattern[str]
    line: re.Pattern[str]
    around: re.Pattern[str] | None = None  # what one of the lines above has to say


_POM = lazy_pattern(r"(?:^|/)pom\.xml$")
_SUREFIRE = lazy_pattern(r"maven-(?:surefire|failsafe)-plugin")
_GRADLE = lazy_pattern(r"\.gradle(?:\.kts)?$")
_TESTS = lazy_pattern(r"(?i)\btests?\b|\bTest>")
_EXCLUSIONS = (
    # https://hexdocs.pm/ex_unit/ExUnit.html#configure/1
    _Exclusion(
        lazy_pattern(r"test_helper\.exs$"), lazy_pattern(r"\bexclude:\s*\[?(?P<what>[^\])]*)")
    ),
    # https://rspec.info/features/3-13/rspec-core/filtering/exclusion-filters/
    _Exclusion(
        lazy_pattern(r"_helper\.rb$"), lazy_pattern(r"\bfilter_run_excluding[\s(]+(?P<what>[^)]*)")
    ),
    _Exclusion(lazy_pattern(r"(?:^|/)\.rspec$"), lazy_pattern(r"--tag\s+~(?P<what>\S+)")),
    # https://maven.apache.org/surefire/maven-surefire-plugin/test-mojo.html
    _Exclusion(_POM, lazy_pattern(r"<(?:excludedGroups|exclude)>(?P<what>[^<]+)<"), _SUREFIRE),
    _Exclusion(_POM, lazy_pattern(r"<skip>\s*true\s*<(?P<what>)"), lazy_pattern(
        r"maven-(?:surefire|failsafe|checkstyle|pmd)-plugin|(?:spotbugs|jacoco)-maven-plugin"
        r"|dependency-check-maven|maven-enforcer-plugin"
    )),
    # https://docs.gradle.org/current/userguide/java_testing.html
    _Exclusion(_GRADLE, lazy_pattern(r"\bexclude(?:Tags|TestsMatching)[\s(]+(?P<what>[^)]*)")),
    _Exclusion(_GRADLE, lazy_pattern(r"^\s*exclude[\s(]+(?P<what>[\"'].*[tT]est.*[\"'])"), _TESTS),
    _Exclusion(_GRADLE, lazy_pattern(r"^\s*(?:is)?[eE]nabled\s*=\s*false(?P<what>)"), lazy_pattern(
        r"^\s*(?:tasks\.)?(?:named\W+)?(?:test|check|integrationTest|detekt"
        r"|jacocoTestCoverageVerification|checkstyle\w*|spotbugs\w*|pmd\w*)\b.*\{\s*$"
    )),
    # https://docs.phpunit.de/en/11.5/configuration.html#the-groups-element
    _Exclusion(lazy_pattern(r"phpunit[\w.-]*\.xml"), lazy_pattern(r"<group>(?P<what>[^<]+)<"),
               lazy_pattern(r"<exclude>")),
    # https://mochajs.org/#-invert-i
    _Exclusion(
        lazy_pattern(r"\.mocharc\.\w+$"), lazy_pattern(r"\binvert[\"']?\s*:\s*true(?P<what>)")
    ),
    # https://docs.pytest.org/en/stable/reference/reference.html#confval-addopts
    _Exclusion(
        lazy_pattern(r"(?:^|/)(?:pyproject\.toml|\.?pytest\.ini|setup\.cfg|tox\.ini)$"),
        lazy_pattern(r"(?:^\s*\"?addopts\b.*)[\s\"']-[mk][ =]?\s*\\?[\"']?not (?P<what>[\w .]+)"),
    ),
    _Exclusion(
        lazy_pattern(r"(?:^|/)conftest\.py$"),
        lazy_pattern(r"^collect_ignore(?:_glob)?\s*(?:=|\+=|\.append|\.extend)\s*(?P<what>.+)"),
    ),
)  # fmt: skip
_WORDS = lazy_pattern(r"[A-Za-z_][\w-]{2,}")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.added and not (file.is_new or file.is_gone):
            told = [each for each in _EXCLUSIONS if each.files.search(file.path)]
            yield from islice(_in_file(sources, file, told), 1) if told else []
            yield from islice(_fewer_folders(sources, file), 1)


def _in_file(
    sources: ComparisonInput, file: ComparedFile, told: list[_Exclusion]
) -> Iterator[Finding]:
    old = {squeeze(row) for row in file.base_rows}
    for line in file.added:
        if squeeze(line.text) in old or line.text.lstrip().startswith(("#", "//")):
            continue
        for each in told:
            found = each.line.search(line.text)
            if found is None or not _is_inside(file, line, each) or _replaces(file, line, each):
                continue
            what = found["what"].strip()
            if what and not _concerns_tests(sources, file, what):
                continue
            if what and (_is_asked_for(sources, what) or _is_of_failsafe(file, what)):
                continue
            rule = hint(_RULE) if is_explained(file, line) else _RULE
            title = f"left out of every run from now on: {what[:60] or line.text.strip()[:60]}"
            yield put(rule, file, line, title)
            break


def _is_inside(file: ComparedFile, line: Line, each: _Exclusion) -> bool:
    """The nearest line above that names a plug-in or opens a block is the runner's."""
    if each.around is None:
        return True
    above = [*reversed(file.head_rows[max(0, line.number - 1 - _ABOVE) : line.number - 1])]
    if each.files is _POM:
        named = next((row for row in above if "<artifactId>" in row), "")
        return each.around.search(named) is not None
    depth = len(line.text) - len(line.text.lstrip())
    for row in above:
        if row.strip() and len(row) - len(row.lstrip()) < depth:
            if each.around.search(row):
                return True
            depth = len(row) - len(row.lstrip())
    return False


def _replaces(file: ComparedFile, line: Line, each: _Exclusion) -> bool:
    """It left out something by the same option before, and no more than that now."""
    block = next(block for block in file.blocks if line in block.added)
    was = [found["what"] for old in block.removed if (found := each.line.search(old.text))]
    now = each.line.search(line.text)
    return bool(was) and now is not None and len(_words(now["what"])) <= len(_words(was[0]))


def _words(text: str) -> list[str]:
    return [
        word for word in _WORDS.findall(text) if word not in ("true", "false", "not", "and", "or")
    ]


def _concerns_tests(sources: ComparisonInput, file: ComparedFile, what: str) -> bool:
    """A test that the base has as well is named so, or carries the mark."""
    words = _words(what)
    new = {each.path for each in sources.files if each.is_new}
    paths = [path for path in sources.list_head() if is_tests(path) and path not in new]
    if any(word in path for word in words for path in paths):
        return True
    places = sources.find_words(words) if words else {}
    return any(
        place.path != file.path and place.path not in new and is_tests(place.path)
        for found in places.values()
        for place in [*found][:_MOST_PLACES]
    )


def _is_asked_for(sources: ComparisonInput, what: str) -> bool:
    """A command of a pipeline, a makefile or a runner's settings names them, to run them."""
    return any(
        _RUNNERS.search(place.path) and _ASKS_FOR.search(place.text.partition(word)[0])
        for word, found in sources.find_words(_words(what)).items()
        for place in found
    )


_RUNNERS = lazy_pattern(
    r"\.(?:ya?ml|sh|toml|ini|json|gradle|kts|xml)$|(?:^|/)(?:GNU)?[Mm]akefile$"
    r"|(?:^|/)(?:justfile|noxfile\.py|Jenkinsfile)"
)
# `pytest -m slow`, `--only slow`, `-Dgroups=slow`, `includeTags 'slow'`, `<groups>slow`
_ASKS_FOR = lazy_pattern(
    r"(?:(?:^|\s)(?:-m|-k|--only|--include|--tags?|--groups?|-g|--grep|-Dgroups|-Dtest|--tests"
    r"|includeTags)[ =(]+|<(?:groups|include)>)[\"']?(?:[\w|,]+(?:\s+or\s+|[|,]))*$"
)


def _is_of_failsafe(file: ComparedFile, what: str) -> bool:
    """Another plug-in of Maven runs tests of such names.
    https://maven.apache.org/surefire/maven-failsafe-plugin/examples/inclusion-exclusion.html"""
    integration = re.search(r"\bIT\w*\*|\*IT(?:Case)?\b", what) is not None
    return integration and "maven-failsafe-plugin" in file.head


# https://docs.pytest.org/en/stable/reference/reference.html#confval-testpaths,
# https://jestjs.io/docs/configuration#testmatch-arraystring
_FOLDERS = lazy_pattern(
    r"^\s*[\"']?(?P<key>testpaths|testMatch|testRegex|roots"
    r"|python_files)[\"']?\s*[:=]\s*(?P<what>.+)"
)
_ITEM = lazy_pattern(r"[^\s\"'\[\],]+")


def _fewer_folders(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The list of folders or patterns by which the runner finds its tests is shorter."""
    if not _LISTS.search(file.path):
        return
    for block in file.blocks:
        for new in block.added:
            now = _FOLDERS.match(new.text)
            for old in block.removed if now else ():
                was = _FOLDERS.match(old.text)
                if not (was and now) or was["key"] != now["key"]:
                    continue
                before, after = ({*_ITEM.findall(each["what"])} for each in (was, now))
                if after and after < before and _left(sources, before - after):
                    yield put(_RULE, file, new, f"{now['key']} names fewer tests than before")


_LISTS = lazy_pattern(
    r"(?:^|/)(?:pyproject\.toml|\.?pytest\.ini|setup\.cfg|tox\.ini|package\.json"
    r"|(?:jest|vitest)[\w.-]*\.config\.\w+)$"
)


def _left(sources: ComparisonInput, folders: set[str]) -> bool:
    """The head still has files in one of them, or of such a name."""
    patterns = [re.compile(_as_pattern(each)) for each in folders]
    return any(each.search(path) for path in sources.list_head() for each in patterns)


def _as_pattern(folder: str) -> str:
    """A folder, or a pattern of a shell: what stands for any text is any text here as well."""
    bare = re.sub(r"^(?:<rootDir>|\./|/)+|[/*]+$", "", folder)
    parts = (re.escape(each) for each in re.split(r"[*{}()?]+/?", bare) if each)
    return rf"(?:^|/){'.*'.join(parts)}(?:/|$|\b)"
