"""The gate beside the hooks that the real `bd init` puts into a repository: a push, and a session
that ends."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.peers import beads

from ...support import Repo, run
from ..pushing import BAD, ENV, GOOD, Pushing, executable

INIT = ("bd", "init", "--prefix", "t", "--non-interactive", "--skip-agents", "--quiet")


def gated(folder: Path) -> tuple[Pushing, dict[str, str], Path, str]:
    """bd's hooks with our line in its pre-push hook, from which the refs go on into a file; that
    hook, and our line."""
    it = Pushing.make(folder, install=False)
    executable(folder / "bin/reviewgate-gh", f'exec "{sys.executable}" -P -m reviewgate_gh "$@"')
    env = {"PATH": os.pathsep.join((str(folder / "bin"), str(beads.real()), os.environ["PATH"]))}
    made = run(INIT, it.repo.path, env)
    assert made.code == 0, made.output
    hook = it.repo.file(".beads/hooks/pre-push")
    managed = hook.read_text()
    refused = it.repo.cli("hook", "install", env=env)
    assert refused.code == 64 and hook.read_text() == managed and f"top of {hook}" in refused.stderr
    line = refused.stderr.rstrip("\n").split("#! line: ")[1]
    first, rest = managed.split("\n", 1)
    hook.write_text(f"{first}\n{line}\n{rest}\ncat > {folder / 'refs'}\n")
    return it, env, hook, line


@pytest.mark.peer
def test_the_gate_and_the_hooks_of_beads_both_run(tmp_path: Path) -> None:
    it, env, hook, line = gated(tmp_path)
    it.repo.commit()
    assert it.repo.cli("hook", "status", env=env).code == 0

    (tmp_path / "refs").unlink()  # of the probe's second push, which goes through
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "HEAD:main", env=env).code != 0 and not (tmp_path / "refs").exists()
    it.repo.git("reset", "--quiet", "--hard", "HEAD~")
    it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "HEAD:main", env=env)
    assert done.code == 0, done.output
    assert "refs/heads/main" in (tmp_path / "refs").read_text(), (
        "what comes after the gate and beads has the refs"
    )
    assert run(["bd", "hooks", "install"], it.repo.path, env).code == 0
    assert line in hook.read_text()


@pytest.mark.peer
@pytest.mark.parametrize("envelope", ["0", "1"])
def test_a_session_ends_beside_them(tmp_path: Path, envelope: str) -> None:
    """Issues are made and closed, the fixer's commits pass the hooks of beads, and the push after
    it passes both."""
    it, env, _hook, _line = gated(tmp_path)
    env |= {**ENV, "BD_JSON_ENVELOPE": envelope}
    repo = Repo(it.repo.path, env)
    place = Place(repo)
    task = json.loads(
        run(
            ["bd", "create", "--json", "--title=a task"],
            repo.path,
            {**env, "BD_JSON_ENVELOPE": "0"},
        ).stdout
    )["id"]
    place.configure(
        tracker={"type": "beads", "close_fixed": True}, hook={"reviewers": ["builtin"]},
        remediation={"resume": place.fixer(f"commit('bd-{task}: mended', "
        f"a__py={CLEAN!r})", "resume")},
        validation_triggers={"session_end": {"code_review": review(finding_threshold="P1")}},
    )  # fmt: skip
    assert repo.cli("orchestrate", "start", "--issues", task).code == 0
    repo.commit({"a.py": DEFECTS["P1"], "b.py": DEFECTS["P2"]}, f"bd-{task}: work")
    done = repo.cli("orchestrate", "trigger", "session_end", "--issue", task, "--output", "json")
    assert done.code == 0 and data(done)["fixes"] == 1 and place.noted("resume") == 1, done.output
    listed = run(
        ["bd", "list", "--all", "--limit", "0", "--json"],
        repo.path,
        {**env, "BD_JSON_ENVELOPE": "0"},
    )
    made = {
        row["title"].partition("(")[2][:4]: row
        for row in json.loads(listed.stdout)
        if "review-finding" in row.get("labels", ())
    }
    assert {name: row["status"] for name, row in made.items()} == {
        "a.py": "closed",
        "b.py": "open",
    }, listed.output
    assert repo.head[:12] in made["a.py"]["close_reason"]
    assert [link["depends_on_id"] for row in made.values() for link in row["dependencies"]] == [
        task,
        task,
    ]
    pushed = it.push("origin", "HEAD:main", env=env)
    assert pushed.code == 0 and repo.head in (tmp_path / "refs").read_text(), pushed.output
