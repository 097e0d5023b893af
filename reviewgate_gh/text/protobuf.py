"""The fields of messages in a file of Protocol Buffers, as they are on the wire; of text whose
comments are gone. https://protobuf.dev/reference/protobuf/proto3-spec/"""

import sys
from collections.abc import Sequence

from msgspec import Struct

from .patterns import lazy_pattern

_TOKEN = lazy_pattern(r"-?[\w.]+|\"[^\"\n]*\"|'[^'\n]*'|[{}<>\[\]();=,]")
_LABELS = ("optional", "required", "repeated")
_NO_FIELDS = ("option", "import", "syntax", "edition", "package", "extensions", "rpc")
# https://protobuf.dev/programming-guides/proto3/#updating: within one kind old data can be read
_KINDS = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "fixed32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "fixed64"),
    **dict.fromkeys(("string", "bytes"), "string"),
    "float": "float",
    "double": "double",
}
_LONGEST_NUMBER = 10  # digits
_DEEPEST = 50  # messages within messages


class Field(Struct, frozen=True):
    """A field: its name, its type as it is written, and where in the text it stands."""

    name: str
    type: str
    at: int

    def fits(self, other: "Field") -> bool:
        """Who knows the other can read this; a type of the file's own may be an enumeration."""
        kinds = {
            _KINDS.get(each.type, "map" if "<" in each.type else "own") for each in (self, other)
        }
        return len(kinds) == 1 or kinds == {"varint", "own"}


class Message(Struct):
    """The fields of a message by their numbers, and the first and last of those that nobody may
    take. Of an enumeration the values by their names."""

    fields: dict[int, Field]
    reserved: list[tuple[int, int]]
    values: dict[str, tuple[int, int]]

    def reserves(self, number: int) -> bool:
        """Nobody may take the number."""
        return any(first <= number <= last for first, last in self.reserved)


def read_messages(text: str) -> dict[str, Message]:
    """Messages and enumerations by their full names within the file."""
    found = dict[str, Message]()
    open_: list[tuple[str, str]] = []  # kinds and names
    statement: list[tuple[str, int]] = []
    in_brackets = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        in_brackets = max(0, in_brackets + (sign == "[") - (sign == "]"))
        if in_brackets or sign == "]":
            continue
        if sign == "{":
            kind, name = _opened([word for word, _at in statement], len(open_))
            open_.append((kind, name))
            if name:
                found[_full_name(open_)] = Message({}, [], {})
            statement = []
        elif sign == "}":
            if open_:
                open_.pop()
            statement = []
        elif sign == ";":
            name = _full_name(open_)
            if open_ and open_[-1][0] and name in found:
                _read(found[name], open_[-1][0], statement)
            statement = []
        else:
            statement.append((sign, token.start()))
    return found


def _opened(words: Sequence[str], depth: int) -> tuple[str, str]:
    """The kind and the name of what begins with these words; the fields of a choice are those of
    the message around it."""
    kind, name = words[:2] if len(words) > 1 else ("", "")
    if depth > _DEEPEST or kind not in ("message", "enum", "oneof"):
        return "", ""
    if kind != "oneof":
        return kind, name
    return ("message", "") if depth else ("", "")


def _full_name(open_: Sequence[tuple[str, str]]) -> str:
    return ".".join(name for _kind, name in open_ if name)


def _read(message: Message, kind: str, statement: Sequence[tuple[str, int]]) -> None:
    words = [word for word, _at in statement]
    if words[:1] == ["reserved"]:
        _reserve(message, words[1:])
        return
    if "=" not in words or words[0] in _NO_FIELDS:
        return
    at = words.index("=")
    number = words[at + 1] if at + 1 < len(words) else ""
    if not _is_number(number.removeprefix("-")) or at < 1:
        return
    name, start = statement[at - 1]
    if kind == "enum":
        message.values[name] = int(number), start
    elif at > 1:
        of_type = words[1 : at - 1] if words[0] in _LABELS else words[: at - 1]
        message.fields[int(number)] = Field(name, "".join(of_type), start)


def _reserve(message: Message, words: Sequence[str]) -> None:
    """`2, 9 to 11, 40 to max`, or names."""
    for at, word in enumerate(words):
        if word == "to" and 0 < at < len(words) - 1 and _is_number(words[at - 1]):
            first, last = int(words[at - 1]), words[at + 1]
            message.reserved.append((first, int(last) if _is_number(last) else sys.maxsize))
        elif _is_number(word):
            message.reserved.append((int(word), int(word)))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER
