"""Errors of Rust that were handed to the caller, and now end the program."""

from collections.abc import Iterator

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, same_but_for, unit_stays
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line
from .._spoken import is_in_tests

EVERY_FILE = False
_RULE = ComparisonRule(
    "error-handling-removed",
    Priority.P2,
    "The caller could deal with this error; from now on the program panics. Return it with `?`, or "
    "say why it cannot happen.",
)
_UNASKED = replace(
    _RULE, advice="It may have failed, and the program continues. Check the result again."
)
# https://doc.rust-lang.org/std/result/enum.Result.html#method.unwrap
_HANDS_ON = lazy_pattern(r"(?<=[\w)\]>])\?(?=[\s.;,)]|$)")
_PANICS = lazy_pattern(r"\.(?:unwrap\(\)|expect\(\"[^\"]*\"\))")
_EITHER = lazy_pattern(
    r"(?<=[\w)\]>])\?(?=[\s.;,)]|$)|\.(?:error_for_status\(\)|unwrap\(\)|expect\(\"[^\"]*\"\))"
)
# https://doc.rust-lang.org/std/sync/struct.Mutex.html#poisoning
_OF_LOCK = lazy_pattern(r"\.(?:lock|read|write)\(\)(?:\?|\.unwrap\(\)|\.expect\()")
# Whoever tries it once knows that it works
_OF_CONSTANT = lazy_pattern(
    r"=\s*(?:\"[^\"]*\"\.\w+(?:::<[^>]*>)?\(\)|(?:\w+::)*(?:Regex|Ur[li]|SocketAddr\w*|IpAddr"
    r"|NonZero\w*|HeaderValue|Version|Uuid)::\w+\(\s*b?r?#*(?:\"[^\"]*\"|\d+"
    r"|&?(?:\w+::)*[A-Z][A-Z\d_]+)#*\s*\))\?"
)
# A panic of theirs is how a build or a measurement fails:
# https://doc.rust-lang.org/cargo/reference/build-scripts.html
_BUILDS = lazy_pattern(r"(?:^|/)(?:build\.rs$|(?:examples|benches|xtask)/)")
_TESTS = lazy_pattern(r"(?:^|\.)tests?(?:\.|$)|^tests?_|_tests?$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.path.endswith((".swift", ".kt", ".kts")):
            yield from [*_forced(file), *_unasked(file)][:1]
        if not (file.path.endswith(".rs") and file.mentions(b"?")):
            continue
        if file.is_edited_product and not _BUILDS.search(file.path):
            yield from [*_in_file(file)][:1]


# https://docs.swift.org/swift-book/documentation/the-swift-programming-language/thebasics/#Force-Unwrapping
# https://kotlinlang.org/docs/null-safety.html#not-null-assertion-operator
_GUARDED = lazy_pattern(
    r"^\s*guard\s+let\s+(?P<name>\w+)\s*=\s*(?P<swift>.+?)\s*else\b"
    r"|^\s*val\s+(?P<val>\w+)\s*=\s*(?:requireNotNull\((?P<required>.+?)\)\s*(?:\{.*\})?"
    r"|(?P<elvis>.+?)\s*\?:\s*(?:throw|return|error\().*)\s*$"
)
_FORCED = lazy_pattern(
    r"^\s*(?:let|val)\s+(?P<name>\w+)\s*=\s*(?P<value>.*(?:(?<=[\w)\]])!(?![=!])|!!).*)$"
)


def _forced(file: ComparedFile) -> Iterator[Finding]:
    """What was refused where there is none is taken to be there."""
    for block in file.blocks:
        for old in block.removed:
            was = _GUARDED.match(code_of(old.text))
            for new in block.added if was else ():
                now = _FORCED.match(code_of(new.text))
                if was and now and now["name"] in (was["name"], was["val"]):
                    title = "a missing value that was refused now ends the program"
                    yield taken(_RULE, file, old, title, quoted(new.text))


# https://kotlinlang.org/api/core/kotlin-stdlib/kotlin/check.html
_CHECKED = lazy_pattern(
    r"^\s*(?:check|require|precondition)\((?P<call>[\w.]+\(.*?\))\s*(?:[=!]=|[<>]=?)\s*[^()]+"
    r"[,)].*$"
)


def _unasked(file: ComparedFile) -> Iterator[Finding]:
    """What a call gave was looked at, and only the call is left."""
    for block in file.blocks:
        for old in block.removed:
            was = _CHECKED.match(code_of(old.text))
            for new in block.added if was else ():
                if was and new.text.strip() == was["call"]:
                    title = "the result of a call is no longer checked"
                    yield taken(_UNASKED, file, old, title, quoted(new.text))


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for old in block.removed:
            unit = file.base_code.unit(old.number)
            new = _panicking(block, old)
            poisoned = new and _OF_LOCK.search(new.text)
            if not (new and unit_stays(file, old)) or poisoned or _TESTS.search(unit):
                continue
            if not is_in_tests(file.path, file.base_rows, old.number):
                title = "an error that was passed on now ends the program"
                yield taken(_RULE, file, old, title, quoted(new.text))


def _panicking(block: Block, old: Line) -> Line | None:
    """The added line with the same statement but for how it takes its errors."""
    code = code_of(old.text)
    if not _HANDS_ON.search(code) or _PANICS.search(code) or _OF_CONSTANT.search(code):
        return None
    same = (new for new in block.added if _PANICS.search(code_of(new.text)))
    return next((new for new in same if same_but_for(code, code_of(new.text), _EITHER)), None)
