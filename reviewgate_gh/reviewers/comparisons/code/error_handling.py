"""Handling of errors that is gone from statements that stay."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import is_definition
from .._guards import (
    CATCH,
    code_of,
    same_but_for,
    surroundings_stay,
    unit_stays,
    weigh_loss,
)
from .._remark import ComparisonRule, hint, quoted, taken
from .._replacing import replacing_lines
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._handled import (
    METHOD,
    TRY,
    answers,
    begin_of,
    body_of,
    does_something,
    forms_of,
    handler_rows,
    never_runs,
    tries_again,
)

EVERY_FILE = False
HANDLER = ComparisonRule(
    "error-handling-removed",
    Priority.P2,
    "What was handled here now reaches the callers, or no one. Restore it, or say where it is "
    "handled.",
)
_CHECKS = lazy_pattern(
    r"(?:,\s*)?\bcheck\s*=\s*True\b|\braise_exception\s*=\s*True\b|[\w.]*\.raise_for_status\(\)"
    r"|\??\.error_for_status\(\)\??|[,|]\s*\\?JSON_THROW_ON_ERROR\b"
    r"|[\w.]*\.EnsureSuccessStatusCode\(\)|^\s*set\s+-\w*e\w*(?:\s+(?:-?o\s+)?pipefail)?\s*$"
    r"|^\s*set\s+-o\s+errexit"
)
_SHELL = lazy_pattern(
    r"\.(?:sh|bash|zsh|ksh|mk|ya?ml)$|(?:^|/)(?!Vagrant|Gem|Rake|Pod|Jenkins)[^./]+$|Dockerfile"
)
_CHECKED_CALL = lazy_pattern(r"^\s*[\w.]+\.(?:raise_for_status|EnsureSuccessStatusCode)\(\)")
_MOST_ADDED = 20  # lines of a file, beyond which it was rewritten


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding of each kind a file."""
    for file in sources.files:
        if file.is_product and not (file.is_gone or file.is_new):
            yield from _handlers(sources, file)
            yield from _unchecked(sources, file)
            yield from islice(chain(_left_bare(sources, file), _nobody_rescues(sources, file)), 1)


