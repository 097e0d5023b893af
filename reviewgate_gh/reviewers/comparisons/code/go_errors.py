"""Errors of Go that nobody looks at any more, or that callers can no longer tell from others."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, same_but_for, unit_stays, weigh_loss
from .._remark import ComparisonRule, put, quoted, taken, with_places
from .._sources import Block, ComparedFile, ComparisonInput, Line, Place, squeeze
from ._handled import rows_under
from .error_handling import HANDLER
from .swallowed_errors import SWALLOWED

EVERY_FILE = False
_GO_CHECK = lazy_pattern(
    r"^\s*if\s+err\s*!=\s*nil\s*\{|^\s*if\s*\(?(?:rc|ret|status|err|error)\s*(?:!=|<"
    r"|==)\s*(?:0|NULL|nil|-1)\)?"
)
_RULE = ComparisonRule(
    "error-not-wrapped",
    Priority.P2,
    "`errors.Is` and `errors.As` no longer find the cause in it, so callers that check for it "
    "take the wrong branch. Wrap it with `%w`, or return the error that they check for.",
)
# https://pkg.go.dev/fmt#Errorf
_WRAPS = lazy_pattern(r"%w|%\+?[vsq]")
_SENTINEL = lazy_pattern(
    r"\b(?:(?P<of>\w+)\.)?(?P<name>(?:Err|err)[A-Z]\w*|E[A-Z]{3,}|EOF)\b(?!\s*[(:={])"
)
_RETURNS = lazy_pattern(r"^\s*return\b")
_NEW = lazy_pattern(r"\b(?:fmt\.Errorf|errors\.(?:New|Errorf))\(")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.path.endswith(".go") and file.is_edited_product and file.mentions(b"rr"):
            yield from islice(_no_longer_looked_at(file), 1)
            yield from islice(_not_wrapped(sources, file), 1)
            yield from islice(_kept_back(sources, file), 1)


def _only_check(block: Block) -> bool:
    """Nothing but one check of an error is removed."""
    rows = [line.text.strip() for line in block.removed if line.text.strip()]
    return 2 <= len(rows) <= 5 and rows[0].startswith("if ") and rows[-1] == "}"


def _no_longer_looked_at(file: ComparedFile) -> Iterator[Finding]:
    """Go: the check of an error is gone from behind the call."""
    for block in file.blocks:
        old = joined(block.removed)
        if _GO_CHECK.search(old) and not block.added and _only_check(block):
            line = block.removed[0]
            if unit_stays(file, line) and squeeze(line.text) and "return" in old:
                before = file.base_rows[line.number - 2] if line.number > 1 else ""
                unit = file.base_code.unit(line.number)
                lost = "err" in before and _is_dropped(file, unit, squeeze(before))
                if lost:
                    rule = weigh_loss(HANDLER, file, block)
                    yield taken(rule, file, line, "an error is no longer checked")
                    return


def _is_dropped(file: ComparedFile, unit: str, call: str) -> bool:
    """The head has the call, and the next statement that names its error neither looks at it nor
    does nothing but to hand it on."""
    rows = [row for at, row in enumerate(file.head_rows, 1) if file.head_code.unit(at) == unit]
    calls = [at for at, row in enumerate(rows) if squeeze(row) == call]
    below = (
        next((code_of(row) for row in rows[at + 1 :] if re.search(r"\berr\b", row)), "")
        for at in calls
    )
    return any(not _LOOKS.match(row) for row in below)


_LOOKS = lazy_pattern(r"\s*(?:(?:if|switch)\b.*\berr\b|return\s+(?:[\w.&]+\s*,\s*)*err\s*$)")


def _not_wrapped(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for old in block.removed:
            code = code_of(old.text)
            if _WRAPPING.search(code) and (new := _unwrapped(block, code)):
                title = "an error is no longer wrapped"
                yield put(weigh_loss(_RULE, file, block), file, new, title, quoted(old.text))
            elif _RETURNS.match(code) and (found := _SENTINEL.search(code)):
                new = (
                    _anonymous(block, found["name"]) if not _NOT_YET.search(found["name"]) else None
                )
                asked = _asked_for(sources, file, found) if new else []
                if new and asked:
                    title = (
                        f"{found['name']}, which other code checks for, is no longer returned here"
                    )
                    rule = weigh_loss(_RULE, file, block)
                    yield with_places(put(rule, file, new, title, quoted(old.text)), asked)


# A log knows no %w, and prints it as a mistake: https://pkg.go.dev/fmt#Errorf
_WRAPPING = lazy_pattern(
    r"^(?!.*\b(?:l|log\w*|logger|\w+\.[lL]og\w*|t|b|tb)\.\w*f\().*\bErrorf\(.*%w"
    r"|\berrors\.\w+\(.*%w|^\s*\"[^\"]*%w"
)


def _unwrapped(block: Block, code: str) -> Line | None:
    """The same text for people, with the error as text only."""
    return next(
        (
            new
            for new in block.added
            if new.text.count("%w") < code.count("%w")
            and same_but_for(code, code_of(new.text), _WRAPS)
        ),
        None,
    )


def _anonymous(block: Block, name: str) -> Line | None:
    """A line in its place makes an error that has no name."""
    if any(_SENTINEL.search(code_of(new.text)) for new in block.added):
        return None
    return next(
        (
            new
            for new in block.added
            if _RETURNS.match(new.text) and _NEW.search(code_of(new.text)) and "%w" not in new.text
        ),
        None,
    )


# What was refused for want of code is done from now on
_NOT_YET = lazy_pattern(r"(?i)implemented|unsupported|not_?supported")


def _asked_for(sources: ComparisonInput, file: ComparedFile, error: re.Match[str]) -> list[Place]:
    """Where the head's own code compares an error with it: by the name of its package, which is
    that of the folder, or, in that package, without one."""
    package = file.folder.rstrip("/").rpartition("/")[2]
    of = rf"{re.escape(error['of'] or package) or '[a-z]+'}\."
    name = error["name"]
    return [
        place
        for place in sources.find_words({name})[name]
        if place.path.endswith(".go")
        and _compares(
            place.text,
            name if not error["of"] and _folder(place) == file.folder else f"{of}{name}",
        )
    ]


def _folder(place: Place) -> str:
    return place.path[: place.path.rfind("/") + 1]


def _compares(row: str, name: str) -> bool:
    asks = rf"errors\.(?:Is|As)\([^\n]*(?<![\w.]){name}\b|[!=]=\s*{name}\b"
    return re.search(asks, row) is not None


def _kept_back(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Under the check of an error that stays, nothing returns it any more: it is logged at most."""
    for block in file.blocks:
        for line in block.removed:
            if not _HANDS_ON.match(line.text) or squeeze(line.text) in sources.added_statements:
                continue
            head = _above(file.base_rows, line.number)
            unit = file.base_code.unit(line.number)
            if not _CHECKS.match(head) or not unit_stays(file, line):
                continue
            here = [
                at
                for at, row in enumerate(file.head_rows, 1)
                if row == head and file.head_code.unit(at) == unit
            ]
            if len(here) != 1:
                continue
            body = [row for row in rows_under(file.head_rows, here[0]) if row.strip()]
            if not any(_keeps(code_of(row)) for row in body) and not _is_named(file, body, unit):
                now = quoted(body[-1]) if body else ""
                title = "an error no longer reaches the caller"
                yield taken(weigh_loss(SWALLOWED, file, block), file, line, title, now)


