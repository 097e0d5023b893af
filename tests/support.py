"""What the tests build on: real git repositories and the real command line."""

import atexit
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.tools.trust import approve_items, list_approvable

from .quiet_path import MACHINE_PATH

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "tests/peers"
Content = str | bytes | None
_SETTINGS = re.compile(
    r"\.reviewgate-gh|(?:ruff|pyproject)\.toml$|mypy\.ini$|\.shellcheckrc|hadolint|eslint|golangci|oxlint|bandit|semgrep|gitleaks|zizmor|actionlint|editorconfig|clippy"
)
_LONGEST = 300  # seconds that any program may take


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended: its exit code and what it wrote."""

    code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Both streams, for a message of an assertion."""
        return f"exit {self.code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def run(
    argv: Sequence[str | os.PathLike[str]],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> Ran:
    """Run a program to its end; `env` is added to the environment; undecodable bytes come back as
    surrogates."""
    done = subprocess.run(
        [os.fspath(part) for part in argv],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=stdin.encode("utf-8", "surrogateescape"),
        capture_output=True,
        timeout=_LONGEST,
        check=False,
    )
    return Ran(done.returncode, _text(done.stdout), _text(done.stderr))


def run_on_terminal(
    argv: Sequence[str | os.PathLike[str]],
    cwd: Path,
    env: Mapping[str, str],
    errors: bool = True,
) -> tuple[int, str]:
    """Exit code, and what somebody who sits at the terminal sees; nobody types anything. Without
    `errors` standard error is not shown there."""
    ours, theirs = pty.openpty()
    stderr = theirs if errors else subprocess.DEVNULL
    with subprocess.Popen(
        argv, cwd=cwd, env={**os.environ, **env}, stdin=theirs, stdout=theirs, stderr=stderr
    ) as process:
        os.close(theirs)
        seen = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        return process.wait(60), seen.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # whoever was at the other end has gone
        return b""


def tool(name: str) -> str:
    """The program of that name beside the running Python (`.venv/bin/pytest` activates nothing),
    else the one on PATH, else ""."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name, path=MACHINE_PATH) or ""


def peer(path: str) -> Path:
    """What tests/peers/install.sh puts there (`venv/bin/bandit`, `node_modules/.bin/eslint`);
    without it the test is skipped."""
    found = PEERS / path
    if not found.exists():
        pytest.skip(f"no {path}: run tests/peers/install.sh")
    return found


# How a program is made where its own installation fails
_FROM_SOURCE = {
    "bd": "in a clone of gastownhall/beads: CGO_ENABLED=1 go build -tags gms_pure_go -o FILE "
    "./cmd/bd, with FILE in tests/peers/bin"
}


def built(name: str) -> Path:
    """A program on PATH, or as tests/peers/install.sh builds it from source; the test is skipped
    where neither is there."""
    found = shutil.which(name, path=MACHINE_PATH) or shutil.which(name, path=str(PEERS / "bin"))
    if not found:
        how = f" ({_FROM_SOURCE[name]})" if name in _FROM_SOURCE else ""
        pytest.skip(f"no {name} on PATH, and none built by tests/peers/install.sh{how}")
    return Path(found)


def cli(
    *args: str | os.PathLike[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    under: Sequence[str] = (),
) -> Ran:
    """`reviewgate-gh ARGS` as a user's shell would run it, or as the program `under` would."""
    return run([*under, *_python("reviewgate_gh"), *args], cwd, _path(env), stdin)


