"""What is opened and never closed in files that no grammar here reads: brackets and strings of
PowerShell, brackets in statements of Perl, braces of style sheets, tags of HTML and Vue, blocks of
Svelte, code blocks of Markdown."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from xml.parsers import expat

from msgspec import Struct

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.brackets import find_loose_bracket, find_open_string, has_unread_text
from ...text.c_source import find_open_condition, find_unended_type
from ...text.markup import (
    find_loose_component_tag,
    find_loose_svelte_block,
    find_loose_tag,
    is_page,
)
from ...text.patterns import lazy_pattern
from ...text.perl import find_foreign_branch, find_open_bracket
from ...text.powershell import find_foreign_operator
from ...text.sql import find_missing_comma, find_uneven_row
from ._paths import is_fixture, is_own_test
from ._sources import CheckInput, content_at_base, mentions_any, shown_line_number

EVERY_FILE = False
_LARGEST = 1_000_000  # bytes
_FENCE = lazy_pattern(
    r"^(?:>\s?)*\s*(?:[-*+]\s+|\d+[.)]\s+)?(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)$"
)
_MARKS = (b"`", b"~")
_TEMPLATE = lazy_pattern(r"\{\{|\{%|<%|@@?\w{1,40}@|\$\{[#?/]|<#|<\?php")
# Quotes that a sign escapes or that have signs of their own, comments of MySQL, data of COPY,
# commands of clients, templates
_OTHER_SQL = lazy_pattern(
    r"(?im)\\['\"`]|\b[nq]+'[\[({<!|]|^[ \t]*#|\bfrom[ \t]+stdin\b"
    r"|^[ \t]*(?:\\\w|delimiter\b|go[ \t]*$)|\{\{|\{%|<%|\$\{|%\("
)
_SAYS_OF_XML = {
    expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]: "this tag closes another element",
    expat.errors.codes[expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE]: "an attribute stands twice",
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN]: "this tag is never closed",
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]: "an element is never closed",
}


class _Problem(Struct, frozen=True):
    line: int
    says: str


class _Kind(Struct, frozen=True):
    """A kind of file: its name, how a mistake is found and what it weighs, and the characters
    without which a change makes none. Of those that are `strict` also new files count: in public
    projects none was called broken that is not."""

    name: str
    find: Callable[[str], _Problem | None]
    priority: Priority
    marks: tuple[bytes, ...]
    strict: bool = False


def _brackets(language: str, text: str) -> _Problem | None:
    """A bracket without its partner, or what quotes make of the rest of the file."""
    if line := find_open_string(language, text):
        return _Problem(line, "this string has no end")
    loose = find_loose_bracket(language, text)
    says = "is never closed" if loose and loose.is_opening else "closes nothing"
    return _Problem(loose.line, f"`{loose.text}` {says}") if loose else None


def _tags(text: str) -> _Problem | None:
    found = find_loose_tag(text)
    return _Problem(found.line, found.says) if found else None


def _component_tags(text: str) -> _Problem | None:
    found = find_loose_component_tag(text)
    return _Problem(found.line, found.says) if found else None


def _component_blocks(text: str) -> _Problem | None:
    found = find_loose_svelte_block(text)
    return _Problem(found.line, found.says) if found else None


def _statement_of_perl(text: str) -> _Problem | None:
    if line := find_open_bracket(text):
        return _Problem(line, "`(` is never closed")
    line = find_foreign_branch(text)
    return _Problem(line, "Perl says `elsif`") if line else None


def _powershell(text: str) -> _Problem | None:
    if has_unread_text(text):
        return None
    if found := _brackets("PowerShell", text):
        return found
    line = find_foreign_operator(text)
    return _Problem(line, "PowerShell compares with `-eq` and `-ne`") if line else None


def _c_source(text: str) -> _Problem | None:
    if line := find_open_condition(text):
        return _Problem(line, "this condition of the preprocessor has no partner")
    line = find_unended_type(text)
    return _Problem(line, "this definition of a type has no `;`") if line else None


def _statements(text: str) -> _Problem | None:
    """A bracket of SQL without its partner, a column without its comma, a row of another length,
    where no dialect can read quotes or comments in another way, and nothing but SQL is in the
    file."""
    if _OTHER_SQL.search(text):
        return None
    if found := _brackets("SQL", text):
        return found
    if line := find_missing_comma(text):
        return _Problem(line, "there is no comma before the next column")
    line = find_uneven_row(text)
    return _Problem(line, "this row has not one value for each column") if line else None


def _elements(text: str) -> _Problem | None:
    """Where a parser stops at an element or an attribute. Templates that become XML are left alone,
    and so is what declares texts of its own, which a parser would expand.
    https://docs.python.org/3/library/pyexpat.html#module-xml.parsers.expat.errors"""
    if not text.strip() or "<!ENTITY" in text or _TEMPLATE.search(text):
        return None
    parser = expat.ParserCreate()
    parser.UseForeignDTD(True)  # an unknown entity may be declared elsewhere
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        says = _SAYS_OF_XML.get(error.code)
        return _Problem(error.lineno, says) if says else None
    return None


