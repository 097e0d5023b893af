"""Assertions that a test loses, or that say less than before, while the test stays."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, loss_is_explained
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .._tests import Test, find_tests, has_tests, holds_subject, product_shrinks
from ._assertion_words import (
    ALWAYS,
    ASSERT,
    RAISES,
    SAYS_LITTLE,
    TRUE_ALONE,
    WEAK,
    WORD,
)
from ._assertions_kept import (
    compared_without_branches,
    delegates,
    drops_configuration,
    helper_asserts,
    is_covered,
    is_implied,
    is_of_sequence,
    is_repeated,
    is_set_again,
    may_assert,
    other_branch_stays,
    without_values,
    without_what_stays,
)
from ._claims import may_claim
from ._laxer_assertions import claiming_less, count_assertions, emptied, swallowed, weakened
from ._mere_calls import assertion_around, gives_nothing, is_kept, says_there_is_one

EVERY_FILE = False
_RULE = ComparisonRule(
    "assertion-weakened",
    Priority.P2,
    "The test may now pass for results that it rejected before. Restore the check, or say why the "
    "result may differ.",
)
_ABOVE = 8  # lines, where annotations and parameters stand


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change, about the first test that checks less: who weakens one on purpose
    weakens many in the same way. The other files are named."""
    found = [
        finding
        for file in sources.files
        if (file.is_test or (file.path.endswith(".rs") and "#[test" in file.head))
        and has_tests(file.path)
        and not (file.is_new or file.is_gone)
        and any(may_claim(line.text) for line in file.removed)
        and (finding := _in_file(sources, file))
    ]
    if found:
        others = tuple(sorted({each.path for each in found[1:]}))
        more = f", and tests of {len(others)} more file{'s' * (len(others) > 1)}" if others else ""
        yield replace(found[0], title=found[0].title + more, places=others)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Finding | None:
    now, were = find_tests(file.path, file.head), find_tests(file.diff.old_path, file.base)
    counts = Counter(map(str.strip, file.base_rows))
    new = [test for name, test in now.items() if name not in were and not test.suite]
    touching = _BlocksByLine(file.blocks, file.head_rows, new)
    for name, before in were.items():
        after = now.get(name)
        if after is None or before.suite or after.suite or before.skipped or after.skipped:
            continue
        if _is_one_of_several(file, before, counts):
            continue
        blocks = without_what_stays(file, before, after, touching.of(before, after))
        found = (
            weakened(_RULE, file, name, blocks)
            or claiming_less(_RULE, file, before, after, blocks)
            or (not _must_fail_now(file, before, after) and _unwrapped(sources, file, name, blocks))
            or _muted(file, name, blocks)
            or swallowed(_RULE, file, name, blocks)
            or _emptied(sources, file, (before, after), blocks)
            or _lost(sources, file, before, after, blocks)
        )
        if found:
            return found
    return None


def _must_fail_now(file: ComparedFile, before: Test, after: Test) -> bool:
    """Its mark says from now on that it ends with an error."""
    written = file.written  # with its comments
    return _is_marked(written.head_rows, after) and not _is_marked(written.base_rows, before)


def _is_marked(rows: Sequence[str], test: Test) -> bool:
    """Among its rows and what stands above it: attributes, decorators, a comment for a tool."""
    own = rows[_first_above(rows, test.line) - 1 : test.last]
    return any(map(_MUST_FAIL.search, own))


# https://junit.org/junit4/javadoc/latest/org/junit/Test.html#expected(),
# https://docs.phpunit.de/en/8.5/annotations.html#expectedexception,
# https://nose.readthedocs.io/en/latest/testing_tools.html#nose.tools.raises
_MUST_FAIL = lazy_pattern(
    r"@Test\(.*\bexpected(?:Exceptions)?\s*=|\[ExpectedException\b|#\[should_panic|->throws\("
    r"|^\s*(?:\*|/\*\*|#)\s*@expected(?:Exception|Deprecation|Warning)|@ExpectedException\b"
    r"|#\[Expect(?:ed)?(?:Exception|Deprecation|Warning)\w*"
    r"|^\s*@(?:[\w.]+\.)?(?:raises|must_raise)\b|^\s*@\w*\.?mark\.xfail\(.*\braises\s*="
)
# What expects that something fails, whatever the words of the framework
_EXPECTS_FAILURE = lazy_pattern(
    r"\bexpect(?:ed)?(?:Exception|Deprecation|Warning|Error)\w*\(|\bsetExpectedException\w*\("
    r"|\bthrown\.expect\w*\("
)
_ENDS = lazy_pattern(r"\s*(?:\}(?:\)?;|,)?|end)?\s*$")  # of what stands above a test
_ANNOTATES = ("@", "[", "#[")


