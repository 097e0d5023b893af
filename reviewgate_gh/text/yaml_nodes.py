"""A YAML document read once, to its values and to the nodes that know their lines; what cannot be a value is an error at its line.

The reader that comes with YAML ends in errors of all kinds, without a line, over values like `!!bool x` or the 30th of February.
"""

from functools import cache
from typing import Any

from .redact import redact

# Each of them costs time before anybody could count the lines.
_MOST_NODES = 200_000


def compose(data: str | bytes) -> Any:
    """The root node of a document, None where it is empty.

    Raises:
        yaml.YAMLError: it is no YAML, or more than one document.
        RecursionError: it is nested too deeply.
    """
    reader = _reader()(data)
    try:
        return reader.get_single_node()
    finally:
        reader.dispose()


def construct(node: Any) -> Any:
    """What a node stands for; None for none.

    Raises:
        yaml.YAMLError: a value is none of its kind.
        RecursionError: it is nested too deeply, or in itself.
    """
    return _reader()("").construct_document(node) if node is not None else None


@cache
def _reader() -> Any:
    import yaml

    class Reader(yaml.SafeLoader):
        def __init__(self, data: str | bytes) -> None:
            super().__init__(data)
            self._nodes = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self._nodes += 1
            if self._nodes > _MOST_NODES:
                raise yaml.composer.ComposerError(None, None, f"more than {_MOST_NODES:,} keys and values", self.get_mark())
            return super().compose_node(parent, index)

        def compose_mapping_node(self, anchor: Any) -> Any:
            """A key is the word that stands there: `on`, `no` and `1` are no truth values or numbers."""
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
                what = "an unpaired surrogate" if isinstance(error, UnicodeError) else f"not a valid {node.tag.rpartition(':')[2]}"
                raise yaml.constructor.ConstructorError(None, None, f"{_short(node.value)} is {what}", node.start_mark) from None

    return Reader


def _whole(text: str) -> str:
    """The text with the two halves of a character, written one by one, as that character.

    Raises:
        UnicodeDecodeError: one half stands alone.
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _short(value: Any) -> str:
    return ascii(redact(value)[:40]) if isinstance(value, str) else "this"
