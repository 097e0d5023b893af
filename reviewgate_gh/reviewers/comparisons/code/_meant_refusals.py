"""What speaks for it that a refusal of input, or a rule for it, was meant to go, or says nothing at
run time."""

import re

from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, loss_is_explained
from .._related import brings_tests_for
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word

BRANCH = lazy_pattern(r"^\s*(?:if|unless|guard|elif|\}?\s*else if|assert)\b")
ONE_LINE = lazy_pattern(
    r"^\s*(?:if|unless|guard)\b.*\b(?:raise|throw|abort|panic|return\b.*(?:Error|Err\(|error"
    r"|4\d\d|status))\b|^\s*(?:raise|throw|abort|halt)\b.*\b(?:if|unless)\b"
    r"|^\s*(?:Objects\.requireNonNull|Preconditions\.check\w+|checkArgument|requireNotNull"
    r"|(?:require|check)(?!\(\s*['\"`])|(?:\w+::)?(?:ensure|assert)!|invariant)\("
)
_NO_VALUE = lazy_pattern(
    r"[!=]==?\s*(?:null|nil|None|undefined|nullptr|NULL)\b|\bis\s+(?:not\s+)?(?:None"
    r"|null)\b|\.nil\?|\.is_(?:none|some)\(\)|\.is(?:Present|Nil)\(\)|!?\w\.HasValue\b"
    r"|\b(?:function|class|extension)_(?:exists|loaded)\(|\bisNull\(|\bis_null\(|\btypeof\b"
    r"|(?:\.|->)has[A-Z]\w*\(\)|\b(?:is_a|kind_of)\?|\bisinstance\(|\binstanceof\b|[rR]equire(?:d"
    r"|NonNull|NotNull)"
    r"|^\s*if\s*(?:\(\s*)?!?\s*[\w.$>-]+\s*(?:\)\s*)?[:{]?\s*$|^\s*(?:if"
    r"|unless)\s+(?:not\s+)?[\w.]+:?\s*$"
)
# A flag that says what was found out about the input
_SAYS_VALID = lazy_pattern(r"(?i)!\s*[\w.$>-]*(?:valid|allowed|permitted|verified|trusted|safe)\w*")
TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_BOUND = lazy_pattern(r"\b[A-Z][A-Z\d]*_[A-Z\d_]+\b")
RULES = lazy_pattern(
    r"^\s*(?:validates?(?:_\w+)?\s+[:\w].*|@(?:\w+:)?(?:NotNull|NotBlank|NotEmpty|Valid|Min|Max"
    r"|Size"
    r"|Positive|Past|Future|Digits"
    r"|Pattern|Email"
    r"|Length|Is(?!Optional\b)[A-Z]\w+|ValidateNested|MinLength|MaxLength|validator|field_validator"
    r"|validates)\b.*"
    # https://learn.microsoft.com/dotnet/api/system.componentmodel.dataannotations
    r"|\[(?:Required|StringLength|MaxLength|MinLength|Range|RegularExpression|EmailAddress|Url"
    r"|Phone|Compare|CreditCard|AllowedValues|DeniedValues|FileExtensions)\b.*\]"
    r"|\|>\s*validate_\w+\(.*"
    # https://symfony.com/doc/current/validation.html#constraints
    r"|#\[Assert\\\w+.*\]"
    # https://docs.rs/validator/latest/validator/
    r"|#\[(?:validate|garde)\(.*\]"
    r"|\w+\.full_clean\(\)\s*)$"
)


def is_only_said(file: ComparedFile, code: str) -> bool:
    """Java, Kotlin: annotations of these names that readers and analysers see, and nothing at run
    time. https://jakarta.ee/specifications/bean-validation/3.0/#constraintsdefinitionimplementation
    """
    found = _ANNOTATION.search(code) if file.path.endswith(_OF_JVM) else None
    if found is None:
        return False
    imported = re.search(rf"(?m)^import\s+(?P<from>[\w.]+)\.{found['name']}\b", file.base)
    return imported is not None and _VALIDATES.search(imported["from"]) is None


_OF_JVM = (".java", ".kt", ".groovy", ".scala")
_ANNOTATION = lazy_pattern(r"@(?:\w+:)?(?P<name>[A-Z]\w*)")
_VALIDATES = lazy_pattern(r"\bvalidat(?:ion|or)\b")


