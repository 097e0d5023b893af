"""reporters/json.py: the report there and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from msgspec import to_builtins
from msgspec.structs import replace

from reviewgate_gh.model.report import Report
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import load_report, render
from tests.unit.model.values import values
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import CLEAN, RICH, SECRET, UNDEFINED

LOOK = OutputStyle()
TEXT = render(RICH, LOOK)


def test_golden() -> None:
    assert_golden("json.txt", TEXT)


@given(values(Report))
def test_any_report_comes_back_equal(report: Report) -> None:
    text = render(report, LOOK)
    assert load_report(text) == report
    assert text.isascii() and text.endswith("}\n")


def test_it_is_plain_json_in_the_order_of_the_fields() -> None:
    assert list(json.loads(TEXT)) == list(to_builtins(RICH))
    shown, plain = json.loads(TEXT), json.loads(json.dumps(to_builtins(RICH)))
    assert [row.pop("fingerprint") for row in shown["findings"]] == [
        each.fingerprint for each in RICH.findings
    ]
    assert shown == plain
    assert TEXT.splitlines()[1].startswith('  "review_id"')


def test_undecodable_path_bytes_survive() -> None:
    [path] = {f.path for f in load_report(TEXT).findings if f.rule == SECRET.rule}
    assert path.encode("utf-8", "surrogateescape") == b"deploy/caf\xe9 key.pem"


@pytest.mark.parametrize("half", [r"\ud800", r"\uDBFF", r"\udc00", r"\uDFFF", r"\ud83d-\ude00"])
def test_half_a_character_is_damage(half: str) -> None:
    """No file, terminal or request could take it: a forged report would end its reader."""
    path = json.dumps(UNDEFINED.path)
    assert path in TEXT
    with pytest.raises(ValueError, match="an unpaired surrogate"):
        load_report(TEXT.replace(path, f'"{half}.py"'))
    assert load_report(TEXT.replace(path, r'"\ud83d\ude00.py"')).findings


def test_an_older_form_of_command_is_written_so_that_no_runner_sees_it() -> None:
    report = replace(
        CLEAN, findings=(replace(UNDEFINED, body="##[add-mask]e"),), notices=("###[error]x",)
    )
    assert "##[" not in render(report, LOOK)
    assert load_report(render(report, LOOK)) == report


def test_a_cut_file_is_refused() -> None:
    for cut in range(0, len(TEXT) - 2, 97):
        with pytest.raises(ValueError, match=r"^not a report: damaged JSON"):
            load_report(TEXT[:cut])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0" * 40,
        "[" * 100_000,
        "\ufeff{}",
        '{"schema_version": NaN}',
        "{" + '"a":1,' * 3 + "}",
        '{"a": 1, "a": 1}',
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not a report: damaged JSON"):
        load_report(text)


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "{}"])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not a report: expected an object"):
        load_report(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 2}, "schema_version 2; this version reads 1"),
        ({"schema_version": True}, r"^report\.schema_version: expected `int`, got `bool`"),
        ({"schema_version": "1"}, "schema_version '1'"),
        ({"verdict": {"outcome": "fine"}}, r"^report\.verdict\.outcome: invalid enum value 'fine'"),
        ({"findings": None}, r"^report\.findings: expected `array`, got `null`"),
        ({"extra": 1}, "^report: object contains unknown field `extra`"),
    ],
)
def test_another_version_or_shape_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_report(json.dumps(json.loads(TEXT) | change))


def test_a_missing_field_is_refused() -> None:
    data = json.loads(TEXT)
    del data["verdict"]
    with pytest.raises(ValueError, match=r"^report: object missing required field `verdict`"):
        load_report(json.dumps(data))
