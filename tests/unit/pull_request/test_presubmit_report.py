"""The presubmit report: its facts put together, its JSON, and the schema that is published for
it."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.model.pull_request import (
    Account,
    Bucket,
    CiClass,
    Comparison,
    OwnResult,
    PresubmitReport,
)
from reviewgate_gh.pull_request.ci import ci_status
from reviewgate_gh.pull_request.comments import CurrentFindings, NewFinding
from reviewgate_gh.pull_request.presubmit import (
    PresubmitFacts,
    build_presubmit,
    is_own_pull,
    presubmit_data,
)
from tests.support import ROOT
from tests.unit.pull_request.pulls import (
    ALICE,
    GHOST,
    HEAD,
    MALLORY,
    ME,
    OLD,
    ONE,
    THREE,
    TWO,
    check,
    pull,
    reply,
    thread,
)
from tests.unit.reporters.golden import assert_golden

SCHEMA = json.loads((ROOT / "docs/presubmit.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
ASKED = PresubmitFacts(pull(), HEAD, ME, ci_status([check()]))
SEVERAL = (
    thread(ONE, id=1, line=1),
    thread(TWO, id=2, sha=OLD, commit=HEAD),
    thread(TWO, id=3, line=7, replies=(reply(),)),
    thread(THREE, id=4, line=5),
    thread(THREE, id=5, line=50, resolved=None),
    thread(THREE, id=6, author=MALLORY),
)
NEW = CurrentFindings(
    (NewFinding("a.py", 1, ONE), NewFinding("a.py", 5, "4" * 16)), {ONE: Priority.P1}
)


def facts(**fields: Any) -> PresubmitFacts:
    """What GitHub answered, with these differences."""
    return replace(ASKED, **fields)


def written(
    facts: PresubmitFacts = ASKED, current: CurrentFindings | None = None, **options: Any
) -> dict[str, Any]:
    """The report as JSON data that fits the schema."""
    data = json.loads(json.dumps(presubmit_data(build_presubmit(facts, current, **options))))
    VALIDATOR.validate(data)
    return data


def test_nothing_against_it() -> None:
    report = written()
    assert (
        report["downgradeApprove"]
        is report["downgradeRequestChanges"]
        is report["blockOnExistingComments"]
        is False
    )
    assert report["downgradeReasons"] == [] and report["existingComments"]["total"] == 0
    assert (report["prNumber"], report["commitSha"], report["ownerRepo"]) == (12, HEAD, "o/r")


@pytest.mark.req("R003-055", "R003-059")
def test_is_self_pr() -> None:
    own = written(facts(viewer=ALICE))
    assert own["isSelfPr"] is own["downgradeApprove"] is own["downgradeRequestChanges"] is True
    assert len(own["downgradeReasons"]) == 1
    stranger = written(facts(viewer=Account(ALICE.id, "alice", "Bot")))
    assert stranger["isSelfPr"] is stranger["downgradeRequestChanges"] is False


def test_an_author_whose_account_is_gone_is_nobody() -> None:
    assert is_own_pull(pull(author=GHOST), ME) is False
    assert is_own_pull(pull(author=GHOST), GHOST) is None


@pytest.mark.parametrize("viewer", [None, GHOST])
def test_an_unknown_poster_owns_no_comment_and_approves_nothing(viewer: Account | None) -> None:
    asked = facts(viewer=viewer, threads=SEVERAL)
    report = written(asked, NEW)
    assert (report["isSelfPr"], report["downgradeApprove"], report["downgradeRequestChanges"]) == (
        False,
        True,
        False,
    )
    assert report["existingComments"]["total"] == 0
    known, resolved = build_presubmit(asked, NEW).notes
    assert "the posting account" in known and "resolved" in resolved


@pytest.mark.req("R003-056")
def test_ci_status() -> None:
    mixed = [
        check("a", conclusion="failure"),
        check("b", "queued", ""),
        check("c", conclusion="neutral"),
        check("d", conclusion="odd"),
    ]
    found = written(facts(ci=ci_status(mixed)))["ciStatus"]
    rows = [(each["name"], each["source"], each["result"]) for each in found.pop("checks")]
    results = ("failed", "pending", "did not run", "unknown")
    assert rows == [(name, "other", result) for name, result in zip("abcd", results, strict=True)]
    assert found == {
        "class": "any_failure",
        "failedCheckNames": ["a"],
        "pendingCheckNames": ["b"],
        "skippedCheckNames": ["c"],
        "unknownCheckNames": ["d"],
        "totalChecks": 4,
    }


@pytest.mark.req("R003-057")
def test_existing_comments() -> None:
    comments = written(facts(threads=SEVERAL), NEW)["existingComments"]
    assert comments["byBucket"] == {
        "alreadyPosted": 1,
        "stale": 1,
        "resolved": 1,
        "overlap": 1,
        "noConflict": 1,
    }
    ids = {bucket.value: [row["id"] for row in comments[bucket]] for bucket in Bucket}
    assert ids == {
        "alreadyPosted": [1],
        "stale": [2],
        "resolved": [3],
        "overlap": [4],
        "noConflict": [5],
    }
    assert comments["total"] == 5
    assert comments["stale"][0] == {
        "id": 2,
        "path": "a.py",
        "line": 5,
        "user": "github-actions",
        "reviewedSha": OLD,
        "fingerprint": TWO,
        "body": "**P1** Undefined name",
        "note": f"written about {OLD[:12]}",
    }


def test_what_people_are_told_besides() -> None:
    asked = facts(threads=SEVERAL, ci=ci_status([check()], None))
    rules, copies, resolved = build_presubmit(asked, NEW).notes
    assert (
        "required" in rules and copies.startswith("1 comment by others") and "resolved" in resolved
    )


@pytest.mark.req("R003-040", "R003-061")
def test_only_an_overlap_blocks() -> None:
    for one in SEVERAL[:5]:
        report = written(facts(threads=(one,)), NEW)
        assert report["blockOnExistingComments"] is (one.id == 4)
        assert report["downgradeApprove"] is False


@pytest.mark.req("R003-058", "R003-060")
def test_every_reason_is_listed() -> None:
    red = facts(
        viewer=ALICE,
        ci=ci_status([check("lint", conclusion="failure")]),
        pull=pull(draft=True, head=OLD),
    )
    report = written(red, CurrentFindings(not_reviewed=1), invalid="")
    assert report["downgradeApprove"] is True
    words = (
        "account is the author",
        "failing: lint",
        "head is now",
        "draft",
        "1 file was not reviewed",
    )
    assert all(
        word in reason for word, reason in zip(words, report["downgradeReasons"], strict=True)
    )


def test_a_findings_file_that_is_no_use() -> None:
    report = written(facts(threads=SEVERAL), invalid="not a review report")
    assert (
        report["findingsFileInvalid"],
        report["downgradeApprove"],
        report["blockOnExistingComments"],
    ) == (True, True, False)
    assert (
        "dedup is disabled" in report["downgradeReasons"][0]
        and "not a review report" in report["downgradeReasons"][0]
    )
    assert report["existingComments"]["byBucket"]["alreadyPosted"] == 0


def test_a_policy_that_wants_ci() -> None:
    none = facts(ci=ci_status([]))
    assert written(none)["downgradeApprove"] is False
    assert written(none, require_ci=True)["downgradeApprove"] is True


def test_head_drift() -> None:
    moved = facts(pull=pull(head=OLD), comparison=Comparison("ahead", 1, frozenset({"z.py"})))
    assert written(moved, NEW)["headDrift"] == {
        "reviewedSha": HEAD,
        "liveHeadSha": OLD,
        "drifted": True,
        "compare": "ahead",
        "anchorsAtRisk": False,
    }
    assert written(moved)["headDrift"]["anchorsAtRisk"] is True
    assert written(facts(pull=pull(head="")))["headDrift"]["liveHeadSha"] == ""


def test_an_excerpt_shows_no_half_of_a_secret() -> None:
    token = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4fGh7J"
    long = thread(body=thread().body.replace("Undefined", "x" * 60 + " " + token))
    (row,) = written(facts(threads=(long,)))["existingComments"]["noConflict"]
    assert token[:10] not in row["body"] and len(row["body"]) <= 80


def test_the_report_for_people() -> None:
    several = facts(
        threads=SEVERAL,
        viewer=ME,
        ci=ci_status([check("lint", conclusion="failure")]),
        pull=pull(draft=True),
    )
    assert_golden("presubmit.json", json.dumps(written(several, NEW), indent=2) + "\n")


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object that the schema describes."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for name, part in schema.items():
            if name != "allOf":
                yield from objects(part)


OPTIONAL = "notCounted"  # only where something was left out


class TestSchema:
    """The published schema says what the code writes, no more and no less."""

    full = written(
        facts(
            threads=SEVERAL, ci=ci_status([check(), check("reviewgate-gh", own=OwnResult.VERDICT)])
        ),
        NEW,
    )

    def test_it_is_a_schema_in_which_nothing_is_left_open(self) -> None:
        jsonschema_rs.meta.validate(SCHEMA)
        found = list(objects(SCHEMA))
        assert len(found) == 8
        for each in found:
            assert each["additionalProperties"] is False
            assert each["required"] == [name for name in each["properties"] if name != OPTIONAL]

    def test_its_names_are_those_of_the_code_in_their_order(self) -> None:
        names, comments = SCHEMA["properties"], self.full["existingComments"]
        assert list(names) == list(self.full)
        for part in ("ciStatus", "existingComments", "headDrift"):
            assert list(names[part]["properties"]) == list(self.full[part])
        assert list(names["existingComments"]["properties"]["byBucket"]["properties"]) == list(
            comments["byBucket"]
        )
        assert list(SCHEMA["$defs"]["comment"]["properties"]) == list(comments["stale"][0])
        assert names["ciStatus"]["properties"]["class"]["enum"] == [each.value for each in CiClass]

    @pytest.mark.parametrize("name", list(full))
    def test_no_field_may_be_missing_or_null(self, name: str) -> None:
        assert not VALIDATOR.is_valid(
            {key: value for key, value in self.full.items() if key != name}
        )
        assert not VALIDATOR.is_valid(self.full | {name: None})
        assert not VALIDATOR.is_valid(self.full | {"more": 1})

    @pytest.mark.parametrize(
        "change",
        [
            {"downgradeReasons": ["x"]},
            {"downgradeApprove": True},
            {"isSelfPr": True},
            {"downgradeRequestChanges": True},
            {"blockOnExistingComments": False},
            {"findingsFileInvalid": True, "downgradeApprove": True, "downgradeReasons": ["x"]},
            {"headDrift": full["headDrift"] | {"drifted": True}},
            {"ciStatus": full["ciStatus"] | {"class": "green"}},
            {"ciStatus": full["ciStatus"] | {"failedCheckNames": ["a", "a"]}},
            {"commitSha": "abc"},
            {"schemaVersion": 2},
        ],
    )
    def test_it_refuses_what_contradicts_itself(self, change: dict[str, Any]) -> None:
        assert VALIDATOR.is_valid(self.full)
        assert not VALIDATOR.is_valid(self.full | change)


_ACCOUNTS = st.sampled_from([ME, ALICE, MALLORY, GHOST])
_THREADS = st.builds(
    thread,
    st.sampled_from([ONE, TWO, THREE + "-2"]),
    st.sampled_from([HEAD, OLD]),
    st.integers(0, 3),
    author=st.sampled_from([ME, ME, MALLORY]),
    resolved=st.sampled_from([None, True, False]),
    replies=st.lists(st.builds(reply, _ACCOUNTS), max_size=2).map(tuple),
)
_CHECKS = st.builds(
    check,
    st.text(max_size=3),
    st.sampled_from(["completed", "queued", "?"]),
    st.sampled_from(["success", "failure", ""]),
)
_FINDINGS = st.builds(
    NewFinding, st.just("a.py"), st.integers(0, 3), st.sampled_from([ONE, TWO, ""])
)


@given(
    facts=st.builds(
        PresubmitFacts,
        st.builds(
            pull, author=_ACCOUNTS, draft=st.booleans(), head=st.sampled_from([HEAD, OLD, ""])
        ),
        st.just(HEAD),
        st.none() | _ACCOUNTS,
        st.lists(_CHECKS, max_size=4).map(ci_status),
        st.lists(_THREADS, max_size=6).map(tuple),
    ),
    current=st.none() | st.builds(CurrentFindings, st.lists(_FINDINGS, max_size=4).map(tuple)),
    invalid=st.sampled_from(["", "why"]),
)
def test_every_report_fits_the_schema_and_loses_no_comment(
    facts: PresubmitFacts, current: CurrentFindings | None, invalid: str
) -> None:
    report = written(facts, None if invalid else current, invalid=invalid)
    comments = report["existingComments"]
    ours = [one for one in facts.threads if one.author.same_as(facts.viewer)]
    assert comments["total"] == sum(comments["byBucket"].values()) == len(ours)
    assert {bucket: len(comments[bucket]) for bucket in comments["byBucket"]} == comments[
        "byBucket"
    ]
    assert isinstance(build_presubmit(facts, current), PresubmitReport)
