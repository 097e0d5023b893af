"""Refusals of bad input that are gone from functions that stay."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of, split_arguments
from .._guards import code_of, loss_is_explained, surroundings_stay
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .access_checks import is_access_check

EVERY_FILE = False
RULE = ComparisonRule(
    "validation-removed",
    Priority.P2,
    "Input that was refused here goes on from now on. Restore the check, or name the place that "
    "refuses it.",
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
    b"secure",
    b"quote",
    b"clean",
    b"realpath",
    b"basename",
    b"@",
    b"exit",
    b"require",
    b"check",
    b"[Range",
    b"Length",
    b"Required",
)
_BRANCH = lazy_pattern(r"^\s*(?:if|unless|guard|elif|\}?\s*else if|assert)\b")
_REFUSES = lazy_pattern(
    r"^\s*(?:raise\b|throw\b|abort\b|panic\(|bail!|return\s+(?:.*,\s*)?(?:fmt\.Errorf"
    r"|errors\.New|Err\(|Err[A-Z]\w*|err\b|nil,\s*\w*[eE]rr|.*(?:Error|error|invalid|Invalid"
    r"|BadRequest"
    r"|bad_request|400|422|403|401|-EINVAL|status\())"
    # What a callback or a form is told
    r"|reject\(|\w+\.(?:rejectValue|add_error|addIssue|addError)\(|\w*errors\.add\("
    # Of C and of a shell: what says that it failed
    r"|return\s+(?:-\s*[1E]\w*|NULL|nullptr)\s*;|exit\s+[1-9]|return\s+[1-9]\s*$"
    r"|(?:http\.Error|res\.status)\(|.*\.status\(4\d\d\))"
)
_ONE_LINE = lazy_pattern(
    r"^\s*(?:if|unless|guard)\b.*\b(?:raise|throw|abort|panic|return\b.*(?:Error|Err\(|error"
    r"|4\d\d|status))\b|^\s*(?:raise|throw|abort)\b.*\b(?:if|unless)\b"
    r"|^\s*(?:Objects\.requireNonNull|Preconditions\.check\w+|checkArgument|requireNotNull"
    r"|require|check|ensure!|assert!|invariant)\("
)
_CLEANS = lazy_pattern(
    r"\b(?P<call>(?:html\.)?escape|escapeHtml\w*|escape_html|sanitize\w*|sanitise\w*|quote_plus"
    r"|shlex\.quote|shell_?escape|secure_filename|bleach\.clean|DOMPurify\.sanitize|clean_html"
    r"|htmlspecialchars|mysqli_real_escape_string|encodeURIComponent|validate\w*|full_clean"
    r"|is_valid|path\.basename|filepath\.Clean|filepath\.Base|template\.HTMLEscapeString"
    r"|markupsafe\.escape|ERB::Util\.html_escape|strip_tags|realpath)\((?P<inner>[^()]*)"
)
_NO_VALUE = lazy_pattern(
    r"[!=]==?\s*(?:null|nil|None|undefined|nullptr|NULL)\b|\bis\s+(?:not\s+)?(?:None"
    r"|null)\b|\.nil\?|\.is_(?:none|some)\(\)|\.is(?:Present|Nil)\(\)|!?\w\.HasValue\b"
    r"|\b(?:function|class|extension)_(?:exists|loaded)\(|\bisNull\(|\bis_null\(|\btypeof\b"
    r"|\b(?:is_a|kind_of)\?|\bisinstance\(|\binstanceof\b|[rR]equire(?:d|NonNull|NotNull)"
    r"|^\s*if\s*\(?\s*!?\s*[\w.>-]+\s*\)?\s*[:{]?\s*$|^\s*(?:if|unless)\s+(?:not\s+)?[\w.]+:?\s*$"
)
# A flag that says what was found out about the input
_SAYS_VALID = lazy_pattern(r"(?i)!\s*[\w.$>-]*(?:valid|allowed|permitted|verified|trusted|safe)\w*")
_NAME = lazy_pattern(r"[A-Za-z_]\w{4,}")
_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_BOUND = lazy_pattern(r"\b[A-Z][A-Z\d]*_[A-Z\d_]+\b")
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
    }
)
_RULES = lazy_pattern(
    r"^\s*(?:validates?(?:_\w+)?\s+[:\w].*|@(?:NotNull|NotBlank|NotEmpty|Valid|Min|Max|Size"
    r"|Positive|Past|Future|Digits"
    r"|Pattern|Email"
    r"|Length|IsEmail|IsString|MinLength|MaxLength|validator|field_validator|validates)\b.*"
    # https://learn.microsoft.com/dotnet/api/system.componentmodel.dataannotations
    r"|\[(?:Required|StringLength|MaxLength|MinLength|Range|RegularExpression|EmailAddress|Url"
    r"|Phone|Compare|CreditCard|AllowedValues|DeniedValues|FileExtensions)\b.*\]"
    r"|\|>\s*validate_\w+\(.*"
    r"|\w+\.full_clean\(\)\s*)$"
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
        if not block.added and _is_refusal(block) and _is_alone(file, block):
            first = _first_of_code(block)
            if surroundings_stay(file, first) and not _is_dealt_with(sources, block):
                sure = not _is_meant(sources, file, block) and _asks_input(file, first)
                rule = RULE if sure else hint(RULE)
                yield taken(rule, file, first, f"a refusal is removed: {quoted(first.text)}")
        elif not block.added and len(block.removed) <= 2 and _RULES.match(block.removed[0].text):
            rule = hint(RULE) if is_decided(sources, file, block) else RULE
            yield taken(rule, file, block.removed[0], "a rule for input is removed")
        else:
            yield from _cleaned(file, block)


def _first_of_code(block: Block) -> Line:
    """The first removed line that is no comment, or else the first."""
    rows = ((line, line.text.strip()) for line in block.removed)
    code = (
        line for line, text in rows if text.strip("{}()[]; ") and not text.startswith(("#", "//"))
    )
    return next(code, block.removed[0])


def _is_meant(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """What speaks for a decision: the change writes tests as well, or says why; or what was
    refused is no value at all, which a type may rule out now."""
    return (
        is_decided(sources, file, block)
        or names_no_value(code_of(block.removed[0].text))
        or _bound_is_gone(file, block)
    )


def names_no_value(code: str) -> bool:
    """What is refused is no value at all, or one of another type."""
    return _NO_VALUE.search(code) is not None and not _SAYS_VALID.search(code)


def is_decided(sources: ComparisonInput, file: ComparedFile, block: Block) -> bool:
    """The change writes tests as well, or says why."""
    tested = any(other.is_test and other.added for other in sources.files)
    return tested or loss_is_explained(file, block)


def _bound_is_gone(file: ComparedFile, block: Block) -> bool:
    """The constant that was the limit is not in the file any more: there is none now."""
    bounds = _BOUND.findall(_TEXT.sub("", code_of(block.removed[0].text)))
    others = {line.number for line in block.removed}
    return bool(bounds) and all(
        not has_word(file.head, bound)
        and any(has_word(line.text, bound) for line in file.removed if line.number not in others)
        for bound in bounds
    )


def _has_moved(sources: ComparisonInput, block: Block) -> bool:
    texts = [squeeze(line.text) for line in block.removed]
    return any(len(text) > 6 and text in sources.added_statements for text in texts)


def _is_dealt_with(sources: ComparisonInput, block: Block) -> bool:
    """The change's new code speaks of the same things: it may allow what was refused."""
    named = {
        word
        for line in block.removed
        for word in _NAME.findall(_TEXT.sub("", code_of(line.text)))
        if word.lower() not in _PLAIN
    }
    added = (line.text for file in sources.files if file.is_product for line in file.added)
    return any(has_word(text, word) for text in added for word in named) or _is_rewrite(sources)


