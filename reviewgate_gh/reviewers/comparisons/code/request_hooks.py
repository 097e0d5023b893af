"""What a framework calls at each request, written where it is registered, and gone whole: filters
that answer strangers, and handlers of errors."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, joined, weigh_loss
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._said_by_name import says
from .access_checks import RULE, speaks_of_access

EVERY_FILE = False
_ERRORS = ComparisonRule(
    "error-handling-removed",
    Priority.P2,
    "An error in a request now reaches the client as the framework shows it, or ends the "
    "process. Restore the handler, or say what handles it instead.",
)
# https://sinatrarb.com/intro.html#filters, https://flask.palletsprojects.com/api/#flask.Flask.before_request
# https://fastify.dev/docs/latest/Reference/Hooks/
_FILTER = lazy_pattern(
    r"^\s*(?:(?:prepend_)?before(?:_action|_filter)?\b.*(?:\bdo\b|\{)"
    r"|@\w+\.before_(?:app_)?request\b"
    r"|@\w+\.middleware\(|[\w.]+\.(?:use|Use|addHook)\(.*(?:=>|\bfunction\b|\bfunc\b).*[{(]\s*$)"
)
# https://expressjs.com/en/guide/error-handling.html
_HANDLER = lazy_pattern(
    r"^\s*(?:[\w.]+\.use\(\s*(?:async\s+)?(?:function\s*\w*\s*)?\(\s*_?(?:err|error|e)\b"
    r"|error\b(?:\s+[\w:, ]+)?\s+do\b|@\w+\.(?:app_)?(?:errorhandler|exception_handler)\("
    r"|\w+\.(?:UseExceptionHandler|set(?:Not)?(?:Found|Error)Handler)\("
    r"|process\.on\(\s*['\"](?:uncaughtException|unhandledRejection)|set_(?:error"
    r"|exception)_handler\("
    r"|@ExceptionHandler\b)"
)
_DENIES = lazy_pattern(r"\b40[13]\b|[Ff]orbidden|[Uu]nauth\w+")
_USES = lazy_pattern(
    r"^\s*[\w.]+\.(?:use|Use)\(\s*(?:[\w$]+\.)*(?P<name>[A-Za-z_]\w{3,})(?:\(.*\))?\s*\)\s*(?:;\s*)?$"
)
_RECOVERS = lazy_pattern(r"\brecover\(\)|\bcatch\s*[({]|\bexcept\b|\brescue\b")
_LEAST = 7  # letters of a statement that tells whether it has moved


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        first = next((line for line in block.removed if line.text.strip(" \t{}()")), None)
        if first is None or block.added or _has_moved(sources, block):
            continue
        if handler := next((row for row in block.removed if _is_handler(row)), None):
            if not any(_HANDLER.match(row) for row in sources.added_rows):
                title = "errors in requests are no longer handled here"
                yield taken(weigh_loss(_ERRORS, file, block), file, handler, title)
        elif _FILTER.match(code_of(first.text)) and len(block.removed) > 1:
            found = _DENIES.search(joined(block.removed))
            if found and not speaks_of_access(sources):
                title = f"an access check is removed: {quoted(_row_of(block, found).text)}"
                yield taken(RULE, file, first, title)
        elif used := _recovering(sources, first):
            title = f"errors in requests are no longer handled here: {used}"
            yield taken(weigh_loss(_ERRORS, file, block), file, first, title)


def _is_handler(line: Line) -> bool:
    return _HANDLER.match(code_of(line.text)) is not None


def _row_of(block: Block, found: re.Match[str]) -> Line:
    return next(line for line in block.removed if found[0] in line.text)


def _recovering(sources: ComparisonInput, line: Line) -> str:
    """A middleware of the project that a router no longer uses, and that handles what fails."""
    found = _USES.match(code_of(line.text))
    if not found or any(has_word(row, found["name"]) for row in sources.added_rows):
        return ""
    return found["name"] if says(sources, found["name"], _RECOVERS) else ""


def _has_moved(sources: ComparisonInput, block: Block) -> bool:
    texts = (squeeze(line.text) for line in block.removed)
    return any(len(text) >= _LEAST and text in sources.added_statements for text in texts)
