"""An approval never rests on a result of our own: what an earlier publication, run or attempt left
there is no green check."""

import json

import jsonschema_rs
import pytest

from tests.peers.github.handle import GATE
from tests.support import ROOT, Repo

from .. import publishing

VALIDATOR = jsonschema_rs.Draft202012Validator(
    json.loads((ROOT / "docs/presubmit.schema.json").read_text("utf-8"))
)
PUBLISHING = {**GATE, "checks": "write", "administration": "read"}
OWN_ID = "reviewgate-gh:" + "0123456789abcdef"


@pytest.fixture
def gate(github, repo: Repo):
    """A pull request of ada's without any finding; its base lets the gate approve, and asks for a
    check of somebody else's."""

    class Gate(publishing.Gate):
        def __init__(self) -> None:
            super().__init__(github, repo)
            self.workflow = github.token(**PUBLISHING)
            self.person = github.token("grace")

        def open(self, **policy):
            settings = {
                "version": 1,
                "policy": {"require_ci": True, **policy},
                "publish": {"approve": True, "check_run": True},
            }
            self.head = self.opened(settings, {"a.py": "x = 1\n"})

        def publish(self, token: str, **env: str):
            done = self.published(token, **env)
            assert done.code == 0, done.output
            return done

        def asked(self, *args: str, token: str = "", **env: str):
            out = repo.path.parent / "presubmit.json"
            given = ("presubmit", "1", self.head, "octo/repo", str(out), *args)
            done = repo.cli(*given, env={**github.env(token or self.person), **env})
            assert done.code == 0, done.output
            report = json.loads(out.read_text("utf-8"))
            VALIDATOR.validate(report)
            return report, done.stderr

        @property
        def approvals(self) -> int:
            return sum(review.state == "APPROVED" for review in self.pull.reviews)

    return Gate()


@pytest.mark.parametrize("app", ["github-actions[bot]", "my-gate[bot]"])
def test_our_own_check_run_is_no_green_check(gate, app):
    gate.open()
    own = gate.github.token(app, **PUBLISHING)
    gate.publish(own)
    [run] = gate.runs
    assert run.conclusion == "success"
    second = gate.publish(own)
    assert not gate.approvals and "reviewgate-gh's own (reviewgate-gh)" in second.stderr
    assert "not counted as CI: reviewgate-gh by" in second.stderr
    # Why there is no approval is said once, also now that our own check run is there
    [said] = gate.pull.reviews
    assert "not counted" not in said.body
    gate.stored.check(gate.head, "build")
    gate.publish(gate.person)
    assert gate.approvals == 1


def test_nor_is_it_for_a_person_who_publishes_after_the_workflow(gate):
    gate.open()
    gate.publish(gate.workflow)
    gate.publish(gate.person)
    assert not gate.approvals


def test_a_verdict_of_our_own_that_failed_keeps_no_approval_back(gate):
    gate.open()
    gate.stored.check(gate.head, "build")
    gate.stored.check(gate.head, "reviewgate-gh", "failure", external_id=OWN_ID)
    gate.publish(gate.person)
    assert gate.approvals == 1


@pytest.mark.parametrize("conclusion", ["success", "failure", None])
@pytest.mark.parametrize(
    "fields",
    [
        {"app": "other-ci"},
        {"app": "other-ci", "external_id": OWN_ID},
        {"external_id": "some-other-workflow"},
        {},
    ],
    ids=["same name, other app", "copied external id", "our app, other id", "our app, no id"],
)
def test_what_only_looks_like_it_counts(gate, fields, conclusion):
    gate.open()
    gate.stored.check(gate.head, "reviewgate-gh", conclusion, **fields)
    ci = gate.asked("--require-ci", token=gate.workflow)[0]["ciStatus"]
    assert (ci["class"], ci["totalChecks"]) == (
        {"success": "all_pass", "failure": "any_failure", None: "all_pending"}[conclusion],
        1,
    )
    gate.publish(gate.person)
    assert gate.approvals == (conclusion == "success")


def test_the_report_says_what_was_left_out_and_why(gate):
    gate.open()
    gate.stored.check(gate.head, "reviewgate-gh", external_id=OWN_ID)
    gate.stored.check(gate.head, "copy", "success", app="other-ci", external_id=OWN_ID)
    report, said = gate.asked("--require-ci")
    assert report["ciStatus"]["notCounted"] == [
        {"name": "reviewgate-gh", "app": "github-actions", "why": "reviewgate-gh's own verdict"}
    ]
    assert (
        "reviewgate-gh by github-actions (ours): not counted" in said
        and "counted although" in said
        and "copy by other-ci" in said
    )


