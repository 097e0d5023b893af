"""`presubmit` as a user calls it, against a GitHub behind GitHub's own description: every field of
its report, and that it only reads."""

import json

import jsonschema_rs
import pytest

from tests.peers.github.handle import READ_ONLY
from tests.support import ROOT, Repo

VALIDATOR = jsonschema_rs.Draft202012Validator(
    json.loads((ROOT / "docs/presubmit.schema.json").read_text("utf-8"))
)
EVIL = "def f(x):\n    return evil(x)\n"
WORSE = "def f(x):\n    return undefined_name\n"
RUN = 77


class Asking:
    """Pull request 1 of ada's, and the workflow's own token that asks about it."""

    def __init__(self, github, repo: Repo) -> None:
        self.github, self.repo = github, repo
        self.out = repo.path.parent / "presubmit.json"
        repo.branch("topic")
        self.head = repo.commit({"a.py": EVIL})
        self.stored = github.repository(repo.path)
        self.pull = self.stored.pull("topic")
        self.token = github.token()

    def review(self, threshold: str = ""):
        """The JSON report of the review, for --new-findings and for publish."""
        path = self.repo.path.parent / "report.json"
        done = self.repo.cli(
            "review", "--base", "main", "--output", "json", "--output-path", str(path)
        )
        assert path.exists(), done.output
        return str(path)

    def publish(self) -> None:
        done = self.repo.cli(
            "publish", "1", "--report", self.review(), env=self.github.env(self.token)
        )
        assert done.code == 0, done.output

    def push(self, files) -> str:
        self.head = self.repo.commit(files)
        return self.pull.push()

    def run(
        self,
        *args: str,
        sha: str = "",
        token: str | None = None,
        spelling: tuple[str, ...] = ("presubmit",),
        **env: str,
    ):
        given = ("1", sha or self.head, "octo/repo", str(self.out))
        known = {**self.github.env(), "GITHUB_TOKEN": self.token if token is None else token, **env}
        return self.repo.cli(
            *spelling, *given, *args, env={name: value for name, value in known.items() if value}
        )

    def report(self, *args: str, **more):
        """The report, which fits the schema and cost GitHub nothing but answers."""
        before = len(self.github.journal.created)
        done = self.run(*args, **more)
        assert done.code == 0, done.output
        assert len(self.github.journal.created) == before and not self.github.journal.of("P[AU]*")
        found = json.loads(self.out.read_text("utf-8"))
        VALIDATOR.validate(found)
        return found, done


@pytest.fixture
def asking(github, repo) -> Asking:
    return Asking(github, repo)


@pytest.mark.contract(plain=["presubmit"])
@pytest.mark.req("R003-054")
@pytest.mark.parametrize("spelling", [("presubmit",), ("review", "presubmit")], ids=" ".join)
def test_every_field_where_nothing_stands_against_it(asking, spelling):
    asking.stored.check(asking.head, "build")
    report, done = asking.report(spelling=spelling)
    assert report == {
        "schemaVersion": 1,
        "prNumber": 1,
        "commitSha": asking.head,
        "ownerRepo": "octo/repo",
        "isSelfPr": False,
        "ciStatus": {
            "class": "all_pass",
            "failedCheckNames": [],
            "pendingCheckNames": [],
            "skippedCheckNames": [],
            "unknownCheckNames": [],
            "totalChecks": 1,
            "checks": [
                {
                    "name": "build",
                    "app": "github-actions",
                    "kind": "check",
                    "source": "other",
                    "result": "passed",
                    "why": "",
                }
            ],
        },
        "existingComments": {
            "total": 0,
            "byBucket": dict.fromkeys(
                ("alreadyPosted", "stale", "resolved", "overlap", "noConflict"), 0
            ),
            **{
                name: [] for name in ("alreadyPosted", "stale", "resolved", "overlap", "noConflict")
            },
        },
        "downgradeApprove": False,
        "downgradeRequestChanges": False,
        "downgradeReasons": [],
        "blockOnExistingComments": False,
        "findingsFileInvalid": False,
        "headDrift": {
            "reviewedSha": asking.head,
            "liveHeadSha": asking.head,
            "drifted": False,
            "compare": "identical",
            "anchorsAtRisk": False,
        },
    }
    assert "CI: all_pass" in done.stderr and "requests" in done.stderr and not done.stdout


