"""Versions and systems that a pipeline, or what it runs, tested and tests no more."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._workflows import read_tree
from .._guards import loss_is_explained
from .._pipelines import (
    PIPELINES,
    bare_text,
    find_node_checks,
    is_readable,
    runs_for_changes,
)
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput
from ._tested_versions import is_among, system_of, weigh_version

EVERY_FILE = True
_RULE = ComparisonRule(
    "ci-matrix-reduced",
    Priority.P2,
    "Later changes may break it unnoticed. Test it again, or say in the manifest that it is no "
    "longer supported.",
)
# Shards are parts of one run, and fewer of them leave nothing out
_AXIS = lazy_pattern(
    r"(?i)python|^py|node|ruby|^rvm$|php|java|jdk|^go\b|go[-_]|golang|rust|toolchain|dotnet|version"
    r"|^os\b|[-_]os$|platform|runs[-_]on|runner|machine|system|django|rails|laravel|symfony|react"
    r"|postgres|mysql|mariadb|database|^db|image|vmimage|executor|elixir|otp|perl|scala"
)
_TRAVIS = (
    "python", "rvm", "node_js", "php", "go", "jdk", "os", "rust", "elixir", "otp_release", "dotnet",
    "perl", "scala",
)  # fmt: skip
# Its values are worked out while it runs
_WORKED_OUT = lazy_pattern(r"fromJSON|\$\{\{|<<\s*pipeline|\$\[")
_MOST_READ = 50  # pipelines
# The usual names for what is tested without holding anything back
_MAY_FAIL = lazy_pattern(
    r"(?i)experimental|allow\w*[-_]?fail|continue[-_]on[-_]error|optional|(?:may|can)[-_]?fail"
)
_CALLED = lazy_pattern(r"(?m)^(?:tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py)$")
# https://tox.wiki/en/latest/config.html#generative-environment-list, https://hatch.pypa.io/latest/
# config/environment/advanced/#matrix, https://nox.thea.codes/en/stable/config.html
_LISTS = lazy_pattern(
    r"(?m)^(?:env_?list|tox_envlist)\s*=(?P<tox>(?:[^\n]*|\n[ \t]+)+)"
    r"|(?:\bpython\s*=|(?<![\w-])PYTHON_?VERSIONS?\b[^=\n]*=)\s*(?P<list>[\[(][^\])]*[\])])"
)
_IN_TOX = lazy_pattern(
    r"py(?P<major>\d)\.?(?:\{(?P<minors>[\d,\s-]+)\}|(?P<minor>\d+))|py\{(?P<both>[^}]*)\}"
)


class _Job(NamedTuple):
    """A job: the part of a pipeline that has its matrix, and the one that says what it runs."""

    given: Any
    runs: Any


class _Axis(NamedTuple):
    """The values that one axis of a job has, each with its line."""

    name: str
    values: Mapping[str, int]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.removed:
            continue
        if _CALLED.match(file.path):
            yield from islice(_in_environments(sources, file), 1)
        elif PIPELINES.search(file.path) and is_readable(file.path, file.head):
            yield from islice(_in_pipeline(sources, file), 1) if runs_for_changes(file.base) else []


def _in_environments(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """What runs the tests is given fewer versions of Python."""
    before, after = _pythons(file.base), _pythons(file.head)
    if {*after.values} < {*before.values}:
        yield from _shrunk(sources, file, before, after, _named_in_pipelines(sources, before))


def _named_in_pipelines(sources: ComparisonInput, axis: _Axis) -> Iterator[str]:
    """The versions of Python that a pipeline asks for by itself, whatever runs when nothing is
    asked for: `TOXENV=py38-latest`."""
    texts = [bare_text(text) for text in _pipelines_now(sources).values()]
    for value in axis.values:
        name = re.escape(value.replace(".", ""))
        if any(re.search(rf"\bpy{name}(?!\d)", text) for text in texts):
            yield value


def _pythons(text: str) -> _Axis:
    values = dict[str, int]()
    for found in _LISTS.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        for at, row in enumerate(found[0].split("\n"), line):
            for version in _in_row(row) if found["tox"] else re.findall(r"[\"'](3\.\d+)[\"']", row):
                values.setdefault(version, at)
    return _Axis("Python", values)


def _in_row(row: str) -> Iterator[str]:
    for found in _IN_TOX.finditer(row):
        if both := found["both"]:
            yield from (f"{each[0]}.{each[1:]}" for each in re.findall(r"\d{2,3}", both))
        else:
            minors = re.findall(r"\d+", found["minors"] or found["minor"])
            yield from (f"{found['major']}.{minor}" for minor in minors)


def _in_pipeline(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A job that tests does so for fewer values of an axis, and no other job has these."""
    before, after = (_jobs(read_tree(text)) for text in (file.base, file.head))
    left = {value for job in after.values() for axis in _axes(job) for value in axis.values}
    for name, job in before.items():
        now = after.get(name)
        if now is None or not any(each.kind == "tests" for each in find_node_checks(job.runs)):
            continue
        axes = {axis.name: axis for axis in _axes(now)}
        rows = file.head_rows[now.runs.start_mark.line : now.runs.end_mark.line]
        for axis in _axes(job):
            named = {value: 0 for value in axis.values if _is_named(value, rows)}
            new = axes.get(axis.name) or _Axis(axis.name, named)
            # `${{ matrix.os || 'ubuntu-latest' }}`
            fallen = {value: 0 for value in axis.values if _is_fallback(value, rows)}
            new = _Axis(axis.name, {**new.values, **fallen})
            yield from _shrunk(sources, file, axis, new, left)


