"""Names within a workload of Kubernetes that nothing has: volumes that are mounted, ports that are
asked. And roles that are given to everybody.

https://kubernetes.io/docs/concepts/storage/volumes/, https://kubernetes.io/docs/reference/access-authn-authz/rbac/
"""

from collections.abc import Iterator
from typing import Any

from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_tests
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._yaml_trees import at, documents, fields, items, line_of, text_of

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST = 200_000
_WORDS = (b"volumeMounts", b"Probe", b"targetPort", b"RoleBinding", b"rbac.", b"hostPath")
# Other tools fill it in, or change it
_IS_PART = lazy_pattern(r"(?:^|/)(?:overlays?|patch\w*|components)/|patch[^/]*\.ya?ml$")
# By the kind, the way to the pod
_PODS = {
    "Pod": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
} | dict.fromkeys(
    ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), ("spec", "template", "spec")
)
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_GROUPS = {
    "system:anonymous": "who is not signed in",
    "system:unauthenticated": "who is not signed in",
    "system:authenticated": "who is signed in",
    "system:serviceaccounts": "with a service account",
}
_STRONG = ("cluster-admin", "admin", "edit")
# What the cluster itself shows to all:
# https://kubernetes.io/docs/reference/access-authn-authz/rbac/#discovery-roles
_PUBLIC = lazy_pattern(r"^(?:system:|kubeadm:)|discovery|info|health|metrics|jwks|oidc")


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a name."""
    return new_problems(sources, is_wanted, _problems, _LARGEST)


def is_wanted(path: str) -> bool:
    """A whole file of a cluster by its path: no test, and no part that a tool puts into another."""
    if is_fixture(path) or is_tests(path):
        return False
    return path.endswith((".yml", ".yaml")) and not _IS_PART.search(path)


def _problems(_path: str, data: bytes) -> Iterator[Problem]:
    """None of a template, and of what is put together from parts."""
    if b"{{" in data or b"<<:" in data or not any(word in data for word in _WORDS):
        return
    roots = [*documents(data.decode("utf-8", "replace"))]
    pods = [_labels_and_ports(root, pod) for root, _ in roots if (pod := pod_of(root)) is not None]
    for root, before in roots:
        found = [*_in_pod(root), *_in_service(root, pods), *_in_binding(root), *_in_role(root)]
        for node, rule, title, body, priority in found:
            area = "correctness" if rule in _MISSING else "security"
            yield Problem(rule, before + line_of(node), title, body, priority, area)


_MISSING = ("pod-volume", "pod-port")
_CONTAINERS = ("containers", "initContainers")
_Found = tuple[Any, str, str, str, Priority]
_Pod = tuple[dict[str, str], set[str]]  # its labels, and the names of its ports


def pod_of(root: Any) -> Any:
    """The pod that a document describes as a whole; None for none."""
    way = _PODS.get(text_of(at(root, "kind")))
    pod = at(root, *way) if way else None
    images = [at(each, "image") for each in items(at(pod, "containers"))]
    return pod if images and None not in images else None


def _in_pod(root: Any) -> Iterator[_Found]:
    pod = pod_of(root)
    if pod is None:
        return
    volumes = {text_of(at(each, "name")) for each in items(at(pod, "volumes"))}
    claims = items(at(root, "spec", "volumeClaimTemplates"))
    volumes |= {text_of(at(each, "metadata", "name")) for each in claims}
    for kind in _CONTAINERS:
        for container in items(at(pod, kind)):
            for mount in items(at(container, "volumeMounts")):
                name = at(mount, "name")
                if text_of(name) and text_of(name) not in volumes:
                    title = f"the pod mounts `{text_of(name)}`, and has no such volume"
                    yield name, "pod-volume", title, "Kubernetes refuses it.", Priority.P1
            yield from _probed(container)
    for volume in items(at(pod, "volumes")):
        path = at(volume, "hostPath", "path")
        if text_of(path) in _HOST:
            title = f"the pod gets the host's `{text_of(path)}`"
            body = "What can write there controls the host. Mount only the folder that is needed."
            yield path, "pod-host-path", title, body, Priority.P2


_HOST = ("/", "/etc", "/root", "/var/lib/kubelet", "/etc/kubernetes", "/var/lib/docker")


def _probed(container: Any) -> Iterator[_Found]:
    names = _port_names(container)
    for probe in _PROBES:
        for way in ("httpGet", "tcpSocket"):
            port = at(container, probe, way, "port")
            if _is_name(port) and port.value not in names:
                title = f"`{probe}` asks the port `{port.value}`, and the container has none"
                body = "The probe always fails. Name the port, or correct its name."
                yield port, "pod-port", title, body, Priority.P1


def _port_names(container: Any) -> set[str]:
    return {text_of(at(port, "name")) for port in items(at(container, "ports"))}


def _is_name(port: Any) -> bool:
    return bool(text_of(port)) and not text_of(port).isdecimal() and "$" not in text_of(port)


def _labels_and_ports(root: Any, pod: Any) -> _Pod:
    containers = [each for kind in _CONTAINERS for each in items(at(pod, kind))]
    names = {name for each in containers for name in _port_names(each)}
    return _texts(at(root, "spec", "template", "metadata", "labels")), names


def _in_service(root: Any, pods: list[_Pod]) -> Iterator[_Found]:
    """Of a service that selects pods of the same file."""
    selected = _texts(at(root, "spec", "selector"))
    if text_of(at(root, "kind")) != "Service" or not selected:
        return
    chosen = [names for labels, names in pods if selected.items() <= labels.items()]
    names = set[str]().union(*chosen)
    for each in items(at(root, "spec", "ports")):
        port = at(each, "targetPort")
        if chosen and _is_name(port) and port.value not in names:
            title = f"the service leads to the port `{port.value}`, and its pods have none"
            yield port, "pod-port", title, "Nothing answers there. Correct the name.", Priority.P2


def _texts(node: Any) -> dict[str, str]:
    return {key: text_of(value) for key, value in fields(node).items()}


def _in_binding(root: Any) -> Iterator[_Found]:
    """Roles that are given to everybody."""
    role = text_of(at(root, "roleRef", "name"))
    if text_of(at(root, "kind")) not in ("ClusterRoleBinding", "RoleBinding") or not role:
        return
    for subject in items(at(root, "subjects")):
        name = at(subject, "name")
        who = _GROUPS.get(text_of(name), "")
        is_open = "not" in who
        if who and (role in _STRONG or (is_open and not _PUBLIC.search(role))):
            title = f"everybody {who} gets the role `{role}`"
            body = "Bind the role to those who need it."
            priority = Priority.P1 if role in _STRONG else Priority.P2
            yield name, "role-for-everybody", title, body, priority
        elif role == "cluster-admin" and text_of(at(subject, "kind")) == "ServiceAccount":
            title = f"`{text_of(name)}` may do everything in the cluster"
            body = "Whoever gets into its pod has the cluster. Give it the rights that it needs."
            yield name, "role-of-all-rights", title, body, Priority.P3


def _in_role(root: Any) -> Iterator[_Found]:
    if text_of(at(root, "kind")) not in ("ClusterRole", "Role"):
        return
    for rule in items(at(root, "rules")):
        resources, verbs = (at(rule, key) for key in ("resources", "verbs"))
        if all("*" in map(text_of, items(each)) for each in (resources, verbs)):
            title = "this role may do everything with everything"
            body = "Name the resources and the verbs that it needs."
            yield resources, "role-of-all-rights", title, body, Priority.P3
            return
