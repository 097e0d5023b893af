"""KubeLinter: Kubernetes manifests; without settings of the project, what a cluster refuses. One
JSON document with absolute paths and without lines; nothing where no file holds an object.

https://github.com/stackrox/kube-linter/blob/main/pkg/command/lint/command.go
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "kube-linter"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # --output writes a file
CONFIG = (".kube-linter.yaml", ".kube-linter.yml")
DEFAULT_CONFIG: str | None = "kube-linter-defaults.yaml"
CLEAN_EXITS = (0, 1)  # 1 also where all that it says is about a part of another file
FOUND_EXITS = (1,)
FILES = ("*.yml", "*.yaml")
LANGUAGES: tuple[str, ...] = ()
VERSION = ("version",)
UNNUMBERED = "development"
INSTALL = "install it, see https://docs.kubelinter.io"

_LIKELY = (
    "duplicate-env-var", "invalid-target-ports", "mismatching-selector", "no-extensions-v1beta",
)  # fmt: skip
# Of a patch, which is a part of an object:
# https://kubernetes.io/docs/tasks/manage-kubernetes-objects/kustomization/
_OF_A_PART = "object has no selector specified"


def fits(path: str, head: bytes) -> bool:
    """Its name is none that a template engine fills in."""
    return "{{" not in path


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    return [program, "lint", *ours, *args, "--format=json"]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not KubeLinter's JSON, or cut short.
    """
    data = [*lines]
    if not data:
        return
    for row in _shared.json_document(data, _Document, "KubeLinter").reports or ():
        if row.diagnostic.message == _OF_A_PART:
            yield _shared.set_aside("kube-linter", row.diagnostic.message)
        else:
            yield _finding(row)


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at the object that it names."""
    kind, name, _words = (*finding.title.split(" ", 2), "", "")[:3]
    named = re.compile(rf"(?m)^\s*(?:- )?name:\s*[\"']?{re.escape(name.rstrip(':'))}[\"']?\s*$")
    is_kind = re.compile(rf"(?m)^[ \t]*(?:- )?kind:[ \t]*[\"']?{re.escape(kind)}[\"']?[ \t\r]*$")
    line = 1
    for document in re.split(r"(?m)^(?=---)", read().decode("utf-8", "replace")):
        found = is_kind.search(document)
        if found and named.search(document):
            at = line + document.count("\n", 0, found.start())
            return replace(finding, line_start=at, line_end=at)
        line += document.count("\n")
    return finding


class _Kind(Struct, frozen=True, rename="pascal"):
    kind: str


class _Identity(Struct, frozen=True, rename="pascal"):
    name: str
    group_version_kind: _Kind


class _Metadata(Struct, frozen=True, rename="pascal"):
    file_path: str


class _Object(Struct, frozen=True, rename={"metadata": "Metadata", "identity": "K8sObject"}):
    metadata: _Metadata
    identity: _Identity


class _Diagnostic(Struct, frozen=True, rename="pascal"):
    message: str


class _Report(Struct, frozen=True, rename="pascal"):
    diagnostic: _Diagnostic
    check: str
    object: _Object
    remediation: str = ""


class _Document(Struct, frozen=True, rename="pascal"):
    reports: tuple[_Report, ...] | None


def _finding(row: _Report) -> Finding:
    it = row.object.identity
    return strict.tool_finding(
        "kube-linter",
        row.check,
        Priority.P2 if row.check in _LIKELY else Priority.P3,
        _shared.tool_path(row.object.metadata.file_path, "FilePath"),
        (1, 1),
        f"{it.group_version_kind.kind} {it.name}: {row.diagnostic.message}",
        body=row.remediation,
    )
