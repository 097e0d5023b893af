"""Rules for input that say less: a part of a rule, a link of a schema; and a check that is no
longer called."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, loss_is_explained, surroundings_stay, unit_stays
from .._related import brings_tests_for
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, has_word, squeeze
from ._meant_refusals import is_only_said
from .validation import RULE

EVERY_FILE = False
_WORDS = (
    b"@", b"required", b"max:", b"refine", b"min(", b"max(", b"regex", b"email", b"check", b"alid",
    b"erify", b"nsure", b"return", b"Valid", b"presence", b"length", b"Field", b"format",
    b"[Range", b"Length(", b"[Required", b"RegularExp",
    b"binding",
    b"uniqueness", b"numericality", b"inclusion", b"gt", b"ge=", b"lt", b"le=", b"pattern",
)  # fmt: skip
# https://laravel.com/docs/validation#available-validation-rules
_RULES = lazy_pattern(
    r"^\s*['\"](?P<key>[\w.*]+)['\"]\s*=>\s*(?:['\"](?P<text>[a-z_]+(?:[:|][^'\"]*)?)['\"]"
    r"|\[(?P<list>.*)\]),?\s*$"
)
_RULE_NAME = lazy_pattern(
    r"^(?:required|max|min|size|between|regex|email|url|exists|unique|in|not_in|integer"
    r"|numeric|string"
    r"|uuid|date|boolean|mimes|image|file|confirmed|digits|alpha\w*|current_password|active_url)\b"
)
# https://zod.dev/api, https://github.com/jquense/yup
_LINK = lazy_pattern(
    r"^\s*\.(?P<link>refine|superRefine|min|max|length|regex|matches|email|url|uuid|ulid|cuid"
    r"|int|positive"
    r"|nonnegative|nonempty|required|strict|oneOf|gte?|lte?|ip|datetime)\("
)
_CALLS = lazy_pattern(
    r"^\s*(?:await\s+)?(?:self\.|this\.|\$this->|this->)?"
    r"(?P<call>_?(?:check|validate|verify|ensure|assert)(?:_\w+|[A-Z]\w*))[!?]?\([^()]*\);?\s*$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if block.removed and block.added:
            yield from _parts(sources, file, block)
            yield from _options(sources, file, block)
            yield from _links(file, block)
        elif block.removed:
            yield from _field(sources, file, block)
            yield from _link(sources, file, block)
            yield from _call(sources, file, block)


def _weigh(sources: ComparisonInput | None, file: ComparedFile, block: Block) -> ComparisonRule:
    """A hint where the change says why, or brings tests."""
    tests = sources is not None and brings_tests_for(sources, file)
    return hint(RULE) if tests or loss_is_explained(file, block) else RULE


def _parts(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """Laravel: the rules of a field are fewer."""
    if not file.path.endswith(".php"):
        return
    matches = ((line, _RULES.match(code_of(line.text))) for line in block.added)
    # Other forms have fields of the same name
    news = {
        (file.head_code.unit(line.number), found["key"]): (line, found)
        for line, found in matches
        if found
    }
    for old in block.removed:
        was = _RULES.match(code_of(old.text))
        where = (file.base_code.unit(old.number), was["key"]) if was else None
        if was is None or where not in news or squeeze(old.text) in sources.added_statements:
            continue
        new, now = news[where]
        if squeeze(new.text) in sources.removed_statements:
            continue  # it only stands elsewhere
        before, after = _named(was), _named(now)
        lost = {name for name in before - after if _RULE_NAME.match(name)}
        if lost and after - before <= {"nullable", "sometimes"} and len(after) < len(before):
            title = f"{was['key']} is checked less: {', '.join(sorted(lost))}"
            yield taken(_weigh(None, file, block), file, old, title, quoted(new.text))


def _links(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A row of a schema has fewer links, and is as it was otherwise."""
    if language_of(file.path) != "js" or not _OF_SCHEMA.search(file.head):
        return
    for old in block.removed:
        links = _INNER_LINK.findall(code_of(old.text))
        for new in block.added if links else ():
            kept = _INNER_LINK.findall(code_of(new.text))
            bare, other = (squeeze(_INNER_LINK.sub("", each.text)) for each in (old, new))
            lost = Counter(links) - Counter(kept)
            if bare == other and lost and not Counter(kept) - Counter(links):
                title = f"a value is checked less: {', '.join(map(quoted, lost))}"
                yield taken(_weigh(None, file, block), file, old, title, quoted(new.text))
                return


# https://zod.dev/api, https://github.com/jquense/yup, https://joi.dev/api
_OF_SCHEMA = lazy_pattern(
    r"\b(?:z|yup|[jJ]oi)\.(?:object|string|number|array)\(|\bfrom ['\"]yup['\"]"
)
_INNER_LINK = lazy_pattern(
    r"\.(?:min|max|length|regex|matches|email|url|uuid|ulid|cuid|int|integer|positive|nonnegative"
    r"|nonempty|required|strict|gte?|lte?|ip|datetime)\([^()]*\)"
)


