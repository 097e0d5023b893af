"""YAML read as a stream of events: nothing is built, aliases are not followed, depth and size are
bounded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ...text.patterns import lazy_pattern
from ._sources import MOST_DATA_BYTES

GLOBS = ("*.yml", "*.yaml")
_DEEPEST = 200  # libyaml needs time by the square of the depth
# libyaml reads ahead and gives up by itself: https://github.com/yaml/libyaml/pull/329
_TOO_DEEP = "exceeded maximum nesting depth"
_TEMPLATE = lazy_pattern(
    rb"^[^\"'#\n]*(?:(?<!\$)\{[{%]|<%[-=#]?\s|%\{~?\s*(?:if|for|else|end))", re.MULTILINE
)
_TEMPLATE_TAG = lazy_pattern(rb"\{%-?\s*(?:if|for|else|elif)\b")
# Plain scalars that mean no text: 1 and "1" are two keys, a and "a" one.
_NOT_TEXT = lazy_pattern(
    r"[-+.]?\d.*|[-+]?\.(?:inf|nan)|true|false|yes|no|on|off|null|~|", re.IGNORECASE
)


class SyntaxProblem(Struct, frozen=True):
    """Where and why a parser stopped; the line counts from 1."""

    line: int
    reason: str


class DuplicateKey(Struct, frozen=True):
    """A key that stands twice in one mapping: its line, and the line of the one before."""

    key: str
    line: int
    first_line: int


class YamlScan(Struct, frozen=True):
    """What is wrong with a YAML file."""

    error: SyntaxProblem | None = None
    duplicates: tuple[DuplicateKey, ...] = ()


@dataclass(slots=True)
class _Mapping:
    keys: dict[tuple[str, bool], int] = field(default_factory=dict)
    at_key: bool = True


@lru_cache(maxsize=4096)
def scan_yaml(data: bytes) -> YamlScan:
    """The first error and the repeated keys; a template, or a file too large or deep to judge, has
    none."""
    if len(data) > MOST_DATA_BYTES:
        return YamlScan()
    walk = _Walk()
    broken = walk.run(data)
    if broken:
        return YamlScan() if _TEMPLATE.search(data) else YamlScan(broken, tuple(walk.again))
    return YamlScan() if _TEMPLATE_TAG.search(data) else YamlScan(None, tuple(walk.again))


class _Walk:
    """One pass over the events of a stream."""

    def __init__(self) -> None:
        self.again: list[DuplicateKey] = []
        self._open: list[_Mapping | None] = []
        self._anchors: set[str] = set()

    def run(self, data: bytes) -> SyntaxProblem | None:
        """Go to the end or the first error."""
        import yaml

        events: Iterator[Any] = yaml.parse(
            data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
        try:
            for event in events:
                why = self._take(event)
                if why:
                    return SyntaxProblem(event.start_mark.line + 1, why)
                if len(self._open) > _DEEPEST:
                    return None
        except yaml.reader.ReaderError as error:
            return SyntaxProblem(
                data.count(b"\n", 0, max(0, error.position)) + 1,
                "a character that YAML does not allow",
            )
        except yaml.MarkedYAMLError as error:
            if error.problem == _TOO_DEEP:
                return None
            mark = error.problem_mark or error.context_mark
            return SyntaxProblem(mark.line + 1 if mark else 1, error.problem or "cannot be parsed")
        return None

    def _take(self, event: Any) -> str:
        """One event; what is wrong with it, or ""."""
        name = type(event).__name__
        if name.endswith("EndEvent"):
            if name in ("MappingEndEvent", "SequenceEndEvent"):
                self._open.pop()
            return ""
        if name == "DocumentStartEvent":
            self._anchors.clear()
        if name not in ("ScalarEvent", "AliasEvent", "MappingStartEvent", "SequenceStartEvent"):
            return ""
        self._enter(event, name == "ScalarEvent")
        if name == "AliasEvent":
            return "" if event.anchor in self._anchors else "an alias without an anchor"
        if event.anchor:
            self._anchors.add(event.anchor)
        if name == "MappingStartEvent":
            self._open.append(_Mapping())
        elif name == "SequenceStartEvent":
            self._open.append(None)
        return ""

    def _enter(self, event: Any, scalar: bool) -> None:
        """A node begins: in a mapping, keys and values take turns."""
        parent = self._open[-1] if self._open else None
        if parent is None:
            return
        if parent.at_key and scalar:
            self._key(parent, event)
        parent.at_key = not parent.at_key

    def _key(self, parent: _Mapping, event: Any) -> None:
        if event.value == "<<" and not event.style:
            return
        line = event.start_mark.line + 1
        identity = (event.value, not event.style and _NOT_TEXT.fullmatch(event.value) is not None)
        before = parent.keys.get(identity)
        if before is not None:
            self.again.append(DuplicateKey(event.value, line, before))
        parent.keys[identity] = line