def is_required_anyway(file: ComparedFile, code: str) -> bool:
    """Rails refuses a record without what it belongs to, unless told otherwise.
    https://guides.rubyonrails.org/association_basics.html#optional"""
    found = _PRESENT.match(code) if file.path.endswith(".rb") else None
    names = re.findall(r":(\w+)", found["names"]) if found else ()
    return bool(names) and all(
        re.search(
            rf"(?m)^\s*belongs_to\s+:{name}\b(?!.*\b(?:optional:\s*true|required:))", file.head
        )
        for name in names
    )


_PRESENT = lazy_pattern(r"^\s*(?:validates\s+(?P<names>(?::\w+,\s*)+)presence:\s*true\s*$)")


def is_implied(file: ComparedFile, line: Line) -> bool:
    """What may not be blank may not be missing either: another rule beside it, which stays.
    https://jakarta.ee/specifications/bean-validation/3.0/jakarta.validation/jakarta/validation/constraints/notblank
    """
    if not _NOT_NULL.match(line.text):
        return False
    rows, beside = file.base_rows, list[str]()
    for step in (-1, 1):
        at = line.number - 1 + step
        while 0 <= at < len(rows) and rows[at].lstrip().startswith("@"):
            beside.append(rows[at])
            at += step
    return any(_NOT_BLANK.match(row) and row in file.head_rows for row in beside)


_NOT_NULL = lazy_pattern(r"\s*@(?:\w+:)?NotNull\b")
_NOT_BLANK = lazy_pattern(r"\s*@(?:\w+:)?Not(?:Blank|Empty)\b")


