"""Protocol Buffers: fields that mean something else on the wire than before. Programs and stored
data of the old kind are then read wrongly.

https://protobuf.dev/best-practices/dos-donts/, https://buf.build/docs/breaking/rules/
"""

from collections.abc import Iterator

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.protobuf import Message, read_messages
from .._remark import ComparisonRule, put, taken
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
WIRE = ComparisonRule(
    "wire-format-changed",
    Priority.P2,
    "Programs that know the old form, and stored data, are read wrongly. Give what is new a number "
    "of its own, and reserve those that are free.",
)
_MOST = 500_000  # characters


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.path.endswith(".proto") or file.is_new or file.is_gone or file.is_foreign:
            continue
        if file.is_product and max(len(file.base), len(file.head)) <= _MOST:
            yield from _first(file)


def _first(file: ComparedFile) -> Iterator[Finding]:
    base, head = (_messages(file.path, text) for text in (file.base, file.head))
    for name, old in base.items():
        new = head.get(name)
        found = next(_changes(name, old, new), None) if new else None
        if found:
            title, at, is_gone = found
            text = file.base if is_gone else file.head
            number = text.count("\n", 0, at) + 1
            rows = file.base_rows if is_gone else file.head_rows
            line = Line(number, rows[number - 1])
            yield (taken if is_gone else put)(WIRE, file, line, title)
            return


def _messages(path: str, text: str) -> dict[str, Message]:
    source = SourceText(path, text.encode("utf-8", "surrogateescape"))
    return read_messages(source.without_comments())


def _changes(name: str, old: Message, new: Message) -> Iterator[tuple[str, int, bool]]:
    """What is said of each change, where it stands, and whether that is at base."""
    numbers = {field.name: number for number, field in new.fields.items()}
    for number, field in old.fields.items():
        now = new.fields.get(number)
        if now and not now.fits(field):
            title = f"field {number} of {name} was {field.type} and is {now.type}"
            yield title, now.at, False
        elif (moved := numbers.get(field.name, number)) != number and (
            # One of another type has its name, and the old one, which stays, a new name
            now is None or new.fields[moved].fits(field)
        ):
            title = f"{field.name} of {name} had the number {number} and has {moved}"
            yield title, new.fields[moved].at, False
        elif not now and not new.reserves(number):
            title = f"{name} loses field {number}, whose number is not reserved"
            yield title, field.at, True
    for value, (number, _at) in old.values.items():
        if value in new.values and new.values[value][0] != number:
            title = f"{value} of {name} was {number} and is {new.values[value][0]}"
            yield title, new.values[value][1], False
