"""Logins that several programs hold at once: one copy, one renewal, and the user's own never worse
than it was."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewgate_gh.system.credentials import borrowed_credentials
from reviewgate_gh.system.files import file_lock
from reviewgate_gh.system.fresh_home import program_folders
from tests.support import ROOT

OLD, NEW = '{"tokens": {"refresh_token": "old"}}', '{"tokens": {"refresh_token": "new"}, "at": 3}'


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own/auth.json"
    path.parent.mkdir()
    path.write_text(OLD)
    return path


def until(true: Callable[[], bool]) -> None:
    """Wait for what another thread does; whoever breaks it must not wait for ever."""
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_who_holds_it_at_once_holds_the_same(own: Path, temporary: Path) -> None:
    files = {".x/auth.json": own}
    with program_folders(files) as one:
        with program_folders(files) as two:
            (two.home / ".x/auth.json").write_text(NEW)
            assert (one.home / ".x/auth.json").read_text() == NEW
            # A file that takes its place, and a lock beside it, are the others' too.
            (two.home / ".x/lock").mkdir()
            assert (one.home / ".x/lock").is_dir() and two.home != one.home
        assert own.read_text() == NEW  # at once: whoever comes later must not use the old one
        with program_folders(files) as three:
            assert (three.home / ".x/auth.json").read_text() == NEW
    assert list(temporary.iterdir()) == [] and sorted(own.parent.iterdir()) == [own]


def test_renewed_twice_it_is_brought_back_twice(own: Path) -> None:
    with borrowed_credentials({".x/auth.json": own}) as folder:
        for at in range(3):
            with borrowed_credentials({".x/auth.json": own}) as same:
                (same / ".x/auth.json").write_text(
                    json.dumps({"tokens": {"refresh_token": f"new {at}"}})
                )
            assert same == folder and f"new {at}" in own.read_text()


def test_what_the_user_renewed_meanwhile_stays_and_serves_the_next(own: Path) -> None:
    with borrowed_credentials({".x/auth.json": own}) as folder:
        own.write_text(NEW)
        (folder / ".x/auth.json").write_text('{"tokens": {"refresh_token": "another"}}')
    assert own.read_text() == NEW
    with borrowed_credentials({".x/auth.json": own}) as folder:
        assert (folder / ".x/auth.json").read_text() == NEW


LEFT = (
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"tokens": {}}',
    '{"tokens": {"refresh_token": ""}}',
    '{"tokens": null}',
    "[" * 99_999,
)


@pytest.mark.parametrize("left", LEFT, ids=range(len(LEFT)))
def test_half_a_login_or_none_is_not_brought_back(own: Path, left: str) -> None:
    """A program that comes too late with an old token may write down that nobody is logged in."""
    with borrowed_credentials({".x/auth.json": own}) as folder:
        (folder / ".x/auth.json").write_text(left)
    assert own.read_text() == OLD
    with borrowed_credentials({".x/auth.json": own}) as folder:
        (folder / ".x/auth.json").unlink()
    assert own.read_text() == OLD


def test_what_one_renewed_and_another_wiped_out_is_brought_back(own: Path) -> None:
    with (
        borrowed_credentials({".x/auth.json": own}) as folder,
        borrowed_credentials({".x/auth.json": own}),
    ):
        (folder / ".x/auth.json").write_text(NEW)
        until(lambda: own.read_text() == NEW)  # while both still hold it
        (folder / ".x/auth.json").write_text("{}")
    assert own.read_text() == NEW


@pytest.mark.parametrize("left", [*LEFT, None], ids=range(len(LEFT) + 1))
def test_who_comes_after_one_that_was_refused_has_the_last_login(
    own: Path, left: str | None
) -> None:
    with borrowed_credentials({".x/auth.json": own}) as folder:
        file = folder / ".x/auth.json"
        file.write_text(NEW)
        until(lambda: own.read_text() == NEW)
        file.unlink() if left is None else file.write_text(left)
        with borrowed_credentials({".x/auth.json": own}):
            assert file.read_text() == NEW and file.stat().st_mode & 0o777 == 0o600


def test_whoever_comes_later_keeps_what_was_just_renewed(own: Path) -> None:
    with borrowed_credentials({".x/auth.json": own}) as folder:
        (folder / ".x/auth.json").write_text(NEW)
        with borrowed_credentials({".x/auth.json": own}):
            assert (folder / ".x/auth.json").read_text() == NEW


@pytest.mark.parametrize(
    "rest", [{"extra": {}}, {"extra": {"kind": "paid"}}, {"extra": [1]}, {"kind": "paid"}]
)
def test_what_is_no_token_may_be_gone_from_a_renewed_login(
    own: Path, rest: dict[str, object]
) -> None:
    own.write_text(json.dumps({"access_token": "old", "refresh_token": "old", **rest}))
    renewed = '{"access_token": "new", "refresh_token": "new"}'
    with borrowed_credentials({".x/auth.json": own}) as folder:
        (folder / ".x/auth.json").write_text(renewed)
    assert own.read_text() == renewed


@pytest.mark.contract(plain=False)
def test_without_the_lock_nothing_is_written(own: Path) -> None:
    with file_lock(own.parent, 0) as ours:
        with borrowed_credentials({".x/auth.json": own}) as folder:
            (folder / ".x/auth.json").write_text(NEW)
        assert ours and own.read_text() == OLD


def test_who_waits_for_the_lock_holds_nobody_up(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(OLD)
    leaves = threading.Event()

    def hold() -> None:
        with borrowed_credentials({".x/auth.json": own}) as folder:
            (folder / ".x/auth.json").write_text(NEW)
            leaves.set()

    holder = threading.Thread(target=hold)
    with file_lock(own.parent, 0):
        holder.start()
        leaves.wait()
        for _ in range(20):  # the first may come before it waits
            with (
                borrowed_credentials({".y/auth.json": other}),
                borrowed_credentials({".x/auth.json": own, ".y/auth.json": other}),
            ):
                assert holder.is_alive()
    holder.join()
    assert own.read_text() == NEW


def test_many_at_once_leave_one_whole_login_and_no_folder(own: Path, temporary: Path) -> None:
    start = threading.Barrier(8)
    folders = []

    def hold(number: int) -> None:
        start.wait()
        for _ in range(20):
            with borrowed_credentials({".x/auth.json": own}) as folder:
                folders.append(folder)
                renewed = json.loads((folder / ".x/auth.json").read_bytes())
                fresh = folder / f"{number}"
                fresh.write_text(json.dumps({**renewed, "by": number}))
                os.replace(fresh, folder / ".x/auth.json")

    threads = [threading.Thread(target=hold, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 160
    assert (
        json.loads(own.read_bytes())["tokens"] == {"refresh_token": "old"}
        and "by" in own.read_text()
    )
    assert list(temporary.iterdir()) == []


def _renew(own: str, start: "multiprocessing.synchronize.Barrier", number: int) -> None:
    with borrowed_credentials({".x/auth.json": Path(own)}) as folder:
        (folder / ".x/auth.json").write_text(
            json.dumps({"tokens": {"refresh_token": f"new {number}"}})
        )
        start.wait()


@pytest.mark.contract(plain=False)
def test_of_two_runs_the_first_brings_its_own_back(own: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(3)
    runs = [spawn.Process(target=_renew, args=(str(own), start, number)) for number in range(3)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert json.loads(own.read_bytes())["tokens"]["refresh_token"] in ("new 0", "new 1", "new 2")


def test_a_run_that_ends_in_the_middle_brings_it_back(own: Path, temporary: Path) -> None:
    program = f"""
import threading, sys
from pathlib import Path
from reviewgate_gh.system.credentials import borrowed_credentials
held = threading.Event()
def hold():
    with borrowed_credentials({{".x/auth.json": Path({str(own)!r})}}) as folder:
        (folder / ".x/auth.json").write_text({NEW!r})
        held.set()
        threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
held.wait()
sys.exit(3)
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    assert subprocess.run([sys.executable, "-c", program], env=env, check=False).returncode == 3
    assert own.read_text() == NEW and list(temporary.iterdir()) == []
