"""Folders for temporary files: who lives keeps his own, what the dead left goes, and nothing else
is touched."""

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from reviewgate_gh.system.temp_dirs import make_temp_dir, remove_stale_temp_dirs, remove_temp_dir
from tests.support import ROOT

HOLD = (
    "import time; from reviewgate_gh.system.temp_dirs import make_temp_dir; "
    "print(make_temp_dir('tree'), flush=True); time.sleep(60)"
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def another_run() -> tuple["subprocess.Popen[str]", Path]:
    """A process with a folder of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLD], env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_a_folder_in_use_stays_and_goes_when_its_run_was_killed() -> None:
    process, folder = another_run()
    (folder / "head").mkdir()
    (folder / "head/secret.py").write_text("x = 1\n")
    own = make_temp_dir("git")
    with process:
        assert oct(folder.stat().st_mode & 0o777) == "0o700" and remove_stale_temp_dirs() == []
        process.send_signal(signal.SIGKILL)
    assert (
        remove_stale_temp_dirs() == [folder]
        and not folder.exists()
        and remove_stale_temp_dirs() == []
    )
    assert own.exists() and remove_temp_dir(own) and not own.exists()


def test_what_a_run_did_not_get_to_fill_goes_when_it_is_old(place: Path) -> None:
    old, new, kept = (
        place / f"reviewgate-gh-{name}" for name in ("git-d3cl0cbb", "git-d3cl0cbc", "of-a-person")
    )
    for folder in (old, new, kept):
        folder.mkdir()
    for folder in (old, kept):
        os.utime(folder, (1, 1))
    assert remove_stale_temp_dirs() == [old] and not old.exists() and new.is_dir() and kept.is_dir()


def test_a_copy_of_the_process_leaves_the_folder_to_the_one_that_leased_it() -> None:
    folder = make_temp_dir("git")
    if (copy := os.fork()) == 0:
        os._exit(0 if remove_temp_dir(folder) and folder.exists() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0 and folder.exists()
    assert remove_temp_dir(folder) and not folder.exists()


def test_threads_that_give_the_same_folder_back_at_once_are_all_content() -> None:
    for _ in range(20):
        folder, threads = make_temp_dir("agent"), 8
        for number in range(50):
            (folder / str(number)).mkdir()
        with ThreadPoolExecutor(threads) as pool:
            together = Barrier(threads)
            given = [
                pool.submit(
                    lambda folder=folder, together=together: (
                        together.wait(),
                        remove_temp_dir(folder),
                    )
                )
                for _ in range(threads)
            ]
        assert any(each.result()[1] for each in given) and not folder.exists()


def test_what_is_given_back_leaves_no_open_file() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        assert remove_temp_dir(make_temp_dir("agent"))
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_not_ours_stays(place: Path, tmp_path: Path) -> None:
    treasure = tmp_path / "treasure"
    treasure.mkdir()
    (treasure / ".reviewgate-gh-owner").write_text("1\n")
    (place / "reviewgate-gh-link").symlink_to(treasure)
    (place / "reviewgate-gh-demo-kept").mkdir()  # no owner file: a person asked to keep it
    (place / "reviewgate-gh-linked").mkdir()
    (place / "reviewgate-gh-linked/.reviewgate-gh-owner").symlink_to(
        treasure / ".reviewgate-gh-owner"
    )
    (place / "another-tree-x").mkdir()
    (place / "another-tree-x/.reviewgate-gh-owner").touch()
    (place / "reviewgate-gh-file").touch()
    if os.geteuid() == 0:
        (place / "reviewgate-gh-tree-theirs").mkdir()
        (place / "reviewgate-gh-tree-theirs/.reviewgate-gh-owner").touch()
        os.chown(place / "reviewgate-gh-tree-theirs", 4711, 4711)
    before = sorted(place.rglob("*"))
    assert (
        remove_stale_temp_dirs() == []
        and sorted(place.rglob("*")) == before
        and list(treasure.iterdir())
    )


def test_a_link_in_what_is_removed_is_not_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "treasure").mkdir()
    (place / "reviewgate-gh-tree-x").mkdir()
    (place / "reviewgate-gh-tree-x/.reviewgate-gh-owner").touch()
    (place / "reviewgate-gh-tree-x/out").symlink_to(tmp_path / "treasure")
    (tmp_path / "treasure/file").touch()
    assert (
        remove_stale_temp_dirs() == [place / "reviewgate-gh-tree-x"]
        and (tmp_path / "treasure/file").exists()
    )


CUT = """
import os, signal, sys
from reviewgate_gh.system.temp_dirs import remove_stale_temp_dirs
left = int(sys.argv[1])
def watch(event, args):
    global left
    if event in ("os.remove", "os.rmdir"):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
remove_stale_temp_dirs()
"""


@pytest.mark.parametrize("nth", [1, 21, 41])
def test_what_a_run_did_not_finish_to_remove_is_removed_by_the_next_one(nth: int) -> None:
    """It goes while nobody waits for it, so a run often ends in the middle."""
    process, folder = another_run()
    for at in range(20):
        (folder / f"{at}").mkdir()
        (folder / f"{at}/x.py").touch()
    with process:
        process.kill()
    done = subprocess.run(
        [sys.executable, "-P", "-c", CUT, str(nth)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL and folder.exists()
    assert remove_stale_temp_dirs() == [folder]
