"""The waivers file as text: edited in place so that a person's comments and order stay.

Every edit is a proposal: the caller reads the result back and takes `whole` where it does not say what was meant.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..model.waiver import Waiver
from .yaml_text import scalar

_HEAD = "# Findings that somebody has accepted: made by `reviewgate-gh waive add`, in force from the commit that holds them.\nversion: 1\n"
_KEY = "waivers"


def whole(waivers: Iterable[Waiver]) -> str:
    """A new file."""
    entries = "".join(_entry(waiver, "  ") for waiver in waivers)
    return f"{_HEAD}{_KEY}:\n{entries}" if entries else f"{_HEAD}{_KEY}: []\n"


def edited(text: str, changed: Mapping[int, Waiver | None], added: Iterable[Waiver]) -> str:
    """The text with entries replaced or (None) removed by their position, and new ones at the end.

    Raises:
        ValueError: it is not laid out in a way that can be edited.
    """
    sequence = _sequence(text)
    indent = "  "
    if sequence is not None and sequence.value:
        if sequence.flow_style:
            raise ValueError("the list is written in brackets")
        indent = " " * sequence.start_mark.column
        for position in sorted(changed, reverse=True):
            start, end = _extent(text, sequence.value[position])
            waiver = changed[position]
            text = text[:start] + (_entry(waiver, indent) if waiver else "") + text[end:]
    elif sequence is not None:
        text = text[: sequence.start_mark.index].rstrip(" ") + text[sequence.end_mark.index :]
    text = text if text.endswith("\n") or not text else f"{text}\n"
    head = "" if sequence is not None else f"{_KEY}:\n"
    return text + head + "".join(_entry(waiver, indent) for waiver in added)


def _sequence(text: str) -> Any:
    """The node of the list; None where the file has none yet."""
    import yaml

    top = yaml.compose(text, Loader=yaml.SafeLoader)
    if top is None:
        return None
    if not isinstance(top, yaml.MappingNode):
        raise ValueError("the file is not a mapping")
    found = next((value for key, value in top.value if key.value == _KEY), None)
    if found is not None and not isinstance(found, yaml.SequenceNode):
        raise ValueError("the list is not a list")
    return found


def _extent(text: str, item: Any) -> tuple[int, int]:
    """Where the lines of an entry begin and end."""
    start = text.rfind("\n", 0, item.start_mark.index) + 1
    last = _end(item)
    if text[last - 1 : last] == "\n":
        return start, last
    end = text.find("\n", last) + 1
    return start, end or len(text)


def _end(node: Any) -> int:
    """Where the last word below a node ends; the node's own mark lies behind the comments that follow it."""
    if node.id == "mapping":
        return max((_end(value) for _key, value in node.value), default=node.end_mark.index)
    if node.id == "sequence" and not node.flow_style:
        return max((_end(value) for value in node.value), default=node.end_mark.index)
    return int(node.end_mark.index)


def _entry(waiver: Waiver, indent: str) -> str:
    fields = {"fingerprint": waiver.fingerprint, "rule": waiver.rule, "path": waiver.path}
    fields |= {"priority": waiver.priority.value if waiver.priority else "", "title": waiver.title, "reason": waiver.reason}
    fields |= {"expires": waiver.expires} if waiver.expires else {}
    rows = [f"{name}: {scalar(value)}" for name, value in fields.items() if value]
    rows += [f"count: {waiver.count}"] if waiver.count != 1 else []
    return f"{indent}- " + f"\n{indent}  ".join(rows) + "\n"
