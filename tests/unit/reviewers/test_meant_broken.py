"""Files that are meant not to parse, and those that only look like it."""

import pytest

from reviewgate_gh.model.change import Change, FileDiff
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers._meant_broken import MeantBroken

_PRETTIER = {".prettierignore": "# states\ntest/**/*.*\n!test/**/webpack.config.js\n"}
_FLAT = {
    "eslint.config.mjs": """export default defineConfig([
  globalIgnores([
    // "test/other/**"
    "test/hotCases/**",
    '!test/**/*.config.js',
  ]),
  { ignores: ["e2e/stubs/**"] },
  { files: ["**/*.js"], ignores: ["test/cases/**"] },
])
"""
}
_FINDER = {
    ".php-cs-fixer.dist.php": "->notPath('e/_files/Odd.php')->notName('Torn.php')"
    "->exclude('half/_files')->notPath('/x.*_files/')\n"
}
_RUFF = {"pyproject.toml": '[tool.ruff]\nextend-exclude = ["tests/data_files"]\n'}
_JS, _PHP = "test/hotCases/a/index.js", "tests/e/_files/"


def _weighed(
    path: str, settings: dict[str, str], *, status: str = "A", priority: Priority = Priority.P0
) -> Finding:
    file = FileDiff(path, path, status, "100644", "100644", "1" * 40, "2" * 40)
    change = Change("r", "b", "h", False, "b", files=(file,))
    texts = {name: text.encode() for name, text in settings.items()}
    found = Finding(priority, "syntax", "x/syntax", path, 1, 1, "t", body="B.")
    meant = MeantBroken(change, lambda names: {n: texts[n] for n in names if n in texts})
    return meant.weigh(found)


@pytest.mark.parametrize(
    ("path", "settings", "why"),
    [
        (_JS, _PRETTIER, ".prettierignore leaves it out"),
        ("test/configCases/html/app.webmanifest", _PRETTIER, ".prettierignore leaves it out"),
        (_JS, _FLAT, "eslint.config.mjs leaves it out"),
        ("e2e/stubs/a.ts", _FLAT, "eslint.config.mjs leaves it out"),
        (f"{_PHP}Odd.php", _FINDER, ".php-cs-fixer.dist.php leaves it out"),
        ("tests/x/_files/Torn.php", _FINDER, ".php-cs-fixer.dist.php leaves it out"),
        ("tests/half/_files/a.php", _FINDER, ".php-cs-fixer.dist.php leaves it out"),
        ("pkg/tests/data/a.py", {"ruff.toml": 'exclude = ["pkg/tests/data"]'},
         "ruff.toml leaves it out"),
        (f"{_PHP}parse-error/src/A.php", {}, "its name says that it is broken"),
        (f"{_PHP}CannotBeParsed.php", {}, "its name says that it is broken"),
        ("tests/data/unclosedBrace.ts", {}, "its name says that it is broken"),
        ("spec/cases/syntax_error.rb", {}, "its name says that it is broken"),
    ],
)  # fmt: skip
def test_a_new_file_of_test_data_that_is_told_from_code_is_a_concern(
    path: str, settings: dict[str, str], why: str
) -> None:
    weighed = _weighed(path, settings)
    assert weighed.priority is Priority.P2
    assert weighed.body == f"The tests may read this file as it is: {why}. B."


@pytest.mark.parametrize(
    ("path", "settings", "status"),
    [
        (_JS, _PRETTIER, "M"),  # it parsed before, or another change broke it
        (_JS, _PRETTIER, "R"),
        (_JS, {}, "A"),
        ("test/hotCases/a/webpack.config.js", _PRETTIER, "A"),
        ("test/helpers/a.js", _PRETTIER, "A"),  # code of the tests
        ("test/hotCases/a/index.test.js", _PRETTIER, "A"),  # a runner loads it
        ("src/cases/index.js", {".prettierignore": "src/\n"}, "A"),
        (f"{_PHP}a.php", _PRETTIER, "A"),
        (f"{_PHP}a.php", {".prettierignore": "tests/\n"}, "A"),  # it reads no PHP
        ("test/cases/a.js", _FLAT, "A"),  # left out of one rule set alone
        ("test/other/cases/a.js", _FLAT, "A"),
        (f"{_PHP}Even.php", _FINDER, "A"),
        (f"{_PHP}a.php", {".php-cs-fixer.php": "->notPath('/x.*_files/')"}, "A"),
        ("tests/fixtures/a.py", {"pyproject.toml": '[tool.black]\nexclude = ["tests"]'}, "A"),
        ("tests/fixtures/a.py", {"pyproject.toml": "[tool.ruff]\nexclude = 3"}, "A"),
        ("tests/fixtures/a.py", {"pyproject.toml": "[tool"}, "A"),
        ("tests/data/errors.py", {}, "A"),
        ("tests/data/nonbroken.py", {}, "A"),
        (f"{_PHP}CannotBeParsedTest.php", {}, "A"),
        ("src/parse-error/CannotBeParsed.php", {}, "A"),
        ("broken/tests/data/a.py", {}, "A"),  # the name of something else
        (f"{_PHP}CannotBeParsed.php", {}, "M"),
    ],
)
def test_all_others_stay_critical(path: str, settings: dict[str, str], status: str) -> None:
    weighed = _weighed(path, settings, status=status)
    assert weighed.priority is Priority.P0 and weighed.body == "B."


def test_what_is_no_syntax_error_or_none_of_this_change_is_left_as_it_is() -> None:
    assert _weighed(_JS, _PRETTIER, priority=Priority.P3).priority is Priority.P3
    other = Finding(Priority.P0, "secret", "x/y", _JS, 1, 1, "t")
    elsewhere = Finding(Priority.P0, "syntax", "x/y", "test/cases/b.js", 1, 1, "t")
    meant = MeantBroken(Change("r", "b", "h", False, "b"), lambda _names: {})
    assert [meant.weigh(each) for each in (other, elsewhere)] == [other, elsewhere]
