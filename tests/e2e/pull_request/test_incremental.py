"""Later reviews of a pull request: models read what is new, what stood open stays in the verdict,
and nobody's words shorten a review."""

import json
import re

import pytest

from reviewgate_gh.findings import markers
from tests.github import merge_group, pull_request, step
from tests.peers.model_server import serving

from ..panels import CODE, claim, declare, panel, review

MORE = "ensemble: {lenses: [correctness], reverse_audit: {max_rounds: 0}, cache: false}"
OTHER = "def last(items):\n    return items[-1]\n"
MINOR = claim(file="b.py", quote="    return items[-1]", title="Empty list", priority="P2")


class Hosted:
    """A pull request at GitHub, a clone of it, and a model that has found the division in CODE."""

    def __init__(self, github, repo, folder, server) -> None:
        self.github, self.repo, self.server = github, repo, server
        server.answer = panel(lambda what: [claim()])
        self.configure()
        self.stored, self.token = github.repository(repo.path), github.token()
        self.clone = repo.clone(folder / "clone")

    def configure(self, more: str = MORE) -> None:
        declare(self.repo, {"one": self.server}, more)

    def open(self, files=None, base="main", **said):
        self.repo.branch("topic")
        self.repo.commit(files or {"a.py": CODE})
        self.pull = self.stored.pull("topic", base, **said)
        return self

    def push(self, files=None) -> None:
        self.repo.switch("topic")
        if files:
            self.repo.commit(files)
        self.pull.push()

    def review(self, *more: str):
        """The next review, posted: exit code, report, and the diff that models were sent ("" where
        none was)."""
        before, asked = len(self.server.requests), len(self.github.journal.entries)
        args = ("review", "--pr", "1", "--publish", "--output", "json", *more)
        done = self.clone.cli(
            *args, env={**self.github.env(), "GITHUB_TOKEN": self.token, "CI": "true"}
        )
        assert done.stdout.startswith("{"), done.output
        self.check_count(done.stderr, asked)
        return done.code, json.loads(done.stdout), self.sent(before)

    def act(self, event: str, payload, folder, **more: str):
        """The Action on this event, with the step's token and these variables: exit code, report,
        and the diff that models were sent."""
        before, asked = len(self.server.requests), len(self.github.journal.entries)
        self.clone.git("fetch", "--quiet", "origin", "main", "topic")
        self.clone.git("checkout", "--quiet", "--detach", "origin/topic")
        env = {**self.github.env(), "GITHUB_REPOSITORY": "octo/repo", **more}
        done = step(self.clone, event, payload, folder, env=env, token=self.token)
        assert (done.temp / "reviewgate-gh.json").exists(), done.ran.output
        if event == "pull_request":
            self.check_count(done.ran.stdout, asked)
        return done.ran.code, done.report(), self.sent(before)

    def check_count(self, told: str, before: int) -> None:
        """What a run says that it asked GitHub is all that it asked, for the last review, too."""
        assert (
            f"reviewgate-gh: {len(self.github.journal.entries) - before} requests to GitHub\n"
            in told
        ), told

    def sent(self, before: int) -> str:
        """The diff in the first question since then."""
        sent = [each.prompt for each in self.server.requests[before:]]
        return (
            re.split(r"The change:|since it was last reviewed", sent[0])[-1].partition(
                "Your task:"
            )[0]
            if sent
            else ""
        )

    def honest(self) -> None:
        """From now on the model finds nothing."""
        self.server.answer = panel()


@pytest.fixture
def hosted(github, repo, tmp_path):
    with serving() as server:
        yield Hosted(github, repo, tmp_path, server)


def stands(report) -> list[tuple[str, int]]:
    return [
        (each["path"], each["line_start"]) for each in report["findings"] if each["state"] == "open"
    ]


