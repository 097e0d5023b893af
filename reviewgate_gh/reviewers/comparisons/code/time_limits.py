"""Time limits that are gone from calls that stay."""

import re
from collections.abc import Iterator
from itertools import takewhile

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, same_but_for, surroundings_stay, weigh_loss
from .._pipelines import PIPELINES
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._replacing import replacing_lines
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze

EVERY_FILE = False
RULE = ComparisonRule(
    "timeout-removed",
    Priority.P2,
    "Unless another limit applies, a peer that does not answer can block this call forever. Keep "
    "a limit.",
)
_NAME = r"[\"':]?\b(?:[\w-]*[Tt]imeout[\w-]*|\w*TIMEOUT\w*|deadline)\b[\"']?"
_LIMIT = lazy_pattern(
    # Of an address, or of a connection string
    r"[?&;]\s*(?:\w+[ ])?\w*[tT]imeout\s*=\s*\d+(?=[&;\"'])"
    rf"|(?:[,(]\s*)?{_NAME}\s*(?:=(?!=)|:(?!:)|=>)\s*"
    r"(?:[\w.]+(?:\([^()]*\))?|\([^()]*\)|\"[^\"]*\"|'[^']*')(?:\s*\*\s*[\w.]+)*,?"
    r"|\.(?:timeout|(?:call|connect|connection|read|write|request|response)Timeout"
    r"|set\w*Timeout|with\w*Timeout)\([^()]*(?:\([^()]*\))?[^()]*\)"
    # https://www.php.net/manual/en/function.curl-setopt.php
    r"|\bcurl_setopt\([^,]+,\s*CURLOPT_(?:CONNECT)?TIMEOUT(?:_MS)?\s*,[^()]*\)"
    # https://learn.microsoft.com/dotnet/api/system.threading.tasks.task.waitasync
    r"|\.WaitAsync\([^()]*(?:\([^()]*\))?[^()]*\)"
    r"|(?:,\s*)?\{?\s*\bsignal\s*:\s*AbortSignal\.timeout\([^()]*\)\s*(?:,\s*)?\}?"
)
# https://pkg.go.dev/context#WithTimeout
_BOUND = lazy_pattern(r"^\s*(?P<name>\w+)\s*,\s*[\w.]+\s*:?=\s*context\.With(?:Timeout|Deadline)\(")
_UNBOUND = lazy_pattern(
    r"^\s*(?P<name>\w+)\s*(?:,\s*\w+\s*)?:?=\s*(?:context\.(?:Background|TODO|WithCancel)\("
    r"|\w+\.Context\(\)|[cC]tx\b|parent\w*\s*$)"
)
# What sets a limit: a key, a property, a call, an option, a row of a file of settings; and a value
# that means none
_SETS = rf"(?P<key>(?<!clear){_NAME})(?:\s*(?:=(?!=)|:(?!:)|=>|,|\(|\bTO\b)\s*|[ ]+)"
_NONE = (
    r"[\"']?(?:None|null|nil|0+(?:\.0+)?(?:ms|s|m|L)?|-1|undefined|:infinity|float\([\"']inf[\"']\)"
    r"|(?:\w*(?:\.|::))*(?:Infinity|infinity|inf|ZERO|Zero|Infinite(?:TimeSpan)?|INFINITE"
    r"|POSITIVE_INFINITY))(?![\w.:])"
)
_NO_LIMIT = lazy_pattern(rf"{_SETS}{_NONE}")
# Where nothing is waited for without a time: https://docs.python.org/3/library/asyncio-task.html,
# https://docs.ruby-lang.org/en/master/IO.html, https://docs.rs/tokio/latest/tokio/time
_AT_ONCE = lazy_pattern(rf"{_SETS}[\"']?(?:0+(?:\.0+)?(?![\w.:])|(?:\w*(?:\.|::))*Z(?:ERO|ero)\b)")
_WAITS_NOT = (".py", ".pyi", ".rb", ".rs", ".ex", ".exs")
_SOME_LIMIT = lazy_pattern(rf"{_SETS}(?!{_NONE})[\w.(:\"']")
# https://hexdocs.pm/elixir/GenServer.html#call/3
_POSITION = lazy_pattern(
    r"\b(?P<key>(?:GenServer\.call|Task\.(?:await|await_many|yield))\(.*,)\s*(?P<value>:infinity\)"
    r"|\d)"
)
# A variable that is handed on as it is: what stands behind the comma is another argument
_ARGUMENT = lazy_pattern(r"(?<![\"'.:\w])[a-z]\w*\s*,")
# What stands between a name and its value: `timeout: int | None = None`
_TYPE = lazy_pattern(r"(?<=\w)\??\s*:\s*[\w.\[\], |?]+(?=\s*=(?!=))")
# When, which, or how many: no time that something may take
_NO_DURATION = lazy_pattern(
    r"(?:[aA]t|[iI][dD]|[hH]andle|[rR]ef|[tT]imer|[cC]ount|[eE]rrors?|[tT]imeouts|ed"
    r"|[tT]ask)[\"']?$"
)
# The field of a record that another one gave: data, which limits nothing here
_COPIED = lazy_pattern(
    r"\b\w*[Tt]imeout\w*\b\s*[:=]\s*(?!(?:self|this|config|settings|options|opts|cfg|conf|args)\b)"
    r"\w+\.\w*[Tt]imeout\w*\s*(?:[,;)]\s*)?$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding a file."""
    for file in sources.files:
        # Those of the jobs of pipelines are told as such
        told = PIPELINES.search(file.path) or _OF_TOOLS.search(file.path)
        if file.is_product and not (file.is_gone or file.is_new or told):
            yield from _in_file(sources, file)


# What whoever develops the project runs, and waits for
_OF_TOOLS = lazy_pattern(r"(?:^|/)\.[\w.-]+\.(?:ya?ml|json5?|toml)$")


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not file.mentions(b"imeout", b"TIMEOUT", b"eadline", b":infinity", b"WaitAsync"):
        return
    for block in file.blocks:
        old, new = joined(block.removed), joined(block.added)
        if bound := _unbound(sources, file, block):
            title = "a time limit is removed"
            yield taken(weigh_loss(RULE, file, block), file, bound, title, quoted(new))
            return
        found = _switched_off(file, block)
        if found and not _is_set_otherwise(sources, *found):
            rule = weigh_loss(RULE, file, block)
            yield put(rule, file, found[1], "a time limit is switched off", quoted(found[0].text))
            return
        line = next((line for line in block.removed if _LIMIT.search(code_of(line.text))), None)
        if line is None or _is_reworked(sources, file, block, line):
            continue
        same = _same_call(file, block, old, new) or _is_called_without(block, line)
        if _LIMIT.search(old) and not _LIMIT.search(new) and same:
            title = "a time limit is removed"
            rule = hint(RULE) if is_data(file) else weigh_loss(RULE, file, block)
            yield taken(rule, file, line, title, quoted(new) if new.strip() else "")
            return


def is_data(file: ComparedFile) -> bool:
    """Whoever reads it may have a limit of their own."""
    return _DATA.search(file.path) is not None


_DATA = lazy_pattern(r"\.(?:ya?ml|json5?|toml|properties|ini|cfg)$")


def _switched_off(file: ComparedFile, block: Block) -> tuple[Line, Line] | None:
    """The same limit on both sides, with a value that means none at head."""
    for new in block.added:
        code = code_of(new.text)
        none = _NO_LIMIT.search(code) or _POSITION.search(code)
        if none is None or none.groupdict().get("value", ":").isdigit():
            continue
        if file.path.endswith(_WAITS_NOT) and _AT_ONCE.search(code):
            continue
        if _ARGUMENT.match(code, none.start("key")):
            continue
        for old in block.removed:
            was = _TYPE.sub("", code_of(old.text))
            some = _POSITION.search(was) or _SOME_LIMIT.search(was)
            if (
                some
                and squeeze(some["key"]) == squeeze(none["key"])
                and not (_NO_LIMIT.search(was) or _COPIED.search(was) or _ENDLESS.search(was))
                and not (_NO_DURATION.search(none["key"]) or _HEAD.match(code))
            ):
                return old, new
    return None


def _is_set_otherwise(sources: ComparisonInput, old: Line, new: Line) -> bool:
    """The old limit stands in a new branch, or new code asks whether one was given."""
    found = _NO_LIMIT.search(code_of(new.text))
    key = found["key"].strip("\"':") if found else ""
    asks = re.compile(rf"\b{re.escape(key)}\s*(?:[<>]=?|[!=]==?|is\b)")
    asked = bool(key) and any(asks.search(row) for row in sources.added_rows)
    return asked or squeeze(old.text) in sources.added_statements


# https://learn.microsoft.com/dotnet/api/system.threading.timeout.infinitetimespan, and in C# what
# a type with `?` has by default:
# https://learn.microsoft.com/dotnet/csharp/language-reference/operators/default
_ENDLESS = lazy_pattern(
    r":infinity|\(\s*-1\s*\)|,\s*0\s*\)|\bInfinite(?:TimeSpan)?\b|\?\s+\w+\s*=\s*default\b"
)


def _goes_on(file: ComparedFile, block: Block, name: str) -> bool:
    """Only the limit is gone, and the context that it was made of is used as before."""
    unit = file.base_code.unit(block.removed[0].number)
    alone = all(_OF_BOUND.match(line.text) for line in block.removed)
    return (
        alone
        and not block.added
        and any(
            has_word(row, name) and file.head_code.unit(number) == unit
            for number, row in enumerate(file.head_rows, 1)
        )
    )


_OF_BOUND = lazy_pattern(r"\s*(?:$|defer\s+\w+\(\)|.*\bcontext\.With(?:Timeout|Deadline)\()")


def _unbound(sources: ComparisonInput, file: ComparedFile, block: Block) -> Line | None:
    """Go: the line that gave a context its deadline, where one without it takes its place."""
    for line in block.removed:
        bound = _BOUND.match(line.text)
        if bound and not any(
            _BOUND.match(new.text) for file in sources.files for new in file.added
        ):
            if _is_given(file, line, bound["name"]):
                return None
            news = (_UNBOUND.match(new.text) for new in block.added)
            unbound = any(new and new["name"] == bound["name"] for new in news)
            goes_on = unbound or _goes_on(file, block, bound["name"])
            return line if goes_on and _call_stays(file, line, bound["name"]) else None
    return None


def _call_stays(file: ComparedFile, line: Line, name: str) -> bool:
    """Something below the line took the context, and does as before."""
    depth = _depth(line.text)
    below = takewhile(
        lambda row: not row.strip() or _depth(row) >= depth, file.base_rows[line.number :]
    )
    took = {squeeze(row) for row in below if has_word(row, name)}
    return any(squeeze(row) in took for row in file.head_rows if has_word(row, name))


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_given(file: ComparedFile, line: Line, name: str) -> bool:
    """The function takes the context from its caller from now on, who bounds it."""
    at = file.head_code.definitions.get(file.base_code.unit(line.number), 0)
    return any(each.number == at and has_word(each.text, name) for each in file.added)


def _is_reworked(sources: ComparisonInput, file: ComparedFile, block: Block, line: Line) -> bool:
    """The same limit comes at other places, or goes from the head of a definition: its parameter is
    renamed or moved."""
    found = _LIMIT.search(code_of(line.text))
    key = re.search(r"\w*(?:timeout|deadline)\w*", found[0] if found else "", re.I)
    if key is None:
        return False
    came = (new for _file, new in replacing_lines(sources, file, line) if new not in block.added)
    gone = (
        old
        for each in sources.files
        if each.is_product
        for old in each.removed
        if old not in block.removed and (_HEAD.match(old.text) or not _LIMIT.search(old.text))
    )
    renamed = any(key[0].lower() in new.text.lower() for new in came)
    return renamed or any(has_word(old.text, key[0]) for old in gone)


_HEAD = lazy_pattern(r"^\s*(?:\w+\s+)*(?:def|fn|func|fun|function|class|interface|type)\b")
_CALLED = lazy_pattern(r"(?P<name>(?:&|new\s+)?[\w.:]+)\s*[({]\s*(?P<first>[^,(){}]*)")


def _is_called_without(block: Block, line: Line) -> bool:
    """The same thing is called with the same first argument, and with other ones than a limit."""
    code = code_of(line.text)
    limit = _LIMIT.search(code)
    calls = [found for found in _CALLED.finditer(code) if limit and found.start() < limit.start()]
    if not calls or len(block.removed) != len(block.added):
        return False
    call = calls[-1]
    first = squeeze(_LIMIT.sub("", call["first"]))
    if limit and call.start("first") <= limit.start() < call.end("first") + 1:
        first = ""
    return any(
        squeeze(new["name"]) == squeeze(call["name"]) and squeeze(new["first"]).startswith(first)
        for added in block.added
        for new in _CALLED.finditer(code_of(added.text))
    )


def _bare(text: str) -> str:
    """Without the brackets of a list of properties that may be empty: C#'s `new Client { ... }`."""
    limit = _LIMIT.sub("", text)
    empty = r"\(\s*\)|\{\s*\}|\[\s*\]" if limit != text else r"\(\s*\)"
    return re.sub(r"[?;]\s*(?=[\"'])", "", re.sub(empty, "", limit))


def _same_call(file: ComparedFile, block: Block, old: str, new: str) -> bool:
    """The call is as it was but for the limit; or a line that holds nothing else is gone from the
    arguments of one."""
    if new.strip():
        return same_but_for(_bare(old), _bare(new), _LIMIT)
    if block.removed[0].text.lstrip().startswith("curl_setopt"):
        return len(block.removed) == 1 and surroundings_stay(file, block.removed[0])
    alone = all(not re.sub(r"[\s,]+", "", _LIMIT.sub("", line.text)) for line in block.removed)
    first = block.removed[0]
    one_of_many = (
        len(file.base_code.rows(first.number)) > 1
        or first.text.lstrip().startswith(".")  # a call of a chain
        or joined(block.removed).rstrip().endswith(",")
        or is_data(file)
    )
    return alone and one_of_many and surroundings_stay(file, block.removed[0])