def _is_one_of_several(file: ComparedFile, test: Test, counts: Mapping[str, int]) -> bool:
    """The base begins another test in the same words: which of them is left cannot be told."""
    rows = (row.strip() for row in file.base_rows[test.line - 1 : test.last])
    bare = test.name.partition("#")[0]
    first = next((row for row in rows if not row.startswith(_ANNOTATES) or bare in row), "")
    return counts.get(first, 0) > 1


def _first_above(rows: Sequence[str], line: int) -> int:
    """The first line of what stands above a test and belongs to it."""
    first = line
    while first > max(1, line - _ABOVE) and not _ENDS.match(rows[first - 2]):
        first -= 1
    return first


class _BlocksByLine:
    """The blocks of a file by the lines that they take away and add."""

    def __init__(self, blocks: Sequence[Block], head: Sequence[str], new: Iterable[Test]) -> None:
        self._blocks, self._head = blocks, head
        self._new = {at for test in new for at in range(test.line, test.last + 1)}
        self._removed, self._added = dict[int, int](), dict[int, int]()
        for at, block in enumerate(blocks):
            self._removed |= dict.fromkeys((line.number for line in block.removed), at)
            self._added |= dict.fromkeys((line.number for line in block.added), at)

    def of(self, before: Test, after: Test) -> list[Block]:
        """Those that touch a test."""
        old = range(before.line, before.last + 1)
        new = range(_first_above(self._head, after.line), after.last + 1)
        touching = {self._removed[at] for at in old if at in self._removed}
        touching |= {self._added[at] for at in new if at in self._added}
        return [self._without_new_tests(self._blocks[at]) for at in sorted(touching)]

    def _without_new_tests(self, block: Block) -> Block:
        """What a test that only the head has asserts takes the place of nothing."""
        added = tuple(line for line in block.added if line.number not in self._new)
        return Block(block.removed, added)


def _unwrapped(
    sources: ComparisonInput, file: ComparedFile, name: str, blocks: list[Block]
) -> Finding | None:
    """A value that an assertion looked at is still computed, and nobody looks at it."""
    for block in blocks:
        if count_assertions(block.added) >= count_assertions(block.removed):
            continue
        for new in block.added:
            old = assertion_around(new, block.removed)
            asserts = ASSERT.search(new.text) or _is_expected_to_fail(file, new)
            if old is None or says_there_is_one(old.text):
                continue
            if not (asserts or is_kept(file, new) or gives_nothing(sources, new)):
                title = f"an assertion becomes a mere call: {name}"
                return put(_RULE, file, new, title, quoted(old.text))
    return None


def _is_expected_to_fail(file: ComparedFile, line: Line) -> bool:
    """It stands in a block that asserts something about what is run there."""
    rows = file.head_rows[: line.number - 1]
    depth = len(line.text) - len(line.text.lstrip())
    around = (row for row in reversed(rows) if row.strip() and len(row) - len(row.lstrip()) < depth)
    above = next(around, "")
    return RAISES.search(above) is not None or (
        ASSERT.search(above) is not None and above.rstrip().endswith(("{", "(", ":", "do", "->"))
    )


def _muted(file: ComparedFile, name: str, blocks: list[Block]) -> Finding | None:
    """What failed the test is only written down. https://pkg.go.dev/testing#T.Log"""
    for block in blocks:
        olds = {squeeze(_FAILS.sub("t.(", old.text)): old for old in block.removed}
        for new in block.added:
            old = olds.get(squeeze(_LOGS.sub("t.(", new.text)))
            if old is not None and _FAILS.search(old.text) and _LOGS.search(new.text):
                title = f"a failure is only written down: {name}"
                return put(_RULE, file, new, title, quoted(old.text))
    return None


