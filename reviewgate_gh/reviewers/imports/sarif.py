"""SARIF 2.1.0: every run of a report, all or nothing."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...findings.suppressions import SUPPRESSED_NOTE
from ...model.finding import Finding, FindingState, Priority
from ...text import strict
from ...text.patterns import lazy_pattern

_ESCAPE = lazy_pattern(rb"%([0-9A-Fa-f]{2})")
_FILE = lazy_pattern(r"(?i)file:(?://(?:localhost)?(?=/))?")
_ABSOLUTE = lazy_pattern(r"/|[A-Za-z]:/")
_DRIVE = lazy_pattern(r"/[A-Za-z]:/")


class SarifPaths:
    """The paths of one run: its base ids, its list of artifacts, and the absolute folder `root`
    that is cut off."""

    def __init__(self, run: Mapping[str, Any], root: str) -> None:
        self._bases = strict.json_object(run.get("originalUriBaseIds") or {}, "originalUriBaseIds")
        self._artifacts = strict.json_array(run.get("artifacts") or [], "artifacts")
        self._root = root

    def path(self, location: Mapping[str, Any], where: str) -> str:
        """The path of an artifactLocation; "" where it names none.

        Raises:
            ValueError: an index, a base id or a URI that cannot be.
        """
        location = self._looked_up(location, where)
        if location.get("uri") is None:
            return ""
        below, absolute = self._based(
            _decoded(location["uri"], where), location.get("uriBaseId"), where
        )
        inside = strict.relative_path(absolute, self._root)
        path = strict.tidy_path(below) if _ABSOLUTE.match(inside) else inside
        return strict.path_text(path, where) if path else ""

    def _looked_up(self, location: Mapping[str, Any], where: str) -> Mapping[str, Any]:
        if location.get("uri") is not None or location.get("index", -1) == -1:
            return location
        index = strict.whole_number(location["index"], f"{where}: artifact index")
        if index >= len(self._artifacts):
            raise ValueError(f"{where}: artifact {index} does not exist")
        return strict.json_object(
            strict.json_object(self._artifacts[index], "artifact").get("location") or {},
            "artifact location",
        )

    def _based(self, path: str, base: Any, where: str) -> tuple[str, str]:
        """The path below the outermost base, and the same with that base's own absolute folder in
        front."""
        seen = set()
        while base is not None and not _ABSOLUTE.match(path):
            name = strict.json_string(base, f"{where}: uriBaseId")
            if name in seen:
                raise ValueError(
                    f"{where}: uriBaseId {strict.one_line(name, 40)!r} refers to itself"
                )
            seen.add(name)
            folder = strict.json_object(self._bases.get(name) or {}, f"{where}: uriBaseId")
            text = _decoded(folder["uri"], where) if folder.get("uri") else ""
            if _ABSOLUTE.match(text):
                return path, f"{text.rstrip('/')}/{path}"
            path, base = (f"{text.rstrip('/')}/{path}" if text else path), folder.get("uriBaseId")
        return path, path


def _decoded(uri: Any, where: str) -> str:
    """A relative reference or a file URI as a path; other schemes stay as they are."""
    text = strict.json_string(uri, f"{where}: uri")
    plain = _FILE.sub("", text, count=1) if text[:5].lower() == "file:" else text
    if "%" in plain:
        raw = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), plain.encode())
        plain = raw.decode("utf-8", "surrogateescape")
    return plain[1:] if plain != text and _DRIVE.match(plain) else plain


JsonObject = Mapping[str, Any]
_FIELD = lazy_pattern(r"\{(\d{1,3})\}")


class SarifRules:
    """The rules of one run's tool and of its extensions."""

    def __init__(self, tool: JsonObject) -> None:
        driver = strict.json_object(tool.get("driver"), "tool.driver")
        extensions = strict.json_array(tool.get("extensions") or [], "tool.extensions")
        self.name = strict.tool_slug(strict.json_string(driver.get("name"), "tool.driver.name"))
        self._components = [_rows(component) for component in (driver, *extensions)]
        self._by_id = {
            row["id"]: row
            for rows in reversed(self._components)
            for row in rows
            if isinstance(row.get("id"), str)
        }

    def of(self, result: JsonObject, where: str) -> tuple[str, JsonObject]:
        """The rule's id and its description ({} where the tool gives none)."""
        reference = strict.json_object(result.get("rule") or {}, f"{where}: rule")
        told = result.get("ruleId") or reference.get("id") or ""
        row = self._indexed(result, reference, where) or self._named(
            strict.json_string(told, f"{where}: ruleId")
        )
        return strict.json_string(told or row.get("id") or "", f"{where}: ruleId"), row

    def _named(self, rule: str) -> JsonObject:
        return self._by_id.get(rule) or self._by_id.get(rule.rpartition("/")[0]) or {}

    def _indexed(self, result: JsonObject, reference: JsonObject, where: str) -> JsonObject | None:
        index = result.get("ruleIndex", reference.get("index", -1))
        if index == -1:
            return None
        component = strict.json_object(
            reference.get("toolComponent") or {}, f"{where}: toolComponent"
        ).get("index", -1)
        number = (
            0 if component == -1 else strict.whole_number(component, f"{where}: toolComponent") + 1
        )
        if number >= len(self._components) or strict.whole_number(
            index, f"{where}: ruleIndex"
        ) >= len(self._components[number]):
            raise ValueError(f"{where}: rule {index} does not exist")
        return self._components[number][index]


