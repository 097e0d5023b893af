"""JSON as its readers take it: strict, with comments, or one value a line."""

import json
import re
from fnmatch import fnmatchcase

from ._yaml import Broken

GLOBS = ("*.json", "*.jsonc", "*.webmanifest", "*.code-workspace", ".babelrc", ".eslintrc", ".swcrc", ".jshintrc", ".prettierrc")
_WITH_COMMENTS = (
    "tsconfig*.json", "jsconfig*.json", "*.jsonc", "devcontainer.json", ".devcontainer.json", ".eslintrc", ".eslintrc.json",
    ".babelrc", ".babelrc.json", ".swcrc", ".jshintrc", "tslint.json", "*.code-workspace", "api-extractor*.json", ".oxlintrc.json",
    "biome.json", "deno.json", "nx.json", "turbo.json", "project.json", "*.sublime-*", "renovate.json", "pyrightconfig.json",
    "angular.json", "typedoc.json", "wrangler.json", ".markdownlint*.json",
    "cspell*.json", ".cspell*.json", "babel.config.json", "appsettings*.json", ".luarc.json",
)  # fmt: skip
_FOLDERS_WITH_COMMENTS = (".vscode/", ".devcontainer/", ".zed/")
# An end is optional everywhere, so that what is never closed is read once, not again from each of its characters.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*"?'
_TOKENS = re.compile(_STRING + r"|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_TRAILING_COMMA = re.compile(f"({_STRING})" + r"|,(?=\s*[}\]])")
_NOT_NEWLINE = re.compile(r"[^\n]")
# A template engine's marks where JSON itself never has them.
_TEMPLATE = re.compile(r"\{\{|\{%|\{#|<%|<\?|\$\{")


def broken_json(path: str, data: bytes) -> Broken | None:
    """Where the file stops being JSON; None when its readers take it. An empty file is nobody's JSON yet."""
    try:
        return _broken(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        text = data.decode(json.detect_encoding(data), "replace")  # readers that take such bytes still need JSON
        return _broken(path, text) or Broken(data.count(b"\n", 0, error.start) + 1, "a byte that is not UTF-8")


def _broken(path: str, text: str) -> Broken | None:
    if not text.strip():
        return None
    strict = _parse(text)
    if strict is None or _TEMPLATE.search(_TOKENS.sub(_blank_string, text)):
        return None
    bare = _TOKENS.sub(_blank_comment, text)
    if bare != text or _may_comment(path):
        strict = _parse(bare if not _may_comment(path) else _TRAILING_COMMA.sub(lambda found: found[1] or " ", bare))
    return None if strict is None or _value_a_line(text) else strict


def _parse(text: str) -> Broken | None:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        return Broken(error.lineno, error.msg[:1].lower() + error.msg[1:])
    except RecursionError:
        return None  # deeper than can be judged here; whoever wrote it has a reader for it
    return None


def _may_comment(path: str) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, glob) for glob in _WITH_COMMENTS) or any(f"/{folder}" in f"/{path}" for folder in _FOLDERS_WITH_COMMENTS)


def _blank_comment(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _NOT_NEWLINE.sub(" ", found[0])


def _blank_string(found: re.Match[str]) -> str:
    return '""' if found[0].startswith('"') else found[0]


def _value_a_line(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) > 1 and _parse(lines[0]) is None and all(_parse(line) is None for line in lines)
