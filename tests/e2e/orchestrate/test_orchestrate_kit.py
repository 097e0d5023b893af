"""The sample loops, fixer and workflow of examples/orchestrate, with an agent that is a script."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from tests.orchestrating import Place
from tests.support import ROOT, Ran, Repo, run

KIT = ROOT / "examples/orchestrate"
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
ISSUES = ("1", "2", "3", "4", "5") if FULL else ("1", "2")
# Writes a module for each issue, with a defect in every second one, and mends what it is told of;
# it commits under its own name. Issue 9 is too much for it.
AGENT = """\
import os, pathlib, re, subprocess, sys
task = sys.stdin.read()
issue = re.match(r"Work on issue (\\d+)", task)
if issue and issue[1] == "9":
    sys.exit(1)
if issue:
    what = "evil(x)" if int(issue[1]) % 2 == 0 else "x"
    pathlib.Path(f"m{issue[1]}.py").write_text(f"def f(x):\\n    return {what}\\n")
    subprocess.run(["git", "add", "-A"], check=True)
    who = {f"GIT_{each}_EMAIL": "agent@bots.example" for each in ("AUTHOR", "COMMITTER")}
    command = ["git", "commit", "-qm", f"bd-{issue[1]}: work"]
    subprocess.run(command, check=True, env={**os.environ, **who})
else:
    for path in pathlib.Path().glob("m*.py"):
        path.write_text(path.read_text().replace("evil(x)", "x"))
"""


@pytest.fixture
def prepared(repo: Repo) -> Repo:
    """The kit in a repository, approved."""
    for each in (*KIT.glob("*.sh"), KIT / "loop.py"):
        place = repo.path / "examples/orchestrate" / each.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(each, place)
    shutil.copy(KIT / "reviewgate-gh.yaml", repo.file(".reviewgate-gh.yaml"))
    repo.commit({".gitignore": "__pycache__/\n"}, "kit")
    repo.trust()
    return repo


def loop(repo: Repo, tmp_path: Path, name: str, *issues: str) -> Ran:
    agent, shim = tmp_path / "agent.py", tmp_path / "bin/reviewgate-gh"
    agent.write_text(AGENT)
    shim.parent.mkdir(exist_ok=True)
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m reviewgate_gh "$@"\n')
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    command = f"{sys.executable} {agent}"
    env = {
        "AGENT": command,
        "AGENT_ADDRESS": "agent@bots.example",
        "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    words = (command, *issues) if name.endswith(".py") else issues
    program = [sys.executable] if name.endswith(".py") else ["bash"]
    return run([*program, f"examples/orchestrate/{name}", *words], repo.path, env)


@pytest.mark.parametrize("issues", [(*ISSUES, "9")], ids=len)
def test_the_loop_reviews_what_an_agent_commits_and_lets_it_mend(prepared, tmp_path, issues):
    done = loop(prepared, tmp_path, "loop.sh", *issues)
    assert done.code == 0 and "1 failed" in done.stderr, done.output
    defects = sum(int(issue) % 2 == 0 for issue in issues)
    assert done.stderr.count("running remediation.resume") == defects, done.output
    assert "evil" not in "".join(prepared.file(f"m{each}.py").read_text() for each in ISSUES)
    subjects = prepared.git("log", "--format=%s").splitlines()
    assert subjects.count("Fix what the review found") == defects
    found = [issue["title"] for issue in Place(prepared).issues()]
    assert any("evil" in title for title in found), "a finding that was mended is in the tracker"


def test_the_same_in_python(prepared, tmp_path):
    prepared.git("config", "user.email", "agent@bots.example")
    done = loop(prepared, tmp_path, "loop.py", "2", "9")
    assert done.code == 0 and "1 of 2 issues done; the run passed\n" in done.stdout, done.output
    assert loop(prepared, tmp_path, "loop.py").code == 1


def test_a_run_that_nothing_could_pass_ends_at_once(prepared, tmp_path):
    config = prepared.file(".reviewgate-gh.yaml").read_text()
    prepared.commit({".reviewgate-gh.yaml": config.replace("ref: test", "ref: no-such")}, "broken")
    prepared.trust()
    done = loop(prepared, tmp_path, "loop.sh", "1", "3")
    assert done.code == 78 and "no-such" in done.stderr, done.output
    assert not prepared.file("m3.py").exists()
