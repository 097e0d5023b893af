"""What a finding weighs in the copy of a library, or in what a program packed: nobody here writes
it, and what is odd there was published elsewhere."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...model.languages import detect_language, language_by_path
from ...text.patterns import lazy_pattern
from ._paths import is_document, is_foreign, is_manual, is_tests
from ._sources import CheckInput

_NOTE = "This file is a copy: where it came from, it is the same."
# Made there, or part of a text: a sign without a width, a password by its name alone, a sample
_OF_THE_LIBRARY = (
    "builtin/hidden-zero-width",
    "builtin/hidden-soft-hyphen",
    "builtin/hidden-control",
    "builtin/mixed-script",
    "builtin/json-duplicate-key",
    "builtin/yaml-duplicate-key",
    "builtin/html-repeated-id",
    "builtin/css-sum",
    "builtin/workflow-rights",
    "builtin/hooks",
    "builtin/code-owners",
)
# An edit breaks what worked
_SAMPLES = lazy_pattern(r"builtin/(?:conflict-marker|structure|[a-z]+-syntax)")
_OF_SECRETS, _PRIVATE_KEY = "builtin/secret-", "private-key"
_STARTERS = ("Batch", "Dockerfile", "Gradle", "Groovy", "Just", "Makefile", "PowerShell", "Shell",
             "Zsh")  # fmt: skip
_MANIFEST = "package.json"


def weigh_foreign(findings: Iterable[Finding], sources: CheckInput) -> Iterator[Finding]:
    """The findings; in a copy that no machine starts by itself, what says nothing of this project
    is a hint. A provider's secret, and what turns the order of a line around, are the same
    everywhere."""
    files = {file.path: file for file in sources.change.files}
    for finding in findings:
        file = files.get(finding.path)
        if (
            file is None
            or finding.priority is Priority.P3
            or not is_foreign(file.path)
            or not _is_of_the_library(finding, file)
            or sources.starts(file)
        ):
            yield finding
        else:
            yield replace(finding, priority=Priority.P3, body=f"{_NOTE} {finding.body}")


def _is_of_the_library(finding: Finding, file: FileDiff) -> bool:
    if finding.rule.startswith(_OF_SECRETS):
        kind = finding.rule.removeprefix(_OF_SECRETS)
        if kind == _PRIVATE_KEY:
            return is_document(file.path) or is_manual(file.path) or is_tests(file.path)
        return _is_generic(kind)
    if _SAMPLES.fullmatch(finding.rule):
        return file.status == "A"
    return finding.rule in _OF_THE_LIBRARY


def _is_generic(kind: str) -> bool:
    """A secret that has no provider's form, and that the project has not described."""
    from ...text.secrets.table import KINDS  # loaded by now: something was found

    return kind in KINDS and KINDS[kind].generic


def may_start(path: str) -> bool:
    """By its name a file whose commands a machine runs: pipelines, images, scripts."""
    return not is_foreign(path) and bool(
        language_by_path(path)
        or path.rpartition("/")[2] == _MANIFEST
        or detect_language(path, "", b"") in _STARTERS
    )
