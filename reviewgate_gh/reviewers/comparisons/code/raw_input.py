"""Input that is used as it comes, where a schema or a list of rules was asked before."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, same_but_for, surroundings_stay
from .._remark import quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line
from .validation import RULE

EVERY_FILE = False
_WORDS = (b"parse", b"alid", b"permit", b"load(")
# zod, yup and joi; Laravel and Symfony; marshmallow and pydantic; Rails
_ASKS = lazy_pattern(
    r"\.(?:safeParse(?:Async)?|parseAsync|validate(?:Async|Sync|d|WithBag)?|model_validate"
    r"|parse_obj|validate_python|is_valid|permit|full_clean|ShouldBind\w*)\s*\("
    r"|->valid(?:ate(?:d|WithBag)?)?\s*\("
    r"|\b\w*[Ss]chema\w*(?:\(\))?\.(?:parse|load|validate|cast)\s*\("
    r"|\bvalidate\w*\s*\(|\b(?!JSON\b|Date\b|URL\b|[A-Z]+\.)[A-Z]\w+\.(?:parse|cast|load)\s*\("
)
_RAW = lazy_pattern(
    r"\b(?:req|request|ctx\.request)\.(?:body|query|params|json|form|data|args|POST|GET)\b"
    r"|\brequest\.get_json\(|\$request->(?:all|input|post|query|json)\(|\$_(?:POST|GET|REQUEST)\b"
    r"|\bparams\[|\bparams(?:\.require\([^)]*\))?\.permit!|\bctx\.(?:body|query)\b"
)
# https://jakarta.ee/specifications/bean-validation/3.0/jakarta-bean-validation-spec-3.0.html
_CASCADES = lazy_pattern(r"@Valid(?:ated)?\b(?:\([^)]*\))?\s*")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other code of the change validates."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            found = islice(chain(_taken_raw(file), _no_longer_valid(file)), 1)
            yield from (each for each in found if not any(map(_asks, _product(sources))))


def _taken_raw(file: ComparedFile) -> Iterator[Finding]:
    """The place of a validation is taken by the input itself."""
    for block in file.blocks:
        old = next((line for line in block.removed if _asks(line)), None)
        if old is None or any(map(_asks, block.added)):
            continue
        raw = next((line for line in block.added if _RAW.search(code_of(line.text))), None)
        if raw is not None and surroundings_stay(file, old):
            title = "input is used without validation"
            yield taken(RULE, file, old, title, quoted(raw.text))


def _asks(line: Line) -> bool:
    return _ASKS.search(code_of(line.text)) is not None


def _product(sources: ComparisonInput) -> Iterable[Line]:
    return (line for file in sources.files if file.is_product for line in file.added)


def _no_longer_valid(file: ComparedFile) -> Iterator[Finding]:
    """A parameter or field whose own rules are no longer looked at."""
    for block in file.blocks:
        for old in block.removed:
            code = code_of(old.text)
            if not _CASCADES.search(code) or re.match(r"\s*@Valid\w*\s*$", code):
                continue  # an annotation alone in its line is told as a rule
            for new in block.added:
                bare = not _CASCADES.search(new.text)
                if bare and same_but_for(code, code_of(new.text), _CASCADES):
                    title = "the validation rules of this input are no longer applied"
                    yield taken(RULE, file, old, title, quoted(new.text))
