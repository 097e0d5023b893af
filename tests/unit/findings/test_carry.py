"""What stood open at the last review of a pull request stays, where its code stands now, and is not
said anew."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.anchor import findings_of_claims
from reviewgate_gh.ensemble.answer import Claim, Ruling
from reviewgate_gh.ensemble.consensus import collect_votes
from reviewgate_gh.ensemble.rulings import (
    ModelRuling,
    RulingTerms,
    apply_rulings,
    can_be_ruled_on,
    finders,
)
from reviewgate_gh.findings.carry_over import EARLIER_REVIEW, carry_over
from reviewgate_gh.findings.code_search import CodeIndex
from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.findings.scope import ChangedLines
from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from tests.unit.support import added, change, edited

ROWS = (
    " def load(url):",
    "-    check(url)",
    "+    log(url)",
    "+    answer = fetch(url, retries=3)",
    "+    return answer.text",
)
BEFORE = edited("src/app.py", *ROWS, start=5)
TITLE, BODY = (
    "The url is fetched without a timeout",
    "A server that never answers blocks the worker.",
)


def code(*files):
    return CodeIndex(ChangedLines(change(*files)))


def found(
    quote="    answer = fetch(url, retries=3)",
    source="claude/oncall",
    title=TITLE,
    body=BODY,
    file=BEFORE,
    **fields,
):
    claim = Claim(
        "src/app.py", quote, 1, 1, Priority.P1, "reliability", title, body, None, Confidence.HIGH
    )
    changed_lines = ChangedLines(change(file))
    return replace(
        findings_of_claims([claim], changed_lines, CodeIndex(changed_lines), source)[0], **fields
    )


def later(*rows, start=5):
    return added("src/app.py", "\n".join(rows) + "\n", start)


def carried(finding, *files):
    reviews, gone = carry_over([finding], code(*files), "0123456789ab")
    return [(review.name, each) for review in reviews for each in review.findings], gone


@pytest.mark.parametrize("start", [1, 5, 90])
@pytest.mark.parametrize(
    "row", ["    answer = fetch(url, retries=3)", "\tanswer = fetch(url,  retries=3)  "]
)
def test_a_finding_moves_with_its_code_and_keeps_its_identity(start, row):
    ((name, moved),), gone = carried(found(), later("x = 1", "y = 2", row, "z = 3", start=start))
    assert (name, gone, moved.line_start, moved.line_end) == (
        EARLIER_REVIEW,
        0,
        start + 2,
        start + 2,
    )
    assert moved.fingerprint == found().fingerprint and moved.sources == (
        "claude/oncall",
        EARLIER_REVIEW,
    )
    assert [line.number for line in moved.excerpt if moved.anchors(line)] == [start + 2]


def test_code_that_is_nearly_the_same_is_put_to_verification_again():
    mended = later(
        "def load(url):", "    answer = fetch(url, retries=3, timeout=9)", "    return answer.text"
    )
    ((name, moved),), _ = carried(found(), mended)
    assert name == "earlier review/changed" and moved.line_start == 6 and can_be_ruled_on(moved)
    ruling = Ruling(
        "f1",
        "refuted",
        "It has one.",
        "behaviour",
        "src/app.py",
        "fetch(url, retries=3, timeout=9)",
    )
    (finder,) = finders(moved, ["m"])
    given = [ModelRuling(finder, ruling)]
    terms = RulingTerms(code(mended), [finder], False, "P1")
    assert apply_rulings((moved,), lambda _: given, terms)[0].state is FindingState.REFUTED
    ((_, same),), _ = carried(found(), BEFORE)
    assert not can_be_ruled_on(same) and apply_rulings((same,), lambda _: given, terms) == (same,)


def test_a_finding_about_a_file_as_a_whole_is_not_gone_with_code_that_it_never_had():
    whole = found(line_start=0, line_end=0, anchor="", excerpt=(), placed=True)
    kept, gone = carried(whole, later("+other = 1"))
    assert [(name, each.title) for name, each in kept] == [
        (f"{EARLIER_REVIEW}/changed", TITLE)
    ] and gone == 0


def test_what_has_gone_with_its_code_is_counted():
    assert carried(found(), later("something_else()")) == ([], 1)
    assert carried(found(), added("src/b.py", "    answer = fetch(url, retries=3)\n")) == ([], 1)
    assert [review.name for review in carry_over([], code(BEFORE), "v")[0]] == [EARLIER_REVIEW]


def test_a_finding_about_removed_lines_and_one_without_a_place_stay():
    ((name, removed),), _ = carried(found("    check(url)"), BEFORE)
    assert (name, removed.side, removed.line_start) == (EARLIER_REVIEW, "LEFT", 6)
    ((name, lost),), _ = carried(found("not there at all"), BEFORE)
    assert name == "earlier review/changed" and not lost.placed and can_be_ruled_on(lost)


def test_carried_again_it_names_the_earlier_review_once():
    once = carried(found(), BEFORE)[0][0][1]
    assert carried(once, BEFORE)[0][0][1].sources == once.sources
    changed = carried(once, later("    answer = fetch(url, retries=3, timeout=9)"))[0][0][1]
    assert changed.sources == ("claude/oncall", "earlier review/changed")


@pytest.mark.parametrize("source", ["claude/oncall", "codex/performance"])
@pytest.mark.parametrize("priority", list(Priority))
def test_what_a_model_says_again_in_other_words_is_not_said_anew(source, priority):
    before = carried(found(), BEFORE)[0][0][1]
    again = found(
        source=source,
        title="fetch has no timeout",
        body="When the server does not answer, the worker is blocked.",
        priority=priority,
    )
    one, other = merge_findings([again, before])
    assert (one.state, other.state) == (FindingState.OPEN, FindingState.DUPLICATE)
    assert (
        one.fingerprint == before.fingerprint
        and one.title == TITLE
        and one.priority == min(priority, Priority.P1)
    )
    assert not can_be_ruled_on(one)


def test_a_carried_finding_counts_although_its_reviewer_is_not_asked_any_more():
    (review,), _ = carry_over([found()], code(BEFORE), "v")
    heard, stray = collect_votes([review], review.findings)
    assert stray and {voice.name: voice.vote("P1") for voice in heard} == {
        EARLIER_REVIEW: "FAIL",
        "claude/oncall": "FAIL",
    }
