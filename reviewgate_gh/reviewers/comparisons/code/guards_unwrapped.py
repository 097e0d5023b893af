"""Guards that are taken from around what they guarded: a call around a view, an argument of a
route, a link of a chain, a procedure for members that is one for everybody now."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of, surroundings_stay
from .._parameters import split_arguments
from .._remark import quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._asked_around import is_asked_around
from .access_checks import RULE, unless_asked_anew
from .guarded_routes import leave_their_group

EVERY_FILE = False
_WORDS = (
    b"uth", b"ogin", b"ermission", b"imit", b"hrottle", b"rivate", b"rotected", b"dmin",
    b"middleware", b"srf", b"Guard", b"guard", b"onstant", b"igest", b"ecure", b"iming",
    b"hash_equals", b"ixedTime", b"Equal", b"wner", b"taff", b"ecured",
)  # fmt: skip
_SAYS = (
    r"(?:[Ll]ogin_?[Rr]equired|[Rr]equires?_?(?:[Ll]ogin|[Aa]uth\w*|[Uu]ser|[Aa]dmin|[Ss]taff"
    r"|[Pp]ermissions?|[Rr]oles?)\w*|[Pp]ermissions?_?[Rr]equired|[Ss]taff_member_required"
    r"|[Rr]ate_?[Ll]imit(?:er|ed)?\w*|[Tt]hrottle\w*|\w*[Cc]srf\w*|[Aa]uthenticat\w+|[Aa]uthoriz\w+"
    r"|\w*(?:[a-z]Auth|_auth|Guard|_guard)|[Aa]uth(?:Guard|Middleware)?|[Pp]rotect(?:ed)?)"
)
# `guard(view)`, in a table of routes or where it is registered
_AROUND = lazy_pattern(rf"\b(?:\w+\.)*(?P<guard>{_SAYS})\((?P<inner>[\w.:'\"]+(?:\([^()]*\))?)\)")
_MIDDLEWARE = lazy_pattern(
    r"(?<=::)middleware\(\s*(?:\[\s*)?['\"](?P<guard>auth|can|verified|throttle|role|permission"
    r"|signed|password\.confirm|ability|abilities)\b[^()]*\)(?:->)?"
)
_ROUTE = lazy_pattern(
    r"(?:\.|->|::)(?:get|post|put|patch|delete|all|route|use|GET|POST|PUT|PATCH|DELETE"
    r"|Handle)\(\s*$"
)
_ARGUMENT = lazy_pattern(rf"^\s*(?:\w+\.)*(?P<guard>{_SAYS})(?:\(.*\)|\(.*)?,?\s*$")
_OPENED = lazy_pattern(
    r"\b(?:private|protected|authed|auth|authenticated|authorized|admin|secure|secured|member|user)"
    r"(?=[A-Z_])(?P<kind>\w*(?:[Pp]rocedure|[Aa]ction|[Rr]oute|[Qq]uery|[Mm]utation|[Hh]andler"
    r"|[Cc]lient))\b"
)
_PUBLIC = r"\b(?:public|open|unprotected|unauthenticated|anonymous|guest|base)"
# They take as long for each wrong value: https://codahale.com/a-lesson-in-timing-attacks/
_EVEN = lazy_pattern(
    r"\b(?:ConstantTimeCompare|secure_compare|fixed_length_secure_compare|compare_digest"
    r"|timingSafeEqual|hash_equals|FixedTimeEquals|constant_time_(?:eq|compare)"
    r"|isEqual(?=\(.*[Dd]igest)"
    r"|MessageDigest\.isEqual|crypto_memcmp|CRYPTO_memcmp|ct_eq)\b"
)
# As libraries and projects call such a comparison: https://pkg.go.dev/crypto/hmac#Equal
_EVENLY = lazy_pattern(
    rf"{_EVEN.pattern}|\bhmac\.Equal\(|(?i:constant_?time|fixed_?time|timing_?safe"
    r"|(?:secure|safe|slow)_?(?:compare|equals?)\b)"
)
_COMPARES = lazy_pattern(r"[^=!<>]={2,3}[^=]|\.equals\(|\bstrcmp\(|\bmemcmp\(|\bEqual\(|\.eql\?")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file and kind of loss."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(*_WORDS):
            for kind in (_around, _arguments):
                yield from islice(unless_asked_anew(sources, kind(sources, file)), 1)
            for kind in (_opened, _uneven):
                yield from islice(kind(sources, file), 1)


def _around(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A line is as it was but for a guard."""
    for pattern in (_AROUND, _MIDDLEWARE):
        for block, old in _removed(sources, file, pattern):
            found = pattern.search(code_of(old.text))
            if found is None:
                continue
            text = code_of(old.text)
            inner = found.groupdict().get("inner") or ""
            bare = squeeze(text[: found.start()] + inner + text[found.end() :])
            new = next((each for each in block.added if squeeze(code_of(each.text)) == bare), None)
            if covers_router(sources, text, found["guard"]):
                continue
            if new and is_asked_around(file, new, found["guard"]):
                continue
            if new and not [*leave_their_group(sources, file)]:
                title = f"this is no longer guarded by {found['guard']}"
                yield taken(RULE, file, old, title, quoted(new.text))


