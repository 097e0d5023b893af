"""Errors that were handled, and are dropped now."""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import CATCH, code_of, joined, weigh_loss
from .._related import brings_tests_for
from .._remark import ComparisonRule, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from ._handled import guards_the_same, is_asked_later, rows_under

EVERY_FILE = False
SWALLOWED = ComparisonRule(
    "error-swallowed",
    Priority.P2,
    "A failure can now look like success. Handle it, or let it reach the caller.",
)
# Of a clean-up that was done anyway, or what nobody can act upon
_IDLE = lazy_pattern(
    r"(?:^|\.)(?:Close|Flush|Sync|Remove\w*|F?[Pp]rint\w*|Copy|WriteString|Setenv|Kill)\($"
)
_GO_DROPPED = lazy_pattern(r"^\s*(?P<left>(?:[\w.]+\s*,\s*)*)_\s*:?=\s*(?P<call>[\w.]+\()")
_KEEPS = lazy_pattern(r"\berr\b")  # what is thrown away is the second value, which says whether
_EMPTY = lazy_pattern(
    r"^\s*(?:\}\s*)?catch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\(\s*\(?\w*\)?\s*=>\s*(?:\{\s*\}|null"
    r"|undefined|void 0)\s*\)|^\s*except[^:]*:\s*pass\s*$"
    r"|\brescue\s*(?:=>\s*\w+)?\s*(?:;\s*)?nil\s*$|\bunwrap_or_default\(\)\s*;\s*$"
)
_CHAINED = lazy_pattern(r"\.catch\(")
_DOES = lazy_pattern(
    r"\b(?:raise|throw|log\w*|logger|console|return|error|warn|panic|report|abort|capture\w*"
    r"|print\w*)\b"
)
_HEADER = lazy_pattern(r"^\s*(?:except\b[^:]*:|\}?\s*catch\s*(?:\([^)]*\))?\s*\{|rescue\b.*)\s*$")
_NOTHING = lazy_pattern(r"^\s*(?:pass|\.\.\.|continue|nil)\s*(?:;\s*)?$")
_MOST_ADDED = 20  # lines of a file, beyond which it was rewritten


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding of each kind a file."""
    for file in sources.files:
        if file.is_product and not (file.is_gone or file.is_new):
            yield from _thrown_away(sources, file)
            yield from _swallowed(sources, file)


def _thrown_away(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The error of a call is thrown away."""
    yield from _no_longer_raised(file)
    if not file.path.endswith(".go"):
        return
    for block in file.blocks:
        old = joined(block.removed)
        for new in block.added:
            found = _GO_DROPPED.match(new.text)
            if not found or never_fails(sources, found["call"]) or _KEEPS.search(found["left"]):
                continue
            if is_of_memory(file, new, found["call"]) or is_told_otherwise(file, new):
                continue
            asks = re.compile(rf"\berr\b\s*:?=\s*{re.escape(found['call'])}(?P<given>.*)")
            gone = [
                asked["given"]
                for line in block.removed
                if squeeze(line.text) not in sources.added_statements
                and (asked := asks.search(line.text))
            ]
            if gone:
                given = new.text[found.end() :].strip()
                if _IDLE.search(found["call"]) or not any(e.startswith(given) for e in gone):
                    continue
                rule = weigh_loss(SWALLOWED, file, block)
                yield put(rule, file, new, "an error is discarded", quoted(old))
                return


def _no_longer_raised(file: ComparedFile) -> Iterator[Finding]:
    """The same call, whose failure reached the caller and is dropped now: Rust's `?`, methods of
    Rails that raise. https://api.rubyonrails.org/classes/ActiveRecord/Persistence.html"""
    if not file.path.endswith((".rs", ".rb")):
        return
    for block in file.blocks:
        olds = {_call_of(old.text): old for old in block.removed if _RAISES.match(old.text)}
        for new in block.added:
            old = olds.get(_call_of(new.text))
            if old and _DROPS.match(new.text) and not _RAISES.match(new.text):
                rule = weigh_loss(SWALLOWED, file, block)
                yield put(rule, file, new, "an error is discarded", quoted(old.text))
                return


