"""A private repository made of given files: the same trees that git would make, whatever the names
are, and gone at the end."""

import os
from pathlib import Path

import pytest

from reviewgate_gh.git.objects import TreeEntry, list_paths, list_tree, read_blobs
from reviewgate_gh.git.snapshot import store_commits, temporary_repository
from tests.support import Repo


def side(**files: bytes) -> dict[str, tuple[TreeEntry, bytes]]:
    return {name: (TreeEntry("100644", "", name), data) for name, data in files.items()}


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
def test_the_trees_are_those_that_git_makes(make_repo, hash_name: str) -> None:
    repo: Repo = make_repo("real", f"--object-format={hash_name}")
    files = {
        "a.py": b"x = 1\n",
        "d/\xfc \"quote'.txt".encode().decode(): b"no newline",
        "empty": b"",
        "bin": bytes(range(256)),
        "li\nne": b"\n\n",
    }
    repo.commit(files)
    with temporary_repository(os.environ, hash_name) as git:
        found = store_commits(git, side(**{"a.py": b"x = 0\n"}), side(**files))
        assert git.resolve(f"{found.head}^{{tree}}", "") == repo.rev("HEAD^{tree}")
        assert git.resolve(f"{found.head}~1") == found.base
        [entry] = list_tree(git, found.base)
        assert read_blobs(git, [entry.oid]) == {entry.oid: b"x = 0\n"}
        folder = git.directory
    assert not folder.exists()


def test_modes_links_and_submodules() -> None:
    files = {
        name: (TreeEntry(mode, "1" * 40, name), data)
        for name, mode, data in [
            ("run", "100755", b"#!"),
            ("link", "120000", b"run"),
            ("sub", "160000", b""),
        ]
    }
    with temporary_repository(os.environ, "sha1") as git:
        found = store_commits(git, {}, files)
        assert [(entry.mode, entry.path) for entry in list_tree(git, found.head)] == [
            ("120000", "link"),
            ("100755", "run"),
            ("160000", "sub"),
        ]
        assert (
            list_paths(git, found.head) == ("link", "run", "sub")
            and list_paths(git, git.empty_tree) == ()
        )


def test_the_user_s_own_settings_and_templates_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, hooks = tmp_path / "mark", tmp_path / "template/hooks"
    hooks.mkdir(parents=True)
    (hooks / "reference-transaction").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (hooks / "reference-transaction").chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(hooks.parent))
    with temporary_repository(os.environ, "sha1") as git:
        store_commits(git, {}, side(a=b"x\n"))
        assert not (git.directory / "hooks").exists()
    assert not mark.exists()