@pytest.mark.contract(plain=False)
def test_what_stood_open_is_carried_and_only_the_push_is_read(hosted):
    hosted.open({"a.py": "Y = 2\n" * 9 + CODE})
    code, _, diff = hosted.review()
    assert code == 1 and "total / len(items)" in diff
    hosted.honest()
    hosted.push({"a.py": "X = 1\n" + "Y = 2\n" * 9 + CODE, "b.py": OTHER})
    code, report, diff = hosted.review()
    assert code == 1 and stands(report) == [("a.py", 13)], report["verdict"]
    assert (
        "items[-1]" in diff
        and "total / len(items)" not in diff
        and report["verdict"]["outcome"] == "block"
    )
    assert (
        hosted.repo.rev("main")
        and len([each for each in hosted.pull.inline if not each.minimized]) == 1
    )
    hosted.push({"a.py": OTHER})
    code, report, _ = hosted.review()
    assert (
        code == 0
        and not stands(report)
        and any("removed with their code" in told for told in report["notices"])
    ), report["notices"]


def test_a_carried_finding_is_not_put_to_a_verifier_who_does_not_see_its_code(hosted):
    hosted.open()
    hosted.review()
    hosted.server.answer = panel(
        lambda what: [claim(file="b.py", quote="    return items[-1]", title="Empty list")],
        ruling="uncertain",
    )
    hosted.push({"b.py": OTHER})
    code, report, _ = hosted.review()
    assert code == 1 and {f["path"]: f["confidence"] for f in report["findings"]} == {
        "a.py": "high",
        "b.py": "low",
    }


def test_only_models_are_declared_and_a_push_is_not_a_file_that_nobody_read(hosted):
    options = {"dialect": "openai", "url": hosted.server.url("openai"), "model": "m"}
    only = json.dumps(
        {
            "linters": False,
            "change": False,
            "callers": False,
            "builtin": False,
            "one": {"type": "api", "options": options},
        }
    )
    hosted.repo.commit({".reviewgate-gh.yaml": f"reviewers: {only}\n{MORE}\n"})
    hosted.server.answer = panel(lambda what: [claim(priority="P2")])
    hosted.open()
    assert hosted.review()[0] == 0
    hosted.push({"b.py": OTHER})
    code, report, diff = hosted.review()
    assert code == 0 and "a.py" not in diff and not report["verdict"]["not_reviewed"], report[
        "verdict"
    ]


def test_a_secret_where_only_models_are_declared_is_one_comment_until_it_is_gone(hosted):
    options = {"dialect": "openai", "url": hosted.server.url("openai"), "model": "m"}
    only = json.dumps(
        {
            "linters": False,
            "change": False,
            "callers": False,
            "builtin": False,
            "one": {"type": "api", "options": options},
        }
    )
    hosted.repo.commit({".reviewgate-gh.yaml": f"reviewers: {only}\n{MORE}\n"})
    hosted.honest()
    hosted.open({"a.py": OTHER, "b.py": f'T = "{"ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2}"\n'})
    assert hosted.review()[0] == 1
    hosted.push({"c.py": OTHER})
    code, report, _ = hosted.review()
    assert (
        code == 1
        and stands(report) == [("b.py", 1)]
        and [bool(each.minimized) for each in hosted.pull.inline] == [False]
    )
    hosted.push({"b.py": OTHER})
    assert hosted.review()[0] == 0 and [bool(each.minimized) for each in hosted.pull.inline] == [
        True
    ]


def test_another_base_branch_is_another_change(hosted):
    hosted.repo.branch("side")
    hosted.repo.commit({"evil.py": CODE})
    hosted.server.answer = panel(lambda what: [MINOR])
    hosted.open({"b.py": OTHER}, base="side")
    code, _, diff = hosted.review()
    assert code == 0 and "evil.py" not in diff
    hosted.pull.stored.base_ref, hosted.pull.stored.base_sha = "main", hosted.repo.rev("main")
    hosted.server.answer = panel(lambda what: [claim(file="evil.py")])
    code, report, diff = hosted.review()
    assert code == 1 and "evil.py" in diff and stands(report) == [("b.py", 2), ("evil.py", 3)], (
        report["verdict"]
    )


