"""The gate beside the hooks that the real `bd init` puts into a repository."""

import os
import sys
from pathlib import Path

import pytest

from tests.peers import beads

from ..support import run
from .pushing import BAD, GOOD, Pushing, executable


@pytest.mark.bd
def test_the_gate_and_the_hooks_of_beads_both_run(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path, install=False)
    executable(tmp_path / "bin/reviewgate-gh", f'exec "{sys.executable}" -P -m reviewgate_gh "$@"')
    env = {"PATH": os.pathsep.join((str(tmp_path / "bin"), str(beads.real()), os.environ["PATH"]))}
    made = run(["bd", "init", "--prefix", "t", "--non-interactive", "--skip-agents", "--quiet"], it.repo.path, env)
    assert made.code == 0, made.output
    hook = it.repo.file(".beads/hooks/pre-push")
    managed = hook.read_text()

    refused = it.repo.cli("hook", "install", env=env)
    assert refused.code == 64 and hook.read_text() == managed
    line = refused.stderr.rstrip("\n").split("#! line: ")[1]
    assert f"top of {hook}" in refused.stderr
    first, rest = managed.split("\n", 1)
    hook.write_text(f"{first}\n{line}\n{rest}\ncat > {tmp_path / 'refs'}\n")
    it.repo.commit()
    assert it.repo.cli("hook", "status", env=env).code == 0

    (tmp_path / "refs").unlink()  # of the probe's second push, which goes through
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "HEAD:main", env=env).code != 0 and not (tmp_path / "refs").exists()
    it.repo.git("reset", "--quiet", "--hard", "HEAD~")
    it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "HEAD:main", env=env)
    assert done.code == 0, done.output
    assert "refs/heads/main" in (tmp_path / "refs").read_text(), "what comes after the gate and beads has the refs"
    assert run(["bd", "hooks", "install"], it.repo.path, env).code == 0
    assert line in hook.read_text()
