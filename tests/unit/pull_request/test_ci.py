"""CI's state: every cell of status x conclusion x own or foreign x re-run, against an oracle that
is written differently."""

import os
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.model.pull_request import Check, CiClass, CiStatus, OwnResult, RequiredCheck
from reviewgate_gh.pull_request.ci import ci_obstacles, ci_status
from tests.unit.pull_request.pulls import check, commit_status
from tests.unit.reporters.golden import assert_golden

STATUSES = (
    "completed",
    "queued",
    "in_progress",
    "waiting",
    "requested",
    "pending",
    "expected",
    "",
    "frobnicate",
    "COMPLETED",
)
CONCLUSIONS = (
    *("success", "failure", "cancelled", "timed_out", "action_required", "startup_failure"),
    *("skipped", "neutral", "stale", "", "frobnicate", "error", "SUCCESS"),
)
STATES = (
    "success",
    "failure",
    "error",
    "pending",
    "expected",
    "",
    "frobnicate",
    "cancelled",
    "completed",
    "SUCCESS",
)
EARLY, LATE = "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"
# One word a check: what it amounts to. Written down by hand, apart from the code.
WORDS = {
    "success": "passed",
    **dict.fromkeys(
        ("failure", "cancelled", "timed_out", "action_required", "startup_failure"), "failed"
    ),
    **dict.fromkeys(("skipped", "neutral", "stale", ""), "idle"),
}
CLASS = {
    "passed": "all_pass",
    "failed": "any_failure",
    "idle": "not_run",
    "waits": "all_pending",
    "strange": "unknown",
    "": "no_checks",
}
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
Cell = tuple[str, str]
CELLS: tuple[Cell, ...] = tuple(product(STATUSES, CONCLUSIONS))


def oracle(cell: Cell) -> str:
    """What one check run amounts to."""
    status, conclusion = (word.lower() for word in cell)
    if status == "completed":
        return WORDS.get(conclusion, "strange")
    return "strange" if status in ("", "frobnicate") else "waits"


def rerun_oracle(first: Cell, second: Cell, order: str) -> str:
    """What two runs of one job amount to; `order` says whether the second is later, at the same
    time, or nobody knows."""
    meant = [oracle(first), oracle(second)]
    over = [cell[0].lower() == "completed" for cell in (first, second)]
    if not all(over):
        still = [word for word, ended in zip(meant, over, strict=True) if not ended]
        if len(still) == 1 or order != "later":
            return "strange" if "strange" in still else still[0]
        return still[1]
    if "idle" in meant:
        return next((word for word in meant if word != "idle"), "idle")
    if order == "later":
        return meant[1]
    return next(word for word in ("failed", "strange", "passed") if word in meant)


def at(cell: Cell, when: str, **fields: object) -> Check:
    """A check run with these words and one time."""
    return check(
        status=cell[0],
        conclusion=cell[1],
        started=when,
        completed=when if cell[0].lower() == "completed" else "",
        **fields,
    )


def word(status: CiStatus) -> str:
    """The oracle's word for what was made of a single name."""
    lists = {
        "failed": status.failed,
        "waits": status.pending,
        "idle": status.skipped,
        "strange": status.unknown,
    }
    named = [meant for meant, names in lists.items() if names]
    assert len(named) <= 1 and status.total == 1
    return named[0] if named else "passed"


