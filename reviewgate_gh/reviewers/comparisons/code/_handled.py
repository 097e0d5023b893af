"""What a handler does for those who come after it, which code it belongs to, and whether anything
can reach it."""

import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ....text.patterns import lazy_pattern
from .._definitions import is_definition
from .._guards import code_of
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze

_KEEPS = lazy_pattern(r"^\s*(?:(?:self|this)\.|@|\$this->|\$)?(?P<name>\w+)\s*=(?!=)")
_ASKS = lazy_pattern(r"[!=]==?|\bis\b|\?|\b(?:if|unless|guard|while|assert)\b")


def is_asked_later(file: ComparedFile, number: int) -> bool:
    """The handler that begins in a line of the head keeps a value, and new code beside it asks
    about it."""
    inside = range(number + 1, number + 1 + len(rows_under(file.head_rows, number)))
    found = (_KEEPS.match(code_of(file.head_rows[at - 1])) for at in inside)
    names = {each["name"] for each in found if each}
    asking = (
        code_of(line.text)
        for line in file.added
        if line.number not in inside and _ASKS.search(line.text)
    )
    return bool(names) and any(has_word(row, name) for row in asking for name in names)


def guards_the_same(file: ComparedFile, number: int) -> bool:
    """Something of what the handler of the base was for is at head: git takes the head of one
    handler for that of another."""
    depth = _depth(file.base_rows[number - 1])
    body = takewhile(
        lambda row: not row.strip() or _depth(row) > depth, reversed(file.base_rows[: number - 1])
    )
    said = [squeeze(row) for row in body if len(row.strip()) > 2]
    now = {*map(squeeze, file.head_rows)}
    return not said or any(row in now for row in said)


def rows_under(rows: Sequence[str], number: int) -> Sequence[str]:
    """Those that are indented below one."""
    depth = _depth(rows[number - 1])
    first = number + (rows[number : number + 1] != () and rows[number].strip() == "{")
    return [*takewhile(lambda row: not row.strip() or _depth(row) > depth, rows[first:])]


def does_something(file: ComparedFile, number: int) -> bool:
    """The handler whose head is at this line of the base does something, and not only says so
    before it hands on the very same error."""
    does = [row for row in handler_rows(file, number) if _acts(row)]
    if any(map(_AGAIN.match, does)) and all(map(_SAYS.match, does)):
        return False
    return bool(does) or "=>" in file.base_rows[number - 1]


_AGAIN = lazy_pattern(r"^\s*(?:raise|rethrow|throw)(?:\s+\w+)?\s*(?:;\s*)?$")


def handler_rows(file: ComparedFile, number: int) -> list[str]:
    """Its statements."""
    rows = file.base_rows
    depth = _depth(rows[number - 1])
    first = number + (number < len(rows) and rows[number].strip() == "{")
    below = rows[first : first + _LONGEST_HANDLER]
    ends = (at for at, row in enumerate(below) if row.strip() and _depth(row) <= depth)
    return [rows[number - 1].partition(":")[2], *below[: next(ends, len(below))]]


def answers(file: ComparedFile, number: int) -> bool:
    """The handler does more about the error than to say so."""
    return any(_acts(row) and not _SAYS.match(row) for row in handler_rows(file, number))


# Handlers that only tell, hand on or drop the error
_SAYS = lazy_pattern(
    r"(?i)^\s*[\w.$>@:\\-]*(?<![a-z])(?:log\w*|console|warn\w*|print\w*|puts|debug|trace"
    r"|printStackTrace)\b.*|^\s*(?:raise|throw)\b|^\s*\}|^\s*(?:break|continue)\b"
    r"|^\s*return(?:\s+(?:None|null|nil|undefined|false|true|\"\"|''|\[\]|\{\}))?\s*(?:;\s*)?$"
)


def _acts(row: str) -> bool:
    bare = code_of(row).strip()
    return bool(bare.strip("{}()[];,")) and not _NOTHING.match(bare)


def tries_again(file: ComparedFile, line: Line) -> bool:
    """The handler gave the same things to another reader: a format, or a way, of which there is one
    less."""
    tries = [found for row in body_of(file, line) if (found := _GIVES.match(code_of(row)))]
    again = [
        found for row in handler_rows(file, line.number) if (found := _GIVES.match(code_of(row)))
    ]
    return any(
        one["left"].split() == other["left"].split()
        and squeeze(one["given"]) == squeeze(other["given"])
        for one in tries
        for other in again
    )


# A value that a call makes: what is done with it, and what the call is given
_GIVES = lazy_pattern(
    r"^\s*(?P<left>(?:return\b|(?:\w+\s+)?[\w.]+\s*=(?!=))?)\s*(?:await\s+)?(?:new\s+)?[\w.:>-]+"
    r"\((?P<given>[^=].*)\)\s*[;?]*\s*$"
)