_FAILS = lazy_pattern(r"\b[tb]\.(?:Error|Fatal)f?\(")
_LOGS = lazy_pattern(r"\b[tb]\.(?:Log)f?\(")


def _emptied(
    sources: ComparisonInput, file: ComparedFile, sides: tuple[Test, Test], blocks: list[Block]
) -> Finding | None:
    """What stands in the place of an assertion can hardly fail."""
    found = emptied(file, *sides, blocks)
    if found is None:
        return None
    old, new = found
    moved = squeeze(old.text) in sources.added_statements or _is_explained(sources, file, [old])
    if moved or not (TRUE_ALONE.search(new.text) or _fails_as_before(sources, file)):
        return None
    title = f"an assertion becomes one that hardly fails: {sides[0].name}"
    return put(_RULE, file, new, title, quoted(old.text))


def _fails_as_before(sources: ComparisonInput, file: ComparedFile) -> bool:
    """No failure of the product changes, and no other new assertion expects one."""
    return not any(RAISES.search(line.text) for line in file.added) and not any(
        _FAILURE.search(line.text)
        for each in sources.files
        if holds_subject(each)
        for line in (*each.removed, *each.added)
    )


_FAILURE = lazy_pattern(r"(?i)\b(?:throw|rais|panic|abort|reject|fail)|error|exception|\bErr\b")


def _lost(
    sources: ComparisonInput, file: ComparedFile, before: Test, after: Test, blocks: list[Block]
) -> Finding | None:
    """Assertions that are gone, where nothing else of the test changed, or all of them."""
    kept = [block for block in blocks if not drops_configuration(file, block)]
    own = [*_without_wrappers(_removed_from(before, kept))]
    removed, added, same = _without_links_that_stay(
        own, [line for block in blocks for line in block.added]
    )
    rows = file.head_rows[after.line - 1 : after.last]
    compared = compared_without_branches(kept, rows)
    removed = [
        line
        for line in removed
        if not (compared and without_values(line.text) in compared)
        and not other_branch_stays(file, line, rows)
    ]
    gone = _gone(sources, file, after, removed, added)
    if _must_fail_now(file, before, after):
        gone = [line for line in gone if not _expects_failure(line.text)]
    if not gone or _is_explained(sources, file, gone):
        return None
    if is_covered(sources, gone, kept):
        return None
    others = (line for line in file.added if _as_link(line) not in same)
    here = (each for each in kept if gone[0] in each.removed)
    light = any(map(_is_code, others)) or any(loss_is_explained(file, each) for each in here)
    rule = hint(_RULE) if light else _RULE
    what = "an assertion is" if len(gone) == 1 else f"{len(gone)} assertions are"
    return taken(rule, file, gone[0], f"{what} removed from a test that stays: {after.name}")


def _expects_failure(text: str) -> bool:
    return any(pattern.search(text) for pattern in (RAISES, _EXPECTS_FAILURE))


def _gone(
    sources: ComparisonInput,
    file: ComparedFile,
    after: Test,
    removed: list[Line],
    added: list[Line],
) -> list[Line]:
    """The assertions among the removed lines; where others stay, only if nothing else changed."""
    rows = file.head_rows[after.line - 1 : after.last]
    gone = [
        line
        for line in removed
        if _is_gone_assertion(sources, line.text, rows)
        and not (is_repeated(file, line) or _is_all(file, line))
    ]
    if not gone or any(
        may_assert(line.text) or delegates(file, line) or gives_nothing(sources, line)
        for line in added
    ):
        return []
    if any(may_assert(row) for row in rows):
        return [] if added or _has_other_code(removed, gone) else [*filter(_tells, gone)]
    return gone


def _is_all(file: ComparedFile, line: Line) -> bool:
    """It made the test fail whatever happened: nothing else stands in the definition."""
    if not _GIVES_UP.match(line.text):
        return False
    above = next(
        (row for row in reversed(file.base_rows[: line.number - 1]) if row.strip(" {")), ""
    )
    below = "".join(file.base_rows[line.number : line.number + 1]).strip()
    indented = len(above) - len(above.lstrip()) < len(line.text) - len(line.text.lstrip())
    return indented and not _BRANCHES.match(above) and below.strip("}") in ("", "end")


