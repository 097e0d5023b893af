"""Who read which file: the code that nobody for its language read makes the verdict concerns, or
none."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.gate.coverage import CoverageFacts, ReaderClaim, build_coverage, possible_readers
from reviewgate_gh.gate.policy import decide_verdict
from reviewgate_gh.model.change import EMPTY_BLOBS, FileDiff
from reviewgate_gh.model.coverage import ALLOW_KEY, Coverage, CoveragePolicy, ReadDepth
from reviewgate_gh.model.languages import detect_language
from reviewgate_gh.model.report import Outcome
from reviewgate_gh.model.review import Review, ReviewStatus
from tests.unit.support import change, finding

FILE = FileDiff("main.go", "main.go", "M", "100644", "100644", "1" * 40, "2" * 40)
GOOD = Review("builtin")
REPORT = CoveragePolicy()


def covered(
    *files: FileDiff, readings=(), excluded=(), before=(), unread=(), policy=REPORT, left=()
):
    known = CoverageFacts(
        lambda file: detect_language(file.path, file.mode, b""),
        lambda file: detect_language(file.old_path, file.old_mode, b""),
        excluded,
        before,
        unread,
        lambda name: f"read {name}",
        newly_excluded=left,
    )
    return build_coverage(change(*files), readings, known, policy)


def row(file: FileDiff, **facts):
    [only] = covered(file, **facts).rows
    return only


def reads(*paths: str, languages=("Go",)):
    return (ReaderClaim("linters/x", frozenset(paths), frozenset(languages)),)


def outcome(coverage: Coverage, *findings):
    return decide_verdict(list(findings), (GOOD,), (), "P1", coverage).outcome


def test_code_that_nobody_read_is_named_with_who_could():
    found = row(FILE)
    assert (found.path, found.language, found.how, found.missing, found.why) == (
        "main.go",
        "Go",
        ReadDepth.SCANNED,
        True,
        "read Go",
    )


@pytest.mark.req("R005-001")
def test_a_reviewer_counts_for_the_files_it_read_in_the_languages_it_knows():
    assert row(FILE, readings=reads("main.go")).how is ReadDepth.REVIEWED
    assert row(FILE, readings=reads("main.go")).by == ("linters/x",)
    assert row(FILE, readings=reads("other.go")).missing
    assert row(FILE, readings=reads("main.go", languages=("Python",))).missing
    assert not row(FILE, readings=(ReaderClaim("claude/quality", frozenset({"main.go"})),)).missing


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (replace(FILE, status="D", mode="000000", oid="0" * 40), "deleted"),
        (replace(FILE, mode="120000"), "a symbolic link"),
        (replace(FILE, mode="160000"), "a submodule"),
        (replace(FILE, binary=True), "binary"),
        (replace(FILE, oid=EMPTY_BLOBS[0]), "empty"),
        (replace(FILE, status="R", old_path="cmd/main.go", oid=FILE.old_oid), "unchanged content"),
        (replace(FILE, mode="100755", oid=FILE.old_oid), "unchanged content"),
        (replace(FILE, path="notes.txt", old_path="notes.txt"), "no code"),
    ],
)
def test_what_nobody_need_read_says_why(file, why):
    found = row(file)
    assert not found.missing and found.why == why


@pytest.mark.parametrize(
    ("old_path", "path", "old_mode", "mode"),
    [
        ("notes.txt", "notes.go", "100644", "100644"),
        ("docs/ci.yml", ".github/workflows/ci.yml", "100644", "100644"),
        (".github/workflows/x.yml.disabled", ".github/workflows/x.yml", "100644", "100644"),
        ("a.py", "a.go", "100644", "100644"),
        ("deploy", "deploy", "100644", "100755"),
    ],
)
@pytest.mark.parametrize("edited", [True, False])
def test_a_name_or_mode_that_makes_code_of_what_was_none_leaves_it_unread_whoever_was_given_it(
    old_path, path, old_mode, mode, edited
):
    oid = FILE.oid if edited else FILE.old_oid
    file = replace(
        FILE, status="R", old_path=old_path, path=path, old_mode=old_mode, mode=mode, oid=oid
    )
    found = row(file, readings=(ReaderClaim("claude", frozenset({path})),))
    assert found.missing and "was no" in found.why


def test_what_comes_out_of_an_excluded_folder_is_new():
    file = replace(FILE, status="R", old_path="vendor/main.go", oid=FILE.old_oid)
    assert row(file, before=("main.go",), readings=reads("main.go")).missing
    assert not row(file, readings=reads("main.go")).missing


def test_code_that_moves_to_where_nobody_reads_it_counts_as_not_reviewed():
    file = replace(FILE, status="R", old_path="api/main.go", path="vendor/main.go")
    found = row(file, excluded=(file.path,), left=(file.path,))
    assert found.missing and "subject to review as api/main.go" in found.why
    assert not row(file, excluded=(file.path,)).missing
    prose = replace(file, old_path="api/a.md", path="vendor/a.md")
    assert not row(prose, excluded=(prose.path,), left=(prose.path,)).missing


def test_excluded_files_are_counted_and_count_against_nothing():
    found = covered(FILE, excluded=("main.go",))
    assert (found.excluded, found.missing, found.rows[0].why) == (1, (), "policy.exclude")
    assert outcome(found) is Outcome.PASS


def test_concerns_or_nothing_or_no_verdict_as_the_policy_says():
    assert outcome(covered(FILE)) is Outcome.CONCERNS
    assert outcome(covered(FILE, policy=CoveragePolicy(unread="require"))) is Outcome.INCONCLUSIVE
    allowed = covered(FILE, policy=CoveragePolicy(unread="require", allow=("go",)))
    assert (
        outcome(allowed) is Outcome.PASS
        and allowed.allowed == 1
        and allowed.rows[0].why == ALLOW_KEY
    )
    assert outcome(covered(FILE, policy=CoveragePolicy(allow=("Rust",)))) is Outcome.CONCERNS
    assert outcome(covered(FILE), finding(placed=True)) is Outcome.BLOCK


def test_a_reviewer_that_broke_leaves_it_inconclusive_and_both_are_said():
    verdict = decide_verdict(
        [], (GOOD, Review("x", status=ReviewStatus.TIMEOUT, error="slow")), (), "P1", covered(FILE)
    )
    assert verdict.outcome is Outcome.INCONCLUSIVE and len(verdict.reasons) == 2


def test_what_nobody_read_at_all_stays_inconclusive_and_is_told_apart():
    coverage = covered(FILE, replace(FILE, path="b.go"), unread=("b.go",))
    verdict = decide_verdict([], (GOOD,), ("b.go",), "P1", coverage)
    assert verdict.outcome is Outcome.INCONCLUSIVE and verdict.not_reviewed == ("b.go", "main.go")
    again = decide_verdict([], (GOOD,), verdict.not_reviewed, "P1", coverage)
    assert again == verdict
    assert decide_verdict([], (GOOD,), ("main.go",), "P1", coverage).outcome is Outcome.CONCERNS


def test_the_words_count_by_language_and_name_a_few():
    names = ["a.kt", *(f"{letter}.go" for letter in "abcd")]
    coverage = covered(*(replace(FILE, path=name, old_path=name) for name in names))
    assert (
        coverage.reason
        == "5 files were not reviewed: 4 Go (a.go, b.go, c.go and 1 more), 1 Kotlin (a.kt)"
    )
    assert coverage.summary == "5 not reviewed: 4 Go, 1 Kotlin"
    assert set(coverage.advice) == {"Go: read Go", "Kotlin: read Kotlin"}
    assert covered(FILE).reason == "1 file was not reviewed: 1 Go (main.go)"
    assert Coverage().reason == Coverage().summary == ""


def test_who_could_read_it():
    assert possible_readers([]).startswith("no linter of the gate reviews it; ")
    assert possible_readers(["acme reads it"]).startswith("acme reads it; or ")
