"""Values of a workload that Kubernetes refuses: numbers where it wants texts, requests above their
limits, fields with a slip.

https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#container-v1-core
"""

from collections.abc import Iterator
from typing import Any

from ...model.finding import Finding, Priority
from ...text.keywords import is_one_slip
from ...text.patterns import lazy_pattern
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._yaml_trees import at, documents, fields, items, line_of, text_of
from .pod_names import is_wanted, pod_of

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST = 200_000
_WORDS = (b"containers:", b"kind: ConfigMap", b"annotations:", b"labels:")
_OTHERS = "backstage.io"  # the same form for something else
_NO_TEXT = ("int", "float", "bool")
_UNITS = {"m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20,
          "Gi": 2**30, "Ti": 2**40}  # fmt: skip
_AMOUNT = lazy_pattern(r"(?P<number>\d{1,15}(?:\.\d{1,9})?)(?P<unit>m|k|[KMGT]i?|)")
_QUANTITY = lazy_pattern(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+|[munkMGTPE]|[KMGTPE]i)?")
_CONTAINER = """name image command args workingDir ports env envFrom volumeMounts volumeDevices
    livenessProbe readinessProbe startupProbe lifecycle resources securityContext imagePullPolicy
    terminationMessagePath terminationMessagePolicy stdin stdinOnce tty restartPolicy
    resizePolicy"""
_POD = """containers initContainers ephemeralContainers volumes restartPolicy nodeSelector
    serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID
    hostIPC securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations
    hostAliases priorityClassName priority dnsConfig dnsPolicy readinessGates runtimeClassName
    enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os
    hostUsers schedulingGates resourceClaims terminationGracePeriodSeconds activeDeadlineSeconds
    shareProcessNamespace resources"""

_Found = tuple[Any, str]


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a value."""
    return new_problems(sources, is_wanted, _problems, _LARGEST)


def _problems(_path: str, data: bytes) -> Iterator[Problem]:
    if b"{{" in data or b"apiVersion" not in data or not any(word in data for word in _WORDS):
        return
    for root, before in documents(data.decode("utf-8", "replace")):
        pod = pod_of(root)
        found = [*_metadata(root)]
        if text_of(at(root, "kind")) in ("ConfigMap", "Secret"):
            found += _not_texts(at(root, "data"), "the data")
        if pod is not None:
            found += _slips(pod, _POD)
            for kind in ("containers", "initContainers"):
                for container in items(at(pod, kind)):
                    found += _in_container(container)
        for node, title in found:
            body = "Kubernetes refuses it, or drops what it does not know."
            yield Problem("pod-value", before + line_of(node), title, body, Priority.P1)


def _metadata(root: Any) -> Iterator[_Found]:
    if text_of(at(root, "kind")) and _OTHERS not in text_of(at(root, "apiVersion")):
        for key in ("labels", "annotations"):
            yield from _not_texts(at(root, "metadata", key), f"the {key}")
            inner = at(root, "spec", "template", "metadata", key)
            yield from _not_texts(inner, f"the pod's {key}")


def _not_texts(node: Any, where: str) -> Iterator[_Found]:
    for key, value in fields(node).items():
        if _is_no_text(value):
            shown = text_of(value)[:40]
            yield value, f"`{key[:60]}` of {where} is no text: write '{shown}'"


def _is_no_text(node: Any) -> bool:
    """Times such as `12:30` are numbers of YAML 1.1, and texts for Kubernetes."""
    is_number = node.id == "scalar" and node.tag.rpartition(":")[2] in _NO_TEXT
    return is_number and ":" not in node.value


def _in_container(container: Any) -> Iterator[_Found]:
    yield from _slips(container, _CONTAINER)
    for each in items(at(container, "env")):
        name, value = text_of(at(each, "name")), at(each, "value")
        if value is not None and _is_no_text(value):
            shown = text_of(value)[:40]
            yield value, f"the variable `{name[:60]}` is no text: write '{shown}'"
    requests, limits = (fields(at(container, "resources", key)) for key in ("requests", "limits"))
    for key, value in [*requests.items(), *limits.items()]:
        if text_of(value) and not _QUANTITY.fullmatch(text_of(value)):
            yield value, f"`{text_of(value)[:40]}` is no amount of {key[:40]}"
    for key in requests.keys() & limits.keys():
        asked, most = (_amount(text_of(each[key])) for each in (requests, limits))
        if asked is not None and most is not None and asked > most:
            yield requests[key], f"the request of {key[:40]} is above its limit"


def _amount(text: str) -> float | None:
    found = _AMOUNT.fullmatch(text)
    return (
        float(found["number"]) * _UNITS[found["unit"]]
        if found and found["unit"] in _UNITS
        else None
    )


def _slips(node: Any, known: str) -> Iterator[_Found]:
    names = known.split()
    for key, _ in node.value if node.id == "mapping" else ():
        word = text_of(key)
        if word and word not in names:
            meant = next((name for name in names if _is_meant(word, name)), "")
            if meant:
                yield key, f"there is no field `{word[:40]}` here (there is `{meant}`)"


def _is_meant(word: str, name: str) -> bool:
    return len(name) > 2 and (word.lower() == name.lower() or is_one_slip(word, name))
