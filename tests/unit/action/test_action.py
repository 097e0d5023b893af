"""The Action's program in a runner's environment: what it refuses, what it says, what it ends
with."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.github import ZERO, Step, merge_group, pull_request, push, step, workflow_dispatch
from tests.support import Repo

pytestmark = pytest.mark.slow

# In halves, so that this file is no defect itself.
CONFLICT = f"one\n{'<' * 7} HEAD\ntwo\n{'=' * 7}\nthree\n{'>' * 7} topic\n"
CONFIG = ".reviewgate-gh.yaml"


class Request:
    """A pull request in a clone of its repository, the head checked out."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self._origin, self._folder, self.base = repo, folder, repo.head
        repo.branch("topic")

    def with_change(self, files: dict[str, str | bytes | None]) -> "Request":
        """Commit this as the head, and clone."""
        self.head = self._origin.commit(files)
        self.clone = self._origin.clone(self._folder / "clone")
        return self

    def run(self, event: str = "pull_request", payload: Any = None, **more: Any) -> Step:
        """The step, for this pull request unless another payload is given."""
        return step(
            self.clone,
            event,
            pull_request(self.base, self.head) if payload is None else payload,
            self._folder / "runner",
            **more,
        )


@pytest.fixture
def request_(repo: Repo, tmp_path: Path) -> Request:
    return Request(repo, tmp_path)


@pytest.fixture
def blocked(request_: Request) -> Request:
    return request_.with_change({"a.txt": CONFLICT})


def output(done: Step, name: str) -> str:
    """The value of one output."""
    lines = done.output.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"{name}<<"))
    return lines[start + 1]


@pytest.mark.parametrize(
    ("files", "mode", "codes"),
    [
        ({"a.txt": "fine\n"}, "block", {"block": 0, "concerns": 0, "never": 0}),
        ({"a.txt": CONFLICT}, "block", {"block": 1, "concerns": 1, "never": 0}),
        ({"CLAUDE.md": "Be kind.\n"}, "block", {"block": 0, "concerns": 1, "never": 0}),
        ({"a.txt": CONFLICT}, "warn", {"block": 0, "concerns": 1, "never": 0}),
    ],
    ids=["pass", "block", "concerns", "warn"],
)
def test_fail_on_decides_what_the_verdict_does(
    repo: Repo,
    tmp_path: Path,
    files: dict[str, str | bytes | None],
    mode: str,
    codes: dict[str, int],
) -> None:
    repo.commit({CONFIG: f"mode: {mode}\n"})
    made = Request(repo, tmp_path).with_change(files)
    for fail_on, code in codes.items():
        done = made.run(fail_on=fail_on)
        assert done.ran.code == code, (fail_on, done.ran.output)
        assert output(done, "exit-code") == ("1" if codes["block"] else "0")
    assert made.run().ran.code == codes["block"]


def test_a_mistake_in_an_input_ends_before_anything_is_reviewed(blocked: Request) -> None:
    for inputs, words in (
        (
            {"fail_on": "sometimes"},
            "the input fail-on must be one of block, concerns, never, not 'sometimes'",
        ),
        ({"trusted": "yes"}, "the input trusted must be true or false, not 'yes'"),
        ({"base": "nowhere"}, "the input base: 'nowhere' is not a commit here"),
    ):
        done = blocked.run(**inputs)
        assert (done.ran.code, done.output, done.summary) == (
            64,
            "",
            "",
        ) and words in done.ran.stderr, done.ran.output


def test_a_deleted_branch_has_nothing_to_review(blocked: Request) -> None:
    done = blocked.run("push", push(blocked.base, ZERO, "refs/heads/topic"))
    assert done.ran.code == 0 and "nothing to review" in done.ran.stdout and done.output == ""


def test_events_that_name_no_commits_are_a_usage_error(blocked: Request) -> None:
    for event, payload in (
        ("issues", {}),
        ("pull_request", {}),
        ("push", push("x", "y")),
        ("merge_group", merge_group("--all", "HEAD")),
    ):
        done = blocked.run(event, payload)
        assert done.ran.code == 64 and "Traceback" not in done.ran.stderr, done.ran.output
    assert blocked.run(env={"GITHUB_EVENT_PATH": "/no/such/file"}).ran.code == 64
    assert blocked.run(env={"GITHUB_EVENT_NAME": ""}).ran.code == 64


