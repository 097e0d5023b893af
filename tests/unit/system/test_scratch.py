"""Folders of a program's own: private, empty, without a way up, and gone however the block ends."""

import os
import tempfile
from pathlib import Path

import pytest

from reviewgate_gh.system.fresh_home import ProgramFolders, program_folders


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_folders_are_empty_and_nobody_elses(temporary: Path) -> None:
    with program_folders({}) as place:
        assert oct(place.root.stat().st_mode & 0o777) == "0o700"
        assert [list(folder.iterdir()) for folder in (place.work, place.home, place.temporary)] == [
            [],
            [],
            [],
        ]
        # Whoever looks upwards from the work folder stops here.
        assert (place.root / ".env").read_bytes() == b"" and (place.root / ".git").is_dir()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_they_are_gone_however_it_ends(
    error: type[BaseException], temporary: Path, tmp_path: Path
) -> None:
    own = tmp_path / "login.json"
    own.write_text('{"a": 1}')
    with pytest.raises(error), program_folders({".x/login.json": own}) as place:
        _dirty(place, error)
    assert list(temporary.iterdir()) == []
    assert own.read_text() == '{"a": 2}'  # a renewed login is not lost with the rest


def _dirty(place: ProgramFolders, error: type[BaseException]) -> None:
    (place.home / ".x/login.json").write_text('{"a": 2}')
    (place.work / "deep/er").mkdir(parents=True)
    (place.work / "deep/er/file").write_text("x")
    (place.work / "deep").chmod(0o500)
    os.symlink("/etc", place.temporary / "link")
    os.mkfifo(place.temporary / "pipe")
    raise error


def test_a_carried_file_is_private_and_its_link_stays_one(tmp_path: Path) -> None:
    real, own = tmp_path / "real.json", tmp_path / "login.json"
    real.write_text('{"a": 1}')
    real.chmod(0o640)
    own.symlink_to(real)
    with program_folders({".x/login.json": own}) as place:
        carried = place.home / ".x/login.json"
        assert carried.read_text() == '{"a": 1}' and oct(carried.stat().st_mode & 0o777) == "0o600"
        carried.write_text('{"a": 2}')
    assert (
        own.is_symlink()
        and real.read_text() == '{"a": 2}'
        and oct(real.stat().st_mode & 0o777) == "0o640"
    )


def test_a_file_that_cannot_be_carried_leaves_nothing(temporary: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"), program_folders({".x/x": tmp_path / "gone"}):
        pass
    assert list(temporary.iterdir()) == []
