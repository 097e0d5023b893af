"""`review --pr` with GitHub: what it says of the base and of forks counts, and `--publish` posts
what was read, once."""

import json
import shlex

import pytest

from reviewgate_gh.pull_request.rows import read_rows
from tests.peers.github.handle import GATE
from tests.support import ROOT, Repo, cli

EVIL = "def f(x):\n    return evil(x)\n"


class Hosted:
    """A pull request at GitHub, whose git repository is also the origin of a clone."""

    def __init__(self, github, repo: Repo, folder) -> None:
        self.github, self.repo, self.folder = github, repo, folder
        self.stored = github.repository(repo.path)
        self.token = github.token()

    def open(self, files, base: str = "main", **options):
        if base != "main":
            self.repo.branch(base)
            self.repo.commit({"on-base.txt": "x\n"})
        self.repo.branch("topic")
        self.repo.commit(files)
        self.repo.switch("main")
        self.pull = self.stored.pull("topic", base, **options)
        self.clone = self.repo.clone(self.folder / "clone")
        return self

    def run(self, *args: str, token=None):
        token = self.token if token is None else token
        env = {**self.github.env(), **({"GITHUB_TOKEN": token} if token else {})}
        return self.clone.cli(*args, env=env)

    def review(self, *args: str, token=None):
        done = self.run("review", "--pr", "1", "--output", "json", *args, token=token)
        return done, json.loads(done.stdout) if done.stdout else {}


@pytest.fixture
def hosted(github, repo, tmp_path) -> Hosted:
    return Hosted(github, repo, tmp_path)


@pytest.mark.parametrize("asked", [True, False], ids=["GitHub", "no token"])
def test_github_knows_the_base(hosted, asked):
    hosted.open({"a.py": EVIL}, base="develop")
    done, report = hosted.review(token=None if asked else "")
    assert {each["path"] for each in report["change"]["files"]} == (
        {"a.py"} if asked else {"a.py", "on-base.txt"}
    ), done.output
    assert bool(hosted.github.journal.entries) == asked


@pytest.mark.parametrize(
    ("options", "door"),
    [({}, "pr"), ({"fork": "eve/repo"}, "fork"), ({"author": "dependabot[bot]"}, "fork")],
    ids=["own branch", "fork", "Dependabot"],
)
def test_github_knows_whose_it_is(hosted, options, door):
    named = {name: {"type": "builtin", "where": [name]} for name in ("pr", "fork")}
    hosted.repo.commit(
        {".reviewgate-gh.yaml": json.dumps({"version": 1, "reviewers": {"change": False, **named}})}
    )
    hosted.open({"a.txt": "x\n"}, **options)
    done, report = hosted.review()
    assert [row["reviewer"] for row in report["reviews"]] == [door], done.output


def test_one_that_is_merged_is_compared_with_the_base_it_had(hosted):
    hosted.open({"a.py": EVIL})
    hosted.repo.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
    hosted.pull.close(merged=True)
    done, report = hosted.review()
    assert done.code == 1 and {each["path"] for each in report["change"]["files"]} == {"a.py"}, (
        done.output
    )


def test_two_repositories_are_not_mixed(hosted):
    hosted.open({"a.py": EVIL})
    hosted.repo.git("update-ref", "refs/pull/1/head", "main")
    done, _report = hosted.review()
    assert done.code == 69 and "if they still differ" in done.stderr, done.output


def test_github_that_is_out_of_reach_is_one_clear_line(hosted):
    hosted.open({"a.py": EVIL})
    done = hosted.clone.cli(
        "review",
        "--pr",
        "1",
        env={**hosted.github.env(hosted.token), "GITHUB_API_URL": "http://127.0.0.1:9"},
    )
    assert done.code == 69 and len(done.stderr.splitlines()) == 2 and not done.stdout, done.output


def test_what_was_read_is_posted_once(hosted):
    hosted.open({"a.py": EVIL})
    head = hosted.repo.rev("topic")
    done, report = hosted.review("--publish")
    [review], [comment] = hosted.pull.reviews, hosted.pull.inline
    assert done.code == 1 and (review.commit_id, comment.origin.path, comment.origin.line) == (
        head,
        "a.py",
        2,
    ), done.output
    assert report["change"]["head"] == head and "posted COMMENT" in done.stderr
    before = len(hosted.github.journal.created)
    assert hosted.review("--publish")[0].code == 1 and len(hosted.github.journal.created) == before