def test_every_event_reviews_the_same_commits_here(blocked: Request) -> None:
    base, head = blocked.base, blocked.head
    for event, payload in (
        ("pull_request", pull_request(base, head)),
        ("pull_request", pull_request(base, head, fork=True)),
        ("push", push(base, head, "refs/heads/topic")),
        ("push", push(ZERO, head, "refs/heads/topic")),
        ("merge_group", merge_group(base, head)),
        ("workflow_dispatch", workflow_dispatch("refs/heads/topic")),
    ):
        done = blocked.run(event, payload)
        change = done.report()["change"]
        assert (done.ran.code, change["base"], change["head"], change["trusted"]) == (
            1,
            base,
            head,
            False,
        ), done.ran.output


def test_the_heads_own_configuration_counts_only_when_told(request_: Request) -> None:
    made = request_.with_change({"a.txt": CONFLICT, CONFIG: "mode: warn\n"})
    done = made.run()
    assert done.ran.code == 1 and done.report()["change"]["rules"] == made.base
    trusted = made.run(trusted="true")
    assert (
        trusted.ran.code == 0
        and trusted.report()["change"]["trusted"]
        and "mode: warn" in trusted.ran.stdout
    )


def test_a_fork_has_reviewers_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.commit(
        {
            CONFIG: (
                "reviewers: {linters: {type: linters, where: [fork]}, builtin: {type: builtin, "
                "where: [pr]}, change: off, callers: off}\n"
            )
        }
    )
    made = Request(repo, tmp_path).with_change({"a.py": "x = 1\n"})
    for fork, name in ((False, "builtin"), (True, "linters")):
        done = made.run(payload=pull_request(made.base, made.head, fork=fork))
        assert {row["reviewer"] for row in done.report()["reviews"]} == {name}, done.ran.output


class TestPullRequestTarget:
    """The event that has secrets."""

    def test_the_head_checked_out_is_refused(self, blocked: Request) -> None:
        done = blocked.run("pull_request_target", sha=blocked.base)
        assert (
            done.ran.code == 64
            and "their code would have access to your secrets" in done.ran.stderr
        )
        assert (done.output, done.summary) == ("", "")

    def test_the_head_checked_out_is_refused_whatever_the_runner_calls_its_own(
        self, blocked: Request
    ) -> None:
        assert blocked.run("pull_request_target", sha=blocked.head).ran.code == 64

    def test_an_own_decision_is_possible(self, blocked: Request) -> None:
        done = blocked.run("pull_request_target", sha=blocked.base, i_understand="true")
        assert done.ran.code == 1 and done.report()["change"]["head"] == blocked.head
        assert (
            blocked.run("pull_request_target", sha=blocked.base, i_understand="sure").ran.code == 64
        )

    def test_the_base_checked_out_works(self, blocked: Request) -> None:
        blocked.clone.git("switch", "--quiet", "--detach", blocked.base)
        done = blocked.run("pull_request_target")
        assert done.ran.code == 1 and done.report()["change"]["head"] == blocked.head, (
            done.ran.output
        )

    def test_a_merge_with_the_head_is_refused_even_where_its_parents_are_cut_off(
        self, blocked: Request, tmp_path: Path
    ) -> None:
        clone = blocked.clone
        clone.git("switch", "--quiet", "--detach", blocked.base)
        clone.git("merge", "--quiet", "--no-ff", "--no-edit", blocked.head)
        assert blocked.run("pull_request_target", sha=blocked.base).ran.code == 64
        clone.git("branch", "merged")
        blocked.clone = clone.clone(tmp_path / "shallow", "--depth=1", "--branch=merged")
        done = blocked.run("pull_request_target", sha=blocked.base)
        assert done.ran.code == 64 and "access to your secrets" in done.ran.stderr

    @pytest.mark.parametrize("which", ["older", "newer"])
    def test_another_commit_of_the_pull_request_is_refused(
        self, repo: Repo, tmp_path: Path, which: str
    ) -> None:
        made = Request(repo, tmp_path)
        older = repo.commit({"a.txt": "1\n"})
        made.with_change({"a.txt": CONFLICT})
        made.clone.git("switch", "--quiet", "--detach", older if which == "older" else made.head)
        if which == "newer":
            made.clone.commit({"b.txt": "2\n"})
        assert made.run("pull_request_target", sha=made.base).ran.code == 64

    def test_a_base_that_moved_on_works(self, blocked: Request) -> None:
        blocked.clone.git("switch", "--quiet", "--detach", blocked.base)
        blocked.clone.commit({"main.txt": "later\n"})
        done = blocked.run("pull_request_target", sha=blocked.base)
        assert done.ran.code == 1, done.ran.output

    def test_what_github_itself_would_check_out_works(self, blocked: Request) -> None:
        """A pull request to another branch that brings it commits of the default branch, which is
        checked out."""
        blocked.clone.commit({"main.txt": "later\n"})
        latest = blocked.clone.commit({"main.txt": "later still\n"})
        assert blocked.run("pull_request_target", sha=blocked.base).ran.code == 64
        done = blocked.run("pull_request_target", sha=latest)
        assert done.ran.code == 1, done.ran.output


