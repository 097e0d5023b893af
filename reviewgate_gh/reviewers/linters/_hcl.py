"""What the readers of HashiCorp's language say of a file, whichever program has them built in, and
what it lets them read."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...findings.differ import SYNTAX_CATEGORY
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._shared import set_aside

# The summaries of the parser's own errors:
# https://github.com/hashicorp/hcl/tree/main/hclsyntax and
# https://github.com/hashicorp/hcl/tree/main/json
_SYNTAX = lazy_pattern(
    r"Argument (?:or block )?definition required|Attribute name required|Extra characters "
    r"|Extraneous data after value|Index value required|Invalid (?:'for' |JSON |argument name"
    r"|array value|attribute name|block definition|character|escape sequence|legacy index syntax"
    r"|multi-line string|number literal|object property name|single-argument block|start of value"
    r"|string literal|template )|Mismatched |Missing (?:JSON value|argument separator"
    r"|array element value|attribute sep[ae]rator|attribute value|close bracket"
    r"|closing parenthesis|expression|false expression|function name|item separator"
    r"|key/value separator|newline after|object value|open parenthesis|property value colon"
    r"|value\Z)|Nested splat |Root value must be object|Trailing comma |Unbalanced parentheses"
    r"|Unclosed |Unexpected (?:\w+ directive|end of template)|Unsupported operator|Unterminated "
    r"|Variable name required"
)
_EXPRESSION = ("Invalid expression", "Expected the start of an expression")
# What no other file of the module, no provider and no newer version of the language can mend
_CERTAIN = lazy_pattern(
    r"Attribute redefined\n|Duplicate .*(?:argument|configuration|declaration|definition)\n"
    r"|Extraneous label for |Invalid (?:\w+ ){1,2}name\n|Missing (?:name|type) for "
    r"|Invalid type specification\nThe keyword \"|Missing required argument\n"
    r"|Unsupported (?:argument|block type)\n[^\n]*Did you mean "
)


# Functions that read files, or make expressions of texts; a comment may stand before the bracket:
# https://developer.hashicorp.com/terraform/language/functions (filesystem)
_READS = lazy_pattern(
    rb"\b(?:file\w*|template(?:file|string)|pathexpand|abspath)\s*(?:\(|/\*|//|#)"
)
# Those that read one file as it is, which lies beside the module or below
_READS_OWN = lazy_pattern(
    rb"\bfile(?:base64|exists|md5)?(?:sha\d+)?\s*\(\s*\"(?:\$\{path\.module\}/)?(?![/~])"
    rb"(?:(?!\.\.)[^\"$%\\\n])*\"\s*\)"
)
_ESCAPE = lazy_pattern(rb"\\u([0-9A-Fa-f]{4})")  # of JSON
# Where the first of two is
_EARLIER = lazy_pattern(r" at (?P<path>[^\n]+?):\d+,\d+")


def weigh(path: str, summary: str, detail: str) -> Priority | None:
    """P0 of a file that does not parse, P1 of what no module can hold; None for all else. What
    stands in two files weighs little: a folder of examples is no module."""
    if _SYNTAX.match(summary) or (summary == _EXPRESSION[0] and detail.startswith(_EXPRESSION[1])):
        return Priority.P0
    if not _CERTAIN.match(f"{summary}\n{detail}"):
        return None
    earlier = _EARLIER.search(detail)
    return Priority.P3 if earlier and earlier["path"] != path else Priority.P1


def without_echoes(findings: Iterable[Finding], tool: str) -> Iterator[Finding]:
    """The findings without those behind the first place of a file that cannot be read: of a missing
    quote, every text below begins where it should end."""
    every = [*findings]
    broken = [each for each in every if each.category == SYNTAX_CATEGORY]
    first = {each.path: each for each in sorted(broken, key=_place, reverse=True)}
    for each in every:
        cause = first.get(each.path)
        if cause is None or each is cause or _place(each) < _place(cause):
            yield each
        else:
            yield set_aside(tool, each.title)


def _place(finding: Finding) -> tuple[int, int]:
    return finding.line_start, finding.line_end


def withheld(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """Those of the paths whose module reads files from anywhere: these programs work out what its
    expressions come to, so that what they say, and of which line, would tell what such a file
    holds."""
    folders = {
        path.rpartition("/")[0] for path in paths if _reads_files((root / path).read_bytes())
    }
    return frozenset(path for path in paths if path.rpartition("/")[0] in folders)


def _reads_files(data: bytes) -> bool:
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)).encode("utf-8", "replace"), data)
    return _READS.search(_READS_OWN.sub(b"", plain)) is not None