def _handlers(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A handler that did something is gone, and nothing else changes about what it was around."""
    gone = [line for line in file.removed if CATCH.search(code_of(line.text))]
    came = [line for line in file.added if CATCH.search(code_of(line.text))]
    if len(gone) > len(came):
        for line in gone:
            if _is_reworked(sources, file, line):
                continue
            handled = does_something(file, line.number) and _body_stays(file, line)
            if handled and _is_all(file, line) and not _is_answered(sources, file, line):
                rule = HANDLER if _is_needed(file, line) else hint(HANDLER)
                rule = weigh_loss(rule, file, _block_of(file, line))
                yield taken(rule, file, line, "an error is no longer handled here")
                return


def _is_reworked(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """Much is new around the handler, or the change decides anew who handles what."""
    added = [new for other, new in replacing_lines(sources, file, line) if other is file]
    return len(added) > _MOST_ADDED or _raises_anew(sources, file, line)


def _is_answered(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """Something else may do what the handler did, or there is nothing left to do."""
    return (
        tries_again(file, line)
        or _is_wrapped(sources, file, line)
        or never_runs(sources, file, line)
    )


def _block_of(file: ComparedFile, line: Line) -> Block:
    return next(block for block in file.blocks if line in block.removed)


def _is_wrapped(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """A new line hands the definition to something that may handle what it throws."""
    name = file.base_code.unit(line.number).rpartition(".")[2]
    handed = re.compile(rf"\w[(<].*(?<![\w.]){re.escape(name)}\s*[),]")
    rows = (row for row in sources.added_rows if name in row)
    return bool(name) and any(handed.search(code_of(row)) for row in rows)


def _is_all(file: ComparedFile, line: Line) -> bool:
    """Nothing else changes around the statements, above the definition or in it: no other branch
    goes with the handler, and nothing comes that may do its work."""
    unit = file.base_code.unit(line.number)
    first = begin_of(file, line) or line.number
    handled = range(first, line.number + len(handler_rows(file, line.number)) + 2)
    body = {given for row in body_of(file, line) for given in forms_of(file, first, row)}
    near = range(first - _ABOVE, handled.stop + 1)

    here = [block for block in file.blocks if _is_near(file, block, unit, near)]
    gone = (each for block in here for each in block.removed if each.number not in handled)
    came = (each for block in here for each in block.added)
    return all(_says_nothing(each.text) or squeeze(each.text) in body for each in chain(gone, came))


def _is_near(file: ComparedFile, block: Block, unit: str, near: range) -> bool:
    """The block changes the definition, or these lines of the base."""
    if unit and any(file.head_code.unit(new.number) == unit for new in block.added):
        return True
    if unit and any(file.base_code.unit(old.number) == unit for old in block.removed):
        return True
    return any(old.number in near for old in block.removed) or any(
        _is_above(file, new, unit) for new in block.added
    )


_ABOVE = 3  # lines


def _is_above(file: ComparedFile, line: Line, unit: str) -> bool:
    """A decorator of the definition, by its place."""
    first = file.head_code.definitions.get(unit, 0)
    return bool(first) and first - _ABOVE <= line.number <= first


def _says_nothing(text: str) -> bool:
    bare = code_of(text).strip(" \t{}()[];,")
    return not bare or bare in ("end", "else", "finally", "do", "begin", "try", "ensure", "fi")


def _is_needed(file: ComparedFile, line: Line) -> bool:
    """What it was around fails by its nature, whatever the program does, and it did more about
    that than to say so."""
    return answers(file, line.number) and any(map(_MAY_FAIL.search, body_of(file, line)))


# Files, the network, other programs, and the reading of what came from there
_MAY_FAIL = lazy_pattern(
    r"\bawait\b|\bopen\(|(?:\.|->)(?:read|write)\w*\(|\bFile\.|\bfs\.|\b(?:requests|httpx|urllib"
    r"|http|Http\w*|axios|client|session|socket|smtp\w*|redis|db|DB|conn\w*|cursor|subprocess"
    r"|shutil)(?:\.|->|::)\w+\("
    r"|\bJSON\.parse\(|\bjson(?:\.loads?|_decode)\(|\bYAML\.|\byaml\.\w*load|\b[pP]arse\w*\("
    r"|\b(?:int|float|Decimal|Integer|Float)\(\w"
    r"|(?:\.|->)(?:find|find_by|first|create|save|update|destroy|get|post|put|patch|delete|send\w*"
    r"|execute\w*|query\w*|connect\w*)!?\("
    r"|\b(?:decode|unpack|import_module|__import__|exec\w*|popen|Popen|system|file_get_contents)\("
    r"|\b(?:load|save|read|write|fetch|send|download|upload|connect)(?:_\w+|[A-Z]\w*)?\("
)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _raises_anew(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """The change adds errors or handlers, where they may have to do with this one: who handles what
    was thought about."""
    return any(
        re.search(r"\b(?:raise|throw|except|catch|rescue)\b", code_of(new.text))
        for _file, new in replacing_lines(sources, file, line)
    )


def _body_stays(file: ComparedFile, catch: Line) -> bool:
    """The statements between `try` and the handler are at head, in the same definition, and no
    handler is around them."""
    inner = catch
    if not file.base_code.unit(catch.number) and catch.number > 1:  # as deep as its method's head
        inner = Line(catch.number - 1, file.base_rows[catch.number - 2])
    unit = file.base_code.unit(inner.number)
    body = body_of(file, catch)
    if unit and not unit_stays(file, inner):
        return False
    if not unit:  # a function without a name, such as the handler of a route
        return _stands_alone(file, [*map(squeeze, body)])
    head = [
        row for at, row in enumerate(file.head_rows, 1) if file.head_code.unit(at).startswith(unit)
    ]
    kept = Counter(map(squeeze, head))
    if any(CATCH.search(code_of(row)) for row in head):
        return False
    first = begin_of(file, catch)
    stays = sum(any(kept[given] for given in forms_of(file, first, row)) for row in body)
    of_method = first > 0 and METHOD.match(file.base_rows[first - 1]) is not None
    return bool(stays) and stays >= len(body) * (_HALF if of_method else _MOSTLY)


_MOSTLY, _HALF = 0.75, 0.5  # of the statements; a whole method may have others as well


def _stands_alone(file: ComparedFile, body: list[str]) -> bool:
    """The statements follow one another at head, and nothing around them handles errors."""
    rows = file.head_rows
    filled = [(at, squeeze(row)) for at, row in enumerate(rows) if len(row.strip()) > 3]
    texts = [text for _at, text in filled]
    ends = range(len(texts) - len(body) + 1) if body else range(0)
    found = next((n for n in ends if texts[n : n + len(body)] == body), None)
    if found is None:
        return False
    first, last = filled[found][0], filled[found + len(body) - 1][0]
    depth, new = _depth(rows[first]), {line.number for line in file.added}
    for at in range(first, 0, -1):
        row = rows[at - 1]
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            if TRY.match(row) or at in new:  # what is new around it may decide as well
                return False
    return not any(CATCH.search(code_of(row)) for row in rows[last + 1 : last + 3])


def _unchecked(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A call that turns a bad answer or exit code into an error, and is gone."""
    for block in file.blocks:
        for line in block.removed:
            code = code_of(line.text)
            if not _CHECKS.search(code) or any(_CHECKS.search(new.text) for new in block.added):
                continue
            if "set -" in code and _stops_at_errors(file, code):
                continue
            whole = not _CHECKS.sub("", code).strip(" ;?\t") or _CHECKED_CALL.search(code)
            same = any(
                same_but_for(_unasked(code), _unasked(code_of(new.text)), _CHECKS)
                for new in block.added
            )
            alone = whole and not block.added and squeeze(code) not in sources.added_statements
            if same or (alone and surroundings_stay(file, line)):
                if not _checks_anew(sources, code):
                    yield taken(HANDLER, file, line, "a failure is no longer noticed here")
                return


def _stops_at_errors(file: ComparedFile, code: str) -> bool:
    """A script without this `set` ends at the first failure as well, or is none."""
    if "pipefail" not in code and _STOPS_ANYWAY.search(file.path):
        return True
    return not _SHELL.search(file.path) or bool(_ENDS_AT_ERRORS.match(file.written.head))


def _unasked(code: str) -> str:
    """Without what hands on an error of Rust before the look at a status."""
    return re.sub(r"\?(?=\s*(?:\{\s*$|\.error_for_status))", "", code)


def _left_bare(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A call whose result was looked at, and refused, is a statement of its own now."""
    gone = {line.number for line in file.removed}
    for block in file.blocks:
        for old in block.removed:
            # Another language than Go has no statement before a condition
            if not re.match(r"\s*(?:if|unless)\b(?!\s+let\b)", old.text):
                continue
            new = next((new for new in block.added if _is_bare(file, old.text, new.text)), None)
            branch = [Line(n, row) for n, row in _branch(file, old) if n in gone]
            if new is None or not _ends_otherwise(sources, file, branch) or _goes_on(file, new):
                continue
            stays = unit_stays(file, old) or (_is_shell(file) and surroundings_stay(file, old))
            if stays and not (_is_written_anew(sources, new.text) or _is_asked_later(file, new)):
                rule = weigh_loss(HANDLER, file, block)
                title = "the result of a call is no longer checked"
                yield taken(rule, file, old, title, quoted(new.text))
                return


def _is_asked_later(file: ComparedFile, call: Line) -> bool:
    """Rails: what follows looks at the record, which knows whether it was saved.
    https://github.com/heartcombo/responders#responders"""
    below = file.head_rows[call.number :][:_MOST_CHECKED]
    return file.name.endswith(".rb") and any(map(_OF_RECORD.search, below))


_OF_RECORD = lazy_pattern(r"\brespond_with\b|\.(?:errors|persisted\?|valid\?|invalid\?|changed\?)")


def _branch(file: ComparedFile, condition: Line) -> Iterator[tuple[int, str]]:
    """The rows of the base that belong to a condition, by their numbers."""
    depth = _depth(condition.text)
    below = file.base_rows[condition.number : condition.number + _MOST_CHECKED]
    for number, row in enumerate(below, condition.number + 1):
        if row.strip() and (_depth(row) < depth or (_depth(row) == depth and _says_end(row))):
            return
        yield number, code_of(row)


def _says_end(row: str) -> bool:
    return not _ELSE.match(row) and row.strip() != "{"


def _is_bare(file: ComparedFile, condition: str, text: str) -> bool:
    """The line does nothing but call what the condition asked."""
    code = code_of(text)
    found = _CALL.match(code)
    if not found and file.name.endswith((".rb", ".rake")):
        found = _CALL_OF_RUBY.match(code)
    if not found and _is_shell(file) and not _STOPS.search(file.head):
        found = _CALL_OF_SHELL.match(code)
        if found and f"! {found['call']};" not in condition:
            return False
    return bool(found and found["call"] in code_of(condition) and not _IDLE.match(found["call"]))


def _is_shell(file: ComparedFile) -> bool:
    return _SHELL_NAME.search(file.path) is not None


_OPEN = ("&&", "||", "?", "(", ",", "=", "=>", " and", " or", " return")


def _goes_on(file: ComparedFile, call: Line) -> bool:
    """The call is the first row of a chain, or part of what begins above it."""
    above = file.head_rows[call.number - 2].rstrip() if call.number > 1 else ""
    if file.head_code.rows(call.number).start < call.number or above.endswith(_OPEN):
        return True
    below = file.head_rows[call.number : call.number + 1]
    return not _is_shell(file) and any(
        row.lstrip().startswith((".", "->", "?", "|>", "&&", "||")) for row in below
    )


def _ends_otherwise(sources: ComparisonInput, file: ComparedFile, branch: list[Line]) -> bool:
    """What stood below the condition left the definition; or, of Ruby, another branch did something
    that is gone."""
    if any(_ENDS.match(line.text) for line in branch):
        return True
    if not file.name.endswith((".rb", ".rake")):
        return False
    other = next((at for at, line in enumerate(branch) if _ELSE.match(line.text)), len(branch))
    return any(
        squeeze(line.text) not in sources.added_statements and not _says_nothing(line.text)
        for line in branch[other + 1 :]
    )


_ELSE = lazy_pattern(r"^\s*(?:\}\s*)?else\s*(?:\{\s*)?$")


def _is_written_anew(sources: ComparisonInput, call: str) -> bool:
    """The change touches the head of the function that is called: it may fail no longer."""
    name = re.findall(r"\w+", call.split("(")[0])[-1]
    return any(
        has_word(line.text, name) and is_definition(other.path, line.text, name)
        for other in sources.files
        for line in other.removed
    )


# https://pkg.go.dev/crypto/rand#Read never fails, nor do clean-ups and prints for anybody who cares
_IDLE = lazy_pattern(r"rand\.Read\(|(?:[\w.>-]*\b)?(?:[Cc]lose|[Ff]lush|[Ff]?[Pp]rint\w*|f?puts)\(")
_MOST_CHECKED = 6  # lines
_CALL = lazy_pattern(
    r"^\s*(?:\(void\)\s*)?(?!(?:if|unless|while|for\w*|switch|catch|return)\b)"
    r"(?P<call>[\w$@][\w$.:>-]*\(.*\))\s*;?\s*$"
)
_CALL_OF_RUBY = lazy_pattern(r"^\s*(?P<call>@{0,2}\w+(?:\.\w+)+[!?]?)\s*$")
_CALL_OF_SHELL = lazy_pattern(r"^\s*(?P<call>[\w./$\"{][^|&;]*)$")
_SHELL_NAME = lazy_pattern(r"\.(?:sh|bash|zsh|ksh)$")
_STOPS = lazy_pattern(r"(?m)^\s*set\s+-\w*e|^#!\S+(?:\s+\S+)*?\s+-\w*e")
_ENDS = lazy_pattern(r"^\s*(?:\{\s*)?(?:return|throw|raise|goto|exit|abort|panic|die|fail)\b")


def _nobody_rescues(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Rails: errors of a kind are no longer answered by the controller.
    https://api.rubyonrails.org/classes/ActiveSupport/Rescuable/ClassMethods.html"""
    for line in file.removed:
        found = re.match(r"\s*rescue_from\s+(?P<what>[\w:]+)", code_of(line.text))
        if not found or any(
            "rescue_from" in new.text for each in sources.files for new in each.added
        ):
            continue
        others = sources.find_words({"rescue_from"})["rescue_from"]
        if any(has_word(place.text, found["what"]) for place in others):
            continue  # what it inherits from may do it
        if surroundings_stay(file, line):
            yield taken(HANDLER, file, line, f"{found['what']} is no longer handled here")


# https://docs.github.com/actions/reference/workflow-syntax-for-github-actions (the default shell)
_STOPS_ANYWAY = lazy_pattern(r"^\.(?:github|gitea|forgejo)/workflows/")
_ENDS_AT_ERRORS = lazy_pattern(r"#!\S+(?:\s+\S+)*?\s+-\w*e")


def _checks_anew(sources: ComparisonInput, code: str) -> bool:
    """Code that the change adds makes an error of the same failure, perhaps for all calls."""
    found = _CHECKED_CALL.search(code)
    called = code[: found.end()].rpartition(".")[2] if found else ""
    added = (line.text for file in sources.files if file.is_product for line in file.added)
    return bool(called) and any(called in text for text in added)