def _fence(text: str) -> _Problem | None:
    """The code block that takes the rest of the page.
    https://spec.commonmark.org/0.31.2/#fenced-code-blocks"""
    mark, opened = "", 0
    for number, row in enumerate(text.split("\n"), 1):
        found = (
            _FENCE.match(row) if row.lstrip(" >-*+.)0123456789\t")[:3] in ("```", "~~~") else None
        )
        if not found:
            continue
        if not mark and not ("`" in found["rest"] and found["mark"][0] == "`"):
            mark, opened = found["mark"], number
        elif mark and found["mark"].startswith(mark) and not found["rest"].strip():
            mark = ""
    return _Problem(opened, "this code block is never closed") if mark else None


_BRACES = (b"(", b")", b"[", b"]", b"{", b"}", b'"', b"'")
_KINDS = {
    "*.ps1 *.psm1 *.psd1": _Kind(
        "PowerShell", _powershell, Priority.P0, (*_BRACES, b"="), strict=True
    ),
    "*.pl *.pm": _Kind("Perl", _statement_of_perl, Priority.P0, (b"(", b")"), strict=True),
    "*.c *.cc *.cpp *.cxx *.h *.hh *.hpp": _Kind(
        "C or C++", _c_source, Priority.P0, (b"#", b"}"), strict=True
    ),
    "*.css": _Kind("CSS", lambda text: _brackets("CSS", text), Priority.P2, _BRACES, strict=True),
    "*.scss *.less": _Kind(
        "SCSS", lambda text: _brackets("SCSS", text), Priority.P2, _BRACES, strict=True
    ),
    "*.sql": _Kind("SQL", _statements, Priority.P2, (b"(", b")", b"'", b" "), strict=True),
    "*.xml *.xsd *.xslt *.csproj *.props *.targets *.plist *.resx": _Kind(
        "XML", _elements, Priority.P2, (b"<", b">", b"&", b'"', b"'"), strict=True
    ),
    "*.vue": _Kind("Vue", _component_tags, Priority.P0, (b"<", b">"), strict=True),
    "*.svelte": _Kind(
        "Svelte", _component_blocks, Priority.P0, (b"{#", b"{/", b"<!--", b"-->"), strict=True
    ),
    "*.html *.htm": _Kind("HTML", _tags, Priority.P2, (b"<", b">", b'"', b"'")),
    "*.md *.markdown": _Kind("Markdown", _fence, Priority.P3, _MARKS, strict=True),
}
_BY_GLOB = {glob: kind for globs, kind in _KINDS.items() for glob in globs.split()}
WANTS = tuple(_BY_GLOB)


def check(sources: CheckInput) -> Iterator[Finding]:
    """At most one finding a file, where its base has none."""
    for file in sources.change.files:
        kind, data = _kind(file), sources.contents.get(file.path)
        if kind and data is not None and len(data) <= _LARGEST and mentions_any(file, kind.marks):
            found = kind.find(_text(data))
            if found and _is_new(file, kind, data):
                yield _finding(file, kind, found)


_SHOWN = ("CSS", "SCSS", "HTML")


def _kind(file: FileDiff) -> _Kind | None:
    if not file.is_text_file or file.oid == file.old_oid:
        return None
    name = file.path.rpartition("/")[2]
    return next((kind for glob, kind in _BY_GLOB.items() if fnmatchcase(name, glob)), None)


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _is_new(file: FileDiff, kind: _Kind, data: bytes) -> bool:
    if file.status == "A":
        # A part of a page closes what another part opens
        return kind.strict or is_page(_text(data))
    return kind.find(_text(content_at_base(file, data))) is None


def _priority(path: str, kind: _Kind) -> Priority:
    """Less of what a test reads, which may be broken on purpose: a page and a style sheet beside
    tests are such, wherever they lie."""
    if kind.name in _SHOWN and is_own_test(path):
        return Priority.P3
    return Priority.P2 if is_fixture(path) and kind.priority.reaches(Priority.P2) else kind.priority


def _finding(file: FileDiff, kind: _Kind, found: _Problem) -> Finding:
    line = shown_line_number(file, found.line)
    return Finding(
        _priority(file.path, kind),
        "syntax",
        "builtin/structure",
        file.path,
        line,
        line,
        f"broken {kind.name}: {found.says}",
        f"Line {found.line}. What follows is read as part of it, or not at all.",
    )
