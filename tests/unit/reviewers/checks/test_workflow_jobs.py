"""Jobs that wait for one which there is not."""

import pytest

from reviewgate_gh.reviewers.checks import workflow_jobs
from tests.unit.reviewers.checks.support import edited, on, short, sources

PATH = ".github/workflows/a.yml"
HEAD = "on: push\njobs:\n  build:\n    runs-on: x\n  ship:\n    runs-on: x\n"


@pytest.mark.parametrize(
    ("needs", "missing"),
    [
        ("build", False),
        ("biuld", True),
        ("[build, ship]", False),
        ("[build, tests]", True),
        ("${{ a }}", True),
        ("{a: b}", False),
    ],
)
def test_names_that_no_job_has(needs: str, missing: bool) -> None:
    found = [("P1", "workflow-needs", f"{PATH}:7")] if missing else []
    assert on(workflow_jobs, PATH, f"{HEAD}    needs: {needs}\n") == found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = f"{HEAD}    needs: tests\n"
    given = sources(edited(PATH, "+on: push", "-on: push "), contents={PATH: text})
    assert short(workflow_jobs, given) == []
    assert on(workflow_jobs, "a.yml", text) == []