@pytest.mark.parametrize("cell", CELLS, ids="-".join)
def test_one_check_and_our_own(cell: Cell) -> None:
    meant = oracle(cell)
    status = ci_status([at(cell, EARLY)])
    assert (word(status), status.ci_class) == (meant, CLASS[meant])
    assert (
        (not ci_obstacles(status, False)) == (not ci_obstacles(status, True)) == (meant == "passed")
    )
    for ours in (OwnResult.RUN, OwnResult.VERDICT):
        own = ci_status([at(cell, EARLY, own=ours)])
        assert replace(own, ignored=(), checks=()) == CiStatus(CiClass.NO_CHECKS) and [
            each.name for each in own.ignored
        ] == ["build"]
        beside = ci_status(
            [
                at(cell, EARLY),
                check("gate", "in_progress", "", own=ours),
                check("gate", "queued", "", own=ours),
            ]
        )
        assert replace(beside, ignored=(), checks=()) == replace(status, checks=())


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("order", ["later", "same", "unknown", "half known"])
def test_every_pair_of_runs_of_one_job(order: str) -> None:
    first_at, second_at = {
        "later": (EARLY, LATE),
        "same": (LATE, LATE),
        "unknown": ("", ""),
        "half known": ("", LATE),
    }[order]
    pairs = list(product(CELLS, CELLS))
    assert len(pairs) == 16_900
    for first, second in pairs if FULL else pairs[::7]:
        runs = [at(first, first_at), at(second, second_at)]
        expected = rerun_oracle(first, second, order)
        assert word(ci_status(runs)) == word(ci_status(runs[::-1])) == expected, (
            first,
            second,
            order,
        )


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("conclusion", ["", "success"])
def test_a_commit_status_has_one_word(state: str, conclusion: str) -> None:
    known = {
        "success": "passed",
        "failure": "failed",
        "error": "failed",
        "pending": "waits",
        "expected": "waits",
    }
    meant = "strange" if conclusion else known.get(state.lower(), "strange")
    assert ci_status([commit_status("ci/x", state, conclusion=conclusion)]).ci_class == CLASS[meant]


def test_a_later_status_replaces_a_pending_one() -> None:
    history = [
        commit_status("ci/x", "pending", started=EARLY),
        commit_status("ci/x", "success", started=LATE),
    ]
    assert ci_status(history).ci_class is CiClass.ALL_PASSED
    assert ci_status(
        [
            commit_status("ci/x", "success", started=EARLY),
            commit_status("ci/x", "pending", started=LATE),
        ]
    ).pending == ("ci/x",)
    assert ci_status(
        [commit_status("ci/x", "success"), commit_status("ci/x", "pending")]
    ).pending == ("ci/x",)


def test_a_later_word_that_is_no_status_is_not_hidden() -> None:
    history = [
        commit_status("ci/x", "success", started=EARLY),
        commit_status("ci/x", "completed", started=LATE),
    ]
    assert ci_status(history).ci_class is CiClass.UNKNOWN


def test_of_two_runs_the_one_that_ended_later_holds() -> None:
    long = check(conclusion="failure", started=EARLY, completed="2026-01-01T12:00:00Z")
    assert ci_status([long, check(started=LATE, completed=LATE)]).failed == ("build",)


def test_what_is_neither_a_check_nor_a_status_is_not_green() -> None:
    assert ci_status([check(kind="deployment")]).ci_class is CiClass.UNKNOWN


@pytest.mark.parametrize(
    ("other", "total"),
    [
        ({"app": "circleci"}, 2),
        ({"workflow": "Release"}, 2),
        ({"name": "test"}, 2),
        ({"kind": "status", "status": "error", "conclusion": ""}, 2),
        ({}, 1),
    ],
)
def test_only_runs_of_the_same_job_replace_each_other(other: dict[str, str], total: int) -> None:
    bad, good = (
        check(conclusion="failure", started=EARLY, completed=EARLY),
        check(started=LATE, completed=LATE),
    )
    status = ci_status(
        [good, Check(**{**{name: getattr(bad, name) for name in bad.__slots__}, **other})]
    )
    assert (status.total, bool(status.failed)) == (total, total == 2)


