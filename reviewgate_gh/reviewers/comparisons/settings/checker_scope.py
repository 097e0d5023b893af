"""Files that stay, and that a checker or a test run is told to leave out from now on."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain, islice, takewhile

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from ...checks._paths import is_fixture, is_tests
from .._definitions import language_of
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, is_foreign
from .._tests import find_tests
from ._ignored_modules import ignored_modules

EVERY_FILE = True
_TESTS = ComparisonRule(
    "test-not-run",
    Priority.P2,
    "They are still there, but nobody notices when what they check breaks. Run them again, or "
    "remove them and say why.",
)
_CHECKS = replace(
    _TESTS,
    name="file-unchecked",
    advice=(
        "Mistakes in it are no longer noticed. Check it again, or disable one rule for one line."
    ),
)
# What reads which files it is about from its settings
_RUNNERS = lazy_pattern(
    r"(?:^|/)(?:(?:jest|vitest|vite|karma|playwright|cypress|ava)[\w.-]*\.config[\w.-]*\.\w+"
    r"|\.mocharc\.\w+|phpunit[\w.-]*\.xml(?:\.dist)?|pytest\.ini|tox\.ini|setup\.cfg"
    r"|pyproject\.toml"
    r"|conftest\.py|package\.json|\.rspec)$"
)
_CHECKERS = lazy_pattern(
    r"(?:^|/)(?:eslint\.config\.\w+|\.eslintrc[\w.]*|\.eslintignore|biome\.jsonc?|\.oxlintrc\.json"
    r"|tsconfig[\w.-]*\.json|\.?ruff\.toml|\.flake8|mypy\.ini|pyproject\.toml|setup\.cfg|tox\.ini"
    r"|\.rubocop\.ya?ml|phpstan[\w.-]*\.neon(?:\.dist)?|psalm\.xml|\.swiftlint\.yml"
    r"|\.golangci\.ya?ml|detekt[\w.-]*\.yml|\.pre-commit-config\.yaml"
    r"|\.(?:semgrep|stylelint|phpcs)ignore)$"
)
_LEAVES_OUT = lazy_pattern(
    r"(?i)(?<!coverage-)\b(?:exclude\w*|exclusions|exclude-(?:dirs|files)|ignores?"
    r"|ignore_?patterns?|ignored"
    r"|(?:test|coverage)?pathignorepatterns"
    r"|omit"
    r"|excludes?analyse|excludepaths|norecursedirs|collect_ignore\w*|skip-(?:files|dirs))\b"
    r"|--ignore[= ]|--deselect[= ]|--exclude"
)
_PATH = lazy_pattern(
    r"[\"'>=\s,^]!?(?:<rootDir>)?/?(?:\./)?(?P<path>[\w.@*-]+(?:/[\w.@*\[\]-]+)+/?"
    r"|[\w*-]+\.\w{1,4}|[\w.-]+/|(?<=[\"'])[\w-]+(?=[\"'])|(?<=- )[\w-]+$)(?=[\"'<,\s]|$)"
)
_SUITE = lazy_pattern(
    r"<(?:directory|file)(?:[^>]*\bsuffix=\"(?P<suffix>[^\"]*)\")?[^>]*>\s*(?:\./)?"
    r"(?P<path>[^<]+?)\s*</(?:directory|file)>"
)
_NEAR = 6  # lines
_MOST = 20_000  # files of a tree
# What a checker has nothing to say about
_WRITTEN_ELSEWHERE = lazy_pattern(
    r"(?i)(?:^|/)(?:dist|build|out|coverage|node_modules|vendor|third_party|generated|gen|target"
    r"|docs?"
    r"|fixtures?|migrations|examples?|public|static|assets|\.[\w-]+)(?:/|$)|generated|\.min\."
    r"|\.d\.[mc]?ts$|_pb"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_gone or file.is_new:
            continue
        if _RUNNERS.search(file.path) or _CHECKERS.search(file.path):
            found = (_left_out(sources, file), _ignored(sources, file), _suite(sources, file))
            yield from islice(chain.from_iterable(found), 1)


def _left_out(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A path of files that are there is new beside words that leave out."""
    moved = cache(lambda: [*_rows_of_settings(sources)])
    for line in file.added:
        if not _says_so(file, line) or _is_first(file, line):
            continue
        if _is_of_block(file, line) or _is_of_rule(file, line):
            continue
        for found in _PATH.finditer(f" {line.text}"):
            path = found["path"]
            if path in file.base or _WRITTEN_ELSEWHERE.search(path):
                continue
            if any(path in row for row in moved()):
                continue  # another file left it out
            anywhere = "athIgnorePatterns" in line.text
            found_at = _matching(sources, path, anywhere)
            meant = [each for each in found_at if _was_there(sources, each)]
            rule, left = _kind(sources, file, line, meant)
            if left:
                rule = hint(rule) if is_explained(file, line) else rule
                more = f" and {len(left) - 1} more" if len(left) > 1 else ""
                yield put(rule, file, line, f"left out from now on: {left[0]}{more}")
                return


