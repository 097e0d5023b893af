"""Methods that a framework calls by their name, which refused somebody or something and are gone
whole."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from msgspec.structs import replace

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of
from .._remark import hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word
from ._meant_refusals import is_decided
from .access_checks import RULE, unless_asked_anew
from .validation import RULE as VALIDATION

EVERY_FILE = False
_RULE = replace(
    RULE,
    advice="The framework no longer calls it. Restore the method, or name what refuses instead.",
)
_WORDS = (
    b"ermission",
    b"orbidden",
    b"nauthor",
    b"ogin",
    b"403",
    b"401",
    b"isallowedFields",
    b"Denied",
    b"def clean",
    b"def validate",
)
_REFUSES = lazy_pattern(
    r"\b(?:raise|throw)\b.*(?:PermissionDenied|Forbidden|Unauthori[sz]ed|NotAuthenticated"
    r"|AccessDenied)"
    r"|\b(?:HttpResponseForbidden|abort\(\s*40[13]|head\s+:(?:forbidden|unauthorized)"
    r"|setDisallowedFields|denyAccessUnlessGranted)\b"
    r"|\breturn\s+(?:login_required|permission_required|staff_member_required)\b"
)
_ELSEWHERE = lazy_pattern(r"Mixin\b|_required\b|[Pp]ermission|[Gg]uard|[Aa]uth")
# https://docs.djangoproject.com/en/stable/ref/forms/validation/
# https://www.django-rest-framework.org/api-guide/serializers/#validation
_VALIDATES = lazy_pattern(r"^(?:clean|validate)(?:_(?P<field>\w+))?$")
_REFUSES_INPUT = lazy_pattern(r"^\s*raise\s+[\w.]*(?:Error|Invalid\w*)\b|\.add_error\(")
_VALIDATES_NOW = lazy_pattern(r"(?i)valid|\b(?:min|max)_(?:length|value)\b|\bclean")
_INPUT_RULE = replace(
    VALIDATION,
    advice=(
        "The framework no longer calls it, and accepts what it refused. Restore the method, or "
        "name what refuses instead."
    ),
)
_SHORTEST = 2  # lines of a method


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            access = unless_asked_anew(sources, _in_file(sources, file))
            yield from islice(chain(access, _of_input(sources, file)), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    gone = {line.number for line in file.removed}
    for unit, first in file.base_code.definitions.items():
        owner, _dot, name = unit.rpartition(".")
        if first not in gone or unit in file.head_code.units or not _stays(file, owner):
            continue
        rows = [row for row in file.removed if file.base_code.unit(row.number).startswith(unit)]
        what = next((row for row in rows if _REFUSES.search(code_of(row.text))), None)
        if what is None or len(rows) < _SHORTEST or _is_replaced(sources, file, name):
            continue
        title = f"{name}, which refused, is gone: {quoted(what.text)}"
        yield taken(_RULE, file, Line(first, file.base_rows[first - 1]), title)


def _of_input(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A form or serializer of Django that no longer looks at a field which it still takes."""
    gone = {line.number for line in file.removed}
    if not file.path.endswith(".py"):
        return
    for unit, first in file.base_code.definitions.items():
        owner, _dot, name = unit.rpartition(".")
        asks = _VALIDATES.match(name)
        if not asks or first not in gone or unit in file.head_code.units:
            continue
        if not (_stays(file, owner) and _is_called(file, owner)):
            continue
        if asks["field"] and not _is_same_field(file, asks["field"]):
            continue
        rows = [row for row in file.removed if file.base_code.unit(row.number).startswith(unit)]
        what = next((row for row in rows if _REFUSES_INPUT.search(code_of(row.text))), None)
        if what is None or _is_validated_now(sources, file, name):
            continue
        block = next(block for block in file.blocks if what in block.removed)
        rule = hint(_INPUT_RULE) if is_decided(sources, file, block) else _INPUT_RULE
        title = f"{name}, which refused, is gone: {quoted(what.text)}"
        yield taken(rule, file, Line(first, file.base_rows[first - 1]), title)


def _is_called(file: ComparedFile, owner: str) -> bool:
    """The class is one whose methods Django calls, by the name of what it extends."""
    first = file.base_code.definitions.get(owner, 0)
    return _OF_DJANGO.search(file.base_rows[first - 1]) is not None if first else False


_OF_DJANGO = lazy_pattern(r"\(.*(?:Form|Serializer|Model|Field|Base|Mixin|Admin|View)")


def _is_same_field(file: ComparedFile, name: str) -> bool:
    """The head has it, and as it was: another kind of field may ask the same."""
    declared = re.compile(rf"\s*{re.escape(name)}\s*=")
    anew = any(declared.match(line.text) for line in file.added)
    return has_word(file.head, name) and not anew


def _is_validated_now(sources: ComparisonInput, file: ComparedFile, name: str) -> bool:
    """New code of the change validates, or nothing but the project's own code called it."""
    called = re.compile(rf"\.{re.escape(name)}\(")
    if any(called.search(row) and "super" not in row for row in file.base_rows):
        return True
    return any(
        _VALIDATES_NOW.search(code_of(line.text))
        for each in sources.files
        if each.is_product
        for line in each.added
    )


def _stays(file: ComparedFile, owner: str) -> bool:
    """The class around it is there: what it guarded is."""
    return bool(owner) and owner in file.head_code.units


def _is_replaced(sources: ComparisonInput, file: ComparedFile, name: str) -> bool:
    """Somebody called it by name, the head defines it elsewhere, or new code speaks of access."""
    called = re.compile(rf"(?:\.|->|::|:){re.escape(name)}\b")
    rows = (*file.base_rows, *file.head_rows)
    # Its own call of what it overrides is none
    if any(
        called.search(code_of(row)) and "super" not in row and "parent::" not in row for row in rows
    ):
        return True
    return any(
        _ELSEWHERE.search(code_of(line.text)) or has_word(line.text, name)
        for each in sources.files
        if each.is_product
        for line in each.added
    )
