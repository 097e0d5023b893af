"""Services, volumes, networks, secrets and configs that a Compose file uses and nothing declares.

https://docs.docker.com/reference/compose-file/
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.yaml import YamlError, compose
from ...checks._paths import is_fixture
from ...checks._yaml_trees import at, fields, items, line_of, merged, text_of
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "compose-name-missing",
    Priority.P1,
    "`docker compose` refuses the whole project. Correct the name, or declare it.",
)
_FILE = lazy_pattern(r"(?:\A|/)(?:docker-)?compose[^/]*\.ya?ml\Z")
_KINDS = ("services", "volumes", "networks", "secrets", "configs")
_OF_SERVICE = ("network_mode", "ipc", "pid")
_NAMED_VOLUME = lazy_pattern(r"(?P<name>[A-Za-z0-9][\w.-]+):/.*")
_FILLED_IN = lazy_pattern(r"\{\{|\{%")
_LARGEST, _MOST_FILES, _MOST = 200_000, 40, 5

# What is used: its kind, its name and where
_Use = tuple[str, str, Any]
_Names = Mapping[str, set[str]]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most five findings a file, of what its base did not have."""
    for file in sources.files:
        if _FILE.search(file.path) and not (file.is_gone or is_fixture(file.path)):
            yield from islice(_in_file(sources, file), _MOST)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    head = _read(file.head)
    missing = _missing(head, _declared(head)) if _is_whole(head) else {}
    if not missing:
        return
    others = [_declared(root) for root in _beside(sources, file.path)]
    was = _read(file.base)
    before = _missing(was, _declared(was))
    # Of what is declared no longer `removed_names` tells
    known = [*others, _declared(was)]
    for (kind, name), node in missing.items():
        if (kind, name) not in before and not any(name in other[kind] for other in known):
            number = line_of(node)
            line = Line(number, file.head_rows[number - 1])
            yield put(_RULE, file, line, f"nothing declares the {kind.removesuffix('s')} `{name}`")


def _read(text: str) -> Any:
    if len(text) > _LARGEST or _FILLED_IN.search(text):
        return None
    try:
        return compose(text)
    except (YamlError, RecursionError):
        return None


def _is_whole(root: Any) -> bool:
    """No file that changes another one: each service says what it runs."""
    services = [merged(each) for each in fields(at(root, "services")).values()]
    return (
        bool(services)
        and at(root, "include") is None
        and all(("image" in each or "build" in each) and "extends" not in each for each in services)
    )


def _beside(sources: ComparisonInput, path: str) -> Iterator[Any]:
    """Other files of Compose that may be given with it: those of its folder, of those around it and
    of those in it."""
    folder = path.rpartition("/")[0]
    near = [
        other
        for other in sorted(sources.list_head())
        if other != path and _FILE.search(other) and _is_near(folder, other.rpartition("/")[0])
    ]
    return map(_read, sources.read_head(near[:_MOST_FILES]).values())


def _is_near(folder: str, other: str) -> bool:
    return f"{folder}/".startswith(f"{other}/") or f"{other}/".startswith(f"{folder}/") or not other


def _declared(root: Any) -> _Names:
    names = {kind: set(merged(at(root, kind))) for kind in _KINDS}
    names["networks"] |= {"default"}
    return names


def _missing(root: Any, declared: _Names) -> dict[tuple[str, str], Any]:
    """What is used and not declared, with the first place of each."""
    found: dict[tuple[str, str], Any] = {}
    for service in fields(at(root, "services")).values():
        for kind, name, node in _uses(merged(service)):
            if name and "$" not in name and name not in declared[kind]:
                found.setdefault((kind, name), node)
    return found


def _uses(service: Mapping[str, Any]) -> Iterator[_Use]:
    for node, more in _listed(service.get("depends_on")):
        if text_of(at(more, "required")) != "false":
            yield "services", text_of(node), node
    for node in items(service.get("links")):
        yield "services", text_of(node).partition(":")[0], node
    for node in items(service.get("volumes_from")):
        if not text_of(node).startswith("container:"):
            yield "services", text_of(node).partition(":")[0], node
    for key in _OF_SERVICE:
        kind, _, name = text_of(service.get(key)).partition(":")
        if kind == "service":
            yield "services", name, service[key]
    for node, _ in _listed(service.get("networks")):
        yield "networks", text_of(node), node
    yield from _volumes(items(service.get("volumes")))
    for kind in ("secrets", "configs"):
        for node in items(service.get(kind)):
            source = node if node.id == "scalar" else at(node, "source")
            yield kind, text_of(source), source


def _volumes(nodes: Iterable[Any]) -> Iterator[_Use]:
    for node in nodes:
        found = _NAMED_VOLUME.fullmatch(text_of(node))
        if found:
            yield "volumes", found["name"], node
        elif text_of(at(node, "type")) == "volume":
            source = at(node, "source")
            yield "volumes", text_of(source), source


def _listed(node: Any) -> Iterator[tuple[Any, Any]]:
    """The names of a list, or of a mapping with what it says of each."""
    if node is not None and node.id == "mapping":
        yield from ((key, value) for key, value in node.value if key.value != "<<")
    else:
        yield from ((each, None) for each in items(node))
