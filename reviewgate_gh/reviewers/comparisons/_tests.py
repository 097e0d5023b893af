"""The tests that a file holds, with their state, in the usual frameworks of many languages."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from ...text.patterns import lazy_pattern
from ._definitions import language_of
from ._guards import code_of
from ._skipped_suites import (
    CONDITION,
    FOCUSED_OPTION,
    SKIPPED_ABOVE,
    SKIPPED_OPTION,
    lines_of_skipped_suites,
    options_of_call,
)
from ._sources import ComparedFile, ComparisonInput, Line, has_word
from ._spoken import lines_in_long_texts

# Of the languages whose tests are marked by an annotation above the function
_ANNOTATED = (
    r"^[ \t]*(?P<mark>@(?:\w*Test|TestFactory|TestTemplate)\b"
    r"|\[(?:\w*(?:Fact|Theory|Test|TestMethod)|TestCase\w*)\b|#\[(?:[\w:]+::)?(?:test|rstest"
    r"|test_case)\b)"
    # Not past a function in the same row
    r"(?:(?!\b(?:fun|fn|void)[ \t]+[\w`])[^\n])*"
    # An empty line may be between them, and before the function
    r"(?:\n[ \t]*+(?:(?:@|\[|#|//)[^\n]*|(?=\n))){0,16}"
    r"(?:\n[ \t]*+|[ \t]++)(?![^\n(]*\b(?:class|object|record)\b)"
    r"(?:[\w<>\[\],.?]+[ \t]+){0,6}?(?:(?:fun|fn)[ \t]+)?"
    r"(?P<annotated>[\w]+|`[^`\n]+`)[ \t]*(?:<[^>\n]*>)?\("
)
_QUOTED = r"[(\s]\s*(?P<q>['\"`])(?P<quoted>(?:\\.|(?!(?P=q))[^\\\n]){1,200})(?P=q)"
_JS = (
    r"^[ \t]*(?P<call>[xf]?(?:it|test|describe|context|specify|suite|bench)"
    r"(?:\.(?:\w+))*)(?:\([^()\n]*\))?\(" + _QUOTED.removeprefix(r"[(\s]")
)
_BY_SUFFIX = {
    "py": r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(?P<name>test\w*|Test\w*)[ \t]*[(:]",
    "js": _JS,
    "go": r"^func[ \t]+(?:\([^)\n]*\)[ \t]*)?(?P<name>(?:Test|Fuzz)\w*)[ \t]*\(",
    "java": _ANNOTATED,
    "rb": (
        r"^[ \t]*(?P<call>[xf]?(?:it|test|specify|describe|context|scenario|feature))"
        + _QUOTED
        + r"|^[ \t]*def[ \t]+(?P<name>test_\w+[?!]?)"
    ),
    "rs": _ANNOTATED,
    # https://docs.phpunit.de/en/11.5/attributes.html#test
    "php": r"^[ \t]*(?:public[ \t]+)?function[ \t]+(?P<name>test\w+)[ \t]*\("
    # What `/** @test */` marks shows by its sentence of a name, as comments are not seen here
    r"|^[ \t]*(?P<mark>#\[Test\](?:\s*#\[[^\n]*\])*\s*)?public[ \t]+function[ \t]+"
    r"(?P<annotated>(?(mark)\w+|[a-z]+(?:_\w+){2,}))[ \t]*\("
    r"|^[ \t]*(?P<call>it|test)\(\s*(?P<q>['\"])(?P<quoted>[^'\"\n]+)(?P=q)",
    # Quick: https://github.com/Quick/Quick
    "swift": r"^[ \t]*(?P<call>[xf]?(?:it|describe|context))\("
    + _QUOTED.removeprefix(r"[(\s]")
    + r"|^[ \t]*(?:\w+[ \t]+)*func[ \t]+(?P<name>test\w+)[ \t]*\("
    r"|^[ \t]*@Test\b[^\n]*?(?:\n[^\n]*?)?\bfunc[ \t]+(?P<annotated>\w+)[ \t]*\(",
    "ex": r"^[ \t]*(?P<call>test|describe)" + _QUOTED,
    "dart": r"^[ \t]*(?P<call>test|testWidgets|group)\(" + _QUOTED.removeprefix(r"[(\s]"),
    "cpp": r"^[ \t]*(?:TEST(?:_F|_P)?|TYPED_TEST)[ \t]*\([ \t]*(?P<name>\w+[ \t]*,[ \t]*\w+)"
    r"|^[ \t]*(?P<call>TEST_CASE|SCENARIO)"
    + _QUOTED
    # Plain functions, which the program of the tests calls
    + r"|^(?:static[ \t]+)?(?:void|int|bool)[ \t]+\*?(?P<plain>test_\w+|\w+_test)[ \t]*\([^;{\n]*\)"
    r"[ \t]*(?:\{|$)",
    "sol": r"^[ \t]*function[ \t]+(?P<name>(?:test|invariant)\w*)[ \t]*\(",
    "bats": r"^[ \t]*(?P<call>@test)" + _QUOTED,
    "pl": r"^[ \t]*(?P<call>subtest)" + _QUOTED,
    "sh": r"^[ \t]*(?:function[ \t]+)?(?P<name>test_\w+)[ \t]*\(\)",
}
_SUFFIXES = {
    "py": "py", "js": "js jsx ts tsx mjs cjs mts cts vue svelte", "go": "go",
    "java": "java kt kts cs scala groovy", "rb": "rb", "rs": "rs", "php": "php", "swift": "swift",
    "ex": "exs ex", "dart": "dart", "cpp": "cc cpp cxx c hpp h", "pl": "t",
    "sh": "sh", "bats": "bats", "sol": "sol",
}  # fmt: skip
_KINDS = {suffix: kind for kind, words in _SUFFIXES.items() for suffix in words.split()}
# As the first statements of a test
_SKIPPED_CALL = lazy_pattern(r"^x(?=it|test|describe|context|spec)|\.(?:skip|todo|failing|fixme)\b")
_FOCUSED_CALL = lazy_pattern(r"^f(?=it|describe|context|specify)|\.only\b")
_TAGGED = ("rb", "ex")  # where a tag says which tests run
_FOCUSED_ABOVE = lazy_pattern(r"\bfocus:\s*true|,\s*:focus\b|@tag\s+:focus")
_SKIPPED_BODY = lazy_pattern(
    r"^[ \t]*(?:pytest\.skip|pytest\.xfail|self\.skipTest|raise[ \t]+(?:unittest\.)?SkipTest"
    r"|[tb]\.Skip(?:f|Now)?|this\.skip|XCTSkip|throw[ \t]+XCTSkip"
    r"|(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)|skip|pending|GTEST_SKIP"
    r"|Assert\.Ignore|Assume\.assumeTrue\(false)"
    r"(?:[ \t]*[(\"']|[ \t]*$)"
)


class Test(Struct, frozen=True):
    """A test or a suite: its name, first and last line, and whether it is switched off or keeps
    others from running."""

    name: str
    line: int
    last: int
    skipped: bool = False
    focused: bool = False
    suite: bool = False


def has_tests(path: str) -> bool:
    """A language whose tests are known here."""
    return path.rpartition(".")[2].lower() in _KINDS


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return re.compile(_BY_SUFFIX[kind], re.MULTILINE)


@lru_cache(32)  # several comparisons ask for those of the same texts
def find_tests(path: str, text: str) -> dict[str, Test]:
    """The tests of a file by name; equal names are counted."""
    kind = _KINDS.get(path.rpartition(".")[2].lower())
    if not kind or not text:
        return {}
    rows = text.split("\n")
    left_out = {
        *lines_in_long_texts(path, rows),
        *(_inside_functions(rows) if kind == "py" else ()),
    }
    off = lines_of_skipped_suites(kind, rows)
    found: dict[str, Test] = {}
    counts = Counter[str]()
    if kind in ("java", "rs", "swift"):
        text = _with_whole_marks(rows)
    for at, end, match in _spans(_pattern(kind), text, left_out):
        test = _test(match, rows, (at, end), at in off, kind in _TAGGED)
        if test is not None and kind in ("dart", "php"):
            test = _with_options(test, options_of_call(rows, at))
        if test is not None:
            count = counts[test.name]
            found[f"{test.name}#{count}" if count else test.name] = test
            counts[test.name] += 1
    return found


def _with_whole_marks(rows: list[str]) -> str:
    """The text with each attribute or annotation of several lines as one, whose ends of lines are
    another sign."""
    joined, depth, begun = list[str](), 0, 0
    for number, row in enumerate(rows):
        if depth > 0 and number - begun < _LONGEST_MARK:
            joined[-1] += f"{_INNER_END}{row}"
        else:
            joined.append(row)
            begun, depth = number, 0
        if depth > 0 or row.lstrip().startswith(("@", "[", "#[")):
            bare = _TEXTS.sub("", row)
            depth += sum(map(bare.count, "([")) - sum(map(bare.count, ")]"))
    return "\n".join(joined)


_LONGEST_MARK = 60  # lines
_INNER_END = "\x0b"
_TEXTS = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'")


def _count_ends(text: str) -> int:
    return text.count("\n") + text.count(_INNER_END)


def _inside_functions(rows: Iterable[str]) -> frozenset[int]:
    """Python: the lines that begin a function inside of a function, which no runner finds."""
    around, found = list[tuple[int, bool]](), set[int]()
    for number, row in enumerate(rows, 1):
        bare = row.lstrip()
        depth = len(row) - len(bare)
        while bare and bare[0] != ")" and around and around[-1][0] >= depth:
            around.pop()
        if begins := _BEGINS.match(row):
            if begins["what"] == "def" and around and around[-1][1]:
                found.add(number)
            around.append((depth, begins["what"] == "def"))
    return frozenset(found)


_BEGINS = lazy_pattern(r"\s*(?:async\s+)?(?P<what>def|class)\s")


def _spans(
    pattern: re.Pattern[str], text: str, left_out: Collection[int]
) -> Iterator[tuple[int, int, re.Match[str]]]:
    """First line, last line and match of each."""
    matches, starts, at, line = list[re.Match[str]](), list[int](), 0, 1
    for match in pattern.finditer(text):
        line += _count_ends(text[at : match.start()])
        at = match.start()
        if line not in left_out:
            matches.append(match)
            starts.append(line)
    total = _count_ends(text) + 1
    for number, match in enumerate(matches):
        yield starts[number], starts[number + 1] - 1 if number + 1 < len(starts) else total, match


def _test(
    match: re.Match[str], rows: list[str], lines: tuple[int, int], is_off: bool, tagged: bool
) -> Test | None:
    first, last = lines
    groups = match.groupdict()
    call = groups.get("call") or ""
    name = groups.get("name") or groups.get("annotated") or groups.get("quoted") or ""
    name = name or groups.get("plain") or ""
    if not name:
        return None
    above = "\n".join([*_above(rows, first), match[0]])
    skipped = is_off or bool(
        _SKIPPED_CALL.search(call)
        or (SKIPPED_ABOVE.search(above) and not CONDITION.search(above))
        or _skips_first(rows, first + _count_ends(match[0]), last)
    )
    suite = call.lstrip("xf").startswith(("describe", "context", "suite", "feature", "group"))
    options = _TEXTS.sub("", rows[first - 1]) if tagged else ""
    focused = bool(_FOCUSED_CALL.search(call) or _FOCUSED_ABOVE.search(options))
    suite = suite or match[0].lstrip().startswith("class")
    return Test(name, first, last, skipped, focused, suite)


def _with_options(test: Test, options: str) -> Test:
    """What its named arguments say, or what is called on it: both may stand behind its body."""
    skipped = test.skipped or SKIPPED_OPTION.search(options) is not None
    return replace(
        test, skipped=skipped, focused=test.focused or FOCUSED_OPTION.search(options) is not None
    )


def _above(rows: list[str], first: int) -> list[str]:
    """The decorators, annotations and attributes right above a line."""
    at = first - 2
    while at >= 0 and at > first - 12 and rows[at].lstrip().startswith(("@", "#[", "[", ")", '"')):
        at -= 1
    return rows[at + 1 : first - 1]


_ALWAYS = lazy_pattern(
    r"^if\b.*\|\|\s*true\b|^if\s*(?:\(\s*)?(?:[Tt]rue|1)\s*(?:\)\s*)?[:{]?$|\bor True\s*:$"
)


def _skips_first(rows: list[str], first: int, last: int) -> bool:
    """The first statement of the body says that the test is skipped."""
    body = rows[first : min(last, first + 12)]
    for text, after in zip(body, [*body[1:], ""], strict=False):
        bare = text.strip()
        if bare.startswith(("#if", "if ", "@if", "{% if")):
            if _ALWAYS.search(bare):
                continue
            return False  # under a condition
        if _SKIPPED_BODY.match(text):
            goes_on = text.endswith("\\") and re.match(r"\s*(?:if|unless)\b", after)
            return not goes_on and re.search(r"[)'\"] (?:if|unless)\b", text) is None
        if bare and not bare.startswith(("#", "//", '"""', "'''", "{", "t.Parallel", "t.Helper")):
            return False
    return False


# What stands before a name that is written and not run, and how functions begin
_FUNCTION = (
    r"(?:\b(?:def|class|fn|func|fun|function|void|bool|int|Task(?:<\w+>)?)[ \t]+"
    r"|TEST\w*\([^,()]*,[ \t]*)"
)
_WORD = lazy_pattern(r"\w{4,}")


def hidden_tests(file: ComparedFile) -> Mapping[str, Line]:
    """The tests of the base that are still written in the file, and that its runner no longer takes
    for such: without their mark, or with something before their name. What other code calls is a
    helper now."""
    if file.is_new or file.is_gone or not file.removed:
        return {}
    # What looks like a comment may be inside of a text
    now = find_tests(file.path, file.head) | find_tests(file.path, file.written.head)
    text = file.head.lower()
    found = dict[str, Line]()
    for name, test in find_tests(file.diff.old_path, file.base).items():
        bare = name.rpartition(",")[2].strip()
        if test.suite or test.skipped or name in now or bare.lower() not in text:
            continue
        line, called = _where_written(file, bare) if _WORD.fullmatch(bare) else (None, "")
        if line is None or any(name.endswith(called) and not now[name].skipped for name in now):
            continue
        if file.head.count(called) == 1 and _goes_on(file, test, line):
            found[name] = line
    return found


def _where_written(file: ComparedFile, bare: str) -> tuple[Line | None, str]:
    """The line of the head where the function of a test begins, and its name there."""
    written = re.compile(rf"{_FUNCTION}(?P<name>\w*?{re.escape(bare)})\b", re.I)
    for number, row in enumerate(file.head_rows, 1):
        match = written.search(row)
        if match and _is_its_name(file, match["name"], bare):
            return Line(number, row), match["name"]
    return None, ""


def _is_its_name(file: ComparedFile, name: str, bare: str) -> bool:
    """The name of the test, or a new one made of it: another one that was there, as of what gives
    the test its values, is no test."""
    return name == bare or not has_word(file.base, name)


def _goes_on(file: ComparedFile, test: Test, line: Line) -> bool:
    """Below it stands what the test did first."""
    old = file.base_rows[test.line - 1 : test.last]
    first = next((row for row in file.head_rows[line.number :] if len(row.strip()) > 2), "")
    return bool(first) and first in old


Gone = Mapping[str, list[Test]]


def product_shrinks(sources: ComparisonInput, gone: Gone | None = None) -> bool:
    """The product loses code on balance: what the tests were about went with it."""
    return shrink([*filter(holds_subject, sources.files)], gone or {})


def shrink(files: Collection[ComparedFile], gone: Gone) -> bool:
    """These files lose more code than they gain."""
    lost = sum(_has_code(line) for file in files for line in lines_beside_tests(file, gone))
    return lost > sum(_has_code(line) for file in files for line in file.added)


def holds_subject(file: ComparedFile) -> bool:
    """Code that tests may be about: of examples, too, which have tests of their own."""
    example = "example" in file.path and not find_tests(file.path, file.head or file.base)
    return file.is_product or (example and language_of(file.path) != "")


def lines_beside_tests(file: ComparedFile, gone: Gone) -> Iterator[Line]:
    """The removed lines of a file that are none of tests that are gone, where it has such."""
    tests = gone.get(file.path, [])
    for line in file.removed:
        # Its attribute stands above it: `#[test]`
        if not any(test.line - 2 <= line.number <= test.last for test in tests):
            yield line


def _has_code(line: Line) -> bool:
    return bool(code_of(line.text).strip(" \t{}();"))