def _rows(component: Any) -> list[dict[str, Any]]:
    rules = strict.json_array(
        strict.json_object(component, "tool component").get("rules") or [], "rules"
    )
    return [strict.json_object(row, "rule") for row in rules]


def result_priority(result: JsonObject, rule: JsonObject, where: str) -> Priority:
    """P0 from a security severity of 9, P1 from 7; below that the level decides: error P1, warning
    P2, the rest P3."""
    score = _score(result, rule, where)
    if score >= 7:
        return Priority.P0 if score >= 9 else Priority.P1
    kind = strict.json_string(result.get("kind") or "fail", f"{where}: kind")
    default = (
        strict.json_object(rule.get("defaultConfiguration") or {}, "defaultConfiguration").get(
            "level"
        )
        or "warning"
    )
    level = result.get("level") or (default if kind == "fail" else "none")
    if type(level) is not str or level not in strict.BY_LEVEL:
        raise ValueError(f"{where}: unknown level {strict.one_line(repr(level), 40)}")
    return strict.BY_LEVEL[level]


def is_security(result: JsonObject, rule: JsonObject, where: str) -> bool:
    """A tag "security" or a security severity, of the result or of its rule."""
    tags = [
        tag
        for holder in (result, rule)
        for tag in strict.json_array(_properties(holder).get("tags") or [], f"{where}: tags")
    ]
    return "security" in tags or _score(result, rule, where) >= 0


def _score(result: JsonObject, rule: JsonObject, where: str) -> float:
    for holder in (result, rule):
        value = _properties(holder).get("security-severity")
        if value not in (None, ""):
            return _number(value, where)
    return -1


