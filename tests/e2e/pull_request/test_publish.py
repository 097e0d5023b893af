"""A report onto a pull request: said once, about the commit that was read, and nothing lost."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.markers import last_marker, with_marker, without_marker
from reviewgate_gh.reporters.json import load_report
from tests.support import Repo

from ..publishing import evil

EVIL = "def f(x):\n    return evil(x)\n"
OTHER = "import os\n\n\ndef g(x):\n    os.system(x)\n    return undefined_name\n"


@pytest.fixture
def pulled(github, repo: Repo):
    """A repository with a pull request that brings a defect; we are the workflow's own token."""

    class Pulled:
        def __init__(self) -> None:
            repo.branch("topic")
            repo.commit({"a.py": EVIL})
            self.repo, self.github = repo, github
            self.stored = github.repository(repo.path)
            self.pull = self.stored.pull("topic")
            self.token = github.token()

        def run(self, *args: str, token: str = "", **env: str):
            return repo.cli(*args, env={**github.env(token or self.token), **env})

        def review(self) -> str:
            path = repo.path.parent / "report.json"
            done = repo.cli(
                "review", "--base", "main", "--output", "json", "--output-path", str(path)
            )
            assert path.exists(), done.output
            return str(path)

        def publish(self, *args: str, token: str = "", **env: str):
            return self.run("publish", "1", "--report", self.review(), *args, token=token, **env)

        def written(self) -> int:
            return len([e for e in github.journal.entries if e.created])

    return Pulled()


def place(comment):
    return comment.origin.path, comment.origin.line


@pytest.mark.contract
def test_a_finding_is_said_once_at_its_line(pulled):
    """What a dry run shows is what is said then."""
    dry = pulled.publish("--dry-run")
    assert dry.code == 0 and not pulled.written()
    assert "would post COMMENT" in dry.stderr and "a.py:2" in dry.stderr
    done = pulled.publish()
    assert done.code == 0, done.output
    [review], [comment] = pulled.pull.reviews, pulled.pull.inline
    assert (review.state, review.commit_id) == ("COMMENTED", pulled.repo.rev("topic"))
    assert place(comment) == ("a.py", 2) and comment.body.startswith("**P1** ")
    before = pulled.written()
    again = pulled.publish()
    assert again.code == 0 and pulled.written() == before, again.output
    assert "nothing to post" in pulled.publish("--dry-run").stderr


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize("how", ["push", "force-push"])
def test_after_new_commits_only_what_is_new_is_said_and_what_is_gone_is_hidden(pulled, how):
    pulled.publish()
    [old] = pulled.pull.inline
    if how == "force-push":
        pulled.repo.git("reset", "--quiet", "--hard", "main")
    pulled.repo.commit({"a.py": "def f(x):\n    return x\n", "b.py": EVIL})
    pulled.pull.push()
    done = pulled.publish()
    assert done.code == 0, done.output
    new = [each for each in pulled.pull.inline if each.id != old.id]
    assert [place(each) for each in new] == [("b.py", 2)]
    assert pulled.pull.inline[0].minimized == "RESOLVED" and not new[0].minimized
    assert len(pulled.pull.reviews) == 2 and not pulled.github.duplicates()
    before = pulled.written()
    pulled.publish()
    assert pulled.written() == before


@pytest.mark.contract(plain=False)
def test_a_shifted_line_is_the_same_finding(pulled):
    pulled.publish()
    pulled.repo.commit({"a.py": "# one\n# two\n" + EVIL})
    pulled.pull.push()
    done = pulled.publish()
    assert done.code == 0 and len(pulled.pull.inline) == 1, done.output