def covers_router(sources: ComparisonInput, registration: str, guard: str) -> bool:
    """The guard is put around all that is registered there."""
    router = re.match(r"\s*(?P<name>\w+)\.\w+\(", registration)
    return router is not None and any(
        has_word(row.partition(f"{guard}(")[2], router["name"]) for row in sources.added_rows
    )


def _removed(
    sources: ComparisonInput, file: ComparedFile, pattern: re.Pattern[str]
) -> Iterator[tuple[Block, Line]]:
    """Removed lines with the pattern that the change puts nowhere."""
    for block in file.blocks:
        for line in block.removed:
            found = pattern.search(code_of(line.text))
            if found and squeeze(line.text) not in sources.added_statements:
                yield block, line


def _arguments(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A line of the arguments of a route held the guard, and nothing stands in its place."""
    for block, line in _removed(sources, file, _ARGUMENT):
        found = _ARGUMENT.match(code_of(line.text))
        opener = _opener(file, line)
        if found is None or block.added or not opener or not surroundings_stay(file, opener):
            continue
        moved = any(
            has_word(new.text, found["guard"]) for each in sources.files for new in each.added
        )
        gone = any(old.number == opener.number for old in file.removed)
        at = [n for n, row in enumerate(file.head_rows, 1) if row == opener.text]
        if any(is_asked_around(file, Line(n, opener.text), found["guard"]) for n in at):
            continue
        if _ROUTE.search(opener.text) and not (moved or gone):
            title = f"this route is no longer guarded by {found['guard']}"
            yield taken(RULE, file, line, title)


def _opener(file: ComparedFile, line: Line) -> Line | None:
    """The line above that the line is indented below."""
    depth = len(line.text) - len(line.text.lstrip())
    for number in range(line.number - 1, max(0, line.number - _FARTHEST), -1):
        row = file.base_rows[number - 1]
        if row.strip() and len(row) - len(row.lstrip()) < depth:
            return Line(number, row)
    return None


_FARTHEST = 40  # lines


def _opened(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The same statement, with the public form of what asked who it is."""
    for block, old in _removed(sources, file, _OPENED):
        found = _OPENED.search(code_of(old.text))
        if found is None:
            continue
        public = re.compile(rf"{_PUBLIC}{re.escape(found['kind'])}\b")
        rest = squeeze(_OPENED.sub("", code_of(old.text), count=1))
        for new in block.added:
            code = code_of(new.text)
            if public.search(code) and squeeze(public.sub("", code, count=1)) == rest:
                title = f"this is open to everyone: {found[0]} was asked before"
                yield taken(RULE, file, old, title, quoted(new.text))


def _uneven(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Secrets were compared in even time, and are compared like other values now."""
    for block, old in _removed(sources, file, _EVEN):
        found = _EVEN.search(code_of(old.text))
        codes = [code_of(new.text) for new in block.added]
        if found is None:
            continue
        compared = _operands(code_of(old.text), found)
        plain = next((c for c in codes if _COMPARES.search(c) and _names_any(c, compared)), "")
        if plain and not any(_EVENLY.search(row) for row in sources.added_rows):
            title = f"a secret is compared without {found[0]}: the time tells how much is right"
            yield taken(RULE, file, old, title, quoted(plain))


def _operands(code: str, call: re.Match[str]) -> frozenset[str]:
    """The names of what the call compares: in its brackets, and before its dot; none where they
    have lines of their own."""
    start = call.end() + code[call.end() :].startswith("(")
    before = _BEFORE_DOT.search(code[: call.start()])
    texts = (*(split_arguments(code, start) or ()), before[0] if before else "")
    return frozenset(name for text in texts for name in _LAST.findall(text))


def _names_any(code: str, names: frozenset[str]) -> bool:
    return not names or not names.isdisjoint(_NAME.findall(code))


_BEFORE_DOT = lazy_pattern(r"[\w.]+(?=\.\Z)")
_NAME = lazy_pattern(r"[A-Za-z_]\w*")
# Of `a.b.c`, `c`; of `a.encode()`, `a`
_LAST = lazy_pattern(r"[A-Za-z_]\w*(?![\w(])(?!\.\w+\b(?!\())")
