"""What a commit's subject announces is a hint; what it says nothing of, and a guard, is not."""

import pytest

from reviewgate_gh.model.change import Commit
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.comparisons._announced import weigh_announced

BEFORE = "Before: `{}`. Now: nothing in its place. Restore it."
SAID = "A commit says so in its subject. "


def lost(rule: str, title: str, was: str = "", priority: Priority = Priority.P2) -> Finding:
    return Finding(priority, "change", f"change/{rule}", "src/a.py", 1, 1, title, was)


ANNOUNCED = [
    ("test-removed", "a test is removed: test_orphaned_messages", "Drop flaky test"),
    ("test-removed", "a test is removed: testOrphanedMessages", "Retire orphaned-message check"),
    ("error-swallowed", "an error is now swallowed", "Ignore failures of the cache"),
    ("ci-matrix-reduced", "the tests no longer run with 3.8", "ci: stop testing 3.8"),
    ("guard-removed", "packages of npm are no longer updated", "Remove npm from Dependabot"),
    ("dependency-from-url", "lumen comes from an address", "Use our fork of lumen"),
    ("dependency-from-url", "requests comes from an address", "Use requests from git"),
    ("ci-trigger-removed", "this no longer runs for docs/**", "Skip CI on documentation"),
    ("ci-trigger-removed", "this no longer runs for src/**", "Skip CI on pushes"),
    ("migration-drops", "a migration drops data", "Remove the legacy tables"),
    ("assertion-weakened", "it says less: assertEquals(", "Use assertTrue instead in some tests"),
    ("ci-check-removed", "the pipeline loses a lint: isort", "Cease using isort, fix the CI"),
    ("ci-check-removed", "the pipeline loses a lint: isort", "ci: fix cache and remove isort"),
    ("guard-removed", "renovate.json is removed", "renovate: remove"),
]


@pytest.mark.parametrize(("rule", "title", "subject"), ANNOUNCED)
def test_what_the_subject_says_is_a_hint(rule: str, title: str, subject: str) -> None:
    told = weigh_announced(lost(rule, title), [Commit("1", "Fix typo"), Commit("2", subject)])
    assert told.priority is Priority.P3 and told.body.startswith(SAID)


def test_what_stood_there_may_be_named() -> None:
    finding = lost("error-swallowed", "an error is dropped", BEFORE.format("connect(syncRelay)"))
    told = weigh_announced(finding, [Commit("1", "Tolerate a missing sync-relay")])
    assert told.priority is Priority.P3


@pytest.mark.parametrize(
    "subject",
    [
        "Add shipping costs",
        "Speed up the test suite",
        "Fix allowlist bypass",
        "Remove dead helper",
        "",
    ],
)
def test_what_no_subject_says_stays(subject: str) -> None:
    finding = lost("test-removed", "a test is removed: test_rounding", BEFORE.format("def x():"))
    assert weigh_announced(finding, [Commit("1", subject)]) == finding


@pytest.mark.parametrize(
    ("rule", "title", "subject"),
    [
        ("dependency-from-url", "requests comes from an address", "Use the fixed requests"),
        ("ci-trigger-removed", "this no longer runs for src/**", "Skip CI on documentation"),
        ("ci-trigger-removed", "this no longer runs for changes to code", "Ignore docs in CI"),
        ("assertion-weakened", "2 assertions are removed", "Fix tests for use with old PHPUnit"),
        ("assertion-weakened", "2 assertions are removed", "Use tabs in tests"),
        ("assertion-weakened", "2 assertions are removed", "Remove unused imports from tests"),
        ("test-skipped", "a test is skipped: reads drafts", "Allow access to drafts"),
        ("test-skipped", "a test is skipped: reads drafts", "Add `Options.DisableDrafts`"),
        ("ci-check-removed", "the pipeline loses a lint: isort", "Use uv in CI"),
        ("ci-check-removed", "the pipeline loses a lint: isort", "Remove codecov from CI"),
        ("ci-check-removed", "the pipeline loses a lint: isort", "Let cut_release write isort"),
        ("ci-check-removed", "the pipeline loses a lint: isort", "ci: fix isort and remove cache"),
        ("ci-check-loosened", "what `--hash` asked is gone", "ci: switch to trusted publishing"),
        ("timeout-removed", "a time limit is removed", "Add the ability to disable timeouts"),
        ("timeout-removed", "a time limit is removed", "Use redis 0.9 for timeouts"),
        ("migration-edited", "an existing migration is edited", "Reduce max_length to 16"),
    ],
)
def test_what_else_the_subject_speaks_of_stays(rule: str, title: str, subject: str) -> None:
    finding = lost(rule, title)
    assert weigh_announced(finding, [Commit("1", subject)]) == finding


@pytest.mark.parametrize(
    ("rule", "title", "priority"),
    [
        ("access-check-removed", "delete_user is no longer guarded by login_required", Priority.P2),
        ("removed-name-used", "export_all is removed, and is still used in b.py:1", Priority.P2),
        ("ci-failure-ignored", "failures of this check are now ignored", Priority.P1),
        ("ci-check-removed", "the pipeline loses a test run: pytest", Priority.P1),
    ],
)
def test_no_subject_makes_a_guard_or_a_breakage_less(
    rule: str, title: str, priority: Priority
) -> None:
    finding = lost(rule, title, priority=priority)
    said = "Remove login_required, export_all, ignore failures, drop the test job"
    assert weigh_announced(finding, [Commit("1", said)]) == finding
