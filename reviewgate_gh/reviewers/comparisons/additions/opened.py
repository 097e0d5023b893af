"""What a change lets in: entries of a list of exemptions from a guard, and a function that decides,
and answers yes before it looks at anything."""

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, decorated, is_explained
from .._remark import hint, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, has_word
from ..code.access_checks import RULE
from ..code.guard_lists import EXCEPTIONS, rows_around
from ..code.validation import RULE as VALIDATION

EVERY_FILE = False
_EXEMPT = replace(
    RULE,
    priority=Priority.P2,
    advice="Requests to it are no longer checked. Exempt only what cannot be checked, and say why.",
)
_OF_GUARDS = lazy_pattern(r"(?i)csrf|auth(?!or\b)|throttl|rate_?limit|verif")
_TEXT = lazy_pattern(r"^\s*[\"'][^\"']+[\"'],?\s*$")
# What no browser of a user sends
_MACHINES = lazy_pattern(r"(?i)hook|callback|health|ping|ipn|notify|metrics|saml|oauth")
_YES = lazy_pattern(r"^\s*return\s+(?:true|True|TRUE);?\s*$")
_ASKS = lazy_pattern(
    r"(?i)^(?:is|can|may|has|allow|valid|check|verify|author|permit|should|accepts?)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_product and not (file.is_new or file.is_gone) and language_of(file.path):
            yield from islice(_in_file(file), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.code.blocks:
        if block.added and not block.removed:
            yield from _gained(file.code, block)
            yield from _yes(file.code, block)
            yield from _to_everybody(file, block)


def _gained(file: ComparedFile, block: Block) -> Iterator[Finding]:
    first = block.added[0]
    if not all(_TEXT.match(code_of(line.text)) for line in block.added):
        return
    opener, around = rows_around(file.head_rows, first)
    if not EXCEPTIONS.search(opener) or opener not in file.base_rows:
        return
    if _OF_GUARDS.search(f"{opener} {around}") and not _MACHINES.search(first.text):
        yield put(_EXEMPT, file, first, f"an access check no longer covers {quoted(first.text)}")


def _to_everybody(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """What the base has already is marked as open to everybody."""
    for line in block.added:
        name = decorated(file.head, line.number) if _OPEN.match(code_of(line.text)) else ""
        if not name or not has_word(file.base, name) or _OPEN_ANYWAY.search(name):
            continue
        rule = hint(_EXEMPT) if is_explained(file, line) else _EXEMPT
        yield put(rule, file, line, f"{name} is open to everyone")


# https://learn.microsoft.com/aspnet/core/security/authorization/simple
# https://jakarta.ee/specifications/annotations/2.1/annotations-spec-2.1#jakarta-annotation-security-permitall
# What marks a route in NestJS is the project's own, by custom:
# https://docs.nestjs.com/security/authentication#enable-authentication-globally
_OPEN = lazy_pattern(
    r"^\s*(?:@|\[)(?:\w+\.)*(?:AllowAnonymous|PermitAll|AnonymousAllowed|Public|SkipAuth\w*"
    r"|login_not_required|allow_anonymous|no_auth(?:_required)?)\b(?:\(\s*\))?\]?\s*$"
)
_OPEN_ANYWAY = lazy_pattern(
    r"(?i)log_?(?:in|out)|sign_?(?:in|up)|regist|token|password|reset|hook|callback|health|ping"
    r"|metrics|status|version|error|index|home|public|robots|config"
)


def _yes(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A function that decides answers yes before it looks at anything."""
    codes = [line for line in block.added if code_of(line.text).strip()]
    if len(codes) != 1 or not _YES.match(code_of(codes[0].text)):
        return
    line = codes[0]
    unit = file.head_code.unit(line.number)
    first = file.head_code.definitions.get(unit, 0)
    between = [row for row in file.head_rows[first : line.number - 1] if row.strip(" \t{")]
    rest = [row for row in file.head_rows[line.number : line.number + 3] if row.strip(" \t})")]
    decides = _ASKS.match(unit.rpartition(".")[2])
    if first and not between and rest and decides and unit in file.base_code.units:
        yield put(
            VALIDATION, file, line, f"{unit.rpartition('.')[2]} answers yes to everything now"
        )
