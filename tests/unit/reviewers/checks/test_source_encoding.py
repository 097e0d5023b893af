"""A declaration by which Python reads other code than a person does."""

import pytest

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.checks import source_encoding
from reviewgate_gh.reviewers.checks._sources import CheckInput
from tests.unit.support import added, change


def found(path: str, text: str, first: int = 1) -> list[tuple[str, int]]:
    file = added(path, text, first)
    result = source_encoding.check(CheckInput(change(file), {}, {}))
    return [(finding.priority, finding.line_start) for finding in result]


@pytest.mark.parametrize("path", ["a.py", "b/A.PYW", "tool"])
def test_plain_characters_that_are_other_code_are_critical(path: str) -> None:
    assert found(path, "#!/usr/bin/python\n# coding: utf-7\nx\n") == [(Priority.P0, 2)]
    assert found(path, "# -*- coding: raw_unicode_escape -*-\n") == [(Priority.P0, 1)]


def test_an_encoding_that_python_does_not_know_is_said() -> None:
    assert found("a.py", "# coding: rot13\nx\n") == [(Priority.P2, 1)]


@pytest.mark.parametrize(
    "text", ["# coding: latin-1\n", "x = 1\n# coding: utf-7\n", "\n\n# coding: utf-7\n", "coding\n"]
)
def test_all_else_is_silent(text: str) -> None:
    assert found("a.py", text) == []


def test_other_languages_and_later_lines_are_silent() -> None:
    assert found("a.rb", "# coding: utf-7\n") == []
    assert found("a.py", "# coding: utf-7\n", first=7) == []