@pytest.mark.contract(plain=False)
@pytest.mark.req("R007-006")
def test_an_edit_of_the_next_line_or_of_the_statement_itself_says_nothing_twice(pulled):
    pulled.publish()
    for code in (
        "def f(x):\n    x = x.strip()\n    return evil(x)\n",
        "def f(x):\n    x = x.strip()\n    return evil(x, {})\n",
        "def f(x):\n    x = x.strip()\n    return (\n        evil(x, {})\n    )\n",
    ):
        pulled.repo.commit({"a.py": code})
        pulled.pull.push()
        done = pulled.publish()
        ours = [(each.body, each.minimized) for each in pulled.pull.inline]
        assert done.code == 0 and len(ours) == 1 and not ours[0][1], (ours, code)


def test_a_second_defect_of_the_same_rule_elsewhere_is_said(pulled):
    pulled.publish()
    pulled.repo.commit({"a.py": f"{EVIL}\n\ndef g(y):\n    return evil(y)\n"})
    pulled.pull.push()
    done = pulled.publish()
    assert done.code == 0 and [place(c) for c in pulled.pull.inline] == [("a.py", 2), ("a.py", 6)]


def test_a_file_that_is_renamed_within_the_pull_request_keeps_its_comment(pulled):
    pulled.publish()
    pulled.repo.git("mv", "a.py", "b.py")
    pulled.repo.commit({})
    pulled.pull.push()
    done = pulled.publish()
    [comment] = pulled.pull.inline
    assert done.code == 0 and not comment.minimized, done.output


@pytest.mark.parametrize("code", ["return evil(x + x)", "return evil(x)"])
def test_a_dismissal_holds_for_the_code_that_it_was_given_for(pulled, code):
    pulled.stored.stored.collaborators["grace"] = "write"
    pulled.publish()
    [comment] = pulled.pull.inline
    pulled.pull.reply(comment, "grace", "/reviewgate-gh dismiss x is a constant")
    pulled.repo.commit({"a.py": f"def f(x):\n    x = x.strip()\n    {code}\n"})
    pulled.pull.push()
    done = pulled.publish("--dry-run")
    changed = "x + x" in code
    assert ("a.py:3" in done.stderr) == changed, done.output
    pulled.publish()
    ours = [each for each in pulled.pull.inline if last_marker(each.body)]
    assert [place(each) for each in ours] == [("a.py", 2)] + [("a.py", 3)] * changed


@pytest.mark.req("R007-008")
def test_comments_of_the_first_format_are_known(pulled):
    """Their markers have no unit, and the fingerprint of the quoted lines with their neighbours."""
    pulled.publish()
    report = load_report(Path(pulled.review()).read_text("utf-8"))
    [found] = report.findings
    [comment] = pulled.pull.inline
    mark = last_marker(comment.body)
    old = replace(mark, fingerprint=found.former_fingerprint, unit="")
    assert old.fingerprint != mark.fingerprint == found.fingerprint
    comment.body = with_marker(without_marker(comment.body), old)
    before = pulled.written()
    done = pulled.publish()
    assert done.code == 0 and pulled.written() == before, done.output


def test_a_thread_that_people_talk_in_is_left_as_it_is(pulled):
    pulled.publish()
    [comment] = pulled.pull.inline
    pulled.pull.reply(comment, "ada", "I shall mend it")
    pulled.repo.commit({"a.py": "def f(x):\n    return x\n"})
    pulled.pull.push()
    done = pulled.publish()
    assert done.code == 0 and not pulled.pull.inline[0].minimized, done.output


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.req("R008-008")
def test_nobody_dismisses_findings_about_their_own_work(pulled, allowed):
    pulled.stored.stored.collaborators["ada"] = "write"
    approving(pulled, approve=False, author_dismisses=allowed)
    pulled.repo.commit({"a.py": EVIL})
    pulled.pull.push()
    pulled.publish()
    [comment] = pulled.pull.inline
    pulled.pull.reply(comment, "ada", "/reviewgate-gh dismiss the input is a constant")
    pulled.repo.commit({"c.py": EVIL})
    pulled.pull.push()
    assert pulled.publish().code == 0
    text = pulled.pull.reviews[0].body  # the summary, which is edited in its place
    refused = "but opened the pull request: somebody else with write permission has to"
    assert (refused in text) is not allowed, text