@pytest.mark.parametrize("known", ["job", "run"])
@pytest.mark.parametrize("other", ["attempt", "leg", "earlier run", "run at the same time"])
def test_the_action_s_own_job_is_no_green_check(gate, other, known):
    gate.open()
    for number in (6, 7):
        gate.stored.workflow_run("CI", gate.head, id=number, path=".github/workflows/ci.yml")
    name, run = {"attempt": ("gate", 7), "leg": ("gate (3.12)", 7)}.get(other, ("gate", 6))
    ended = "2000-01-01T00:00:00Z" if other == "earlier run" else None
    gate.stored.check(gate.head, name, run=run, completed=ended)
    mine = gate.stored.check(
        gate.head, "gate (3.11)" if other == "leg" else "gate", None, run=7, status="in_progress"
    )
    env = {
        "GITHUB_RUN_ID": "7",
        **({"REVIEWGATE_GH_CHECK_RUN_ID": str(mine.id)} if known == "job" else {}),
    }
    report, said = gate.asked("--require-ci", **env)
    assert report["ciStatus"]["class"] == "no_checks" and report["downgradeApprove"], said
    gate.publish(gate.person, **env)
    assert not gate.approvals
    gate.stored.check(gate.head, "test", run=6)
    gate.publish(gate.person, **env)
    assert gate.approvals == 1


@pytest.mark.parametrize("by", ["required", "rules"])
@pytest.mark.parametrize("number", [None, 15368], ids=["any app", "GitHub Actions"])
def test_a_branch_that_requires_our_verdict_does_not_make_it_wait_for_itself(gate, by, number):
    gate.open()
    own = gate.workflow
    getattr(gate.stored.stored, by)["main"] = [("reviewgate-gh", number), ("build", None)]
    waiting = gate.publish(own)
    assert not gate.approvals and "have not reported yet: build." in waiting.stderr
    gate.stored.stored.checks.clear()
    gate.stored.check(gate.head, "build")
    ci = gate.asked(token=own)[0]["ciStatus"]
    assert ci["class"] == "all_pass" and [each["name"] for each in ci["notCounted"]] == [
        "reviewgate-gh"
    ]


def test_a_required_check_of_our_name_by_another_app_is_waited_for(gate):
    gate.open()
    gate.stored.check(gate.head, "build")
    gate.stored.stored.rules["main"] = [("reviewgate-gh", 4242)]
    assert gate.asked(token=gate.workflow)[0]["ciStatus"]["pendingCheckNames"] == ["reviewgate-gh"]


def test_another_app_s_copy_does_not_stand_in_for_the_check_run(gate):
    gate.open()
    gate.publish(gate.workflow)
    [own] = [each for each in gate.stored.stored.checks if each.external_id]
    gate.stored.stored.checks.remove(own)
    gate.stored.check(
        gate.head, "reviewgate-gh", "failure", app="other-ci", external_id=own.external_id
    )
    gate.publish(gate.workflow)
    made = [
        (each.suite.app.slug, each.conclusion)
        for each in gate.stored.stored.checks
        if each.external_id
    ]
    assert sorted(made) == [("github-actions", "success"), ("other-ci", "failure")]


def test_our_own_old_failure_holds_no_approval_back_after_a_dismissal(gate):
    gate.open()
    gate.repo.commit({"b.py": "def f(x):\n    return evil(x)\n"})
    gate.head = gate.pull.push()
    gate.stored.check(gate.head, "build")
    gate.stored.check(gate.head, "reviewgate-gh", "failure", external_id=OWN_ID)
    gate.publish(gate.person)
    assert not gate.approvals
    gate.stored.stored.collaborators["bob"] = "write"
    [comment] = gate.pull.inline
    gate.pull.reply(comment, "bob", "/reviewgate-gh dismiss it is defined elsewhere")
    report, said = gate.asked("--require-ci")
    rows = {each["name"]: (each["source"], each["result"]) for each in report["ciStatus"]["checks"]}
    assert rows == {"build": ("other", "passed"), "reviewgate-gh": ("ours", "not counted")}
    assert "build by github-actions (other): passed" in said
    gate.publish(gate.person)
    assert gate.approvals == 1
