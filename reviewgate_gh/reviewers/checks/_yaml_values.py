"""YAML as plain values, without their types: texts, lists and mappings."""

from collections.abc import Iterator
from typing import Any

_DEEPEST = 200
_MOST_MERGED = 500_000  # fields: each merge repeats those of a whole mapping
_MERGE = "<<"


def read_plain(data: bytes) -> Any:
    """The first document; an alias is the very value that it repeats.

    Raises:
        ValueError: it is no YAML.
        RecursionError: it is nested too deeply, or merges too much.
    """
    import yaml

    events = yaml.parse(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return _document(events)
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError(str(error)) from None


def _document(events: Iterator[Any]) -> Any:
    anchors: dict[str, Any] = {}
    opened: list[_Open] = []
    merged = 0
    for event in events:
        name = type(event).__name__
        if name in ("MappingEndEvent", "SequenceEndEvent"):
            made = opened.pop().made
        elif name == "ScalarEvent":
            made = event.value
        elif name == "AliasEvent":
            made = anchors.get(event.anchor)
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            if len(opened) > _DEEPEST:
                raise RecursionError
            opened.append(_Open({} if name.startswith("M") else []))
            if event.anchor:
                anchors[event.anchor] = opened[-1].made
            continue
        else:
            continue
        if name == "ScalarEvent" and event.anchor:
            anchors[event.anchor] = made
        if not opened:
            return made
        merged += opened[-1].take(made)
        if merged > _MOST_MERGED:
            raise RecursionError
    return None


class _Open:
    """A list or a mapping that is being read."""

    def __init__(self, made: Any) -> None:
        self.made = made
        self._key: Any = None
        self._at_key = True

    def take(self, value: Any) -> int:
        """A finished value; how many fields it merges."""
        merged = 0
        if isinstance(self.made, list):
            self.made.append(value)
        elif self._at_key:
            self._key, self._at_key = value if isinstance(value, str) else None, False
        else:
            self._at_key = True
            for each in (value if isinstance(value, list) else [value]) if self._merges() else ():
                parts = each if isinstance(each, dict) else {}
                merged += len(parts)
                for key, part in parts.items():
                    self.made.setdefault(key, part)
            self.made[self._key] = value
        return merged

    def _merges(self) -> bool:
        return bool(self._key == _MERGE)