@pytest.mark.parametrize(("who", "holds"), [("grace", True), ("eve", False)])
def test_a_false_alarm_is_dismissed_by_a_reply_of_somebody_who_may_write(pulled, who, holds):
    pulled.stored.stored.collaborators["grace"] = "write"
    pulled.publish()
    [comment] = pulled.pull.inline
    pulled.pull.reply(comment, who, "Hm.\n/reviewgate-gh dismiss the input is a constant\n")
    pulled.repo.commit({"c.py": EVIL})
    pulled.pull.push()
    done = pulled.publish()
    assert done.code == 0, done.output
    text = pulled.pull.reviews[0].body
    assert ("dismissed by grace: the input is a constant" in text) == holds, text
    assert ("eve asked to dismiss" in text) == (not holds), text


def test_a_dismissal_is_listed_in_the_summary_from_then_on(pulled):
    pulled.stored.stored.collaborators["grace"] = "write"
    pulled.publish()
    [comment] = pulled.pull.inline
    pulled.pull.reply(comment, "grace", "/reviewgate-gh dismiss the input is a constant")
    for name in ("b.py", "c.py", "d.py"):
        pulled.repo.commit(evil(name))
        pulled.pull.push()
        done = pulled.publish()
        assert done.code == 0 and pulled.pull.reviews[-1].commit_id == pulled.repo.rev("topic"), (
            done.output
        )
        ours = [each for each in pulled.pull.reviews if each.author.login != "grace"]
        listed = ["dismissed by grace: the input is a constant" in each.body for each in ours]
        assert listed == [True] + [False] * (len(ours) - 1)


def approving(pulled, **more):
    """The base allows approving."""
    settings = {"version": 1, "publish": {"approve": True, **more}}
    pulled.repo.switch("main")
    pulled.repo.commit({".reviewgate-gh.yaml": json.dumps(settings)})
    pulled.repo.git("switch", "--quiet", "--force-create", "topic", "main")
    pulled.repo.commit({"fine.py": "x = 1\n"})
    pulled.pull.push()
    # GitHub lets a workflow's own token approve only where that is switched on
    pulled.token = pulled.github.token("grace")


@pytest.mark.parametrize(
    ("checks", "event", "words"),
    [
        ([("build", "success")], "APPROVED", []),
        ([("build", "failure")], "COMMENTED", ["build"]),
        ([("build", None)], "COMMENTED", ["build"]),
        ([("build", "skipped")], "COMMENTED", ["build"]),
        ([], "APPROVED", []),
    ],
    ids=["green", "red", "pending", "did not run", "no checks"],
)
@pytest.mark.req("R003-045", "R003-046", "R003-047", "R003-048", "R003-053")
def test_an_approval_needs_green_ci(pulled, checks, event, words):
    approving(pulled)
    for name, conclusion in checks:
        pulled.stored.check(pulled.repo.rev("topic"), name, conclusion)
    done = pulled.publish()
    assert done.code == 0, done.output
    [review] = pulled.pull.reviews
    assert review.state == event and all(word in review.body for word in words), done.output
    assert all(word in done.stderr for word in words), done.stderr
    before = pulled.written()
    assert pulled.publish().code == 0 and pulled.written() == before


@pytest.mark.parametrize("allow", [(), ("Go",)], ids=["concerns", "allowed"])
def test_an_approval_needs_somebody_who_read_all_code(pulled, allow):
    approving(pulled)
    if allow:
        pulled.repo.switch("main")
        pulled.repo.commit(
            {
                ".reviewgate-gh.yaml": json.dumps(
                    {"publish": {"approve": True}, "policy": {"coverage": {"allow": allow}}}
                )
            }
        )
        pulled.repo.git("switch", "--quiet", "--force-create", "topic", "main")
    pulled.repo.commit({"main.go": "package main\n"})
    pulled.pull.push()
    done = pulled.publish()
    [review] = pulled.pull.reviews
    assert (done.code, review.state) == (
        0,
        "COMMENTED",
    ) and "1 file was not reviewed." in review.body, review.body
    before = pulled.written()
    assert pulled.publish().code == 0 and pulled.written() == before, "said once"


