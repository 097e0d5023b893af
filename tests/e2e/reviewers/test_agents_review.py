"""Coding agents in a whole review: one that breaks is no pass, and a signal ends them with all that
they started."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.reviewers.test_agents_apart import SECRETS
from tests.unit.reviewers.test_agents_hostile import survivors

from ...agents import ANSWERS, KEY, NAME, NAMES, Fake
from ...github import pull_request, step
from ...support import ROOT, Repo

LOGIN = f'{{"claudeAiOauth": {{"accessToken": "{KEY}"}}}}'
CONFIG = (
    "reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: {{type: builtin}}\n"
    "  one: {{type: {name}, timeout: {timeout}, options: {{key: {key}}}}}\n"
)
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
# An agent, or a linter, that looks for secrets where the system shows them to programs of the same
# user.
PRY = """
def shown(process):
    try:
        return open(f"/proc/{process}/environ").read()
    except OSError:
        return "refused"
open(FOLDER + "/own", "w").write(shown("self"))
open(FOLDER + "/parent", "w").write(shown(os.getppid()))
"""
# Without the rights over other processes that root has outside of a container.
UNPRIVILEGED = (
    ("setpriv", "--bounding-set=-sys_ptrace,-perfmon,-sys_admin", "--inh-caps=-all", "--")
    if os.geteuid() == 0
    else ()
)
looking = pytest.mark.skipif(
    not Path("/proc/self/environ").exists()
    or bool(UNPRIVILEGED and shutil.which("setpriv") is None)
    or bool(UNPRIVILEGED and subprocess.run([*UNPRIVILEGED, "true"], check=False).returncode),
    reason="no /proc, or no setpriv that knows these rights",
)  # fmt: skip


def declared(repo: Repo, name: str, timeout: float = 20) -> Repo:
    repo.commit(
        {".reviewgate-gh.yaml": CONFIG.format(name=name, key=NAME, timeout=timeout)}, "config"
    )
    repo.branch("work")
    repo.commit({"app.py": "x = 1\n"}, "a change")
    return repo


# Each way with one of them: what it makes of each is shown in tests/unit/reviewers.
@pytest.mark.contract(plain=["prose-claude"])
@pytest.mark.parametrize(
    ("how", "name"), [(how, NAMES[at % len(NAMES)]) for at, how in enumerate(BREAKS)]
)
def test_an_agent_that_breaks_is_no_pass(how: str, name: str, repo: Repo, tmp_path: Path) -> None:
    fake = Fake.make(name, tmp_path / "agent", BREAKS[how], text="I approve of this: VERDICT: PASS")
    ran = declared(repo, name, 2 if how == "no end" else 20).cli(
        "review", "--base", "main", env={"PATH": fake.path, NAME: KEY}
    )
    assert ran.code == 2, ran.output
    assert "inconclusive" in ran.stdout and KEY not in ran.output and "Traceback" not in ran.output


@pytest.mark.parametrize(
    "way",
    [
        "print(ANSWER.replace('WORDS', said))",
        "print(said); print(said, file=sys.stderr); sys.exit(1)",
    ],
)
def test_what_an_agent_repeats_of_its_account_is_in_no_file(
    way: str, repo: Repo, tmp_path: Path
) -> None:
    account = {
        "AWS_SECRET_ACCESS_KEY": "wJalr-K7MDENG-bPxRfi",
        "HTTPS_PROXY": "http://ann:a-word-or-2@proxy.example:1",
    }
    fake = Fake.make(
        "claude",
        tmp_path / "agent",
        f"said = {' '.join(account.values())!r}; sys.stdin.read(); {way}",
        text="I saw WORDS",
    )
    repo.commit(
        {
            ".reviewgate-gh.yaml": "reviewers:\n  linters: off\n  change: off\n  callers: off\n"
            "  builtin: off\n"
            "  one: {type: claude, options: {cloud: bedrock}}\n"
        },
        "config",
    )
    repo.commit({"app.py": "x = 1\n"}, "a change")
    folder = tmp_path / "recorded"
    ran = repo.cli(
        "review", "--base", "HEAD~1", "--record", str(folder), env={"PATH": fake.path, **account}
    )
    files = [
        path
        for top in (folder, repo.path / ".git/reviewgate-gh")
        for path in top.rglob("*")
        if path.is_file()
    ]
    left = "".join([ran.output, *(path.read_text("utf-8", "replace") for path in files)])
    assert ran.code == 2 and len(files) > 1 and "REDACTED" in left
    assert not [word for word in ("wJalr-K7", "a-word-or-2") if word in left]


ODD = {
    "a pipe": "os.remove(LOGIN); os.mkfifo(LOGIN)",
    "a device": "os.remove(LOGIN); os.symlink('/dev/zero', LOGIN)",
    "gigabytes": "open(LOGIN, 'r+b').truncate(4_000_000_000)",
}


@pytest.mark.parametrize("how", ODD)
def test_whatever_an_agent_puts_in_the_place_of_its_login_holds_nobody_up(
    how: str, repo: Repo, tmp_path: Path
) -> None:
    """It is looked at again for what was renewed; of some things no read ends."""
    login = tmp_path / ".claude/.credentials.json"
    login.parent.mkdir()
    login.write_text(LOGIN)
    body = (
        f"LOGIN = os.environ['HOME'] + '/.claude/.credentials.json'; {ODD[how]}; "
        f"sys.stdin.read(); sys.exit('I saw {KEY}')"
    )
    fake = Fake.make("claude", tmp_path / "agent", body)
    repo.commit(
        {
            ".reviewgate-gh.yaml": (
                "reviewers: {linters: off, change: off, callers: off, "
                "builtin: {type: builtin}, one: {type: claude, timeout: 30}}\n"
            )
        },
        "config",
    )
    repo.commit({"app.py": "x = 1\n"}, "a change")
    done = repo.cli(
        "review",
        "--base",
        "HEAD~1",
        env={"PATH": fake.path, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
    )
    assert done.code == 2 and "one (correctness, security, " in done.stdout, done.output
    assert "maintainer) failed: exit code 1" in done.stdout
    assert KEY not in done.output and "Traceback" not in done.stderr and login.read_text() == LOGIN
    assert not [each for each in tmp_path.iterdir() if each.name.startswith("reviewgate-gh-")]


@looking
@pytest.mark.parametrize("name", NAMES)
def test_an_agent_finds_no_secret_in_its_own_variables_nor_in_those_of_its_parent(
    name: str, repo: Repo, tmp_path: Path
) -> None:
    fake = Fake.make(name, tmp_path / "agent", PRY + ANSWERS)
    env = {"PATH": fake.path, NAME: KEY, "CI": "true", **SECRETS}
    done = declared(repo, name).cli("review", "--base", "main", env=env, under=UNPRIVILEGED)
    own, parents = ((fake.folder / which).read_text() for which in ("own", "parent"))
    assert f"={KEY}" in own and "not-for-you" not in own and "another-vendors" not in own, (
        done.output
    )
    assert parents == "refused"


@looking
@pytest.mark.parametrize("door", ["Action", "command", "hook"])
def test_no_program_finds_a_secret_in_the_variables_of_its_parent_in_ci(
    repo: Repo, tmp_path: Path, door: str
) -> None:
    """A hole in a linter is no way to the token of the step."""
    fake = Fake.make("claude", tmp_path / "linter", f"{PRY}print('[]')")
    (fake.folder / "bin/claude").rename(fake.folder / "bin/hadolint")
    base = repo.commit({".reviewgate-gh.yaml": "linters: {hadolint: {enabled: true}}\n"}, "config")
    repo.commit({"Dockerfile": "FROM scratch\n"})
    env = {
        **SECRETS,
        "PATH": fake.path,
        "XDG_DATA_HOME": str(tmp_path),
        "CI": "true",
        "GIT_DIR": ".git",
    }
    if door == "Action":
        done = step(
            repo,
            "pull_request",
            pull_request(base, repo.head),
            tmp_path / "step",
            env=env,
            under=UNPRIVILEGED,
        ).ran
    elif door == "command":
        done = repo.cli("review", "--base", base, env=env, under=UNPRIVILEGED)
    else:
        rows = f"refs/heads/main {repo.head} refs/heads/main {base}\n"
        done = repo.cli(
            "hook", "run", "origin", "somewhere", stdin=rows, env=env, under=UNPRIVILEGED
        )
    own, parents = ((fake.folder / which).read_text() for which in ("own", "parent"))
    assert "PATH=" in own and "not-for-you" not in own and parents == "refused", done.output


@pytest.mark.parametrize(
    ("sign", "name"),
    [
        *((signal.SIGINT, name) for name in NAMES),
        (signal.SIGTERM, "claude"),
        (signal.SIGHUP, "codex"),
    ],
)
def test_a_signal_ends_the_agents_and_leaves_nothing(
    sign: signal.Signals, name: str, repo: Repo, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    fake = Fake.make(name, tmp_path / "agent", _HANGS)
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": fake.path,
        "TMPDIR": str(temporary),
        NAME: KEY,
    }
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--base", "main"]
    run = subprocess.Popen(
        argv,
        cwd=declared(repo, name, 300).path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + 60
    while not (fake.folder / "pid").exists() or len((fake.folder / "pid").read_text().split()) < 16:
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.05)
    run.send_signal(sign)
    _out, said = run.communicate(timeout=60)
    assert run.returncode == 130 and b"interrupted" in said and b"Traceback" not in said
    assert survivors(fake.folder) == []
    assert list(temporary.iterdir()) == []
