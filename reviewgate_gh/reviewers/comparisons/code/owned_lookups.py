"""Records that were looked up among those of whoever asks, and are now looked up among all."""

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, loss_is_explained, same_but_for
from .._remark import hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line
from .access_checks import RULE

EVERY_FILE = False
_RULE = replace(
    RULE,
    advice=(
        "Anyone who knows an identifier can reach other people's records. Look it up among the "
        "current user's own, or name the check that refuses."
    ),
)
_WORDS = (b"user", b"User", b"ccount", b"enant", b"wner", b"rgani")
_WHO = (
    r"(?:@?\w+\.)*(?:current_?(?:[uU]ser|[aA]ccount|[tT]enant|[oO]rgani[sz]ation|[tT]eam)"
    r"|Current\.\w+|(?:req(?:uest)?|ctx|session|self\.request|g)\.(?:user|account|tenant))"
    r"|(?:auth\(\)|\$request|Auth)(?:->|::)user\(\)"
)
_LOOKS = r"(?:find\w*[!?]?|where|get\w*|first\w*|filter|update\w*|destroy\w*|delete\w*)"
# https://guides.rubyonrails.org/security.html#unauthorized-access
_AMONG_OWN = lazy_pattern(
    rf"(?:{_WHO})(?:\.|->)(?P<records>\w+)(?:\(\))?(?:\.|->)(?P<looks>{_LOOKS})\s*\("
)
_AMONG_ALL = lazy_pattern(
    rf"(?<![\w.])(?P<model>[A-Z]\w+)(?:\.objects)?(?:\.|::)(?P<looks>{_LOOKS})\s*\("
)
_OWNS = lazy_pattern(
    r",?\s*\b(?:\w*_)?(?:owner|user|account|tenant|author|created_by|org(?:ani[sz]ation)?|team)"
    rf"(?:_?[iI]d|__?id)?\s*(?:=(?!=)|:)\s*(?:{_WHO})(?:\.\w+)*"
)
_QUERY = lazy_pattern(
    r"\b(?:find\w*|get_object_or_404|get_list_or_404|get|filter|where|delete\w*|update\w*)\s*\("
)
_ASKS = lazy_pattern(
    r"(?i)owner|current_?user|\.user\b|user\(\)|tenant|policy|permission|authoriz|belongs"
)
_OF_STAFF = lazy_pattern(r"(?i)admin|staff|backoffice|support|internal")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for old in filter(_is_own, block.removed):
            new = next((line for line in block.added if _reaches_all(old, line)), None)
            if new is not None and not _is_asked_now(sources):
                meant = _is_of_staff(file, old) or loss_is_explained(file, block)
                rule = hint(_RULE) if meant else _RULE
                title = "records are no longer looked up among the current user's own"
                yield taken(rule, file, old, title, quoted(new.text))


def _is_own(line: Line) -> bool:
    """The line looks for what belongs to whoever asks: new ones are only read for these."""
    code = code_of(line.text)
    own = _AMONG_OWN.search(code) or _OWN_SET.search(code)
    return bool(own or (_OWNS.search(code) and _QUERY.search(code)))


def _reaches_all(old: Line, new: Line) -> bool:
    before, after = code_of(old.text), code_of(new.text)
    own, every = _AMONG_OWN.search(before), _AMONG_ALL.search(after)
    if own and every and own["looks"] == every["looks"] and not _ASKS.search(after):
        model = every["model"].lower()
        return own["records"].replace("_", "").lower().startswith(model[: len(model) - 1])
    if _is_whole_set(old, new):
        return True
    owns = _OWNS.search(before) and _QUERY.search(before) and not _OWNS.search(after)
    return bool(owns) and same_but_for(before, after, _OWNS)


# https://docs.djangoproject.com/en/stable/topics/class-based-views/generic-display/
_OWN_SET = lazy_pattern(rf"\breturn\s+(?P<model>\w+)\.objects\.filter\(.*{_WHO}")
_WHOLE_SET = lazy_pattern(r"^\s*queryset\s*=\s*(?P<model>\w+)\.objects(?:\.all\(\))?\s*$")


def _is_whole_set(old: Line, new: Line) -> bool:
    """The view's method that gave the records of whoever asks is a set of all of them."""
    was, now = _OWN_SET.search(code_of(old.text)), _WHOLE_SET.match(code_of(new.text))
    return bool(was and now and was["model"] == now["model"])


def _is_asked_now(sources: ComparisonInput) -> bool:
    """New code of the change speaks of who owns something: it may refuse elsewhere."""
    return any(
        _ASKS.search(code_of(line.text))
        for file in sources.files
        if file.is_product
        for line in file.added
    )


def _is_of_staff(file: ComparedFile, line: Line) -> bool:
    unit = file.base_code.unit(line.number)
    return _OF_STAFF.search(f"{file.path} {unit}") is not None