@pytest.mark.req("R003-047")
def test_why_there_is_no_approval_is_said_once_and_then_what_is_new(pulled):
    approving(pulled)
    for name, conclusion in (
        ("fine.py", "failure"),
        ("more.py", "failure"),
        ("last.py", "success"),
    ):
        pulled.repo.commit({name: "x = 1\n"})
        pulled.pull.push()
        pulled.stored.check(pulled.repo.rev("topic"), "build", conclusion)
        assert pulled.publish().code == 0
        [summary, *_] = pulled.pull.reviews
        withheld = "Posted as a comment only: CI is failing: build." in summary.body
        assert withheld == (conclusion == "failure"), summary.body
    assert [review.state for review in pulled.pull.reviews] == ["COMMENTED", "APPROVED"]


@pytest.mark.contract(plain=False)
def test_nothing_is_approved_twice(pulled):
    approving(pulled)
    pulled.publish()
    before = pulled.written()
    assert pulled.publish().code == 0 and pulled.written() == before


def test_what_was_approved_is_taken_back_when_more_comes(pulled):
    approving(pulled)
    pulled.publish()
    pulled.repo.commit({"z.py": EVIL})
    pulled.pull.push()
    done = pulled.publish()
    assert [review.state for review in pulled.pull.reviews] == ["DISMISSED", "COMMENTED"], (
        done.output
    )


@pytest.mark.req("R003-051", "R003-052", "R003-049")
def test_on_our_own_pull_request_we_only_comment(pulled):
    approving(pulled, request_changes=True)
    pulled.repo.commit({"z.py": EVIL})
    pulled.pull.push()
    done = pulled.publish(token=pulled.github.token("ada"))
    [review] = pulled.pull.reviews
    assert (
        review.state == "COMMENTED"
        and len(pulled.pull.inline) == 1
        and "is the author of" in review.body
    ), done.output


@pytest.mark.req("R003-052", "R003-053")
def test_our_own_pull_request_with_red_ci_is_told_both_once(pulled):
    approving(pulled)
    pulled.stored.check(pulled.repo.rev("topic"), "build", "failure")
    for _ in range(2):
        assert pulled.publish(token=pulled.github.token("ada")).code == 0
        [review] = pulled.pull.reviews
        assert review.state == "COMMENTED" and all(
            word in review.body for word in ("is the author of", "CI is failing: build", "flaky")
        )


@pytest.mark.parametrize(("threshold", "verdict"), [("P1", "block"), ("P0", "concerns")])
def test_a_review_of_an_older_head_is_posted_about_that_head_and_says_so(
    pulled, threshold, verdict
):
    pulled.repo.switch("main")
    pulled.repo.commit(
        {
            ".reviewgate-gh.yaml": json.dumps(
                {"version": 1, "policy": {"finding_threshold": threshold}}
            )
        }
    )
    pulled.repo.git("rebase", "--quiet", "main", "topic")
    sha = pulled.pull.push()
    report = pulled.review()
    pulled.repo.commit({"later.py": "x = 1\n"})
    head = pulled.pull.push()
    done = pulled.run("publish", "1", "--report", report)
    [review] = pulled.pull.reviews
    assert done.code == 0 and review.commit_id == sha and review.state == "COMMENTED", done.output
    said = f"Commit {sha[:12]} was reviewed, but the head is now {head[:12]} (1 commit later)."
    assert review.body.replace("`", "").count(said) == done.stderr.count(said) == 1, (
        review.body,
        done.stderr,
    )
    assert review.body.startswith(f"**reviewgate-gh: {verdict}**")