def _is_named(file: ComparedFile, body: Sequence[str], unit: str) -> bool:
    """A bare `return` gives the results that the head of the function names.
    https://go.dev/ref/spec#Return_statements"""
    first = file.head_code.definitions.get(unit, 0)
    head = " ".join(file.head_rows[number - 1] for number in file.head_code.rows(first or 1))
    bare = any(row.strip() == "return" for row in body)
    return bare and bool(first) and re.search(r"\berr\s+error\s*\)\s*\{", head) is not None


_CHECKS = lazy_pattern(r"^\s*(?:\}\s*else\s+)?if\s+.*\berr\w*\s*!=\s*nil\s*\{\s*$")
_HANDS_ON = lazy_pattern(r"^\s*return\b.*(?:\berr\b|\bErr|Errorf|errors\.|rror\()")
_KEEPS = lazy_pattern(
    r"\breturn\b.*[eE]rr|\b(?:return\s+[^n\n]|panic|Fatal|Exit|errors?\b.*=|append\(|errs?\b\s*<-"
    r"|http\.Error|continue|goto|abort|Abort|Join|break|retry)|\berr\s*=|\w+\s*=\s*err\b"
    r"|=\s*[\w.]+\([^\"()]*\berr\b"
)
_GIVEN = lazy_pattern(r"^\s*[\w.]+\(.*\berr\b")
_SAYS = lazy_pattern(
    r"(?i)^\s*[\w.]*(?<![a-z])(?:log\w*|warn\w*|print\w*|debug|info|error)[.\w]*\("
)


def _keeps(code: str) -> bool:
    """The error goes on to somebody, by a call that is no mere log; or the program ends."""
    given = _GIVEN.match(code) is not None and not _SAYS.match(code)
    return given or _KEEPS.search(code) is not None


def _above(rows: Sequence[str], number: int) -> str:
    """The line that a line stands under, by its indent."""
    depth = _depth(rows[number - 1])
    return next((row for row in reversed(rows[: number - 1]) if row and _depth(row) < depth), "")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
