"""Edits that stand beside each other in a change and have nothing to do with each other: what goes
is not replaced by whatever comes next to it."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from ...text.patterns import lazy_pattern
from ._lines import Block, Line

_MOST_LINES = 40  # of a block, beyond which it was rewritten
_ALIKE = 0.5  # of the words of two lines
_WORD = lazy_pattern(r"[A-Za-z_]\w{2,}")
_TOKEN = lazy_pattern(r"\w+|[^\w\s]")
# Words that are in any line
_PLAIN = frozenset(
    ("err", "error", "errors", "return", "self", "this", "let", "var", "val", "const", "mut",
     "final", "new", "int", "str", "string", "bool", "void", "auto", "async", "await", "true",
     "false", "True", "False", "nil", "null", "None", "not", "and", "for", "def", "func",
     "function", "public", "private", "static", "import", "from", "package", "use", "using",
     "struct", "class", "end", "then", "else", "elif", "context")
)  # fmt: skip
# What may do the same in other words
_DECIDES = lazy_pattern(
    r"(?i)\b(?:if|unless|guard|elif|elsif|case|when|match|switch|assert|raise|throw|panic|abort|try"
    r"|catch|except|rescue|finally|ensure|defer|with|using|synchronized|super|yield|include|extend"
    r"|\w*(?:valid|check|requir|verif|clamp|limit|refuse|reject|guard|auth|permi|polic|protect"
    r"|secur|allow|den(?:y|ies)|sanit|escape|timeout|deadline|lock|mutex|atomic|transaction|retr"
    r"|middleware|interceptor|filter|hook|before|wrap|decorat|handle)\w*)\b|[?!]\.|\?\?|^\s*@"
    r"|^\s*#?\["
    r"|^\s*(?:return|pass|continue|break|next|exit|goto|\.\.\.|nil|null|None|undefined)\b"
)


def apart(block: Block) -> Iterator[Block]:
    """The block itself, or its parts: lines that became others, lines that only go or come, and a
    definition that is new."""
    at = _new_definition(block)
    if at:
        yield from apart(Block(block.removed, block.added[:at]))
        yield Block((), block.added[at:])
        return
    if not (block.removed and block.added) or not 1 < max(map(len, block)) <= _MOST_LINES:
        yield block
        return
    parts = [*_parts(block)]
    if all(not part.added or _belongs(block, part) for part in parts):
        yield from parts if _are_beside(parts) else (block,)
        return
    for part in parts:
        if part.removed and part.added and not _belongs(block, part):
            yield Block(part.removed, ())
            yield Block((), part.added)
        else:
            yield part


_DEFINES = lazy_pattern(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|final|async|pub|open"
    r"|override)"
    r"\s+)*(?:def|func|fn|fun|function|class|struct|interface|trait|enum|module|object)\s+"
    r"(?:\([^()]*\)\s*)?(?P<name>[\w$]+)|^(?:[A-Za-z_][\w*]*\s+)+\*?(?P<c>\w+)\([^;=]*\)\s*\{?$"
    r"|^(?P<sh>\w+)\(\)\s*\{$"
)


def _new_definition(block: Block) -> int:
    """Where in the added lines a definition begins that the base did not have there, beside what
    goes; 0 for none."""
    if not block.removed or not any(line.text.strip() for line in block.removed):
        return 0
    depth = min(_depth(line.text) for line in block.removed if line.text.strip())
    for at, line in enumerate(block.added):
        found = _DEFINES.match(line.text) if at and _depth(line.text) <= depth else None
        name = found and (found["name"] or found["c"] or found["sh"])
        if name and not any(name in old.text for old in block.removed):
            return _where_it_begins(block, at)
    return 0


def _where_it_begins(block: Block, at: int) -> int:
    """With the blank lines above it; 0 for one that is nothing but another name."""
    first = at
    while first > 1 and not block.added[first - 1].text.strip():
        first -= 1
    has_code = any(new.text.strip() for new in block.added[:first])
    renamed = any(_DEFINES.match(old.text) for old in block.removed)
    return first if has_code or (first and not renamed) else 0


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def _belongs(block: Block, part: Block) -> bool:
    """What comes speaks of what goes, in its place or else anywhere in the block, or decides
    something."""
    gone = " ".join(line.text for line in part.removed or block.removed)
    new = " ".join(line.text for line in part.added)
    words = {*_WORD.findall(gone)} - _PLAIN
    return bool(words & {*_WORD.findall(new)}) or any(
        _DECIDES.search(line.text) for line in part.added
    )


def _are_beside(parts: Sequence[Block]) -> bool:
    """Some lines only go, and those that became others took nothing over from them."""
    gone = [part for part in parts if not part.added]
    rest = {*_NAME.findall(_text(gone))} - _PLAIN
    return (
        bool(gone)
        and all(len(part.removed) == len(part.added) for part in parts if part.added)
        and all(_is_closed(_text([part])) for part in gone)
        and not any(_IS_ABOVE.match(part.removed[-1].text) for part in gone)
        and not any(_takes_over(part, rest) for part in parts if part.added)
    )


def _takes_over(part: Block, rest: Set[str]) -> bool:
    """The new line has a word of what goes that the old one did not have, or only one of them
    decides something: what goes may be its branch."""
    old, new = part.removed[0].text, part.added[0].text
    came = {*_NAME.findall(new)} - {*_NAME.findall(old)}
    return bool(came & rest) or bool(_DECIDES.search(new)) != bool(_DECIDES.search(old))


def _text(parts: Sequence[Block]) -> str:
    return "\n".join(line.text for part in parts for line in part.removed)


def _is_closed(text: str) -> bool:
    """It is no piece of a statement, as far as brackets tell."""
    return all(text.count(one) == text.count(other) for one, other in ("()", "[]", "{}"))


_NAME = lazy_pattern(r"[A-Za-z_]\w*")
_IS_ABOVE = lazy_pattern(r"\s*(?:@|#?\[)")  # of the definition that it is written for


def _parts(block: Block) -> Iterator[Block]:
    """The block, divided where one line became another."""
    old = new = 0
    for one, other in _pairs(block.removed, block.added):
        yield from _rest(block.removed[old:one], block.added[new:other])
        yield Block((block.removed[one],), (block.added[other],))
        old, new = one + 1, other + 1
    yield from _rest(block.removed[old:], block.added[new:])


def _rest(removed: Sequence[Line], added: Sequence[Line]) -> Iterator[Block]:
    if removed or added:
        yield Block(tuple(removed), tuple(added))


def _pairs(removed: Sequence[Line], added: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Lines that became others, in their order."""
    first = 0
    for at, new in enumerate(added):
        alike = ((_likeness(old.text, new.text), -n) for n, old in enumerate(removed) if n >= first)
        best, place = max(alike, default=(0.0, 0))
        if best >= _ALIKE:
            first = -place + 1
            yield -place, at


def _likeness(one: str, other: str) -> float:
    left, right = _tokens(one), _tokens(other)
    shared = (left & right).total()
    if not any(len(token) > 2 for token in left & right):
        return 0.0
    return 2 * shared / (left.total() + right.total())


@lru_cache(4096)
def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(text))
