"""What hooks a configuration of the pre-commit framework has (https://pre-commit.com/#plugins)."""

import re
from typing import Any

from ._workflows import read_tree

_VERSION = re.compile(r"(?<=[\w\]])(?:[=~<>!]=?=?|@)v?\d[\w.*+-]*\Z")
# What says neither what a hook runs nor what it reads
_BESIDE = ("name", "alias", "description", "verbose", "args", "always_run", "require_serial")


def keeps_hooks(base: bytes, head: bytes) -> bool:
    """Every hook of the base is there, of the same repository, starts the same, and reads as much;
    new ones come from the same repositories."""
    before, now = _read_hooks(base), _read_hooks(head)
    known = {repository for repository, _hook, _number in before}
    return (
        bool(before)
        and all(now.get(name) == hook for name, hook in before.items())
        and all(name in before or (name[0] in known and name[0] != "local") for name in now)
    )


def _read_hooks(data: bytes) -> dict[tuple[str, str, int], str]:
    """What each hook of a configuration runs and reads, by its repository, its name and its number
    among equal ones; nothing of a configuration that cannot be read."""
    found: dict[tuple[str, str, int], str] = {}
    root = read_tree(data.decode("utf-8", "replace"))
    for repository in _items(_fields(root).get("repos")):
        fields = _fields(repository)
        for hook in _items(fields.get("hooks")):
            settings = _fields(hook)
            name = (
                getattr(fields.get("repo"), "value", ""),
                getattr(settings.get("id"), "value", ""),
            )
            number = sum(other[:2] == name for other in found)
            local = name[0] == "local"
            said = {
                key: _plain(value) if key != "additional_dependencies" else _unpinned(value)
                for key, value in settings.items()
                if key not in _BESIDE or (local and key == "args")
            }
            found[*name, number] = repr(sorted(said.items()))
    return found


def _fields(node: Any) -> dict[str, Any]:
    pairs = node.value if getattr(node, "id", "") == "mapping" else ()
    return {key.value: value for key, value in pairs if key.id == "scalar"}


def _items(node: Any) -> list[Any]:
    return [*node.value] if getattr(node, "id", "") == "sequence" else []


def _unpinned(node: Any) -> list[str]:
    """Packages without their versions, which say no more than the revision of the hook."""
    return [_VERSION.sub("", str(_plain(each))) for each in _items(node)]


def _plain(node: Any) -> Any:
    """The node as a value, without its place."""
    if node.id == "mapping":
        return [(_plain(key), _plain(value)) for key, value in node.value]
    return [_plain(each) for each in node.value] if node.id == "sequence" else node.value
