"""Labels that a workload selects and does not give."""

import pytest

from reviewgate_gh.reviewers.checks import pod_labels
from tests.unit.reviewers.checks.support import edited, on, short, sources

_TEXT = """\
kind: {kind}
metadata: {{name: api}}
spec:
  selector:
    matchLabels: {{app: api}}
  template:
    metadata:
      labels:
        app: {label}
    spec:
      containers:
        - {container}
"""
_CONTAINER = "image: example/api:2.1.0"
_FOUND = [("P2", "pod-labels", "a.yaml:9")]


def text(kind: str = "Deployment", label: str = "api", container: str = _CONTAINER) -> str:
    return _TEXT.format(kind=kind, label=label, container=container)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (text(label="backend"), _FOUND),
        (text(), []),
        (text(label="api\n        tier: web"), []),
        (text(kind="Rollout", label="backend"), []),
        (text(label="backend", container="name: api"), []),
        (text(label="'{{ app }}'"), []),
        (text().replace("matchLabels: {app: api}", "matchLabels: {app: api, tier: web}"),
         [("P2", "pod-labels", "a.yaml:5")]),
        (text(label="backend").replace("matchLabels: {app", "matchLabels: {<<: *a, app"), []),
        ("[" * 100_000 + "matchLabels template containers", []),
    ],
)  # fmt: skip
def test_labels(content: str, found: list[tuple[str, str, str]]) -> None:
    assert on(pod_labels, "a.yaml", content) == found
    assert on(pod_labels, "tests/a.yaml", content) == []


def test_each_document_stands_for_itself() -> None:
    content = f"---\n{text()}---\n{text(label='backend')}"
    assert on(pod_labels, "a.yaml", content) == [("P2", "pod-labels", "a.yaml:23")]


@pytest.mark.parametrize(("base", "found"), [("api", _FOUND), ("back", [])])
def test_what_the_base_has_is_no_news(base: str, found: list[tuple[str, str, str]]) -> None:
    file = edited("a.yaml", f"-        app: {base}", "+        app: backend", start=9)
    given = sources(file, contents={"a.yaml": text(label="backend")})
    assert short(pod_labels, given) == found