def _pipelines_now(sources: ComparisonInput) -> Mapping[str, str]:
    paths = [path for path in sources.list_head() if PIPELINES.search(path)]
    return sources.read_head(sorted(paths)[:_MOST_READ])


def _tested_elsewhere(sources: ComparisonInput, file: ComparedFile) -> Iterator[str]:
    """What other pipelines, or new jobs of this one, run tests with."""
    known = _jobs(read_tree(file.base)) if PIPELINES.search(file.path) else {}
    for path, text in _pipelines_now(sources).items():
        yield from _values_of_tests(text, known if path == file.path else ())


def _values_of_tests(text: str, but_for: Collection[str] = ()) -> Iterator[str]:
    """All values of the axes with which a pipeline runs tests, and the machines that it names, but
    for some jobs."""
    for name, job in _jobs(read_tree(text)).items() if text else ():
        # What only its name calls a check may well be a test
        tests = any(each.kind in ("tests", "check") for each in find_node_checks(job.runs))
        if tests and name not in but_for:
            yield from (value for axis in _axes(job) for value in axis.values)
            for step in _items(_keys(job.runs).get("steps")):
                given = _pairs(_keys(step).get("with"))
                yield from (v.value for key, v in given if "version" in key and v.id == "scalar")
            machine = _keys(job.runs).get("runs-on")
            if machine is not None and machine.id == "scalar":
                yield machine.value


def _shrunk(
    sources: ComparisonInput, file: ComparedFile, old: _Axis, new: _Axis, left: Iterable[str]
) -> Iterator[Finding]:
    """What the axis lost where it gained nothing."""
    if not new.values or {*new.values} - {*old.values}:
        return
    elsewhere = {*_tested_elsewhere(sources, file)}
    systems = {*map(system_of, elsewhere)} - {""}
    kept = {*new.values, *left, *elsewhere}
    lost = (value for value in old.values if value not in kept)
    for value in (value for value in lost if not is_among(old.name, value, elsewhere)):
        doubt, what = weigh_version(sources, old.name, value, new.values)
        line = next((line for line in file.removed if line.number == old.values[value]), None)
        if doubt is None or line is None or what in systems or _is_given_up(sources, file, value):
            continue
        block = next(block for block in file.blocks if line in block.removed)
        rule = hint(_RULE, doubt) if doubt else _RULE
        rule = hint(rule) if loss_is_explained(file, block) else rule
        title = f"the tests no longer run with {what}"
        yield taken(rule, file, line, title, quoted(", ".join(new.values)))


def _is_fallback(value: str, rows: Iterable[str]) -> bool:
    return any(re.search(rf"\|\|\s*['\"]{re.escape(value)}['\"]", row) for row in rows)


