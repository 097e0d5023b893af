"""A verifier's word alone takes no finding away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.ensemble.anchor import NO_PROOF_REASON, apply_rulings, can_be_ruled_on
from reviewgate_gh.ensemble.answer import REASON_KINDS, RULINGS, Ruling
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


def after(finding, given_ruling):
    (done,) = apply_rulings((finding,), lambda _: given_ruling, CODE)
    return done


@pytest.mark.req("R003-020")
def test_an_uncertain_finding_stays_with_low_confidence():
    done = after(FOUND, ruling("uncertain", "other", ""))
    assert (done.state, done.confidence, done.note) == (
        FindingState.OPEN,
        Confidence.LOW,
        "uncertain: It returns before.",
    )
    assert decide_verdict([done], [Review("claude")], (), "P1", Coverage()).outcome is Outcome.PASS


def test_a_confirmed_finding_and_one_without_a_ruling_stay_as_they_are():
    assert after(FOUND, ruling("confirmed")) == FOUND and after(FOUND, None) == FOUND
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
    assert (
        decide_verdict([done], [Review("claude")], (), "P1", Coverage()).outcome is Outcome.PASS
    ) is bool(note)


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
def test_what_the_reverse_audit_finds_is_certain(source, word):
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
    done = apply_rulings(findings, lambda finding: by_title[finding.title], CODE)
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
