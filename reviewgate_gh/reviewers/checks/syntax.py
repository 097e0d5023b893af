"""YAML, JSON and TOML that do not parse. An error counts for the whole file: its cause may be far
from its line."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture
from ._sources import (
    CheckInput,
    base_line,
    content_at_base,
    most_bytes,
    shown_line_number,
)
from ._toml import as_toml_1_0
from ._yaml import GLOBS as YAML_GLOBS
from ._yaml import SyntaxProblem, scan_yaml

GLOBS = (
    "*.json",
    "*.jsonc",
    "*.webmanifest",
    "*.code-workspace",
    ".babelrc",
    ".eslintrc",
    ".swcrc",
    ".jshintrc",
    ".prettierrc",
)
_WITH_COMMENTS = (
    "tsconfig*.json", "jsconfig*.json", "*.jsonc", "devcontainer.json", ".devcontainer.json",
    ".eslintrc", ".eslintrc.json",
    ".babelrc", ".babelrc.json", ".swcrc", ".jshintrc", "tslint.json", "*.code-workspace",
    "api-extractor*.json", ".oxlintrc.json",
    "biome.json", "deno.json", "nx.json", "turbo.json", "project.json", "*.sublime-*",
    "renovate.json", "pyrightconfig.json",
    "angular.json", "typedoc.json", "wrangler.json", ".markdownlint*.json",
    "cspell*.json", ".cspell*.json", "babel.config.json", "appsettings*.json", ".luarc.json",
)  # fmt: skip
_FOLDERS_WITH_COMMENTS = (".vscode/", ".devcontainer/", ".zed/")
# An end is optional everywhere, so that what is never closed is read once, not again from each of
# its characters.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*"?'
_TOKENS = lazy_pattern(_STRING + r"|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_TRAILING_COMMA = lazy_pattern(f"({_STRING})" + r"|,(?=\s*[}\]])")
_NOT_NEWLINE = lazy_pattern(r"[^\n]")
# A template engine's marks where JSON itself never has them.
_TEMPLATE = lazy_pattern(r"\{\{|\{%|\{#|<%|<\?|\$\{")


def find_json_error(path: str, data: bytes) -> SyntaxProblem | None:
    """Where the file stops being JSON; None when its readers take it.

    An empty file is nobody's JSON yet.
    """
    try:
        return _broken(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        # Readers that take such bytes still need JSON
        text = data.decode(json.detect_encoding(data), "replace")
        return _broken(path, text) or SyntaxProblem(
            data.count(b"\n", 0, error.start) + 1, "a byte that is not UTF-8"
        )


def _broken(path: str, text: str) -> SyntaxProblem | None:
    if not text.strip():
        return None
    strict = _parse_json(text)
    if strict is None or _TEMPLATE.search(_TOKENS.sub(_blank_string, text)):
        return None
    bare = _TOKENS.sub(_blank_comment, text)
    if bare != text or _may_comment(path):
        strict = _parse_json(
            bare
            if not _may_comment(path)
            else _TRAILING_COMMA.sub(lambda found: found[1] or " ", bare)
        )
    return None if strict is None or _value_a_line(text) else strict


def _parse_json(text: str) -> SyntaxProblem | None:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        return SyntaxProblem(error.lineno, error.msg[:1].lower() + error.msg[1:])
    except RecursionError:
        return None  # deeper than can be judged here; whoever wrote it has a reader for it
    return None


def _may_comment(path: str) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, glob) for glob in _WITH_COMMENTS) or any(
        f"/{folder}" in f"/{path}" for folder in _FOLDERS_WITH_COMMENTS
    )


def _blank_comment(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _NOT_NEWLINE.sub(" ", found[0])


def _blank_string(found: re.Match[str]) -> str:
    return '""' if found[0].startswith('"') else found[0]


def _value_a_line(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return (
        len(lines) > 1
        and _parse_json(lines[0]) is None
        and all(_parse_json(line) is None for line in lines)
    )


_FORMATS = {"yaml": YAML_GLOBS, "json": GLOBS, "toml": ("*.toml",)}
WANTS = tuple(glob for globs in _FORMATS.values() for glob in globs)
EVERY_FILE = False
_LARGEST = 1_000_000
# A template engine writes the value
_TOML_TEMPLATE = lazy_pattern(rb"(?m)^[^\"'#\n]*=\s*\{\{[^{}\n]+\}\}\s*$")
_MOST_DOTS = 100  # in a line of TOML: the parser's time grows with the square of a dotted key
_AT_LINE = lazy_pattern(r" \(at line (\d+), column \d+\)| \(at end of document\)")
_LENIENT = "a.jsonc"  # a name of JSON with comments and commas at the end
_YAML_OR_JSON = (".eslintrc", ".prettierrc")  # their readers take both


def check(sources: CheckInput) -> Iterator[Finding]:
    """At most one finding a file; a file over 1 MB is parsed where it is JSON or YAML."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if (
            data is None
            or not file.is_text_file
            or file.oid == file.old_oid
            or len(data) > most_bytes(file.path, _LARGEST)
        ):
            continue
        kind, broken = _parse(file.path, data)
        if broken:
            # Parsers that wait for more complain behind the end
            last = data.rstrip(b"\n").count(b"\n") + 1
            broken = SyntaxProblem(min(broken.line, last), broken.reason)
            if not (_was_so_before(file, kind, data, broken) or _is_template(file, kind, data)):
                yield _finding(file, kind, broken)