def _call_of(text: str) -> str:
    """The call without what says what becomes of its failure."""
    bare = re.sub(r"^\s*(?:if\s+)?let\s+(?:_\w*|Err\([^()]*\))\s*=\s*", "", code_of(text))
    return squeeze(_SAYS_WHAT.sub("", re.sub(r"\s*\{\s*$", ";", bare)))


_BANG = r"\.(?:save|update|create|destroy|update_attributes|touch|toggle|increment|validate)"
_SAYS_WHAT = lazy_pattern(
    r"\?(?=;\s*$)|\.(?:ok|unwrap|expect)\([^()]*\)(?=;\s*$)"
    r"|(?<=save|date|eate|troy|utes|ouch|ggle|ment)!"
)
_RAISES = lazy_pattern(
    rf"^[^=]*\?;\s*$|^[^=]*\.(?:unwrap|expect)\([^()]*\);\s*$|^\s*[@\w.\[\]:()]+{_BANG}!"
)
_DROPS = lazy_pattern(
    rf"^\s*let\s+_\w*\s*=(?!.*\?;\s*$)|^[^=]*\.ok\(\);\s*$|^\s*[@\w.\[\]:()]+{_BANG}(?!!)\b"
)


def never_fails(sources: ComparisonInput, call: str) -> bool:
    """The change writes the function that is called, and whatever it returns, the error is nil."""
    name = call.rstrip("(").rpartition(".")[2]
    defined = re.compile(rf"^func\s+(?:\([^)]*\)\s*)?{re.escape(name)}\(.*?^\}}", re.M | re.S)
    bodies = [found[0] for file in sources.files for found in defined.finditer(file.head)]
    returns = [row for body in bodies for row in _RETURN.findall(body)]
    return bool(returns) and all(row.endswith(" nil") for row in returns)


def is_told_otherwise(file: ComparedFile, line: Line) -> bool:
    """The next line gets what went wrong from elsewhere, or asks whether there is a result."""
    below = _next_row(file.head_rows, line.number)
    names = re.findall(r"[A-Za-z]\w*", line.text.partition("=")[0])
    asked = any(re.match(rf"if\s+(?:!?{each}\s*\{{|{each}\s*[!=]=)", below) for each in names)
    return asked or _SETS_ERROR.match(below) is not None


_SETS_ERROR = lazy_pattern(r"(?:\w+\s*,\s*)*err\s*:?=(?!=)")


def is_of_memory(file: ComparedFile, line: Line, call: str) -> bool:
    """A hash or a buffer takes whatever is written to it: https://pkg.go.dev/hash#Hash"""
    name, _dot, method = call.rstrip("(").partition(".")
    unit = file.head_code.unit(line.number)
    made = re.compile(rf"\b{re.escape(name)}\b.*(?:{_MEMORY})")
    return method.startswith("Write") and any(
        made.search(row)
        for number, row in enumerate(file.head_rows, 1)
        if file.head_code.unit(number) == unit
    )


_MEMORY = (
    r"\b(?:sha\d+|md5|hmac|fnv|crc\d+|adler32|blake2\w)\.New|bytes\.(?:New)?Buffer|strings\.Builder"
)
_RETURN = lazy_pattern(r"(?m)^\s*(return\b.*?)\s*$")


