"""A verifier's word alone takes no finding away, and nobody is outvoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.ensemble.answer import REASON_KINDS, RULINGS, Ruling
from reviewgate_gh.ensemble.rulings import (
    NO_PROOF_REASON,
    ModelRuling,
    RulingTerms,
    apply_rulings,
    can_be_ruled_on,
    objection,
)
from reviewgate_gh.findings.code_search import CodeIndex
from reviewgate_gh.findings.scope import ChangedLines
from reviewgate_gh.gate.policy import decide_verdict
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority
from reviewgate_gh.model.report import Outcome
from reviewgate_gh.model.review import Review
from tests.unit.support import added, change, edited

ROWS = (
    " def pay(order):",
    "-    assert order",
    "+    if order is None:",
    "+        return 0",
    "+    # always validated upstream",
)
FILE = edited("src/app.py", *ROWS, start=7)
CODE = CodeIndex(ChangedLines(change(FILE, added("src/b.py", "limit = 1000\n}){}[]({});]}\n"))))
PROOF = "    if order is None:\n        return 0"
FOUND = Finding(
    Priority.P1,
    "correctness",
    "",
    "src/app.py",
    8,
    8,
    "order may be None",
    placed=True,
    sources=("claude/correctness",),
)
LOST = replace(FOUND, placed=False, line_start=0, line_end=0)


def ruling(
    word="refuted", kind="behaviour", quote=PROOF, file="src/app.py", reason="It returns\nbefore."
):
    return Ruling("f1", word, reason, kind, file, quote)


MODELS = ("claude", "codex", "gemini")


def after(finding, *given, approved=False, threshold="P1"):
    """After rulings by name; a bare one is the finder's own."""
    terms = RulingTerms(CODE, MODELS, approved, threshold)
    said = [each if type(each) is ModelRuling else ModelRuling("claude", each) for each in given]
    (done,) = apply_rulings((finding,), lambda _: said, terms)
    return done


def outcome(*findings):
    return decide_verdict(findings, [Review("claude")], (), "P1", Coverage()).outcome


@pytest.mark.req("R003-020")
def test_an_uncertain_finding_stays_with_low_confidence():
    done = after(FOUND, ruling("uncertain", "other", ""))
    assert (done.state, done.confidence, done.note) == (
        FindingState.OPEN,
        Confidence.LOW,
        "uncertain: It returns before.",
    )
    assert outcome(done) is Outcome.CONCERNS
    assert outcome(replace(done, priority=Priority.P2)) is Outcome.PASS


def test_a_confirmed_finding_and_one_without_a_ruling_stay_as_they_are():
    assert after(FOUND, ruling("confirmed")) == FOUND and after(FOUND) == FOUND
    unsure = replace(FOUND, confidence=Confidence.LOW)
    assert after(unsure, ruling("confirmed")) == unsure


@pytest.mark.parametrize(
    ("finding", "kind", "note"),
    [
        pytest.param(FOUND, "behaviour", "refuted: the code does not do "
        "this: It returns before.", marks=pytest.mark.req("R003-024")),
        pytest.param(FOUND, "excluded", "refuted: outside the scope of a "
        "review: It returns before.", marks=pytest.mark.req("R003-025")),
        pytest.param(LOST, "vague", "refuted: it names no code: "
        "It returns before.", marks=pytest.mark.req("R003-026")),
        (FOUND, "vague", None), (FOUND, "other", None), (LOST, "other", None),
    ],
)  # fmt: skip
def test_a_finding_is_refuted_for_three_reasons_only(finding, kind, note):
    done = after(finding, ruling(kind=kind))
    assert done == replace(
        finding,
        state=FindingState.REFUTED if note else FindingState.OPEN,
        note=note or NO_PROOF_REASON,
    )
    assert (outcome(done) is Outcome.PASS) is bool(note)