def module(
    name: str,
    *args: str | os.PathLike[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> Ran:
    """A module of ours as a program."""
    return run([*_python(name), *args], cwd, _path(env), stdin)


def _python(name: str) -> list[str]:
    # -P: as with the installed command, nothing in the working folder can be imported
    return [sys.executable, "-P", "-m", name]


def _path(env: Mapping[str, str] | None) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {"PYTHONPATH": path, **(env or {})}


@dataclass(frozen=True, slots=True)
class Repo:
    """A real git repository in a folder of the test's own; every method runs real git."""

    path: Path
    env: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def init(cls, path: Path, *options: str, env: Mapping[str, str] | None = None) -> "Repo":
        """An empty repository on branch main; `options` go to `git init` (`--object-format=sha256`,
        `--bare`)."""
        shutil.copytree(_empty(options), path, dirs_exist_ok=True)
        return cls(path, env or {})

    def copy(self, path: Path) -> "Repo":
        """The same repository at another place, as if everything had been done there."""
        shutil.copytree(self.path, path, symlinks=True)
        made = Repo(path, self.env)
        made.git("update-index", "-q", "--refresh")  # which has the old files' times
        return made

    def ran(self, *args: str | os.PathLike[str], stdin: str = "") -> Ran:
        """`git ARGS`, whatever its exit code."""
        return run(["git", *args], self.path, self.env, stdin)

    def git(self, *args: str | os.PathLike[str], stdin: str = "") -> str:
        """`git ARGS` that must succeed; its output without the last newline."""
        done = self.ran(*args, stdin=stdin)
        assert done.code == 0, f"git {args}: {done.output}"
        return done.stdout.removesuffix("\n")

    def file(self, name: str) -> Path:
        """The path of a file in the work tree."""
        return self.path / name

    def write(self, files: Mapping[str, Content]) -> None:
        """Write files into the work tree, folders included; None deletes."""
        for name, content in files.items():
            target = self.file(name)
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(
                content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
            )

    def commit(
        self,
        files: Mapping[str, Content] | None = None,
        message: str = "change",
        approve: bool = True,
    ) -> str:
        """Write files, stage everything and commit, empty or not; the commit's id.

        Settings among the files are approved, as their owner would in this clone: it says nothing
        about any other.
        """
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        if approve and any(_SETTINGS.search(name) for name in files or ()):
            with suppress(GateError):  # a test may mean settings that are wrong
                self._approve()
        return self.head

    def _approve(self) -> None:
        """What `trust` does, in this process: it is the set-up of a thousand tests."""
        git = open_repository(self.path, {**os.environ, **self.env})
        approve_items(git, list_approvable(git))

    @property
    def head(self) -> str:
        """The commit that HEAD is at; tests ask thousands of times, so git is asked only where no
        file of its own tells."""
        with suppress(OSError):
            at = self.file(".git/HEAD").read_text()
            if at.startswith("ref: "):
                return self.file(f".git/{at[5:].strip()}").read_text().strip()
        return self.rev("HEAD")

    def rev(self, name: str) -> str:
        """The object id of a revision."""
        return self.git("rev-parse", "--verify", name)

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch at `start` and switch to it."""
        self.git("switch", "--quiet", "--create", name, start)

    def switch(self, name: str) -> None:
        """Switch to a branch that exists."""
        self.git("switch", "--quiet", name)

    def clone(self, path: Path, *options: str) -> "Repo":
        """Clone this repository (`--bare`, `--depth=1` ...), over the file transport so that
        --depth counts."""
        self.git("clone", "--quiet", *options, f"file://{self.path}", path)
        return Repo(path, self.env)

    def bare_remote(self, path: Path, name: str = "origin") -> "Repo":
        """A new bare repository, added here as a remote; nothing is pushed yet."""
        bare = Repo.init(
            path,
            "--bare",
            f"--object-format={self.git('rev-parse', '--show-object-format')}",
            env=self.env,
        )
        self.git("remote", "add", name, str(bare.path))
        return bare

    def push(self, *args: str) -> Ran:
        """`git push ARGS`, whatever its exit code: the hook may refuse."""
        return self.ran("push", *args)

    def cli(
        self,
        *args: str | os.PathLike[str],
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        under: Sequence[str] = (),
    ) -> Ran:
        """`reviewgate-gh ARGS` in this repository."""
        return cli(*args, cwd=self.path, env={**self.env, **(env or {})}, stdin=stdin, under=under)

    def trust(self, *args: str) -> None:
        """Approve what the settings of the work tree would run or loosen, as their owner would."""
        done = self.cli("trust", *args)
        assert done.code == 0, done.output


@cache
def _empty(options: tuple[str, ...]) -> Path:
    """What `git init` makes: to copy it for each of a thousand repositories is quicker."""
    path = process_folder() / "empty"
    path.mkdir()
    Repo(path).git("init", "--quiet", "--initial-branch=main", *options)
    for sample in path.rglob("*.sample"):
        sample.unlink()
    return path


def process_folder() -> Path:
    """A new folder that is there until this process ends, for what many tests copy."""
    path = tempfile.mkdtemp(prefix="tests-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def _text(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape")
