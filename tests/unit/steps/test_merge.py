"""One remark is one finding; two remarks stay two."""

import pytest

from reviewgate_gh.model.finding import Priority, State
from reviewgate_gh.steps.merge import merge
from reviewgate_gh.steps.patterns import gather_patterns

from .support import finding


def open_ones(findings):
    return [f for f in findings if f.state is State.OPEN]


def test_the_same_remark_of_two_reviewers_names_both_and_keeps_the_worse_priority():
    one = finding(sources=("linters/ruff",), priority=Priority.P2, title="Use of eval detected")
    other = finding(sources=("linters/bandit",), priority=Priority.P1, rule="bandit/B307", title="Use of possibly insecure eval detected")
    merged = merge([one, other])
    (kept,) = open_ones(merged)
    assert set(kept.sources) == {"linters/ruff", "linters/bandit"} and kept.priority is Priority.P1
    assert len(merged) == 2 and merged[1].state is State.DUPLICATE


def test_two_different_remarks_on_one_line_stay_two():
    one = finding(sources=("linters/ruff",), title="subprocess call with shell=True")
    other = finding(sources=("linters/mypy",), title="Argument 1 has incompatible type")
    assert len(open_ones(merge([one, other]))) == 2


def test_one_tool_reporting_twice_on_a_line_means_two():
    twice = [finding(sources=("linters/ruff",), rule="ruff/F401", title=f"`{name}` imported but unused") for name in ("os", "re")]
    merged = open_ones(merge(twice))
    assert len(merged) == 2 and len({f.fingerprint for f in merged}) == 2
    assert merged[1].fingerprint == f"{merged[0].fingerprint}-2"


def test_exactly_equal_findings_are_always_one():
    assert len(open_ones(merge([finding(sources=("a",)), finding(sources=("a",))]))) == 1


def test_the_order_of_the_reviewers_changes_nothing():
    some = [finding(line=n, sources=(f"r{n % 2}",), title=f"remark {n % 3}") for n in (3, 1, 2, 1)]
    assert merge(some) == merge(some[::-1])


@pytest.mark.req("R003-029")
def test_one_issue_in_many_files_is_one_finding_that_lists_them():
    files = [finding(f"f{n}.py", n + 1, title="missing timeout") for n in range(4)]
    gathered = gather_patterns(merge([*files, finding("z.py", title="something else")]))
    pattern, other = open_ones(gathered)
    assert pattern.places == ("f0.py:1", "f1.py:2", "f2.py:3", "f3.py:4") and other.path == "z.py"
    assert [f.note for f in gathered if f.state is State.DUPLICATE] == ["the same issue as f0.py:1"] * 3
    assert len(gathered) == 5


def test_two_files_are_no_pattern():
    assert len(open_ones(gather_patterns([finding("a.py"), finding("b.py")]))) == 2
