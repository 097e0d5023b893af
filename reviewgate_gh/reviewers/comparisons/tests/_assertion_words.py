"""How assertions look in the usual languages and libraries, and how much they say."""

import re
from collections.abc import Iterator

from ....text.patterns import lazy_pattern

ASSERT = lazy_pattern(
    r"^\s*(?!expect\w*\s*[:=])(?:(?:await|try[?!]?)\s+)*(?:[\w.\[\]()]+\.assert_\w+\("
    r"|#(?:expect|require)\(|assert\b|assert[A-Z_]\w*[ (<]"
    r"|self\.assert\w+\(|(?:self\.)?fail\(|self\.fail|expect\b|expect\("
    r"|should\b|\w+\.should|assert[\w.]*!?\(|assert_\w+|refute(?:_\w+)?\b|require\.\w+\(|assert\.\w+\("
    r"|[tb]\.(?:Error|Fatal|Fail)\w*\(|Assert\.(?!Ignore|Inconclusive|Pass|Warn|Skip)\w+\("
    r"|Assertions\.\w+\(|verify(?:No\w*Interactions)?\(|EXPECT_\w+\("
    r"|ASSERT_\w+\(|XCTAssert\w*\(|XCTFail\(|(?:self|static)::(?:assert|expect)\w*\("
    r"|#\[should_panic\b|assertThat\(|\$this->assert\w+\(|\$this->expect\w+\("
    r"|(?:with\s+)?pytest\.raises|with\s+self\.assertRaises|must_\w+|is\(|ok\(|is_deeply\("
    # https://assertj.github.io/doc/#overview-what-is-assertj
    r"|\.(?:isEqualTo|is(?:Exactly)?InstanceOf|hasMessage\w*|hasSize|contains(?:Exactly|Only)\w*"
    r"|isSameAs|hasCause\w*|has[A-Z]\w*Equal\w*|isNotNull|isNotEmpty)\("
    # Links of a chain: https://docs.spring.io/spring-framework/reference/testing/mockmvc.html
    r"|(?:\.|->)(?:andExpect\w*|expect[A-Z]\w*|assert[A-Z]\w*|should)\()"
)
# Whatever a library or the project itself calls it
MAY_ASSERT = lazy_pattern(
    r"assert|expect|require|check|warns|verify|should|must|want|fail|raises|throws|\bis\("
    r"|\bok\(|\beq"
    # https://docs.python.org/3/library/warnings.html#the-warnings-filter
    r"|\b(?:simplefilter|filterwarnings)\(\s*(?:[\"']error|$)"
    r"|\bb?c\.|(?:compare|golden|snapshot|validate|ensure)\w*[ (]",
    re.I,
)
# https://pestphp.com/docs/expectations, https://www.chaijs.com/api/bdd/
_EXPECTS_TRUE = (
    r"\bexpect\(\s*(?:true|1)\s*\)(?:\.|->)to[\s.]?(?:Be|Equal|Eq|StrictEqual)"
    r"[._]?(?:true|truthy|defined|ok)?(?:\(\s*(?:true|1)?\s*\))?\s*;?\s*$"
)
TRUE_ALONE = lazy_pattern(
    rf"{_EXPECTS_TRUE}|\b(?:XCT)?assert(?:_?true|\.(?:ok|(?:is_?)?true))?!?\s*\(?\s*(?:t,\s*)?true"
    r"\s*(?:[;)]|$|,\s*[\"'`])",
    re.I,
)
# Holds whatever the code does
ALWAYS = lazy_pattern(
    rf"{_EXPECTS_TRUE}|"
    r"\bassert\w*(?:\.\w+)?!?\s*\(?\s*(?:true|1)\s*(?:[;)]|$|,\s*[\"'`])"
    r"|\bassert\w*[\s.(]+(?:\w+[\s.(]+)?\d+\s*(?:,|==)\s*\d+(?:\s*[-+*]\s*\d+)*\s*\)*;?\s*$"
    r"|\bassert\w*[\s.(]+(?:\w+[\s.(]+)?(?:true|false)\s*,\s*(?:true|false)\s*\)*;?\s*$"
    # An object, of a class that does not say otherwise:
    # https://docs.python.org/3/library/stdtypes.html#truth-value-testing
    r"|^\s*assert\s+(?:\w+\.)*_*(?-i:[A-Z])\w*\((?:[^()]|\([^()]*\))*\)\s*$"
    # A mock has any attribute, and what that returns counts as true:
    # https://docs.python.org/3/library/unittest.mock.html#unittest.mock.Mock.assert_called_with
    r"|^\s*assert\s+[\w.\[\]]+\.(?:called_(?:once|with|once_with)|not_called|has_calls)\b"
    r"|\bassertTrue\(\s*[\w.]+\.called_(?:once|with|once_with)\("
    # A matcher that is not called: https://jestjs.io/docs/expect
    r"|^\s*expect\(.*\)(?:\.not)?\.to(?:Be|Equal|Have|Throw|Match|Contain)\w*\s*(?:;\s*)?$"
    r"|^\s*expect\([^()]*(?:\([^()]*\))?\)\s*;\s*$",
    re.I,
)
# What says little, and what says more: a pair of the second by the first is weaker.
WEAK = lazy_pattern(
    r"^\s*assert\s+True\b|\bassert(?:_|)True\(|\bassertIsNotNone\(|\bis\s+not\s+None\b"
    r"|\bassertNotNull\("
    r"|\.assert_(?:called(?:_once)?|awaited(?:_once)?)\(\)"
    r"|\bAssert\.(?:NotNull|IsNotNull|True|IsTrue|NotEmpty|IsNotEmpty|DoesNotThrow)\("
    r"|\bassert(?:NotEmpty|InternalType|IsArray|IsString|IsInt|IsObject)\("
    r"|\bassert!\(\s*![^=<>]*\.is_empty\(\)|\bassertFalse\(.*\.isEmpty\(\)"
    r"|\bassert\s+len\([^=]*\)\s*(?:>\s*0|>=\s*1)\s*$|\.toBeGreaterThan\(0\)"
    r"|\bassert!\([^=<>]*\.is_(?:err|none)\(\)|(?:\.|->)toBe(?:Truthy|Defined)\("
    r"|(?:\.|->)not(?:\.|->)(?:toBe(?:Null|Undefined)\(|toThrow\(\))"
    # Only of which type: https://pestphp.com/docs/expectations, https://vitest.dev/api/expect
    r"|(?:\.|->)toBe(?:Int|String|Array|Bool|Float|Object|Numeric|Number|Iterable|Scalar)\(\)"
    r"|\.toBeTypeOf\("
    r"|\.to\.(?:exist|be\.ok)\b"
    r"|\bassert\.(?:ok|NotNil|True)\(|\brequire\.(?:NotNil|True)\(|\bassertIsInstance\("
    r"|\bexpect\.anything\(|\bassert!\(true\)|\.is_(?:ok|some)\(\)|\bassert_not_nil\b|be_truthy"
    r"|not_to\s+be_nil|\bassertTrue\(true|\bisNotNull\(\)|isinstance\("
    r"|\bis_(?:integer|binary|map|list|atom|float|number|boolean|tuple|function)\(|\.called\b"
    r"|EXPECT_TRUE\(|pytest\.raises\((?:Base)?Exception\)|assertRaises\((?:Base)?Exception\)"
    r"|assertThrows\((?:Exception|Throwable)\.class"
    r"|(?:\.|->)toThrow\((?:Error|\\?(?:Exception|Throwable)::class)?\)|#\[should_panic\]"
    # An object of a class is one: https://rspec.info/features/3-13/rspec-expectations
    r"|\bexpect\((?P<class>[\w:]+)\.new\b.*\)\.to\s+be_(?:an?|(?:a_)?kind_of|(?:an_)?instance_of)"
    r"[\s(]+(?P=class)\b"
    # One of several results, and a value that is taken for true
    r"|^\s*assert\s+[^=<>!]*\s(?:not\s+)?in\s*[(\[{]|\.toBeOneOf\(|\bassertIn\([^,]*,\s*[(\[{]"
    r"|\.isIn\(|^\s*assert\s+[\w.]+\s*$|\bbe_in\("
)
STRONG = lazy_pattern(
    r"==|\bassert\s+\S+\s*(?:[<>]=?|=~)|\.assert_called_\w+\("
    r"|\bassert(?:_|)(?:Equals?|Same|equal|eq|DictEqual|ListEqual|In|That|AlmostEqual)\w*!?[ (]"
    r"|(?:\.|->)to(?:Be|Equal|StrictEqual|HaveBeenCalled|HaveLength|Match|Contain)\w*\("
    r"|\.to\.(?:equal|eql|deep)\b|\bassert\.(?:Equal|equal|deepEqual|strictEqual"
    r"|deepStrictEqual)\w*\("
    r"|\brequire\.Equal\w*\(|\bassert_eq!|\bassert_equal\b|\bAssert\.(?:Equal|AreEqual|Same"
    r"|StrictEqual|Equivalent)\w*\(|\beq\b|\bisEqualTo\(|EXPECT_EQ\("
    r"|pytest\.raises\(|assertRaises\(|assertThrows\(|(?:\.|->)toThrow\w*\(|\braise_error\("
    r"|#\[should_panic\(\s*expected|\bassert\s+[{%\[].*[^=!<>]=\s"
    r"|\.(?:isInstanceOf|isExactlyInstanceOf|hasMessage\w*|hasSize|contains(?:Exactly|Only)\w*)\("
)
# A truth value that something is compared with, or that the assertion is given first or last, the
# test itself aside
TRUTH = lazy_pattern(
    r"(?:==|\bis)\s*(?:[tT]rue|[fF]alse)\b"
    r"|^\s*[\w.$>:!-]+(?:\(|[ ])\s*(?:(?:\w+\.)?[tT](?:\(\))?,\s*)?"
    # JUnit's message comes first: https://junit.org/junit4/javadoc/latest/org/junit/Assert.html
    r"(?:\"(?:[^\"\\]|\\.)*\",\s*)?(?:[tT]rue|[fF]alse)\s*,"
    r"|[(,]\s*(?:[tT]rue|[fF]alse)\s*(?:,\s*f?[\"'`].*)?\)?\s*(?:[;,]\s*)?$"
)
TOLERANCE = lazy_pattern(
    r"\b(?P<name>abs|rel|places|decimal|delta|atol|rtol|tolerance"
    r"|epsilon)\s*[=:]\s*(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)"
)
# https://docs.astral.sh/ruff/rules/type-comparison/
CLASS = lazy_pattern(r"\btype\([^()]*(?:\[[^\]]*\])?\)\s*(?:==|is\b|,)")
WORD = lazy_pattern(r"\w+")
CALLED = lazy_pattern(r"\b([A-Za-z_]\w{2,})\s*\(")
# What an assertion is about: its first argument, or what stands before a dot or an operator
SUBJECT = lazy_pattern(r"(?<=[(\s])[A-Za-z_][\w.]*(?:\[[^\]]*\]|\([^()]*\))+(?=\s*[,)]|\s)")
CHAIN = lazy_pattern(r"[A-Za-z_@$][\w$]*(?:[!?&]?\.[\w$]+)*")
FRAMEWORK = lazy_pattern(
    r"(?:self\.|\$this->|this\.)?(?:[Aa]ssert|ASSERT|[Ee]xpect|EXPECT|[Rr]equire|refute"
    r"|verify|must_"
    r"|should|Xct|XCT|(?:not\.)?to(?:\.|_|[A-Z])|be_|is_?[A-Z_]|eq$|not$|and$|or$|in$|is$"
    r"|await$|with$"
    r"|t$|pytest|(?:[Tt]rue|[Ff]alse|None|null|nil)$)"
)
RAISES = lazy_pattern(r"[Rr]aises|[Tt]hrows?\b|toThrow")
# What a test can lose while others of its checks stand: a test of being there, of nothing having
# failed, of an end that a clean-up may bring about as well
SAYS_LITTLE = lazy_pattern(
    r"\.toBe(?:Falsy|Undefined|Null)\(|\b(?:XCTAssert)?(?:NoError|NotError|Nil|NotNil|NotEmpty"
    r"|NotPanics)\("
    r"|\bassert(?:_|)(?:Null|Nil|None|nil|False|IsNone)\b|\bis\s+None\b|\bassert_nil\b"
    r"|\(err\)|be_nil"
    r"|\binstanceof\b|\bassertInstanceOf\(|\bhasattr\(|[Cc]lose\(|\.[Ss]hutdown\(|\bexpect\.(?:hasA|a)ssertions\("
)
# Nothing but that there is a value
PRESENT = lazy_pattern(
    r"\.toBeDefined\(|(?:\.|->)not(?:\.|->)toBe(?:Null|Undefined)\(|\bis\s+not\s+None\b"
    r"|\b(?:assert"
    r"|require\.)?Not(?:Null|Nil)\("
    r"|\bassertIsNotNone\(|\bassert_not_nil\b|not_to\s+be_nil|\.to\.exist\b|\bisNotNull\(\)"
)
# https://docs.python.org/3/library/contextlib.html#contextlib.suppress
SUPPRESSES = lazy_pattern(r"\bwith\s+(?:contextlib\.)?suppress\((\w+)\)")
BINDS_NOTHING = lazy_pattern(
    r"^\s*(?:(?:let|const|var)\s+)?_\w*\s*:?=\s*|^\s*(?:await|try[?!]?)\s+"
)
# A call that fails fails the test as well
MUST_NOT_FAIL = lazy_pattern(
    r"(?i)not\W*(?:to)?throw|no_?throw|not_to\s+raise|nothing_raised|not_?panic|no_?error|resolves"
    r"|\bis_ok\b|\berr\b"
)
_KEY = lazy_pattern(r"\[[\"']?([\w-]+)[\"']?\]")
_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")


def chains_in(text: str) -> Iterator[str]:
    """The values that a line names, each with the objects that hold it, a key like an attribute."""
    keyed = _KEY.sub(lambda key: "." + key[1].replace("-", "_"), text)
    return (re.sub(r"[!?&]", "", found[0]) for found in CHAIN.finditer(_TEXT.sub("", keyed)))