def _number(value: Any, where: str) -> float:
    try:
        score = float(value) if type(value) in (str, int, float) else math.nan
    except (ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise ValueError(f"{where}: security-severity is not a number")
    return score


def _properties(holder: JsonObject) -> JsonObject:
    return strict.json_object(holder.get("properties") or {}, "properties")


def result_message_text(result: JsonObject, rule: JsonObject, where: str) -> str:
    """The text of a result, also where it is one of the rule's with `{0}` to fill in."""
    told = strict.json_object(result.get("message"), f"{where}: message")
    strings = strict.json_object(rule.get("messageStrings") or {}, f"{where}: messageStrings")
    words = told
    if not (told.get("text") or told.get("markdown")):
        words = strict.json_object(
            strings.get(strict.json_string(told.get("id") or "", f"{where}: message id")) or {},
            f"{where}: message",
        )
    text = strict.json_string(
        words.get("text") or words.get("markdown") or _description(rule), f"{where}: message"
    )
    arguments = [
        strict.json_string(word, f"{where}: message")
        for word in strict.json_array(told.get("arguments") or [], f"{where}: arguments")
    ]
    return _FIELD.sub(
        lambda found: arguments[int(found[1])] if int(found[1]) < len(arguments) else found[0], text
    )


def _description(rule: JsonObject) -> Any:
    holders = (
        strict.json_object(rule.get(key) or {}, key)
        for key in ("shortDescription", "fullDescription")
    )
    return next((holder["text"] for holder in holders if holder.get("text")), "")


_NOT_FOUND = ("pass", "notApplicable")


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings of all runs; paths below the absolute folder `root` become relative, a result
    without a place has path "".

    Raises:
        ValueError: not SARIF 2.1.0, cut short, or a run that failed or scanned nothing.
    """
    top = strict.json_object(
        strict.load_json(strict.decode(data, "SARIF"), "SARIF", unique=True), "SARIF"
    )
    if top.get("version") != "2.1.0":
        raise ValueError(
            f"not SARIF 2.1.0: version is {strict.one_line(repr(top.get('version')), 40)}"
        )
    runs = strict.json_array(top.get("runs"), "runs")
    if not runs:
        raise ValueError("the report contains no runs: nothing was scanned")
    return [
        found
        for number, run in enumerate(runs, 1)
        for found in _run(strict.json_object(run, f"run {number}"), number, root)
    ]


def _run(run: JsonObject, number: int, root: str) -> Iterator[Finding]:
    rules, places = (
        SarifRules(strict.json_object(run.get("tool"), f"run {number}: tool")),
        SarifPaths(run, root),
    )
    for invocation in strict.json_array(run.get("invocations") or [], f"run {number}: invocations"):
        _went_well(
            strict.json_object(invocation, f"run {number}: invocation"),
            f"run {number}: invocation",
            rules.name,
        )
    if strict.json_object(
        run.get("externalPropertyFileReferences") or {},
        f"run {number}: externalPropertyFileReferences",
    ).get("results"):
        raise ValueError(f"run {number}: its results are in other files, which are not read")
    if run.get("results") is None:
        raise ValueError(f"run {number}: no list of results: nothing was scanned")
    for at, value in enumerate(strict.json_array(run["results"], f"run {number}: results"), 1):
        result = strict.json_object(value, f"run {number}: result {at}")
        if result.get("kind") not in _NOT_FOUND and result.get("baselineState") != "absent":
            yield _finding(result, rules, places, f"run {number}, result {at}")


def _went_well(invocation: JsonObject, where: str, tool: str) -> None:
    """A notification of level error says, as SARIF defines it, that results are missing or
    wrong."""
    if invocation.get("executionSuccessful", True) is not True:
        raise ValueError(f"{tool}: the tool says its run failed")
    for key in ("toolExecutionNotifications", "toolConfigurationNotifications"):
        for row in strict.json_array(invocation.get(key) or [], f"{where}: {key}"):
            told = strict.json_object(row, f"{where}: {key}")
            if told.get("level") == "error":
                words = (
                    strict.json_object(told.get("message") or {}, f"{where}: {key}").get("text")
                    or "no reason given"
                )
                raise ValueError(
                    f"{tool}: the tool says that results are missing: "
                    f"{strict.one_line(strict.json_string(words, where))}"
                )


def _finding(result: JsonObject, rules: SarifRules, places: SarifPaths, where: str) -> Finding:
    rule_id, rule = rules.of(result, where)
    spots = [
        _spot(location, places, where)
        for location in strict.json_array(result.get("locations") or [], f"{where}: locations")
    ]
    spot = spots[0] if spots else _Spot()
    found = strict.tool_finding(
        rules.name,
        rule_id,
        result_priority(result, rule, where),
        spot.path,
        (spot.start, spot.end),
        result_message_text(result, rule, where),
        category="security" if is_security(result, rule, where) else "lint",
        body="\n".join(_also(spots[1:])),
        page=strict.json_string(rule.get("helpUri") or "", f"{where}: helpUri"),
        columns=spot.columns,
    )
    return _suppressed(found, result, where)


class _Spot(NamedTuple):
    """Path, first and last line; line 0 where the region names none."""

    path: str = ""
    start: int = 0
    end: int = 0
    columns: tuple[int, int] = (0, 0)


def _also(spots: list[_Spot]) -> list[str]:
    return [
        f"Also at {spot.path}:{spot.start}" if spot.start else f"Also in {spot.path}"
        for spot in spots
    ]


def _spot(value: Any, places: SarifPaths, where: str) -> _Spot:
    """An end at column 1 does not reach into its line."""
    physical = strict.json_object(
        strict.json_object(value, f"{where}: location").get("physicalLocation") or {},
        f"{where}: physicalLocation",
    )
    path = places.path(
        strict.json_object(physical.get("artifactLocation") or {}, f"{where}: artifactLocation"),
        where,
    )
    region = strict.json_object(physical.get("region") or {}, f"{where}: region")
    start = strict.whole_number(region.get("startLine", 0), f"{where}: startLine")
    end = strict.whole_number(region.get("endLine", start), f"{where}: endLine")
    columns = [
        strict.whole_number(region.get(key, 0), f"{where}: {key}")
        for key in ("startColumn", "endColumn")
    ]
    if columns[1] == 1 and end > start:
        return _Spot(path, start, end - 1, (columns[0], 0))
    return _Spot(path, start, end, (columns[0], columns[1]))


def _suppressed(found: Finding, result: JsonObject, where: str) -> Finding:
    """Waived when every suppression of the result is in force, with the reason that was given."""
    rows = [
        strict.json_object(row, f"{where}: suppression")
        for row in strict.json_array(result.get("suppressions") or [], f"{where}: suppressions")
    ]
    if not rows or any(row.get("status", "accepted") != "accepted" for row in rows):
        return found
    kind = strict.json_string(rows[0].get("kind") or "", f"{where}: suppression")
    reason = strict.json_string(rows[0].get("justification") or "", f"{where}: justification")
    source = SUPPRESSED_NOTE if kind == "inSource" else "suppressed outside the source"
    return replace(
        found,
        state=FindingState.WAIVED,
        note=f"{source}: {strict.one_line(reason)}" if reason else source,
    )
