"""Schemas, rules and checks of input that nobody applies any more where they were applied, whatever
else changes there."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from ....findings.source_text import SourceText
from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, surroundings_stay
from .._related import brings_tests_for
from .._remark import hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze
from . import access_checks, lost_operands, own_guards, raw_input, rules_loosened, validation
from ._unsaid import where_silent
from .validation import RULE

EVERY_FILE = False
_WORDS = (b"arse", b"alid", b"permit", b"load(", b"ule", b"erif", b"erialize",
          b"body(", b"check(", b"param(", b"query(")  # fmt: skip
# zod, yup, joi, ajv; marshmallow, pydantic, Django, jsonschema; Rails, Laravel, Symfony; Bean
# Validation, FluentValidation; go-playground/validator; class-validator and pipes of Nest
_ASKS = lazy_pattern(
    r"(?P<of>[\w$]+)?(?:\.|->|::)(?:safeParse(?:Async)?|parseAsync|validate\w*|Validate\w*"
    r"|model_validate\w*|parse_obj|parse_raw|is_valid|full_clean|ShouldBind\w*|BindAndValidate"
    r"|assertValid\w*|validated)!?\s*\("
    r"|(?P<schema>\b[A-Z]\w*(?:Schema|Dto|DTO|Model|Input|In|Request|Form)|\b\w*[Ss]chema\w*)"
    r"(?:\(\w*\))?\.(?:parse|load|validate|cast|check|assert)\s*\("
    r"|(?P<name>\b_?(?:in)?valid(?:ate)?(?:_\w+|[A-Z]\w*)?)\s*\("
    r"|\bvalidate\.(?:Struct|Var)\w*\(|^\s*(?:body|check|param|query|header)\(['\"]\w+['\"]\)\."
    r"|\bnew\s+ValidationPipe\(|\bRuleFor\(|\b(?P<parsed>[a-z]\w*)\.parse\((?:req|request|ctx|body"
    r"|input|data)\b"
)
_MARK = lazy_pattern(
    r"\bmodel_construct\(|\bvalidate\s*[:=]>?\s*[Ff]alse\b|[@\[]SkipValidation\b"
    r"|\bskip_?[Vv]alidat\w*\s*(?:=>?|:)\s*[Tt]rue\b"
)
_RULE_OF_FIELD = lazy_pattern(
    r"\bRuleFor\(|\bnew\s+ValidationPipe\(|^\s*(?:body|check|param|query|header)\(['\"]"
)
_NAME = lazy_pattern(r"[A-Za-z_]\w+")
_PLAIN = frozenset(
    ("const", "let", "var", "await", "return", "self", "this", "new", "true", "false", "True",
     "False", "None", "null", "not", "try", "err", "error", "errors", "raise_exception",
     "if", "or", "and", "in_",
     "func", "async", "throw", "Error", "nil", "unless", "then", "use", "val", "app")
)  # fmt: skip


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS)
        for finding in islice(
            chain(_marked(sources, file), _shorter(sources, file), _in_file(sources, file)), 1
        )
    ]
    others = (
        validation.compare,
        raw_input.compare,
        rules_loosened.compare,
        lost_operands.compare,
        access_checks.compare,
        own_guards.compare,
    )
    yield from where_silent(sources, found, others)


def _marked(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """What is there says that it is not asked: Rails, pydantic."""
    for block in file.blocks:
        for new in block.added if block.removed else ():
            if _MARK.search(code_of(new.text)) and not any(
                _MARK.search(code_of(old.text)) for old in file.removed
            ):
                title = "input is used without validation"
                yield taken(hint(RULE), file, block.removed[0], title, quoted(new.text))


# https://hexdocs.pm/ecto/Ecto.Changeset.html#validate_required/3
_LISTS = lazy_pattern(r"\bvalidate_required\((?P<names>[^)]*)\)")


def _shorter(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Fewer fields have to be there."""
    for block in file.blocks if file.path.endswith((".ex", ".exs")) else ():
        for old in block.removed:
            was = _LISTS.search(code_of(old.text))
            for new in block.added if was else ():
                now = _LISTS.search(code_of(new.text))
                before, after = (
                    {*re.findall(r":(\w+)", each["names"])} if each else set[str]()
                    for each in (was, now)
                )
                if now and after and after < before and _is_field(file, min(before - after)):
                    title = f"input is checked less: {min(before - after)}"
                    yield taken(hint(RULE), file, old, title, quoted(new.text))


