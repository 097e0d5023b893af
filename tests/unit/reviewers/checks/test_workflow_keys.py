"""Workflows that GitHub refuses as a whole, or never runs."""

import pytest

from reviewgate_gh.reviewers.checks import workflow_keys
from tests.unit.reviewers.checks.support import edited, on, short, sources

PATH = ".github/workflows/a.yml"
TEXT = """\
on:
  schedule: [{cron: "0 5 * * 1-5"}]
permissions: {contents: read}
jobs:
  build:
    runs-on: ubuntu-24.04
    strategy: {fail-fast: false}
    steps:
      - id: a
        run: echo
  ship:
    needs: [build]
    runs-on: [self-hosted, ubunut]
    steps:
      - id: a
        uses: ./x
        with: {runs: 1}
  last:
    needs: ship
    uses: ./.github/workflows/b.yml
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("contents: read", "content: read", 3),
        ("strategy:", "stratgey:", 7),
        ("fail-fast", "failFast", 7),
        ("run: echo", "run: echo\n        envs: {}", 11),
        ("run: echo", "run: echo\n        uses: ./x", 10),
        ("run: echo", "run: echo\n      - {id: A, run: echo}", 11),
        ("build:\n", "build:\n    needs: ship\n", 6),
        ("needs: [build]", "needs: [ship]", 12),
        ("0 5 * * 1-5", "0 25 * * *", 2),
        ("0 5 * * 1-5", "5 * * *", 2),
        ("jobs:", "permision: {}\njobs:", 0),
    ],
)
def test_what_github_refuses(old: str, new: str, line: int) -> None:
    found = [("P1", "workflow-refused", f"{PATH}:{line}")] if line else []
    assert on(workflow_keys, PATH, TEXT.replace(old, new, 1)) == found
    assert on(workflow_keys, "a.yml", TEXT.replace(old, new, 1)) == []


@pytest.mark.parametrize("time", ["*/15 0-6,22 1 JAN-MAR SUN", "0 0 31 12 7", "@daily"])
def test_times(time: str) -> None:
    assert on(workflow_keys, PATH, TEXT.replace("0 5 * * 1-5", time)) == []


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("ubunut-24.04", True),
        ("ubuntu-lastest", True),
        ("ubuntu-26.04-arm", False),
        ("macos-15-xlarge", False),
        ("buildjet-4vcpu", False),
        ("${{ matrix.os }}", False),
    ],
)
def test_runners(label: str, found: bool) -> None:
    text = TEXT.replace("ubuntu-24.04", label)
    assert on(workflow_keys, PATH, text) == [("P2", "workflow-runner", f"{PATH}:6")] * found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = TEXT.replace("strategy:", "stratgey:")
    assert short(workflow_keys, sources(edited(PATH, "-on: ", "+on:"), contents={PATH: text})) == []