class TestOurOwnRun:
    """The gate sees itself running, and earlier runs of itself."""

    old = check("gate", conclusion="failure", started=EARLY, completed=EARLY)

    def test_a_foreign_check_with_our_name_counts(self) -> None:
        own = check("gate", "in_progress", "", own=OwnResult.RUN, started=LATE)
        assert ci_status(
            [own, check("gate", conclusion="failure", workflow="Other", completed=EARLY)]
        ).failed == ("gate",)
        assert ci_status(
            [own, check("gate", conclusion="failure", app="other", completed=EARLY)]
        ).failed == ("gate",)

    def test_it_replaces_what_the_same_job_of_its_workflow_said_before(self) -> None:
        status = ci_status(
            [self.old, check("gate", "in_progress", "", own=OwnResult.RUN, started=LATE)]
        )
        assert (status.ci_class, status.total) == (CiClass.NO_CHECKS, 0)
        assert [each.reason for each in status.ignored] == [
            "an earlier run of this job",
            "this workflow run",
        ]

    @pytest.mark.parametrize(
        "other",
        [
            # Ended when ours began
            check("gate", conclusion="failure", started=LATE, completed=LATE),
            check("gate", "in_progress", "", started=EARLY),  # runs
            check("gate", conclusion="failure", started=EARLY),  # nobody knows when it ended
        ],
    )
    def test_nothing_else_is_replaced(self, other: Check) -> None:
        assert (
            ci_status(
                [other, check("gate", "in_progress", "", own=OwnResult.RUN, started=LATE)]
            ).total
            == 1
        )

    def test_nor_where_the_workflow_or_our_start_is_not_known(self) -> None:
        assert ci_status([self.old, check("gate", "queued", "", own=OwnResult.RUN)]).failed == (
            "gate",
        )
        nameless = check("gate", conclusion="failure", workflow="", completed=EARLY)
        assert ci_status(
            [
                nameless,
                check("gate", "in_progress", "", workflow="", own=OwnResult.RUN, started=LATE),
            ]
        ).failed == ("gate",)


class TestRequired:
    """What the branch's rules ask for."""

    def test_absent_is_pending_and_named(self) -> None:
        status = ci_status([check()], [RequiredCheck("build"), RequiredCheck("e2e")])
        assert (status.ci_class, status.pending, status.missing_required) == (
            CiClass.ALL_PENDING,
            ("e2e",),
            ("e2e",),
        )
        assert ci_obstacles(status, False) == ("Required checks have not reported yet: e2e.",)
        assert ci_status([], [RequiredCheck("e2e")]).ci_class is CiClass.ALL_PENDING

    def test_a_status_of_that_name_by_another_app_is_not_it(self) -> None:
        posted = [check("test"), commit_status("build", "success")]
        assert ci_status(posted, [RequiredCheck("build")]).ci_class is CiClass.ALL_PASSED
        assert ci_status(posted, [RequiredCheck("build", "github-actions")]).missing_required == (
            "build",
        )
        assert (
            ci_status([*posted, check()], [RequiredCheck("build", "github-actions")]).ci_class
            is CiClass.ALL_PASSED
        )

    def test_our_own_run_is_not_missing(self) -> None:
        own = check("gate", "in_progress", "", own=OwnResult.RUN)
        assert ci_status([own, check()], [RequiredCheck("gate")]).ci_class is CiClass.ALL_PASSED

    def test_rules_that_cannot_be_read_are_said(self) -> None:
        status = ci_status([check()], None)
        assert status.ci_class is CiClass.ALL_PASSED and "could not be read" in status.notes[0]


def test_a_skipped_job_behind_a_failed_one_is_red() -> None:
    assert (
        ci_status(
            [check("a", conclusion="failure"), check("b", conclusion="skipped")],
            [RequiredCheck("b")],
        ).ci_class
        is CiClass.ANY_FAILURE
    )


def test_the_test_merge_commit_counts_on_its_own() -> None:
    late, red = (
        commit_status("x", "success", started=LATE),
        commit_status("x", "failure", started=EARLY),
    )
    assert ci_status([late], merge=[red]).failed == ("x",)
    assert ci_status([late], merge=[late]).total == 2


def test_a_list_that_is_not_whole_is_not_green() -> None:
    status = ci_status([check()], cut="GitHub lists only the newest 1,000 check suites")
    assert status.ci_class is CiClass.UNKNOWN and "1,000" in ci_obstacles(status, False)[0]
    assert ci_status([check(conclusion="failure")], cut="x").ci_class is CiClass.ANY_FAILURE