@pytest.mark.parametrize(
    ("quote", "file", "counts"),
    [
        (PROOF, "src/app.py", True),
        ("if order is None:", "a/src/app.py", True),
        ("+     8 |     if order is None:", "src/app.py", True),
        ("if order  is None : return 0", "src/app.py", False),
        ("limit = 1000", "", True),
        ("if order is None:", "src/b.py", False),
        ("if order is None:", "src/elsewhere.py", False),
        ("", "src/app.py", False),
        ("return 0", "src/app.py", False),
        ("        \n\n", "", False),
        ("# always validated upstream", "src/app.py", False),
        ("# always validated upstream\n", "", False),
        ("assert order", "src/app.py", False),
        ("order is checked by the caller", "src/app.py", False),
        ("}){}[]({});]}", "src/b.py", False),
    ],
)
def test_only_code_that_is_there_proves_anything(quote, file, counts):
    assert CODE.contains(file, quote) is counts
    done = after(FOUND, ruling(quote=quote, file=file))
    assert (
        (done.state is FindingState.REFUTED) is counts
        and (done.note == NO_PROOF_REASON) is not counts
        and done.confidence is Confidence.HIGH
    )


@pytest.mark.req("R003-013")
@pytest.mark.parametrize("source", ["claude/audit-1", "claude/audit-12", "codex/audit-3"])
@pytest.mark.parametrize("word", RULINGS)
def test_what_the_reverse_audit_finds_is_not_ruled_on(source, word):
    for sources in ((source,), ("claude/correctness", source)):
        found = replace(FOUND, sources=sources)
        assert not can_be_ruled_on(found) and after(found, ruling(word)) == found


@pytest.mark.parametrize("part", ["audit", "auditing", "audit-trail", "audit-1b", "verify-audit-1"])
def test_a_lens_with_a_name_like_the_audits_is_a_lens(part):
    found = replace(FOUND, sources=(f"claude/{part}",))
    assert can_be_ruled_on(found) and after(found, ruling("uncertain")).confidence is Confidence.LOW


@pytest.mark.parametrize("word", RULINGS)
def test_what_a_tool_finds_or_shares_is_never_lowered(word):
    shared = replace(FOUND, rule="bandit/B602", sources=("bandit", "claude/security"))
    closed = replace(FOUND, state=FindingState.WAIVED)
    for found in (shared, closed):
        assert not can_be_ruled_on(found) and after(found, ruling(word)) == found


P2 = replace(FOUND, priority=Priority.P2)
BOTH = replace(FOUND, sources=("claude/correctness", "codex/tests"))
OLD = replace(FOUND, sources=("claude/correctness", "earlier review/changed"))
STRANGE = replace(FOUND, sources=("imported",))
OPEN, LOW, GONE = "open", "low", "refuted"


def say(model, word="refuted", **more):
    return ModelRuling(model, ruling(word, **more))