def never_runs(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """Nothing can reach the handler: what it is for comes with the language, or is thrown by
    nobody."""
    if file.path.endswith(".py") and _NO_MODULE.search(line.text):
        return _is_of_language(file, line)
    if "LoadError" in line.text:
        own = [_REQUIRES.match(row) for row in body_of(file, line)]
        names = tuple(f"/{each[1].rpartition('/')[2]}.rb" for each in own if each)
        return len(names) == len(own) > 0 and any(
            f"/{other.path}".endswith(names) for other in sources.files
        )
    if file.path.endswith((".ex", ".exs")) and line.text.strip() == "catch":
        return not _is_thrown(file, line)
    return _is_of_no_error(sources, line)


# A file of the project's own, which the change may let do without what was missing
_REQUIRES = lazy_pattern(r"\s*require_relative[\s(]+[\"']([^\"']+)[\"']")
_NO_MODULE = lazy_pattern(r"\b(?:ImportError|ModuleNotFoundError)\b")
_IMPORTS = lazy_pattern(r"\s*(?:from|import)\s+([\w.]+)")


def _is_of_language(file: ComparedFile, line: Line) -> bool:
    """Python itself has the module that is imported, and what took its place was for older ones: a
    package, or the module that it lies in now."""
    handler = filter(_acts, handler_rows(file, line.number))
    ours, others = (
        [found[1] if (found := _IMPORTS.match(row)) else "" for row in rows]
        for rows in (body_of(file, line), handler)
    )
    return (
        bool(ours and others)
        and all(each.partition(".")[0] in sys.stdlib_module_names for each in ours)
        and all(_is_older(each, ours) for each in others)
    )


def _is_older(module: str, others: Sequence[str]) -> bool:
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return bool(module)
    return any(each.startswith(f"{module}.") for each in others)


def _is_of_no_error(sources: ComparisonInput, line: Line) -> bool:
    """The classes that it names are the project's own, and nothing but handlers names them."""
    names = _CLASS.findall(code_of(line.text))
    removed = [(each.path, old.text) for each in sources.files for old in each.removed]
    found = sources.find_words(names) if names else {}
    for name in names:
        places = [(place.path, code_of(place.text)) for place in found[name]]
        own = [*places, *((path, text) for path, text in removed if has_word(text, name))]
        if not any(is_definition(path, text, name) for path, text in own):
            return False
        if any(
            has_word(text, name) and not is_definition(path, text, name) and not _NAMES.search(text)
            for path, text in places
        ):
            return False
    return bool(names)


_CLASS = lazy_pattern(r"(?<![\w:\\])(?:\\?\w+(?:\\|::|\.))*([A-Z]\w+)")
# It is handled, taken in, or handed on
_NAMES = lazy_pattern(
    r"^\s*(?:from|import|use|using|export|require\w*|autoload)\b|^\s*[\"']?\w+[\"']?,?\s*$"
)


def _is_thrown(file: ComparedFile, line: Line) -> bool:
    """Elixir: the definition, or another one of its file that it reaches, throws something; or it
    is about exits and errors as well. https://hexdocs.pm/elixir/Kernel.SpecialForms.html#try/1"""
    if any(map(_OF_KIND.match, handler_rows(file, line.number))):
        return True
    rows, name = dict[str, list[str]](), ""
    for row in file.base_rows:
        name = found[1] if (found := _FUNCTION.match(row)) else name
        rows.setdefault(name, []).append(code_of(row))
    reached, left = set[str](), [*map(code_of, body_of(file, line))]
    while left:
        if has_word(row := left.pop(), "throw"):
            return True
        called = {*_CALLS.findall(row)} & rows.keys() - reached
        reached |= called
        left += (each for name in called for each in rows[name])
    return False


_OF_KIND = lazy_pattern(r"\s*:?\w+\s*,")
_FUNCTION = lazy_pattern(r"\s*defp?\s+([a-z_]\w*[?!]?)")
_CALLS = lazy_pattern(r"(?<![\w.])([a-z_]\w*[?!]?)\(")


def begin_of(file: ComparedFile, catch: Line) -> int:
    """The line of the `try` that the handler belongs to; 0 where none is near."""
    rows = file.base_rows
    near = range(catch.number - 1, max(0, catch.number - 60), -1)
    other = next((sign for end, sign in _BEGINS.items() if file.name.endswith(end)), None)
    begins = (n for n in near if TRY.match(rows[n - 1]) or (other and other.match(rows[n - 1])))
    return next(begins, 0)


def forms_of(file: ComparedFile, first: int, row: str) -> Iterator[str]:
    """How the row of the body may look outside: alone, or where the value of the whole `try` went
    to, by its first line."""
    yield squeeze(row)
    found = TRY.match(file.base_rows[first - 1]) if first else None
    if found and found["of"]:
        yield squeeze(f"{found['of']} {row}")


def body_of(file: ComparedFile, catch: Line) -> list[str]:
    """The statements between `try` and the handler."""
    rows = file.base_rows
    first = begin_of(file, catch)
    return [row for row in rows[first : catch.number - 1] if len(row.strip()) > 3] if first else []


TRY = lazy_pattern(
    r"^\s*(?:try\b.*[:{]?|begin)\s*$|^\s*try\s*[:{(]|^(?P<of>.*(?:=|\breturn))\s+try\s*(?:\{\s*)?$"
)
_DO = lazy_pattern(r"^\s*do\s*(?:throws\(\w+\)\s*)?\{\s*$")  # of Swift
METHOD = lazy_pattern(r"^\s*defp?\s")  # of Ruby and Elixir, whose body may end with handlers
_LONGEST_HANDLER = 30  # lines
_NOTHING = lazy_pattern(r"^\s*(?:pass|\.\.\.|continue|nil)\s*(?:;\s*)?$")
_BEGINS = {(".rb", ".ex", ".exs"): METHOD, (".swift",): _DO}


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
