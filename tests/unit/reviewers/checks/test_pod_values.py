"""Values that Kubernetes refuses."""

import pytest

from reviewgate_gh.reviewers.checks import pod_values
from tests.unit.reviewers.checks.support import edited, on, short, sources

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {app: web}
spec:
  template:
    metadata:
      annotations: {since: "12"}
    spec:
      containers:
        - image: example/web:1
          env:
            - {name: PORT, value: "8080"}
          resources:
            requests: {cpu: 100m, memory: 64Mi}
            limits: {cpu: "1", memory: 128Mi}
          ports: [{containerPort: 80}]
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("", "", 0),
        ('"8080"', "8080", 13),
        ('"8080"', "true", 13),
        ('"8080"', "1.5", 13),
        ('"8080"', "12:30", 0),
        ('"8080"', "eight", 0),
        ("app: web", "version: 1.0", 4),
        ('"12"', "12", 8),
        ("cpu: 100m", "cpu: 2", 15),
        ("64Mi", "1Gi", 15),
        ("64Mi", "64MB", 15),
        ("64Mi", "0.5e3", 0),
        ("cpu: 100m", "cpu: .5", 0),
        ("ports:", "port:", 17),
        ("resources:", "ressources:", 14),
        ("ports:", "x-ports:", 0),
        ("containers:", "tolerations: []\n      containers:", 0),
        ("containers:", "nodeselector: {}\n      containers:", 10),
        ("apps/v1", "'{{ a }}'\nb: 1", 0),
        ("apps/v1\nkind: Deployment", "backstage.io/v1\nkind: Component", 0),
    ],
)
def test_workloads(old: str, new: str, line: int) -> None:
    text = POD.replace(old, new, 1) if old else POD
    found = [("P1", "pod-value", f"k8s/a.yaml:{line}")] if line else []
    assert on(pod_values, "k8s/a.yaml", text) == found
    assert on(pod_values, "tests/a.yaml", text) == []


@pytest.mark.parametrize(("value", "found"), [("4", True), ("'4'", False), ("|\n  4", False)])
def test_maps_of_texts(value: str, found: bool) -> None:
    text = f"apiVersion: v1\nkind: ConfigMap\ndata:\n a: {value}\n"
    assert on(pod_values, "a.yaml", text) == [("P1", "pod-value", "a.yaml:4")] * found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = POD.replace('"8080"', "8080")
    file = edited("a.yaml", "-apiVersion: v1", "+apiVersion: apps/v1")
    assert short(pod_values, sources(file, contents={"a.yaml": text})) == []