def test_a_use_that_breaks_elsewhere_is_posted_once_at_its_cause(hosted):
    hosted.repo.commit(
        {
            "shop/__init__.py": "",
            "shop/prices.py": "def net_price(item):\n    return item\n\n\nRATE = 7\n",
            "shop/till.py": "from shop.prices import net_price\n\nTOTAL = net_price(3)\n",
        }
    )
    hosted.open({"shop/prices.py": "RATE = 8\n"})
    done, report = hosted.review("--publish")
    [comment] = hosted.pull.inline
    assert (comment.origin.path, comment.origin.line) == ("shop/prices.py", 1), done.output
    assert "net_price" in comment.body and "shop/till.py:1" in comment.body
    states = {each["rule"]: each["state"] for each in report["findings"]}
    assert states == {"callers/import": "open", "change/removed-name-used": "duplicate"}
    [review] = hosted.pull.reviews
    assert comment.body.count("`net_price` is used here") == 1
    assert [row.kind for row in read_rows(review.body)] == ["elsewhere"]
    before = len(hosted.github.journal.created)
    assert hosted.review("--publish")[0].code == 1 and len(hosted.github.journal.created) == before


def test_publish_afterwards_takes_the_report_of_this_very_pull_request(hosted):
    hosted.open({"a.py": EVIL})
    assert hosted.review()[0].code == 1
    hosted.clone.commit({"mine.py": EVIL})
    # The latest report is about something else
    assert hosted.run("review", "--base", "origin/main").code == 1
    done = hosted.run("publish", "1")
    assert done.code == 0 and [each.origin.path for each in hosted.pull.inline] == ["a.py"], (
        done.output
    )


def test_a_post_that_fails_takes_no_verdict_away(hosted):
    from tests.peers.github.handle import READ_ONLY

    hosted.repo.commit({".reviewgate-gh.yaml": "version: 1\nmode: warn\n"})
    hosted.open({"a.py": EVIL})
    done, report = hosted.review("--publish", token=hosted.github.token(**READ_ONLY))
    assert done.code == 69 and report["verdict"]["outcome"] == "block", done.output
    assert (
        "nothing more was posted" in str(report["notices"])
        and "nothing more was posted" in done.stderr
    )


def test_publish_needs_a_token_before_the_work_begins(hosted):
    hosted.open({"a.py": EVIL})
    done, report = hosted.review("--publish", token="")
    assert done.code == 64 and "needs a token" in done.stderr and not report, done.output


def test_an_override_posts_nothing(hosted):
    hosted.open({"a.py": EVIL})
    env = {**hosted.github.env(hosted.token), "REVIEWGATE_GH_SKIP": "it burns"}
    done = hosted.clone.cli("review", "--pr", "1", "--publish", env=env)
    assert done.code == 0 and "nothing was posted" in done.output and not hosted.pull.reviews, (
        done.output
    )


class Issues:
    """Issues at GitHub as the tracker, which the base asks for; ada may write."""

    def __init__(self, hosted: Hosted, **permissions: str) -> None:
        hosted.repo.commit(
            {".reviewgate-gh.yaml": json.dumps({"version": 1, "tracker": {"type": "github"}})}
        )
        hosted.stored.stored.collaborators["ada"] = "write"
        hosted.token = hosted.github.token(**{**GATE, "issues": "write", **permissions})
        self.hosted = hosted

    @property
    def made(self) -> list[str]:
        stored = self.hosted.stored.stored
        return [each.body for each in stored.issues.values() if each.number not in stored.pulls]


@pytest.mark.parametrize("where", ["here", "far"])
def test_what_was_read_becomes_one_issue_for_an_author_who_may_write(hosted, where):
    issues = Issues(hosted)
    hosted.open({"a.py": EVIL}, author="ada")
    for said in ("issues (github): 1 new", ""):
        done = hosted.review("--publish")[0] if where == "here" else far(hosted)
        assert done.code == 1 and said in done.stderr, done.output
    assert hosted.run("publish", "1").code == (0 if where == "here" else 64)
    [made] = issues.made
    assert "Pull request: #1" in made


@pytest.mark.parametrize(
    "options", [{"author": "eve"}, {"author": "ada", "fork": "eve/repo"}], ids=["stranger", "fork"]
)
def test_a_stranger_s_and_a_fork_s_become_none(hosted, options):
    issues = Issues(hosted)
    hosted.open({"a.py": EVIL}, **options)
    done, _report = hosted.review("--publish")
    assert done.code == 1 and "no issues were created" in done.stderr and not issues.made, (
        done.output
    )


def test_without_publish_nothing_becomes_an_issue(hosted):
    issues = Issues(hosted)
    hosted.open({"a.py": EVIL}, author="ada")
    assert (
        hosted.review()[0].code == 1
        and hosted.run("publish", "1", "--dry-run").code == 0
        and not issues.made
    )


@pytest.mark.parametrize("verb", [("review", "--pr", "1", "--publish"), ("publish", "1")])
def test_a_review_that_github_does_not_take_becomes_an_issue_all_the_same(hosted, verb):
    issues = Issues(hosted)
    hosted.open({"a.py": EVIL}, author="ada")
    hosted.review()
    hosted.github.fault("403", "POST", "/repos/*/pulls/*/reviews", times=99)
    done = hosted.run(*verb)
    assert (
        done.code == (69 if verb[0] == "publish" else 1) and "issues (github): 1 new" in done.stderr
    ), done.output
    assert len(issues.made) == 1 and not hosted.pull.reviews


