"""Calls that a function waited for, and that nothing waits for any more."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, weigh_loss
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "await-removed",
    Priority.P2,
    "The code after it may run before the call has finished, and a failure may go unnoticed. Await "
    "it, or hand it to something that does.",
)
# Swift's compiler refuses a call that has to wait and does not:
# https://docs.swift.org/swift-book/documentation/the-swift-programming-language/concurrency/
_SUFFIXES = (
    ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".py", ".cs",
    ".dart", ".rs",
)  # fmt: skip
_AWAIT = lazy_pattern(r"\bawait\s+|\.await\b\??|\.ConfigureAwait\((?:true|false)\)")
_CALLS = lazy_pattern(
    r"\bawait\s+(?P<of>(?:[\w$#?!]+(?:\([^()]*\))?\??\.)*)(?P<name>[\w$#]+)\s*(?:<[^>()]*>)?\("
    r"|\b(?P<rust>\w+)\([^()]*\)\.await\b"
)
_RETURNED = lazy_pattern(r"^\s*return\s+await\b")
_HANDED_ON = lazy_pattern(r"^\s*(?:return|yield|export)\b|=>\s*\(?await")
# What waits by its nature
_ALWAYS = lazy_pattern(
    r"\bawait\s+(?:Promise\.|asyncio\.|anyio\.|trio\.|Task\.|fetch\(|axios\.|fsp\.|fs\.promises\.)"
)
_COLLECTED = (
    r"\b(?:push|add|append|create_task|ensure_future|gather|all\w*|race|any"
    r"|waitUntil)\(.*\bNAME\s*[<(]"
    r"|\bvoid\s"
)
_TRY = lazy_pattern(r"^\s*(?:try\b|\}\s*catch\b)")
# https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Promise
_WAITS = (
    r"\bawait\b[^\n]*\bNAME\b|\breturn\b[^\n]*\bNAME\b|\bNAME\b\s*(?:\)\s*)?\.(?:then|catch|finally"
    r"|Wait|Result|GetAwaiter|add_done_callback)\b"
    r"|\b(?:all\w*|race|any|gather|wait\w*|push|add|append|create_task|ensure_future|WhenA\w+"
    r"|run\w*)"
    r"\([^\n]*\bNAME\b"
)
_ASSIGNED = lazy_pattern(
    r"^\s*(?:(?:const|let|var|final|[A-Z]\w*)\s+)?(?P<name>[\w$]+)\s*(?::[^=]+)?=(?!=|>)"
)
_ASYNC = (
    r"\basync\s+(?:def|fn|function\*?)\s+NAME\b"
    r"|\basync\s+(?:[\w<>\[\],.?]+\s+)*NAME\s*(?:<[^>]*>)?\("
    r"|\bNAME\s*(?::[^=\n]+)?=\s*async\b|\bNAME\s*:\s*async\b|\bNAME\b[^\n]*\)\s*:\s*Promise<"
    r"|\b(?:Value)?Task(?:<[^\n]*>)?\s+NAME\s*[<(]|\bFuture<[^\n]*>\s+NAME\s*\("
    r"|\bfunc\s+NAME\b[^\n]*\basync\b"
)
_DEFINED = r"\b(?:def|fn|function|func)\s+NAME\b"


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.path.endswith(_SUFFIXES) and file.mentions(b"await"):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        bare = defaultdict[str, list[Line]](list)
        for line in block.added:
            bare[_bare(code_of(line.text))].append(line)
        for old in block.removed:
            code = code_of(old.text)
            found = _CALLS.search(code)
            new = _without_await(bare, code) if found else None
            if found is None or new is None:
                continue
            name = found["name"] or found["rust"]
            if _RETURNED.match(code):
                if _is_in_try(file.head_rows, new):
                    title = f"the handler around {name} no longer catches its failure"
                    yield put(weigh_loss(_RULE, file, block), file, new, title, quoted(old.text))
                continue
            if _HANDED_ON.search(code) or _waits_elsewhere(file, old, new):
                continue
            if _is_in_waiting(file.head_rows, new):
                continue
            if _is_waited_for(file, new, name):
                continue
            plain = found["of"] and not _TELLING.search(name)
            if _ALWAYS.search(code) or _is_asynchronous(sources, file, name, bool(plain)):
                rule = hint(_RULE) if _is_plain_now(file, old) else _RULE
                title = f"nothing waits for {name} any more"
                yield put(weigh_loss(rule, file, block), file, new, title, quoted(old.text))


_TELLING = lazy_pattern(r"_|[a-z][A-Z]|^\w{9,}$")


def _is_plain_now(file: ComparedFile, old: Line) -> bool:
    """The function around it is no longer asynchronous, and could not wait."""
    depth = _depth(old.text)
    for row in reversed(file.base_rows[: old.number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            if re.search(r"\basync\b", row):
                return all(squeeze(row) != squeeze(each) for each in file.head_rows)
    return False


def _is_in_try(rows: Sequence[str], line: Line) -> bool:
    """A `try` of the same function is around the line.
    https://eslint.org/docs/latest/rules/no-return-await"""
    depth = _depth(line.text)
    for row in reversed(rows[: line.number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            if _TRY.match(row):
                return "catch" not in row
            if _FUNCTION.search(row):
                return False
    return False


_FUNCTION = lazy_pattern(
    r"\bfunction\b|=>|\basync\b|\bdef\b"
    # A method: https://developer.mozilla.org/docs/Web/JavaScript/Reference/Functions/Method_definitions
    r"|^\s*(?:(?:static|get|set|public|private|protected)\s+)*"
    r"(?!(?:if|for|while|switch|catch|with)\b)[\w$#]+\s*\(.*\)\s*(?::[^{]*)?\{\s*$"
)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _without_await(bare: Mapping[str, Sequence[Line]], code: str) -> Line | None:
    """The same statement, which goes on at once; `bare` are the new ones by what they are without
    the word, as a block may have thousands."""
    return next(
        (
            new
            for new in bare.get(_bare(code), ())
            if len(_AWAIT.findall(new.text)) < len(_AWAIT.findall(code))
        ),
        None,
    )


def _bare(code: str) -> str:
    return re.sub(r"[\s,]+", "", _AWAIT.sub("", code))


def _waits_elsewhere(file: ComparedFile, old: Line, new: Line) -> bool:
    """The word stands in another row of the statement, which is only laid out in another way."""
    before = _statement(file.base_code, file.base_rows, old.number)
    now = _statement(file.head_code, file.head_rows, new.number)
    return len(_WAITS_HERE.findall(now)) >= len(_WAITS_HERE.findall(before))


_WAITS_HERE = lazy_pattern(r"\bawait\b")
_FOLLOWS = lazy_pattern(r"\s*(?:\?|!)?\.\w")
_GOES_ON = lazy_pattern(r"(?:(?<![=!<>])=|\(|\bawait|\breturn)\s*$")


def _statement(source: SourceText, rows: Sequence[str], number: int) -> str:
    """The rows of the statement: its brackets, the links of its chain, what begins it above."""
    span = source.rows(number)
    first, last = span.start, span.stop - 1
    while last < len(rows) and _FOLLOWS.match(rows[last]):
        last = max(last + 1, source.rows(last + 1).stop - 1)
    while first > 1 and (_FOLLOWS.match(rows[first - 1]) or _GOES_ON.search(rows[first - 2])):
        first = min(first - 1, source.rows(first - 1).start)
    return "\n".join(rows[first - 1 : last])


def _is_in_waiting(rows: Sequence[str], line: Line) -> bool:
    """It stands in a list or a call that is waited for, such as `await Promise.all([`."""
    depth = _depth(line.text)
    for row in reversed(rows[: line.number - 1]):
        if not row.strip() or _depth(row) >= depth:
            continue
        depth = _depth(row)
        if _OPENS.search(row):
            if _TAKES.search(row):
                return True
        else:
            return False
    return False


_OPENS = lazy_pattern(r"[(\[]\s*$")
_TAKES = lazy_pattern(
    r"\bawait\b|\breturn\b|\b(?:all\w*|race|any|gather|wait\w*|push|add|append|create_task"
    r"|ensure_future|WhenA\w+|join\w*|spawn)!?\(\s*(?:\[\s*)?$"
)


def _is_waited_for(file: ComparedFile, line: Line, name: str) -> bool:
    """A later line waits for what the call returned, or hands it to something that may."""
    above = file.head_rows[line.number - 2] if line.number > 1 else ""
    begun = above if _GOES_ON.search(above) else ""
    found = _ASSIGNED.match(f"{begun} {line.text}")
    if found is None:
        whole = line.text.rstrip().endswith((")", ");", "{", ":", "(", "["))
        collects = re.compile(_COLLECTED.replace("NAME", re.escape(name)))
        return not whole or collects.search(line.text) is not None
    waits = re.compile(_WAITS.replace("NAME", re.escape(found["name"])))
    return any(waits.search(row) for row in file.head_rows[line.number :])


def _is_asynchronous(
    sources: ComparisonInput, file: ComparedFile, name: str, is_common: bool
) -> bool:
    """The head defines it so, and in no other way; or others of its lines wait for it as before. A
    method whose name many things have is only known from its own file."""
    bare = name.lstrip("#")
    places = [
        place
        for place in sources.find_words({bare})[bare]
        if place.path.endswith(_SUFFIXES)
        and has_word(place.text, bare)
        and (not is_common or place.path == file.path)
    ]
    asynchronous = re.compile(_ASYNC.replace("NAME", re.escape(name)))
    defined = re.compile(_DEFINED.replace("NAME", re.escape(name)))
    waits = re.compile(
        rf"\bawait\s[^\n]*\b{re.escape(bare)}\s*(?:<[^>()]*>)?\("
        rf"|\b{re.escape(bare)}\([^\n]*\.await\b"
    )
    made = [place for place in places if asynchronous.search(place.text)]
    plain = [place for place in places if defined.search(place.text) and place not in made]
    if plain or _is_reworked(sources, places, made, bare):
        return False
    return bool(made) or any(waits.search(place.text) for place in places)


def _is_reworked(
    sources: ComparisonInput, places: list[Place], made: list[Place], name: str
) -> bool:
    """The change takes the word from the definition as well."""
    gone = re.compile(_ASYNC.replace("NAME", re.escape(name)))
    return not made and any(
        gone.search(line.text) for file in sources.files for line in file.removed
    )