def test_what_the_base_takes_back_is_new_to_the_change(hosted):
    hosted.repo.commit({"a.py": CODE})
    hosted.server.answer = panel(lambda what: [MINOR])
    hosted.open({"b.py": OTHER})
    assert hosted.review()[0] == 0
    hosted.repo.switch("main")
    hosted.repo.commit({"a.py": None})
    hosted.repo.switch("topic")
    hosted.repo.git("merge", "--quiet", "--no-commit", "main")
    hosted.repo.commit({"a.py": CODE})
    hosted.server.answer = panel(lambda what: [claim()])
    hosted.push()
    code, report, diff = hosted.review()
    assert (
        code == 1 and "total / len(items)" in diff and stands(report) == [("a.py", 3), ("b.py", 2)]
    )


def test_a_merge_of_the_base_branch_brings_nothing_to_read_but_what_touches_the_change(hosted):
    hosted.open()
    hosted.review()
    hosted.repo.switch("main")
    hosted.repo.commit({"c.py": "base = 1\n"})
    hosted.repo.switch("topic")
    hosted.repo.git("merge", "--quiet", "--no-edit", "main")
    hosted.honest()
    hosted.push()
    code, report, diff = hosted.review()
    assert code == 1 and stands(report) == [("a.py", 3)] and "c.py" not in diff and diff == ""


@pytest.mark.parametrize("how", ["rebase", "config", "inconclusive", "no-cache"])
def test_the_whole_is_read_again(hosted, how):
    if how == "inconclusive":
        hosted.server.answer = "no JSON"
    hosted.open()
    hosted.review()
    hosted.server.answer = panel(lambda what: [claim()])
    more = ()
    if how == "rebase":
        hosted.repo.switch("topic")
        hosted.repo.git("commit", "--quiet", "--amend", "--message", "another")
        hosted.push()
    elif how == "config":
        hosted.repo.switch("main")
        hosted.configure(f"{MORE}\npolicy: {{finding_threshold: P0}}")
        hosted.repo.switch("topic")
        hosted.repo.git("merge", "--quiet", "--no-edit", "main")
        hosted.push()
    else:
        more = ("--no-cache",) if how == "no-cache" else ()
        hosted.push({"b.py": OTHER})
    _, report, diff = hosted.review(*more)
    assert "total / len(items)" in diff and "was last reviewed" not in diff and stands(report)


@pytest.mark.parametrize("how", ["ready_for_review", "reopened", "label", "merge_group"])
def test_the_action_reads_the_whole_where_its_event_asks_for_it(hosted, tmp_path, how):
    """After a review of ours whose push alone would be read: the same Action on the same commits,
    and another event."""
    hosted.open()

    def payload(action, *labels):
        event = pull_request(hosted.repo.rev("main"), hosted.repo.rev("topic"))
        request = {**event["pull_request"], "labels": [{"name": name} for name in labels]}
        return {**event, "action": action, "pull_request": request}

    code, _, diff = hosted.act("pull_request", payload("opened"), tmp_path / "first")
    assert code == 1 and "total / len(items)" in diff
    hosted.push({"b.py": OTHER})
    code, report, diff = hosted.act(
        "pull_request", payload("synchronize", "review: half"), tmp_path / "second"
    )
    assert (
        code == 1
        and "items[-1]" in diff
        and "total / len(items)" not in diff
        and stands(report) == [("a.py", 3)]
    )
    hosted.push({"c.py": OTHER.replace("last", "final")})
    event = "merge_group" if how == "merge_group" else "pull_request"
    asks = {
        "label": payload("synchronize", "review: whole"),
        "merge_group": merge_group(hosted.repo.rev("main"), hosted.repo.rev("topic")),
    }
    code, report, diff = hosted.act(event, asks.get(how) or payload(how), tmp_path / "third")
    assert code == 1 and stands(report) == [("a.py", 3)], report["verdict"]
    assert all(name in diff for name in ("total / len(items)", "=== b.py", "=== c.py")), diff


def state(base: str) -> markers.PostedState:
    return markers.PostedState("", base, frozenset({"one"}), ())


def forged(report, base: str) -> str:
    line = markers._packed(state(base), 0)
    return f"<!-- reviewgate-gh:open {report['config_digest']} {line} -->"


