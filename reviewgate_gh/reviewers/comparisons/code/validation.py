"""Refusals of bad input that are gone from functions that stay."""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, surroundings_stay
from .._remark import ComparisonRule, hint, quoted, taken
from .._replacing import replacing_lines
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._deciding import decides, may_decide
from ._excluded_types import has_to_be_given, is_ruled_out
from ._meant_refusals import (
    BRANCH,
    HANDED,
    ONE_LINE,
    RULES,
    TEXT,
    field_is_gone,
    first_of_code,
    is_decided,
    is_implied,
    is_meant,
    is_only_said,
    is_required_anyway,
    names_no_value,
    refuses_no_input,
)
from ._used_unchecked import used_unchecked
from .access_checks import is_access_check

EVERY_FILE = False
RULE = ComparisonRule(
    "validation-removed",
    Priority.P2,
    "Unless something else refuses such input, it is now accepted. Restore the check, or name the "
    "place that refuses it.",
)
_WORDS = (
    b"raise",
    b"throw",
    b"return",
    b"abort",
    b"panic",
    b"valid",
    b"escape",
    b"encodeURI",
    b"saniti",
    b"assert",
    b"max",
    b"MAX",
    b"Error",
    b"bail",
    b"halt",
    b"secure",
    b"quote",
    b"clean",
    b"basename",
    b"@",
    b"exit",
    b"require",
    b"check",
    b"ensure!",
    b"invariant",
    b"when ",
    b"Err(",
    b"[Range",
    b"Length",
    b"Required",
    b"#[Assert",
    b"tatus(4",
)
_REFUSES = lazy_pattern(
    r"^\s*(?:raise\b|throw\b|abort\b|halt\b|panic\(|(?:\w+::)?bail!"
    r"|return(?:@\w+)?\s+(?:.*,\s*)?(?:fmt\.Errorf"
    r"|errors\.New|Err\(|Err[A-Z]\w*|err\b|nil,\s*\w*[eE]rr|.*(?:Error|error|invalid|Invalid"
    r"|BadRequest"
    r"|bad_request|\b4\d\d\b|-EINVAL|status\())"
    # What a callback or a form is told
    r"|reject\(|\w+\.(?:rejectValue|add_error|addIssue|addError)\(|\w*errors\.add\("
    # Of C and of a shell: what says that it failed
    r"|return\s+(?:-\s*[1E]\w*|NULL|nullptr)\s*;|exit\s+[1-9]|return\s+[1-9]\s*$"
    r"|(?:http\.Error|res\.status)\(|.*\.status\(4\d\d\))"
)
_NAME = lazy_pattern(r"[A-Za-z_]\w{4,}")
_MOST_ADDED = 40  # lines
_PLAIN = frozenset(
    {
        "raise",
        "throw",
        "return",
        "error",
        "errors",
        "valueerror",
        "typeerror",
        "exception",
        "isinstance",
        "string",
        "print",
        "false",
        "panic",
        "abort",
        "errorf",
        "sprintf",
        "length",
        "unless",
        "equals",
        "runtimeerror",
        "illegalargumentexception",
        "status",
        "response",
        "request",
    }
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            yield from list(_in_file(sources, file))[:1]


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if not block.removed or _has_moved(sources, block):
            continue
        if any(is_access_check(code_of(line.text)) for line in block.removed):
            continue  # told as such
        if _is_refusal(block) and not _is_replaced(file, block) and _is_alone(file, block):
            if not _is_all_text(file, block):
                yield from _refused(sources, file, block)
        elif not block.added and len(block.removed) <= 2 and RULES.match(block.removed[0].text):
            yield from _rule_gone(sources, file, block)
        else:
            found = [*used_unchecked(RULE, sources, file, block)]
            yield from () if found and _is_all_text(file, block) else found


def _rule_gone(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    first = block.removed[0]
    code = code_of(first.text)
    if _is_all_text(file, block) or is_only_said(file, code) or field_is_gone(sources, file, block):
        return
    if not (is_required_anyway(file, code) or is_implied(file, first)):
        rule = hint(RULE) if is_decided(sources, file, block) else RULE
        yield taken(rule, file, first, "a validation rule is removed")


def _is_all_text(file: ComparedFile, block: Block) -> bool:
    return all(_is_in_text(file, line) for line in block.removed)


def _is_in_text(file: ComparedFile, line: Line) -> bool:
    """It is part of an example in a text of several lines: the code of the base has no such row."""
    row = file.base_rows[line.number - 1]
    return not row.strip() or file.base_code.in_string(line.number)


def _is_replaced(file: ComparedFile, block: Block) -> bool:
    return any(may_decide(file, line) for line in block.added if line.text.strip())


def _refused(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    first = first_of_code(block)
    if refuses_no_input(sources, file, block) or not surroundings_stay(file, first):
        return
    served = _SERVES.search(file.base) is not None
    if _is_of_constants(file, first) or is_ruled_out(file, block, served):
        return
    if has_to_be_given(file, block):
        return
    if not _is_dealt_with(sources, file, block):
        sure = not is_meant(sources, file, block) and asks_input(file, first)
        sure = sure and not (_SAYS_SO.match(first.text) or _is_handed_on(file, block))
        # Most refusals of a library go for a reason: of 21 that real commits took away nobody
        # missed one
        rule = RULE if sure and served else hint(RULE)
        yield taken(rule, file, first, f"a refusal is removed: {quoted(first.text)}")


def _is_handed_on(file: ComparedFile, block: Block) -> bool:
    """What was refused without one of its parts goes to another function as a whole, which may need
    that as well."""
    first = first_of_code(block)
    found = _WITHOUT_PART.search(code_of(first.text))
    unit = file.base_code.unit(first.number)
    below = range(block.removed[-1].number, len(file.base_rows))
    rows = (file.base_rows[at] for at in below if found and file.base_code.unit(at + 1) == unit)
    return found is not None and any(found[1] in HANDED.findall(code_of(row)) for row in rows)


_WITHOUT_PART = lazy_pattern(
    r"(?<![\w.$])(\$?[A-Za-z_]\w*)(?:\.|->)\w+\s*===?\s*(?:0\b(?!\.)|\"\"|''|null\b|nil\b)"
)


def _has_moved(sources: ComparisonInput, block: Block) -> bool:
    texts = [squeeze(line.text) for line in block.removed]
    return any(len(text) > 6 and text in sources.added_statements for text in texts)


def _is_dealt_with(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """The change's new code speaks of the same things: it may allow what was refused."""
    named = {
        word
        for line in block.removed
        for word in _NAME.findall(TEXT.sub("", code_of(line.text)))
        if word.lower() not in _PLAIN
    }
    added = [*replacing_lines(sources, file, block.removed[0])]
    if len(added) > _MOST_ADDED:  # so much is new that the refusal is one of its parts
        return True
    # That there is a value may follow from how it is made
    any_line = names_no_value(code_of(first_of_code(block).text))
    texts = [
        TEXT.sub("", code_of(line.text))
        for each, line in added
        if any_line or may_decide(each, line)
    ]
    asking = (line.text for each in sources.files if each.is_product for line in each.added)
    texts += [TEXT.sub("", code) for code in map(code_of, asking) if BRANCH.match(code)]
    return any(has_word(text, word) for text in texts for word in named)


def _is_refusal(block: Block) -> bool:
    """The removed lines are one condition and what refuses, and nothing else."""
    rows = [code_of(line.text) for line in block.removed if code_of(line.text).strip(" \t{})")]
    rows = rows[_prepared(rows) :]
    if not rows or len(rows) > 8:
        return False
    if len(rows) == 1 or all(map(_ARM.match, rows)):
        return any(pattern.match(rows[0]) for pattern in (ONE_LINE, _ARM, _ASSERTS))
    if any(is_of_errors(row) for row in rows if _begins_branch(row)) or asks_nothing(rows[0]):
        return False
    refuses = [row for row in rows if _REFUSES.match(row)]
    indents = [len(row) - len(row.lstrip()) for row in rows]
    inner = [row for row, indent in zip(rows, indents, strict=True) if indent == indents[0]]
    branches = _begins_branch(rows[0]) and all(map(_is_of_branch, inner))
    if not (refuses and branches and min(indents) == indents[0]):
        return False
    return not _goes_on(rows, indents, max(n for n, row in enumerate(rows) if row in refuses))


# Of Rust and Kotlin: a case that refuses, beside others that stay
_ARM = lazy_pattern(
    r"^\s*(?:\w+\s+if\s+\S.*|[-\d.=_ |]+|\S.*[<>].*)\s*(?:=>\s*(?:return\s+)?Err\(|->\s*throw\b)"
)
_ASSERTS = lazy_pattern(r"^\s*assert\s+[^,]*(?:[<>]|[!=]=|\bin\b)")
# What the code itself is sure of
_SAYS_SO = lazy_pattern(r"^\s*(?:debug_)?assert(?:_\w+)?\b")
# Of Go: a condition of a `switch` without a subject
_CASE = lazy_pattern(r"^\s*case\s+.*(?:[<>]|[!=]=|\|\||&&).*:\s*$")


def _begins_branch(row: str) -> bool:
    return any(pattern.match(row) for pattern in (BRANCH, ONE_LINE, _CASE))


def _is_of_branch(row: str) -> bool:
    """It begins one, or ends one."""
    return _begins_branch(row) or re.match(r"\s*[)\]}]|\s*(?:end|fi)\b", row) is not None


def is_of_errors(row: str) -> bool:
    """What failed already has another name now, or is told as an error that nobody looks at."""
    looked_at = re.search(r"\berr\s*[!=]=\s*nil", row) and not _ONLY_ASKS.match(row)
    return bool(looked_at or _OF_ERRORS.search(row))


# Go: nothing but whether it fails is looked at
_ONLY_ASKS = lazy_pattern(
    r"^\s*if\s+(?:_\s*,\s*)+err\s*:?=\s*[\w.]+\(.*;\s*err\s*!=\s*nil"
    r"|^\s*if\s+err\s*:?=\s*[\w.]*(?i:valid|verif|check|ensure|parse)[\w.]*\(.*;\s*err\s*!=\s*nil"
)


def _prepared(rows: Sequence[str]) -> int:
    """How many rows before the condition only find out what it asks."""
    count = 0
    while count < len(rows) and (found := _FINDS_OUT.match(rows[count])):
        if not any(has_word(row, found["name"]) for row in rows[count + 1 :]):
            return 0
        count += 1
    return count if count < len(rows) and BRANCH.match(rows[count]) else 0


_FINDS_OUT = lazy_pattern(
    r"^\s*(?:(?:const|let|var|val|auto|final|bool|boolean|int|my)\s+)?[$@]?(?P<name>\w+)"
    r"(?:\s*,\s*\w+)?\s*(?::\s*[\w<>\[\]]+\s*)?:?=(?!=)\s*\S"
)


def _goes_on(rows: list[str], indents: list[int], refusal: int) -> bool:
    """What stands behind the refusal's own condition: the lines did something with good input, and
    that is gone, too."""
    return any(
        indent < indents[refusal] and not _CLOSES.match(row) and not BRANCH.match(row)
        for row, indent in zip(rows[refusal + 1 :], indents[refusal + 1 :], strict=True)
    )


_CLOSES = lazy_pattern(r"\s*(?:[)\]}]|(?:end|fi|else)\b)")
_OF_ERRORS = lazy_pattern(
    r"\b(?:As|Is\w*|AsType(?:\[[^\]]*\])?)\(\s*err\w*\b|\berr\w*\.\(|\bisinstance\(\s*(?:e|err"
    r"|error|exc\w*)\b"
    r"|\b(?:e|err|error|ex|exception)\s+(?:instanceof|is)\b"
    r"|^\s*if\s*\(?\s*(?:[\w$]+(?:->|\.))*\$?(?:err|error|exception)\s*\)?\s*[{:]?\s*$"
)


def asks_nothing(row: str) -> bool:
    """Constants and chance decide, so no input is refused: `if (Math.random() < 1)`; or it does
    something, and goes on where that went well: `if (!touch($path))`."""
    if _DOES.match(row):
        return True
    condition = _KEYWORDS.sub("", _CHANCE.sub("", TEXT.sub("", row)))
    return not re.search(r"[A-Za-z_]\w*", condition)


_DOES = lazy_pattern(
    r"\s*(?:if|unless)\b[\s(]*(?:!|not\s)?\s*@?(?:\w+(?:\.|::|->))*"
    r"(?:touch|mkdir|rmdir|unlink|rename|copy|symlink|chmod|chown|fopen|fwrite|file_put_contents"
    r"|mb_internal_encoding|ini_set|set_error_handler)\("
)

_CHANCE = lazy_pattern(r"\b(?:\w+\.)*(?:random|rand)\(\)")
_KEYWORDS = lazy_pattern(r"(?i)\b(?:if|unless|guard|elif|else|then|do|true|false|not|and|or)\b")


def asks_input(file: ComparedFile, line: Line) -> bool:
    """What the condition names came into the definition: a parameter, a request, or what was made
    of one before."""
    source = file.base_code
    first = source.definitions.get(source.unit(line.number), 0)
    if not first:
        return True  # nothing tells what comes in
    header = source.rows(first)
    named = " ".join(file.base_rows[row - 1] for row in header)
    fills = language_of(file.path) in ("c", "go")
    known = {*_WORD.findall(named)} - {source.unit(line.number).rpartition(".")[2]}
    if not known:
        return True  # fields of the object, perhaps
    for row in file.base_rows[header.stop - 1 : line.number - 1]:
        left, _equals, right = row.partition("=")
        if known.intersection(_WORD.findall(right)) or _INPUT.search(right):
            known.update(_WORD.findall(left))
            known.update(_FILLED.findall(row) if fills else ())
        elif fills and known.intersection(_WORD.findall(row)):
            known.update(_FILLED.findall(row))
    condition = TEXT.sub("", code_of(line.text))
    return _INPUT.search(condition) is not None or bool(known & {*_WORD.findall(condition)})


_WORD = lazy_pattern(
    r"\b(?!(?:if|unless|guard|let|const|var|val|def|func|fn|fun|function|async|export"
    r"|public|private"
    r"|static|return|throw|raise|new|not|and|or|in|is|len|int|str|string|bool|self|this|err"
    r"|error)\b)"
    r"[A-Za-z_]\w*"
)
_CONSTANT_NAME = lazy_pattern(r"_*[A-Z][A-Z\d_]{2,}")


def _is_of_constants(file: ComparedFile, line: Line) -> bool:
    """The condition is about constants alone, which nothing from outside sets; variables of a shell
    have such names, too."""
    asked = {*_WORD.findall(_KEYWORDS.sub("", TEXT.sub("", code_of(line.text))))}
    if language_of(file.path) == "sh" or not all(map(_CONSTANT_NAME.fullmatch, asked)):
        return False
    sets = (row for row in file.base_rows if any(has_word(row.partition("=")[0], n) for n in asked))
    return not any(map(_INPUT.search, sets))


# What a call writes to, by the function's habit: its first argument, or an address
_FILLED = lazy_pattern(r"(?:\b(?:f?read|recv|fgets|memcpy|strn?cpy|sn?printf|\w*read\w*)\(|&)(\w+)")
_INPUT = lazy_pattern(
    r"(?i)\b\$?\w*(?:requests?|req|params?|args?|argv|inputs?|body|payload|form|query|headers?"
    r"|cookies?|env|ModelState)\b"
    r"|@\w|\b(?:self|this)\b"
)


# The file answers requests
_SERVES = lazy_pattern(
    r"(?i)\b\$?(?:\w*requests?|req|params|body|payload|form|query|cookies?|ModelState|HttpContext"
    r"|ctx|_(?:GET|POST|REQUEST|FILES))\b"
)


def _is_alone(file: ComparedFile, block: Block) -> bool:
    """The rest of the definition is as it was: nothing was put there that could do the same."""
    unit = file.base_code.unit(block.removed[0].number)
    if not unit and language_of(file.path) == "sh":
        return not any(line.text.strip() for line in file.added)  # a script is one definition
    conditions = (code_of(line.text) for line in block.removed)
    asked = {word for row in conditions if BRANCH.match(row) for word in _WORD.findall(row)}
    for line in file.removed:
        left, _equals, right = line.text.partition("=")
        if file.base_code.unit(line.number) == unit and asked.intersection(_WORD.findall(left)):
            asked.update(_WORD.findall(right))  # what was asked about was made of these
    return not any(
        file.head_code.unit(line.number) == unit and _may_refuse(file, line, asked)
        for line in file.added
        if line.text.strip()
    )


def _may_refuse(file: ComparedFile, line: Line, asked: set[str]) -> bool:
    """A new line may ask the same: it decides by its words, or by what it does with one of the
    names."""
    named = asked & {*_WORD.findall(code_of(line.text))}
    return decides(file, line) or (bool(named) and may_decide(file, line))
