"""Pipelines of Drone and Woodpecker that check, and that pull requests, pushes or a branch no
longer start."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any, NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._workflows import events_of, read_tree
from .._guards import is_explained
from .._pipelines import PIPELINES, find_checks, find_node_checks
from .._remark import ComparisonRule, hint, put, taken
from .._sources import ComparedFile, ComparisonInput, Line
from ._waits import child
from .ci_triggers import PUSH, TRIGGER, may_have_ended, words_of

EVERY_FILE = False
_PATH = lazy_pattern(r"^\.drone\.ya?ml$|^\.woodpecker(?:\.ya?ml$|/.*\.ya?ml$)")
_DOCUMENTS = lazy_pattern(r"(?m)^---[ \t]*(?:#.*)?$")
_MOST_READ = 50  # pipelines that the change leaves alone
_MOST = 20  # pipelines of a file
# What starts a pipeline that does not say it, of what matters here:
# https://docs.drone.io/pipeline/triggers/, https://woodpecker-ci.org/docs/usage/workflow-syntax#event
_EVENTS = ("pull_request", "push")
_OF_BRANCHES = "It still runs for what is pushed to branches of the repository itself."


class _Pipeline(NamedTuple):
    """Which kinds of checks it runs, which events start it, and on which branches; no branch: on
    each."""

    kinds: frozenset[str]
    events: frozenset[str]
    branches: frozenset[str]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if _PATH.search(file.path) and not (file.is_new or file.is_gone):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    before, after = _read(file.base), _read(file.head)
    for name, was in islice(before.items(), _MOST):
        now = after.get(name)
        if now is None or not now.kinds:
            continue
        gone = [event for event in _EVENTS if event in was.events - now.events]
        lost = [event for event in gone if not _is_covered(sources, file, now.kinds, event)]
        if lost:
            yield from _tell(file, _weigh(lost, now), lost[0], f"on {lost[0]}")
        branches = sorted(was.branches - now.branches) if now.branches < was.branches else []
        if now.branches and branches and not may_have_ended(branches, {*now.branches}):
            yield from _tell(file, TRIGGER, branches[0], f"for {branches[0]}")


def _weigh(lost: list[str], now: _Pipeline) -> ComparisonRule:
    if lost == ["push"]:
        return PUSH if "pull_request" in now.events else TRIGGER
    all_pushes = "push" in now.events and not now.branches
    return hint(TRIGGER, _OF_BRANCHES) if all_pushes else TRIGGER


def _tell(file: ComparedFile, rule: ComparisonRule, word: str, what: str) -> Iterator[Finding]:
    """At the line that named it, or at the one that names what is left."""
    title = f"this pipeline no longer runs {what}"
    gone = next((line for line in file.removed if _has(line, word)), None)
    come = next((line for line in file.added if _SAYS.match(line.text)), None)
    if come is not None and is_explained(file, come):
        rule = hint(rule)
    if gone is not None:
        yield taken(rule, file, gone, title)
    elif come is not None:
        yield put(rule, file, come, title)


def _has(line: Line, word: str) -> bool:
    return re.search(rf"(?<![\w/-]){re.escape(word)}(?![\w/-])", line.text) is not None


_SAYS = lazy_pattern(r"\s*(?:-\s+)?(?:trigger|when|event|branch|include|exclude)\s*:")


def _read(text: str) -> dict[str, _Pipeline]:
    """The pipelines of a file by their names; one that is alone needs none."""
    trees = [read_tree(part) for part in _DOCUMENTS.split(text) if part.strip()]
    found = [tree for tree in trees if child(tree, "steps") or child(tree, "pipeline")]
    return {
        _name(tree) if len(found) > 1 else "": _Pipeline(
            frozenset(command.kind for command in find_node_checks(tree)),
            frozenset().union(*(_events(each) for each in _triggers(tree))),
            _branches(_triggers(tree)),
        )
        for tree in found
    }


def _name(tree: Any) -> str:
    name = child(tree, "name")
    return str(name.value) if name is not None else ""


def _triggers(tree: Any) -> list[Any]:
    """Each of the conditions under which it starts; Woodpecker has a list of them."""
    told = child(tree, "trigger") or child(tree, "when")
    return told.value if told is not None and told.id == "sequence" else [told]


def _events(trigger: Any) -> frozenset[str]:
    told = child(trigger, "event")
    chosen, not_these = _chosen(told), words_of(child(told, "exclude"))
    return frozenset(
        event
        for event in _EVENTS
        if (not chosen or any(fnmatchcase(event, each) for each in chosen))
        and event not in not_these
    )


def _branches(triggers: list[Any]) -> frozenset[str]:
    every = [_chosen(child(each, "branch")) for each in triggers]
    return frozenset().union(*every) if all(every) else frozenset()


def _chosen(node: Any) -> frozenset[str]:
    """A text, a list, or the part of a mapping that says what is meant."""
    return frozenset(words_of(node) or words_of(child(node, "include")))


def _is_covered(
    sources: ComparisonInput, file: ComparedFile, kinds: frozenset[str], event: str
) -> bool:
    """Other pipelines of the project run for the event, and check as much."""
    paths = [path for path in sources.list_head() if PIPELINES.search(path)][:_MOST_READ]
    found = set[str]()
    for path, text in {**sources.read_head(paths), file.path: file.head}.items():
        if _PATH.search(path):
            pipelines = (each for each in _read(text).values() if event in each.events)
            found |= frozenset().union(*(each.kinds for each in pipelines))
        elif event in events_of(text):
            found |= {command.kind for command in find_checks(path, text)}
    return kinds <= found