class TestPolicy:
    """The organisation's floor is no business of the reviewed commits."""

    def test_a_file_outside_of_the_checkout_counts(self, request_: Request, tmp_path: Path) -> None:
        made = request_.with_change({"CLAUDE.md": "Be kind.\n"})
        (tmp_path / "policy.yaml").write_text("policy: {finding_threshold: P2}\n")
        assert made.run().ran.code == 0
        assert made.run(policy=str(tmp_path / "policy.yaml")).ran.code == 1
        assert made.run(policy="../policy.yaml").ran.code == 1
        assert made.run(env={"REVIEWGATE_GH_POLICY": "../policy.yaml"}).ran.code == 1
        assert made.run(policy="nowhere.yaml").ran.code == 78

    @pytest.mark.parametrize("name", ["policy.yaml", "./policy.yaml", "rules/../policy.yaml"])
    def test_a_file_of_the_checkout_counts_while_it_is_the_bases(
        self, repo: Repo, tmp_path: Path, name: str
    ) -> None:
        repo.commit({"policy.yaml": "policy: {finding_threshold: P2}\n", "rules/a.txt": ""})
        made = Request(repo, tmp_path).with_change({"CLAUDE.md": "Be kind.\n"})
        assert made.run(policy=name).ran.code == 1

    @pytest.mark.parametrize("by", ["input", "environment"])
    def test_a_file_that_the_change_touches_is_refused(
        self, repo: Repo, tmp_path: Path, by: str
    ) -> None:
        repo.commit({"policy.yaml": "policy: {finding_threshold: P2}\n"})
        made = Request(repo, tmp_path).with_change(
            {"CLAUDE.md": "Be kind.\n", "policy.yaml": "{}\n"}
        )
        how: dict[str, Any] = (
            {"policy": "policy.yaml"}
            if by == "input"
            else {"env": {"REVIEWGATE_GH_POLICY": "policy.yaml"}}
        )
        done = made.run(**how)
        assert (
            done.ran.code == 64
            and "the reviewed commits change the policy policy.yaml" in done.ran.stderr
        )
        assert made.run(trusted="true", **how).ran.code == 0

    def test_a_new_file_of_the_change_is_refused(self, request_: Request) -> None:
        assert (
            request_.with_change({"policy.yaml": "{}\n"}).run(policy="policy.yaml").ran.code == 64
        )

    def test_a_link_of_the_change_leads_to_no_weaker_one(self, repo: Repo, tmp_path: Path) -> None:
        repo.commit({"rules/policy.yaml": "policy: {finding_threshold: P2}\n"})
        made = Request(repo, tmp_path)
        (tmp_path / "weak").mkdir()
        (tmp_path / "weak/policy.yaml").write_text("{}\n")
        repo.write({"rules/policy.yaml": None})
        repo.file("rules").rmdir()
        repo.file("rules").symlink_to("../weak")
        made.with_change({"CLAUDE.md": "Be kind.\n"})
        done = made.run(policy="rules/policy.yaml")
        assert done.ran.code == 64 and "symbolic link" in done.ran.stderr