def field_is_gone(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """The rule goes with what it was about."""
    rest = [line for line in block.removed[1:] if line.text.strip()]
    if any(not RULES.match(code_of(line.text)) for line in rest):
        return True
    found = _OF_COLUMNS.match(code_of(block.removed[0].text)) if file.name.endswith(".rb") else None
    names = re.findall(r":(\w+)", found["names"]) if found else []
    removed = "\n".join(line.text for each in sources.files for line in each.removed)
    places = sources.find_words(names) if names else {}
    return bool(names) and not any(
        places.get(name) or len(re.findall(rf"\b{name}\b", removed)) < _TWICE for name in names
    )


_TWICE = 2
_OF_COLUMNS = lazy_pattern(r"^\s*validates(?:_\w+)?\s+(?P<names>:\w+(?:,\s*:\w+(?!:))*)")


def first_of_code(block: Block) -> Line:
    """The first removed line that is no comment, or else the first."""
    rows = ((line, line.text.strip()) for line in block.removed)
    code = [
        line for line, text in rows if text.strip("{}()[]; ") and not text.startswith(("#", "//"))
    ]
    asks = (line for line in code if BRANCH.match(line.text) or ONE_LINE.match(line.text))
    return next(asks, code[0] if code else block.removed[0])


def refuses_no_input(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """Nothing that came in is accepted now: it was about a platform, what the program could not do
    yet, or an option that is gone; or the same is refused by what stays."""
    return (
        _is_refused_anyway(file, block)
        or _is_of_program(block)
        or _is_of_gone_value(file, block)
        or _is_asked_twice(file, block)
        or _is_refused_as_such(file, block)
        or _is_unused(file, block)
        or _option_is_gone(sources, file, block)
        or _argument_is_gone(file, block)
        or _fails_by_itself(file, block)
    )


def _is_refused_anyway(file: ComparedFile, block: Block) -> bool:
    """What stands behind the refusal refuses whatever comes: only another message goes."""
    depth = _depth(first_of_code(block).text)
    below = (row for row in file.base_rows[block.removed[-1].number :] if row.strip())
    after = next((row for row in below if not _MAKES_MESSAGE.match(row)), "")
    return _depth(after) == depth and _ANYWAY.match(after) is not None


_MAKES_MESSAGE = lazy_pattern(
    r"(?i)\s*(?:\w+\s+)?\$?(?:msg|message|err\w*|reason|text|detail)\s*:?="
)
_ANYWAY = lazy_pattern(
    r"\s*(?:raise|throw|panic|abort|halt|bail!)(?!\w)(?!.*\b(?:if|unless)\b)"
    r"|\s*return\s+(?:.*,\s*)?(?:fmt\.Errorf|errors\.New"
    r"|Err\()"
)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def is_meant(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """What speaks for a decision: the change writes tests as well, or says why; or what was
    refused is no value at all, which a type may rule out now."""
    return (
        is_decided(sources, file, block)
        or names_no_value(code_of(block.removed[0].text))
        or _bound_is_gone(file, block)
        or _is_asked_elsewhere(sources, file, block)
    )


def _is_asked_elsewhere(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """Another condition of the head is about the same options: it may refuse the same."""
    options = {*_OPTION.findall(TEXT.sub("", code_of(first_of_code(block).text)))}
    if len(options) < _PAIR:
        return False
    rarest = max(options, key=len)
    return any(
        language_of(place.path) == language_of(file.path)
        and BRANCH.match(code_of(place.text))
        and all(has_word(place.text, option) for option in options)
        for place in sources.find_words({rarest})[rarest]
    )


_PAIR = 2


def _is_asked_twice(file: ComparedFile, block: Block) -> bool:
    """The definition has the same condition at head, before or behind."""
    first = first_of_code(block)
    unit = file.base_code.unit(first.number)
    return any(
        row.strip() == first.text.strip() and file.head_code.unit(at) == unit
        for at, row in enumerate(file.head_rows, 1)
    )


def _is_refused_as_such(file: ComparedFile, block: Block) -> bool:
    """What was refused where it is empty has to be right by another condition, which stays."""
    first = first_of_code(block)
    found = _EMPTY.search(code_of(first.text))
    unit = file.base_code.unit(first.number)
    if not found:
        return False
    value = re.compile(rf"(?<![\w.]){re.escape(found['left'] or found['inner'])}\b")
    rows = file.head_rows
    return any(
        BRANCH.match(row)
        and not _NEED_NOT_BE.search(row)
        and value.search(row)
        and file.head_code.unit(at) == unit
        and any(map(_REFUSES.search, rows[at : at + 2]))
        for at, row in enumerate(rows, 1)
    )


_EMPTY = lazy_pattern(
    r"(?P<left>[\w.]+)\s*===?\s*(?:\"\"|'')|\blen\((?P<inner>[\w.]+)\)\s*==\s*0\b"
)
# It may be empty, or only has to be short
_NEED_NOT_BE = lazy_pattern(r"&&|\band\b|\blen(?:gth|\()|\.size\b")
_REFUSES = lazy_pattern(
    r"^\s*(?:raise|throw|panic|abort|bail!)(?!\w)|\breturn\b.*(?:Err|err|fmt\.Errorf|errors\.New)"
)


def _is_of_program(block: Block) -> bool:
    """What is refused is no input, but a platform, or what the program could not do yet."""
    asks = TEXT.sub("", code_of(first_of_code(block).text))
    return is_of_platform(asks) or any(
        _NOT_YET.search(code_of(line.text)) for line in block.removed
    )


def _is_of_gone_value(file: ComparedFile, block: Block) -> bool:
    """It asks for a value that other rows of the file named as well, and none does any more: there
    is no such kind of thing now."""
    code = code_of(first_of_code(block).text)
    if _ALTERNATIVES.search(code):
        return False
    own = {line.number for line in block.removed}
    rows = [line.text for line in file.removed if line.number not in own]
    return any(
        value not in file.head and any(value in row for row in rows)
        for value in _EQUALS.findall(code)
    )


_ALTERNATIVES = lazy_pattern(r"\|\||\bor\b")
_EQUALS = lazy_pattern(r"(?<!!)==?=?\s*([\"'][\w.-]{2,}[\"'])")


def is_of_platform(asks: str) -> bool:
    """It asks what the program runs on, by its name or its version, or which others are there."""
    return _OF_PLATFORM.search(asks) is not None


_OF_PLATFORM = lazy_pattern(
    r"(?i)\bprocess\.(?:platform|arch|versions?)\b|\bsys\.(?:platform|version)|\bos\.name\b"
    r"|\bGOOS\b|\bPY[23]\d*\b|\bversion_info\b|\bpython_version\b"
    r"|\bcommand\s+-v\b|\btype\s+-p\b|\bwhich\b|\bplatform\.\w+\(|_VERSION(?:_ID)?\b|\buname\b"
    r"|\buserAgent\b|\bis_?(?:windows|mac|linux|win32)\w*"
)
_NOT_YET = lazy_pattern(
    r"\bNotImplemented(?:Error|Exception)?\b|\bUnsupportedOperation|\b(?:ENOSYS|E(?:OP)?NOTSUPP?)\b"
    r"|\bunimplemented!|\bUnimplemented\b"
    r"|(?i:\bnot\s+(?:yet\s+|currently\s+)?implemented\b|\bsupport\w*\s+yet\b|\bfor now\b"
    r"|\bat the moment\b"
    r"|\b(?:not\s+yet|not\s+currently|currently\s+not)\s+(?:supported|possible|allowed)\b)"
)


def names_no_value(code: str) -> bool:
    """What is refused is no value at all, or one of another type."""
    return _NO_VALUE.search(code) is not None and not _SAYS_VALID.search(code)


def is_decided(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """The change writes tests as well, or says why."""
    return (
        brings_tests_for(sources, file)
        or loss_is_explained(file, block)
        or _is_no_longer_tested(sources, block)
    )


def _is_no_longer_tested(sources: ComparisonInput, block: Block) -> bool:
    """The change takes the message of the refusal out of tests, and writes others there."""
    texts = (text[1:-1] for line in block.removed for text in TEXT.findall(line.text))
    messages = [text for text in texts if len(text.split()) > _FEW_WORDS]
    return any(
        message in line.text and message not in each.head
        for each in sources.files
        if each.is_test and messages and any(code_of(line.text).strip() for line in each.added)
        for line in each.removed
        for message in messages
    )


_FEW_WORDS = 2


def _bound_is_gone(file: ComparedFile, block: Block) -> bool:
    """The constant that was the limit is not in the file any more: there is none now."""
    bounds = _BOUND.findall(TEXT.sub("", code_of(block.removed[0].text)))
    others = {line.number for line in block.removed}
    return bool(bounds) and all(
        not has_word(file.head, bound)
        and any(has_word(line.text, bound) for line in file.removed if line.number not in others)
        for bound in bounds
    )


def _is_unused(file: ComparedFile, block: Block) -> bool:
    """A variable that a script asked for, and does nothing with any more."""
    if language_of(file.path) != "sh":
        return False
    asked = _OF_SHELL.findall(first_of_code(block).text)
    return bool(asked) and not any(has_word(file.head, name) for name in asked)


_OF_SHELL = lazy_pattern(r"\$\{?([A-Za-z_]\w*)")


def _option_is_gone(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """A setting, type or constant decided whether this is refused, and the change takes it out of
    other places as well: the head has it nowhere."""
    condition = TEXT.sub("", code_of(first_of_code(block).text))
    here = {line.number for line in block.removed}
    others = [
        line.text
        for each in sources.files
        for line in each.removed
        if each is not file or line.number not in here
    ]
    options = {*_OPTION.findall(condition)} - {*_BOUND.findall(condition)}
    gone = {name for name in options if any(has_word(text, name) for text in others)}
    if any(
        _is_declared(text, name) and not has_word(file.head, name)
        for name in gone
        for text in others
    ):
        return True
    places = sources.find_words(gone) if gone else {}
    return any(not places.get(name) for name in gone)


def _argument_is_gone(file: ComparedFile, block: Block) -> bool:
    """What the condition handed to a call goes with the rest of what was done with it."""
    here = {line.number for line in block.removed}
    others = [line.text for line in file.removed if line.number not in here]
    handed = HANDED.findall(code_of(first_of_code(block).text))
    return any(
        not has_word(file.head, name) and any(has_word(text, name) for text in others)
        for name in (each.lstrip("$") for each in handed)
    )


# An argument, alone or its address
HANDED = lazy_pattern(r"(?<=[(,])\s*&?(\$?[A-Za-z_]\w*)\s*(?=[,)])")


def _fails_by_itself(file: ComparedFile, block: Block) -> bool:
    """What the change does in its place raises for such a value: a look-up by key in Python, the
    reading of JSON in PHP. https://www.php.net/manual/en/json.constants.php"""
    asks = code_of(first_of_code(block).text)
    absent = _ABSENT.search(asks) if file.path.endswith(".py") else None
    looked_up = f"{absent['all']}[{absent['key']}]" if absent else ""
    flag = "JSON_THROW_ON_ERROR" if "json_last_error(" in asks else ""
    return any(sign in line.text for sign in (looked_up, flag) if sign for line in file.added)


_ABSENT = lazy_pattern(r"\bif\s+(?P<key>[\w.]+)\s+not\s+in\s+(?P<all>[\w.]+)\s*:")


def _is_declared(text: str, name: str) -> bool:
    """The line gives a type a field of the name: `Owner string`, `private String owner;`."""
    kind = r"(?!\s*(?:return|case|throw|raise)\b)\s*(?:[\w<>\[\]?]+\s+)*"
    return re.match(rf"{kind}{name}\b\??\s*[;:\w*\[]", text) is not None


# A property, a type, or a name with capitals alone
_OPTION = lazy_pattern(
    r"(?:(?<=\w\.)|(?<=->))[A-Za-z_]\w{3,}\b(?!\s*\()|\b[A-Z][A-Z_\d]{5,}\b"
    r"|\b[A-Z][a-z]\w{3,}\b(?!\s*\()"
)
