"""`review-gate` under callers that know another gate, under many callers at once, and under deaths
at every step."""

import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from ...support import ROOT, Repo
from ..gating import BAD, CONFLICT, SARIF, gate, sessions, spawn, wait, with_command


def as_first_dialect(repo: Repo, base: str, head: str, context: Path) -> tuple[int, dict]:
    """A caller that was written for the documented contract: the key of the spawn's JSON names the
    session."""
    done = gate(repo, "spawn-code-review", "--diff", f"{base}..{head}", "--context-file", context)
    assert done.code == 0, done.output
    key = json.loads(done.stdout)["session_key"]
    return wait(repo, "--session-key", key, "--timeout", "300")


def as_second_dialect(
    repo: Repo, commits: list[str], context: Path, session: str
) -> tuple[int, dict]:
    """A caller that was written for the shipped gate: it reads no standard output and names the
    session by its own id."""
    env = {"CLAUDE_SESSION_ID": session}
    argv = [
        "spawn-code-review",
        "--exclude",
        ".beads/",
        "--max-rounds",
        "0",
        "--context-file",
        context,
        "--mode",
        "fast",
    ]
    done = gate(repo, *argv, "--agents", "codex,gemini", "--commit", *commits, env=env)
    assert done.code == 0 and "already active" not in done.output, done.output
    done = gate(
        repo,
        "wait",
        "--json",
        "--finalize",
        "--session-id",
        session,
        "--timeout",
        "300",
        "--poll-interval",
        "3",
        env=env,
    )
    return done.code, json.loads(done.stdout)


def test_callers_of_either_dialect_are_served(repo, tmp_path):
    (tmp_path / "issue.md").write_text("# Title\n\nBody\n")
    base, good = repo.head, repo.commit({"good.py": "x = 1\n"})
    bad = repo.commit({"bad.py": BAD})
    code, said = as_first_dialect(repo, base, bad, tmp_path / "issue.md")
    assert code == 1 and said["status"] == "resolved" and said["consensus"]["verdict"] == "FAIL"
    assert [
        (issue["file"], issue["line_start"], issue["priority"]) for issue in said["issues"]
    ] == [("bad.py", 2, 1)]
    code, said = as_second_dialect(repo, [bad, good], tmp_path / "issue.md", "bd-7-1a2b")
    assert code == 1 and said["consensus_verdict"] == "FAIL"
    assert [
        (found["file_path"], found["title"] != "", found["line_end"])
        for found in said["aggregated_findings"]
    ] == [("bad.py", True, 2)]
    assert as_second_dialect(repo, [good], tmp_path / "issue.md", "bd-8-1a2b")[0] == 0


@pytest.mark.req("R001-071")
def test_one_reviewer_is_enough_for_the_whole_way(repo):
    repo.commit(
        {
            ".reviewgate-gh.yaml": "reviewers: {linters: off, change: off, callers: off, "
            "builtin: {type: builtin}}\n"
        }
    )
    repo.commit({"big.txt": CONFLICT})
    assert spawn(repo)["reviewers_spawned"] == ["builtin"]
    code, said = wait(repo)
    assert (
        code == 1
        and [*said["reviewers"]] == ["builtin"]
        and {issue["reviewer"] for issue in said["issues"]} == {"builtin"}
    )


def test_a_session_is_found_by_its_callers_id_and_another_caller_gets_its_own(repo):
    repo.commit({"bad.py": BAD})
    bad = spawn(repo, env={"CLAUDE_SESSION_ID": "one"})["session_key"]
    good = spawn(repo, "--commit", "HEAD~1", "--session-id", "two")["session_key"]
    assert (
        wait(repo, "--session-id", "one")[1]["session_key"]
        == wait(repo, env={"CLAUDE_SESSION_ID": "one"})[1]["session_key"]
        == bad
    )
    assert (
        wait(repo, "--session-id", "two")[1]["session_key"] == wait(repo)[1]["session_key"] == good
    )
    assert wait(repo, env={"CLAUDE_SESSION_ID": "three"})[1]["session_key"] == good
    code, said = wait(repo, "--session-id", "three")
    assert code == 5 and "under this session id" in said["parse_errors"][0]


@pytest.mark.parametrize(
    ("named", "ends", "note"),
    [
        (("two",), ("one", "two"), "commit {two}"),
        (("two", "one"), ("root", "two"), "commits {two}, {one}"),
        (("one,three",), ("root", "three"), "commits {one}, {three}; with 1 more between them"),
        (("root", "one"), ("", "one"), "commits {root}, {one}"),
        (("side", "merge"), ("one", "merge"), "commits {side}, {merge}; with 2 more between them"),
        (
            ("side", "two", "merge"),
            ("one", "merge"),
            "commits {side}, {two}, {merge}; with 1 more between them",
        ),
    ],
)
def test_several_commits_are_reviewed_from_the_first_to_the_last(repo, named, ends, note):
    at = {
        "": repo.git("hash-object", "-t", "tree", "/dev/null"),
        "root": repo.head,
        "one": repo.commit({"one.txt": "1\n"}),
    }
    repo.branch("side")
    at["side"] = repo.commit({"side.txt": "s\n"})
    repo.switch("main")
    at |= {"two": repo.commit({"two.txt": "2\n"}), "three": repo.commit({"three.txt": "3\n"})}
    repo.git("merge", "--quiet", "--no-edit", "side")
    at["merge"] = repo.head
    spawn(repo, "--commit", *(",".join(at[name] for name in word.split(",")) for word in named))
    assert wait(repo)[0] == 0
    (report,) = (repo.path / ".git/reviewgate-gh/reviews").glob("*/report.json")
    change = json.loads(report.read_text())["change"]
    assert (change["base"], change["head"]) == tuple(at[name] for name in ends)
    short = {name: oid[:12] for name, oid in at.items()}
    assert "; ".join(change["notes"]).startswith(note.format(**short)), change["notes"]


