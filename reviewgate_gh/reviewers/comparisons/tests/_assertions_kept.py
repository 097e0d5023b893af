"""Assertions that are gone, and whose work something else may do: what held for one configuration,
what follows from others, what another test says."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from ....text.patterns import lazy_pattern
from .._parameters import split_arguments
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .._statements import statements
from .._tests import Test, find_tests
from ._assertion_words import ASSERT, CALLED, MAY_ASSERT, SAYS_LITTLE, STRONG, SUBJECT, TRUTH, WEAK


def is_covered(sources: ComparisonInput, gone: list[Line], blocks: list[Block]) -> bool:
    """They held on one platform only, another test of the change names the same values, or the
    change takes away what they name."""
    if any(_OF_PLATFORM.match(line.text) for block in blocks for line in block.removed):
        return True
    tests = (file for file in sources.files if file.is_test)
    told = [line.text for file in tests for line in file.added if may_assert(line.text)]
    texts = [_LITERAL.findall(line.text) for line in gone]
    if all(every and any(all(each in row for each in every) for row in told) for every in texts):
        return True
    others = [file for file in sources.files if not file.is_test]
    named = [{*_NAMED.findall(" ".join(each))} for each in texts]
    return all(any(_becomes_less(others, word) for word in words) for words in named)


def without_what_stays(
    file: ComparedFile, before: Test, after: Test, blocks: Sequence[Block]
) -> list[Block]:
    """The blocks without the rows of statements that the test has on both sides as often, however
    they are split, and wherever git sees them."""
    if not blocks:
        return []
    old = [*statements(file.base_code, file.base_rows, before.line, before.last)]
    new = [*statements(file.head_code, file.head_rows, after.line, after.last)]
    were, are = Counter(text for _span, text in old), Counter(text for _span, text in new)
    stay = {text for text in were if were[text] == are[text]}
    removed = {at for span, text in old if text in stay for at in span}
    added = {at for span, text in new if text in stay for at in span}
    kept = (
        Block(
            tuple(line for line in block.removed if line.number not in removed),
            tuple(line for line in block.added if line.number not in added),
        )
        for block in blocks
    )
    return [block for block in kept if block.removed or block.added]


_NAMED = lazy_pattern(r"[A-Za-z]\w{4,}")


def _becomes_less(files: Sequence[ComparedFile], word: str) -> bool:
    """Fewer lines of these files have the word than before."""
    gone = sum(has_word(line.text, word) for file in files for line in file.removed)
    come = sum(has_word(line.text, word) for file in files for line in file.added)
    return gone > come


_LITERAL = lazy_pattern(r"\"[^\"]{3,}\"|'[^']{3,}'")


def is_repeated(file: ComparedFile, line: Line) -> bool:
    """The same is said before or behind it, perhaps in the words of another library, and nothing
    but other assertions stands between the two."""
    rows, same, (what, values) = file.base_rows, squeeze(line.text), claim(line.text)

    def asserts(row: str) -> bool:
        return may_assert(row) or claim(row)[0] == what

    def says_it(row: str) -> bool:
        now, given = claim(row)
        return squeeze(row) == same or (bool(values) and now == what and values <= given)

    above, below = reversed(rows[: line.number - 1]), rows[line.number :]
    around = {squeeze(row) for each in (above, below) for row in takewhile(asserts, each)
              if says_it(row)}  # fmt: skip
    return not around.isdisjoint(map(squeeze, file.head_rows))


def claim(text: str) -> tuple[str, frozenset[str]]:
    """What is said of which values, whoever says it; no value where that cannot be read."""
    compared, called = _COMPARES.match(text), _CLAIMS.match(text)
    if compared:
        return "equal", frozenset(map(squeeze, compared.groups()))
    given = split_arguments(called["given"], 0) if called else None
    values = (squeeze(each) for each in given or () if not _HANDLE.fullmatch(each.strip()))
    return _WHO.sub("", called["what"].lower()) if called else "", frozenset(values)


_COMPARES = lazy_pattern(r"\s*assert\s+([^=!<>]+?)\s*==\s*([^=].*?)\s*$")
_CLAIMS = lazy_pattern(
    r"\s*(?:[\w$]++(?:\(\))?(?:\.|->|::))*+(?P<what>\w+)[!?]?\((?P<given>.*\))\s*;?\s*$"
)
_HANDLE = lazy_pattern(r"(?:\w+\.)?[tT](?:\(\))?")  # of the test, in Go
_WHO = lazy_pattern(r"^assert_?|^expect_?|(?<=equal)s$")


def may_assert(text: str) -> bool:
    return ASSERT.search(text) is not None or MAY_ASSERT.search(text) is not None


def is_strong(text: str) -> bool:
    if TRUTH.search(text):
        return False  # equality with a truth value says as much as a check of it
    if _OF_EQUALITY.search(text) or _LINK.search(text):
        return True
    little = WEAK.search(text) or SAYS_LITTLE.search(text)
    return STRONG.search(text) is not None and little is None


# That a comparison is true
_OF_EQUALITY = lazy_pattern(
    r"(?i)(?:true|\bassert|\bok)\s*\(\s*(?:[^=!<>\"'(),]|\([^()]*\))+={2,3}[^=]"
)
# One of several of Pest in a line: https://pestphp.com/docs/expectations
_LINK = lazy_pattern(
    r"(?<!\bnot)->to(?:Be|Equal|HaveCount|HaveLength|Match|Contain|StartWith|EndWith)\w*\(\s*[^\s)]"
)
# A condition of the preprocessor, or of the version of what the tests run on
_DIRECTIVE = lazy_pattern(r"\s*#\s*(?:if|ifn?def|elif|else|endif)\b")
_HAS_DIRECTIVES = (".c", ".cc", ".cpp", ".h", ".hpp", ".m", ".mm", ".swift", ".cs", ".fs")
_OF_VERSION = lazy_pattern(r"(?i)\s*(?:if|unless|elif|else if|elsif)\b.*(?:version|\bPY[23]\b)")
_OF_PLATFORM = lazy_pattern(
    r"(?i)\s*(?:\}\s*)?(?:if|unless|elif|else if|elsif)\b.*(?:platform|os\.name|\bGOOS\b"
    r"|\bis_?(?:win|mac|linux|posix|darwin|jruby|pypy)\w*)"
)


def drops_configuration(file: ComparedFile, block: Block) -> bool:
    """It takes away a condition, and with it what held for one configuration only."""
    rows = [line.text for line in block.removed]
    has_directives = file.path.endswith(_HAS_DIRECTIVES)
    return any(_OF_VERSION.match(row) or (has_directives and _DIRECTIVE.match(row)) for row in rows)


def compared_without_branches(blocks: Sequence[Block], rows: Sequence[str]) -> frozenset[str]:
    """What the rows of a test compare, without the values, where conditions go: what was expected
    under one of them is still compared, with another value."""
    if not any(_BRANCHES.match(line.text) for block in blocks for line in block.removed):
        return frozenset()
    return frozenset(without_values(row) for row in rows if is_strong(row))


def other_branch_stays(file: ComparedFile, line: Line, rows: Sequence[str]) -> bool:
    """The whole condition goes, and what the other branch asserts about the same stays: it holds in
    both cases now."""
    gone = {each.number for each in file.removed}
    subject = SUBJECT.search(line.text)
    header = _row_above(file.base_rows, line)
    if subject is None or not _BRANCHES.match(header.text):
        return False

    def inside(each: Line) -> bool:
        text = each.text
        deeper = not text.strip() or _depth(text) > _depth(header.text)
        return deeper or _BRANCHES.match(text) is not None

    base = [Line(at, row) for at, row in enumerate(file.base_rows, 1)]
    around = [*takewhile(inside, reversed(base[: header.number]))]
    around += takewhile(inside, base[header.number :])
    branches = [each for each in around if _depth(each.text) == _depth(header.text)]
    now = {*map(squeeze, rows)}
    return (
        any(_ELSE.match(each.text) for each in branches)
        and all(each.number in gone for each in branches if each.text.strip())
        and any(subject[0] in each.text and squeeze(each.text) in now for each in around)
    )


def _row_above(rows: Sequence[str], line: Line) -> Line:
    """The row that a line is indented below."""
    at = line.number - 1
    while at > 0 and (not rows[at - 1].strip() or _depth(rows[at - 1]) >= _depth(line.text)):
        at -= 1
    return Line(at, rows[at - 1] if at else "")


_ELSE = lazy_pattern(r"\s*(?:\}\s*)?else\b")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


_BRANCHES = lazy_pattern(
    r"\s*(?:\}\s*)?(?:if|else|elif|elsif|unless|switch|case|when|match|default)\b"
)
_VALUES = lazy_pattern(
    r"(?<!\[)(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|\b\d[\d_.]*\b|\b(?:[Tt]rue|[Ff]alse)\b"
)


def without_values(text: str) -> str:
    """An assertion with what it compares alone, but for the keys by which that is looked up."""
    return squeeze(_VALUES.sub("_", text))


# Of these the last call counts: https://docs.phpunit.de/en/11.5/writing-tests-for-phpunit.html
_SETS = lazy_pattern(r"(?:\$this->|self::|static::)(?P<method>expect(?:Exception|Output)\w*)\(")


def is_set_again(text: str, rows: Sequence[str]) -> bool:
    """What was expected is still said, by another call that takes the place of this one."""
    was = _SETS.search(text)
    return was is not None and any(
        now["method"] == was["method"] for row in rows if (now := _SETS.search(row))
    )


def is_implied(text: str, rows: Sequence[str]) -> bool:
    """A weak assertion about a value of which the test still says exactly what it is, or one about
    its length."""
    subject, long = SUBJECT.search(text), _LENGTH.search(text)
    if long and any(what == "equal" and long[1] in values for what, values in map(claim, rows)):
        return True
    return (
        not is_strong(text)
        and subject is not None
        and any(subject[0] in row and ASSERT.search(row) and is_strong(row) for row in rows)
    )


_LENGTH = lazy_pattern(r"\blen\(([\w.]+)\)")
# Each takes the next of what is there
_TAKES = lazy_pattern(r"[\w.]+\.(?:next|poll|pop|shift|read[Ll]ine|receive|take)\(\)")


def is_of_sequence(text: str, rows: Sequence[str]) -> bool:
    """One of several that take what comes, one after the other: without it the next one is another
    claim about the same, so that something else is expected, and not less."""
    taken_by = _TAKES.search(text)
    return taken_by is not None and any(
        taken_by[0] in row and ASSERT.search(row) and is_strong(row) for row in rows
    )


# Languages in which the files of a folder see one another, and names of files that stand for theirs
_PACKAGES = (".go", ".java", ".kt", ".kts", ".scala", ".cs", ".swift")
_INDEXES = ("__init__", "index", "mod")


def helper_asserts(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The change lets a helper or a set-up that these tests reach check something: perhaps this."""
    return any(
        other.is_test and _gains_assertion(other) and _reaches(file, other)
        for other in sources.files
    )


