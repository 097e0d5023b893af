"""Python parsed by several reviewers at once."""

import gc
import time
from concurrent.futures import ThreadPoolExecutor

from reviewgate_gh.reviewers._syntax_tree import parse_python

SOURCE = "def f(a):\n    return [a(b, c=d) for b in e if (f, g)]\n" * 50


class Pause:
    """Garbage that lets another thread run when it is collected: in the middle of a tree."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(0)


def parsed(_number: int) -> int:
    for _ in range(20):
        Pause()
    return len(parse_python(SOURCE).body)


def test_threads_do_not_disturb_one_another() -> None:
    """ast.parse itself ends in a SystemError here, up to Python 3.12."""
    before = gc.get_threshold()
    gc.set_threshold(100)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(parsed, range(40))) == {50}
    finally:
        gc.set_threshold(*before)
