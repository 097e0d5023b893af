"""Secrets that came from outside the code, and that the code itself holds or falls back to now."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._guards import code_of, weigh_new
from .._remark import ComparisonRule, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line
from .switched_off import LOCAL

EVERY_FILE = False
_RULE = ComparisonRule(
    "secret-written",
    Priority.P2,
    "Wherever it is not set, anyone who reads the code knows it. Fail when it is missing, and keep "
    "the value out of the tree.",
)
_SECRET = lazy_pattern(
    r"(?i)secret|passw(?:or)?d|passphrase|(?:auth|access|api|jwt|session)_?token"
    r"|(?:api|private|signing|encryption|master|session|jwt|app)_?key\b|_KEY_BASE|_salt\b"
)
# How the usual languages, compose files and Kubernetes take a value from outside
_OUTSIDE = lazy_pattern(
    r"\bos\.environ\b|\bprocess\.env\b|\bENV(?:\.fetch\(|\[)|\b[gG]et_?[eE]nv\(|\bos\.Getenv\("
    r"|\benv::var\(|\benv\(|\bGetEnvironmentVariable\(|\bLookupEnv\(|\$\{?[A-Z][A-Z\d_]*"
    r"|:\s*/run/secrets/|\bSystem\.get_env\(|\bDeno\.env\b|\$_ENV\["
)
_FALLS_BACK = lazy_pattern(
    r"(?:,\s*|\|\|\s*|\?\?\s*|\bor\s+|\?:\s*|\b(?:unwrap_or|orElse|getOrElse)\w*\([^\"']*)"
    r"[\"'](?P<text>[^\"'\s]{3,})[\"']|:-(?P<shell>[^\s}\"']{3,})\}"
)
_KEY = lazy_pattern(
    r"^\s*(?:-\s*)?(?:(?:export|const|let|var|val|final|static|public|private)\s+)*"
    r"[\"']?(?P<key>[\w.$@-]+)[\"']?\]?\s*(?::\s*[\w<>]+\s*)?(?:=>"
    r"|[:=])=?\s*(?P<value>.+?)[,;]?\s*$"
)
_LITERAL = lazy_pattern(
    r"^(?P<quote>[\"'])(?P<text>[^\"'\s]{3,})(?P=quote)$|^(?P<bare>[\w.-]{3,})$"
)
# A reference, a path, the name of something that holds the value, or none
_NO_VALUE = lazy_pattern(
    r"^(?:[$<{/!%]|.*(?:\$\{|\{\{|://)|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$"
    r"|(?i:none|null|nil|true|false|undefined|string|str|required)$)"
)
# A function of the project's own: `get_env("APP_KEY", "...")`
_BY_NAME = lazy_pattern(r"\(\s*[\"'][A-Z\d_]+[\"']\s*,")
_DESCRIBES = lazy_pattern(r"\.(?:ya?ml|toml|properties|env|ini|conf|tf|json)$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.is_edited_product or LOCAL.search(without_packages(file.path)):
            continue
        if file.mentions(b"nv", b"ENV", b"$", b"/run/secrets"):
            yield from islice(_in_file(file), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if not block.removed or not block.added:
            continue
        taken = [(old, keys) for old in block.removed if (keys := _taken_from_outside(file, old))]
        written = _written(file, block) if taken else {}
        for old, keys in taken:
            lines = [written[key] for key in keys if key in written]
            if lines:
                new = min(lines, key=lambda line: line.number)
                rule = weigh_new(_RULE, file, new)
                title = "a secret that came from outside is now in the code"
                yield put(rule, file, new, title, quoted(old.text))


def _taken_from_outside(file: ComparedFile, old: Line) -> frozenset[str]:
    """The names that the secret may have, whose value was taken from outside without a text to
    fall back to; none of another line."""
    code = code_of(old.text)
    before = _KEY.match(code)
    if not before or not _SECRET.search(f"{before['key']} {before['value']}"):
        return frozenset()
    if not _OUTSIDE.search(code) or _text_of(file, before["value"]):
        return frozenset()
    return frozenset((before["key"], re.sub(r"(?i)_file$", "", before["key"])))


def _written(file: ComparedFile, block: Block) -> dict[str, Line]:
    """The first line for each name that gets a text."""
    written = dict[str, Line]()
    for new in block.added:
        after = _KEY.match(code_of(new.text))
        if after and after["key"] not in written and _text_of(file, after["value"]):
            written[after["key"]] = new
    return written


def _text_of(file: ComparedFile, value: str) -> str:
    """The text that the code itself has for it; "" where there is none."""
    if found := _FALLS_BACK.search(value):
        text = found["text"] or found["shell"]
        outside = bool(_OUTSIDE.search(value) or _BY_NAME.search(value))
    elif found := _LITERAL.match(value):
        text = found["text"] or found["bare"]
        outside = bool(found["text"] or _DESCRIBES.search(file.path))
    else:
        return ""
    return "" if not outside or _NO_VALUE.match(text) else text
