"""Failures that reached the caller, and that a handler keeps to itself from now on: a new one that
does nothing, one that catches more, a check of Go that no longer returns the error."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import CATCH, code_of, is_explained, unit_stays, weigh_loss
from .._remark import hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from . import error_handling, go_errors, kept_errors, swallowed_errors
from ._unsaid import where_silent
from .swallowed_errors import SWALLOWED

EVERY_FILE = False
_SUPPRESSES = lazy_pattern(
    r"^\s*(?:async\s+)?with\s+(?:contextlib\.)?suppress\((?P<what>[^()]*)\)\s*:"
)
# What catches nearly everything
_BROAD = lazy_pattern(
    r"^\s*(?:\}\s*)?(?:except\s*(?:\(?\s*(?:Base)?Exception\b[^:]*)?:|catch\s*\{|catch\s*$"
    r"|rescue\s*(?:=>\s*\w+\s*)?$"
    r"|rescue\s+(?:StandardError|Exception)\b"
    r"|catch\s*\(\s*(?:final\s+)?(?:\\?(?:Exception|Throwable|Error|RuntimeException|IOException"
    r"|SQLException)\s*\$?\w*|\$?\w+|_|\w+\s*:\s*(?:Exception|Throwable|unknown|any"
    r"|IOException))\s*\))"
)
_NARROW = lazy_pattern(r"(?:except|catch|rescue)\b.*?\b(?P<what>[A-Z]\w+)")
_NOTHING = lazy_pattern(
    r"^\s*(?:pass|\.\.\.|continue|nil|return|return (?:nil|null|None);?)?\s*(?:;\s*)?$"
)
# A clean-up, or something that may be there or not
_IDLE = lazy_pattern(
    r"(?i)close|flush|remove|unlink|delete|kill|terminate|cancel|cleanup|import\b|require\("
    r"|shutdown"
    r"|disconnect|stop|destroy|rmtree|localStorage|release|dispose|\blog|print|console|notify"
    r"|telemetry|track|metric|hasattr|getattr|JSON\.parse|decode|parse"
)
_TRY = lazy_pattern(r"^\s*(?:try\b.*|begin)\s*(?:[:{]\s*)?$|^\s*do\s*\{\s*$")
_GO_CHECK = lazy_pattern(r"^\s*(?:\}\s*else\s+)?if\s+.*\berr\w*\s*!=\s*nil\s*\{\s*$")
_GO_HANDS_ON = lazy_pattern(r"^\s*return\b.*(?:\berr\b|\bErr|Errorf|errors\.|rror\()")
_GO_KEEPS = lazy_pattern(
    r"\breturn\b.*[eE]rr|\b(?:return\s+[^n\n]|panic|Fatal|Exit|errors?\b.*=|append\(|errs?\b\s*<-"
    r"|http\.Error|continue|goto"
    r"|abort|Abort|Join|break|retry)|\berr\s*=|\w+\s*=\s*err\b"
)
_MOST_ADDED = 30  # lines of a file, beyond which it was rewritten


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and language_of(file.path)
        for finding in islice(
            chain(_new(file), _wider(sources, file), _kept_back(sources, file)), 1
        )
    ]
    others = (
        swallowed_errors.compare,
        error_handling.compare,
        go_errors.compare,
        kept_errors.compare,
    )
    yield from where_silent(sources, found, others)


def _new(file: ComparedFile) -> Iterator[Finding]:
    """A handler that does nothing, around statements that were there without one."""
    if len(file.added) > _MOST_ADDED:
        return
    removed = {squeeze(line.text) for line in file.removed}
    for line in file.added:
        code = code_of(line.text)
        if squeeze(line.text) in removed or is_explained(file, line):
            continue
        if _SUPPRESSES.match(code):
            body = _under(file.head_rows, line.number)
        elif CATCH.search(code) and _BROAD.match(code) and _is_idle(file, line):
            body = _tried(file.head_rows, line.number)
        else:
            continue
        was = {squeeze(row) for row in _unhandled(file, line)}
        stood = [row for row in body if squeeze(row) in was and "(" in row]
        if stood and not any(_IDLE.search(row) for row in body):
            title = "an error is now swallowed"
            yield put(hint(SWALLOWED), file, line, title, quoted(stood[0]))
            return


def _is_idle(file: ComparedFile, line: Line) -> bool:
    """The handler does nothing, or goes on with the next."""
    below = _under(file.head_rows, line.number)
    rest = code_of(line.text).rpartition("{")[2] if "{" in line.text else ""
    bare = [row for row in below if row.strip(" \t{}();")]
    idle = all(_NOTHING.match(row) or _SAYS.match(code_of(row)) for row in bare)
    return len(bare) <= _MOST_SAID and idle and not rest.strip(" }")


_MOST_SAID = 2  # lines of a handler that only says what failed
_SAYS = lazy_pattern(
    r"(?i)^\s*[\w.$>:\\-]*(?<![a-z])(?:log\w*|console|warn\w*|print\w*|puts|debug|trace|info|error"
    r"|printStackTrace)(?:\.\w+)*!?[\s(].*$"
)


def _unhandled(file: ComparedFile, line: Line) -> Iterator[str]:
    """The statements of the same definition at base that no handler was around."""
    unit = file.head_code.unit(line.number)
    rows = file.base_rows
    depth: int | None = None
    for at, row in enumerate(rows, 1):
        if depth is not None and row.strip() and _depth(row) <= depth:
            depth = None
        if depth is None and _TRY.match(row):
            depth = _depth(row)
        if depth is None and file.base_code.unit(at) == unit:
            yield row


def _tried(rows: Sequence[str], number: int) -> list[str]:
    """What stands between `try` and the handler whose head is at the line."""
    body: list[str] = []
    for row in reversed(rows[max(0, number - 30) : number - 1]):
        if _TRY.match(row) and _depth(row) <= _depth(rows[number - 1]):
            return body
        body.append(row)
    return []


def _under(rows: Sequence[str], number: int) -> list[str]:
    depth = _depth(rows[number - 1])
    return [*takewhile(lambda row: not row.strip() or _depth(row) > depth, rows[number:])]


def _wider(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The head of a handler catches nearly everything, and caught one kind; its body hides it."""
    for block in file.blocks:
        olds = [line for line in block.removed if CATCH.search(code_of(line.text))]
        news = [line for line in block.added if CATCH.search(code_of(line.text))]
        if len(olds) != 1 or len(news) != 1 or _BROAD.match(code_of(olds[0].text)):
            continue
        narrow = _NARROW.search(code_of(olds[0].text))
        if not (narrow and _BROAD.match(code_of(news[0].text))):
            continue
        body = [row for row in _under(file.head_rows, news[0].number) if row.strip(" \t{}();")]
        if body and all(_HIDES.match(code_of(row)) for row in body):
            title = f"every error is swallowed now, not only {narrow['what']}"
            yield put(hint(SWALLOWED), file, news[0], title, quoted(olds[0].text))
            return


