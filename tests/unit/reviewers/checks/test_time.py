"""Hostile files: what a check needs grows with their length, not with its square."""

from time import process_time
from types import ModuleType

import pytest

from reviewgate_gh.reviewers.checks import (
    go_templates,
    hidden_text,
    json_pointers,
    scripts,
    sql_rows,
    structure,
    workflow_expressions,
)
from tests.unit.reviewers.checks.support import on

_MOST = 4.0  # seconds; by the square each of them needs more
_WORKFLOW = "on: push\njobs:\n  a:\n    runs-on: a\n    steps:\n"
_HOSTILE = [
    (structure, "a.c", "#if a\n" * 80_000),
    (structure, "a.cpp", "class a {\n" * 20_000 + "};\n" * 20_000),
    (structure, "a.sql", "create table a (b int);\n" * 40_000),
    (structure, "a.pl", "else if ()" + " " * 40_000 + "a"),
    (scripts, "a.pl", "system" + " " * 40_000 + "a"),
    (scripts, "a.pl", 'system "a"' + " " * 40_000 + "a"),
    (scripts, "a.pl", "".join(f"$a{number}=param(1);\n" for number in range(8_000))),
    (scripts, "a.ps1", "iex" + " " * 100_000 + "a"),
    (sql_rows, "a.sql", "update a set b=1;\n" * 40_000),
    (go_templates, "templates/a.yaml", '{{ if a "' + '\\"' * 20_000),
    (
        workflow_expressions,
        ".github/workflows/a.yml",
        _WORKFLOW + '      - run: "${{ ' + "'" * 200_001 + ' }}"\n',
    ),
    (
        json_pointers,
        "a.yaml",
        'openapi: 3\na: {"$ref": "#/b"}\nb: &b {'
        + ", ".join(f"b{number}: 1" for number in range(8_000))
        + "}\nc:\n"
        + "- <<: *b\n" * 8_000,
    ),
    (hidden_text, "a.py", "\u0430a " * 250_000),
    (hidden_text, "a.py", "\u202a" * 40_000),
    (hidden_text, "locale/a.py", '"' + "a\u200b" * 100_000),
    (hidden_text, "locale/a.py", "a\u200f" * 40_000),
]


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize(("check", "path", "text"), _HOSTILE)
def test_hostile_text_takes_little_time(check: ModuleType, path: str, text: str) -> None:
    begun = process_time()
    on(check, path, text)
    assert process_time() - begun < _MOST