def _is_rewrite(sources: ComparisonInput) -> bool:
    """So much is new that the refusal is one of its parts."""
    return sum(len(file.added) for file in sources.files if file.is_product) > _MOST_ADDED


def _is_refusal(block: Block) -> bool:
    """The removed lines are one condition and what refuses, and nothing else."""
    rows = [code_of(line.text) for line in block.removed if code_of(line.text).strip(" \t{})")]
    if not rows or len(rows) > 8:
        return False
    if len(rows) == 1:
        return _ONE_LINE.match(rows[0]) is not None
    if re.search(r"\berr\s*!=\s*nil", rows[0]):
        return False  # told as an error that nobody looks at
    if _OF_ERRORS.search(rows[0]):
        return False  # what has failed already is given another name
    if _asks_nothing(rows[0]):
        return False
    begins = _BRANCH.match(rows[0]) is not None or _ONE_LINE.match(rows[0]) is not None
    refuses = [row for row in rows if _REFUSES.match(row)]
    indents = [len(row) - len(row.lstrip()) for row in rows]
    inner = [row for row, indent in zip(rows, indents, strict=True) if indent == indents[0]]
    branches = all(
        _BRANCH.match(row) or _ONE_LINE.match(row) or re.match(r"\s*[)\]}]|\s*(?:end|fi)\b", row)
        for row in inner
    )
    if not (begins and refuses and branches and min(indents) == indents[0]):
        return False
    return not _goes_on(rows, indents, max(n for n, row in enumerate(rows) if row in refuses))


def _goes_on(rows: list[str], indents: list[int], refusal: int) -> bool:
    """What stands behind the refusal's own condition: the lines did something with good input, and
    that is gone, too."""
    return any(
        indent < indents[refusal] and not _CLOSES.match(row) and not _BRANCH.match(row)
        for row, indent in zip(rows[refusal + 1 :], indents[refusal + 1 :], strict=True)
    )