_HIDES = lazy_pattern(
    r"^\s*(?:pass|\.\.\.|continue|nil|return(?:\s+(?:None|null|nil|[Ff]alse|\[\]|\{\}|\"\"|''"
    r"|0))?)\s*(?:;\s*)?$"
)


def _kept_back(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Go: under the check of an error that stays, nothing returns it any more."""
    if not file.path.endswith(".go"):
        return
    for line in file.removed:
        if not _GO_HANDS_ON.match(line.text) or squeeze(line.text) in sources.added_statements:
            continue
        head = _above(file.base_rows, line.number)
        now = [at for at, row in enumerate(file.head_rows, 1) if row == head]
        unit = file.base_code.unit(line.number)
        here = [at for at in now if file.head_code.unit(at) == unit]
        if not _GO_CHECK.match(head) or len(here) != 1 or not unit_stays(file, line):
            continue
        body = [row for row in _under(file.head_rows, here[0]) if row.strip()]
        if not any(_keeps(code_of(row)) for row in body):
            title = "an error no longer reaches the caller"
            rule = hint(SWALLOWED) if body else weigh_loss(SWALLOWED, file, _of(file, line))
            yield taken(rule, file, line, title, quoted(body[-1]) if body else "")
            return


def _of(file: ComparedFile, line: Line) -> Block:
    return next(block for block in file.blocks if line in block.removed)


def _keeps(code: str) -> bool:
    """The error goes on to somebody, by a call that is no mere log; or the program ends."""
    given = _GIVEN.match(code)
    return _GO_KEEPS.search(code) is not None or (given is not None and not _SAYS.match(code))


_GIVEN = lazy_pattern(r"^\s*[\w.]+\(.*\berr\b")


def _above(rows: Sequence[str], number: int) -> str:
    """The line that a line stands under, by its indent."""
    depth = _depth(rows[number - 1])
    return next((row for row in reversed(rows[: number - 1]) if row and _depth(row) < depth), "")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
