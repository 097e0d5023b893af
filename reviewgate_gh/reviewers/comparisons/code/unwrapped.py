"""Errors that were handed to the caller or handled, and now end the program or raise."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, unit_stays, weigh_loss
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .._spoken import is_in_tests

EVERY_FILE = False
_RULE = ComparisonRule(
    "error-handling-removed",
    Priority.P2,
    "The caller could deal with this error; from now on the program panics. Return it with `?`, or "
    "say why it cannot happen.",
)
_MISSING = replace(_RULE, advice="Keep a branch for it, or say why it cannot be missing.")
_UNASKED = replace(
    _RULE, advice="It may have failed, and the program continues. Check the result again."
)
# https://doc.rust-lang.org/std/result/enum.Result.html#method.unwrap
_HANDS_ON = lazy_pattern(r"(?<=[\w)\]>])\?(?=[\s.;,)]|$)")
_PANICS = lazy_pattern(r"\.(?:unwrap\(\)|expect\(\s*(?:&?\w+!\()?\")")
# Calls that say what becomes of an error, up to their arguments
_PANICKING = lazy_pattern(r"\.(?:unwrap|expect|error_for_status)\(")
_HANDING_ON = lazy_pattern(
    r"\s*\.(?:map_err|or_else|ok_or|ok_or_else|context|with_context|wrap_err|wrap_err_with"
    r"|change_context|error_for_status)\((?=(?:[^?]|\?[\w\"])*\?)"
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
        if not file.is_edited_product or _BUILDS.search(file.path):
            continue
        if file.path.endswith((".swift", ".kt", ".kts")):
            yield from islice(chain(_forced(file), _forced_to_try(file), _unasked(file)), 1)
        elif file.path.endswith(".rs"):
            yield from islice(_in_file(file), 1)
        elif file.path.endswith((".ex", ".go", ".cs")):
            yield from islice(_raised(file), 1)


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
                    title = "a missing value that was dealt with now ends the program"
                    yield taken(_MISSING, file, old, title, quoted(new.text))


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


# https://docs.swift.org/swift-book/documentation/the-swift-programming-language/errorhandling/
_TRIES = lazy_pattern(r"\btry\??\s+(?P<call>(?:await\s+)?[\w.]+\()")


def _forced_to_try(file: ComparedFile) -> Iterator[Finding]:
    """Swift: an error that was handled, or reached the caller, is taken to be impossible."""
    for block in file.blocks if file.path.endswith(".swift") else ():
        now = squeeze(joined(block.added))
        for old in block.removed:
            calls = [squeeze(found["call"]) for found in _TRIES.finditer(code_of(old.text))]
            if any(f"try!{call}" in now for call in calls) and unit_stays(file, old):
                rule = weigh_loss(replace(_RULE, advice=_STOPS), file, block)
                yield taken(rule, file, old, "an error now ends the program", _shown(block, "try!"))


_STOPS = (
    "It was handled, or the caller could deal with it; from now on the program ends. Use `try` "
    "without `!`, or say why it cannot happen."
)


def _shown(block: Block, sign: str) -> str:
    return next((quoted(new.text) for new in block.added if sign in new.text), "")


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for new in block.added:
            if not _PANICS.search(code_of(new.text)) or _OF_LOCK.search(new.text):
                continue
            old = _passed_on(file, block, new)
            if old is None or not unit_stays(file, old):
                continue
            unit = file.base_code.unit(old.number)
            if not (_TESTS.search(unit) or is_in_tests(file.path, file.base_rows, old.number)):
                title = "an error that was passed on now ends the program"
                yield taken(_RULE, file, old, title, quoted(new.text))


def _passed_on(file: ComparedFile, block: Block, new: Line) -> Line | None:
    """The removed line, or the statement that it belongs to, is the same but for how it takes its
    errors; or what its branches were about is taken without them."""
    whole = _chain(file.head_rows, new.number)
    now = {_bare(new.text, _PANICKING), _bare(whole, _PANICKING)}
    answers = {found[1] for each in now if (found := _OK.fullmatch(each))}
    for old in block.removed:
        code = code_of(old.text)
        if _PANICS.search(code) or _OF_CONSTANT.search(_chain(file.base_rows, old.number)):
            continue
        texts = (code, _chain(file.base_rows, old.number))
        if any(_HANDS_ON.search(text) and _bare(text, _HANDING_ON) in now for text in texts):
            return old
        if any(_MAPS.search(text) and _bare(text, _MAPS) in answers for text in texts):
            return old
    gone = joined(block.removed)
    calls = [squeeze(found["call"]) for found in _DIVIDES.finditer(gone) if _LEAVES.search(gone)]
    panics = (f"{call}.{way}" for call in calls for way in ("unwrap()", "expect("))
    return block.removed[0] if any(each in squeeze(whole) for each in panics) else None


_OK = lazy_pattern(r"(?:return)?Ok\((.+)\)")
# Of an answer, which the caller gets as it is
_MAPS = lazy_pattern(r"\s*\.(?:map_err|ok_or|ok_or_else|context|with_context)\(")
# What a branch for the error is about
_DIVIDES = lazy_pattern(r"(?m)\b(?:match|if\s+let\s+\w+\([^()]*\)\s*=)\s+(?P<call>\S.*?)\s*\{\s*$")
_LEAVES = lazy_pattern(r"\bErr\(|\breturn\b")


def _chain(rows: Sequence[str], number: int) -> str:
    """The line with the links of its chain above and below it."""
    first = last = number
    while first > 1 and rows[first - 1].lstrip().startswith("."):
        first -= 1
    while last < len(rows) and rows[last].lstrip().startswith("."):
        last += 1
    return "\n".join(code_of(row) for row in rows[first - 1 : last])


def _bare(text: str, calls: re.Pattern[str]) -> str:
    """The statement without the calls that say what becomes of its error."""
    while found := calls.search(text):
        end = _end(text, found.end())
        if not end:
            break
        text = text[: found.start()] + text[end:]
    return squeeze(_HANDS_ON.sub("", text))


def _end(text: str, start: int) -> int:
    """Behind the bracket that closes the one before `start`; 0 where it stays open."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return at + 1
    return 0


