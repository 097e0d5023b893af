"""Files of ours in the user's work tree."""

import os
from pathlib import Path

import pytest

from reviewgate_gh.git import tree_files
from reviewgate_gh.model.errors import UsageError


def test_a_new_file_can_be_read_by_everybody_and_an_old_one_keeps_its_rights(
    tmp_path: Path,
) -> None:
    new, old = tmp_path / "a/new", tmp_path / "old"
    old.write_text("before")
    old.chmod(0o600)
    for path in (new, old):
        tree_files.replace_file(path, b"data")
    assert [path.stat().st_mode & 0o777 for path in (new, old)] == [0o644, 0o600]
    assert [tree_files.read_or_none(path) for path in (new, old, tmp_path / "none")] == [
        b"data",
        b"data",
        None,
    ]


def test_a_link_is_not_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)
    with pytest.raises(UsageError, match="symbolic link"):
        tree_files.replace_file(link, b"data")
    assert target.read_text() == "before"
    assert os.path.islink(link)


def test_what_cannot_be_read_or_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot read"):
        tree_files.read_or_none(tmp_path)
    with pytest.raises(UsageError, match="there is no file"):
        tree_files.read_existing(tmp_path / "none")
    with pytest.raises(UsageError, match="cannot write"):
        tree_files.replace_file(tmp_path / "file/below", b"data")
