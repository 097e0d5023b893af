"""Constraints of schemas that are gone from columns and fields that stay: of tables, of JSON, of
messages."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of, loss_is_explained
from .._related import brings_tests_for
from .._remark import hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .validation import RULE

EVERY_FILE = False


class _Kind(NamedTuple):
    """Files of schemas: by their path and what they have to hold, what constrains a field beside it
    in its row, and what does so in a row of its own."""

    path: re.Pattern[str]
    holds: re.Pattern[str]
    beside: re.Pattern[str]
    alone: re.Pattern[str]
    sure: bool


_ANY = lazy_pattern(r"")
_NEVER = lazy_pattern(r"(?!)")
_IN_BRACKETS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_KINDS = (
    _Kind(
        lazy_pattern(r"\.sql$"),
        _ANY,
        lazy_pattern(
            rf"(?i)\s*\bNOT\s+NULL\b|\s*\bUNIQUE\b(?!\s*\()|\s*\bCHECK\s*{_IN_BRACKETS}"
            rf"|\s*\bREFERENCES\s+[\w.\"`]+\s*(?:{_IN_BRACKETS})?(?:\s+ON\s+\w+\s+(?:SET\s+)?\w+)*"
        ),
        lazy_pattern(
            r"(?i)^\s*(?:ALTER\s+TABLE\s+(?:ONLY\s+)?[\w.\"`]+\s+ADD\s+)?(?:CONSTRAINT\s+[\w\"`]+\s+)?"
            r"(?P<what>CHECK|UNIQUE|FOREIGN\s+KEY)\s*\(.*\)"
        ),
        True,
    ),
    _Kind(
        lazy_pattern(r"\.prisma$"),
        _ANY,
        lazy_pattern(r"\s*@(?:unique\b|relation\([^()]*\))"),
        lazy_pattern(r"^\s*@@(?P<what>unique)\("),
        True,
    ),
    # https://github.com/bufbuild/protovalidate, https://github.com/bufbuild/protoc-gen-validate
    _Kind(
        lazy_pattern(r"\.proto$"),
        _ANY,
        lazy_pattern(
            r"\s*\[\s*\((?:buf\.)?validate\.\w+\).*\]|,?\s*\((?:buf\.)?validate\.\w+\)[^,\]]*"
        ),
        _NEVER,
        True,
    ),
    # https://api.rubyonrails.org/classes/ActiveRecord/ConnectionAdapters/TableDefinition.html
    _Kind(
        lazy_pattern(r"(?:^|/)db/.*\.rb$"),
        _ANY,
        lazy_pattern(r",\s*(?:null:\s*false|unique:\s*true|foreign_key:\s*(?:true|\{[^{}]*\}))"),
        lazy_pattern(r"^\s*(?P<what>add_foreign_key|add_check_constraint|t\.check_constraint)\b"),
        True,
    ),
    # https://json-schema.org/draft/2020-12/json-schema-validation
    _Kind(
        lazy_pattern(r"\.(?:json|ya?ml)$"),
        lazy_pattern(r"(?m)^\s*\"?properties\"?\s*:"),
        lazy_pattern(
            r",?\s*\"(?:m(?:in|ax)(?:imum|Length|Items|Properties)|exclusiveM(?:in|ax)imum|pattern"
            r"|enum|format|multipleOf)\"\s*:\s*(?:\[[^\[\]]*\]|\"[^\"]*\"|[-\w.]+)"
        ),
        lazy_pattern(
            r"^\s*\"?(?P<what>m(?:in|ax)(?:imum|Length|Items|Properties)|exclusiveM(?:in|ax)imum"
            r"|pattern|required|additionalProperties\"?\s*:\s*false)\"?\s*:?"
        ),
        False,
    ),
)
_REQUIRED = lazy_pattern(r"^\s*\"?required\"?\s*:\s*\[(?P<names>[^\[\]]*)\]")
_WORD = lazy_pattern(r"[A-Za-z_]\w*")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.is_edited_product:
            continue
        kind = next((each for each in _KINDS if each.path.search(file.path)), None)
        if kind and kind.holds.search(file.base):
            yield from islice(_in_file(sources, file, kind), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile, kind: _Kind) -> Iterator[Finding]:
    added = cache(lambda: squeeze(sources.added_text))
    for block in file.blocks:
        for old in block.removed:
            lost, now = _lost(file, kind, block, old)
            if not lost or squeeze(lost) in added():
                continue
            unsure = brings_tests_for(sources, file) or loss_is_explained(file, block)
            rule = RULE if kind.sure and not unsure else hint(RULE)
            yield taken(rule, file, old, f"a constraint is removed: {quoted(lost)}", now)


def _lost(file: ComparedFile, kind: _Kind, block: Block, old: Line) -> tuple[str, str]:
    """What the row asked, and its field at head does not have; and how it looks now."""
    code = code_of(old.text).rstrip()
    if found := kind.alone.match(code):
        return _lost_row(file, kind, block, old, found)
    before = [each[0] for each in kind.beside.finditer(code)]
    bare = squeeze(_bare(kind, code))
    for new in block.added if before else ():
        other = code_of(new.text)
        after = {squeeze(each[0]) for each in kind.beside.finditer(other)}
        if squeeze(_bare(kind, other)) == bare and not any(_is_new(each, before) for each in after):
            lost = [each for each in before if squeeze(each) not in after]
            return (lost[0].strip(" ,"), quoted(new.text)) if lost else ("", "")
    return "", ""


def _lost_row(
    file: ComparedFile, kind: _Kind, block: Block, old: Line, found: re.Match[str]
) -> tuple[str, str]:
    """The same of a row that says nothing else."""
    code = found.string
    stays = old.number > 1 and file.base_rows[old.number - 2] in file.head_rows
    again = any(kind.alone.match(code_of(new.text)) for new in block.added)
    if again and (required := _REQUIRED.match(code)):
        return _no_longer_required(file, block, required["names"])
    if not kind.sure:  # what it was written for stands around it
        return (found["what"], "") if stays and not block.added and _is_alone(block) else ("", "")
    names = {*_WORD.findall(code[found.end("what") :])}
    return (code.strip(" ,;"), "") if not again and _are_there(file, names) else ("", "")


def _is_alone(block: Block) -> bool:
    """Nothing goes with it that could be the field which it was about."""
    return len([line for line in block.removed if line.text.strip()]) == 1


def _bare(kind: _Kind, code: str) -> str:
    return re.sub(r"\s*,\s*$", "", kind.beside.sub("", code)).replace("{,", "{")


def _is_new(option: str, before: list[str]) -> bool:
    """An option with another value than it had, or one of another kind: the field is asked in
    another way."""
    return option not in {squeeze(each) for each in before}


def _are_there(file: ComparedFile, names: set[str]) -> bool:
    """The columns that the constraint was about: its first words in brackets."""
    return any(has_word(file.head, name) for name in names if name.upper() != name)


def _no_longer_required(file: ComparedFile, block: Block, names: str) -> tuple[str, str]:
    """A field of the schema that is there, and may be left out now."""
    for new in block.added:
        now = _REQUIRED.match(code_of(new.text))
        if now is None:
            continue
        lost = {*_WORD.findall(names)} - {*_WORD.findall(now["names"])}
        kept = [name for name in sorted(lost) if _is_field(file.head, name)]
        if kept and not {*_WORD.findall(now["names"])} - {*_WORD.findall(names)}:
            return f"required: {kept[0]}", quoted(new.text)
    return "", ""


def _is_field(text: str, name: str) -> bool:
    return re.search(rf"(?m)^\s*\"?{re.escape(name)}\"?\s*:", text) is not None
