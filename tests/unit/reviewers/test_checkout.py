"""The folder that linters read: gone at the end, whoever is still writing into it."""

import threading
import time
from contextlib import suppress

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.ranges import resolve_range
from reviewgate_gh.model.change import Selection
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.reviewers._checkout import open_checkout
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system.environment import Environment
from tests.support import Repo


def test_a_thread_that_is_still_writing_leaves_nothing(repo: Repo) -> None:
    paths = [f"p{number}/m.py" for number in range(200)]
    repo.commit(dict.fromkeys(paths, "x = 1\n"))
    git = open_repository(repo.path, {})
    change = load_change(
        git, resolve_range(git, Selection(commit="HEAD")), Environment({}, repo.path), trusted=True
    )
    begun, seen = threading.Event(), []

    def slowly(path: str, data: bytes) -> bytes:
        seen.append(path)
        begun.set()
        time.sleep(0.005)
        return data

    with open_checkout(git, change, slowly) as files:
        root = files.with_files([])

        def write() -> None:
            with suppress(GateError):
                files.with_files(paths)

        writer = threading.Thread(target=write)
        writer.start()
        assert begun.wait(30)
    writer.join(30)
    end = time.monotonic() + 30
    while root.parent.exists() and time.monotonic() < end:  # removed on a thread too
        time.sleep(0.01)
    assert len(seen) < len(paths)
    assert not root.parent.exists()
