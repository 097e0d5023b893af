"""Conditions that could not be true: the declared type of a parameter rules out what they ask."""

import re
from collections.abc import Collection, Mapping

from ....text.patterns import lazy_pattern
from .._definitions import CodeDefinition, language_of
from .._guards import code_of
from .._parameters import arity, parameters
from .._sources import Block, ComparedFile
from ._meant_refusals import first_of_code, names_no_value

# What may be a value of a type that is not named so. A class may be anything that is no scalar:
# https://www.php.net/manual/en/language.types.type-system.php,
# https://docs.python.org/3/library/typing.html, https://www.typescriptlang.org/docs/handbook/2/
_SIMPLE: Mapping[str, frozenset[str]] = {
    "php": frozenset(("string", "int", "float", "bool", "array", "null", "false", "true")),
    "py": frozenset(
        ("str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "None")
    ),
    "js": frozenset(("string", "number", "boolean", "bigint", "symbol", "undefined", "null")),
}  # fmt: skip
# More than one of the names may be asked for
_HELD = {
    "numeric": ("int", "float", "string"),
    "bool": ("bool", "false", "true"),
    "int": ("int", "bool"),  # of Python a truth value is one, and a float may be written as one
    "float": ("float",),
    "object": (),
}
_ASKED = {
    "php": lazy_pattern(
        r"\(*\s*(?P<not>!\s*)?is_(?P<type>string|int|float|bool|array|null|numeric)"
        r"\(\s*\$(?P<name>\w+)\s*\)[\s)]*"
    ),
    "py": lazy_pattern(
        r"\(*\s*(?P<not>not\s+)?isinstance\(\s*(?P<name>\w+)\s*,\s*\(?(?P<type>[\w,\s]+)\)[\s)]*"
    ),
    "js": lazy_pattern(
        r"\(*\s*typeof\s+\(?(?P<name>\w+)\)?\s*(?:(?P<not>!==?)"
        r"|===?)\s*[\"'](?P<type>\w+)[\"'][\s)]*"
    ),
    "kt": lazy_pattern(r"\(*\s*(?P<name>\w+)\s*===?\s*(?P<type>null)[\s)]*(?P<not>(?!))?"),
}
_CONDITION = lazy_pattern(r"^\s*(?:(?:\}\s*)?else\s+)?(?:if|elif|unless)\b(?P<what>.*)")
_EITHER = lazy_pattern(r"\|\||\bor\b")
_BOTH = lazy_pattern(r"&&|\band\b")
_DENIES_GROUP = lazy_pattern(r"!\s*\(|\bnot\s*\(|\bunless\b")
_ENFORCED = ("php", "kt")  # by the language itself, whoever calls


def is_ruled_out(file: ComparedFile, block: Block, served: bool) -> bool:
    """No value that the parameter may have at head was refused. Where only a checker of types sees
    to that, it does not hold for what comes `served` from outside."""
    kind = "kt" if file.path.endswith((".kt", ".kts")) else language_of(file.path)
    first = first_of_code(block)
    found = _CONDITION.match(code_of(first.text))
    unit = file.base_code.unit(first.number)
    if kind not in _ASKED or found is None or (served and kind not in _ENFORCED):
        return False
    if _DENIES_GROUP.search(found["what"]) or not unit:
        return False
    declared = _declared(file, unit)
    changed = _changed_before(file, unit, first.number)
    types = {name: each for name, each in declared.items() if name not in changed}
    return bool(types) and all(
        any(_cannot_be(kind, operand.strip(), types) for operand in _BOTH.split(alternative))
        for alternative in _EITHER.split(found["what"].rstrip(" \t{:"))
    )


def has_to_be_given(file: ComparedFile, block: Block) -> bool:
    """A call without a value was refused, and the language refuses it now: the definition asks for
    more parameters than before."""
    first = first_of_code(block)
    code, kind = code_of(first.text), language_of(file.path)
    unit = file.base_code.unit(first.number)
    if kind == "js" or not (names_no_value(code) or _NONE_AT_ALL.search(code)):
        return False
    before, after = (
        _fewest(kind, text, unit, source.definitions.get(unit, 0))
        for text, source in ((file.base, file.base_code), (file.head, file.head_code))
    )
    return after > before


def _fewest(kind: str, text: str, unit: str, line: int) -> int:
    """How many parameters a call has to give."""
    each = CodeDefinition(unit.rpartition(".")[2], line, "", False, True)
    found = parameters(text, each) if line else None
    counts = arity(kind, tuple(row for row in found or () if not _MANY.search(row)))
    return counts[0] if counts else 0


_NONE_AT_ALL = lazy_pattern(
    r"\b(?:count|len|sizeof|empty|func_num_args)\(|(?i:\.(?:length|size|count|isEmpty)\b)|\bempty\?"
)
_MANY = lazy_pattern(r"\.\.\.|^\*(?=\w)|^&(?=\w)|\b(?:params|vararg)\b")


def _declared(file: ComparedFile, unit: str) -> Mapping[str, str]:
    """The types of the parameters of a definition of the head, as written, by their names."""
    line = file.head_code.definitions.get(unit, 0)
    each = CodeDefinition(unit.rpartition(".")[2], line, "", False, True)
    found = parameters(file.head, each) if line else None
    pairs = (_TYPE_FIRST.fullmatch(part) or _NAME_FIRST.fullmatch(part) for part in found or ())
    return {pair["name"]: _with_default(pair) for pair in pairs if pair}


_TYPE_FIRST = lazy_pattern(
    r"(?:(?:public|private|protected|readonly)\s+)*(?P<type>\??[\\\w|]+)\s+&?\$(?P<name>\w+)"
    r"(?:\s*=\s*(?P<default>\S+))?"
)
_NAME_FIRST = lazy_pattern(
    r"(?P<name>\w+)(?P<may>\?)?\s*:\s*(?P<type>[\w.\[\], |?]+?)(?:\s*=\s*(?P<default>\S+))?"
)


def _with_default(pair: re.Match[str]) -> str:
    """The type, and what else the value may be where nothing is given."""
    given = pair.groupdict()
    null = given["default"] in ("null", "None", "NULL") or given["type"].startswith("?")
    return (
        f"{given['type']}{'|null|None' if null else ''}{'|undefined' if given.get('may') else ''}"
    )


def _changed_before(file: ComparedFile, unit: str, line: int) -> Collection[str]:
    """What the definition gives another value above the line."""
    first = file.base_code.rows(file.base_code.definitions.get(unit, line)).stop
    rows = (code_of(file.base_rows[at - 1]) for at in range(first, line))
    return {found[1] for row in rows for found in _SETS.finditer(row)}


_SETS = lazy_pattern(r"\$?\b(\w+)\s*(?:[-+*/.|&?]{1,2})?=(?![=>])")


def _cannot_be(kind: str, operand: str, declared: Mapping[str, str]) -> bool:
    """The operand asks for a type that the parameter never has, or denies the only one."""
    found = _ASKED[kind].fullmatch(operand)
    written = declared.get(found["name"], "") if found else ""
    if found is None or not written:
        return False
    if kind == "kt":
        return "?" not in written and not re.fullmatch(r"[A-Z]|Any", written.strip())
    types = {each.strip() for each in written.lstrip("?").split("|")} - {""}
    asked = {*map(str.strip, found["type"].split(","))} - {""}
    return types <= asked if found["not"] else _never_meet(kind, types, asked)


def _never_meet(kind: str, types: Collection[str], asked: Collection[str]) -> bool:
    """No value of the one types is one of the others."""
    own = _SIMPLE[kind]
    held = {name for each in asked for name in (each, *_HELD.get(each, ()))}
    # Of PHP a class is no scalar; elsewhere it may be a name for one
    names = {each for each in types if each not in own and each != "None"}
    known = not names or (kind == "php" and not names & _ANY and all(map(_is_class, names)))
    also = ["int"] if kind == "py" and "float" in types else []
    return known and {*asked} <= own | {"numeric"} and held.isdisjoint([*types, *also])


_ANY = frozenset(("mixed", "callable", "iterable", "object", "self", "static"))


def _is_class(name: str) -> bool:
    return name.rpartition("\\")[2][:1].isupper()
