"""A whole run: three issues and an epic, a fixer, a kill in the middle; with the local tracker and
with beads."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.peers import beads
from tests.support import ROOT, Repo, run

KINDS = ["local", "beads", pytest.param("real bd", marks=pytest.mark.peer)]


def environment(kind: str, folder: Path) -> dict[str, str]:
    """PATH with a bd on it, where one is needed."""
    if kind == "local":
        return {}
    tools = beads.real() if kind == "real bd" else beads.install(folder)
    return {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}


def tracked(repo: Repo, env: dict[str, str]) -> list[dict]:
    rows = data(repo.cli("findings", "list", "--all", "--output", "json", env=env))
    return [row for row in rows if row["path"]]


def epic_in(kind: str, repo: Repo, env: dict[str, str]) -> tuple[str, list[str]]:
    """An epic with three closed issues, in the tracker; its id and theirs."""
    if kind == "local":
        rows = [{"id": "rg-e", "title": "an epic", "status": "open", "issue_type": "epic"}]
        rows += [{"id": f"rg-e.{n}", "title": f"issue {n}", "status": "closed"} for n in (1, 2, 3)]
        repo.write(
            {".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
        )
        return "rg-e", ["rg-e.1", "rg-e.2", "rg-e.3"]
    options = (
        ("--prefix", "t", "--non-interactive", "--skip-agents", "--quiet")
        if kind == "real bd"
        else ()
    )
    assert run(["bd", "init", *options], repo.path, env).code == 0
    made = []
    for number in range(4):
        more = [f"--deps=parent-child:{made[0]}"] if made else []
        argv = [
            "bd",
            "create",
            "--json",
            "--type",
            "task" if made else "epic",
            "--priority",
            "2",
            f"--title=issue {number}",
            "--labels=x",
            *more,
        ]
        done = run(argv, repo.path, env)
        assert done.code == 0, done.output
        made.append(json.loads(done.stdout)["id"])
    for name in made[1:]:
        assert run(["bd", "close", name, "--reason=done", "--json"], repo.path, env).code == 0
    return made[0], made[1:]


@pytest.mark.parametrize("kind", KINDS)
def test_three_issues_and_an_epic(repo: Repo, tmp_path: Path, kind: str) -> None:
    place, env = Place(repo), environment(kind, tmp_path / "bin")
    repo.write({".gitignore": ".beads/\n"})
    epic, issues = epic_in(kind, repo, env)
    mends = (
        "import glob\nfor name in glob.glob('m*.py'): "
        f"pathlib.Path(name).write_text({CLEAN!r})\ncommit('mended', NOTES__md='x')"
    )
    place.configure(
        tracker={"type": "local" if kind == "local" else "beads"},
        commands={"check": [sys.executable, "-c", "print('fine')"]},
        remediation={"resume": place.fixer(mends, "resume"), "fixer": place.fixer(mends)},
        epic_verification={"enabled": False},
        validation_triggers={
            "session_end": {"commands": [{"ref": "check"}],
                "code_review": review(finding_threshold="P1")},
            "epic_completion": {"code_review": review(baseline="since_last_review")},
            "run_end": {"code_review": review(baseline="since_run_start", finding_threshold="P2")},
        },
    )  # fmt: skip
    begun = data(
        repo.cli("orchestrate", "start", "--issues", ",".join(issues), "--output", "json", env=env)
    )
    for number, (issue, priority) in enumerate(zip(issues, ("P1", "P2", "P3"), strict=True)):
        repo.commit({f"m{number}.py": DEFECTS[priority]}, f"bd-{issue}: work")
        if number == 1:
            killed(repo, issue, env)
            again = data(
                repo.cli(
                    "orchestrate",
                    "start",
                    "--issues",
                    ",".join(reversed(issues)),
                    "--output",
                    "json",
                    env=env,
                )
            )
            assert again["resumed"] and (again["run_id"], again["run_start_commit"]) == (
                begun["run_id"],
                begun["run_start_commit"],
            )
        done = repo.cli("orchestrate", "trigger", "session_end", "--issue", issue, env=env)
        assert done.code == 0, done.output
    ended = repo.cli("orchestrate", "end", "--output", "json", env=env)
    assert ended.code == 0, ended.output
    fired = data(ended)["fired"]
    assert [(each["trigger"], each["fired"], each["fixes"]) for each in fired] == [
        ("epic_completion", True, 0),
        ("run_end", True, 1),
    ]
    assert (place.noted("resume"), place.noted("fixer")) == (1, 1)

    stored = json.loads(repo.file(".git/reviewgate-gh/run_metadata.json").read_text())
    assert set(stored["last_cumulative_review_commits"].values()) <= set(
        repo.git("rev-list", "HEAD").split()
    )
    assert list(stored["last_cumulative_review_commits"]) == [
        f"epic_completion:{epic}",
        "run_end",
    ] and stored["completed"] == [epic]
    found = tracked(repo, env)
    assert sorted((row["path"], row["priority"]) for row in found) == [
        ("m0.py", "P1"),
        ("m1.py", "P2"),
        ("m2.py", "P3"),
    ]
    assert {
        row["path"]: next(label for label in row["labels"] if label.startswith("trigger:"))
        for row in found
    } == dict.fromkeys(("m0.py", "m1.py", "m2.py"), "trigger:session_end"), (
        "the first to find it is its source"
    )
    events = [
        json.loads(line)
        for line in repo.file(".git/reviewgate-gh/events.jsonl").read_text().splitlines()
    ]
    names = [event.get("event") for event in events if event.get("event")]
    assert names.count("Review completed") >= 6 and names.count("Baseline advanced") == 3
    assert {event["run_id"] for event in events} == {begun["run_id"]}


def killed(repo: Repo, issue: str, env: dict[str, str]) -> None:
    """A trigger that is killed while it works."""
    argv = [
        sys.executable,
        "-P",
        "-m",
        "reviewgate_gh",
        "orchestrate",
        "trigger",
        "session_end",
        "--issue",
        issue,
    ]
    child = subprocess.Popen(
        argv,
        cwd=repo.path,
        env={**os.environ, **env, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    time.sleep(0.5)
    child.send_signal(signal.SIGKILL)
    child.wait()