def _ignored(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Mypy still reads these modules, and says nothing about them."""
    for line, paths in ignored_modules(sources, file):
        meant = [each for each in paths if _was_there(sources, each) and not is_tests(each)]
        code = [each for each in meant if not _is_written_elsewhere(each)]
        if code:
            rule = hint(_CHECKS) if is_explained(file, line) else _CHECKS
            more = f" and {len(code) - 1} more" if len(code) > 1 else ""
            yield put(rule, file, line, f"left out from now on: {code[0]}{more}")


def _is_written_elsewhere(path: str) -> bool:
    return is_foreign(path) or _WRITTEN_ELSEWHERE.search(path) is not None


def _rows_of_settings(sources: ComparisonInput) -> Iterator[str]:
    """What the settings of checkers and runners no longer say."""
    for file in sources.files:
        if _RUNNERS.search(file.path) or _CHECKERS.search(file.path):
            yield from (line.text for line in file.removed)


def _kind(
    sources: ComparisonInput, file: ComparedFile, line: Line, paths: list[str]
) -> tuple[ComparisonRule, list[str]]:
    """The tests that a runner leaves out, or the code that a checker does."""
    tests = [path for path in paths if is_tests(path) and language_of(path)]
    tests = [path for path in tests if not is_fixture(path) and _was_in_suite(file, path)]
    if tests and _runs_tests(file, line):
        texts = sources.read_head(tests[:_NEAR])  # what another tool reads has none
        return _TESTS, [path for path, text in texts.items() if find_tests(path, text)]
    code = [path for path in paths if language_of(path) and not is_tests(path)]
    code = [path for path in code if not _is_written_elsewhere(path)]
    return _CHECKS, _compiled(file, code) if _CHECKERS.search(file.path) else []


def _was_in_suite(file: ComparedFile, path: str) -> bool:
    """PHPUnit only runs what a suite has: a folder's files by their suffix, or the file itself.
    https://docs.phpunit.de/en/11.5/configuration.html#the-directory-element"""
    if "phpunit" not in file.name:
        return True
    named = [
        (file.folder + found["path"].rstrip("/"), found["suffix"] or "Test.php")
        for found in _SUITE.finditer(file.base)
    ]
    return any(
        path == each or (path.startswith(f"{each}/") and path.endswith(suffix))
        for each, suffix in named
    )


def _compiled(file: ComparedFile, paths: list[str]) -> list[str]:
    """Those that TypeScript took in: https://www.typescriptlang.org/tsconfig/#include"""
    if not file.name.startswith("tsconfig"):
        return paths
    try:
        settings = load_loose_json(file.base)
        named = [*settings.get("include", ["**"]), *settings.get("files", [])]
        patterns = [file.folder + str(each).removeprefix("./") for each in named]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return paths
    return [path for path in paths if any(_takes_in(each, path) for each in patterns)]


def _takes_in(pattern: str, path: str) -> bool:
    """A folder is taken in with all below it; `*.ts` only has files of its own folder."""
    top, star, rest = pattern.partition("*")
    if star and not rest.startswith("*") and "." in rest:
        return path.startswith(top) and "/" not in path[len(top) :]
    return path.startswith(top) if star else f"{path}/".startswith(f"{top.rstrip('/')}/")


def _runs_tests(file: ComparedFile, line: Line) -> bool:
    """The file is a runner's, or the table of it is."""
    table = _table(file, line)
    if file.path.endswith((".toml", ".cfg", "tox.ini")) and not _OF_RUNNER.search(table):
        return False
    if _is_of_coverage(file, line) or _OF_CHECKER.search(table):
        return False
    return _RUNNERS.search(file.path) is not None


def _is_of_coverage(file: ComparedFile, line: Line) -> bool:
    """The code that is measured, not the tests that are run.
    https://vitest.dev/config/#coverage-exclude"""
    depth = _depth(line.text)
    for row in reversed(file.head_rows[: line.number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            if _COVERAGE.match(row):
                return True
    return False


_COVERAGE = lazy_pattern(r"\s*[\"']?coverage[\"']?\s*[:=]")


_OF_RUNNER = lazy_pattern(r"pytest|testenv|nose|unittest|\bhatch\.envs")
# Tables of files that several tools read: these run no tests
_OF_CHECKER = lazy_pattern(
    r"(?i)\b(?:ruff|flake8|pylint|mypy|(?:based)?pyright|ty|pyre\w*|black|isort|coverage|bandit"
    r"|codespell|typos|interrogate|xo|eslint\w*|prettier|standard|stylelint|nyc|c8|biome"
    r"|lint-staged"
    r"|files)\b"
)


def _table(file: ComparedFile, line: Line) -> str:
    """What begins the table of the file that a line is in: `[tool.ruff]`, `"xo": {`."""
    above = reversed(file.head_rows[: line.number])
    if file.path.endswith(".json"):
        depths = [_depth(row) for row in file.head_rows if row.lstrip().startswith('"')]
        return next((row for row in above if row.strip() and _depth(row) == min(depths)), "")
    return next((row for row in above if row.startswith("[")), "")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _says_so(file: ComparedFile, line: Line) -> bool:
    """The line, or what it is indented below, leaves something out."""
    if _LEAVES_OUT.search(line.text) or file.name.endswith("ignore"):
        return True
    depth = _depth(line.text)
    for row in reversed(file.head_rows[max(0, line.number - 1 - _NEAR) : line.number - 1]):
        if row.strip() and _depth(row) < depth:
            if _LEAVES_OUT.search(row) is not None:
                return True
            if not _INNER.match(row):
                return False
            depth = _depth(row)
    return False


def _is_first(file: ComparedFile, line: Line) -> bool:
    """The whole table is new: what a tool never read it does not leave out."""
    if not file.path.endswith((".toml", ".cfg", ".ini")):
        return False
    table = _table(file, line)
    return bool(table) and table not in file.base_rows


def _is_of_block(file: ComparedFile, line: Line) -> bool:
    """ESLint: `ignores` beside another key holds for the rules of that object alone.
    https://eslint.org/docs/latest/use/configure/ignore"""
    if not file.name.startswith("eslint.config."):
        return False
    above = file.head_rows[: line.number]
    at = next((n for n in range(len(above), 0, -1) if _IGNORES.match(above[n - 1])), 0)
    if not at:
        return False
    depth = _depth(above[at - 1])
    around = [*reversed(above[: at - 1])], file.head_rows[at:]
    beside = (
        row
        for rows in around
        for row in takewhile(lambda row: not row.strip() or _depth(row) >= depth, rows)
    )
    return any(_depth(row) == depth and _OTHER_KEY.match(row) for row in beside)


def _is_of_rule(file: ComparedFile, line: Line) -> bool:
    """One rule leaves it out, and all others still look at it; not so where it looks for holes.
    https://docs.rubocop.org/rubocop/configuration.html#includingexcluding-files,
    https://golangci-lint.run/docs/configuration/file/"""
    above = file.head_rows[: line.number]
    if file.name.startswith(".golangci"):
        item = [*takewhile(lambda row: not row.lstrip().startswith("- "), reversed(above))]
        first = len(above) - len(item) - 1
        depth = _depth(above[first]) if first >= 0 else 0
        rest = takewhile(lambda row: _depth(row) > depth, file.head_rows[first + 1 :])
        text = "\n".join(rest)
        return _SOME_LINTERS.search(text) is not None and "gosec" not in text
    if not _OF_RULES.search(file.name):
        return False
    outermost = next((row for row in reversed(above) if row[:1].strip(" #-")), "")
    return not _OF_ALL_RULES.match(outermost)


_SOME_LINTERS = lazy_pattern(r"(?m)^\s*(?:linters|text|source)\s*:")
_OF_RULES = lazy_pattern(r"^\.rubocop.*\.ya?ml$|^\.swiftlint\.yml$|^detekt[\w.-]*\.yml$")
_OF_ALL_RULES = lazy_pattern(r"AllCops\s*:|exclude\w*\s*:")


_IGNORES = lazy_pattern(r"\s*[\"']?ignores[\"']?\s*:")
_OTHER_KEY = lazy_pattern(
    r"\s*[\"']?(?:files|rules|languageOptions|linterOptions|plugins|extends|settings|processor)\b"
)
# Of what is around it: https://golangci-lint.run/docs/configuration/file/
_INNER = lazy_pattern(r"\s*(?:-\s+)?(?:rules|paths):\s*$")


def _matching(sources: ComparisonInput, path: str, anywhere: bool) -> list[str]:
    """The files of the head that a path or a pattern names; perhaps a folder of the name anywhere:
    https://jestjs.io/docs/configuration#testpathignorepatterns-arraystring"""
    bare = path.rstrip("/")
    paths = sources.list_head()
    if len(paths) > _MOST:
        return []
    return [
        each
        for each in sorted(paths)
        if each == bare
        or each.startswith(f"{bare}/")
        or (anywhere and f"/{bare}/" in each)
        or ("*" in bare and fnmatchcase(each, bare.replace("**/", "*")))
    ]


def _was_there(sources: ComparisonInput, path: str) -> bool:
    return not any(each.path == path and each.is_new for each in sources.files)


def _suite(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """PHPUnit: a folder of tests that no suite has any more.
    https://docs.phpunit.de/en/11.5/configuration.html#the-testsuites-element"""
    if "phpunit" not in file.name:
        return
    now = [found["path"].rstrip("/") for found in _SUITE.finditer(file.head)]
    for line in file.removed:
        found = _SUITE.search(line.text)
        path = found["path"].rstrip("/") if found else ""
        if not path or any(f"{path}/".startswith(f"{each}/") for each in now):
            continue
        below = [
            each
            for each in sources.list_head()
            if each.startswith(f"{path}/") and not any(each.startswith(f"{one}/") for one in now)
        ]
        texts = sources.read_head(sorted(below)[:_NEAR])
        if any(find_tests(each, text) for each, text in texts.items()):
            yield taken(_TESTS, file, line, f"these tests are no longer run: {quoted(path)}")
            return