def _field(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """Laravel: a field has no rules any more, and the change takes it from nowhere else."""
    if not file.path.endswith(".php"):
        return
    here = {line.number for line in block.removed}
    others = [
        line.text
        for each in sources.files
        for line in (*each.removed, *each.added)
        if each is not file or line.number not in here or line not in block.removed
    ]
    for old in block.removed:
        was = _RULES.match(code_of(old.text))
        if was is None or not any(map(_RULE_NAME.match, _named(was))):
            continue
        if surroundings_stay(file, old) and not any(has_word(row, was["key"]) for row in others):
            yield taken(_weigh(sources, file, block), file, old, f"{was['key']} is not checked now")
            return


def _options(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A rule of a field has one option less, or an annotation is gone from beside others."""
    if not any(_OPTION.search(code_of(line.text)) for line in block.removed):
        return
    fields = [line for line in block.added if _OF_FIELDS.search(code_of(line.text))]
    fields = fields or [*block.added] if len(block.added) <= _FEW else fields
    news = {
        (file.head_code.unit(line.number), squeeze(_OPTION.sub("", code_of(line.text)))): line
        for line in fields
    }
    for old in block.removed:
        code = code_of(old.text)
        before = [found[0] for found in _OPTION.finditer(code)]
        if not before or not _OF_FIELDS.search(code) or is_only_said(file, before[0]):
            continue
        bare = squeeze(_OPTION.sub("", code))
        told = len(bare) >= _NAMES_FIELD  # `z` alone is no field
        new = news.get((file.base_code.unit(old.number), bare)) if told else None
        now = squeeze(code_of(new.text)) if new else ""
        lost = [option for option in before if squeeze(option) not in now]
        if new and lost and not _elsewhere(sources, lost):
            title = f"this input is checked less: {quoted(lost[0].strip(' ,'))}"
            yield taken(_weigh(sources, file, block), file, old, title, quoted(new.text))
            return


_FEW = 20  # lines
_NAMES_FIELD = 4  # characters


def _elsewhere(sources: ComparisonInput, options: Sequence[str]) -> bool:
    """Another line that the change adds has the name of the option."""
    for option in options:
        name = re.search(r"[A-Za-z]\w*", option)
        link = f"{name[0]}(" if name and option.startswith(".") else ""  # a field is none
        word = name[0] if name and not link else ""
        for text in sources.added_rows:
            if (link and f".{link}" in text) or (word and has_word(text, word)):
                return True
    return False


# https://guides.rubyonrails.org/active_record_validations.html, Jakarta Bean Validation, pydantic
_OPTION = lazy_pattern(
    r",\s*(?:presence|uniqueness|length|format|numericality|inclusion|exclusion|acceptance"
    r"|confirmation|comparison):\s*(?:\{[^{}]*\}|\w+)"
    r"|@(?:NotNull|NotBlank|NotEmpty|Min|Max|Size|Pattern|Email|Positive\w*|Past|Future|Digits"
    r"|DecimalM(?:in|ax))\b(?:\([^()]*\))?\s*"
    # https://learn.microsoft.com/dotnet/api/system.componentmodel.dataannotations
    r"|\[(?:Required|StringLength|MaxLength|MinLength|Range|RegularExpression|EmailAddress)\b"
    r"(?:\([^()]*\))?\]\s*"
    r"|(?:,\s*|(?<=Field\())(?:min_length|max_length|gt|ge|lt|le|pattern|regex|multiple_of"
    r"|max_digits|min_value|max_value|validators)"
    r"\s*=\s*(?:\[[^\[\]]*\]|r?\"[^\"]*\"|r?'[^']*'|[\w.]+)"
    r"|\.(?:min|max|length|regex|email|url|uuid|nonempty|positive|int|refine|trim|required|integer"
    r"|matches|pattern|uri|guid|oneOf)\([^()]*\)"
    # https://hexdocs.pm/ecto/Ecto.Changeset.html#validate_number/3
    r"|,\s*(?:(?:greater|less)_than(?:_or_equal_to)?|equal_to|min|max|is):\s*[\d_.]+"
    r"|\s*=\s*Field\((?!\s*default)(?:\w+\s*=\s*[\w.\"'-]+(?:,\s*)?)+\)"
    # https://pkg.go.dev/github.com/go-playground/validator/v10
    r"|\s*\b(?:validate|binding):\"[^\"]*\""
)
_OF_FIELDS = lazy_pattern(
    r"^\s*validates?\b|@(?:NotNull|NotBlank|NotEmpty|Min|Max|Size|Pattern|Email|Positive|Past"
    r"|Future|Digits|DecimalM)|\bField\(|\b(?:Char|Integer|Decimal|Email|Slug|URL|Float)Field\("
    r"|\|>\s*validate_\w+\("
    r"|\[(?:Required|StringLength|MaxLength|MinLength|Range|RegularExpression|EmailAddress)\b"
    r"|\b(?:validate|binding):\"|^\s*\w+:\s*[\w\[\]| ]+$|^\s*\w+\s+[\w.*\[\]]+\s+`"
    r"|\bz\.\w+\(|\b(?:yup|Joi|v)\.\w+\(|\b(?:Query|Path|Body|Form|Header)\("
)


def _named(found: re.Match[str]) -> set[str]:
    """The rules by their names, without what they are given."""
    text = found["text"] or ""
    parts = text.split("|") if text else [*_OF_LIST.findall(found["list"] or "")]
    return {part.strip("'\"").split(":")[0] for part in parts}


# A text, or an object that says what it wants
_OF_LIST = lazy_pattern(r"'[^']+'|\"[^\"]+\"|\bnew\s+\w+|\b[A-Z]\w*::(?!class)\w+")


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