def test_commits_of_two_lines_of_history_are_not_spawned(repo):
    repo.branch("side")
    side = repo.commit({"side.txt": "s\n"})
    repo.switch("main")
    done = gate(repo, "spawn-code-review", "--commit", side, repo.commit({"a.txt": "a\n"}))
    assert done.code == 1 and "different lines of history" in done.stderr and sessions(repo) == []


@pytest.mark.parametrize(
    "args",
    [
        "--commit HEAD A..B",
        "--commit=, ",
        "A..B C..D",
        "--commit HEAD --diff A..B",
        "--max-rounds -1 --commit HEAD",
    ],
)
def test_spans_that_contradict_each_other_are_wrong_usage(repo, args):
    done = gate(repo, "spawn-code-review", *args.split(" "))
    assert done.code == 2 and done.stdout == "" and sessions(repo) == [], done.output


@pytest.mark.parametrize("mark", ["session", "gate"])
def test_inside_of_a_review_none_is_spawned(repo, mark):
    done = gate(repo, "spawn-code-review", "--commit", "HEAD", env={"REVIEWGATE_GH_INSIDE": mark})
    assert (
        done.code == 1
        and done.stdout == ""
        and "inside a review" in done.stderr
        and sessions(repo) == []
    )


def test_a_reviewer_that_spawns_a_review_is_refused_and_is_told_the_context(repo, tmp_path):
    script = tmp_path / "agent.sh"
    words = f"{sys.executable} -P -m reviewgate_gh.commands._gate spawn-code-review --commit HEAD"
    script.write_text(
        f"#!/bin/sh\nexport PYTHONPATH={ROOT}\n{words} 2> {tmp_path}/refused\n"
        f"cat $REVIEWGATE_GH_CONTEXT > {tmp_path}/told\n"
    )
    script.chmod(0o755)
    with_command(repo, script)
    (tmp_path / "issue.md").write_text("what it is for\n")
    spawn(repo, "--commit", "HEAD", "--context-file", tmp_path / "issue.md", "--focus", "speed")
    wait(repo)
    assert "inside a review" in (tmp_path / "refused").read_text() and len(sessions(repo)) == 1
    assert (tmp_path / "told").read_text() == "what it is for\n\n\nFocus on this: speed\n"


@pytest.mark.big
def test_twenty_sessions_at_once_keep_their_answers_apart(repo):
    commits = [
        repo.commit({f"file{number}.py": BAD if number % 2 else "x = 1\n"}) for number in range(20)
    ]
    with ThreadPoolExecutor(20) as pool:
        spawned = list(
            pool.map(
                lambda oid: spawn(repo, "--commit", oid, env={"CLAUDE_SESSION_ID": oid}), commits
            )
        )
        answers = list(pool.map(lambda oid: wait(repo, "--session-id", oid), commits))
    assert len({each["session_key"] for each in spawned}) == 20
    for number, (each, (code, said)) in enumerate(zip(spawned, answers, strict=True)):
        assert said["session_key"] == each["session_key"] and code == number % 2
        assert [issue["file"] for issue in said["issues"]] == [f"file{number}.py"] * (number % 2)


def test_a_worker_that_is_killed_at_any_moment_is_never_a_pass_nor_a_hang(repo):
    with_command(repo, "sh", "-c", f"sleep 1; echo '{SARIF}'", more="  linters: {type: linters}\n")
    repo.commit({"bad.py": BAD})
    seen = set()
    for delay in (0.0, 0.05, 0.1, 0.2, 0.3, 0.5):
        spawn(repo)
        (folder,) = [entry for entry in sessions(repo) if not (entry / "seen").exists()]
        (folder / "seen").touch()
        time.sleep(delay)
        for pid in workers(folder):
            os.kill(pid, signal.SIGKILL)
        code, said = wait(repo, "--session-key", folder.name)
        seen.add((code, said["status"]))
    assert (5, "error") in seen and seen <= {(5, "error"), (1, "resolved")}


def workers(folder: Path) -> list[int]:
    """The processes that work for a session: its log is their standard error."""
    log, found = str(folder / "worker.log"), []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(process / "fd/2") == log:
                found.append(int(process.name))
    return found