@pytest.mark.contract(plain=False)
def test_a_token_that_may_not_write_is_told_what_is_missing(pulled):
    from tests.peers.github.handle import READ_ONLY

    done = pulled.publish(token=pulled.github.token(**READ_ONLY))
    assert done.code == 69 and "pull-requests: write" in done.output.replace(
        "pull_requests", "pull-requests"
    ), done.output
    assert not pulled.pull.reviews


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "not stored"])
@pytest.mark.parametrize("mode", ["502", "reset", "cut"])
def test_an_answer_that_is_lost_leads_to_one_review(pulled, mode, stored):
    pulled.github.fault(mode, "POST", "/repos/*/reviews", nth=1, stored=stored)
    done = pulled.publish()
    assert len(pulled.pull.reviews) == 1 and len(pulled.pull.inline) == 1, done.output
    assert done.code == 0 and not pulled.github.duplicates()


def test_a_workflow_that_may_not_approve_says_so_once(pulled):
    approving(pulled)
    for _ in range(3):
        done = pulled.publish(token=pulled.github.token())
        [review] = pulled.pull.reviews
        assert (
            done.code == 0
            and review.state == "COMMENTED"
            and "not permitted to approve" in done.output
        ), done.output
        assert (
            "GitHub Actions is not permitted to approve" in review.body
            and "Allow GitHub Actions to create" in review.body
        )


def test_what_github_does_not_take_at_its_line_goes_into_the_text(pulled):
    pulled.github.fault("422", "POST", "/repos/*/reviews", nth=1)
    done = pulled.publish()
    [review] = pulled.pull.reviews
    assert done.code == 0 and not pulled.pull.inline and "a.py:2" in review.body, done.output


def test_while_it_is_not_known_who_we_are_nothing_is_posted(pulled):
    pulled.github.fault("403", "POST", "/graphql", times=9)
    done = pulled.publish()
    assert not pulled.pull.reviews and "which account the token belongs to" in done.output, (
        done.output
    )


