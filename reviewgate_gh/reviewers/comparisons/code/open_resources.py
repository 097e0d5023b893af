"""Files, connections and timers that were closed whatever happened, and that nothing closes now."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._around import is_inside
from .._definitions import language_of
from .._guards import code_of, unit_stays, weigh_loss
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "resource-left-open",
    Priority.P2,
    "It stays open until the program ends or runs out of handles. Close it on every path.",
)
# https://go.dev/ref/spec#Defer_statements
_DEFERRED = lazy_pattern(
    r"^\s*defer\s+(?:func\(\)\s*\{\s*(?:_\s*=\s*)?)?(?P<name>\w+)(?P<rest>(?:\.\w+)*)"
    r"(?:(?<=\.Close)|(?<=\.Stop)|(?<=\.End)|(?<=\.Release)|(?<=\.Shutdown)|(?<=cancel)"
    r"|(?<=Cancel)|(?<=cleanup))\([^()]*\)(?:\s*\}\(\))?\s*$"
)
# What closes a value at the end of a block, and the value: `with`, `using`, `try`, a block of Ruby
# https://docs.python.org/3/reference/compound_stmts.html#the-with-statement,
# https://learn.microsoft.com/dotnet/csharp/language-reference/statements/using,
# https://docs.oracle.com/javase/tutorial/essential/exceptions/tryResourceClose.html
_BLOCKS = {
    "py": lazy_pattern(r"^\s*(?:async\s+)?with\s+(?P<made>.+)\s+as\s+(?P<name>\w+)\s*:\s*$"),
    "java": lazy_pattern(
        r"^\s*(?:await\s+)?(?:using\s*\(?|try\s*\()\s*(?:final\s+)?[\w<>\[\],.?]+\s+(?P<name>\w+)"
        r"\s*=\s*(?P<made>.+?)(?:;\s*$|\)\s*(?:\{\s*)?$)"
    ),
    "rb": lazy_pattern(r"^\s*(?P<made>[A-Z]\w*(?:::\w+)*\.\w+\(.*\))\s+do\s+\|(?P<name>\w+)\|\s*$"),
}
_ASSIGNED = r"^\s*(?:[\w<>\[\],.?]+\s+)?NAME\s*=\s*(?:await\s+)?"
_CLOSES = (
    r"\bNAME\??\.(?:aclose|close|Close|CloseAsync|Dispose|DisposeAsync|dispose|shutdown|stop"
    r"|quit)\b"
    r"|\breturn\s+(?:[^\n]*[(,]\s*)?NAME\s*(?:[,);]|$)|\b(?:closing|enter_context"
    r"|enter_async_context)\(|\bself\.\w+\s*="
    r"|\bthis\.\w+\s*=|\byield\b|\bwith\s+NAME\b|\b(?:closeQuietly|ensure|finally)\b"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(b"defer", b"with", b"using", b"try", b" do "):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    kind = language_of(file.path)
    pattern = _DEFERRED if kind == "go" else _BLOCKS.get(kind)
    if pattern is None:
        return
    for block in file.blocks:
        for line in block.removed:
            found = pattern.match(code_of(line.text))
            if found is None or squeeze(line.text) in sources.added_statements:
                continue
            name = _deferred(file, line, found) if kind == "go" else _unblocked(file, block, found)
            if name and unit_stays(file, line):
                instead = quoted(block.added[0].text) if block.added else ""
                title = f"nothing closes {name} any more"
                yield taken(weigh_loss(_RULE, file, block), file, line, title, instead)


def _deferred(file: ComparedFile, line: Line, found: re.Match[str]) -> str:
    """What a line of Go closed at the end of its function, where it is still made and not handed
    to anybody who may close it."""
    rows = [_READS.sub(" ", row) for row in _rows_of_unit(file, line)]
    name = found["name"]
    made = re.compile(rf"\s*(?:var\s+)?(?:\w+,\s*)*{name}(?:,\s*\w+)*\s*:?=")
    closes = re.compile(_HANDED_ON.replace("NAME", name))
    if not any(map(made.match, rows)) or any(map(closes.search, rows)):
        return ""
    whole = f"{name}{found['rest']}"
    return whole.rpartition(".")[0] or whole


# What takes a reader, and leaves it open
_READS = lazy_pattern(
    r"\b(?:io|ioutil|bufio|json|xml|csv|yaml|fmt|hash|gzip|binary"
    r"|toml)\.\w+\((?:[\w.]+,\s*)*[\w.]+\)"
)
_HANDED_ON = (
    r"\bNAME(?:\.\w+)*\.(?:Close|Stop|End|Release|Shutdown)\b|\bNAME\(|\bdefer\b.*\bNAME\b"
    r"|\breturn\s+(?:[^\n]*,\s*)?&?NAME\s*(?:,|$)|[:=]\s*&?NAME\s*(?:[,}]\s*)?$"
    r"|[(,{]\s*NAME\s*[,)}]"
)


def _unblocked(file: ComparedFile, block: Block, found: re.Match[str]) -> str:
    """What is made as before, without the block that closed it."""
    name = found["name"]
    assigned = re.compile(_ASSIGNED.replace("NAME", name))
    for new in block.added:
        text = code_of(new.text)
        head = assigned.match(text)
        if head and squeeze(text[head.end() :]) == squeeze(found["made"]):
            closes = re.compile(_CLOSES.replace("NAME", name))
            unit = file.head_code.unit(new.number)
            below = (
                row
                for at, row in enumerate(file.head_rows[new.number :], new.number + 1)
                if file.head_code.unit(at) == unit
            )
            return "" if any(map(closes.search, below)) else name
    return ""


def _rows_of_unit(file: ComparedFile, line: Line) -> list[str]:
    unit = file.base_code.unit(line.number)
    return [
        row for at, row in enumerate(file.head_rows, 1) if is_inside(file.head_code.unit(at), unit)
    ]
