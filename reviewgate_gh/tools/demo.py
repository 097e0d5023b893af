"""The gate at work in a repository that exists for a moment: real git, the real program, a real
push that is refused."""

import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..gate.deliver import write_stdout
from ..model.errors import Exit
from ..system import process
from ..system.environment import Environment

_PROGRAM = "reviewgate-gh"
_DEADLINE = 300
_GOOD = {
    "README.md": "# Backups\n\nArchives folders.\n",
    "backup.py": '"""Archives folders."""\n\nimport shutil\n\n\ndef archive(folder):\n'
    '    """Write FOLDER.tar.gz."""\n    shutil.make_archive(folder, "gztar", folder)\n',
}
_BAD = {
    "backup.py": '"""Archives folders and sends them away."""\n\nimport subprocess\n\n'
    'ACCESS_KEY = "@KEY@"\n\n\ndef archive(folder):\n'
    '    """Write FOLDER.tar.gz."""\n    target = f"{folder}.tar.gz"\n'
    '    subprocess.run(f"tar -czf {target} {folder}", shell=True, check=True)\n'
    "    return tarket\n",
    "clean.sh": '#!/bin/sh\nfor folder in $@; do\n    rm -rf "$folder"\ndone\n',
}
_MENDED = {
    "backup.py": '"""Archives folders."""\n\nimport shutil\n\n\ndef archive(folder):\n'
    '    """Write FOLDER.tar.gz and return its name."""\n'
    '    return shutil.make_archive(folder, "gztar", folder)\n',
    "clean.sh": '#!/bin/sh\nfor folder in "$@"; do\n    rm -rf "$folder"\ndone\n',
}


class DemoRepository:
    """The throw-away repository: runs commands in it and shows each with what it says."""

    def __init__(self, home: Path, environment: Environment) -> None:
        self.home, self.work, self.remote = home, home / "work", home / "remote.git"
        self._env = _environment(home, environment)
        self.differed: list[str] = []

    def show(self, *argv: str, code: int = Exit.OK, says: str = "") -> None:
        """Run a command as a person would, print it and its output, and note when it does not end
        or speak as expected."""
        write_stdout(f"\n$ {shlex.join(argv)}\n")
        ended, said = self._run(_real(argv))
        write_stdout(said)
        if ended != code:
            self.differed.append(f"`{shlex.join(argv)}` exits with {code:d}, not {ended}")
        elif says not in said:
            self.differed.append(f"`{shlex.join(argv)}` prints {says!r}")

    def quiet(self, *argv: str) -> None:
        """Run what only sets the stage."""
        ended, said = self._run(argv)
        if ended != 0:
            write_stdout(said)
            self.differed.append(f"`{shlex.join(argv)}` exits with 0, not {ended}")

    def write(self, files: Mapping[str, str]) -> None:
        """Put files into the work tree."""
        for name, text in files.items():
            (self.work / name).write_text(text.replace("@KEY@", _key()), "utf-8")

    def tip(self, *where: str) -> str:
        """The commit of main: here, or with `--git-dir` elsewhere."""
        return self._run(["git", *where, "rev-parse", "main"])[1].strip()

    def _run(self, argv: Sequence[str]) -> tuple[int | None, str]:
        cwd = self.work if self.work.exists() else self.home
        answer = process.run_process(argv, cwd=cwd, env=self._env, deadline=_DEADLINE)
        answer.err_file.seek(0)
        said = (answer.out + answer.err_file.read()).decode("utf-8", "backslashreplace")
        answer.close()
        return answer.code, said


def _real(argv: Sequence[str]) -> Sequence[str]:
    """`reviewgate-gh` is this very program, whether or not it is on PATH."""
    return [sys.executable, "-P", "-m", "reviewgate_gh", *argv[1:]] if argv[0] == _PROGRAM else argv


def _key() -> str:
    """A string of the form of an access key, put together here so that no file of ours holds
    one."""
    return "AKIA" + "Q3EGRIM7V5NXT2LB"


def _environment(home: Path, environment: Environment) -> dict[str, str]:
    """No setting of the user's reaches the demo, and nothing of the demo's reaches the user."""
    extra = {
        name: environment.variables[name]
        for name in ("PYTHONPATH", "NO_COLOR")
        if name in environment.variables
    }
    if sys.stdout.isatty():
        extra["FORCE_COLOR"] = "1"
    own = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return process.clean_environment(
        environment.variables, {**extra, **own, "GIT_TERMINAL_PROMPT": "0"}
    )


@contextmanager
def _folder(keep: bool) -> Iterator[Path]:
    if keep:
        yield Path(tempfile.mkdtemp(prefix="reviewgate-gh-demo-"))
        return
    with tempfile.TemporaryDirectory(
        prefix="reviewgate-gh-demo-", ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def run_demo(keep: bool, environment: Environment) -> int:
    """Play it; 0 when the review blocked, the push was refused and the fixed push went through,
    else 5 with what differed."""
    with _folder(keep) as home:
        repository = DemoRepository(home.resolve(), environment)
        _set(repository)
        if not repository.differed:
            _play(repository)
        if keep:
            write_stdout(f"\nThe repository is still there: {repository.work}\n")
    if repository.differed:
        write_stdout(
            "".join(f"\nreviewgate-gh demo: expected: {text}" for text in repository.differed)
            + "\n"
        )
        return Exit.INTERNAL
    write_stdout(
        "\nThe bad commit was refused and never left this repository; the fixed one is on the "
        "remote.\n"
    )
    return Exit.OK


def _set(repository: DemoRepository) -> None:
    write_stdout("Creating a throw-away repository, and a bare one to push to.\n")
    repository.quiet(
        "git", "init", "--quiet", "--bare", "--initial-branch=main", str(repository.remote)
    )
    repository.quiet("git", "init", "--quiet", "--initial-branch=main", str(repository.work))
    repository.quiet("git", "config", "user.name", "Demo")
    repository.quiet("git", "config", "user.email", "demo@example.com")
    repository.quiet("git", "remote", "add", "origin", str(repository.remote))
    repository.write(_GOOD)
    repository.quiet("git", "add", "--all")
    repository.quiet("git", "commit", "--quiet", "--message=Archive folders")
    repository.quiet("git", "push", "--quiet", "--set-upstream", "origin", "main")


def _play(repository: DemoRepository) -> None:
    remote = f"--git-dir={repository.remote}"
    first = repository.tip(remote)
    repository.show(_PROGRAM, "hook", "install")
    write_stdout(
        "\nA change with a misspelt name, a shell command built from input, an access key and a "
        "careless script:\n"
    )
    repository.write(_BAD)
    repository.show("git", "add", "--all")
    repository.show("git", "commit", "--quiet", "--message=Name the archive")
    repository.show(_PROGRAM, "review", code=Exit.BLOCK, says="block")
    repository.show("git", "push", "origin", "main", code=1, says="block")
    if repository.tip(remote) != first:
        repository.differed.append("a refused push leaves the remote unchanged")
    write_stdout("\nFixed by amending the commit, so that the key does not stay in the history:\n")
    repository.write(_MENDED)
    repository.show("git", "commit", "--quiet", "--all", "--amend", "--no-edit")
    repository.show("git", "push", "origin", "main")
    if repository.tip(remote) != repository.tip():
        repository.differed.append("the remote has the fixed commit")