def test_two_runs_at_once_leave_one_review(pulled):
    import threading

    report = pulled.review()
    gate = threading.Barrier(2, timeout=20)
    pulled.github.faults.on("POST", "/repos/*/pulls/*/reviews", times=2, before=gate.wait)
    ends = []
    runs = [
        threading.Thread(target=lambda: ends.append(pulled.run("publish", "1", "--report", report)))
        for _ in range(2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    shown = [review for review in pulled.pull.reviews if not review.minimized]
    comments = [comment for comment in pulled.pull.inline if not comment.minimized]
    assert len(shown) == 1 and len(comments) == 1, [end.output for end in ends]


@pytest.mark.contract(plain=False)
def test_a_preflight_names_what_is_missing_and_posts_nothing(pulled):
    from tests.peers.github.handle import READ_ONLY

    done = pulled.publish("--preflight")
    assert done.code == 0 and "issues" not in done.stderr, done.output
    done = pulled.publish("--preflight", token=pulled.github.token(**READ_ONLY))
    assert done.code == 69 and "lacks `pull-requests: write`" in done.stderr, done.output
    assert not pulled.pull.reviews and not pulled.written()


def test_a_preflight_knows_what_the_tracker_needs(pulled):
    from tests.peers.github.handle import GATE

    pulled.repo.switch("main")
    pulled.repo.commit(
        {".reviewgate-gh.yaml": json.dumps({"version": 1, "tracker": {"type": "github"}})}
    )
    pulled.repo.git("rebase", "--quiet", "main", "topic")
    pulled.pull.push()
    done = pulled.publish("--preflight")
    assert done.code == 69 and "lacks `issues: write`" in done.stderr, done.output
    done = pulled.publish("--preflight", token=pulled.github.token(**{**GATE, "issues": "write"}))
    assert done.code == 0 and "pull-requests: write, issues: write" in done.stderr, done.output
    assert not pulled.written() and not pulled.github.world.repos["octo/repo"].issues.keys() - {1}


@pytest.mark.parametrize(
    ("setting", "lacks"),
    [
        ("approve", {"checks": ("", "read")}),
        ("approve", {"statuses": ("", "read")}),
        ("approve", {"checks": ("", "read"), "statuses": ("", "read")}),
        ("check_run", {"checks": ("read", "write")}),
    ],
    ids=[
        "approve without checks",
        "approve without statuses",
        "approve without both",
        "check_run that may read",
    ],
)
def test_a_preflight_knows_what_the_config_of_publish_needs(pulled, setting, lacks):
    from tests.peers.github.handle import GATE

    pulled.repo.switch("main")
    pulled.repo.commit(
        {".reviewgate-gh.yaml": json.dumps({"version": 1, "publish": {setting: True}})}
    )
    pulled.repo.git("rebase", "--quiet", "main", "topic")
    pulled.pull.push()
    poor = {
        name: right
        for name, right in {**GATE, **{name: held for name, (held, _) in lacks.items()}}.items()
        if right
    }
    rich = {**poor, **{name: needed for name, (_, needed) in lacks.items()}}
    done = pulled.publish("--preflight", token=pulled.github.token(**poor))
    wanted = [f"lacks `{name}: {needed}`" for name, (_, needed) in lacks.items()]
    assert (
        done.code == 69
        and all(each in done.stderr for each in wanted)
        and done.stderr.count("lacks `") == len(lacks)
    ), done.output
    done = pulled.publish("--preflight", token=pulled.github.token(**rich))
    assert done.code == 0 and all(
        f"{name}: {needed}" in done.stderr for name, (_, needed) in lacks.items()
    ), done.output
    assert not pulled.written()


@pytest.mark.parametrize("times", [1, 2])
def test_a_list_that_lags_behind_a_lost_answer_leads_to_one_review(pulled, times):
    """It was stored, its answer was lost, and the first looks at the list do not show it yet."""
    report = pulled.review()
    pulled.github.fault("502", "POST", "/repos/*/reviews", stored=True)
    pulled.github.fault("stale", "GET", "/repos/*/reviews", times=times)
    done = pulled.run("publish", "1", "--report", report)
    assert done.code == 0 and "the review was posted" in done.stderr, done.output
    assert len(pulled.pull.reviews) == len(pulled.pull.inline) == 1


def test_a_run_says_how_many_requests_it_sent(pulled):
    done = pulled.publish()
    assert f"{len(pulled.github.journal.entries)} requests to GitHub\n" in done.stderr, done.output


@pytest.mark.req("R003-022", "R003-027", "R003-028")
def test_what_is_uncertain_a_tools_warning_or_nice_to_have_is_never_posted(pulled):
    pulled.repo.commit({"w.py": "import json\n\n\ndef f(a=[]):\n    call_it(a)\n"})
    pulled.pull.push()
    path = pulled.review()
    with open(path) as file:
        report = json.load(file)
    by_rule = {
        each["rule"].partition("/")[2]: each
        for each in report["findings"]
        if each["path"] == "w.py"
    }
    assert {rule: each["priority"] for rule, each in by_rule.items()} == {
        "F401": "P3",
        "B006": "P2",
        "F821": "P1",
    }, by_rule
    by_rule["F821"]["confidence"] = "low"
    report["findings"].append(
        {
            **by_rule["F401"],
            "rule": "",
            "category": "style",
            "title": "A nicer name",
            "sources": ["a model"],
        }
    )
    with open(path, "w") as file:
        json.dump(report, file)
    done = pulled.run("publish", "1", "--report", path)
    [review], [comment] = pulled.pull.reviews, pulled.pull.inline
    assert done.code == 0 and place(comment) == ("a.py", 2), done.output
    assert not any(word in review.body for word in ("w.py", "F401", "B006", "F821", "nicer")), (
        review.body
    )
    assert (
        "for human review, shown on the terminal" in done.stderr
        and "nice to have: never posted" in done.stderr
    )


def test_a_report_by_settings_that_are_not_here_is_a_mistake_with_one_line(pulled):
    path = pulled.review()
    with open(path) as file:
        report = json.load(file)
    for rules in ("a" * 40, "-r", "\0"):
        report["change"]["rules"] = rules
        with open(path, "w") as file:
            json.dump(report, file)
        done = pulled.run("publish", "1", "--report", path)
        assert done.code == 64 and "is not in this clone" in done.stderr, done.output
    assert not pulled.github.journal.entries


@pytest.mark.parametrize("head", ["abc", "main", "", "A" * 40, "../../x", "x" * 10_000])
def test_a_report_about_no_commit_is_a_mistake_with_one_line(pulled, head):
    path = pulled.review()
    with open(path) as file:
        report = json.load(file)
    report["change"]["head"] = head
    with open(path, "w") as file:
        json.dump(report, file)
    done = pulled.run("publish", "1", "--report", path)
    assert done.code == 64 and "is not a commit id" in done.stderr and len(done.stderr) < 500, (
        done.output
    )
    assert not pulled.github.journal.entries


def test_an_enterprise_server_is_reached_by_its_own_address(pulled):
    done = pulled.publish(
        "--api-url", f"{pulled.github.url}/api/v3", GITHUB_API_URL="", GITHUB_GRAPHQL_URL=""
    )
    assert done.code == 0 and len(pulled.pull.reviews) == len(pulled.pull.inline) == 1, done.output


def test_a_clone_of_another_server_is_not_taken_for_its_namesake_here(pulled):
    report = pulled.review()
    pulled.repo.git("remote", "add", "origin", "https://ghe.example.com/octo/repo.git")
    done = pulled.run("publish", "1", "--report", report, GITHUB_REPOSITORY="")
    assert (
        done.code == 64
        and "origin is on ghe.example.com" in done.stderr
        and not pulled.github.journal.entries
    ), done.output
    pulled.repo.git("remote", "set-url", "origin", "git@127.0.0.1:octo/repo.git")
    done = pulled.run("publish", "1", "--report", report, GITHUB_REPOSITORY="")
    assert done.code == 0 and len(pulled.pull.inline) == 1, done.output


def test_a_report_of_no_review_says_and_takes_back_nothing(pulled):
    approving(pulled)
    assert pulled.publish().code == 0
    before = pulled.written()
    report = str(pulled.repo.path.parent / "skipped.json")
    skipped = {"REVIEWGATE_GH_SKIP": "it burns"}
    pulled.repo.cli(
        "review", "--base", "main", "--output", "json", "--output-path", report, env=skipped
    )
    done = pulled.run("publish", "1", "--report", report)
    assert (
        done.code == 0
        and "so nothing was posted; review again without REVIEWGATE_GH_SKIP" in done.stderr
    ), done.output
    assert [each.state for each in pulled.pull.reviews] == [
        "APPROVED"
    ] and pulled.written() == before


def test_a_wrong_number_posts_nothing_and_makes_no_issue(pulled):
    pulled.stored.stored.collaborators["grace"] = "write"
    pulled.repo.switch("main")
    pulled.repo.commit({".reviewgate-gh.yaml": json.dumps({"tracker": {"type": "local"}})})
    pulled.repo.git("rebase", "--quiet", "main", "topic")
    pulled.pull.push()
    report = pulled.review()
    pulled.repo.switch("main")
    pulled.repo.branch("other")
    pulled.repo.commit({"other.py": "x = 1\n"})
    other = pulled.stored.pull("other")
    pulled.github.forgive()
    done = pulled.run("publish", str(other.number), "--report", report)
    assert (
        done.code == 69
        and "not part of the pull request" in done.stderr
        and "issues" not in done.stderr
    ), done.output
    assert not other.reviews and not pulled.repo.file(".git/reviewgate-gh/issues.jsonl").exists()
    done = pulled.run("publish", "1", "--report", report)
    assert (
        done.code == 0 and "issues (local): 1 new" in done.stderr and len(pulled.pull.inline) == 1
    ), done.output