@pytest.mark.contract(plain=["red"])
@pytest.mark.parametrize(
    ("checks", "cls", "names"),
    [
        (
            [("build", "success"), ("lint", "failure"), ("slow", None)],
            "any_failure",
            {"failed": ["lint"], "pending": ["slow"]},
        ),
        ([("build", "success"), ("slow", None)], "all_pending", {"pending": ["slow"]}),
        ([("build", "skipped"), ("docs", "neutral")], "not_run", {"skipped": ["build", "docs"]}),
        ([("build", "success"), ("new", "a-word-of-tomorrow")], "unknown", {"unknown": ["new"]}),
        ([("build", "timed_out")], "any_failure", {"failed": ["build"]}),
        ([("build", "success"), ("docs", "skipped")], "all_pass", {"skipped": ["docs"]}),
        ([], "no_checks", {}),
    ],
    ids=["red", "pending", "did not run", "unknown", "timed out", "green", "none"],
)
@pytest.mark.req("R003-056", "R003-058", "R003-060")
def test_ci(asking, checks, cls, names):
    for name, conclusion in checks:
        asking.stored.check(asking.head, name, conclusion)
    report, _done = asking.report()
    ci = report["ciStatus"]
    assert ci["class"] == cls and ci["totalChecks"] == len(checks)
    assert {each: ci[f"{each}CheckNames"] for each in ("failed", "pending", "skipped",
        "unknown")} == {
        "failed": [], "pending": [], "skipped": [], "unknown": [], **names
    }  # fmt: skip
    assert report["downgradeApprove"] == (cls not in ("all_pass", "no_checks"))
    assert all(
        any(name in reason for reason in report["downgradeReasons"])
        for each in ("failed", "pending")
        for name in names.get(each, [])
    )


def test_the_run_that_asks_is_no_part_of_what_ci_says(asking):
    run = asking.stored.workflow_run("Gate", asking.head, id=RUN)
    asking.stored.check(asking.head, "review", None, run=run.id, status="in_progress")
    asking.stored.check(asking.head, "build", run=asking.stored.workflow_run("CI", asking.head).id)
    assert asking.report(GITHUB_RUN_ID=str(RUN))[0]["ciStatus"]["class"] == "all_pass"
    other = asking.report(GITHUB_RUN_ID=str(RUN + 1))[0]["ciStatus"]
    assert other["class"] == "all_pending" and other["pendingCheckNames"] == ["review"]


@pytest.mark.parametrize("by", ["protection", "ruleset"])
def test_a_required_check_that_has_not_reported_is_pending(asking, by):
    asking.stored.check(asking.head, "build")
    named = asking.stored.stored.required if by == "protection" else asking.stored.stored.rules
    named["main"] = [("build", None), ("deploy", None)]
    token = asking.github.token(**READ_ONLY, administration="read")
    report, _done = asking.report(token=token)
    assert report["ciStatus"]["class"] == "all_pending" and report["ciStatus"][
        "pendingCheckNames"
    ] == ["deploy"]
    assert any("deploy" in reason for reason in report["downgradeReasons"])


def test_statuses_count_beside_checks_and_the_newest_of_each_holds(asking):
    asking.stored.check(asking.head, "build")
    asking.stored.status(asking.head, "cla", "failure")
    assert asking.report()[0]["ciStatus"]["failedCheckNames"] == ["cla"]
    asking.stored.status(asking.head, "cla", "success")
    asking.stored.status(asking.head, "preview", "pending")
    ci = asking.report()[0]["ciStatus"]
    assert (ci["class"], ci["pendingCheckNames"], ci["totalChecks"]) == (
        "all_pending",
        ["preview"],
        3,
    )


def test_checks_on_a_second_page_are_read(asking):
    for number in range(101):
        asking.stored.check(asking.head, f"job {number:03}", "failure" if not number else "success")
    ci = asking.report()[0]["ciStatus"]
    assert (ci["failedCheckNames"], ci["totalChecks"]) == (["job 000"], 101)


def test_require_ci(asking):
    assert (
        asking.report("--require-ci")[0]["downgradeApprove"]
        and not asking.report()[0]["downgradeApprove"]
    )


def buckets(report) -> dict[str, int]:
    return {name: count for name, count in report["existingComments"]["byBucket"].items() if count}


