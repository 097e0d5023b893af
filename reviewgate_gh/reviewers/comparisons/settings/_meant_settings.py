"""Settings that read as looser and loosen nothing: another rule says the same, another plug-in is
meant, generated code and tests are left out."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from ....text.patterns import lazy_pattern
from .._settings import Setting
from .._sources import ComparedFile, ComparisonInput, Line, has_word
from ._guarding_settings import LINT, NUMBER, OFF, GuardingSetting


def last_of(key: str) -> str:
    """The last word of a key."""
    return key.removesuffix("[]").rpartition(".")[2]


def is_other_rule(
    guard: GuardingSetting, named: str, before: set[Setting], after: set[Setting]
) -> bool:
    """A plug-in's rule of the same name is on instead.
    https://typescript-eslint.io/rules/?=extension"""
    rule = last_of(named.partition("\0")[0])
    return guard.rule is LINT and any(
        name.endswith(f"/{rule}") and value.lower() not in OFF for name, value in after - before
    )


def takes_place(named: str, before: set[Setting], after: set[Setting]) -> bool:
    """As many rules beside it are no longer switched off: they have other names now."""
    key, _nul, old = named.partition("\0")
    table = key.rpartition(".")[0]

    def off(settings: set[Setting]) -> int:
        beside = (value for name, value in settings if name.rpartition(".")[0] == table)
        return sum(value.lower() in OFF for value in beside)

    return not old and off(before - after) >= off(after - before) > 0


def is_merged(named: str, before: set[Setting], after: set[Setting]) -> bool:
    """Another linter does its work since the second version of golangci-lint:
    https://golangci-lint.run/docs/product/migration-guide/"""
    return Setting("version", "2") in after - before and named.endswith(_MERGED)


_MERGED = ("enable[]\0gosimple", "enable[]\0stylecheck", "enable[]\0typecheck")


def is_for_some_files(file: ComparedFile, named: str, value: str) -> bool:
    """ESLint: every line that says it is in an object that is new and names its files, or is for
    tests and the like.
    https://eslint.org/docs/latest/use/configure/configuration-files#configuration-objects"""
    if "eslint" not in file.name or not value or "overrides" in named:
        return False
    rule = last_of(named.partition("\0")[0])
    lines = [row for row in file.added if rule in row.text.lower() and has_word(row.text, value)]
    new = {row.number for row in file.added}
    return bool(lines) and all(_names_files(file, row.number, new) for row in lines)


def files_of_block(file: ComparedFile, number: int) -> tuple[str, ...]:
    """ESLint: the patterns of the files that the object around a line is for; none where it is for
    all, or for all of a language."""
    for first, last in _objects_around(file.head_rows, number):
        text = "\n".join(file.head_rows[first:last])
        for found in _ITS_FILES.finditer(text):
            before = text[: found.start()]
            if before.count("{") - before.count("}") != 1:
                continue  # of an object inside it
            patterns = tuple(_QUOTED.findall(found["files"]))
            return () if any(map(_ALL_FILES.fullmatch, patterns)) else patterns
    return ()


def is_kept_on(file: ComparedFile, named: str, value: str) -> bool:
    """ESLint: the object that switches a rule off is for tests and the like, and one for all files
    keeps it on."""
    rule = last_of(named.partition("\0")[0])
    line = line_of(file.added, rule, value)
    files = files_of_block(file, line.number) if line and "eslint" in file.name else ()
    if not files or not all(_MINOR.search(each) or _BESIDE_CODE.search(each) for each in files):
        return False
    on = re.compile(rf"[\"']?{re.escape(rule)}[\"']?\s*:\s*\[?\s*[\"']?(?:error|warn|[12]\b)", re.I)
    rows = enumerate(file.head_rows, 1)
    kept = islice((at for at, row in rows if ":" in row and on.search(row)), _MOST_ROWS)
    return any(not files_of_block(file, at) for at in kept)


_MOST_ROWS = 20
# By the ends of their names
_BESIDE_CODE = lazy_pattern(
    r"(?i)[./](?:specs?|mocks?|fixtures?|setup|config|stories|bench(?:marks?)?|e2e)(?:[./]|$)"
)


def _names_files(file: ComparedFile, number: int, new: Collection[int]) -> bool:
    """Some files, and not all of a language, such as `**/*.ts`."""
    for first, last in _objects_around(file.head_rows, number):
        text = "\n".join(file.head_rows[first:last])
        if found := _ITS_FILES.search(text):
            patterns = _QUOTED.findall(found["files"])
            if patterns and all(map(_MINOR.search, patterns)):
                return True
            is_new = first + 1 + text.count("\n", 0, found.start()) in new
            return is_new and not (patterns and all(map(_ALL_FILES.fullmatch, patterns)))
    return False


def _objects_around(rows: Sequence[str], number: int) -> Iterator[tuple[int, int]]:
    """The first line and the one after the last of each object around a line, the innermost
    first."""
    yield number - 1, number
    depth = 0
    for at in range(number - 2, -1, -1):
        depth += rows[at].count("}") - rows[at].count("{")
        if depth < 0:
            depth, inside, end = 0, rows[at].count("{") - rows[at].count("}"), at + 1
            while end < len(rows) and inside > 0:
                inside += rows[end].count("{") - rows[end].count("}")
                end += 1
            yield at, end


