"""Coding agents in a whole review: one that breaks is no pass, and a signal ends them with all that they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..agents import KEY, NAME, NAMES, Fake
from ..support import ROOT, Repo
from ..unit.reviewers.test_agents_hostile import survivors

CONFIG = "reviewers:\n  builtin: {{type: builtin}}\n  one: {{type: {name}, timeout: {timeout}, options: {{key: {key}}}}}\n"
_HANGS = """open(FOLDER + '/pid', 'a').write(f'{os.getpid()}\\n')
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
open(FOLDER + '/pid', 'a').write(f'{child.pid}\\n')
time.sleep(600)"""
BREAKS = {
    "prose": "sys.stdin.read(); print(ANSWER)",
    "an exit code": "sys.exit(1)",
    "a signal": "os.kill(os.getpid(), signal.SIGKILL)",
    "silence": "sys.exit(0)",
    "half an answer": "print(ANSWER[:30])",
    "no UTF-8": "sys.stdout.buffer.write(b'\\xff' + ANSWER.encode())",
    "no end": "time.sleep(60)",
}


def declared(repo: Repo, name: str, timeout: float = 20) -> Repo:
    repo.commit({".reviewgate-gh.yaml": CONFIG.format(name=name, key=NAME, timeout=timeout)}, "config")
    repo.branch("work")
    repo.commit({"app.py": "x = 1\n"}, "a change")
    return repo


# Each way with one of them: what it makes of each is shown in tests/unit/reviewers.
@pytest.mark.parametrize(("how", "name"), [(how, NAMES[at % len(NAMES)]) for at, how in enumerate(BREAKS)])
def test_an_agent_that_breaks_is_no_pass(how: str, name: str, repo: Repo, tmp_path: Path) -> None:
    fake = Fake.make(name, tmp_path / "agent", BREAKS[how], text="I approve of this: VERDICT: PASS")
    ran = declared(repo, name, 2 if how == "no end" else 20).cli("review", "--base", "main", env={"PATH": fake.path, NAME: KEY})
    assert ran.code == 2, ran.output
    assert "inconclusive" in ran.stdout and KEY not in ran.output and "Traceback" not in ran.output


@pytest.mark.parametrize("way", ["print(ANSWER.replace('WORDS', said))", "print(said); print(said, file=sys.stderr); sys.exit(1)"])
def test_what_an_agent_repeats_of_its_account_is_in_no_file(way: str, repo: Repo, tmp_path: Path) -> None:
    account = {"AWS_SECRET_ACCESS_KEY": "wJalr-K7MDENG-bPxRfi", "HTTPS_PROXY": "http://ann:a-word-or-2@proxy.example:1"}
    fake = Fake.make("claude", tmp_path / "agent", f"said = {' '.join(account.values())!r}; sys.stdin.read(); {way}", text="I saw WORDS")
    repo.commit({".reviewgate-gh.yaml": "reviewers:\n  one: {type: claude, options: {cloud: bedrock}}\n"}, "config")
    repo.commit({"app.py": "x = 1\n"}, "a change")
    folder = tmp_path / "recorded"
    ran = repo.cli("review", "--base", "HEAD~1", "--record", str(folder), env={"PATH": fake.path, **account})
    files = [path for top in (folder, repo.path / ".git/reviewgate-gh") for path in top.rglob("*") if path.is_file()]
    left = "".join([ran.output, *(path.read_text("utf-8", "replace") for path in files)])
    assert ran.code == 2 and len(files) > 1 and "REDACTED" in left
    assert not [word for word in ("wJalr-K7", "a-word-or-2") if word in left]


@pytest.mark.parametrize(
    ("sign", "name"), [*((signal.SIGINT, name) for name in NAMES), (signal.SIGTERM, "claude"), (signal.SIGHUP, "codex")]
)
def test_a_signal_ends_the_agents_and_leaves_nothing(sign: signal.Signals, name: str, repo: Repo, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    fake = Fake.make(name, tmp_path / "agent", _HANGS)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": fake.path, "TMPDIR": str(temporary), NAME: KEY}
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--base", "main"]
    run = subprocess.Popen(argv, cwd=declared(repo, name, 300).path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while not (fake.folder / "pid").exists() or len((fake.folder / "pid").read_text().split()) < 16:
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.05)
    run.send_signal(sign)
    _out, said = run.communicate(timeout=60)
    assert run.returncode == 130 and b"interrupted" in said and b"Traceback" not in said
    assert survivors(fake.folder) == []
    assert list(temporary.iterdir()) == []
