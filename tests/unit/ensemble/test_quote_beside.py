"""What a model says about code that it was shown beside the change has a place, and a cause."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.anchor import NO_FILE, findings_of_claims
from reviewgate_gh.ensemble.answer import Claim
from reviewgate_gh.ensemble.excerpts import ExcerptCollector, Section
from reviewgate_gh.ensemble.rulings import can_be_ruled_on
from reviewgate_gh.findings.carry_over import carry_over, relocate_to_full_change
from reviewgate_gh.findings.code_search import CodeIndex
from reviewgate_gh.findings.identity import locate_in_code
from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.findings.scope import ChangedLines, mark_outside_change
from reviewgate_gh.findings.source_text import SourceText
from reviewgate_gh.gate.policy import decide_verdict
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.finding import CausingPlace, Confidence, FindingState, Priority
from reviewgate_gh.model.report import Outcome
from reviewgate_gh.pull_request.placement import AlreadyPosted, PlacementLimits, place_findings
from reviewgate_gh.pull_request.posted_text import inline_comment
from tests.unit.support import change, edited

FILE = edited(
    "store.py",
    " def save(item):",
    "-    return item",
    "+    return item, 1",
    " ",
    start=3,
)
TEXTS = {
    "app.py": [b"from store import save", b"", b"value = save(1)", b"value = save(1)"],
    "store.py": [b"import os", b"", b"def save(item):", b"    return item, 1", b"", b"x = save(2)"],
}
CAUSE = CausingPlace("store.py", 4)


def beside():
    taken = ExcerptCollector(500, {"store.py": frozenset({3, 4, 5})}, TEXTS.__getitem__)
    for path, lines in (("app.py", (1, 3)), ("store.py", (1, 2, 6))):
        assert taken.add(Section(path, "uses save", lines, CAUSE))
    return taken.pack().beside(change(FILE))


def place(file, quote, line=0, files=(FILE,), **fields):
    shown = beside()
    claim = Claim(
        file, quote, line, line, Priority.P1, "correctness", "T", "B", None, Confidence.HIGH
    )
    claims = [replace(claim, **fields)]
    changed = ChangedLines(change(*files))
    return findings_of_claims(claims, changed, CodeIndex(shown.lines), "m/l", shown)[0]


def test_a_line_of_another_batch_that_is_changed_itself_has_its_own_place():
    app = edited("app.py", " from store import save", " ", "+value = save(1)", start=1)
    found = place("app.py", "value = save(1)", 3, files=(FILE, app))
    assert (found.path, found.line_start, found.cause, found.placed) == ("app.py", 3, None, True)


@pytest.mark.parametrize(
    ("file", "quote", "line", "cause"),
    [
        ("app.py", "value = save(1)", 3, CAUSE),
        ("app.py", "from store import save", 1, CAUSE),
        ("store.py", "x = save(2)", 6, CAUSE),
        ("store.py", "return item, 1", 4, None),
        ("store.py", "    return item", 4, None),
        ("store.py", "import os\n\ndef save(item):", 1, CAUSE),  # across a hunk
        ("store.py", "def save(item):\n    return item, 1", 3, None),
    ],
)
def test_a_quote_is_found_in_all_that_was_shown(file, quote, line, cause):
    found = place(file, quote)
    assert (found.path, found.line_start, found.cause) == (file, line, cause)
    assert found.placed is (cause is None) and found.is_located
    assert quote.split("\n")[0].strip() in found.anchor


def test_a_quote_from_elsewhere_has_no_place():
    assert place("other.py", "value = save(1)").note == NO_FILE
    assert not place("app.py", "value = load(1)").is_located
    assert not place("other.py", "value = save(1)").is_located


def test_it_blocks_and_is_said_at_its_cause():
    found = mark_outside_change([place("app.py", "value = save(1)")], ChangedLines(change(FILE)))
    assert found[0].state is FindingState.OPEN
    assert decide_verdict(found, [], [], "P1", Coverage()).outcome is Outcome.BLOCK
    [put] = place_findings(found, AlreadyPosted(), PlacementLimits())
    assert (put.path, put.line) == ("store.py", 4)
    assert "This line breaks `app.py:3`:" in inline_comment(put)


def test_a_suggestion_for_it_is_no_suggestion_for_its_cause():
    """Also where both have the same line number."""
    found = replace(
        place("app.py", "value = save(1)", suggestion="value, _ = save(1)"),
        cause=CausingPlace("store.py", 3),
    )
    [put] = place_findings([found], AlreadyPosted(), PlacementLimits())
    said = inline_comment(put)
    assert "```suggestion" not in said and "value, _ = save(1)" in said


def test_two_models_that_say_it_are_one():
    one = place("app.py", "value = save(1)", title="save returns a pair now", body="b")
    two = replace(one, sources=("n/l",), title="save now returns a pair")
    states = [each.state for each in merge_findings([one, two])]
    assert sorted(states) == [FindingState.DUPLICATE, FindingState.OPEN]


def test_it_is_kept_until_its_code_or_its_cause_is_gone():
    found = place("app.py", "value = save(1)")

    def kept(*files):
        reviews, gone = carry_over([found], CodeIndex(ChangedLines(change(*files))), "0" * 12)
        return [each.path for review in reviews for each in review.findings], gone

    assert kept(FILE) == (["app.py"], 0)
    assert kept(FILE, edited("app.py", "-x", "+y", start=90)) == (["app.py"], 0)
    assert kept(FILE, edited("app.py", "-value = save(1)", "+value, _ = save(1)", start=3)) == (
        [],
        1,
    )
    assert kept(edited("app.py", "-x", "+y")) == ([], 1)


def test_what_only_looks_like_its_code_takes_nothing_away():
    """A line like it, or the same line elsewhere in its file, is gone: its own is not."""
    found = place("app.py", "value = save(1)")

    def kept(*files):
        return carry_over([found], CodeIndex(ChangedLines(change(FILE, *files))), "0" * 12)[1] == 0

    assert kept(edited("app.py", "-value = save(2)", "+pass", start=90))
    assert kept(edited("app.py", "-value = save(1)", "+pass", start=90))


@pytest.mark.parametrize(
    ("differing", "verified"), [((), False), (("b.py",), False), (("app.py",), True),
    (("store.py",), True)],
)  # fmt: skip
def test_it_is_verified_again_where_it_may_be_settled(differing, verified):
    """A verifier who sees neither its code nor its cause can only doubt it."""
    index = CodeIndex(ChangedLines(change(FILE)))
    reviews, _ = carry_over([place("app.py", "value = save(1)")], index, "0" * 12, differing)
    [found] = [each for review in reviews for each in review.findings]
    assert can_be_ruled_on(found) is verified


def test_a_cause_that_the_diff_no_longer_shows_has_no_line():
    """GitHub refuses a comment there."""
    found = replace(place("app.py", "value = save(1)"), cause=CausingPlace("store.py", 90))
    [review, *_] = [
        each for each in carry_over([found], CodeIndex(ChangedLines(change(FILE))), "0" * 12)[0]
        if each.findings
    ]  # fmt: skip
    assert review.findings[0].cause == CausingPlace("store.py", 0)
    lines = ChangedLines(change(FILE))
    assert relocate_to_full_change(found, lines, CodeIndex(lines)).cause == ("store.py", 0)
    shown = place("app.py", "value = save(1)")
    assert relocate_to_full_change(shown, lines, CodeIndex(lines)) == shown


def test_it_moves_with_its_line():
    """As identity reads the file at head; also where the diff shows nothing of it."""
    found = place("app.py", "value = save(1)")
    before, moved, gone = (
        next(locate_in_code([found], SourceText("app.py", text)))
        for text in (
            b"from store import save\n\nvalue = save(1)\n",
            b"import os\nfrom store import save\n\n\n  value = save(1)\n",
            b"pass\n",
        )
    )
    assert (before.line_start, moved.line_start, gone.line_start) == (3, 5, 3)
    assert before.fingerprint == moved.fingerprint != gone.fingerprint
    assert [line.number for line in moved.excerpt] == [line.number + 2 for line in found.excerpt]