_CLOSES = lazy_pattern(r"\s*(?:[)\]}]|(?:end|fi|else)\b)")
_OF_ERRORS = lazy_pattern(
    r"\b(?:As|Is|AsType(?:\[[^\]]*\])?)\(\s*err\w*\b|\berr\w*\.\(|\bisinstance\(\s*(?:e|err"
    r"|error|exc\w*)\b"
    r"|\b(?:e|err|error|ex|exception)\s+(?:instanceof|is)\b"
)


def _asks_nothing(row: str) -> bool:
    """Constants and chance decide, so no input is refused: `if (Math.random() < 1)`."""
    condition = _KEYWORDS.sub("", _CHANCE.sub("", _TEXT.sub("", row)))
    return not re.search(r"[A-Za-z_]\w*", condition)


_CHANCE = lazy_pattern(r"\b(?:\w+\.)*(?:random|rand)\(\)")
_KEYWORDS = lazy_pattern(r"(?i)\b(?:if|unless|guard|elif|else|then|do|true|false|not|and|or)\b")


def _asks_input(file: ComparedFile, line: Line) -> bool:
    """What the condition names came into the definition: a parameter, a request, or what was made
    of one before."""
    source = file.base_code
    first = source.definitions.get(source.unit(line.number), 0)
    if not first:
        return True  # nothing tells what comes in
    header = source.rows(first)
    named = " ".join(file.base_rows[row - 1] for row in header)
    in_c = language_of(file.path) == "c"
    known = {*_WORD.findall(named)} - {source.unit(line.number).rpartition(".")[2]}
    if not known:
        return True  # fields of the object, perhaps
    for row in file.base_rows[header.stop - 1 : line.number - 1]:
        left, _equals, right = row.partition("=")
        if known.intersection(_WORD.findall(right)) or _INPUT.search(right):
            known.update(_WORD.findall(left))
        elif in_c and known.intersection(_WORD.findall(row)):
            known.update(_FILLED.findall(row))
    condition = _TEXT.sub("", code_of(line.text))
    return _INPUT.search(condition) is not None or bool(known & {*_WORD.findall(condition)})


_WORD = lazy_pattern(
    r"\b(?!(?:if|unless|guard|let|const|var|val|def|func|fn|fun|function|async|export"
    r"|public|private"
    r"|static|return|throw|raise|new|not|and|or|in|is|len|int|str|string|bool|self|this|err"
    r"|error)\b)"
    r"[A-Za-z_]\w*"
)
# What a call writes to, by the function's habit: its first argument, or an address
_FILLED = lazy_pattern(r"(?:\b(?:f?read|recv|fgets|memcpy|strn?cpy|sn?printf|\w*read\w*)\(|&)(\w+)")
_INPUT = lazy_pattern(
    r"(?i)\b\$?\w*(?:requests?|req|params?|args?|argv|inputs?|body|payload|form|query|headers?"
    r"|cookies?|env|ModelState)\b"
    r"|@\w|\b(?:self|this)\b"
)


def _is_alone(file: ComparedFile, block: Block) -> bool:
    """The rest of the definition is as it was: nothing was put there that could do the same."""
    unit = file.base_code.unit(block.removed[0].number)
    return not any(
        line.text.strip() and file.head_code.unit(line.number) == unit for line in file.added
    )


def _unwrapped_call(old: str, found: re.Match[str]) -> str:
    """The line with the first argument of the call in its place; "" where the call goes on."""
    start = found.start("inner")
    parts = split_arguments(old, start)
    if not parts:
        return ""
    depth = 1
    for at in range(start, len(old)):
        depth += (old[at] in "([{") - (old[at] in ")]}")
        if not depth:
            return squeeze(old[: found.start()] + parts[0] + old[at + 1 :])
    return ""


def _cleaned(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A call that cleans or validates a value is taken from around it."""
    for old in block.removed:
        found = _CLEANS.search(code_of(old.text))
        if not found or _is_cleaned_before(file, old, found["call"]):
            continue
        end = found.end() + old.text[found.end() :].startswith(")")
        bare = squeeze(old.text[: found.start()] + found["inner"] + old.text[end:])
        for new in block.added:
            plain = re.sub(r"[\w.]+\($", "", old.text[: found.start()])
            same = (bare, squeeze(plain + found["inner"] + old.text[end:]))
            if squeeze(new.text) in (*same, _unwrapped_call(old.text, found)):
                title = f"a value is used without {found['call']}"
                yield taken(RULE, file, old, title, quoted(new.text))
                return


def _is_cleaned_before(file: ComparedFile, old: Line, call: str) -> bool:
    """The same definition cleans it in a new line now, before it is used."""
    unit = file.base_code.unit(old.number)
    return any(
        f"{call}(" in line.text and file.head_code.unit(line.number) == unit for line in file.added
    )
