"""Another finding at the line of a comment of ours: on a terminal a person looks first, without one
it goes into the text."""

import json
import re
import sys

import pytest

from tests.support import ROOT, Repo, run_on_terminal

EVIL = "def f(x):\n    return evil(x)\n"


class Overlapping:
    """A pull request on which one finding was posted, and a report of others: with another one at
    its line and one beside it."""

    def __init__(self, github, repo: Repo) -> None:
        self.github, self.repo, self.path = github, repo, repo.path.parent / "report.json"
        repo.branch("topic")
        repo.commit({"a.py": EVIL})
        self.pull, self.token = github.repository(repo.path).pull("topic"), github.token()
        repo.cli("review", "--base", "main", "--output", "json", "--output-path", str(self.path))
        assert self.run().code == 0 and len(self.pull.inline) == 1
        report = json.loads(self.path.read_text())
        [finding] = report["findings"]
        beside = {**finding, "rule": "mine/over", "title": "It never returns"}
        report["findings"] = [
            beside,
            {**beside, "rule": "mine/beside", "line_start": 1, "line_end": 1},
        ]
        self.path.write_text(json.dumps(report))
        self.written = len(github.journal.created)

    @property
    def _argv(self) -> tuple[str, ...]:
        return "publish", "1", "--report", str(self.path)

    def run(self, *args: str):
        return self.repo.cli(*self._argv, *args, env=self.github.env(self.token))

    def on_terminal(self, *args: str) -> tuple[int, str]:
        """Exit code, and what somebody who sits there sees; nobody types anything."""
        env = {**self.github.env(self.token), "PYTHONPATH": str(ROOT), "TERM": "xterm"}
        return run_on_terminal(
            [sys.executable, "-P", "-m", "reviewgate_gh", *self._argv, *args], self.repo.path, env
        )

    def posted(self) -> tuple[list[tuple[str, int]], bool]:
        """Where the new comments are, and whether the summary tells of what is at the taken
        line."""
        new = [(each.origin.path, each.origin.line) for each in self.pull.inline[1:]]
        text = self.pull.reviews[0].body
        return new, bool(re.search(r"(?m)^- \*\*P.*a\.py:2.*It never returns", text))


@pytest.fixture
def overlapping(github, repo: Repo) -> Overlapping:
    return Overlapping(github, repo)


@pytest.mark.req("R003-040")
def test_on_a_terminal_it_stops_with_1_and_says_how_to_go_on(overlapping: Overlapping):
    code, seen = overlapping.on_terminal()
    assert code == 1 and "1 new finding on" in seen and "--yes" in seen, seen
    assert len(overlapping.github.journal.created) == overlapping.written


@pytest.mark.req("R003-040")
@pytest.mark.parametrize("how", ["--yes on a terminal", "headless"])
def test_otherwise_only_the_overlapping_finding_leaves_its_line(overlapping: Overlapping, how: str):
    if how == "headless":
        done = overlapping.run()
        code, seen = done.code, done.output
    else:
        code, seen = overlapping.on_terminal("--yes")
    assert code == 0 and overlapping.posted() == ([("a.py", 1)], True), seen


def test_a_dry_run_on_a_terminal_shows_what_would_become_of_it(overlapping: Overlapping):
    code, seen = overlapping.on_terminal("--dry-run")
    assert (
        code == 0
        and "not inline" in seen
        and len(overlapping.github.journal.created) == overlapping.written
    ), seen