class TestReports:
    """Where the reports go."""

    def test_by_default_and_as_told(self, blocked: Request) -> None:
        done = blocked.run()
        assert output(done, "json") == str(done.temp / "reviewgate-gh.json")
        assert json.loads((done.temp / "reviewgate-gh.sarif").read_text())["version"] == "2.1.0"
        assert (done.temp / "reviewgate-gh.html").read_text().startswith("<!DOCTYPE html>")
        assert output(done, "html") == str(done.temp / "reviewgate-gh.html")
        there = {"GITHUB_SERVER_URL": "https://github.example", "GITHUB_REPOSITORY": "o/r"}
        done = blocked.run(json_file="out/a.json", sarif_file=str(done.temp / "b.sarif"), env=there)
        assert f"https://github.example/o/r/blob/{blocked.head}/a.txt#L" in (
            done.temp / "reviewgate-gh.html"
        ).read_text("utf-8")
        assert (
            output(done, "json") == str(blocked.clone.file("out/a.json"))
            and blocked.clone.file("out/a.json").exists()
        )
        assert (
            output(done, "sarif") == str(done.temp / "b.sarif") and (done.temp / "b.sarif").exists()
        )

    def test_a_link_of_the_change_leads_nowhere(self, repo: Repo, tmp_path: Path) -> None:
        made = Request(repo, tmp_path)
        (tmp_path / "else").mkdir()
        repo.file("out").symlink_to("../else")
        made.with_change({"a.txt": CONFLICT})
        done = made.run(json_file="out/a.json")
        assert done.ran.code == 64 and "symbolic link" in done.ran.stderr
        assert list((tmp_path / "else").iterdir()) == []

    def test_a_place_that_cannot_be_written_fails_after_the_findings_were_told(
        self, blocked: Request, tmp_path: Path
    ) -> None:
        done = blocked.run(json_file="/dev/null/a.json")
        assert done.ran.code == 64 and "cannot write" in done.ran.stderr
        assert "conflict" in done.ran.stdout and "conflict" in done.summary

    def test_modules_of_the_change_are_not_imported(
        self, request_: Request, tmp_path: Path
    ) -> None:
        trap = f"open({str(tmp_path / 'sprung')!r}, 'w'); raise SystemExit(0)\n"
        done = request_.with_change(
            {
                "json.py": trap,
                "click.py": trap,
                "reviewgate_gh/__main__.py": trap,
                "a.txt": CONFLICT,
            }
        ).run()
        assert done.ran.code == 1 and not (tmp_path / "sprung").exists(), done.ran.output


class TestSkip:
    """The override."""

    def test_it_is_loud_and_on_record(self, blocked: Request) -> None:
        done = blocked.run(
            env={"REVIEWGATE_GH_SKIP": "the site is down\n::error::x"}, fail_on="concerns"
        )
        assert done.ran.code == 0, done.ran.output
        assert "THE GATE IS OVERRIDDEN" in done.ran.stderr and "overridden" in done.summary
        assert "::warning title=The gate was overridden::the site is down" in done.ran.stdout
        assert (output(done, "verdict"), output(done, "exit-code")) == ("inconclusive", "0")
        assert done.report()["skipped"].startswith("the site is down")

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_it_needs_a_reason(self, blocked: Request, reason: str) -> None:
        done = blocked.run(env={"REVIEWGATE_GH_SKIP": reason})
        assert done.ran.code == 64 and "REVIEWGATE_GH_SKIP needs a reason" in done.ran.stderr


def test_commands_are_off_from_the_first_line_but_for_our_own(blocked: Request) -> None:
    lines = blocked.run().ran.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) == 32
    start, end = lines.index(f"::{token}::"), len(lines) - 1
    assert lines[end] == f"::stop-commands::{token}"
    assert lines[start + 1 : end] and all(
        line.startswith(("::error ", "::warning ", "::notice ")) for line in lines[start + 1 : end]
    )
    assert not any(line.startswith("::") for line in lines[1:start])
