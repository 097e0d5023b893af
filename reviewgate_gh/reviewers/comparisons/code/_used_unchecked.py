"""Values that are used without what cleaned them, kept them small or asked about them first."""

import re
from collections.abc import Iterator

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._parameters import split_arguments
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .._statements import whole_statement
from ._meant_refusals import is_decided

_CLEANS = lazy_pattern(
    r"\b(?P<call>(?:html\.)?escape|escapeHtml\w*|escape_html|sanitize\w*|sanitise\w*|quote_plus"
    r"|shlex\.quote|shell_?escape|secure_filename|bleach\.clean|DOMPurify\.sanitize|clean_html"
    r"|htmlspecialchars|mysqli_real_escape_string|encodeURIComponent|validate\w*|full_clean"
    r"|is_valid|path\.basename|filepath\.Base|template\.HTMLEscapeString"
    r"|markupsafe\.escape|ERB::Util\.html_escape|strip_tags)\((?P<inner>[^()]*)"
)


def used_unchecked(
    told: ComparisonRule, sources: ComparisonInput, file: ComparedFile, block: Block
) -> Iterator[Finding]:
    """One finding each way."""
    yield from _cleaned(told, sources, file, block)
    yield from _capped(told, file, block)
    yield from _let_through(told, sources, file, block)


def _unwrapped_call(old: str, found: re.Match[str]) -> str:
    """The line with the first argument of the call in its place; "" where the call goes on."""
    start = found.start("inner")
    parts, end = split_arguments(old, start), _end_of_call(old, start)
    return squeeze(old[: found.start()] + parts[0] + old[end:]) if parts and end else ""


def _cleaned(
    told: ComparisonRule, sources: ComparisonInput, file: ComparedFile, block: Block
) -> Iterator[Finding]:
    """A call that cleans or validates a value is taken from around it, and comes nowhere else."""
    for old in block.removed:
        found = _CLEANS.search(code_of(old.text))
        if not found or any(f"{found['call']}(" in row for row in sources.added_rows):
            continue
        end = found.end() + old.text[found.end() :].startswith(")")
        bare = squeeze(old.text[: found.start()] + found["inner"] + old.text[end:])
        for new in block.added:
            plain = re.sub(r"[\w.]+\($", "", old.text[: found.start()])
            same = (bare, squeeze(plain + found["inner"] + old.text[end:]))
            now = squeeze(new.text)
            bare_now = now in (*same, _unwrapped_call(old.text, found))
            if (
                now
                and bare_now
                and _rest_of_statement(file, old, False) == _rest_of_statement(file, new, True)
            ):
                title = f"a value is used without {found['call']}"
                yield taken(told, file, old, title, quoted(new.text))
                return


def _rest_of_statement(file: ComparedFile, line: Line, at_head: bool) -> str:
    """What stands in the rows below the line: what a helper did may be written out there."""
    source, rows = (file.head_code, file.head_rows) if at_head else (file.base_code, file.base_rows)
    span = whole_statement(source, rows, line.number)
    return "".join(squeeze(row) for row in rows[line.number : span.stop - 1])


# The smaller one of a value and a constant
_CAPS = lazy_pattern(r"(?<![\w.])(?:Math\.|std::|cmp\.)?[mM]in\(")
_CONSTANT = lazy_pattern(r"(?:\w+(?:\.|::))*[A-Z][A-Z\d_]{2,}|[\d_]{2,}|(?:\w+\.)+[mM]ax\w+")


def _capped(told: ComparisonRule, file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A value is no longer cut down to a constant."""
    news = {squeeze(code_of(line.text)): line for line in block.added}
    for old in block.removed:
        code = code_of(old.text)
        found = _CAPS.search(code)
        values = split_arguments(code, found.end()) if found else None
        if found is None or not values or len(values) != _PAIR:
            continue
        inner = [each for each in values if not _CONSTANT.fullmatch(each.strip())]
        end = _end_of_call(code, found.end())
        if len(inner) != 1 or not end:
            continue
        new = news.get(squeeze(code[: found.start()] + inner[0] + code[end:]))
        if new is not None and not _CAPS.search(file.head):
            yield taken(told, file, old, "a value is no longer bounded", quoted(new.text))
            return


_PAIR = 2
# What a route asks of a body before its handler, what a clause of Elixir asks of its arguments
_ASKED_BEFORE = lazy_pattern(
    r",\s*(?:validate\w*|celebrate|checkSchema|\w+Validator)\((?:[^()]|\([^()]*\))*\)(?=\s*,)"
    r"|\s+when\s+.+?(?=,?\s+do\b)"
)


def _let_through(
    told: ComparisonRule, sources: ComparisonInput, file: ComparedFile, block: Block
) -> Iterator[Finding]:
    """The same head of a handler or clause, without what refused its input."""
    for old in block.removed:
        code = code_of(old.text)
        found = _ASKED_BEFORE.search(code)
        bare = squeeze(_ASKED_BEFORE.sub("", code)) if found else ""
        new = next((new for new in block.added if squeeze(code_of(new.text)) == bare), None)
        asked = squeeze(found[0]).removeprefix("when").strip(",") if found else ""
        if any(asked in squeeze(row.text) for row in block.added if asked):
            continue  # the body asks it
        if found and new and file.path.endswith(_OF_ROUTES if "(" in found[0][:20] else ".ex"):
            rule = hint(told) if is_decided(sources, file, block) else told
            title = f"input is no longer checked by {quoted(found[0].strip(' ,'))}"
            yield taken(rule, file, old, title, quoted(new.text))
            return


_OF_ROUTES = (".js", ".ts", ".mjs", ".cjs", ".ex")


def _end_of_call(code: str, start: int) -> int:
    """Where the call ends whose arguments begin there; 0 where it goes on."""
    depth = 1
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if not depth:
            return at + 1
    return 0
