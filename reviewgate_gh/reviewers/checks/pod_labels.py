"""Workloads of Kubernetes that select other pods than they make: the cluster refuses them.

https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#selector
"""

from collections.abc import Iterator
from typing import Any

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.visible import show_hidden
from ._paths import is_fixture, is_tests
from ._sources import CheckInput, content_at_base, shown_line_number
from ._yaml_trees import at, documents, items

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST, _LONGEST = 200_000, 60
_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
_WORDS = (b"matchLabels", b"template", b"containers")


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a workload, where the base had none such."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or not file.path.endswith((".yml", ".yaml")):
            continue
        if is_fixture(file.path) or is_tests(file.path):
            continue
        found = _unmatched(data)
        old = _unmatched(content_at_base(file, data)) if found and file.status != "A" else {}
        for (name, label), line in found.items():
            if (name, label) not in old:
                yield _finding(file, name, label, line)


def _unmatched(data: bytes) -> dict[tuple[str, str], int]:
    """Workloads and a label each that they select and do not give, with its line; none of a
    template, which holds values that are not known here."""
    if len(data) > _LARGEST or b"{{" in data or not all(word in data for word in _WORDS):
        return {}
    found = {}
    for document, before in documents(data.decode("utf-8", "replace")):
        if missed := _missed(document):
            name, label, line = missed
            found[name, label] = line + before
    return found


def _missed(document: Any) -> tuple[str, str, int] | None:
    kind, name = at(document, "kind"), at(document, "metadata", "name")
    selected = _labels(at(document, "spec", "selector", "matchLabels"))
    given = _labels(at(document, "spec", "template", "metadata", "labels"))
    if getattr(kind, "value", "") not in _KINDS or not selected or not given:
        return None
    if not _is_whole(at(document, "spec", "template", "spec", "containers")):
        return None
    for label, (value, line) in selected.items():
        if given.get(label, ("", 0))[0] != value:
            where = given[label][1] if label in given else line
            return str(getattr(name, "value", "")), f"{label}: {value}", where
    return None


def _is_whole(containers: Any) -> bool:
    """No patch of another file, which holds a part of what there will be."""
    images = [at(each, "image") for each in items(containers)]
    return bool(images) and None not in images


def _labels(node: Any) -> dict[str, tuple[str, int]]:
    """Names with their values and lines; none where some come from elsewhere."""
    if node is None or node.id != "mapping":
        return {}
    if any(name.value == "<<" or value.id != "scalar" for name, value in node.value):
        return {}
    return {name.value: (value.value, name.start_mark.line + 1) for name, value in node.value}


def _finding(file: FileDiff, name: str, label: str, line: int) -> Finding:
    name, label = (show_hidden(text[:_LONGEST]) for text in (name, label))
    line = shown_line_number(file, line)
    return Finding(
        Priority.P2,
        "correctness",
        "builtin/pod-labels",
        file.path,
        line,
        line,
        f"{name!r} selects pods with `{label}`, and its own have no such label",
        "Kubernetes refuses it: the labels of the template must hold those of `matchLabels`.",
    )