@pytest.mark.parametrize(
    ("finding", "given", "not_approved", "approved"),
    [
        # One other model says so, with code
        (FOUND, [say("codex")], OPEN, LOW),
        (BOTH, [say("gemini")], OPEN, LOW),
        (BOTH, [say("claude")], OPEN, LOW),
        (STRANGE, [say("codex")], OPEN, LOW),
        (replace(FOUND, sources=("codexes/x",)), [say("codex")], OPEN, LOW),
        # Its finder withdraws it, or all of them do
        (FOUND, [say("claude")], GONE, GONE),
        (OLD, [say("claude")], GONE, GONE),
        (FOUND, [say("codex"), say("claude", quote="")], GONE, GONE),
        (BOTH, [say("claude"), say("codex", quote="", kind="other")], GONE, GONE),
        (BOTH, [say("gemini"), say("codex"), say("claude", "confirmed")], OPEN, LOW),
        (FOUND, [say("claude", quote="")], OPEN, OPEN),
        (FOUND, [say("codex", quote=""), say("claude", quote="")], OPEN, OPEN),
        # Two others
        (FOUND, [say("codex"), say("gemini")], GONE, LOW),
        (FOUND, [say("codex"), say("gemini"), say("claude", "confirmed")], GONE, LOW),
        (FOUND, [say("codex"), say("gemini", quote="")], OPEN, LOW),
        (FOUND, [say("codex"), say("gemini", kind="other")], OPEN, LOW),
        (FOUND, [say("codex"), say("codex")], OPEN, LOW),
        (STRANGE, [say("codex"), say("gemini")], GONE, LOW),
        # Doubt
        (FOUND, [say("codex", "uncertain")], OPEN, LOW),
        (FOUND, [say("codex", "uncertain"), say("gemini", "uncertain")], OPEN, LOW),
        (FOUND, [say("claude", "uncertain")], LOW, LOW),
        (FOUND, [say("codex"), say("claude", "uncertain")], LOW, LOW),
        (BOTH, [say("claude", "uncertain")], OPEN, LOW),
        (BOTH, [say("claude"), say("codex", "uncertain")], LOW, LOW),
        (FOUND, [say("codex"), say("claude", "confirmed")], OPEN, LOW),
        # What does not block
        (P2, [say("codex")], GONE, GONE),
        (P2, [say("codex", "uncertain")], LOW, LOW),
        (P2, [say("codex", quote="")], OPEN, OPEN),
    ],
)
def test_nobody_is_outvoted(finding, given, not_approved, approved):
    """On a change that is not approved; on an approved one a person decides what is doubted."""
    for is_approved, expected in ((False, not_approved), (True, approved)):
        done = after(finding, *given, approved=is_approved)
        state = done.state if done.confidence is Confidence.HIGH else LOW
        assert state == expected, done.note
        if expected == OPEN and finding.priority is Priority.P1:
            assert outcome(done) is Outcome.BLOCK
        if expected == LOW and finding.priority is Priority.P1:
            assert outcome(done) is Outcome.CONCERNS


def test_a_threshold_below_p1_protects_what_blocks_there():
    assert after(P2, say("codex"), threshold="P2").state is FindingState.OPEN


@pytest.mark.parametrize(
    ("finding", "given", "approved", "heard"),
    [
        (FOUND, say("codex"), False, True),
        (BOTH, say("claude"), False, True),
        (FOUND, say("claude"), False, False),
        (FOUND, say("codex"), True, False),
        (FOUND, say("codex", quote=""), False, False),
        (FOUND, say("codex", "uncertain"), False, False),
        (P2, say("codex"), False, False),
    ],
)
def test_which_rulings_are_put_to_the_finder(finding, given, approved, heard):
    terms = RulingTerms(CODE, MODELS, approved, "P1")
    assert (objection(finding, given, terms) == given.ruling) is heard
    assert (objection(finding, given, terms) is None) is not heard


RULED = st.builds(Ruling, st.just("f"), st.sampled_from(RULINGS), st.text(max_size=20),
    st.sampled_from(REASON_KINDS),
                  st.sampled_from(["src/app.py", "", "x"]),
                  st.one_of(st.text(max_size=30), st.just(PROOF)))  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from([FOUND, LOST, replace(FOUND, rule="t/x")]), st.none() | RULED),
        max_size=8,
    )
)
def test_no_finding_is_lost_and_none_is_raised(rows):
    given_to = iter(said for _, said in rows)
    findings = tuple(replace(finding, title=str(at)) for at, (finding, _) in enumerate(rows))
    by_title = {finding.title: next(given_to) for finding in findings}
    done = tuple(after(each, *filter(None, [by_title[each.title]])) for each in findings)
    assert [(f.title, f.priority, f.sources) for f in done] == [
        (f.title, f.priority, f.sources) for f in findings
    ]
    for before, now in zip(findings, done, strict=True):
        said = by_title[before.title]
        assert now == before or (
            said is not None and said.ruling != "confirmed" and not before.rule and now.note
        )
        assert now.state is FindingState.OPEN or (
            said is not None and said.ruling == "refuted" and said.quote
        )
