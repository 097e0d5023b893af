"""The whole report, for machines and for later runs: what `load` reads back."""

import json
from collections.abc import Callable
from enum import Enum
from functools import cache
from inspect import cleandoc
from json.encoder import encode_basestring_ascii
from typing import Any

import msgspec
from msgspec import to_builtins
from msgspec.structs import fields

from ..model.finding import Finding
from ..model.report import SCHEMA_VERSION, Report
from ..text.patterns import lazy_pattern
from ..text.safe import json_without_commands, safe_data, safe_values
from ..text.strict import checked, load_json
from ._look import OutputStyle

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FINGERPRINT = "fingerprint"
_Quote = Callable[[str], str]
_HALF = "\\ud"  # how JSON writes half a character
_NO_TEXT = lazy_pattern("[\ud800-\udc7f\udd00-\udfff]")  # the others stand for the bytes of paths


def render(report: Report, style: OutputStyle) -> str:
    """The report as ASCII JSON, secrets redacted; undecodable path bytes stay as the lone
    surrogates that Python reads back."""
    quote: _Quote = cache(lambda text: encode_basestring_ascii(safe_data(text)))
    parts = []
    for field in fields(Report):
        value = getattr(report, field.name)
        shown = _findings(value, quote) if field.name == "findings" else _pretty(value)
        parts.append(f'  "{field.name}": {shown}')
    return json_without_commands("{\n" + ",\n".join(parts) + "\n}\n")


def load_report(text: str) -> Report:
    """The report that `render` wrote.

    Raises:
        ValueError: damaged, or written under another schema version; the message says which.
    """
    plain = load_json(text, "a report: damaged JSON", unique=True)
    if _HALF in text.lower() and _NO_TEXT.search(json.dumps(plain, ensure_ascii=False)):
        raise ValueError("not a report: damaged JSON (an unpaired surrogate)")
    if not isinstance(plain, dict) or "schema_version" not in plain:
        raise ValueError("not a report: expected an object with schema_version")
    return report_of(plain)


def report_of(plain: dict[str, Any]) -> Report:
    """The report in JSON data.

    Raises:
        ValueError: it was written under another schema version, or does not fit.
    """
    if plain["schema_version"] != SCHEMA_VERSION:
        raise ValueError(
            f"the report has schema_version {plain['schema_version']!r:.40}; this version reads "
            f"{SCHEMA_VERSION}"
        )
    findings = plain.get("findings")
    if isinstance(findings, list):  # what follows from other fields is for readers alone
        findings = [_without_fingerprint(row) for row in findings]
        plain = {**plain, "findings": findings}
    return checked(plain, Report, "report")


def _without_fingerprint(row: Any) -> Any:
    if not isinstance(row, dict) or not isinstance(row.get(_FINGERPRINT), str):
        return row
    return {key: value for key, value in row.items() if key != _FINGERPRINT}


def report_schema() -> dict[str, Any]:
    """The JSON schema of what `render` writes; docs/report.schema.json holds it."""
    schema = msgspec.json.schema(Report)
    for part in schema["$defs"].values():
        if part["title"] == Finding.__name__:
            part["properties"][_FINGERPRINT] = {"type": "string"}
        if "description" in part:
            paragraphs = cleandoc(part["description"]).split("\n\n")
            part["description"] = "\n\n".join(" ".join(text.split()) for text in paragraphs)
    return {"$schema": _DIALECT, "title": "reviewgate-gh report", **schema}


def _findings(findings: tuple[Finding, ...], quote: _Quote) -> str:
    """A field a line. By hand, because json's own indenting takes seconds for tens of thousands of
    findings."""
    shown_fields = (_FINGERPRINT, *(field.name for field in fields(Finding)))
    names = [(name, f'      "{name}": ') for name in shown_fields]
    rows = (
        ",\n".join(label + _value(getattr(finding, name), quote) for name, label in names)
        for finding in findings
    )
    shown = ",\n".join(f"    {{\n{row}\n    }}" for row in rows)
    return f"[\n{shown}\n  ]" if findings else "[]"


def _value(value: Any, quote: _Quote) -> str:
    """A finding's field on one line: text, a word of an enumeration, a number, or a sequence of
    them."""
    if isinstance(value, str):
        return quote(value.value if isinstance(value, Enum) else value)
    if isinstance(value, tuple):
        return f"[{', '.join([_value(item, quote) for item in value])}]"
    return json.dumps(value)


def _pretty(value: Any) -> str:
    # No newline is left in a string after encoding, so indenting the text is indenting the
    # structure.
    return json.dumps(safe_values(to_builtins(value)), indent=2).replace("\n", "\n  ")