_ITS_FILES = lazy_pattern(r"(?<![\w.])[\"']?files[\"']?\s*:\s*(?P<files>\[[^\]]*\]|[^\n]*)")
_QUOTED = lazy_pattern(r"[\"']([^\"'\n]+)[\"']")
_ALL_FILES = lazy_pattern(r"(?:\*\*/)?\*(?:\.[\w{},*?\[\]]+)?")


def is_of_other_plugin(file: ComparedFile, named: str, value: str) -> bool:
    """Maven: it tells a plug-in to go on that checks nothing. ESLint: a rule of a plug-in that the
    change brings, so that it checked nothing before."""
    key, _nul, old = named.partition("\0")
    rule = last_of(key).rpartition("/")[2]
    line = line_of(file.added, rule, value)
    found = re.search(
        rf"[\"'](@?[\w-]+)(?:/[\w-]+)*/{re.escape(rule)}[\"']", line.text if line else ""
    )
    if found and not old and found[1] not in file.base:
        brings = (row.text for row in file.added if f"{found[1]}/" not in row.text)
        return any(has_word(row, found[1]) for row in brings)
    if line is None or file.name != "pom.xml":
        return False
    above = reversed(file.head_rows[: line.number])
    plugin = next((row for row in above if "<artifactId>" in row or "<plugin>" in row), "")
    return "<artifactId>" in plugin and _CHECKING_PLUGIN.search(plugin) is None


_CHECKING_PLUGIN = lazy_pattern(
    r"checkstyle|pmd|spotbugs|findbugs|jacoco|dependency-check|enforcer|surefire|failsafe|compiler"
    r"|javadoc|errorprone|detekt|ktlint|spotless|sonar|cobertura|pitest|license|owasp"
    r"|animal-sniffer"
)


def is_moot(sources: ComparisonInput, named: str, value: str) -> bool:
    """It leaves out one message of a rule, or comes with the rules that it leaves out, or is about
    files that no rule is meant for."""
    files = named.partition("per-file-ignores")[2]
    return (
        (" " in value.strip() and "#" not in value)
        or (bool(files) and _MINOR.search(files) is not None)
        or _GENERATED.search(value) is not None
        or _comes_with_rules(sources, value)
    )


_GENERATED = lazy_pattern(
    r"(?i)(?:^|/)(?:gen|generated|vendor|third_party|mocks?|testdata|node_modules|dist|build)\b"
)
_MINOR = lazy_pattern(
    r"(?i)tests?\b|test_|conftest|docs?/|examples?|migrations?|__init__|noxfile|setup\.py"
    r"|\.pyi|\.ipynb|notebooks?"
)


def _comes_with_rules(sources: ComparisonInput, code: str) -> bool:
    """The change switches on the family of rules that the code belongs to, or a plugin."""
    family = re.match(r"[A-Z]+(?=\d)", code)
    added = (line.text for file in sources.files for line in file.added if code not in line.text)
    return family is not None and any(
        has_word(text, family[0]) or "flake8-" in text for text in added
    )


def line_of(lines: Iterable[Line], key: str, value: str) -> Line | None:
    named = [
        line
        for line in lines
        if value
        and has_word(line.text.lower(), value.lower())
        and not line.text.lstrip().startswith(("#", "//"))
    ]
    alone = [line for line in named if _bare_item(line.text) == value.lower()]
    both = [line for line in named if key in line.text.lower()]
    return next(iter(alone or both or named), None)


def _bare_item(text: str) -> str:
    """An item of a list that has a line of its own."""
    return text.partition("#")[0].strip(" \t-\"',[]").lower()


def is_floor_now(guard: GuardingSetting, named: str, new: set[Setting]) -> bool:
    """Another key has at least this number: `fail_under` for `--cov-fail-under`."""
    was = NUMBER.search(named.partition("\0")[2])
    numbers = (NUMBER.search(value) for key, value in new if re.search(guard.keys, key))
    return guard.looser == "less" and any(
        was and now and float(now[0]) >= float(was[0]) for now in numbers
    )


def is_floor_elsewhere(sources: ComparisonInput, guard: GuardingSetting, named: str) -> bool:
    """Another file says at least this number for all that is measured."""
    was = NUMBER.search(named.partition("\0")[2])
    if guard.looser != "less" or was is None or not _FLOOR_OF_ALL.search(named):
        return False
    places = (place for each in sources.find_words(_FLOORS).values() for place in each)
    numbers = (_FLOOR.search(place.text) for place in places)
    return any(now and float(now["number"]) >= float(was[0]) for now in numbers)


# https://coverage.readthedocs.io/en/latest/config.html#report-fail-under
_FLOORS = ("fail_under", "fail-under")
_FLOOR_OF_ALL = lazy_pattern(r"fail[_-]under")
_FLOOR = lazy_pattern(r"fail[_-]under[\"']?\s*[=: ]\s*[\"']?(?P<number>\d+(?:\.\d+)?)")
