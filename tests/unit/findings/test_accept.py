"""From fingerprints to waivers."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.merge import merge_patterns
from reviewgate_gh.findings.waivers import apply_waivers
from reviewgate_gh.findings.waivers_file import (
    WaiverTerms,
    make_waivers,
    merge_waivers,
    open_fingerprints,
)
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.model.finding import FindingState, Priority
from reviewgate_gh.model.waiver import Waiver
from tests.unit.support import finding

WHY = WaiverTerms("it is fine")


def test_rule_path_and_reason_are_filled_in() -> None:
    found = finding("new.py", origin="old.py")
    (waiver,) = make_waivers(
        [found], [found.fingerprint], [], WaiverTerms("  a\n reason ", "2030-01-02")
    )
    seen = {
        "rule": "ruff/F821",
        "path": "new.py",
        "title": "Undefined name x",
        "priority": Priority.P1,
    }
    assert waiver == Waiver(
        fingerprint=found.fingerprint, reason="a reason", expires="2030-01-02", **seen
    )


def test_equal_findings_are_counted_under_their_base_fingerprint() -> None:
    found = [finding(line=n, ordinal=n) for n in (1, 2, 3)]
    base = found[0].fingerprint
    assert [w.count for w in make_waivers(found, [base], [], WHY)] == [1]
    assert [
        (w.fingerprint, w.count)
        for w in make_waivers(found, [f.fingerprint for f in found], [], WHY)
    ] == [(base, 3)]
    assert [w.count for w in make_waivers(found, [f"{base}-2"], [], WHY)] == [2]
    assert [
        w.count for w in make_waivers(found, [f"{base}-3"], [], WaiverTerms("why", count=7))
    ] == [7]


def test_all_places_of_a_pattern_are_accepted_and_nothing_is_open_afterwards() -> None:
    findings = merge_patterns(
        [finding(f"{name}.py") for name in "abcd"] + [finding("e.py", title="Another")]
    )
    head = findings[0]
    assert len(head.places) == 4
    waivers = make_waivers(findings, [head.fingerprint], [], WHY)
    assert [waiver.path for waiver in waivers] == ["a.py", "b.py", "c.py", "d.py"]
    fresh = [replace(f, state=FindingState.OPEN, places=(), note="") for f in findings]
    assert [
        f.path for f in apply_waivers(fresh, waivers, "2026-01-01") if f.state is FindingState.OPEN
    ] == ["e.py"]


def test_all_current_is_what_stands_open() -> None:
    findings = [
        finding("a.py"),
        finding("b.py", state=FindingState.OUTSIDE_DIFF),
        finding("c.py", state=FindingState.WAIVED),
    ]
    assert open_fingerprints(findings) == (findings[0].fingerprint,)


def test_an_unknown_fingerprint_is_refused_with_the_way_to_get_one() -> None:
    with pytest.raises(UsageError, match="feedfeedfeedfeed") as caught:
        make_waivers([finding()], ["feedfeedfeedfeed"], [], WHY)
    assert "reviewgate-gh review" in caught.value.hint


@pytest.mark.parametrize(
    ("terms", "word"),
    [
        (WaiverTerms(" "), "reason"),
        (WaiverTerms("why", "31.12.2030"), "2030-12-31"),
        (WaiverTerms("why", "20301231"), "2030-12-31"),
    ],
)
def test_terms_that_no_waiver_can_have(terms: WaiverTerms, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        make_waivers([finding()], [finding().fingerprint], [], terms)


def test_a_waiver_that_is_there_can_be_renewed_without_a_report() -> None:
    old = Waiver(fingerprint="a" * 16, reason="old", rule="r", path="p", count=3)
    assert make_waivers([], ["a" * 16], [old], WHY) == (replace(old, reason="it is fine"),)


def test_merging_keeps_the_greater_count_and_a_date_that_has_not_passed() -> None:
    before = [
        Waiver(fingerprint=name * 16, reason="old", expires=day, count=2)
        for name, day in (("a", "2026-05-01"), ("b", "2026-03-01"))
    ]
    new = [Waiver(fingerprint=name * 16, reason="new") for name in "abc"]
    changed, added = merge_waivers(before, new, WHY, "2026-04-01")
    assert changed == {
        0: replace(before[0], reason="new"),
        1: replace(before[1], reason="new", expires=None),
    }
    assert added == (new[2],)
    assert (
        merge_waivers(before, [new[0]], WaiverTerms("new", count=1), "2026-04-01")[0][0].count == 1
    )
