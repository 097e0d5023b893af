"""What a template of a Helm chart asks for and the chart does not have: named templates, and values
that are one slip away from one.

https://helm.sh/docs/chart_template_guide/named_templates/
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ....model.finding import Finding, Priority
from ....text.keywords import is_one_slip
from ....text.patterns import lazy_pattern
from ....text.yaml import YamlError, compose
from ...checks._paths import is_fixture, is_tests
from ...checks._yaml_trees import MERGE, at, fields
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_TEMPLATE = ComparisonRule(
    "helm-template-missing",
    Priority.P1,
    "Helm fills in nothing of the chart. Correct the name, or define it.",
)
_VALUE = ComparisonRule(
    "helm-value-missing", Priority.P2, "It is empty, or stops Helm. Correct the name."
)
_WANTED = lazy_pattern(r"(?P<chart>(?:.*/)?)templates/.*\.(?:ya?ml|tpl|txt)\Z")
_INCLUDED = lazy_pattern(r"\{\{[^{}]{0,200}?\b(?:include|template)\s+\"(?P<name>[\w./-]+)\"")
_DEFINED = lazy_pattern(r"\{\{-?\s*(?:define|block)\s+[\"`](?P<name>[^\"`]+)[\"`]")
_ASKED = lazy_pattern(r"(?<![\w)])\$?\.Values\.(?P<path>[A-Za-z_][\w.]*)")
_LARGEST, _MOST_FILES, _MOST, _SHORTEST, _MOST_KEYS = 500_000, 100, 5, 3, 500


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most five findings a file."""
    for file in sources.files:
        found = _WANTED.match(file.path)
        if found and not (file.is_gone or is_fixture(file.path) or is_tests(file.path)):
            yield from islice(_in_file(sources, file, found["chart"]), _MOST)


def _in_file(sources: ComparisonInput, file: ComparedFile, chart: str) -> Iterator[Finding]:
    lines = [line for line in file.added if "{{" in line.text]
    if not lines or f"{chart}Chart.yaml" not in sources.list_head():
        return
    yield from _templates(sources, file, chart, lines)
    values = _values(sources, chart)
    if values is not None:
        for line in lines:
            for found in _ASKED.finditer(line.text):
                if meant := _slip(values, found["path"].rstrip(".").split(".")):
                    title = f"the chart has no value `{found['path'][:80]}` (there is `{meant}`)"
                    yield put(_VALUE, file, line, title)


def _templates(
    sources: ComparisonInput, file: ComparedFile, chart: str, lines: list[Line]
) -> Iterator[Finding]:
    used = {found["name"]: line for line in lines for found in _INCLUDED.finditer(line.text)}
    texts = _own_templates(sources, chart) if used else None
    if texts is None:
        return
    defined = {name for text in texts.values() for name in _DEFINED.findall(text)}
    for name, line in used.items():
        # One may fill in a file of the chart by its path
        if name not in defined and not any(path.endswith(name) for path in texts):
            yield put(_TEMPLATE, file, line, f"no template of the chart has the name `{name}`")


def _own_templates(sources: ComparisonInput, chart: str) -> Mapping[str, str] | None:
    """The templates of a chart by path; None where others may define more: the chart around it, one
    that it depends on or holds."""
    above, inner, _name = chart.rpartition("charts/")
    if inner and f"{above}Chart.yaml" in sources.list_head():
        return None
    inside = [path for path in sources.list_head() if path.startswith(chart)]
    own = [path for path in inside if path.startswith(f"{chart}templates/")]
    if len(own) > _MOST_FILES or any(
        path.startswith(f"{chart}charts/") or "requirements.yaml" in path for path in inside
    ):
        return None
    about = f"{chart}Chart.yaml"
    texts = {**sources.read_head([about, *own])}
    depends = "dependencies:" in texts.pop(about, "")
    return None if depends or len(texts) < len(own) else texts


def _values(sources: ComparisonInput, chart: str) -> Any:
    text = sources.read_head([f"{chart}values.yaml"]).get(f"{chart}values.yaml", "")
    if not text or len(text) > _LARGEST:
        return None
    try:
        return compose(text)
    except (YamlError, RecursionError):
        return None


def _slip(values: Any, path: list[str]) -> str:
    """The value that is meant; "" where the chart has it, or nothing like it."""
    known: list[str] = []
    for name in path:
        keys: Mapping[str, Any] = fields(values)
        if name not in keys:
            near = (
                []
                if MERGE in keys or len(keys) > _MOST_KEYS
                else [each for each in keys if _is_near(name, each, path)]
            )
            return ".".join([*known, near[0]]) if near else ""
        known.append(name)
        values = at(values, name)
    return ""


def _is_near(name: str, other: str, path: list[str]) -> bool:
    """A plural beside its singular may be another value."""
    is_plural = name.rstrip("s") == other.rstrip("s")
    return (
        other not in path
        and min(len(name), len(other)) >= _SHORTEST
        and not is_plural
        and is_one_slip(name, other)
    )
