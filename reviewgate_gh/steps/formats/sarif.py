"""SARIF 2.1.0: every run of a report, all or nothing."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...model.finding import Finding, State
from .. import strict
from ..suppress import IN_SOURCE
from . import _sarif_rules
from ._sarif_paths import Places
from ._sarif_rules import Plain, Rules

_NOT_FOUND = ("pass", "notApplicable")


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings of all runs; paths below the absolute folder `root` become relative, a result without a place has path "".

    Raises:
        ValueError: not SARIF 2.1.0, cut short, or a run that failed or scanned nothing.
    """
    top = strict.obj(strict.load(strict.decode(data, "SARIF"), "SARIF", unique=True), "SARIF")
    if top.get("version") != "2.1.0":
        raise ValueError(f"not SARIF 2.1.0: version is {strict.one_line(repr(top.get('version')), 40)}")
    runs = strict.arr(top.get("runs"), "runs")
    if not runs:
        raise ValueError("the report contains no runs: nothing was scanned")
    return [found for number, run in enumerate(runs, 1) for found in _run(strict.obj(run, f"run {number}"), number, root)]


def _run(run: Plain, number: int, root: str) -> Iterator[Finding]:
    rules, places = Rules(strict.obj(run.get("tool"), f"run {number}: tool")), Places(run, root)
    for invocation in strict.arr(run.get("invocations") or [], f"run {number}: invocations"):
        _went_well(strict.obj(invocation, f"run {number}: invocation"), f"run {number}: invocation", rules.name)
    if strict.obj(run.get("externalPropertyFileReferences") or {}, f"run {number}: externalPropertyFileReferences").get("results"):
        raise ValueError(f"run {number}: its results are in other files, which are not read")
    if run.get("results") is None:
        raise ValueError(f"run {number}: no list of results: nothing was scanned")
    for at, value in enumerate(strict.arr(run["results"], f"run {number}: results"), 1):
        result = strict.obj(value, f"run {number}: result {at}")
        if result.get("kind") not in _NOT_FOUND and result.get("baselineState") != "absent":
            yield _finding(result, rules, places, f"run {number}, result {at}")


def _went_well(invocation: Plain, where: str, tool: str) -> None:
    """A notification of level error says, as SARIF defines it, that results are missing or wrong."""
    if invocation.get("executionSuccessful", True) is not True:
        raise ValueError(f"{tool}: the tool says its run failed")
    for key in ("toolExecutionNotifications", "toolConfigurationNotifications"):
        for row in strict.arr(invocation.get(key) or [], f"{where}: {key}"):
            told = strict.obj(row, f"{where}: {key}")
            if told.get("level") == "error":
                words = strict.obj(told.get("message") or {}, f"{where}: {key}").get("text") or "no reason given"
                raise ValueError(f"{tool}: the tool says that results are missing: {strict.one_line(strict.string(words, where))}")


def _finding(result: Plain, rules: Rules, places: Places, where: str) -> Finding:
    rule_id, rule = rules.of(result, where)
    spots = [_spot(location, places, where) for location in strict.arr(result.get("locations") or [], f"{where}: locations")]
    path, start, end = spots[0] if spots else ("", 0, 0)
    found = strict.remark(
        rules.name,
        rule_id,
        _sarif_rules.priority(result, rule, where),
        path,
        (start, end),
        _sarif_rules.message(result, rule, where),
        category="security" if _sarif_rules.is_security(result, rule, where) else "lint",
        body="\n".join([*_also(spots[1:]), strict.string(rule.get("helpUri") or "", f"{where}: helpUri")]).strip(),
    )
    return _suppressed(found, result, where)


def _also(spots: list[tuple[str, int, int]]) -> list[str]:
    return [f"Also at {path}:{start}" if start else f"Also in {path}" for path, start, _end in spots]


def _spot(value: Any, places: Places, where: str) -> tuple[str, int, int]:
    """Path, first and last line; line 0 where the region names none. An end at column 1 does not reach into its line."""
    physical = strict.obj(strict.obj(value, f"{where}: location").get("physicalLocation") or {}, f"{where}: physicalLocation")
    path = places.path(strict.obj(physical.get("artifactLocation") or {}, f"{where}: artifactLocation"), where)
    region = strict.obj(physical.get("region") or {}, f"{where}: region")
    start = strict.whole(region.get("startLine", 0), f"{where}: startLine")
    end = strict.whole(region.get("endLine", start), f"{where}: endLine")
    return path, start, end - 1 if region.get("endColumn") == 1 and end > start else end


def _suppressed(found: Finding, result: Plain, where: str) -> Finding:
    """Waived when every suppression of the result is in force, with the reason that was given."""
    rows = [strict.obj(row, f"{where}: suppression") for row in strict.arr(result.get("suppressions") or [], f"{where}: suppressions")]
    if not rows or any(row.get("status", "accepted") != "accepted" for row in rows):
        return found
    kind = strict.string(rows[0].get("kind") or "", f"{where}: suppression")
    reason = strict.string(rows[0].get("justification") or "", f"{where}: justification")
    source = IN_SOURCE if kind == "inSource" else "suppressed outside the source"
    return replace(found, state=State.WAIVED, note=f"{source}: {strict.one_line(reason)}" if reason else source)