# By suffix: a call whose failure had a branch, what says so, and how the call looks that raises
_ALOUD: dict[str, tuple[re.Pattern[str], re.Pattern[str], Callable[[str], tuple[str, ...]]]] = {
    # https://hexdocs.pm/elixir/naming-conventions.html#trailing-bang-foo
    ".ex": (
        lazy_pattern(r"(?m)\bcase\s+(?P<call>.+?)\s+do$|<-\s*(?P<call2>.+?)(?:,|\s+do)$"),
        lazy_pattern(r":error\b|^\s*(?:_\w*|\w+)\s*->"),
        lambda call: (
            rf"(?:\{{:ok\b[^=]*\}}|:ok)={re.escape(call)}",
            re.escape(call.replace("(", "!(", 1)),
        ),
    ),
    ".go": (
        lazy_pattern(r"(?m)\berr\s*:?=\s*(?P<call>.+\))(?:;.*)?$"),
        lazy_pattern(r"\bif\b.*\berr\s*!=\s*nil"),
        lambda call: (rf"ust1?\({re.escape(call)}",),
    ),
    # https://learn.microsoft.com/dotnet/api/system.int32.tryparse
    ".cs": (
        lazy_pattern(r"(?P<call>[\w.]+\.Try(?:Parse(?:Exact)?|Get\w+|Create)\(.+?),\s*out\b"),
        lazy_pattern(r"\bif\b|\?"),
        lambda call: (re.escape(f"{call.replace('.Try', '.', 1)})"),),
    ),
}
_RAISES = replace(
    _RULE,
    advice="The caller could deal with this error; from now on it ends the program, or whatever "
    "catches it. Return it as before, or say why it cannot happen.",
)


def _raised(file: ComparedFile) -> Iterator[Finding]:
    """The call of which both results were looked at is only right if it succeeds."""
    asks, says, ways = _ALOUD[f".{file.path.rpartition('.')[2]}"]
    for block in file.blocks:
        for new in block.added:
            unit = file.head_code.unit(new.number)
            old = [line for line in file.removed if file.base_code.unit(line.number) == unit]
            gone = joined(tuple(old))
            found = (squeeze(next(filter(None, each.groups()))) for each in asks.finditer(gone))
            calls = [call for call in found if "(" in call]
            text = squeeze(code_of(new.text))
            raised = [call for call in calls if any(re.search(way, text) for way in ways(call))]
            if not raised:
                continue
            came = joined(tuple(x for x in file.added if file.head_code.unit(x.number) == unit))
            if len(says.findall(gone)) > len(says.findall(came)):
                rule = weigh_loss(_RAISES, file, block)
                title = "an error that was handled now ends the program or raises"
                line = next((x for x in old if raised[0] in squeeze(code_of(x.text))), old[0])
                yield taken(rule, file, line, title, quoted(new.text))