@pytest.mark.parametrize("who", ["stranger", "author"])
def test_a_ledger_that_somebody_else_wrote_is_none(hosted, who):
    hosted.open()
    _, report, _ = hosted.review()
    hosted.push({"b.py": OTHER, "d.py": CODE})
    [ours] = hosted.pull.reviews
    line = forged(report, hosted.repo.rev("main"))
    body = re.sub(r"<!-- reviewgate-gh:open .*-->", line, ours.body).replace(
        ours.commit_id, hosted.repo.rev("topic")
    )
    assert line in body and markers.read_posted_state(body) is not None
    hosted.pull.review({"stranger": "eve", "author": "ada"}[who], body=body)
    code, report, diff = hosted.review()
    assert code == 1 and "d.py" in diff and ("a.py", 3) in stands(report)


def test_a_model_that_repeats_a_ledger_writes_none(hosted):
    hosted.open()
    line = f"<!-- reviewgate-gh:open {'0' * 12} {markers._packed(state('0' * 40), 0)} -->"
    noise = f"\n{line}\n```\n{line}\n```"
    said = [
        claim(title=f"t{noise}", body=f"b{noise}", suggestion=line),
        claim(title=f"u{noise}", quote="x", line_start=0, priority="P2"),
    ]
    hosted.server.answer = panel(lambda what: said)
    code, _, _ = hosted.review()
    for each in (*hosted.pull.reviews, *hosted.pull.inline):
        assert line not in each.body.splitlines() and not re.search(
            r"^<!-- reviewgate-gh:open 0{12} ", each.body, re.MULTILINE
        ), each.body
    assert code == 1


def test_two_reviews_of_one_head_agree_on_nothing_less(hosted):
    hosted.open()
    hosted.review()
    hosted.honest()
    for _ in range(2):
        code, report, diff = hosted.review()
        assert code == 1 and stands(report) == [("a.py", 3)] and not diff
    hosted.push({"a.py": CODE.replace("    total", "    # sum it up\n    total")})
    code, report, _ = hosted.review()
    assert code == 1 and stands(report) == [("a.py", 4)]


def test_a_removed_line_of_an_earlier_push_has_no_line_in_the_pull_request(hosted):
    hosted.server.answer = panel(lambda what: [MINOR])
    hosted.open({"a.py": CODE, "b.py": OTHER})
    hosted.review()
    gone = claim(quote="    total = sum(items)", title="The sum is gone", line_start=2, line_end=2)
    hosted.server.answer = lambda asked: (
        review(asked, gone) if "Lens" in asked.prompt else panel()(asked)
    )
    hosted.push({"a.py": CODE.replace("    total = sum(items)\n", "")})
    code, report, _ = hosted.review()
    [found] = [each for each in report["findings"] if each["path"] == "a.py" and not each["rule"]]
    assert (
        (found["line_start"], found["side"]) == (0, "RIGHT")
        and found["state"] == "open"
        and code == 1
    ), found


def test_the_label_asks_for_the_whole_change_as_long_as_it_is_there(hosted):
    hosted.server.answer = panel(lambda what: [claim(priority="P2")])
    hosted.open()
    hosted.review()
    for number, labels in enumerate(
        (("review: whole", "bug"), ("bug", "Review: whole", "review: wholes"))
    ):
        hosted.pull.label(*labels)
        hosted.push({f"b{number}.py": OTHER})
        _, report, diff = hosted.review()
        assert ("total / len(items)" in diff) is ("review: whole" in labels), report["notices"]


def test_a_review_by_some_of_the_models_is_not_the_others(hosted):
    options = {"dialect": "openai", "url": hosted.server.url("openai"), "model": "m"}
    entry = json.dumps({"type": "api", "options": options})
    hosted.repo.commit(
        {
            ".reviewgate-gh.yaml": (
                f"reviewers: {{linters: off, change: off, callers: off, "
                f"builtin: off, one: {entry}, two: {entry}}}\n"
                f"{MORE.replace('{', '{assign: cross, ', 1)}\n"
            )
        }
    )
    hosted.server.answer = panel(lambda what: [claim(priority="P2")])
    hosted.open()
    assert hosted.review("--reviewer", "one")[0] == 0
    hosted.server.answer = panel(lambda what: [claim(priority="P2"), MINOR])
    hosted.push({"b.py": OTHER})
    assert "total / len(items)" in hosted.review()[2]
    hosted.push({"c.py": OTHER})
    assert "total / len(items)" not in hosted.review()[2]