def _gains_assertion(file: ComparedFile) -> bool:
    """An assertion is added before the first test of a file."""
    added = [line.number for line in file.added if ASSERT.search(line.text)]
    starts = [test.line for test in find_tests(file.path, file.head).values()] if added else []
    return bool(added) and min(added) < min(starts, default=max(added) + 1)


def _reaches(file: ComparedFile, helper: ComparedFile) -> bool:
    """The tests of a file can call the helper: it is the same file, a `conftest.py` above, of one
    package where a folder is one, or a file that they name."""
    if file is helper:
        return True
    stem = helper.name.partition(".")[0]
    if stem == "conftest":
        return file.folder.startswith(helper.folder)
    if file.folder == helper.folder and file.path.endswith(_PACKAGES):
        return True
    name = helper.folder.rstrip("/").rpartition("/")[2] if stem in _INDEXES else stem
    return bool(name) and has_word(file.head, name)


def delegates(file: ComparedFile, line: Line) -> bool:
    """The new line calls something that the file defines, or imports from now on: that may check
    as much."""
    called = [*CALLED.findall(line.text), *_COMMAND.findall(line.text)]
    imported = [each.text for each in file.added if _IMPORTS.match(each.text)]
    return any(
        re.search(rf"\b(?:def|func|fn|fun|function|const|let|void|sub)\s+{name}\b", file.head)
        or any(has_word(row, name) for row in imported)
        for name in called[:5]
    )


_IMPORTS = lazy_pattern(r"\s*(?:from|import|use|using|require)\b")


# A call of Ruby or of a shell without brackets
_COMMAND = lazy_pattern(r"^\s*([A-Za-z_]\w{2,})(?=\s+[^\s=.]|\s*$)")
