"""SARIF's rules: which one a result means, how severe it is, what it says."""

import math
import re
from collections.abc import Mapping
from typing import Any

from ...model.finding import Priority
from .. import strict

Plain = Mapping[str, Any]
_FIELD = re.compile(r"\{(\d{1,3})\}")


class Rules:
    """The rules of one run's tool and of its extensions."""

    def __init__(self, tool: Plain) -> None:
        driver = strict.obj(tool.get("driver"), "tool.driver")
        extensions = strict.arr(tool.get("extensions") or [], "tool.extensions")
        self.name = strict.slug(strict.string(driver.get("name"), "tool.driver.name"))
        self._components = [_rows(component) for component in (driver, *extensions)]
        self._by_id = {row["id"]: row for rows in reversed(self._components) for row in rows if isinstance(row.get("id"), str)}

    def of(self, result: Plain, where: str) -> tuple[str, Plain]:
        """The rule's id and its description ({} where the tool gives none)."""
        reference = strict.obj(result.get("rule") or {}, f"{where}: rule")
        told = result.get("ruleId") or reference.get("id") or ""
        row = self._indexed(result, reference, where) or self._named(strict.string(told, f"{where}: ruleId"))
        return strict.string(told or row.get("id") or "", f"{where}: ruleId"), row

    def _named(self, rule: str) -> Plain:
        return self._by_id.get(rule) or self._by_id.get(rule.rpartition("/")[0]) or {}

    def _indexed(self, result: Plain, reference: Plain, where: str) -> Plain | None:
        index = result.get("ruleIndex", reference.get("index", -1))
        if index == -1:
            return None
        component = strict.obj(reference.get("toolComponent") or {}, f"{where}: toolComponent").get("index", -1)
        number = 0 if component == -1 else strict.whole(component, f"{where}: toolComponent") + 1
        if number >= len(self._components) or strict.whole(index, f"{where}: ruleIndex") >= len(self._components[number]):
            raise ValueError(f"{where}: rule {index} does not exist")
        return self._components[number][index]


def _rows(component: Any) -> list[dict[str, Any]]:
    rules = strict.arr(strict.obj(component, "tool component").get("rules") or [], "rules")
    return [strict.obj(row, "rule") for row in rules]


def priority(result: Plain, rule: Plain, where: str) -> Priority:
    """P0 from a security severity of 9, P1 from 7; below that the level decides: error P1, warning P2, the rest P3."""
    score = _score(result, rule, where)
    if score >= 7:
        return Priority.P0 if score >= 9 else Priority.P1
    kind = strict.string(result.get("kind") or "fail", f"{where}: kind")
    default = strict.obj(rule.get("defaultConfiguration") or {}, "defaultConfiguration").get("level") or "warning"
    level = result.get("level") or (default if kind == "fail" else "none")
    if type(level) is not str or level not in strict.BY_LEVEL:
        raise ValueError(f"{where}: unknown level {strict.one_line(repr(level), 40)}")
    return strict.BY_LEVEL[level]


def is_security(result: Plain, rule: Plain, where: str) -> bool:
    """A tag "security" or a security severity, of the result or of its rule."""
    tags = [tag for holder in (result, rule) for tag in strict.arr(_properties(holder).get("tags") or [], f"{where}: tags")]
    return "security" in tags or _score(result, rule, where) >= 0


def _score(result: Plain, rule: Plain, where: str) -> float:
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


def _properties(holder: Plain) -> Plain:
    return strict.obj(holder.get("properties") or {}, "properties")


def message(result: Plain, rule: Plain, where: str) -> str:
    """The text of a result, also where it is one of the rule's with `{0}` to fill in."""
    told = strict.obj(result.get("message"), f"{where}: message")
    strings = strict.obj(rule.get("messageStrings") or {}, f"{where}: messageStrings")
    words = told
    if not (told.get("text") or told.get("markdown")):
        words = strict.obj(strings.get(strict.string(told.get("id") or "", f"{where}: message id")) or {}, f"{where}: message")
    text = strict.string(words.get("text") or words.get("markdown") or _description(rule), f"{where}: message")
    arguments = [strict.string(word, f"{where}: message") for word in strict.arr(told.get("arguments") or [], f"{where}: arguments")]
    return _FIELD.sub(lambda found: arguments[int(found[1])] if int(found[1]) < len(arguments) else found[0], text)


def _description(rule: Plain) -> Any:
    holders = (strict.obj(rule.get(key) or {}, key) for key in ("shortDescription", "fullDescription"))
    return next((holder["text"] for holder in holders if holder.get("text")), "")