def _was_so_before(file: FileDiff, kind: str, data: bytes, broken: SyntaxProblem) -> bool:
    """The same stood at the same line, which the change leaves alone: its readers take it, or it is
    another change's doing."""
    if (
        file.status != "M"
        or not (line := base_line(file, broken.line))
        or len(old := content_at_base(file, data)) > most_bytes(file.path, _LARGEST)
    ):
        return False
    before = _parse(file.path, old)[1]
    last = old.rstrip(b"\n").count(b"\n") + 1
    if before is None or (min(before.line, last), before.reason) != (line, broken.reason):
        return False
    # Behind what a lenient reader takes, a parser of ours sees nothing more.
    return (
        kind != "json"
        or not find_json_error(_LENIENT, data)
        or find_json_error(_LENIENT, old) is not None
    )


def _is_template(file: FileDiff, kind: str, data: bytes) -> bool:
    """A template engine makes the file, and no parser took it before the change either."""
    if kind != "toml" or not _TOML_TEMPLATE.search(data):
        return False
    return file.status != "M" or _parse(file.path, content_at_base(file, data))[1] is not None


def _parse(path: str, data: bytes) -> tuple[str, SyntaxProblem | None]:
    """The format that the name tells, and what is wrong by it; a name that tells none is fine."""
    name = path.rpartition("/")[2]
    kind = next(
        (
            kind
            for kind, globs in _FORMATS.items()
            if any(fnmatchcase(name, glob) for glob in globs)
        ),
        "",
    )
    if kind == "json" and name in _YAML_OR_JSON and not data.lstrip().startswith(b"{"):
        kind = "yaml"
    if kind == "yaml":
        return kind, scan_yaml(data).error
    if kind == "toml":
        return kind, find_toml_error(data)
    return kind, find_json_error(path, data) if kind else None


def find_toml_error(data: bytes) -> SyntaxProblem | None:
    """Where the file stops being TOML 1.0 or 1.1; None when its readers take it."""
    import tomllib

    if any(line.count(b".") > _MOST_DOTS for line in data.split(b"\n")):
        return None
    try:
        text = data.decode("utf-8")
        with suppress(tomllib.TOMLDecodeError):
            tomllib.loads(text, parse_float=str)
            return None
        with suppress(tomllib.TOMLDecodeError):
            tomllib.loads(as_toml_1_0(text), parse_float=str)
            return None
        tomllib.loads(text, parse_float=str)
    except UnicodeDecodeError as error:
        return SyntaxProblem(data.count(b"\n", 0, error.start) + 1, "a byte that is not UTF-8")
    except RecursionError:
        return None
    except ValueError as error:
        place = _AT_LINE.search(str(error))
        line = int(place[1]) if place and place[1] else data.rstrip(b"\n").count(b"\n") + 1
        return SyntaxProblem(line, _AT_LINE.sub("", str(error)))
    return None


def _finding(file: FileDiff, kind: str, broken: SyntaxProblem) -> Finding:
    line = shown_line_number(file, broken.line)
    priority = Priority.P2 if is_fixture(file.path) else Priority.P0
    title = f"broken {kind.upper()}"
    body = (
        f"Line {broken.line}: {broken.reason[:200]}. A parser stops there and reads only part "
        "of the file, or none of it."
    )
    return Finding(priority, "syntax", f"builtin/{kind}-syntax", file.path, line, line, title, body)