@pytest.mark.req("R003-035", "R003-057")
def test_a_comment_whose_finding_is_there_again_is_already_posted(asking):
    asking.publish()
    report, _done = asking.report("--new-findings", asking.review())
    [row] = report["existingComments"]["alreadyPosted"]
    assert buckets(report) == {"alreadyPosted": 1} and not report["blockOnExistingComments"]
    assert (row["id"], row["path"], row["line"], row["reviewedSha"]) == (
        asking.pull.inline[0].id,
        "a.py",
        2,
        asking.head,
    )
    assert "reviewgate-gh:finding" not in row["body"] and row["fingerprint"]


def test_a_comment_about_an_older_commit_is_stale_even_after_a_force_push(asking):
    asking.publish()
    old = asking.head
    asking.repo.git("reset", "--quiet", "--hard", "main")
    asking.push({"a.py": WORSE})
    report, _done = asking.report("--new-findings", asking.review())
    assert (
        buckets(report) == {"stale": 1}
        and report["existingComments"]["stale"][0]["reviewedSha"] == old
    )


@pytest.mark.req("R003-044")
@pytest.mark.parametrize(
    ("how", "why"), [("thread", "the thread is resolved"), ("reply", "ada replied")]
)
def test_a_resolved_one(asking, how, why):
    asking.publish()
    [comment] = asking.pull.inline
    asking.pull.resolve(comment) if how == "thread" else asking.pull.reply(
        comment, "ada", "I see it otherwise"
    )
    listed = [{"path": "a.py", "line": 2}]
    report, done = asking.report("--new-findings", written(asking, listed))
    assert buckets(report) == {"resolved": 1} and not report["blockOnExistingComments"]
    assert f"a.py:2 resolved: {why}" in done.stderr, done.output


def written(asking, value) -> str:
    path = asking.repo.path.parent / "new.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return str(path)


@pytest.mark.contract(plain=False)
@pytest.mark.req("R003-038", "R003-040", "R003-061")
def test_an_overlap_blocks_and_another_line_does_not(asking):
    asking.publish()
    other = "0123456789abcdef"
    over, done = asking.report(
        "--new-findings", written(asking, [{"path": "a.py", "line": 2, "fingerprint": other}])
    )
    assert (
        buckets(over) == {"overlap": 1}
        and over["blockOnExistingComments"]
        and "a.py:2 overlap" in done.stderr
    )
    beside, _done = asking.report(
        "--new-findings", written(asking, [{"path": "a.py", "line": 1, "fingerprint": other}])
    )
    assert buckets(beside) == {"noConflict": 1} and not beside["blockOnExistingComments"]


def test_a_stranger_s_copy_of_our_marker_is_his(asking):
    asking.publish()
    [comment] = asking.pull.inline
    asking.pull.on_line("eve", "a.py", 1, comment.body)
    asking.pull.on_line("eve", "a.py", 2, comment.body)
    report, done = asking.report("--new-findings", asking.review())
    assert (
        buckets(report) == {"alreadyPosted": 1}
        and "2 comments by others with a marker like ours: ignored" in done.stderr
    )


def test_threads_on_a_second_page_are_read(asking):
    for number in range(100):
        asking.pull.on_line("ada", "a.py", 1, f"remark {number}")
    asking.publish()
    assert buckets(asking.report("--new-findings", asking.review())[0]) == {"alreadyPosted": 1}


@pytest.mark.contract(plain=False)
@pytest.mark.req("R003-055", "R003-059")
def test_one_s_own_pull_request(asking):
    report, _done = asking.report(token=asking.github.token("ada"))
    assert report["isSelfPr"] and report["downgradeApprove"] and report["downgradeRequestChanges"]
    assert any("is the author of" in reason for reason in report["downgradeReasons"])


def test_a_draft(asking):
    asking.pull.draft()
    report, _done = asking.report()
    assert report["downgradeApprove"] and any(
        "draft" in reason for reason in report["downgradeReasons"]
    )


