"""Values as YAML text that reads back equal, and never shows a character that a person cannot see."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.values import dataclass

_WIDTH = 100
_UNFOLDED = 10**9


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a YAML document: the key path it belongs to, its text with indentation, and whether it holds that key's value."""

    path: tuple[str, ...]
    text: str
    value: bool


def scalar(value: Any) -> str:
    """A string, number, truth value, null or empty collection on one line."""
    import yaml

    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    plain = not isinstance(value, str) or value.isprintable()
    text: str = yaml.safe_dump(
        value, default_flow_style=True, default_style=None if plain else '"', width=_UNFOLDED, allow_unicode=plain, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...")


def rows(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[Row]:
    """The lines of a mapping, in its own order; a list stands on one line where it fits."""
    for key, value in tree.items():
        here, label = (*path, key), f"{'  ' * len(path)}{scalar(key)}:"
        if isinstance(value, Mapping) and value:
            yield Row(here, label, False)
            yield from rows(value, here)
        elif isinstance(value, list | tuple):
            yield from _list(here, label, value)
        else:
            yield Row(here, f"{label} {scalar(value)}", True)


def _list(path: tuple[str, ...], label: str, items: Sequence[Any]) -> Iterator[Row]:
    words = [_in_brackets(item) for item in items]
    flow = f"{label} [{', '.join(words)}]"
    if not items or len(flow) <= _WIDTH:
        yield Row(path, flow, True)
        return
    yield Row(path, f"{label} [", True)
    for line in _wrapped(words, "  " * len(path)):
        yield Row((), line, False)


def _in_brackets(item: Any) -> str:
    """A scalar where commas, brackets and braces mean something."""
    hidden = isinstance(item, str) and not item.isprintable()
    return scalar(item) if hidden else scalar([item])[1:-1]


def _wrapped(words: Sequence[str], indent: str) -> Iterator[str]:
    """The rest of a flow list, filled lines."""
    line = indent
    for number, word in enumerate(words, 1):
        piece = f"{word}]" if number == len(words) else f"{word},"
        if len(line) + len(piece) > _WIDTH and line != indent:
            yield line.rstrip()
            line = indent
        line += f"{piece} "
    yield line.rstrip()
