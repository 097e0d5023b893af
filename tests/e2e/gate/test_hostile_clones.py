"""A clone whose objects, settings or work tree say something else than the commits under review:
these commits are judged, or the review says that it cannot read them. Nothing is executed."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support import Repo

FINE = "def f():\n    return 1\n"
BAD = "def f():\n    return undefined_name\n"
Setup = Callable[[Repo], object]


def _replace(new: str, old: str) -> Setup:
    return lambda repo: repo.git("replace", "-f", repo.rev(new), repo.rev(old))


def _another_commit(repo: Repo) -> None:
    same = repo.git("commit-tree", "-p", "HEAD~1", "-m", "x", "HEAD~1^{tree}")
    repo.git("replace", "HEAD", same)


def _graft(repo: Repo) -> None:
    info = repo.file(".git/info/grafts")
    info.parent.mkdir(exist_ok=True)
    info.write_text(f"{repo.rev('HEAD~1')} {repo.head}\n")


def _attributes(line: str) -> Setup:
    def setup(repo: Repo) -> None:
        info = repo.file(".git/info/attributes")
        info.parent.mkdir(exist_ok=True)
        info.write_text(f"{line}\n")
        for key in ("diff.evil.textconv", "diff.evil.command", "filter.evil.clean"):
            repo.git("config", key, "touch canary; cat")

    return setup


def _object(repo: Repo) -> Path:
    oid = repo.rev("HEAD:a.py")
    found = repo.file(f".git/objects/{oid[:2]}/{oid[2:]}")
    found.chmod(0o644)
    return found


def _promised(repo: Repo) -> None:
    """The object is gone, and would come from a program."""
    _object(repo).unlink()
    for key, value in {
        "remote.origin.url": "ext::sh -c 'touch canary'",
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
        "protocol.ext.allow": "always",
    }.items():
        repo.git("config", key, value)


def _pipe(repo: Repo) -> None:
    repo.file("a.py").unlink()
    os.mkfifo(repo.file("a.py"))


def _endless(repo: Repo) -> None:
    repo.file("a.py").unlink()
    repo.file("a.py").symlink_to("/dev/zero")


def _same_size_and_time(repo: Repo) -> None:
    file = repo.file("a.py")
    then = file.stat()
    file.write_text(file.read_text().replace("undefined_name", "1".ljust(14)))
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))


JUDGED: Mapping[str, Setup] = {
    "the commit is replaced": _another_commit,
    "the tree is replaced": _replace("HEAD^{tree}", "HEAD~1^{tree}"),
    "the tree of the base is replaced": _replace("HEAD~1^{tree}", "HEAD^{tree}"),
    "the file is replaced": _replace("HEAD:a.py", "HEAD~1:a.py"),
    "a graft makes the head its own base's parent": _graft,
    "a text conversion of the clone": _attributes("*.py diff=evil"),
    "a filter of the clone": _attributes("*.py filter=evil"),
    "a macro of the clone hides diffs": _attributes("[attr]x -diff -text\n*.py x"),
    "an encoding of the clone": _attributes("*.py working-tree-encoding=UTF-7"),
    "the work tree has a pipe there": _pipe,
    "the work tree has an endless file there": _endless,
    "the work tree has another text of the same size and time": _same_size_and_time,
}
UNREADABLE: Mapping[str, Setup] = {
    "the object is gone": lambda repo: _object(repo).unlink(),
    "the object is damaged": lambda repo: _object(repo).write_bytes(b"x"),
    "the object would come from a program": _promised,
}


def _reviewed(repo: Repo, setup: Setup) -> tuple[int, str]:
    base = repo.commit({"a.py": FINE})
    repo.commit({"a.py": BAD}, approve=False)
    setup(repo)
    done = repo.cli("review", "--base", base, "--output", "json")
    assert not list(repo.path.rglob("canary")) and "Traceback" not in done.output
    return done.code, done.stdout


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.req("R005-002", "R006-003")
def test_the_commits_are_judged(repo: Repo, name: str) -> None:
    code, out = _reviewed(repo, JUDGED[name])
    assert code == 1, out
    assert [f["rule"] for f in json.loads(out)["findings"]] == ["ruff/F821"]


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.req("R005-002")
def test_what_cannot_be_read_is_no_pass(repo: Repo, name: str) -> None:
    code, _out = _reviewed(repo, UNREADABLE[name])
    assert code not in (0, 1)
