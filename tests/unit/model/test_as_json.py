"""The values of the model as JSON and back: what stored reports, caches and queues are made of."""

import json
from typing import Any

import pytest
from hypothesis import given
from msgspec import ValidationError, convert, to_builtins

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


@given(values(Report))
def test_a_report_survives_the_way_through_json(report: Report) -> None:
    assert convert(json.loads(json.dumps(to_builtins(report))), Report) == report


def test_plain_data_holds_nothing_of_ours() -> None:
    plain = to_builtins(FINDING)
    assert plain["priority"] == "P1" and type(plain["priority"]) is str
    assert plain["excerpt"] == ((3, "x"),) and type(plain["excerpt"][0]) is tuple
    assert plain["sources"] == ("ruff",)
    assert plain["suggestion"] is None


def test_an_integer_is_read_where_a_float_is_written() -> None:
    row = convert({"reviewer": "linters", "part": "", "status": "ok", "seconds": 2}, ReviewRow)
    assert row.seconds == 2.0 and type(row.seconds) is float


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"line_start": "3"}, "Expected `int`, got `str` - at `$.line_start`"),
        ({"line_start": 3.0}, "Expected `int`, got `float` - at `$.line_start`"),
        ({"line_start": True}, "Expected `int`, got `bool` - at `$.line_start`"),
        ({"priority": "P9"}, "Invalid enum value 'P9' - at `$.priority`"),
        ({"sources": "ruff"}, "Expected `array`, got `str` - at `$.sources`"),
        ({"sources": [1]}, "Expected `str`, got `int` - at `$.sources[0]`"),
        ({"excerpt": [[1]]}, "Expected `array` of length 2, got 1 - at `$.excerpt[0]`"),
        ({"excerpt": [["1", "x"]]}, "Expected `int`, got `str` - at `$.excerpt[0][0]`"),
        ({"colour": "red"}, "Object contains unknown field `colour`"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        convert(to_builtins(FINDING) | data, Finding)
    assert str(caught.value) == message


def test_a_missing_field_is_named() -> None:
    with pytest.raises(ValidationError, match="missing required field `status`"):
        convert({"reviewer": "linters", "part": ""}, ReviewRow)


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_an_object_must_be_an_object(data: Any) -> None:
    with pytest.raises(ValidationError, match="Expected `object`"):
        convert(data, Report)
