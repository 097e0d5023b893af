"""model/codec.py: values to plain data and back."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given

from reviewgate_gh.model.codec import from_plain, to_plain
from reviewgate_gh.model.finding import Finding, Priority, QuotedLine
from reviewgate_gh.model.report import Report, ReviewRow
from tests.unit.model.values import values

FINDING = Finding(
    Priority.P1,
    "correctness",
    "F821",
    "a.py",
    3,
    4,
    "title",
    excerpt=(QuotedLine(3, "x"),),
    sources=("ruff",),
)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A type with what the model's own lack."""

    label: str | None
    weight: float = 0.0


@given(values(Report))
def test_a_report_survives_the_way_through_json(report: Report) -> None:
    assert from_plain(Report, json.loads(json.dumps(to_plain(report)))) == report


def test_plain_data_holds_nothing_of_ours() -> None:
    plain = to_plain(FINDING)
    assert plain["priority"] == "P1" and type(plain["priority"]) is str
    assert plain["excerpt"] == [[3, "x"]]
    assert plain["sources"] == ["ruff"]
    assert plain["suggestion"] is None


def test_an_integer_is_read_where_a_float_is_written() -> None:
    shelf = from_plain(Shelf, {"label": None, "weight": 2})
    assert shelf == Shelf(None, 2.0) and type(shelf.weight) is float


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"line_start": "3"}, "Finding.line_start: expected int, got str"),
        ({"line_start": True}, "Finding.line_start: expected int, got bool"),
        ({"priority": "P9"}, "Finding.priority: 'P9' is not a valid Priority"),
        ({"sources": "ruff"}, "Finding.sources: expected list, got str"),
        ({"sources": [1]}, "Finding.sources: expected str, got int"),
        ({"excerpt": [[1]]}, "Finding.excerpt: zip"),
        ({"excerpt": [["1", "x"]]}, "Finding.excerpt: expected int, got str"),
        ({"colour": "red"}, "Finding: unknown field 'colour'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.")):
        from_plain(Finding, to_plain(FINDING) | data)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(ValueError, match=r"ReviewRow: .*'status'"):
        from_plain(ReviewRow, {"reviewer": "linters", "part": ""})


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_an_object_must_be_an_object(data: Any) -> None:
    with pytest.raises(ValueError, match="expected dict"):
        from_plain(Report, data)