def test_no_checks_matter_only_where_the_policy_asks_for_some() -> None:
    none = ci_status([])
    assert (
        none.ci_class is CiClass.NO_CHECKS
        and (not ci_obstacles(none, False))
        and ci_obstacles(none, True)
    )


def test_several_things_at_once_are_all_named() -> None:
    mixed = [
        check("a", conclusion="failure"),
        check("b", "queued", ""),
        check("c", conclusion="odd"),
        check("d", conclusion="skipped"),
        check("e"),
    ]
    status = ci_status(mixed, [RequiredCheck("f")])
    assert status.ci_class is CiClass.ANY_FAILURE and status.total == 5
    assert [line.split(":")[1].strip(" .") for line in ci_obstacles(status, False)] == [
        "a",
        "b",
        "f",
        "c",
    ]
    assert status.skipped == ("d",)


def test_a_sentence_names_ten() -> None:
    status = ci_status([check(f"job {n:02}", conclusion="failure") for n in range(14)])
    assert (
        ci_obstacles(status, False)[0].endswith("job 09 and 4 more.") and len(status.failed) == 14
    )


_ANY = st.builds(
    check,
    st.sampled_from(["a", "b"]),
    st.sampled_from(STATUSES),
    st.sampled_from(CONCLUSIONS),
    kind=st.sampled_from(["check", "status", "?"]),
    own=st.sampled_from(OwnResult),
    workflow=st.sampled_from(["", "CI"]),
    started=st.sampled_from(
        ["", EARLY, "yesterday", "2026-01-01T10:00:00", "2026-01-01T13:00:00+02:00"]
    ),
    completed=st.sampled_from(["", EARLY, LATE]),
)


@given(st.lists(_ANY, max_size=8), st.randoms())
def test_the_order_of_the_answer_is_nothing_and_green_needs_a_success(
    checks: list[Check], random
) -> None:
    status = ci_status(checks)
    shuffled = list(checks)
    random.shuffle(shuffled)
    assert ci_status(shuffled) == status
    if status.ci_class is CiClass.ALL_PASSED:
        assert any(
            "success" in (c.status.lower(), c.conclusion.lower()) and not c.own for c in checks
        )
    assert (not ci_obstacles(status, True)) == (status.ci_class is CiClass.ALL_PASSED)


def _table(title: str, rows: list[tuple[str, list[str]]], columns: list[str]) -> str:
    wide = max(len(name) for name, _ in rows) + 2
    widths = [
        max(len(column), *(len(cells[at]) for _, cells in rows)) + 2
        for at, column in enumerate(columns)
    ]
    lines = [
        (" " * wide + "".join(c.ljust(w) for c, w in zip(columns, widths, strict=True))).rstrip()
    ]
    lines += [
        (
            name.ljust(wide) + "".join(c.ljust(w) for c, w in zip(cells, widths, strict=True))
        ).rstrip()
        for name, cells in rows
    ]
    return "\n".join([title, "", *lines, ""])


def test_the_table_for_people() -> None:
    shown = [
        (s or "(none)", [ci_status([at((s, c), EARLY)]).ci_class.value for c in CONCLUSIONS])
        for s in STATUSES
    ]
    kinds = [
        ("completed", "success"),
        ("completed", "failure"),
        ("completed", "skipped"),
        ("completed", "odd"),
        ("queued", ""),
    ]
    names = [conclusion or status for status, conclusion in kinds]
    text = [
        _table(
            "one check run: status down, conclusion across",
            shown,
            [c or "(none)" for c in CONCLUSIONS],
        )
    ]
    for title, first, second in (("later", EARLY, LATE), ("at the same time", LATE, LATE)):
        rows = [
            (n, [ci_status([at(a, first), at(b, second)]).ci_class.value for b in kinds])
            for n, a in zip(names, kinds, strict=True)
        ]
        text.append(
            _table(f"two runs of one job: the first down, the second ({title}) across", rows, names)
        )
    assert_golden("ci.txt", "\n".join(text))
