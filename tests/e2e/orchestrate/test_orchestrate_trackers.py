"""What triggers find, in each tracker: made once, kept while it is down, closed with the commit
that mended it."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.peers import beads
from tests.peers.github.handle import GATE
from tests.support import Ran, Repo, run

KINDS = ["local", "beads", pytest.param("real bd", marks=pytest.mark.peer), "github"]
ISSUES, OUTBOX = ".git/reviewgate-gh/issues.jsonl", ".git/reviewgate-gh/outbox/tracker"


@dataclass
class There:
    """A run in a repository with a tracker; `task` is an issue that a session works on."""

    place: Place
    type: str
    task: str
    env: dict[str, str]
    broken: dict[str, str]  # the surroundings in which the tracker fails
    count: Callable[[], int]  # the issues of findings, seen from outside

    def cli(self, *args: str) -> Ran:
        return self.place.repo.cli(*args, env=self.env)

    def session(self) -> Ran:
        return self.cli("orchestrate", "trigger", "session_end", "--issue", self.task)

    def work(self, **files: str) -> str:
        """A commit of the session; `a="P1"` is a file a.py with that defect."""
        return self.place.repo.commit(
            {f"{name}.py": DEFECTS.get(what, what) for name, what in files.items()},
            f"bd-{self.task}: work",
        )

    def rows(self) -> dict[str, dict[str, Any]]:
        """The findings by their path, as `findings list` shows them."""
        return {
            row["path"]: row
            for row in data(self.cli("findings", "list", "--all", "--output", "json"))
            if row["path"]
        }

    @contextmanager
    def down(self) -> Iterator[None]:
        """The tracker fails meanwhile."""
        file, env = self.place.repo.file(ISSUES), self.env
        aside = file.rename(file.with_name("aside")) if file.exists() else None
        if aside:
            file.mkdir()
        self.env = {**env, **self.broken}
        yield
        self.env = env
        if aside:
            file.rmdir()
            aside.rename(file)


@pytest.fixture(params=KINDS)
def there(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> There:
    kind, place = request.param, Place(repo)
    repo.write({".gitignore": ".beads/\n"})
    if kind == "local":
        made = There(place, "local", "rg-1", {}, {}, lambda: len(place.issues()))
    elif kind == "github":
        made = _github(request.getfixturevalue("github"), place)
    else:
        made = _beads(kind, place, tmp_path)
    strict = review(finding_threshold="P1")
    place.configure(
        tracker={"type": made.type, "close_fixed": True},
        remediation={"fixer": place.fixer("commit('mended', "
        f"a__py={CLEAN!r})")},
        validation_triggers={"session_end": {"code_review": strict},
                             "run_end": {"fire_on": "both",
                                 "code_review": {**strict, "baseline": "since_run_start"}}},
    )  # fmt: skip
    assert made.cli("orchestrate", "start", "--issues", made.task, "--epics", made.task).code == 0
    return made


def _github(github: Any, place: Place) -> There:
    hosted = github.repository(place.repo.path)
    env = github.env(github.token(**{**GATE, "issues": "write"}))
    task = str(hosted.issue("a task").number)
    return There(
        place,
        "github",
        task,
        env,
        github.env(github.token()),
        lambda: len(hosted.stored.issues) - 1,
    )


def _beads(kind: str, place: Place, folder: Path) -> There:
    program = beads.real() if kind == "real bd" else beads.install(folder / "bin")
    env = {"PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    options = (
        ("--prefix", "t", "--non-interactive", "--skip-agents", "--quiet")
        if kind == "real bd"
        else ()
    )
    assert run(["bd", "init", *options], place.repo.path, env).code == 0
    task = run(
        [
            "bd",
            "create",
            "--json",
            "--type",
            "epic",
            "--priority",
            "2",
            "--title=a task",
            "--labels=x",
        ],
        place.repo.path,
        env,
    )
    broken = folder / "broken/bd"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
    broken.chmod(0o755)
    failing = {"PATH": f"{broken.parent}{os.pathsep}{os.environ['PATH']}"}

    def count() -> int:
        listed = run(["bd", "list", "--all", "--limit", "0", "--json"], place.repo.path, env)
        return len(json.loads(listed.stdout)) - 1

    return There(place, "beads", json.loads(task.stdout)["id"], env, failing, count)


@pytest.mark.req("R000-111", "R000-112", "R000-124")
def test_made_once_kept_while_it_is_down_and_delivered_by_the_next_run(there: There) -> None:
    there.work(a="P1")
    first = there.session()
    assert (
        first.code == 1 and f"issues ({there.type}): 1 new" in first.stderr and there.count() == 1
    ), first.output
    again = there.session()
    assert again.code == 1 and "issues" not in again.stderr and there.count() == 1, again.output
    there.work(b="P2")
    with there.down():
        failed = there.session()
        shown = there.cli("findings", "list", "--output", "json")
    assert (
        f"the tracker {there.type} failed" in failed.stderr and "2 findings saved" in failed.stderr
    ), failed.output
    assert (failed.code, failed.stdout.splitlines()[-1]) == (
        1,
        first.stdout.splitlines()[-1],
    ) and shown.code == 69, shown.output
    assert {(row["path"], row["status"]) for row in data(shown)} == {
        ("a.py", "waiting"),
        ("b.py", "waiting"),
    }
    assert there.count() == 1 and len([*there.place.repo.file(OUTBOX).iterdir()]) == 1
    ended = there.cli("orchestrate", "end")
    assert ended.code == 0 and there.count() == 2, ended.output
    assert not [*there.place.repo.file(OUTBOX).iterdir()]
    assert {path: row["status"] for path, row in there.rows().items()} == {
        "a.py": "closed",
        "b.py": "open",
    }


@pytest.mark.req("R000-151")
def test_a_mended_finding_closes_its_issue_with_the_commit_and_opens_it_when_it_is_back(
    there: There,
) -> None:
    there.work(a="P1", b="P2")
    assert there.session().code == 1
    mended = there.work(a=CLEAN)
    done = there.session()
    assert done.code == 0 and "1 closed" in done.stderr, done.output
    rows = there.rows()
    assert {path: row["status"] for path, row in rows.items()} == {"a.py": "closed", "b.py": "open"}
    assert f"Gone: {mended[:12]}\n" in f"{rows['a.py']['notes']}\n" and (
        there.type == "github" or mended[:12] in rows["a.py"]["reason"]
    )
    there.work(a="P1")
    assert (
        there.session().code == 1
        and {row["status"] for row in there.rows().values()} == {"open"}
        and there.count() == 2
    )
    fired = there.cli("orchestrate", "trigger", "run_end")
    assert fired.code == 0 and there.place.noted("fixer") == 1, fired.output
    rows = there.rows()
    assert {path: row["status"] for path, row in rows.items()} == {
        "a.py": "closed",
        "b.py": "open",
    } and there.count() == 2
    assert f"Gone: {there.place.repo.head[:12]}\n" in f"{rows['a.py']['notes']}\n", (
        "the fixer's commit"
    )


def test_a_person_lists_shows_and_closes_and_a_run_lets_that_stand(there: There) -> None:
    there.work(a="P1", b="P2")
    assert there.session().code == 1
    rows = there.rows()
    listed = there.cli("findings", "list").stdout
    for path, row in rows.items():
        assert row["id"] in listed and f"{path}:" in listed
        by_id, by_print = (there.cli("findings", "show", row[key]) for key in ("id", "fingerprint"))
        assert (
            by_id.code == 0
            and by_id.stdout == by_print.stdout
            and f"Location: {path}:" in by_id.stdout
        ), by_id.output
    one = rows["b.py"]
    closed = there.cli("findings", "close", one["id"], "--reason", "by design")
    assert closed.code == 0 and closed.stdout.startswith(f"closed {one['id']} "), closed.output
    assert there.cli("findings", "close", one["fingerprint"], "--reason", "again").code == 64
    left = data(there.cli("findings", "list", "--output", "json"))
    assert [row["path"] for row in left if row["path"]] == ["a.py"]
    assert there.session().code == 1 and there.cli("findings", "sync").code == 0
    assert {path: row["status"] for path, row in there.rows().items()} == {
        "a.py": "open",
        "b.py": "closed",
    } and there.count() == 2