@pytest.mark.parametrize(
    ("how", "compare", "risk"),
    [
        ("elsewhere", "ahead", False),
        ("here", "ahead", True),
        ("rewritten", "diverged", True),
        ("gone", "unknown", True),
    ],
)
def test_a_head_that_has_moved(asking, how, compare, risk):
    path, reviewed = asking.review(), asking.head
    if how == "rewritten":
        asking.repo.git("reset", "--quiet", "--hard", "main")
    asking.push({"b.py" if how == "elsewhere" else "a.py": WORSE})
    if how == "gone":
        reviewed, path = "1" * 40, written(asking, [])
    report, _done = asking.report("--new-findings", path, sha=reviewed)
    assert report["headDrift"] == {
        "reviewedSha": reviewed, "liveHeadSha": asking.head, "drifted": True, "compare": compare,
        "anchorsAtRisk": risk
    }  # fmt: skip
    assert report["downgradeApprove"] and any(
        reviewed[:12] in reason for reason in report["downgradeReasons"]
    )


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]]",
        '{"schema_version": 99}',
        '[{"path": "../x", "line": 1}]',
        '[{"line": 1}]',
        "OLDER",
        "GONE",
    ],
)
def test_a_file_of_findings_that_is_no_use_is_said_and_nothing_is_approved(asking, content):
    path = written(asking, content)
    if content == "OLDER":
        path = asking.review()
        asking.push({"b.py": "x = 1\n"})
    if content == "GONE":
        path += ".not"
    report, _done = asking.report("--new-findings", path)
    assert report["findingsFileInvalid"] and report["downgradeApprove"]
    assert any(
        "file of new findings cannot be used" in reason for reason in report["downgradeReasons"]
    )


@pytest.mark.contract(plain=["given2-64-not a full commit id"])
@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (("7", "HEAD", "octo/repo"), 69, "it does not exist, or the App is not installed"),
        (("1", "HEAD", "octo/other"), 69, "it does not exist"),
        (("1", "abc123", "octo/repo"), 64, "not a full commit id"),
        (("one", "HEAD", "octo/repo"), 64, "not a pull request number"),
        (("1", "HEAD", "octo"), 64, "not a repository"),
    ],
)
def test_what_it_cannot_report_on_leaves_no_report(asking, given, code, words):
    number, sha, name = given
    argv = (number, asking.head if sha == "HEAD" else sha, name, str(asking.out))
    done = asking.repo.cli("presubmit", *argv, env=asking.github.env(asking.token))
    assert done.code == code and words in done.stderr and not asking.out.exists(), done.output
    assert asking.github.journal.created == []


def test_a_bad_token_and_a_server_that_is_down_leave_no_report(asking):
    assert asking.run(token="nonsense").code == 69 and not asking.out.exists()
    assert (
        asking.run(
            GITHUB_API_URL="http://127.0.0.1:9", GITHUB_GRAPHQL_URL="http://127.0.0.1:9/graphql"
        ).code
        == 69
    )
    assert not asking.out.exists()


def test_a_public_repository_needs_no_token_and_nobody_is_known(asking):
    asking.stored.stored.private = False
    asking.stored.check(asking.head, "build")
    report, done = asking.report(token="")
    assert (
        report["ciStatus"]["class"] == "all_pass"
        and report["downgradeApprove"]
        and not report["isSelfPr"]
    )
    assert "did not identify the posting account" in done.stderr
    private = asking.stored.stored
    private.private = True
    asking.out.unlink()
    assert asking.run(token="").code == 69 and not asking.out.exists()


def test_checks_that_may_not_be_read_are_not_green(asking):
    asking.stored.check(asking.head, "build")
    report, _done = asking.report(
        token=asking.github.token(contents="read", pull_requests="read", statuses="read")
    )
    assert report["ciStatus"]["class"] == "unknown" and report["downgradeApprove"]
    assert any("checks: read" in reason for reason in report["downgradeReasons"])


def test_an_enterprise_server(asking):
    asking.publish()
    url = f"{asking.github.url}/api/v3"
    report, _done = asking.report(
        "--api-url",
        url,
        "--new-findings",
        asking.review(),
        GITHUB_API_URL="",
        GITHUB_GRAPHQL_URL="",
    )
    assert buckets(report) == {"alreadyPosted": 1}


def test_names_from_outside_are_shown_plain_and_without_secrets(asking):
    secret = "ghp_" + "0a1B2c3D4e5F" * 3
    asking.stored.check(asking.head, f"evil {secret} \u202e\x1b[31m::error::x", "failure")
    _report, done = asking.report()
    text = asking.out.read_text("utf-8")
    assert (
        secret not in text + done.output
        and "\u202e" not in done.output
        and "\x1b" not in done.output
    )
