"""ast-grep's grammars: whether a file parses, in languages that no other linter here reads. One
JSON list in every case; lines count from 0.

A grammar of tree-sitter always gives a tree: what it does not understand is an ERROR node, and what
it inserts to go on is an empty one (https://tree-sitter.github.io/tree-sitter/using-parsers/).
Grammars lag behind their languages, so each says how far it is to be believed (`_grammars`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...model.coverage import ReadDepth
from ...model.finding import Finding, Priority
from ...text import strict
from ...text.brackets import find_loose_bracket, find_open_block, find_open_string
from ...text.keywords import find_misspelt_keyword
from ...text.patterns import lazy_pattern
from ...text.statements import find_unended_statement
from . import _shared
from ._grammars import GRAMMARS as _GRAMMARS
from ._grammars import Grammar, Trust

PROGRAM = "ast-grep"
DEFAULT = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # --config can name a grammar of one's own, which is a program
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = "sgconfig.yml"  # else it would take one that it finds above the files
CLEAN_EXITS = (0,)
# https://ast-grep.github.io/reference/cli/scan.html
FOUND_EXITS = (0,)  # 1 for rules of severity error alone
DEPTH = ReadDepth.PARSED
# Only where the grammar understood the file before: of 14,700 files that commits change in Dart,
# Java, Haskell, Rust and Zig it no longer understood four
BASE_DECIDES = ("ast-grep/unparsed",)
_UNLIKE = "ast-grep/unlike"  # of a file without a base, too
INSTALL = "install it with `pip install 'reviewgate-gh[linters]'`"
LANGUAGES = (*_GRAMMARS, "Terraform")
_BY_NAME = {grammar.name: language for language, grammar in _GRAMMARS.items()}
FILES = tuple(f"*{end}" for grammar in _GRAMMARS.values() for end in grammar.suffixes)
# Of Jinja, Mustache and the like, and of ERB and EEx
_TEMPLATE = lazy_pattern(
    r"\{\{[-#/>^&!]?\s*[A-Za-z_.][\w.]*(?:\s*\|[^{}\n]*|\(\))?\s*\}\}|\{%-? *\w[^{}\n]*%\}"
    r"|^\s*<%|<%=[^\n%]*%>",
    re.MULTILINE,
)
_READ = lazy_pattern(rb"sg: entity\|file\|(.*): language=")
_TEMPLATE_SUFFIXES = (".blade.php",)


def fits(path: str, head: bytes) -> bool:
    """Its name is none that a template engine fills in, or of a template."""
    return not path.endswith(_TEMPLATE_SUFFIXES) and "{{" not in path


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    pinned = ["--json=compact", "--inspect=entity", "--color=never", "--custom-languages=ignore"]
    return [program, "scan", *ours, *args, f"--inline-rules={_rules()}", *pinned]


def reads(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The paths that it parsed, of its standard error: files that are too large for it or not UTF-8
    are left out in silence."""
    for line in lines:
        if found := _READ.match(line):
            yield found[1]


@cache
def _rules() -> str:
    """Three rules for each language: the file holds an ERROR node, an empty one, or is an ERROR."""
    return "\n---\n".join(rule for grammar in _GRAMMARS.values() for rule in _rules_for(grammar))


def _rules_for(grammar: Grammar) -> Iterator[str]:
    may_be = "".join(f", {{kind: {kind}}}" for kind in grammar.empty)
    error = "has: {kind: ERROR, not: {has: {kind: ERROR, stopBy: end}}, stopBy: end}"
    empty = f'has: {{regex: "^$", not: {{any: [{{kind: ERROR}}{may_be}]}}, stopBy: end}}'
    around = f"inside: {{any: [{{kind: {grammar.root}}}, {{kind: ERROR}}], stopBy: end}}"
    alone = f"kind: ERROR, not: {{{around}}}"
    for what, rule in (
        ("error", f"kind: {grammar.root}, {error}"),
        ("missing", f"kind: {grammar.root}, {empty}"),
        # The whole file is one, with or without others in it
        ("broken", f"any: [{{{alone}, {error}}}, {{{alone}}}]"),
    ):
        yield (
            f"{{id: {grammar.name}-{what}, language: {grammar.name}, severity: hint, "
            f"rule: {{{rule}}}}}"
        )


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """At most one finding a file; a file that the grammar alone finds fault with is left out.

    Raises:
        ValueError: not ast-grep's JSON, or cut short.
    """
    files: dict[str, dict[str, _Match]] = {}
    for number, row in enumerate(_shared.json_document(lines, list[Any], "ast-grep"), 1):
        where = f"result {number}"
        what, match = _match(strict.json_object(row, where), where)
        files.setdefault(match.path, {})[what] = match
    for path, matches in files.items():
        yield _judge(path, matches)