_GIVES_UP = lazy_pattern(r"\s*(?:(?:\w+|\$this)(?:\.|->))?(?:[Ff]ail|flunk|XCTFail)\(")
_BRANCHES = lazy_pattern(
    r"\s*(?:\}\s*)?(?:if|unless|else|elif|for\w*|while|try|catch|except|rescue|case|switch|with|using)\b"
)


def _is_explained(sources: ComparisonInput, file: ComparedFile, gone: list[Line]) -> bool:
    """What they were about is gone, or something else asserts it."""
    return product_shrinks(sources) or helper_asserts(sources, file) or _is_moot(sources, gone)


def _without_links_that_stay(
    removed: list[Line], added: list[Line]
) -> tuple[list[Line], list[Line], set[str]]:
    """Both without the links of a chain that are only written in another way, and these links."""
    added = [line for line in added if line.text.strip()]
    same = {_as_link(line) for line in removed} & {_as_link(line) for line in added}
    left = ([line for line in each if _as_link(line) not in same] for each in (removed, added))
    return next(left), next(left), same


def _as_link(line: Line) -> str:
    """As the same link of a chain reads that goes on behind it, or ends there."""
    return squeeze(line.text).rstrip(";,")


def _without_wrappers(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines without those that only ask that what stands between them does not fail: so a test
    asks by itself."""
    ends = [line for line in lines if _NOTHING_FAILS.match(line.text)]
    begins = {next((each for each in reversed(lines) if _wraps(each, end)), None) for end in ends}
    yield from (line for line in lines if line not in ends and line not in begins)


def _wraps(line: Line, end: Line) -> bool:
    depths = [len(each.text) - len(each.text.lstrip()) for each in (line, end)]
    return line.number < end.number and depths[0] == depths[1] and "=>" in line.text


_NOTHING_FAILS = lazy_pattern(r"\s*\}\)\.not\.toThrow\w*\(\)")


def _removed_from(test: Test, blocks: list[Block]) -> list[Line]:
    lines = (line for block in blocks for line in block.removed)
    return [line for line in lines if test.line <= line.number <= test.last]


def _is_gone_assertion(sources: ComparisonInput, text: str, rows: Sequence[str]) -> bool:
    """An assertion that could fail, and that neither stands elsewhere nor follows from the test's
    rows now."""
    return (
        ASSERT.search(text) is not None
        and not ALWAYS.search(text)
        and squeeze(text) not in sources.added_statements
        and not is_implied(text, rows)
        and not is_set_again(text, rows)
        and not is_of_sequence(text, rows)
    )


def _is_code(line: Line) -> bool:
    bare = code_of(line.text).strip(" \t{}();")
    return bool(bare) and not bare.startswith(("import ", "from ", "use ", "require"))


def _tells(line: Line) -> bool:
    return not (WEAK.search(line.text) or SAYS_LITTLE.search(line.text))


def _has_other_code(removed: list[Line], gone: list[Line]) -> bool:
    """Statements beside the assertions went, too; brackets and continued lines do not count."""
    others = [line for line in removed if line not in gone and len(line.text.strip()) > 2]
    return any(_ASSIGNS.search(line.text) or _DEFINES.match(line.text) for line in others)


_ASSIGNS = lazy_pattern(r"(?<![=!<>])=(?![=~>])")
_DEFINES = lazy_pattern(r"\s*(?:async\s+)?(?:class|def|struct|enum|func|fun|fn|function)\s+\w")


def _is_moot(sources: ComparisonInput, gone: list[Line]) -> bool:
    """A word of theirs is gone from the product's code as well."""
    words = {word for line in gone for word in WORD.findall(line.text) if len(word) > 3}
    for file in sources.files:
        if not file.is_test and file.removed:
            lost = {word for line in file.removed for word in WORD.findall(line.text)} & words
            if lost - {*WORD.findall(file.head)}:
                return True
    return False