def _is_given_up(sources: ComparisonInput, file: ComparedFile, value: str) -> bool:
    """The change takes it out of another file as well: the manual, the checks of a branch."""
    return any(
        _is_named(value, [line.text])
        for each in sources.files
        if each is not file and not (PIPELINES.search(each.path) or _CALLED.match(each.path))
        for line in each.removed
    )


def _is_named(value: str, rows: Iterable[str]) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", row) for row in rows)


def _jobs(node: Any) -> dict[str, _Job]:
    """The jobs of a pipeline by name, however its service writes them; the whole of Travis's."""
    root = _keys(node)
    jobs = _keys(root["jobs"]) if "jobs" in root else root
    found = {name: _Job(job, job) for name, job in jobs.items() if job.id == "mapping"}
    for value in (each for name in ("jobs", "stages") for each in _items(root.get(name))):
        for each in [value, *_items(_keys(value).get("jobs"))]:  # of Azure
            if "job" in _keys(each):
                found[str(_keys(each)["job"].value)] = _Job(each, each)
    for workflow, value in _keys(root.get("workflows")).items():  # of CircleCI
        for name, given in (
            pair for each in _items(_keys(value).get("jobs")) for pair in _pairs(each)
        ):
            if name in jobs:
                found[f"{workflow} {name}"] = _Job(given, jobs[name])
    return found | {"": _Job(node, node)} if not {*_TRAVIS}.isdisjoint(root) else found


def _axes(job: _Job) -> Iterator[_Axis]:
    """The axes of a job: of GitHub and Azure below `strategy`, of GitLab below `parallel`, of
    CircleCI in the workflow, of Travis its own keys. None where they are worked out.
    https://docs.github.com/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
    https://docs.gitlab.com/ci/yaml/#parallelmatrix, https://docs.travis-ci.com/user/build-matrix/
    https://circleci.com/docs/guides/orchestrate/using-matrix-jobs/
    """
    values: dict[str, dict[str, int]] = {}
    for name, node in _given(_keys(job.given)):
        _add(values, name, node)
    for name, lines in values.items():
        if _AXIS.search(name) and not any(map(_WORKED_OUT.search, lines)):
            yield _Axis(name, lines)


def _given(keys: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a job says of its axes, in the words of each service."""
    included = [_keys(keys.get(each)).get("include") for each in ("matrix", "jobs")]
    runs = [keys, *(_keys(item) for every in included for item in _items(every))]
    for name in _TRAVIS:
        yield from ((name, each[name]) for each in runs if name in each)
    matrix = _keys(keys.get("strategy")).get("matrix") or _keys(keys.get("parallel")).get("matrix")
    matrix = matrix or _keys(keys.get("matrix")).get("parameters")
    for name, value in (pair for each in _items(matrix) or [matrix] for pair in _pairs(each)):
        yield from _pairs(value)  # of Azure
        if name == "include":
            yield from (pair for each in _of_new_runs(matrix, value) for pair in each)
        elif name != "exclude":
            yield name, value


def _of_new_runs(matrix: Any, included: Any) -> Iterator[Iterable[tuple[str, Any]]]:
    """The entries that bring a run; one whose values the matrix has gives its runs more keys."""
    own = dict[str, dict[str, int]]()
    for name, value in _pairs(matrix):
        if name not in ("include", "exclude"):
            _add(own, name, value)
    for item in _items(included):
        pairs = _pairs(item)
        if any(_MAY_FAIL.search(name) and value.value == "true" for name, value in pairs):
            continue
        told = [(own[name], value.value) for name, value in pairs if name in own]
        if not told or not all(value in values for values, value in told):
            yield pairs


def _add(values: dict[str, dict[str, int]], name: str, node: Any) -> None:
    for each in _items(node) or [node]:
        if each is not None and each.id == "scalar":
            values.setdefault(name, {}).setdefault(str(each.value), each.start_mark.line + 1)


def _keys(node: Any) -> dict[str, Any]:
    if node is None or node.id != "mapping":
        return {}
    return {key.value: value for key, value in node.value if key.id == "scalar"}


def _pairs(node: Any) -> Iterable[tuple[str, Any]]:
    return _keys(node).items()


def _items(node: Any) -> list[Any]:
    return [*node.value] if node is not None and node.id == "sequence" else []