def _is_field(file: ComparedFile, name: str) -> bool:
    """The head still has what was asked for."""
    return any(re.search(rf":{re.escape(name)}\b", row) for row in file.head_rows)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    asked = [
        (line, code, found)
        for line in file.removed
        if (found := _ASKS.search(code := code_of(line.text)))
        and not _DEFINES.match(code)
        and squeeze(line.text) not in sources.added_statements
    ]
    if not asked or len(asked) > _MOST_ASKED or _asked_anew(sources):
        return
    for line, code, found in asked:
        if not surroundings_stay(file, line):
            continue
        if _is_applied_otherwise(sources, file, line, found):
            continue
        used = _subject_stays(file, line, found)
        if used and _is_of_input(code) and not brings_tests_for(sources, file):
            yield taken(RULE, file, line, "input is no longer validated here", used)


_MOST_ASKED = 60  # lines of a file, beyond which it was rewritten
_DEFINES = lazy_pattern(
    r"^\s*(?:(?:export|default|public|private|protected|static|async|override|final)\s+)*"
    r"(?:def|fn|func|fun|function|class|import|from|interface|type)\b"
    r"|^\s*(?:public|private|protected|internal|static)\s+[\w<>\[\], ]+\("
    r"|^\s*\w+\([^()]*\)\s*(?::\s*[\w<>]+\s*)?\{\s*$"
)


def _asked_anew(sources: ComparisonInput) -> bool:
    """The change applies some rules of input in a line that is new: it may be these."""
    return any(
        _ASKS_SOMEHOW.search(code_of(line.text))
        and squeeze(line.text) not in sources.removed_statements
        for file in sources.files
        if file.is_product
        for line in file.added
    )


_ASKS_SOMEHOW = lazy_pattern(
    r"(?i)valid(?!ated_data|_until|ity)\w*\b\s*[!(<]|\w*schema\w*(?:\(\))?\.(?:parse|load|cast"
    r"|check|is)\w*\(|safeParse|\bverify\w*\("
    r"|\bcheck\w*\(|\bensure\w*\(|\bassert\w*\(|\bparse\w*\(|\bclean\w*\(|\bsanit\w+\(|\bRuleFor\("
)


def _is_applied_otherwise(
    sources: ComparisonInput, file: ComparedFile, line: Line, found: re.Match[str]
) -> bool:
    """The rules are handed to something that applies them, or what calls the definition does, by
    the types of its parameters: frameworks build these from what they have checked."""
    schema = (found["schema"] or found["parsed"] or "").partition("(")[0]
    if schema and any(has_word(row, schema) for row in sources.added_rows):
        return True
    unit = file.base_code.unit(line.number)
    before = _types_of(file.base_code, file.base_rows, unit)
    return not _types_of(file.head_code, file.head_rows, unit) <= before


def _types_of(code: SourceText, rows: Sequence[str], unit: str) -> set[str]:
    """Those that the first row of a definition names."""
    at = code.definitions.get(unit, 0)
    return {*_TYPE.findall(code_of(rows[at - 1]))} if 0 < at <= len(rows) else set()


_TYPE = lazy_pattern(r"\b[A-Z]\w+")


def _subject_stays(file: ComparedFile, line: Line, found: re.Match[str]) -> str:
    """A line of the definition that uses what was asked about, or the list that the rule is one
    of."""
    code = code_of(line.text)
    unit = file.base_code.unit(line.number)
    if _RULE_OF_FIELD.search(code):
        field = re.search(r"\.(\w+)\s*\)|\(['\"](\w+)['\"]\)", code)
        others = (row for row in file.head_rows if field and has_word(row, field[1] or field[2]))
        return "" if any(others) else "nothing in its place"
    named = [
        name for name in _NAME.findall(code[code.find("(", found.start()) :]) if name not in _PLAIN
    ]
    named += [name for name in (found["of"],) if name and name not in _PLAIN]
    for at, row in enumerate(file.head_rows, 1):
        here = file.head_code.unit(at) == unit and not _DEFINES.match(row)
        if here and any(has_word(row, name) for name in named[:_MOST]):
            return quoted(row)
    return ""


_MOST = 3


def _is_of_input(code: str) -> bool:
    return _INPUT.search(code) is not None


_INPUT = lazy_pattern(
    r"\b(?:req|request|ctx\.request)\.(?:body|query|params|json|data|POST|GET|form|args)\b"
    r"|\brequest\.get_json\(|\$request\b|\bModelState\b"
)