def _swallowed(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A handler that did something does nothing now, or a new one does nothing around code that was
    there."""
    if line := _emptied(sources, file):
        rule = weigh_loss(SWALLOWED, file, _block_of(file, line))
        yield taken(rule, file, line, "an error is now swallowed")
        return
    block = _answers_instead(sources, file)
    if block and not brings_tests_for(sources, file):
        rule, title = weigh_loss(SWALLOWED, file, block), "an error is now swallowed"
        yield put(rule, file, block.added[0], title, quoted(joined(block.removed)))
        return
    if file.path.endswith((".py", ".pyi")):
        empty = _empty_handlers(file)
    else:
        empty = [line for line in file.added if _EMPTY.search(code_of(line.text))]
        empty += _empty_handlers(file)
    for line in empty:
        known = file.head_code.unit(line.number) in file.base_code.units
        block = next(block for block in file.blocks if line in block.added)
        if (
            known
            and not _raises_after(file, line)
            and _did_more(sources, file, line, block)
            and not is_asked_later(file, line.number)
            and _handler_stood(file, line, block)
        ):
            yield put(weigh_loss(SWALLOWED, file, block), file, line, "an error is now swallowed")
            return


def _raises_after(file: ComparedFile, line: Line) -> bool:
    """What follows the handler is an error: nothing goes on as if all were well."""
    rows = file.head_rows
    depth = _depth(line.text if CATCH.search(line.text) else rows[line.number - 2])
    below = (row for row in rows[line.number :] if row.strip(" \t{}();") and _depth(row) <= depth)
    return (
        re.match(r"\s*(?:raise|throw|abort|panic|fail|exit|sys\.exit)\b", next(below, ""))
        is not None
    )


def _emptied(sources: ComparisonInput, file: ComparedFile) -> Line | None:
    """The first line of a handler's whole body, where nothing takes its place."""
    for block in file.blocks:
        if block.added or not any(_DOES.search(code_of(line.text)) for line in block.removed):
            continue
        first, end, rows = block.removed[0], block.removed[-1].number, file.base_rows
        alone = end < len(rows) and rows[end].strip() in ("}", "end", "});", "};")
        above = first.number - 2
        if first.number > 2 and rows[above].strip() == "{":
            above -= 1  # the bracket has a line of its own
        if (
            alone
            and first.number > 1
            and _HEADER.match(rows[above] + " {" * (above < first.number - 2))
            and _lost(sources, block)
            and guards_the_same(file, above + 1)
            and _is_empty_now(file, rows[above])
        ):
            return first
    return None


def _is_empty_now(file: ComparedFile, header: str) -> bool:
    """A handler of the head for the same errors does nothing."""
    rows, kinds = file.head_rows, _kinds(header)
    return any(
        not any(row.strip(" \t{}();") for row in rows_under(rows, at))
        for at, row in enumerate(rows, 1)
        if row == header or _kinds(row) == kinds
    )


def _lost(sources: ComparisonInput, block: Block) -> bool:
    """What the handler did is done nowhere else; what it answered may stand behind it now."""
    did = [line for line in block.removed if _DOES.search(code_of(line.text))]
    answers = [line for line in did if re.match(r"\s*return\b", line.text)]
    acts = [line for line in did if line not in answers] or did
    return not any(squeeze(line.text) in sources.added_statements for line in acts)


def _answers_instead(sources: ComparisonInput, file: ComparedFile) -> Block | None:
    """A constant stands in a handler where an error was raised."""
    for block in file.blocks:
        news = [line for line in block.added if line.text.strip()]
        olds = [line for line in block.removed if line.text.strip()]
        if len(news) != 1 or not olds or not _CONSTANT.match(code_of(news[0].text)):
            continue
        raised = any(_RAISED.match(code_of(line.text)) for line in olds)
        kept = any(squeeze(line.text) in sources.added_statements for line in olds)
        if not raised or kept or news[0].number < 2:
            continue
        depth = _depth(news[0].text)
        above = reversed([*enumerate(file.head_rows[: news[0].number - 1], 1)])
        head = next((at for at, row in above if row.strip(" \t{") and _depth(row) < depth), 0)
        if head and CATCH.search(code_of(file.head_rows[head - 1])):
            return None if is_asked_later(file, head) else block
    return None


_RAISED = lazy_pattern(r"^\s*(?:raise|throw)\b")
_LOGS = lazy_pattern(r"\blog|print|warn|console|report|capture")
_CONSTANT = lazy_pattern(
    r"^\s*(?:return\s+)?(?:-?\d+|null|nil|None|[Tt]rue|[Ff]alse|\"\"|''|\[\]|\{\}|emptyList\(\)"
    r"|undefined)\s*(?:;\s*)?$|^\s*return\s*(?:;\s*)?$"
)


def _block_of(file: ComparedFile, line: Line) -> Block:
    return next(block for block in file.blocks if line in block.removed)


def _empty_handlers(file: ComparedFile) -> list[Line]:
    """Added lines that are all of a handler's body, below its header, and added headers that close
    at once."""
    nothing = [line for line in file.added if _NOTHING.match(line.text) and line.number > 1]
    opened = [
        line for line in file.added if line.text.rstrip().endswith("{") and _HEADER.match(line.text)
    ]
    return [line for line in nothing if _HEADER.match(file.head_rows[line.number - 2])] + [
        line for line in opened if _next_row(file.head_rows, line.number).startswith("}")
    ]


def _next_row(rows: Sequence[str], number: int) -> str:
    """What stands below a line; comments do not count."""
    return next((row.strip() for row in rows[number:] if row.strip()), "")


def _did_more(sources: ComparisonInput, file: ComparedFile, line: Line, block: Block) -> bool:
    """The change takes away what the handler did, and no new code decides anew."""
    kept = sources.added_statements  # what moved, or has another indent, is still done
    gone = [old for old in block.removed if squeeze(old.text) not in kept]
    if chained := _CHAINED.search(line.text):
        before = squeeze(line.text[: chained.start()])
        return any(_is_chain_of(before, old.text) for old in gone)
    if len(block.added) > _MOST_ADDED:
        return False
    texts = [_HEAD.sub("", code_of(old.text)) for old in gone if _is_in_handler(file, old.number)]
    if _ends_function(file, line):
        texts = [text for text in texts if not _LEAVES.match(text)]
    return any(map(_DOES.search, texts))


def _ends_function(file: ComparedFile, line: Line) -> bool:
    """Nothing follows the handler: who left there left out nothing."""
    rows = file.head_rows
    depth = _depth(line.text if CATCH.search(line.text) else rows[line.number - 2])
    below = (row for row in rows[line.number :] if row.strip(" \t{}();") and _depth(row) <= depth)
    return _depth(next(below, "")) < depth


_LEAVES = lazy_pattern(r"^\s*return\s*(?:;\s*)?$")
# What stands behind it in its line is done
_HEAD = lazy_pattern(
    r"^\s*(?:\}\s*)?(?:catch\b\s*(?:\([^)]*\))?\s*\{?|except\b[^:]*:"
    r"|rescue\b(?:[\w\s,:]*=>\s*\w+)?)"
)


def _handler_stood(file: ComparedFile, line: Line, block: Block) -> bool:
    """The handler that does nothing now is one of the base: its head stayed, or was written anew in
    its place. A handler that is new may be one of several steps that fail elsewhere."""
    head = line.text if CATCH.search(line.text) else file.head_rows[line.number - 2]
    stayed = all(each.text.strip() != head.strip() for each in file.added)
    return stayed or any(_kinds(each.text) == _kinds(head) for each in block.removed)


def _kinds(head: str) -> list[str]:
    """What a handler catches: the names with a capital, as in `except (KeyError, OSError) as e`;
    nothing, where the line is none of a handler's."""
    found = CATCH.search(code_of(head))
    return ["", *re.findall(r"[A-Z]\w*", head[found.start() :])] if found else [head]


def _is_in_handler(file: ComparedFile, number: int) -> bool:
    """The line of the base is inside of a handler, or is its head."""
    rows = file.base_rows
    depth = _depth(rows[number - 1])
    if CATCH.search(code_of(rows[number - 1])):
        return True
    above = (row for row in reversed(rows[: number - 1]) if row.strip() and _depth(row) < depth)
    return CATCH.search(code_of(next(above, ""))) is not None


def _is_chain_of(statement: str, old: str) -> bool:
    """The old line is the statement with a handler that did something."""
    chained = re.search(r"\.(?:catch|catchError|onErrorResume\w*)\(", old)
    if chained is None:
        return False
    return squeeze(old[: chained.start()]) == statement and not _EMPTY.search(old)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