class _Match(Struct, frozen=True):
    """One rule's match: the file's text from its first line that is not blank, and the line of what
    is wrong, 0 where none is told."""

    path: str
    language: str
    text: str
    first: int
    line: int


def _match(row: dict[str, Any], where: str) -> tuple[str, _Match]:
    name, _, what = strict.json_string(row.get("ruleId"), f"{where}: ruleId").rpartition("-")
    if name not in _BY_NAME:
        raise ValueError(f"{where}: unknown rule {strict.one_line(name, 60)}")
    bound = strict.json_object(row.get("metaVariables", {}), f"{where}: metaVariables")
    many = strict.json_object(bound.get("multi", {}), f"{where}: multi")
    places = strict.json_array(many.get("secondary", []), f"{where}: secondary")
    if not places and what != "broken":
        raise ValueError(f"{where}: no place")
    match = _Match(
        _shared.tool_path(row.get("file"), f"{where}: file"),
        _BY_NAME[name],
        strict.json_string(row.get("text"), f"{where}: text"),
        _line(row, where),
        _line(strict.json_object(places[0], where), where) if places else 0,
    )
    return "missing" if what == "missing" else "error", match


def _line(row: dict[str, Any], where: str) -> int:
    span = strict.json_object(row.get("range"), f"{where}: range")
    start = strict.json_object(span.get("start"), f"{where}: start")
    return strict.whole_number(start.get("line"), f"{where}: line") + 1


def _judge(path: str, matches: dict[str, _Match]) -> Finding:
    match = matches.get("error") or matches["missing"]
    grammar, loose = _GRAMMARS[match.language], find_loose_bracket(match.language, match.text)
    first = match.first - 1
    last = first + match.text.rstrip().count("\n") + 1
    line = min(match.line or last, last)
    if not _is_believed(grammar, matches):
        witness = _witness(match, line - first)
        if witness:
            return _finding(match, first + witness[0], witness[1])
        if not loose or grammar.trust is Trust.ERRORS:
            return _doubtful(grammar, match, path, line)
    if loose and (loose.is_opening or not match.line):
        says = "is never closed" if loose.is_opening else "closes nothing"
        return _finding(match, first + loose.line, f"`{loose.text}` {says}")
    if line == last and grammar.has_end and (block := find_open_block(match.text)):
        return _finding(match, first + block, "this block has no `end`")
    says = "something is missing here" if "error" not in matches else "this does not parse"
    return _finding(match, line, says)


def _witness(match: _Match, line: int) -> tuple[int, str] | None:
    """What else than the grammar says that the text is broken: its line, and the words for it."""
    if _TEMPLATE.search(match.text):
        return None
    if opened := find_open_string(match.language, match.text):
        return opened, "this string has no end"
    # The grammar gives up at the word, or behind it
    for at in (line, line - 1):
        if word := find_misspelt_keyword(match.language, match.text, at):
            return at, f"`{word}` is not a keyword"
    # and at the statement behind one that does not end, or at that one
    for at in (line, line + 1):
        if unended := find_unended_statement(match.language, match.text, at):
            return unended, "this statement has no `;`"
    return None


def _doubtful(grammar: Grammar, match: _Match, path: str, line: int) -> Finding:
    odd = None if grammar.newer and re.search(grammar.newer, match.text) else grammar.odd
    steady = None if grammar.gap and re.search(grammar.gap, match.text) else grammar.steady
    if not (steady or odd) or _TEMPLATE.search(match.text) or "{{" in path:
        return _shared.left_out("ast-grep", path, "the grammar does not understand all of it")
    if odd:
        return replace(
            _finding(match, line, "this does not parse"),
            rule=_UNLIKE,
            priority=odd,
            body="The grammar knows nothing like it, here or shortly before.",
        )
    return replace(
        _finding(match, line, "this no longer parses"),
        rule=BASE_DECIDES[0],
        priority=steady or Priority.P3,
        body="The grammar understood the file before this change.",
    )


def _is_believed(grammar: Grammar, matches: dict[str, _Match]) -> bool:
    text = next(match.text for match in matches.values())
    if grammar.trust is Trust.BRACKETS or _TEMPLATE.search(text):
        return False
    if grammar.trust is Trust.MISSING and "error" in matches:
        return False
    return not (grammar.gap and re.search(grammar.gap, text))


def _finding(match: _Match, line: int, says: str) -> Finding:
    return strict.tool_finding(
        "ast-grep",
        "syntax",
        Priority.P0,
        match.path,
        (line, line),
        f"broken {match.language}: {says}",
        category="syntax",
        body="A compiler or interpreter stops here, or soon after.",
    )
