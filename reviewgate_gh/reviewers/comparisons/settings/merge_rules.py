"""Rules by which Mergify merges that stay, and that no longer ask for a check or an approval."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._workflows import read_tree
from .._pipelines import PIPELINES, bare_text
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput
from ._guarding_settings import PROTECTION
from ._waits import child

EVERY_FILE = False
# https://docs.mergify.com/configuration/file-format/
_PATH = lazy_pattern(r"^(?:\.github/|\.)mergify\.ya?ml$|^\.mergify/config\.ya?ml$")
_RULE = replace(
    PROTECTION,
    priority=Priority.P2,
    advice=(
        "Changes can now be merged without it, unless the branch itself asks for it. Restore the "
        "condition, or name what asks for it instead."
    ),
)
_UNKNOWN = "No pipeline of the project runs such a check: another service may, or none."
_MOST_READ = 50  # pipelines
_MOST = 20  # conditions of a file
# Where each stage on the way to a merge says what it waits for
_STAGES = {
    "pull_request_rules": ("conditions",),
    "queue_rules": ("conditions", "routing_conditions", "queue_conditions", "merge_conditions"),
    "merge_protections": ("success_conditions",),
}
_CHECK = lazy_pattern(r"check-success=(?P<name>.+)")
# https://docs.mergify.com/configuration/conditions/
_APPROVALS = lazy_pattern(r"#approved-reviews-by>(?P<equal>=?)(?P<number>\d{1,3})")
_SPACES = lazy_pattern(r"\s*(!=|>=|<=|~=|[=<>])\s*")
_WORD = lazy_pattern(r"[\w.]+")


class _Rule(NamedTuple):
    """What has to hold, and all conditions that are named, also where one of several is enough."""

    asked: frozenset[str]
    named: frozenset[str]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if _PATH.search(file.path) and file.removed and not (file.is_new or file.is_gone):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for condition, left in islice(_lost(_read(file.base), _read(file.head)), _MOST):
        value = re.split(r"[=>]", condition)[-1]
        line = next((line for line in file.removed if value in line.text), None)
        rule = _weigh(sources, condition, left) if line is not None else None
        if rule is not None and line is not None:
            yield taken(rule, file, line, f"a merge no longer waits for {quoted(condition)}")


_Rules = Mapping[tuple[str, str], _Rule]


def _lost(before: _Rules, after: _Rules) -> Iterator[tuple[str, frozenset[str]]]:
    """Each condition that a rule no longer asks for, with those that it names or that hold
    anyway."""
    elsewhere = {stage: frozenset(_elsewhere(stage, before, after)) for stage in _STAGES}
    for place, was in before.items():
        now = after.get(place)
        if now is None or not all(map(_APPROVALS.fullmatch, now.named - was.named)):
            continue  # what it asks for now may be as strict, or it is about fewer changes
        left = now.asked | elsewhere[place[0]]
        for condition in sorted(was.asked - left):
            yield condition, left | now.named


def _elsewhere(stage: str, before: _Rules, after: _Rules) -> Iterator[str]:
    """What another stage asks for, and what new rules do."""
    for place, rule in after.items():
        if place[0] != stage:
            yield from rule.asked
        elif place not in before:
            yield from rule.named


def _weigh(sources: ComparisonInput, condition: str, left: frozenset[str]) -> ComparisonRule | None:
    """None where nothing proves that it is lost."""
    if number := _approvals(condition):
        return _RULE if number > max(map(_approvals, left), default=0) else None
    found = _CHECK.fullmatch(condition)
    if found is None or condition in left:
        return None
    paths = [path for path in sources.list_head() if PIPELINES.search(path)][:_MOST_READ]
    words = {*_WORD.findall(found["name"])}
    runs = (
        words <= {*_WORD.findall(bare_text(text)), *_WORD.findall(path)}
        for path, text in sources.read_head(paths).items()
    )
    if any(runs):
        return _RULE
    return None if paths else hint(_RULE, _UNKNOWN)


def _approvals(condition: str) -> int:
    """How many people have to approve; 0 where it asks for something else."""
    found = _APPROVALS.fullmatch(condition)
    return int(found["number"]) + (not found["equal"]) if found else 0


def _read(text: str) -> dict[tuple[str, str], _Rule]:
    """The rules by their stage and name, but for those that merge nothing."""
    tree, found = read_tree(text), dict[tuple[str, str], _Rule]()
    for stage, keys in _STAGES.items():
        rules = child(tree, stage)
        for rule in rules.value if rules is not None and rules.id == "sequence" else ():
            name, actions = child(rule, "name"), child(rule, "actions")
            if stage != "pull_request_rules" or child(actions, "merge") or child(actions, "queue"):
                nodes = [child(rule, key) for key in keys]
                found[stage, str(name.value) if name else ""] = _Rule(
                    frozenset(each for node in nodes for each in _asked(node)),
                    frozenset(each for node in nodes for each in _named(node)),
                )
    return found


def _asked(node: Any) -> Iterator[str]:
    """The conditions of a list that all have to hold."""
    for item in node.value if node is not None and node.id == "sequence" else ():
        if item.id == "scalar":
            yield _plain(item.value)
        elif item.id == "mapping" and len(item.value) == 1:
            yield from _asked(child(item, "and"))


def _named(node: Any) -> Iterator[str]:
    if node is not None and node.id == "scalar":
        yield _plain(node.value)
    elif node is not None:
        items = node.value if node.id == "sequence" else [value for _key, value in node.value]
        for item in items:
            yield from _named(item)


def _plain(condition: str) -> str:
    """The condition without spaces and quotes, by the newer name of what it asks for."""
    bare = _SPACES.sub(r"\1", condition.strip(), count=1)
    return bare.replace("status-success=", "check-success=").replace('"', "").replace("'", "")
