"""Nodes of YAML, with their lines."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ...text.patterns import lazy_pattern
from ...text.yaml import YamlError, compose

_END = lazy_pattern(r"(?m)^---(?=\s|$)")
MERGE = "<<"


@lru_cache(8)  # several checks read the same manifest, and PyYAML takes a second for 50 kB
def documents(text: str) -> tuple[tuple[Any, int], ...]:
    """The roots of a stream's documents that can be read, and the lines before each."""
    return tuple(_documents(text))


def _documents(text: str) -> Iterator[tuple[Any, int]]:
    text = text.replace("\r\n", "\n")
    starts = [0, *(mark.end() for mark in _END.finditer(text)), len(text)]
    line = at = 0
    for start, end in pairwise(starts):
        line, at = line + text.count("\n", at, start), start
        try:
            document = compose(text[start:end].removesuffix("---"))
        except (YamlError, RecursionError):
            continue
        if document is not None:
            yield document, line


def fields(node: Any) -> dict[str, Any]:
    """A mapping's values by their keys; nothing of another node."""
    pairs = node.value if node is not None and node.id == "mapping" else ()
    return {key.value: value for key, value in pairs if key.id == "scalar"}


def merged(node: Any) -> dict[str, Any]:
    """A mapping's values by their keys, with those that it merges.
    https://yaml.org/type/merge.html"""
    own = fields(node)
    merge = own.pop(MERGE, None)
    for part in [*items(merge), merge]:
        own = {**merged(part), **own} if part is not None and part.id == "mapping" else own
    return own


def at(node: Any, *keys: str) -> Any:
    """The node that the keys lead to; None for none."""
    for key in keys:
        node = fields(node).get(key)
    return node


def items(node: Any) -> list[Any]:
    """A list's nodes; none of another node."""
    return [*node.value] if node is not None and node.id == "sequence" else []


def text_of(node: Any) -> str:
    """The text of a scalar; "" of another node."""
    return str(node.value) if node is not None and node.id == "scalar" else ""


def line_of(node: Any) -> int:
    """Where a node begins, from 1."""
    return int(node.start_mark.line) + 1


def scalars(node: Any) -> Iterator[Any]:
    """All texts of a tree, keys too."""
    nodes = [node]
    while nodes:
        each = nodes.pop()
        if each is None:
            continue
        if each.id == "scalar":
            yield each
        elif each.id == "sequence":
            nodes += reversed(each.value)
        else:
            nodes += [part for pair in reversed(each.value) for part in reversed(pair)]
