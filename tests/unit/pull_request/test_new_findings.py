"""The file of new findings: our report, a plain list, and nothing else."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority
from reviewgate_gh.model.report import Outcome, Report, ReviewedChange, Verdict
from reviewgate_gh.pull_request.comments import CurrentFindings, NewFinding
from reviewgate_gh.pull_request.presubmit import read_current_findings
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import render
from tests.unit.pull_request.pulls import HEAD, OLD, ONE
from tests.unit.support import finding


def report(*findings: Finding, head: str = HEAD, not_reviewed: tuple[str, ...] = ()) -> Report:
    """A report with these findings."""
    verdict = Verdict(Outcome.BLOCK, not_reviewed=not_reviewed)
    return Report("r1", ReviewedChange(OLD, head, False, OLD), (), findings, verdict)


def listed(*rows: Any) -> CurrentFindings:
    """What a plain list is read as."""
    return read_current_findings(json.dumps(rows).encode(), HEAD)


def placed(**fields: Any) -> Finding:
    """A finding that would be posted at its line."""
    return finding(placed=True, **fields)


def test_our_own_report_as_it_is_written() -> None:
    found = (placed(line=3), replace(placed(path="b.py"), line_start=4, line_end=9, side="LEFT"))
    current = read_current_findings(
        render(report(*found, not_reviewed=("c.py",)), OutputStyle()).encode(), HEAD
    )
    prints = [each.fingerprint for each in found]
    assert current.findings == (
        NewFinding("a.py", 3, prints[0]),
        NewFinding("b.py", 9, prints[1], side="LEFT"),
    )
    assert current.open_priorities == dict.fromkeys(prints, Priority.P1)
    assert current.not_reviewed == 1


@pytest.mark.parametrize("state", list(FindingState))
def test_what_stands_and_what_of_it_would_be_posted(state: FindingState) -> None:
    current = read_current_findings(
        json.dumps(to_builtins(report(placed(state=state)))).encode(), HEAD
    )
    stands = state in (FindingState.OPEN, FindingState.DUPLICATE)
    assert (len(current.findings), len(current.open_priorities)) == (stands, stands)
    assert [f.inline for f in current.findings] == [state is FindingState.OPEN] * stands


@pytest.mark.parametrize(
    ("one", "inline"),
    [
        (placed(priority=Priority.P2), True),
        (placed(priority=Priority.P3), False),
        (placed(confidence=Confidence.LOW), False),
        (finding(placed=False), False),
    ],
)
def test_what_is_never_posted_at_a_line_takes_no_place(one: Finding, inline: bool) -> None:
    (only,) = read_current_findings(json.dumps(to_builtins(report(one))).encode(), HEAD).findings
    assert only.inline is inline


def test_a_plain_list() -> None:
    current = listed(
        {"path": "./src//a.py", "line": 3}, {"path": "b.py", "line": 0, "fingerprint": ONE + "-2"}
    )
    assert current == CurrentFindings(
        (NewFinding("src/a.py", 3), NewFinding("b.py", 0, ONE + "-2"))
    )
    assert listed() == CurrentFindings()
    assert read_current_findings(b"\xef\xbb\xbf[]\n", HEAD) == CurrentFindings()


GOOD = {"path": "a.py", "line": 1}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a review report or a list"),
        (b"\xff", "UTF-8"),
        (b"[", "not a review report"),
        (b"[" * 100_000, "nested too deeply|not a review report"),
        (b"null", "not a review report"),
        (b"{}", "not a review report"),
        (b'"[]"', "not a review report"),
        (b'{"schema_version": 2}', "schema_version 2"),
        (b'{"schema_version": true, "findings": 1}', "report"),
        (b'{"schema_version": 1, "findings": []}', "report"),
        (json.dumps([GOOD, 3]).encode(), "item 2: expected an object"),
        (json.dumps([{"path": "a.py"}]).encode(), "item 1: line"),
        (json.dumps([{"line": 1}]).encode(), "item 1: path"),
        (json.dumps([GOOD | {"line": -1}]).encode(), "line"),
        (json.dumps([GOOD | {"line": 1.0}]).encode(), "line"),
        (json.dumps([GOOD | {"line": True}]).encode(), "line"),
        (json.dumps([GOOD | {"line": "1"}]).encode(), "line"),
        (json.dumps([GOOD | {"path": ""}]).encode(), "path"),
        (json.dumps([GOOD | {"path": "/etc/passwd"}]).encode(), "inside the repository"),
        (json.dumps([GOOD | {"path": "x/../../a.py"}]).encode(), "inside the repository"),
        (json.dumps([GOOD | {"path": "a\0b"}]).encode(), "path"),
        (json.dumps([GOOD | {"fingerprint": None}]).encode(), "fingerprint"),
        (json.dumps([GOOD | {"fingerprint": "short"}]).encode(), "not a fingerprint"),
        (json.dumps([GOOD | {"title": "x"}]).encode(), "unknown field 'title'"),
        (json.dumps({"findings": [GOOD]}).encode(), "not a review report"),
        (
            json.dumps(to_builtins(report(head=OLD))).encode(),
            "is about 000000000000, not about aaaaaaaaaaaa",
        ),
    ],
)
def test_anything_else_is_refused_in_one_line(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        read_current_findings(data, HEAD)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["path", "line", HEAD]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["path", "line", "fingerprint", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_JSON | st.lists(_JSON, max_size=3))
def test_any_json_is_read_or_refused(value: Any) -> None:
    try:
        current = read_current_findings(json.dumps(value).encode(), HEAD)
    except ValueError:
        return
    assert isinstance(value, list) and len(current.findings) == len(value)


@given(st.sampled_from(sorted(to_builtins(report(finding())))), _JSON)
def test_a_report_with_any_field_damaged_is_read_or_refused(name: str, value: Any) -> None:
    plain = to_builtins(report(finding())) | {name: value}
    with suppress(ValueError):  # and nothing else
        assert read_current_findings(json.dumps(plain).encode(), HEAD).not_reviewed == 0
