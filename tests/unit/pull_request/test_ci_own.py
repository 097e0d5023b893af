"""Whose result a check is: what may be our own is never the success that an approval rests on, and
what is not ours keeps its word."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.github.check_runs import has_own_external_id, is_own_check
from reviewgate_gh.model.pull_request import Account, Check, CiClass, OwnResult, RequiredCheck
from reviewgate_gh.pull_request.ci import ci_obstacles, ci_status, ignored_check_messages
from tests.unit.pull_request.pulls import check, commit_status

EARLY, LATE, LATEST = "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"
FILE, OTHER = ".github/workflows/ci.yml", ".github/workflows/other.yml"
# The job that asks: `gate` of run 7.
JOB = check("gate", "in_progress", "", own=OwnResult.RUN, run="7", workflow="", started=LATE)
VERDICT = check("reviewgate-gh", own=OwnResult.VERDICT, marked=True, workflow="")
# What may be the same job, with the words that are added about its workflow to the one that asks.
ALIKE = {
    "another attempt": (check("gate", run="7", workflow=""), ""),
    "another leg of the matrix": (check("gate (3.12)", run="7", workflow=""), ""),
    "another run of the workflow": (check("gate", run="6", workflow=FILE), FILE),
    "a run whose workflow nobody may read": (check("gate", run="6", workflow="run 6"), "run 7"),
}
OTHERS = {
    "a job of another name": (check("test", run="7", workflow=""), ""),
    "a name that begins alike": (check("gate-keeper", run="7", workflow=""), ""),
    "a job of another workflow": (check("gate", run="6", workflow=OTHER), FILE),
    "another app": (check("gate", app="circleci", workflow=""), ""),
    "a check run that a workflow made": (check("gate", workflow=""), ""),
    "a status": (commit_status("gate", "success"), ""),
    "a verdict's name by another app": (check("reviewgate-gh", app="other-ci", workflow=""), ""),
    "a verdict's name by another workflow": (check("reviewgate-gh", workflow=""), ""),
    "a copied external id": (check("reviewgate-gh", app="other-ci", workflow="", marked=True), ""),
    "a status of the verdict's name": (commit_status("reviewgate-gh", "success"), ""),
}


def beside(other: Check, workflow: str) -> tuple[Check, ...]:
    return other, replace(JOB, workflow=workflow), VERDICT


def bad(other: Check) -> Check:
    return (
        replace(other, status="failure")
        if other.kind == "status"
        else replace(other, conclusion="failure")
    )


@pytest.mark.parametrize("when", ["", EARLY, LATE, LATEST])
@pytest.mark.parametrize("name", ALIKE)
def test_a_success_that_may_be_our_own_does_not_count(name: str, when: str) -> None:
    other, workflow = ALIKE[name]
    status = ci_status(beside(replace(other, completed=when), workflow))
    assert (status.ci_class, status.total) == (CiClass.NO_CHECKS, 0) and ci_obstacles(status, True)
    assert other.name in {each.name for each in status.ignored}


@pytest.mark.parametrize("name", ALIKE)
def test_a_skipped_one_is_no_obstacle(name: str) -> None:
    other, workflow = ALIKE[name]
    assert (
        ci_status((*beside(replace(other, conclusion="skipped"), workflow), check("test"))).ci_class
        is CiClass.ALL_PASSED
    )


@pytest.mark.parametrize(
    "words",
    [("completed", "failure"), ("in_progress", ""), ("completed", "odd"), ("odd", "")],
    ids="-".join,
)
@pytest.mark.parametrize("name", ALIKE)
def test_what_else_it_says_counts_unless_ours_replaces_it(
    name: str, words: tuple[str, str]
) -> None:
    other, workflow = ALIKE[name]
    loud = replace(other, status=words[0], conclusion=words[1], completed=LATE)
    assert ci_status(beside(loud, workflow)).total == 1


@pytest.mark.parametrize(
    ("name", "replaced"),
    [(name, name in ("another attempt", "another run of the workflow")) for name in ALIKE],
)
def test_what_had_ended_before_ours_began_is_replaced_where_it_is_surely_the_same_job(
    name: str, replaced: bool
) -> None:
    other, workflow = ALIKE[name]
    assert (
        ci_status(beside(replace(bad(other), completed=EARLY), workflow)).ci_class
        is CiClass.NO_CHECKS
    ) == replaced


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_somebody_else_s_counts_both_ways(name: str) -> None:
    other, workflow = OTHERS[name]
    for each, cls in ((other, CiClass.ALL_PASSED), (bad(other), CiClass.ANY_FAILURE)):
        status = ci_status(beside(replace(each, completed=EARLY), workflow))
        assert (status.ci_class, status.total) == (cls, 1) and (not ci_obstacles(status, True)) == (
            cls is CiClass.ALL_PASSED
        )


@pytest.mark.parametrize("conclusion", ["success", "neutral", "failure"])
def test_our_own_verdict_counts_in_no_way(conclusion: str) -> None:
    status = ci_status([replace(VERDICT, conclusion=conclusion)])
    assert (status.ci_class, status.total, status.failed, status.skipped) == (
        CiClass.NO_CHECKS,
        0,
        (),
        (),
    )
    assert (not ci_obstacles(status, False)) and ci_obstacles(status, True)
    assert ci_obstacles(status, True) == (
        (
            "The only CI checks are reviewgate-gh's own (reviewgate-gh), and policy.require_ci "
            "requires others."
        ),
    )
    assert (
        ci_status([replace(VERDICT, conclusion=conclusion), check()]).ci_class is CiClass.ALL_PASSED
    )
    assert ci_status([check()], merge=[replace(VERDICT, conclusion=conclusion)]).total == 1


def test_the_job_that_asks_is_known_at_the_test_merge_too() -> None:
    assert (
        ci_status([JOB], merge=[check("gate", run="7", workflow="")]).ci_class is CiClass.NO_CHECKS
    )


def test_the_verdict_that_the_branch_requires_is_not_waited_for_and_any_other_is() -> None:
    status = ci_status([check()], [RequiredCheck("reviewgate-gh", own=True)])
    assert (
        status.ci_class is CiClass.ALL_PASSED
        and "not been posted yet" in ignored_check_messages(status)[0]
    )
    assert ci_status([check()], [RequiredCheck("reviewgate-gh", "other-ci")]).missing_required == (
        "reviewgate-gh",
    )
    reported = ci_status([check(), VERDICT], [RequiredCheck("reviewgate-gh", own=True)])
    assert (
        reported.ci_class is CiClass.ALL_PASSED
        and "own verdict" in ignored_check_messages(reported)[0]
    )


def test_it_is_told_what_was_left_out_and_what_looks_like_ours_and_counts() -> None:
    status = ci_status([VERDICT, JOB, check("reviewgate-gh", app="other-ci", marked=True)])
    assert ignored_check_messages(status) == (
        "not counted as CI: gate by github-actions: this workflow run",
        "not counted as CI: reviewgate-gh by github-actions: reviewgate-gh's own verdict",
    )
    [note] = status.notes
    assert "counted although" in note and "reviewgate-gh by other-ci" in note


@pytest.mark.parametrize(
    ("app", "external", "own"),
    [
        ("github-actions", "reviewgate-gh:0123456789abcdef", True),
        ("my-gate", "reviewgate-gh:0123456789abcdef", True),
        ("other-ci", "reviewgate-gh:0123456789abcdef", False),
        ("", "reviewgate-gh:0123456789abcdef", False),
        ("github-actions", "", False),
        ("github-actions", "reviewgate-gh:", False),
        ("github-actions", "reviewgate-gh", False),
        ("github-actions", "x reviewgate-gh:0123456789abcdef", False),
        ("github-actions", "reviewgate-gh:0123456789abcdef\n", False),
        ("github-actions", "7c2f7c5e-6d1c-5a3e-9c5f-0d8f6a3f2b11", False),
    ],
)
def test_our_own_verdict_is_known_by_app_and_external_id(
    app: str, external: str, own: bool
) -> None:
    assert is_own_check(app, external, {"github-actions", "my-gate"}) is own
    assert not own or has_own_external_id(external)


def test_a_bot_is_an_app_and_a_person_is_none() -> None:
    logins = [
        Account(1, "my-gate[bot]", "Bot"),
        Account(1, "my-gate", "Bot"),
        Account(1, "my-gate"),
    ]
    assert [account.app for account in logins] == ["my-gate", "my-gate", ""]
