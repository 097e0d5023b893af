"""Files that are meant not to parse: what a parser's, a linter's or a compiler's tests read.

A new file below a folder of test data that its name or the project's settings (those of the trusted
side) tell from code. A file that parsed before is none, and neither is one that the tests run.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from ..findings.differ import SYNTAX_CATEGORY
from ..model.change import Change
from ..model.finding import Finding, Priority
from ..text.paths import matching_paths
from ..text.patterns import lazy_pattern

_Reader = Callable[[Sequence[str]], Mapping[str, bytes]]

_DATA = lazy_pattern(
    r"(?:\A|/)_*(?:tests?|specs?|testing|test-?suite|e2e)_*/(?:[^/]+/)*"
    r"(?:_*files|[\w-]*cases|[\w-]*fixtures?|data|samples?|inputs?|outputs?|expected|resources"
    r"|stubs|corpus|baselines?)_*/",
    re.IGNORECASE,
)
# What a runner of tests loads by its name
_A_TEST = lazy_pattern(
    r"(?:\A|/)(?:test_[^/]*|conftest|__init__)\.py\Z|[._-](?:test|spec)\.[^/.]+\Z"
    r"|Tests?\.(?:php|java|kt|cs|swift)\Z"
)
_SAYS_SO = lazy_pattern(
    r"(?<![a-z])(?:invalid|malformed|broken|corrupt(?:ed)?|unterminated|unclosed|unpars(?:e)?able"
    r"|(?:cannot|not)[-_]?(?:be[-_]?)?pars(?:ed?|able)|(?:parser?|parsing|syntax)[-_]?errors?)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_NOTE = "The tests may read this file as it is: {why}."
_BY_NAME = "its name says that it is broken"

_JS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".astro")
_FORMATTED = (
    *_JS, ".css", ".scss", ".less", ".json", ".jsonc", ".json5", ".webmanifest", ".html", ".yaml",
    ".yml",
)  # fmt: skip
_PYTHON, _PHP = (".py", ".pyi"), (".php",)
_COMMENT = lazy_pattern(rb"(?m)^[ \t]*//[^\n]*")
# https://eslint.org/docs/latest/use/configure/ignore: `ignores` alone is of all files
_IGNORES = lazy_pattern(
    rb"globalIgnores\(\s*\[([^\]]*)\]|\{\s*ignores\s*:\s*\[([^\]]*)\]\s*,?\s*\}"
)
_QUOTED = lazy_pattern(rb"\"([^\"\n]+)\"|'([^'\n]+)'")
# https://symfony.com/doc/current/components/finder.html
_FINDER = lazy_pattern(rb"->(notPath|notName|exclude)\(\s*['\"]([^'\"\n/#~][^'\"\n]*)['\"]")


def _lines(data: bytes) -> Iterator[str]:
    yield from data.decode("utf-8", "replace").splitlines()


def _flat_config(data: bytes) -> Iterator[str]:
    for found in _IGNORES.finditer(_COMMENT.sub(b"", data)):
        for quoted in _QUOTED.finditer(found[1] or found[2] or b""):
            pattern = (quoted[1] or quoted[2]).decode("utf-8", "replace")
            yield f"!/{pattern[1:]}" if pattern.startswith("!") else f"/{pattern}"


def _php_cs_fixer(data: bytes) -> Iterator[str]:
    for found in _FINDER.finditer(data):
        word = found[2].decode("utf-8", "replace")
        yield {b"notPath": f"**/{word}", b"notName": word}.get(found[1], f"**/{word}/")


def _ruff(data: bytes) -> Iterator[str]:
    try:
        table: Any = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return
    for key in ("tool", "ruff"):
        table = table.get(key, table) if isinstance(table, dict) else {}
    for key in ("exclude", "extend-exclude"):
        words = table.get(key) if isinstance(table, dict) else None
        if isinstance(words, list):
            yield from (word for word in words if isinstance(word, str))


_ESLINT = tuple(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts", "mts"))
# Who leaves out files, which kinds it reads, and how its settings say so, as patterns of gitignore
_SETTINGS: tuple[tuple[tuple[str, ...], tuple[str, ...], Callable[[bytes], Iterator[str]]], ...] = (
    ((".prettierignore",), _FORMATTED, _lines),
    ((".eslintignore",), _JS, _lines),
    (_ESLINT, _JS, _flat_config),
    ((".php-cs-fixer.php", ".php-cs-fixer.dist.php"), _PHP, _php_cs_fixer),
    (("pyproject.toml", "ruff.toml", ".ruff.toml"), _PYTHON, _ruff),
)


class MeantBroken:
    """Weighs what a reviewer says of the syntax of such files; `read` gives the content of files of
    the trusted side."""

    def __init__(self, change: Change, read: _Reader) -> None:
        self._new = {file.path for file in change.files if file.status == "A"}
        names = [name for names, _ends, _patterns in _SETTINGS for name in names]
        self._settings = cache(lambda: read(names))
        self._why = cache(self._reason)

    def weigh(self, finding: Finding) -> Finding:
        """The finding, as a concern where the file is meant to be like that."""
        if finding.priority is not Priority.P0 or finding.category != SYNTAX_CATEGORY:
            return finding
        why = self._why(finding.path)
        if not why:
            return finding
        body = f"{_NOTE.format(why=why)} {finding.body}".rstrip()
        return replace(finding, priority=Priority.P2, body=body)

    def _reason(self, path: str) -> str:
        """Why the file is meant to be broken; "" for all others."""
        below = _DATA.search(path) if path in self._new and not _A_TEST.search(path) else None
        if below is None:
            return ""
        if _SAYS_SO.search(_CAMEL.sub("-", path[below.start() :])):
            return _BY_NAME
        return next(self._leaving_out(path), "")

    def _leaving_out(self, path: str) -> Iterator[str]:
        for names, ends, patterns in _SETTINGS:
            if path.endswith(ends):
                for name in names:
                    data = self._settings().get(name)
                    if data and _fits(path, [*patterns(data)]):
                        yield f"{name} leaves it out"


def _fits(path: str, patterns: list[str]) -> bool:
    try:
        return bool(matching_paths([path], patterns))
    except (ValueError, re.error):
        return False