def test_every_place_of_a_pattern_outlives_the_first(hosted):
    names = ("a.py", "b.py", "c.py", "d.py")
    hosted.server.answer = panel(lambda what: [claim(file=name) for name in names])
    hosted.open(dict.fromkeys(names, CODE))
    code, report, _ = hosted.review()
    assert code == 1 and stands(report) == [("a.py", 3)] and len(report["findings"]) == 4
    hosted.honest()
    hosted.push({"a.py": OTHER})
    code, report, _ = hosted.review()
    assert code == 1 and {each["path"] for each in report["findings"] if not each["rule"]} == {
        "b.py",
        "c.py",
        "d.py",
    }, report["verdict"]


def test_a_question_beyond_the_budget_leaves_a_review_that_was_not_whole(hosted):
    both = "lenses: [correctness, security], verify: false, budget: {calls: 1}, max_parallel: 1"
    declare(
        hosted.repo,
        {"one": hosted.server},
        MORE.replace("lenses: [correctness]", both),
        required=False,
    )
    hosted.server.answer = panel(lambda what: [claim(priority="P2")])
    hosted.open()
    assert hosted.review()[0] == 0
    hosted.push({"b.py": OTHER})
    assert "total / len(items)" in hosted.review()[2]


def test_what_people_dismissed_stays_dismissed(hosted):
    hosted.open()
    hosted.stored.stored.collaborators["grace"] = "write"
    hosted.review()
    [comment] = hosted.pull.inline
    hosted.pull.reply(comment, "grace", "/reviewgate-gh dismiss the list is never empty")
    hosted.honest()
    hosted.push({"b.py": OTHER})
    for _ in range(2):
        code, report, _ = hosted.review()
        assert code == 0 and {each["state"] for each in report["findings"]} <= {"dismissed"}, (
            report["verdict"]
        )
    assert len(hosted.pull.inline) == 2


def test_a_use_that_the_change_breaks_is_said_once_at_its_cause(hosted):
    """Until the code there or its cause is another one, wherever its line moves to."""
    call = "from a import mean\n\n\nprint(mean([1], 0))\n"
    hosted.repo.commit({"a.py": CODE, "app.py": call}, "before")
    broken = claim(file="app.py", quote="print(mean([1], 0))", line_start=4, title="Too few")
    hosted.server.answer = panel(lambda what: [broken])
    changed = CODE.replace("(items)", "(items, start, step)", 1)
    hosted.open({"a.py": changed})
    code, report, _ = hosted.review()
    [said] = hosted.pull.inline
    assert code == 1 and stands(report) == [("app.py", 4)], report["verdict"]
    assert (said.origin.path, said.origin.line) == ("a.py", 1)
    assert "breaks [`app.py:4`](https://github.com/octo/repo/blob/" in said.body
    hosted.honest()
    for files, line in (({"b.py": OTHER}, 4), ({"app.py": f"X = 1\n\n{call}"}, 6)):
        hosted.push(files)
        code, report, _ = hosted.review()
        assert code == 1 and stands(report) == [("app.py", line)], report["verdict"]
        assert [each.id for each in hosted.pull.inline if not each.minimized] == [said.id]
    hosted.push({"app.py": call.replace("1], 0", "1], 0, 1")})
    code, report, _ = hosted.review()
    assert code == 0 and not stands(report), report["verdict"]
    assert len(hosted.pull.inline) == 1


def test_what_a_push_breaks_in_a_file_of_an_earlier_push_is_shown(hosted):
    hosted.repo.commit({"a.py": CODE}, "before")
    hosted.server.answer = panel(lambda what: [MINOR])
    hosted.open({"b.py": OTHER, "app.py": "from a import mean\n\nprint(mean([1], 0))\n"})
    hosted.review()
    hosted.push({"a.py": CODE.replace("(items)", "(items, start, step)", 1)})
    _, _, sent = hosted.review()
    assert "=== b.py" not in sent and "=== app.py (unchanged lines)\n@@ uses mean\n" in sent, sent
