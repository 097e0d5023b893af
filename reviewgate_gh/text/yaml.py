"""YAML with line numbers for errors, and values as YAML text that reads back equal."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from msgspec import Struct

from .redact import redact

# Each of them costs time before anybody could count the lines.
_MOST_NODES = 200_000


class YamlError(ValueError):
    """Not valid YAML: why, on one line, and where (from 1; 0 where there is no such line).

    `unreadable`: the bytes are not text that YAML allows.
    """

    def __init__(self, problem: str, line: int = 0, unreadable: bool = False) -> None:
        super().__init__(problem)
        self.line = line
        self.unreadable = unreadable


def compose(data: str | bytes) -> Any:
    """The root node of a document, None where it is empty.

    Raises:
        YamlError: it is no YAML, or more than one document.
        RecursionError: it is nested too deeply, or in itself.
    """
    with _errors(data):
        reader = _reader()(data)
        try:
            return reader.get_single_node()
        finally:
            reader.dispose()


def construct(node: Any) -> Any:
    """What a node stands for; None for none.

    Raises:
        YamlError: a value is none of its kind.
        RecursionError: it is nested too deeply.
    """
    if node is None:
        return None
    with _errors(""):
        return _reader()("").construct_document(node)


def has_aliases(data: str | bytes) -> bool:
    """The text repeats a value by its anchor.

    Raises:
        YamlError: it is no YAML.
    """
    yaml = _library()
    with _errors(data):
        tokens = yaml.scan(data, Loader=yaml.SafeLoader)
        return any(isinstance(token, yaml.AliasToken) for token in tokens)


@contextmanager
def _errors(data: str | bytes) -> Iterator[None]:
    yaml = _library()
    try:
        yield
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise YamlError(str(error.problem), line) from None
    except (yaml.YAMLError, UnicodeError) as error:
        newline = "\n" if isinstance(data, str) else b"\n"
        before = data[: error.position] if isinstance(error, yaml.reader.ReaderError) else None
        line = before.count(newline) + 1 if before is not None else 0  # type: ignore[arg-type]
        raise YamlError(str(error).splitlines()[0], line, unreadable=True) from None


@cache
def _library() -> Any:
    import yaml  # 17 ms, and most runs read none

    return yaml


@cache
def _reader() -> Any:
    yaml = _library()

    class Reader(yaml.SafeLoader):  # type: ignore[misc,name-defined]
        def __init__(self, data: str | bytes) -> None:
            super().__init__(data)
            self._nodes = 0
            self._sizes: dict[int, int] = {}  # of finished nodes, each use of an alias counted

        def compose_node(self, parent: Any, index: Any) -> Any:
            before = self._nodes
            self._count(1)
            is_alias = self.check_event(yaml.events.AliasEvent)
            node = super().compose_node(parent, index)
            if not is_alias:
                self._sizes[id(node)] = self._nodes - before
            elif id(node) not in self._sizes:  # not finished: the alias is within what it repeats
                raise RecursionError(node.start_mark.line + 1)
            else:  # all who walk over the nodes meet them anew at each use
                self._count(self._sizes[id(node)] - 1)
            return node

        def _count(self, number: int) -> None:
            self._nodes += number
            if self._nodes > _MOST_NODES:
                many = f"more than {_MOST_NODES:,} keys and values; aliases count at each use"
                raise yaml.composer.ComposerError(None, None, many, self.get_mark())

        def compose_mapping_node(self, anchor: Any) -> Any:
            """A key is the word that stands there: `on`, `no` and `1` are no truth values or
            numbers."""
            node = super().compose_mapping_node(anchor)
            for key, _value in node.value:
                if key.id == "scalar" and key.tag != "tag:yaml.org,2002:merge":
                    key.tag = "tag:yaml.org,2002:str"
            return node

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                made = super().construct_object(node, deep)
                return _whole(made) if isinstance(made, str) else made
            except (ValueError, LookupError, AttributeError, OverflowError) as error:
                what = (
                    "an unpaired surrogate"
                    if isinstance(error, UnicodeError)
                    else f"not a valid {node.tag.rpartition(':')[2]}"
                )
                raise yaml.constructor.ConstructorError(
                    None, None, f"{_short(node.value)} is {what}", node.start_mark
                ) from None

    return Reader


def _whole(text: str) -> str:
    """The text with the two halves of a character, written one by one, as that character.

    Raises:
        UnicodeDecodeError: one half stands alone.
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _short(value: Any) -> str:
    return ascii(redact(value)[:40]) if isinstance(value, str) else "this"


_WIDTH = 100
_UNFOLDED = 10**9


class YamlLine(Struct, frozen=True):
    """One line of a YAML document: the key path it belongs to, its text with indentation, and
    whether it holds that key's value."""

    path: tuple[str, ...]
    text: str
    value: bool


def yaml_scalar(value: Any) -> str:
    """A string, number, truth value, null or empty collection on one line."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    plain = not isinstance(value, str) or value.isprintable()
    text: str = _library().safe_dump(
        value,
        default_flow_style=True,
        default_style=None if plain else '"',
        width=_UNFOLDED,
        allow_unicode=plain,
        sort_keys=False,
    )
    return text.removesuffix("\n").removesuffix("\n...")


def yaml_lines(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[YamlLine]:
    """The lines of a mapping, in its own order; a list stands on one line where it fits."""
    for key, value in tree.items():
        here, label = (*path, key), f"{'  ' * len(path)}{yaml_scalar(key)}:"
        if isinstance(value, Mapping) and value:
            yield YamlLine(here, label, False)
            yield from yaml_lines(value, here)
        elif isinstance(value, list | tuple):
            yield from _list(here, label, value)
        else:
            yield YamlLine(here, f"{label} {yaml_scalar(value)}", True)


def _list(path: tuple[str, ...], label: str, items: Sequence[Any]) -> Iterator[YamlLine]:
    words = [_in_brackets(item) for item in items]
    flow = f"{label} [{', '.join(words)}]"
    if not items or len(flow) <= _WIDTH:
        yield YamlLine(path, flow, True)
        return
    yield YamlLine(path, f"{label} [", True)
    for line in _wrapped(words, "  " * len(path)):
        yield YamlLine((), line, False)


def _in_brackets(item: Any) -> str:
    """A scalar where commas, brackets and braces mean something."""
    hidden = isinstance(item, str) and not item.isprintable()
    return yaml_scalar(item) if hidden else yaml_scalar([item])[1:-1]


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
