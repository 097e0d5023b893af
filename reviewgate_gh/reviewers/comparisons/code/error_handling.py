"""Handling of errors and time limits that are gone from statements that stay."""

import re
from collections import Counter
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, loss_is_explained, same_but_for, unit_stays
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze

EVERY_FILE = False
_TIMEOUT = ComparisonRule(
    "timeout-removed",
    Priority.P2,
    "A peer that does not answer can now hold this call, and whoever waits for it, for ever. Keep "
    "a limit.",
)
_HANDLER = ComparisonRule(
    "error-handling-removed",
    Priority.P2,
    "What was handled here now reaches the callers, or nobody. Restore it, or say who handles it.",
)
_SWALLOWED = ComparisonRule(
    "error-swallowed",
    Priority.P2,
    "A failure passes for success from now on. Handle it, or let it reach the caller.",
)
_LIMIT = lazy_pattern(
    r"(?:[,(]\s*)?\b(?:\w*[Tt]imeout\w*|TIMEOUT\w*|deadline)\b\s*(?:=(?!=)|:(?!:)|=>)\s*"
    r"(?:[\w.]+(?:\([^()]*\))?|\([^()]*\))(?:\s*\*\s*[\w.]+)*,?"
    r"|\.(?:timeout|(?:call|connect|connection|read|write|request|response)Timeout"
    r"|set\w*Timeout|with\w*Timeout)\([^()]*(?:\([^()]*\))?[^()]*\)"
    r"|(?:,\s*)?\{?\s*\bsignal\s*:\s*AbortSignal\.timeout\([^()]*\)\s*,?\s*\}?"
)
# https://pkg.go.dev/context#WithTimeout
_BOUND = lazy_pattern(r"^\s*(?P<name>\w+)\s*,\s*\w+\s*:?=\s*context\.With(?:Timeout|Deadline)\(")
_UNBOUND = lazy_pattern(
    r"^\s*(?P<name>\w+)\s*(?:,\s*\w+\s*)?:?=\s*context\.(?:Background|TODO|WithCancel)\("
)
_NO_LIMIT = lazy_pattern(
    r"\b(\w*[Tt]imeout\w*)\b\s*(?:=(?!=)|:|=>)\s*(?:None|null|nil|0|-1|undefined|Infinity"
    r"|Duration\.ZERO)\b(?![.\w])"
)
_SOME_LIMIT = lazy_pattern(r"\b(\w*[Tt]imeout\w*)\b\s*(?:=(?!=)|:|=>)\s*[\w.(]")
# The field of a record that another one gave: data, which limits nothing here
_COPIED = lazy_pattern(
    r"\b\w*[Tt]imeout\w*\b\s*[:=]\s*(?!(?:self|this|config|settings|options|opts|cfg|conf|args)\b)"
    r"\w+\.\w*[Tt]imeout\w*\s*[,;)]?\s*$"
)
_CHECKS = lazy_pattern(
    r",?\s*\bcheck\s*=\s*True\b|[\w.]*\.raise_for_status\(\)|\.error_for_status\(\)\??"
    r"|[\w.]*\.EnsureSuccessStatusCode\(\)|^\s*set\s+-\w*e\w*(?:\s+(?:-?o\s+)?pipefail)?\s*$"
    r"|^\s*set\s+-o\s+errexit"
)
_SHELL = lazy_pattern(
    r"\.(?:sh|bash|zsh|ksh|mk|ya?ml)$|(?:^|/)(?!Vagrant|Gem|Rake|Pod|Jenkins)[^./]+$|Dockerfile"
)
_CHECKED_CALL = lazy_pattern(r"^\s*[\w.]+\.(?:raise_for_status|EnsureSuccessStatusCode)\(\)")
_OPENS = lazy_pattern(
    r"^\s*(?:try\b|begin\b|\}?\s*(?:catch|rescue|except|finally|ensure)\b)|\.catch\(|\brescue\b"
)
_MOST_ADDED = 20  # lines of a file, beyond which it was rewritten
_TRY = lazy_pattern(r"^\s*(?:try\b.*[:{]?|begin)\s*$|^\s*try\s*[:{(]")
_METHOD = lazy_pattern(r"^\s*def\s")  # of Ruby, whose body may end with handlers
_LONGEST_HANDLER = 30  # lines
# Of a clean-up that was done anyway, or what nobody can act upon
_IDLE = lazy_pattern(
    r"(?:^|\.)(?:Close|Flush|Sync|Remove\w*|F?[Pp]rint\w*|Copy|WriteString|Setenv|Kill)\($"
)
_CATCH = lazy_pattern(r"^\s*\}?\s*(?:catch|rescue|except)\b|\.catch\(|\.rescue\b")
_GO_CHECK = lazy_pattern(
    r"^\s*if\s+err\s*!=\s*nil\s*\{|^\s*if\s*\(?(?:rc|ret|status|err|error)\s*(?:!=|<"
    r"|==)\s*(?:0|NULL|nil|-1)\)?"
)
_GO_DROPPED = lazy_pattern(r"^\s*(?P<left>(?:[\w.]+\s*,\s*)*)_\s*:?=\s*(?P<call>[\w.]+\()")
_EMPTY = lazy_pattern(
    r"^\s*\}?\s*catch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\(\s*\(?\w*\)?\s*=>\s*(?:\{\s*\}|null"
    r"|undefined|void 0)\s*\)|^\s*except[^:]*:\s*pass\s*$"
    r"|\brescue\s*(?:=>\s*\w+)?\s*;?\s*nil\s*$|\bunwrap_or_default\(\)\s*;\s*$"
)
_CHAINED = lazy_pattern(r"\.catch\(")
_DOES = lazy_pattern(
    r"\b(?:raise|throw|log\w*|logger|console|return|error|warn|panic|report|abort|capture\w*"
    r"|print\w*)\b"
)
_HEADER = lazy_pattern(r"^\s*(?:except\b[^:]*:|\}?\s*catch\s*(?:\([^)]*\))?\s*\{|rescue\b.*)\s*$")
_NOTHING = lazy_pattern(r"^\s*(?:pass|\.\.\.|continue|nil)\s*;?\s*$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding of each kind a file."""
    for file in sources.files:
        if file.is_product and not (file.is_gone or file.is_new):
            yield from _limits(sources, file)
            yield from _handlers(sources, file)
            yield from _unchecked(sources, file)
            yield from _swallowed(sources, file)


def _limits(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not file.mentions(b"imeout", b"TIMEOUT", b"deadline"):
        return
    for block in file.blocks:
        old, new = joined(block.removed), joined(block.added)
        if bound := _unbound(sources, block):
            title = "a time limit is taken away"
            yield taken(_weigh(_TIMEOUT, file, block), file, bound, title, quoted(new))
            return
        line = next((line for line in block.removed if _LIMIT.search(code_of(line.text))), None)
        if line is None:
            continue
        if _is_reworked(sources, block, line):
            continue
        if _LIMIT.search(old) and not _LIMIT.search(new) and _same_call(file, block, old, new):
            title = "a time limit is taken away"
            rule = _weigh(_TIMEOUT, file, block)
            yield taken(rule, file, line, title, quoted(new) if new.strip() else "")
            return
        off = next((each for each in block.added if _NO_LIMIT.search(code_of(each.text))), None)
        if off and _SOME_LIMIT.search(old) and not (_NO_LIMIT.search(old) or _COPIED.search(old)):
            rule = _weigh(_TIMEOUT, file, block)
            yield put(rule, file, off, "a time limit is switched off", quoted(line.text))
            return


def _unbound(sources: ComparisonInput, block: Block) -> Line | None:
    """Go: the line that gave a context its deadline, where one without it takes its place."""
    for line in block.removed:
        bound = _BOUND.match(line.text)
        if bound and not any(
            _BOUND.match(new.text) for file in sources.files for new in file.added
        ):
            news = (_UNBOUND.match(new.text) for new in block.added)
            return line if any(new and new["name"] == bound["name"] for new in news) else None
    return None


def _weigh(rule: ComparisonRule, file: ComparedFile, block: Block) -> ComparisonRule:
    """A reason that the change itself gives makes it a hint."""
    return hint(rule) if block.removed and loss_is_explained(file, block) else rule


def _is_reworked(sources: ComparisonInput, block: Block, line: Line) -> bool:
    """The same limit goes, or comes, at other places as well: its parameter is renamed or moved."""
    found = _LIMIT.search(code_of(line.text))
    key = re.search(r"\w*(?:timeout|deadline)\w*", found[0] if found else "", re.I)
    return key is not None and any(
        has_word(other.text, key[0])
        for file in sources.files
        for each in file.blocks
        if each is not block and file.is_product
        for other in (*each.removed, *each.added)
    )


def _same_call(file: ComparedFile, block: Block, old: str, new: str) -> bool:
    """The call is as it was but for the limit; or a line that holds nothing else is gone from the
    arguments of one."""
    if new.strip():
        return same_but_for(old, new, _LIMIT)
    alone = all(not re.sub(r"[\s,]+", "", _LIMIT.sub("", line.text)) for line in block.removed)
    first = block.removed[0]
    one_of_many = (
        len(file.base_code.rows(first.number)) > 1
        or first.text.lstrip().startswith(".")  # a call of a chain
        or joined(block.removed).rstrip().endswith(",")
    )
    return alone and one_of_many and _surroundings_stay(file, block.removed[0])


def _surroundings_stay(file: ComparedFile, line: Line) -> bool:
    """The definition around it, or at the top of a file the line before it, is there at head."""
    if file.base_code.unit(line.number):
        return unit_stays(file, line)
    return line.number > 1 and file.base_rows[line.number - 2] in file.head_rows


def _handlers(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A handler that did something is gone, and what it was around is still there."""
    gone = [line for line in file.removed if _CATCH.search(code_of(line.text))]
    came = [line for line in file.added if _CATCH.search(code_of(line.text))]
    lost = len(gone) > len(came) and len(file.added) <= _MOST_ADDED
    if lost and not _raises_anew(sources):
        for line in gone:
            if (
                unit_stays(file, line)
                and _handled(file, line.number)
                and _body_stays(sources, file, line)
            ):
                yield taken(hint(_HANDLER), file, line, "an error is no longer handled here")
                return
    yield from _dropped(sources, file)


def _block_of(file: ComparedFile, line: Line) -> Block:
    return next(block for block in file.blocks if line in block.removed)


def _handled(file: ComparedFile, number: int) -> bool:
    """The handler whose head is at this line of the base does something."""
    rows = file.base_rows
    depth = _depth(rows[number - 1])
    for row in rows[number : number + _LONGEST_HANDLER]:
        if row.strip() and _depth(row) <= depth:
            break
        if _acts(row):
            return True
    return _acts(rows[number - 1].partition(":")[2]) or "=>" in rows[number - 1]


def _acts(row: str) -> bool:
    bare = code_of(row).strip()
    return bool(bare.strip("{}()[];,")) and not _NOTHING.match(bare)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _raises_anew(sources: ComparisonInput) -> bool:
    """The change adds errors or handlers: who handles what was thought about."""
    return any(
        re.search(r"\b(?:raise|throw|except|catch|rescue)\b", code_of(line.text))
        for file in sources.files
        if file.is_product
        for line in file.added
    )


def _body_stays(sources: ComparisonInput, file: ComparedFile, catch: Line) -> bool:
    """The statements between `try` and the handler are at head, in the same definition, and no
    handler is around them."""
    unit = file.base_code.unit(catch.number)
    rows = file.base_rows
    first = next(
        (
            n
            for n in range(catch.number - 1, max(0, catch.number - 60), -1)
            if _TRY.match(rows[n - 1]) or (file.name.endswith(".rb") and _METHOD.match(rows[n - 1]))
        ),
        0,
    )
    if not first:
        return False
    body = [squeeze(row) for row in rows[first : catch.number - 1] if len(row.strip()) > 3]
    head = [
        (at, row)
        for at, row in enumerate(file.head_rows, 1)
        if file.head_code.unit(at).startswith(unit)
    ]
    kept = Counter(squeeze(row) for _at, row in head)
    if any(_CATCH.search(code_of(row)) for _at, row in head):
        return False
    return bool(body) and all(kept[row] for row in body)


def _unchecked(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A call that turns a bad answer or exit code into an error, and is gone."""
    for block in file.blocks:
        for line in block.removed:
            code = code_of(line.text)
            if not _CHECKS.search(code) or any(_CHECKS.search(new.text) for new in block.added):
                continue
            if "set -" in code and not _SHELL.search(file.path):
                continue
            whole = not _CHECKS.sub("", code).strip(" ;?\t") or _CHECKED_CALL.search(code)
            same = any(same_but_for(code, code_of(new.text), _CHECKS) for new in block.added)
            alone = whole and not block.added and squeeze(code) not in sources.added_statements
            if same or (alone and _surroundings_stay(file, line)):
                yield taken(_HANDLER, file, line, "a failure is no longer noticed here")
                return


def _dropped(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Go: the error of a call is thrown away, or no longer looked at."""
    if not file.path.endswith(".go"):
        return
    for block in file.blocks:
        old = joined(block.removed)
        for new in block.added:
            found = _GO_DROPPED.match(new.text)
            if not found or _never_fails(sources, found["call"]):
                continue
            if re.search(rf"\berr\b\s*:?=\s*{re.escape(found['call'])}", old):
                idle = _IDLE.search(found["call"]) is not None
                rule = hint(_SWALLOWED) if idle else _weigh(_SWALLOWED, file, block)
                yield put(rule, file, new, "an error is thrown away", quoted(old))
                return
        if _GO_CHECK.search(old) and not block.added and _only_check(block):
            line = block.removed[0]
            if unit_stays(file, line) and squeeze(line.text) and "return" in old:
                before = file.base_rows[line.number - 2] if line.number > 1 else ""
                after = squeeze(before)
                if "err" in before and after in {squeeze(row) for row in file.head_rows}:
                    rule = _weigh(_HANDLER, file, block)
                    yield taken(rule, file, line, "an error is no longer looked at")
                    return


def _never_fails(sources: ComparisonInput, call: str) -> bool:
    """The change writes the function that is called, and whatever it returns, the error is nil."""
    name = call.rstrip("(").rpartition(".")[2]
    defined = re.compile(rf"^func\s+(?:\([^)]*\)\s*)?{re.escape(name)}\(.*?^\}}", re.M | re.S)
    bodies = [found[0] for file in sources.files for found in defined.finditer(file.head)]
    returns = [row for body in bodies for row in _RETURN.findall(body)]
    return bool(returns) and all(row.endswith(" nil") for row in returns)


_RETURN = lazy_pattern(r"(?m)^\s*(return\b.*?)\s*$")


def _only_check(block: Block) -> bool:
    """Nothing but one check of an error is removed."""
    rows = [line.text.strip() for line in block.removed if line.text.strip()]
    return 2 <= len(rows) <= 5 and rows[0].startswith("if ") and rows[-1] == "}"


def _swallowed(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A handler that did something does nothing now, or a new one does nothing around code that was
    there."""
    if line := _emptied(sources, file):
        rule = _weigh(_SWALLOWED, file, _block_of(file, line))
        yield taken(rule, file, line, "an error is swallowed from now on")
        return
    if file.path.endswith((".py", ".pyi")):
        empty = _empty_handlers(file)
    else:
        empty = [line for line in file.added if _EMPTY.search(code_of(line.text))]
        empty += _empty_handlers(file)
    for line in empty:
        known = file.head_code.unit(line.number) in file.base_code.units
        block = next(block for block in file.blocks if line in block.added)
        if known and (did := _did_more(sources, file, line, block)):
            sure = did == _HANDLED and _handler_stood(file, line, block)
            rule = _weigh(_SWALLOWED, file, block) if sure else hint(_SWALLOWED)
            yield put(rule, file, line, "an error is swallowed from now on")
            return


def _emptied(sources: ComparisonInput, file: ComparedFile) -> Line | None:
    """The first line of a handler's whole body, where nothing takes its place."""
    for block in file.blocks:
        if block.added or not any(_DOES.search(code_of(line.text)) for line in block.removed):
            continue
        first, end, rows = block.removed[0], block.removed[-1].number, file.base_rows
        alone = end < len(rows) and rows[end].strip() in ("}", "end", "});", "};")
        if (
            alone
            and first.number > 1
            and _HEADER.match(rows[first.number - 2])
            and not any(squeeze(line.text) in sources.added_statements for line in block.removed)
        ):
            return first
    return None


def _empty_handlers(file: ComparedFile) -> list[Line]:
    """Added lines that are all of a handler's body, below its header, and added headers that close
    at once."""
    rows = file.head_rows
    nothing = [line for line in file.added if _NOTHING.match(line.text) and line.number > 1]
    return [line for line in nothing if _HEADER.match(rows[line.number - 2])] + [
        line
        for line in file.added
        if line.text.rstrip().endswith("{")
        and _HEADER.match(line.text)
        and rows[line.number : line.number + 1]
        and rows[line.number].strip().startswith("}")
    ]


_HANDLED, _UNHANDLED = "handled", "unhandled"


def _did_more(sources: ComparisonInput, file: ComparedFile, line: Line, block: Block) -> str:
    """Whether the change takes away what the handler did, or puts an empty one around a statement
    that was there without; "" where new code decides anew."""
    kept = sources.added_statements  # what moved, or has another indent, is still done
    gone = [old for old in block.removed if squeeze(old.text) not in kept]
    if chained := _CHAINED.search(line.text):
        before = squeeze(line.text[: chained.start()])
        olds = [old.text for old in gone if _is_chain_of(before, old.text)]
        return (_HANDLED if "catch" in olds[0] else _UNHANDLED) if olds else ""
    if len(block.added) > _MOST_ADDED:
        return ""
    texts = [_HEAD.sub("", code_of(old.text)) for old in gone if _is_in_handler(file, old.number)]
    return _HANDLED if any(map(_DOES.search, texts)) else ""


# What stands behind it in its line is done
_HEAD = lazy_pattern(
    r"^\s*\}?\s*(?:catch\b\s*(?:\([^)]*\))?\s*\{?|except\b[^:]*:|rescue\b(?:[\w\s,:]*=>\s*\w+)?)"
)


def _handler_stood(file: ComparedFile, line: Line, block: Block) -> bool:
    """The handler that does nothing now is one of the base: its head stayed, or was written anew in
    its place. A handler that is new may be one of several steps that fail elsewhere."""
    head = line.text if _CATCH.search(line.text) else file.head_rows[line.number - 2]
    stayed = all(each.text.strip() != head.strip() for each in file.added)
    return stayed or any(_kinds(each.text) == _kinds(head) for each in block.removed)


def _kinds(head: str) -> list[str]:
    """What a handler catches: the names with a capital, as in `except (KeyError, OSError) as e`;
    nothing, where the line is none of a handler's."""
    found = _CATCH.search(code_of(head))
    return ["", *re.findall(r"[A-Z]\w*", head[found.start() :])] if found else [head]


def _is_in_handler(file: ComparedFile, number: int) -> bool:
    """The line of the base is inside of a handler, or is its head."""
    rows = file.base_rows
    depth = _depth(rows[number - 1])
    if _CATCH.search(code_of(rows[number - 1])):
        return True
    above = (row for row in reversed(rows[: number - 1]) if row.strip() and _depth(row) < depth)
    return _CATCH.search(code_of(next(above, ""))) is not None


def _is_chain_of(statement: str, old: str) -> bool:
    """The old line is the statement, without a handler or with one that did something."""
    chained = re.search(r"\.(?:catch|catchError|onErrorResume\w*)\(", old)
    if chained is None:
        return bool(statement) and squeeze(old) == statement
    return squeeze(old[: chained.start()]) == statement and not _EMPTY.search(old)
