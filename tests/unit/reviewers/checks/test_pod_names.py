"""Names within workloads of Kubernetes that nothing has, and roles for everybody."""

import pytest

from reviewgate_gh.reviewers.checks import pod_names
from tests.unit.reviewers.checks.support import edited, on, short, sources

POD = """\
apiVersion: apps/v1
kind: StatefulSet
spec:
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      containers:
        - image: example/web:1
          ports: [{name: http, containerPort: 80}]
          volumeMounts:
            - {name: data, mountPath: /d}
            - {name: tmp, mountPath: /tmp}
          readinessProbe: {httpGet: {port: http}}
          livenessProbe: {tcpSocket: {port: 80}}
      volumes:
        - name: tmp
          hostPath: {path: /srv/depot}
  volumeClaimTemplates:
    - metadata: {name: data}
---
kind: Service
spec:
  selector: {app: web}
  ports: [{port: 80, targetPort: http}]
"""
BINDING = """\
kind: ClusterRoleBinding
roleRef:
  name: %s
subjects:
  - kind: %s
    name: %s
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", []),
        ("- {name: tmp,", "- {name: temp,", [("P1", "pod-volume", "a.yaml:12")]),
        ("metadata: {name: data}", "metadata: {name: date}", [("P1", "pod-volume", "a.yaml:11")]),
        ("- {name: tmp,", "- {name: '{{ tmp }}',", []),
        ("image: example/web:1", "name: web", []),
        ("{port: http}", "{port: web}", [("P1", "pod-port", "a.yaml:13")]),
        ("{port: http}", "{port: '8080'}", []),
        ("targetPort: http", "targetPort: web", [("P2", "pod-port", "a.yaml:24")]),
        ("targetPort: http", "targetPort: 8080", []),
        ("targetPort: http", "targetPort: web}]\n  selector: {app: other}\n  x: [{", []),
        ("/srv/depot", "/", [("P2", "pod-host-path", "a.yaml:17")]),
    ],
)
def test_workloads(old: str, new: str, found: list[tuple[str, str, str]]) -> None:
    text = POD.replace(old, new) if old else POD
    assert on(pod_names, "k8s/a.yaml", text) == [
        (priority, rule, f"k8s/{place}") for priority, rule, place in found
    ]
    assert on(pod_names, "overlays/a.yaml", text) == []


@pytest.mark.parametrize(
    ("role", "kind", "name", "found"),
    [
        ("cluster-admin", "Group", "system:unauthenticated", [("P1", "role-for-everybody")]),
        ("cluster-admin", "Group", "system:authenticated", [("P1", "role-for-everybody")]),
        ("secret-reader", "User", "system:anonymous", [("P2", "role-for-everybody")]),
        ("secret-reader", "Group", "system:authenticated", []),
        ("system:public-info-viewer", "Group", "system:unauthenticated", []),
        ("secret-reader", "Group", "developers", []),
        ("cluster-admin", "ServiceAccount", "ci", [("P3", "role-of-all-rights")]),
        ("cluster-admin", "Group", "admins", []),
    ],
)
def test_bindings(role: str, kind: str, name: str, found: list[tuple[str, str]]) -> None:
    text = BINDING % (role, kind, name)
    assert on(pod_names, "a.yaml", text) == [(*each, "a.yaml:6") for each in found]


@pytest.mark.parametrize(("verbs", "found"), [("['*']", True), ("[get, list]", False)])
def test_roles(verbs: str, found: bool) -> None:
    text = f"kind: ClusterRole\nx: rbac.a\nrules:\n- resources: ['*']\n  verbs: {verbs}\n"
    assert on(pod_names, "a.yaml", text) == [("P3", "role-of-all-rights", "a.yaml:4")] * found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = POD.replace("- {name: tmp,", "- {name: temp,")
    file = edited("a.yaml", "-apiVersion: v1", "+apiVersion: apps/v1")
    assert short(pod_names, sources(file, contents={"a.yaml": text})) == []
