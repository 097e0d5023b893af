"""How much an assertion claims about a value, and whether the one in its place claims less: any
argument instead of one, at least one call instead of a number, a bound instead of a value."""

import re
from collections.abc import Sequence

from ....text.patterns import lazy_pattern
from .._sources import squeeze
from ._assertion_words import ALWAYS, ASSERT, CLASS, FRAMEWORK, TRUTH, chains_in
from ._assertions_kept import claim

ANY = "it accepts any argument"
OFTEN = "it accepts another number of calls"
BOUND = "it accepts many values"
PART = "it checks only part of the value"
WIDER = "it allows a larger difference"
THERE = "it accepts any text"

# What stands for any value: https://docs.python.org/3/library/unittest.mock.html#any,
# https://javadoc.io/doc/org.mockito/mockito-core (ArgumentMatchers), https://jestjs.io/docs/expect,
# https://pkg.go.dev/go.uber.org/mock/gomock, https://github.com/devlooped/moq/wiki/Quickstart,
# https://google.github.io/googletest/reference/matchers.html
_WILDCARD = lazy_pattern(
    r"(?<![\w.\"'])(?:(?:unittest\.)?mock\.ANY\b|ANY\b(?!\w*\()"
    r"|(?:\w+\.)?any(?:[A-Z]\w*)?\((?:[\w.]*"
    r"(?:\.class|::class(?:\.java)?))?\)|gomock\.Any\(\)|mock\.(?:Anything\b(?!OfType)"
    r"|AnythingOfType\([^()]*\))|It\.IsAny<[^>]*>+\(\)|Arg\.Any<[^>]*>+\(\)|expect\.anything\(\)"
    r"|expect\.any\(\w+\)|anything\b(?!\()|anyArgs\(\)|isA\([\w.:]+\)|sinon\.match\.any"
    r"|\$this->anything\(\)|self::anything\(\))"
)
_ALL_ARGUMENTS = lazy_pattern(r"(?<=[(,{\[=\s])_(?=\s*[,)}\]])")  # of GoogleMock and of Elixir
_EXACTLY = lazy_pattern(r"(?<![\w.])eq\(((?:[^()]|\([^()]*\))*)\)")
# How often something was called, exactly and at least
_ONCE = lazy_pattern(
    r"(?:,\s*)?(?:Mockito\.)?\btimes\(\d+\)|,\s*Times\.(?:Once|Exactly\(\d+\))(?:\(\))?"
    r"|(?:\.|->)(?:once|twice|thrice|exactly\(\d+\)(?:\.times)?|Times\(\d+\))(?:\(\))?"
    r"|\bexactly\s*=\s*\d+|(?<=->expects\()\$this->(?:once|exactly)\(\d*\)"
    r"|(?<=\.Received)\(\d+\)|(?:(?<=\.assert_called)|(?<=\.assert_awaited))_once(?=\(|_with)"
    r"|\.call_count == \d+|\.toHaveBeenCalledTimes\(\d+\)|\.calledOnce\b"
)
_AT_LEAST = lazy_pattern(
    r"(?:,\s*)?(?:Mockito\.)?\batLeast(?:Once)?\(\d*\)|,\s*Times\.AtLeast(?:Once|\(\d+\))(?:\(\))?"
    r"|(?:\.|->)(?:at_least\(\S+\)(?:\.times?)?|AnyTimes|MinTimes|atLeastOnce|zeroOrMoreTimes"
    r"|Times\((?:testing::)?(?:AnyNumber\(\)|AtLeast\(\d\))\))(?:\(\d*\))?"
    r"|\batLeast\s*=\s*\d+|(?<=->expects\()\$this->(?:any|atLeastOnce|atLeast)\(\d*\)"
    r"|(?<=\.Received)\(\)|(?:(?<=\.assert_called)|(?<=\.assert_awaited))(?=\(|_with)"
    r"|\.call_count (?:>= 1|> 0)|\.toHaveBeenCalled\(\)|\.called\b"
)
# The arguments of a call that was expected
_WITH = lazy_pattern(
    r"\.toHaveBeen(?:Last|Nth)?CalledWith\(.+\)|\.assert_(?:called|awaited)(?:_once)?_with\(.+\)"
    r"|(?:\.|->)with\(.+\)(?=;|$)|\.calledWith(?:Exactly)?\(\w+,.*\)"
)
_WITHOUT = lazy_pattern(
    r"\.toHaveBeenCalled(?:Times)?\(\d*\)|\.assert_(?:called|awaited)(?:_once)?\(\)"
    r"|\.called(?:Once)?\(\w+\)"
)
_EQUAL = lazy_pattern(
    r"(?<![=!<>])==(?!=)|===|\bassert(?:Equals?|Same|StrictEqual|DictEqual|ListEqual"
    r"|CountEqual)\w*\("
    r"|\bassert_(?:eq|equal)\b|(?:\.|->)to(?:Be|Equal|StrictEqual)\(|\bto\.(?:deep\.)?(?:equal"
    r"|eql)\b"
    r"|\bassert\.(?:strictEqual|deepEqual|deepStrictEqual|equal|Equal|EqualValues)\("
    r"|\brequire\.Equal\w*\(|\.isEqualTo\(|\.containsExactly\w*\(|\bshouldBe\b"
    r"|\.Should\(\)\.Be(?:EquivalentTo)?\("
    r"|\bIs\.EqualTo\(|\bAssert\.(?:Equal|AreEqual|Same|StrictEqual|Equivalent)\(|\bequalTo\("
    r"|,\s*is\([^()]*\)|\bassertThat\(.*\bis\(|\bto eql?\b|\bEXPECT_(?:STR)?EQ\(|\bASSERT_EQ\("
    r"|\bXCTAssertEqual\(|\bErrorIs\(|\bmatches!\(|\bmust_equal\b|\bThrows<(?!Exception>)"
    r"|\bstatus\(\)\.(?:isOk|isCreated|isNoContent|is\(\d)|have_http_status\((?::created|:ok|\d)"
)
# A call that must not come
_NEVER = lazy_pattern(
    r"\bnot_to\b|\.not\.to|\bto_not\b|\bnot_receive\b|\bshould_not\b|\bnever\(|\bTimes\.Never\b"
    r"|\.Times\(0\)|\btimes\(0\)|\bDidNotReceive\w*\(|\bassert_not_\w+\(|AssertNotCalled\("
    r"|\brefute\b"
)
# A comparison that must not hold
_DENIED = lazy_pattern(
    r"(?i)^(?=.*(?:[^=!<>]={2,3}[^=]|equals\())(?:.*)(?:\b(?:assert\.(?:is_?)?false|assert_?false"
    r"|(?:xct|a)ssertfalse|(?:expect|assert)_false"
    r"|refute)\b|\bassert!?\s*\(?\s*(?:not\b|!)|to(?:be|equal)\(false\)|\bfalsy\b|tobefalsy"
    r"|\bbe(?:_falsey?|\.false|\s+false)\b|isfalse\(|shouldbe\s*\(?false)"
)
# Bounds, inequality, and what any of many values is
_BOUNDED = lazy_pattern(
    r"\bassert(?:_?)(?:Greater|Less|NotEqual|NotSame|not_equal)\w*|\bassert_operator\b[^:]*:[<>!]"
    r"|(?:\.|->)to(?:BeGreater|BeLess|BeCloseTo)\w*\(|\.not\.to(?:Be|Equal)\(|\bto\.be\.(?:above"
    r"|below"
    r"|at\.least|a|an)\b|\.is(?:Greater|Less|Positive|NotZero|NotNegative|NotEqualTo|Between)\w*\("
    r"|\bassert\.(?:Greater|Less|Positive|NotEqual|NotZero|notEqual|notStrictEqual)\w*\("
    r"|\brequire\.(?:Greater|Less|Positive|NotEqual|NotZero)\w*\(|\bshouldBe(?:Greater|Less)\w*"
    r"|\bshouldNotBe\b|\.(?:BeGreater|BeLess|BePositive|NotBe)\w*\(|\bIs\.(?:Greater|Less|Positive"
    r"|Not)\b|\bIs\.(?:GreaterThan|LessThan)\w*\(|\b(?:greater|less)Than\w*\(|\bto be [<>]"
    r"|\b(?:EXPECT|ASSERT)_(?:GT|GE|LT|LE|NE)\(|\bXCTAssert(?:Greater|Less|NotEqual)\w*\("
    r"|\bassert_ne!|\bassert!?\(?\s*[^=]*\s(?:[<>]=?|!=)\s|\b#?expect\([^=]*\s(?:[<>]=?|!=)\s"
    r"|\bassert(?:_|)[Tt]rue\([^=]*\s[<>]=?\s|\bAssert\.(?:True|IsTrue|NotEqual|InRange)\([^=]*"
    r"|\bto be_(?:a|an|kind_of|positive)\b|(?<![&|:]\s)(?<!as\s)\btypeof\b|\.toBeInstanceOf\("
    r"|\bassertIs(?!None\b)[A-Z]\w+\(|\bisinstance\(|\bexpect\.any\(|\bis2xxSuccessful\(|have_http_status\(:success"
    r"|\.assertNotEquals?\(|\bassertThat\(.*\b(?:notNullValue|instanceOf|any)\("
    r"|\bNotEmpty\(|\.isNotEmpty\(|\bXCTAssertNotNil\(|\.NotBeNull\(|\.is_(?:ok|err|some)\(\)"
    # A third argument may be what it has to say: https://pkg.go.dev/gotest.tools/v3/assert#Error
    r"|\brequire\.Error\(|\bassert\.Error\([^,]*,[^,]*\)\s*$|\bThrowsAny<Exception>"
)
_PARTLY = lazy_pattern(
    r"\bassert\s+len\(|\bassert\s+[^(=]*(?<!\bnot)\sin\s|\.(?:startswith|endswith|startsWith"
    r"|endsWith)\("
    r"|\bapprox\(|\.to(?:Contain|HaveLength|MatchObject|Match|HaveProperty)\(|objectContaining\("
    r"|\bto (?:include|match|start_with|have_attributes)\b|\.(?:contains|hasSize|startsWith"
    r"|isCloseTo)\(|\b(?:assert|require)\.(?:Len|Contains|InDelta)\(|\bassert(?:Count|Contains"
    r"|StringContains\w*|In|Regex|Length)\(|\.HaveCount\(|\.Contain\(|\bshouldContain\b"
    r"|\bassert_(?:includes|match|in_delta)\b|\bEXPECT_(?:NEAR|THAT)\("
)
_CONDITION = lazy_pattern(r"^\s*(?:\}\s*else\s+)?if\s+(?P<what>[^;{]+?)\s*\{\s*$")
_NEGATED = {"!=": "==", "==": "!=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_OPERATOR = lazy_pattern(r"\s(!=|==|<=|>=|<|>)\s")
_ENDS_OPEN = ("=", ",", "(", "[", "{", "+", "\\", "|", "&", ".", "->", "do")
_MATCHER = lazy_pattern(r"\.(?:Should|should|must_\w+|to|not|Received)\b.*")


def as_assertion(text: str, below: str) -> str:
    """The line; of a condition what it asserts by the failure right below it, or nothing."""
    found = _CONDITION.match(text)
    if found is None or "&&" in text or "||" in text:
        return text
    if not _FAILS.match(below):
        return ""
    return _OPERATOR.sub(lambda each: f" {_NEGATED[each[1]]} ", f"assert {found['what']}", count=1)


_FAILS = lazy_pattern(r"\s*[tb]\.(?:Error|Fatal)f?\(")


def claims_less(old: str, new: str) -> str:
    """In which way the new line claims less about the same than the old one; "" where not."""
    if not ASSERT.search(f"{old}\n") and not _expects(old):
        return _wildcard_alone(old, new)
    if _NEVER.search(old) and _NEVER.search(new):
        return ""  # what may not be called with anything claims more
    if _accepts_any(old, new):
        return ANY
    if _accepts_more_calls(old, new):
        return OFTEN
    if squeeze(old) in squeeze(new) and _OR_TRUE.search(new) and not _OR_TRUE.search(old):
        return BOUND
    if _MESSAGE.search(old) and squeeze(_MESSAGE.sub("", old)) == squeeze(new):
        return PART
    if _is_wider(old, new):
        return WIDER
    if _is_only_there(old, new):
        return THERE
    return _of_value(old, new) if _is_about_same(old, new) else ""


def _of_value(old: str, new: str) -> str:
    """The value was compared with another one, and is now with many."""
    if TRUTH.search(old) and not _DIFFERS.search(new):
        return ""  # equality with a truth value says as much as what asks for it
    if any(words.search(old) for words in (_BOUNDED, _DENIED, CLASS)):
        return ""
    if _PARTLY.search(old) and not _APPROXIMATE.search(old):
        return BOUND if _claims(new, _BOUNDED) else ""
    if not _is_exact(old) or (_APPROXIMATE.search(new) and _FRACTION.search(old)):
        return ""
    if ALWAYS.search(new) or _claims(new, _BOUNDED):
        return BOUND
    if _COUNTS.search(old) or (_IS_LONG.search(new) and claim(old)[1] == claim(new)[1]):
        return ""  # what was a number is a list now
    return PART if _claims(new, _PARTLY) else ""


_DIFFERS = lazy_pattern(r"(?i)!=|[<>]|not_?(?:equal|same)|\bnot\.to")
# As near as a float comes: https://docs.python.org/3/library/math.html#math.isclose
_IS_CLOSE = lazy_pattern(r"\b(?:isclose|allclose|approx)\((?!.*\b(?:abs|rel|[ar]tol|\w+_tol)\s*=)")
_IS_LONG = lazy_pattern(r"\b(?:Len|assertCount|assertLength|assert_length)\(")
_COUNTS = lazy_pattern(r"(?i)\b(?:len|count|sizeof|size|length)\b")
# https://docs.pytest.org/en/stable/reference/reference.html#pytest-raises
_MESSAGE = lazy_pattern(r",\s*(?:match|message)\s*=\s*[^,)]+(?=\))")
_FRACTION = lazy_pattern(r"\d\.\d{7}")  # all that a float holds: such are seldom equal
_APPROXIMATE = lazy_pattern(r"approx|CloseTo|Delta|NEAR|\bin\b")
# Part of a value, whatever it is compared with
_NOT_WHOLE = lazy_pattern(
    r"\blen\([^()]*\)\s*==|\.(?:length|size)\b[^=]*(?:toBe|toEqual|==)|Containing\(|\.not\.to\w+\("
    r"|(?<![&|:]\s)(?<!as\s)\btypeof\b|\bapprox\("
)
_DELTA = lazy_pattern(
    r"(?P<what>\b(?:assertEquals(?:WithDelta)?|EXPECT_NEAR|ASSERT_NEAR|InDelta|InEpsilon"
    r"|XCTAssertEqual|assert_allclose)\(.*,.*,\s*(?:accuracy:\s*|[ar]tol\s*=\s*)?)"
    r"(?P<number>\d[\d_.]*(?:e-?\d+)?)[fFdD]?\s*\)"
)
# https://jestjs.io/docs/expect#tobeclosetonumber-numdigits
_DIGITS = lazy_pattern(r"(?P<what>\.toBeCloseTo\([^(),]+),\s*(?P<number>\d+)\s*\)")


def _is_wider(old: str, new: str) -> bool:
    """The same comparison with a larger difference, or with fewer digits."""
    return _grows(_DELTA, old, new) > 0 or _grows(_DIGITS, old, new) < 0


def _grows(pattern: re.Pattern[str], old: str, new: str) -> float:
    """By how much the last argument of the same call grows."""
    was, now = pattern.search(old), pattern.search(new)
    if was is None or now is None:
        return 0
    before, after = (squeeze(text[: found.end("what")]) for text, found in ((old, was), (new, now)))
    return _value(now["number"]) - _value(was["number"]) if before == after else 0


# What an element of a page says, and that it is there:
# https://playwright.dev/docs/test-assertions, https://github.com/testing-library/jest-dom
_SAYS = lazy_pattern(
    r"(?P<what>\s*(?:await\s+)?expect\(.*\))\.to(?:Have|Contain)"
    r"(?:Text(?:Content)?|(?:Display)?Value)\("
    r"\s*(?P<text>\"[^\"]+\"|'[^']+'|`[^`]+`)"
)
_IS_THERE = lazy_pattern(
    r"(?P<what>\s*(?:await\s+)?expect\(.*\))\.toBe(?:Visible|Attached|InTheDocument)\("
)


def _is_only_there(old: str, new: str) -> bool:
    """The same element, whatever it says."""
    was, now = _SAYS.match(old), _IS_THERE.match(new)
    return was is not None and now is not None and squeeze(was["what"]) == squeeze(now["what"])


def says_text(lines: Sequence[str], old: str) -> bool:
    """One of the lines names the text that an element was to have, for it may look for that, or
    expects another one of the same element."""
    found = _SAYS.match(old)
    if found is None:
        return False
    element = squeeze(found["what"])
    forms = tuple(f"{element}.{form}" for form in ("toHave", "toContain", "toMatch", "not.to"))
    return any(found["text"][1:-1] in text or squeeze(text).startswith(forms) for text in lines)


def _value(number: str) -> float:
    try:
        return float(number)
    except ValueError:  # as in a version: 1.2.3
        return 0


def _is_exact(text: str) -> bool:
    return _EQUAL.search(text) is not None and _NOT_WHOLE.search(text) is None


def may_claim(text: str) -> bool:
    """The line may assert something, or begin the condition of a failure."""
    return (ASSERT.search(text) or _CONDITION.match(text)) is not None or _expects(text)


def may_be_laxer(text: str) -> bool:
    """The line, or one argument of it, may claim more or less than another."""
    return may_claim(text) or (_JEST.match(text) or _LITERAL.match(text)) is not None


def _expects(text: str) -> bool:
    return _EXPECTS.search(text) is not None


# Calls that a mock expects, and assertions that the general words do not know
_EXPECTS = lazy_pattern(
    r"(?i)\bverify\b|\bexpect|->expects\(|\.Received\(|\bAssertCalled\(|\bandExpect|\bThrows<"
    r"|\bshould|\bassert|\brequire\b"
)


def _accepts_any(old: str, new: str) -> bool:
    """The old line is one of those that the new one stands for, with a wildcard in it."""
    if not ("(" in old or "{" in old) or _STUBS.search(new):
        return False
    old, new = _ONCE.sub("", old), _AT_LEAST.sub("", _ONCE.sub("", new))
    was, now = (squeeze(_EXACTLY.sub(r"\1", each)).rstrip(";") for each in (old, new))
    pattern = _as_pattern(new)
    if pattern is None or was == now or len(_wildcards(new)) <= len(_wildcards(old)):
        return False
    return re.fullmatch(pattern, was) is not None


# What a stand-in returns for any argument is no claim
_STUBS = lazy_pattern(
    r"(?i)\bwhen\(|\.(?:Return|Returns|ReturnsAsync|thenReturn|mockReturn\w*|DoAndReturn|andReturn"
    r"|and_return|Setup)\b|\bevery\s*\{|\ballow\(|\.On\("
)


def _wildcards(text: str) -> list[str]:
    return [*_WILDCARD.findall(text), *(_ALL_ARGUMENTS.findall(text))]


def _as_pattern(text: str) -> str | None:
    """The line as a pattern, where something stands in it for any value."""
    bare = _ALL_ARGUMENTS.sub("\0", _WILDCARD.sub("\0", _EXACTLY.sub(r"\1", text)))
    if "\0" not in bare:
        return None
    parts = squeeze(bare).rstrip(";").split("\0")
    return ".+?".join(map(re.escape, parts))


_JEST = lazy_pattern(r"^\s*(?:[\"'\w-]+\s*:\s*)?(?:expect\.(?:any\w*\(\w*\))|(?:mock\.)?ANY),?\s*$")
_LITERAL = lazy_pattern(
    r"^\s*(?:[\"'\w-]+\s*:\s*)?(?:[\"'`\d\[{-].*|true|false|True|False|null|None),?\s*$"
)


def _wildcard_alone(old: str, new: str) -> str:
    """One argument of several lines was a value, and may be any now."""
    if not (_JEST.match(new) and _LITERAL.match(old)) or old.rstrip().endswith(("{", "[", "(")):
        return ""
    keys = [text.partition(":")[0].strip() if ":" in text else "" for text in (old, new)]
    return ANY if keys[0] == keys[1] else ""


def _accepts_more_calls(old: str, new: str) -> bool:
    """The same call with at least one in place of a number, or without its arguments."""
    if _ONCE.search(old) and _AT_LEAST.search(new) and not _ONCE.search(new):
        was, now = squeeze(_ONCE.sub("", old)), squeeze(_AT_LEAST.sub("", new))
        return was == now or _without_arguments(old, new)
    return _without_arguments(old, new)


def _without_arguments(old: str, new: str) -> bool:
    if not _WITH.search(old) or _WITH.search(new):
        return False
    was, now = (squeeze(each.sub("", text)) for each, text in ((_WITH, old), (_WITHOUT, new)))
    return was.rstrip(";") == now.rstrip(";") != squeeze(old)


def _claims(text: str, words: re.Pattern[str]) -> bool:
    """Only this, and nothing exact."""
    bare = re.sub(r"[\"'][^\"']*[\"']", '""', text)
    return words.search(bare) is not None and not _is_exact(bare) and _is_whole(text)


_OR_TRUE = lazy_pattern(r"\bor True\b|\|\|\s*true\b")


def _is_whole(text: str) -> bool:
    return not text.rstrip().endswith(_ENDS_OPEN)


def _is_about_same(old: str, new: str) -> bool:
    before, after = _subjects(old), _subjects(new)
    return any(was == now or was.startswith(f"{now}.") or now.startswith(f"{was}.")
               for was in before for now in after)  # fmt: skip


def _subjects(text: str) -> set[str]:
    """The values that an assertion names, without its matchers."""
    named = (_MATCHER.sub("", chain) for chain in chains_in(text))
    return {name for name in named if name not in _WORDS and not FRAMEWORK.match(name)}


_WORDS = frozenset(
    ("len", "eq", "eql", "isinstance", "int", "str", "float", "approx", "typeof", "Is", "Be",
     "matches", "in", "not", "is", "to", "be", "a", "an", "or", "and", "list", "sorted", "set",
     "status", "greaterThan", "equalTo", "notNullValue", "instanceOf", "Integer", "Number",
     "String", "Some", "Ok", "Err", "size", "length", "count",
     # The test itself, of whose framework the assertion is
     "$this", "this", "self", "static", "parent", "@Test")
)  # fmt: skip


def replaced_in(lines: Sequence[str], old: str) -> bool:
    """One of the lines claims something exact about what the old one was about."""
    return any(
        (_is_exact(text) or _IS_CLOSE.search(text))
        and not (_WILDCARD.search(text) or _OR_TRUE.search(text))
        and _is_about_same(old, text)
        for text in lines
    )
