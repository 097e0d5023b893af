"""Where a report goes that the user names a place for."""

import os
import tempfile
from pathlib import Path

import pytest

from reviewgate_gh.system.files import write_report


def test_what_a_process_has_open_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    with (tmp_path / "open").open("wb") as file:
        file.write(b"before ")
        file.flush()
        write_report(Path(f"/dev/fd/{file.fileno()}"), b"report")
        assert os.fstat(file.fileno()).st_ino == (tmp_path / "open").stat().st_ino
    assert b"report" in (tmp_path / "open").read_bytes()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no /dev/shm here")
def test_memory_is_a_folder_like_any_other() -> None:
    """Some run all of their work there."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder, "out/report")
        write_report(path, b"one")
        before = path.stat().st_ino
        write_report(path, b"two")
        assert path.read_bytes() == b"two" and path.stat().st_ino != before
