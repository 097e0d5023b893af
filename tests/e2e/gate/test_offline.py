"""Once installed it needs no network: every door in a namespace that has none, and not one attempt
to use one."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import pytest

from ...github import pull_request, step
from ...support import Ran, Repo, run
from ..pushing import ENV, Pushing

ALONE = ["unshare", "--map-root-user", "--net"]
FILES = {
    "bad.py": "import os\n\n\ndef f(cmd):\n    os.system(cmd)\n    return undefined_name\n",
    "run.sh": "#!/bin/sh\nfor f in $@; do rm $f; done\n",
    "a.js": "debugger;\n",
    ".github/workflows/w.yml": (
        "on: push\njobs: {a: {runs-on: x, steps: [{uses: actions/checkout@v4}]}}\n"
    ),
}
# Of every socket that is not of this machine's own kind.
CALL = re.compile(r"(?:connect|sendto|sendmsg|sendmmsg)\(.*sa_family=(?!AF_UNIX|AF_NETLINK)\w+")


class Offline(Repo):
    """A repository whose programs run where there is no network, not even to this machine
    itself."""

    def ran(self, *args: str | PathLike[str], stdin: str = "") -> Ran:
        return run([*ALONE, "git", *args], self.path, self.env, stdin)

    def cli(
        self,
        *args: str | PathLike[str],
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        under: Sequence[str] = (),
    ) -> Ran:
        argv = [*under, *ALONE, sys.executable, "-P", "-m", "reviewgate_gh", *args]
        return run(argv, self.path, {**ENV, **self.env, **(env or {})}, stdin)


@pytest.fixture
def alone() -> None:
    if (
        not shutil.which("unshare")
        or subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no unshare, or it may not make a network namespace here")


@pytest.fixture
def it(tmp_path: Path, alone: None) -> Pushing:
    made = Pushing.make(tmp_path)
    made.repo.commit(FILES)
    return Pushing(Offline(made.repo.path, made.repo.env), made.bare)


def check(report: dict[str, object]) -> None:
    """Every tool of the default gate has answered."""
    rows = {row["part"] or row["reviewer"]: row["status"] for row in report["reviews"]}
    names = ("builtin", "change", "ruff", "shellcheck", "oxlint", "zizmor")
    assert rows == dict.fromkeys(names, "ok")
    assert {"ruff/F821", "shellcheck/SC2086", "oxlint/eslint/no-debugger"} <= {
        found["rule"] for found in report["findings"]
    }


def test_there_is_no_network_there(alone: None) -> None:
    program = (
        "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 5)\n"
        "except OSError as error: print(error.errno)"
    )
    assert run([*ALONE, sys.executable, "-c", program], Path()).stdout == "101\n", "ENETUNREACH"


def test_the_command(it: Pushing) -> None:
    done = it.repo.cli("review", "--output", "json")
    assert done.code == 1, done.output
    check(json.loads(done.stdout))


def test_the_hook(it: Pushing) -> None:
    done = it.repo.push("origin", "main")
    assert done.code != 0 and "ruff/F821" in done.stdout, done.output
    [report] = it.reports()
    check(report)


def test_the_action(it: Pushing, tmp_path: Path) -> None:
    done = step(
        it.repo,
        "pull_request",
        pull_request(it.repo.rev("HEAD~"), it.repo.head),
        tmp_path / "runner",
    )
    assert done.ran.code == 1, done.ran.output
    check(done.report())


def test_the_demonstration(tmp_path: Path, alone: None) -> None:
    done = Offline(tmp_path).cli("demo")
    assert done.code == 0 and "failed to push some refs" in done.output, done.output


def test_not_one_attempt(repo: Repo, tmp_path: Path) -> None:
    strace, record = shutil.which("strace"), tmp_path / "calls"
    watch = [strace or "", "--follow-forks", "--quiet=all", "--trace=network", f"--output={record}"]
    if not strace or subprocess.run([*watch, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no strace, or it may not watch programs here")
    for argv in (["git", "ls-remote", "http://127.0.0.1:9/x"], ["true"]):
        run([*watch, *argv], tmp_path)
        assert (CALL.search(record.read_text()) is not None) == (argv != ["true"]), (
            "what is looked for is seen"
        )
    repo.commit(FILES)
    done = run(
        [
            *watch,
            sys.executable,
            "-P",
            "-m",
            "reviewgate_gh",
            "review",
            "--commit",
            "HEAD",
            "--output",
            "json",
        ],
        repo.path,
        ENV,
    )
    check(json.loads(done.stdout))
    assert [line for line in record.read_text().splitlines() if CALL.search(line)] == []
