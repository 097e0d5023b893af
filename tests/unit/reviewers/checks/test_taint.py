"""Flows of input: which of them a change brings."""

from msgspec.structs import replace

from reviewgate_gh.model.change import FileDiff
from reviewgate_gh.model.finding import CausingPlace, Finding, FindingState
from reviewgate_gh.reviewers.checks import taint

from .support import edited, new, sources

HEAD = "import os\nfrom flask import request\n"
BODY = "def run():\n    name = request.args['q']\n    os.system('ls ' + name)\n"


def _changed(path: str, before: str, after: str, old_path: str = "") -> tuple[FileDiff, str]:
    """A file of which every line is rewritten."""
    rows = [f"-{row}" for row in before.splitlines()] + [f"+{row}" for row in after.splitlines()]
    file = edited(path, *rows)
    return replace(file, old_path=old_path or path, status="R" if old_path else "M"), after


def _found(*files: tuple[FileDiff, str]) -> list[Finding]:
    contents = {file.path: text for file, text in files if file.status != "D"}
    found = taint.check(sources(*(file for file, _text in files), contents=contents))
    return [finding for finding in found if finding.state is FindingState.OPEN]


def test_a_new_file() -> None:
    [found] = _found((new("a.py", HEAD + BODY), HEAD + BODY))
    assert (found.rule, found.priority, found.location) == (
        "taint/command-injection",
        "P1",
        "a.py:5",
    )
    assert found.title == "request.args reaches a shell command (os.system)"
    assert "`request.args['q']` comes in at line 4" in found.body
    assert "shlex.quote()" in found.body
    assert found.places == ("a.py:4",) and found.compared


def test_an_old_flow_is_not_new_wherever_it_stands_now() -> None:
    moved = f"{HEAD}\n\nX = 1\n{BODY}"
    assert _found(_changed("a.py", HEAD + BODY, moved)) == []


def test_a_source_that_becomes_input_makes_an_untouched_sink_new() -> None:
    before = HEAD + BODY.replace("request.args['q']", "'constant'")
    file = edited(
        "a.py", " def run():", "-    name = 'constant'", "+    name = request.args['q']", start=3
    )
    after = HEAD + BODY
    assert before.count("\n") == after.count("\n")
    [found] = _found((file, after))
    assert found.location == "a.py:5" and found.compared
    assert found.cause == CausingPlace("a.py", 4)


def test_one_far_from_the_change_quotes_its_lines_and_names_the_changed_one() -> None:
    far = (
        HEAD + "def run():\n    name = request.args['q']\n" + "    x = 1\n" * 9 + "    eval(name)\n"
    )
    file = edited(
        "a.py", " def run():", "-    name = 'constant'", "+    name = request.args['q']", start=3
    )
    [found] = _found((file, far))
    assert found.location == "a.py:14" and found.cause == CausingPlace("a.py", 4)
    assert [line.text for line in found.excerpt] == ["    eval(name)"]


def test_an_old_one_on_a_changed_line_is_kept_as_old() -> None:
    file, after = _changed("a.py", HEAD + BODY, f"{HEAD}\n{BODY}")
    [found] = taint.check(sources(file, contents={"a.py": after}))
    assert found.state is FindingState.OUTSIDE_DIFF


def test_a_guard_that_goes_makes_it_new() -> None:
    guarded = HEAD + BODY.replace(
        "    os.", "    if name not in ('a', 'b'):\n        return\n    os."
    )
    [found] = _found(_changed("a.py", guarded, HEAD + BODY))
    assert found.location == "a.py:5"
    assert _found(_changed("a.py", HEAD + BODY, guarded)) == []


def test_a_second_equal_flow_is_new() -> None:
    twice = HEAD + BODY + "    os.system('ls ' + name)\n"
    assert [f.location for f in _found(_changed("a.py", HEAD + BODY, twice))] == ["a.py:6"]


def test_a_flow_that_moves_to_another_file_is_old() -> None:
    gone, _text = _changed("a.py", HEAD + BODY, "")
    gone = replace(gone, status="D", mode="000000")
    assert _found((gone, ""), (new("b.py", HEAD + BODY), HEAD + BODY)) == []


def test_a_renamed_file_has_the_flows_of_the_old_one() -> None:
    assert _found(_changed("b.py", HEAD + BODY, f"{HEAD}\n{BODY}", "a.py")) == []


def test_a_file_that_did_not_parse_before() -> None:
    broken = HEAD + BODY + "def (\n"
    assert [f.location for f in _found(_changed("a.py", broken, HEAD + BODY))] == ["a.py:5"]


def test_in_tests_it_is_a_remark() -> None:
    [found] = _found((new("tests/test_a.py", HEAD + BODY), HEAD + BODY))
    assert found.priority == "P3"


def test_a_file_that_is_no_python() -> None:
    assert _found((new("a.py", "{% if %}" + BODY), "{% if %}" + BODY)) == []


def test_a_file_without_the_words_is_not_parsed(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    import ast

    text = "def add(a, b):\n    return a + b\n"
    monkeypatch.setattr(ast, "parse", None)
    assert _found((new("a.py", text), text)) == []
