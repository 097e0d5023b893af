"""Rules for input that say less: an annotation of a parameter, a part of a rule, a link of a schema; a
check that is no longer called, and one that answers yes to all."""

import re
from collections.abc import Iterator

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, loss_is_explained, same_but_for, surroundings_stay, unit_stays
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .validation import RULE

EVERY_FILE = False
_WORDS = (
    b"@", b"required", b"max:", b"refine", b"min(", b"max(", b"regex", b"email", b"check", b"alid",
    b"erify", b"nsure", b"return", b"Valid",
)  # fmt: skip
# https://jakarta.ee/specifications/bean-validation/3.0/, docs.spring.io
_INLINE = lazy_pattern(
    r"@(?:Valid|Validated|NotNull|NotBlank|NotEmpty|Email|Positive)\b(?:\([^()]*\))?\s*"
)
# https://laravel.com/docs/validation#available-validation-rules
_RULES = lazy_pattern(
    r"^\s*['\"](?P<key>[\w.*]+)['\"]\s*=>\s*(?:['\"](?P<text>[a-z_]+(?:[:|][^'\"]*)?)['\"]|\[(?P<list>.*)\]),?\s*$"
)
_RULE_NAME = lazy_pattern(
    r"^(?:required|max|min|size|between|regex|email|url|exists|unique|in|not_in|integer|numeric|string"
    r"|uuid|date|boolean|mimes|image|file|confirmed|digits|alpha\w*|current_password|active_url)\b"
)
# https://zod.dev/api, https://github.com/jquense/yup
_LINK = lazy_pattern(
    r"^\s*\.(?P<link>refine|superRefine|min|max|length|regex|matches|email|url|uuid|ulid|cuid|int|positive"
    r"|nonnegative|nonempty|required|strict|oneOf|gte?|lte?|ip|datetime)\("
)
_CALLS = lazy_pattern(
    r"^\s*(?:await\s+)?(?:self\.|this\.|\$this->|this->)?"
    r"(?P<call>_?(?:check|validate|verify|ensure|assert)(?:_\w+|[A-Z]\w*))[!?]?\([^()]*\);?\s*$"
)
_YES = lazy_pattern(r"^\s*return\s+(?:true|True|TRUE);?\s*$")
_ASKS = lazy_pattern(
    r"(?i)^(?:is|can|may|has|allow|valid|check|verify|author|permit|should|accepts?)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_product and not (file.is_new or file.is_gone) and language_of(file.path):
            if file.mentions(*_WORDS):
                yield from [*_in_file(sources, file)][:1]


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if block.removed and block.added:
            yield from _inline(file, block)
            yield from _parts(file, block)
        elif block.removed:
            yield from _link(sources, file, block)
            yield from _call(sources, file, block)
        else:
            yield from _yes(file, block)


def _weigh(sources: ComparisonInput | None, file: ComparedFile, block: Block) -> ComparisonRule:
    """A hint where the change says why, or brings tests."""
    tests = sources is not None and any(each.is_test and each.added for each in sources.files)
    return hint(RULE) if tests or loss_is_explained(file, block) else RULE


def _inline(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A parameter is as it was but for the annotation that had it looked at."""
    for old in block.removed:
        code = code_of(old.text)
        lost = [found[0].strip() for found in _INLINE.finditer(code)]
        for new in block.added:
            after = code_of(new.text)
            left = [found[0].strip() for found in _INLINE.finditer(after)]
            if len(left) < len(lost) and same_but_for(code, after, _INLINE):
                gone = next(
                    each for each in lost if each not in left or lost.count(each) > left.count(each)
                )
                title = f"the rules of this input are no longer looked at: {gone}"
                yield taken(_weigh(None, file, block), file, old, title, quoted(new.text))


def _parts(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """Laravel: the rules of a field are fewer."""
    if not file.path.endswith(".php"):
        return
    for old in block.removed:
        for new in block.added:
            was, now = _RULES.match(code_of(old.text)), _RULES.match(code_of(new.text))
            if was is None or now is None or was["key"] != now["key"]:
                continue
            before, after = _named(was), _named(now)
            lost = before - after
            if lost and after - before <= {"nullable", "sometimes"} and len(after) < len(before):
                title = f"{was['key']} is checked less: {', '.join(sorted(lost))}"
                yield taken(_weigh(None, file, block), file, old, title, quoted(new.text))


def _named(found: re.Match[str]) -> set[str]:
    """The rules by their names, without what they are given."""
    text = found["text"] or ""
    parts = text.split("|") if text else re.findall(r"['\"]([^'\"]+)['\"]", found["list"] or "")
    names = {part.split(":")[0] for part in parts}
    return {name for name in names if _RULE_NAME.match(name) or name in ("nullable", "sometimes")}


def _link(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A link of the chain that describes an input; the rest of the chain stays."""
    first = block.removed[0]
    found = _LINK.match(code_of(first.text))
    if (
        found is None
        or language_of(file.path) != "js"
        or squeeze(first.text) in sources.added_statements
    ):
        return
    above = file.base_rows[first.number - 2] if first.number > 1 else ""
    if above not in file.head_rows or not _SCHEMA.search(file.base):
        return
    if re.match(r"\s*(?:\.\w+\(|\w+\.\w+\(|\.\w+\(\))|.*\b(?:z|yup|Joi|v)\b", above):
        yield taken(
            _weigh(sources, file, block),
            file,
            first,
            f"this input is checked less: {found['link']}",
        )


_SCHEMA = lazy_pattern(r"['\"](?:zod|yup|joi|valibot|superstruct|@hapi/joi)(?:/[\w-]+)?['\"]")


def _call(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A check of the file itself is there, and is no longer called here."""
    if len(block.removed) > 1:
        return
    line = block.removed[0]
    found = _CALLS.match(code_of(line.text))
    if found is None or squeeze(line.text) in sources.added_statements:
        return
    name = found["call"]
    defined = any(unit.rpartition(".")[2] == name for unit in file.head_code.units)
    added = any(has_word(new.text, name) for each in sources.files for new in each.added)
    if defined and not added and unit_stays(file, line) and surroundings_stay(file, line):
        unit = file.base_code.unit(line.number)
        if not any(file.head_code.unit(new.number) == unit for new in file.added):
            yield taken(
                _weigh(sources, file, block), file, line, f"{name} is no longer called here"
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
        yield put(RULE, file, line, f"{unit.rpartition('.')[2]} answers yes to everything now")