def test_where_no_clone_keeps_them_nobody_is_told_that_they_wait(hosted):
    issues = Issues(hosted, issues="read")
    hosted.open({"a.py": EVIL}, author="ada")
    done = far(hosted)
    assert (
        done.code == 1
        and "; 1 finding is only in the report" in done.stderr
        and "saved" not in done.stderr
    ), done.output
    assert not issues.made and len(hosted.pull.inline) == 1


def far(hosted, *args: str, url: str = "https://github.com/octo/repo/pull/1"):
    given = ("review", "--pr", url, "--api-url", hosted.github.url, "--publish", *args)
    return cli(*given, cwd=hosted.folder, env={"GITHUB_TOKEN": hosted.token})


@pytest.mark.req("R003-075")
def test_one_of_another_repository_is_posted_on_too(hosted):
    hosted.open({"a.py": EVIL})
    done = far(hosted)
    [review], [comment] = hosted.pull.reviews, hosted.pull.inline
    assert (
        done.code == 1
        and review.commit_id == hosted.repo.rev("topic")
        and comment.origin.path == "a.py"
    ), done.output
    before = len(hosted.github.journal.created)
    assert far(hosted).code == 1 and len(hosted.github.journal.created) == before


def test_the_address_of_a_remote_s_own_pull_request_is_fetched(hosted):
    hosted.open({"a.py": EVIL})
    hosted.clone.git("remote", "rename", "origin", "upstream")
    hosted.clone.git("remote", "set-url", "upstream", "https://github.com/Octo/Repo.git")
    hosted.clone.git(
        "config", f"url.file://{hosted.repo.path}.insteadOf", "https://github.com/Octo/Repo.git"
    )
    hosted.clone.git("remote", "add", "origin", "git@github.com:eve/repo.git")
    done = hosted.clone.cli("review", "--pr", "https://github.com/octo/repo/pull/1", "--publish",
        "--api-url", hosted.github.url,
                            env={"GITHUB_TOKEN": hosted.token})  # fmt: skip
    assert done.code == 1 and hosted.clone.rev(
        "refs/reviewgate-gh/upstream-pr-1"
    ) == hosted.repo.rev("topic"), done.output
    assert (
        hosted.github.journal.count("GET", "*/git/blobs/*") == 0 and len(hosted.pull.reviews) == 1
    )
    assert (
        "removed the ref refs/reviewgate-gh/upstream-pr-1"
        in hosted.clone.cli("cleanup", "upstream-pr-1").stdout
    )


def test_the_commands_of_the_docs_work_one_after_another(hosted):
    text = (ROOT / "docs/pull-requests.md").read_text("utf-8")
    shown = (
        text.partition("## Commands")[2].partition("```sh\n")[2].partition("```")[0].splitlines()
    )
    for number in range(11):
        hosted.stored.issue(f"issue {number}")
    hosted.open({"a.py": EVIL})
    hosted.clone.git("switch", "--quiet", "topic")
    assert hosted.pull.number == 12
    ends = {}
    for line in shown:
        words = shlex.split(line.replace("$(git rev-parse HEAD)", hosted.repo.rev("topic")))
        far = ["--api-url", hosted.github.url] if "https://" in line else []
        ends[line] = hosted.run(*words[1:], *far).code
    assert ends == {line: int(" review " in line) for line in shown}
    assert len(hosted.pull.reviews) == 1 and len(hosted.pull.inline) == 1
    assert (
        hosted.clone.git("for-each-ref", "refs/reviewgate-gh") == ""
        and (hosted.clone.path / "presubmit.json").exists()
    )


def test_several_machines_review_a_pull_request_and_one_posts(hosted, tmp_path):
    hosted.open({"a.py": EVIL, "b.py": "b = 1\n"})
    planned = hosted.run("plan", "--pr", "1", "--shards", "2", "--output", "json")
    assert [row["shard"] for row in json.loads(planned.stdout)["include"]] == ["1/2", "2/2"]
    answers = tmp_path / "answers"
    for at in (1, 2):
        place = str(answers / f"{at}.json")
        done = hosted.run("review", "--pr", "1", "--shard", f"{at}/2", "--output-path", place)
        assert done.code == 0 and f"shard {at} of 2 asked" in done.stderr, done.output
    assert not hosted.pull.reviews
    done = hosted.run("gather", "--pr", "1", "--publish", "--output", "json", str(answers))
    assert done.code == 1, done.output
    report = json.loads(done.stdout)
    [finding] = [each for each in report["findings"] if each["priority"] == "P1"]
    assert finding["path"] == "a.py" and len(hosted.pull.reviews) == 1
    hosted.run("gather", "--pr", "1", "--publish", str(answers))
    assert len(hosted.pull.reviews) == 1
