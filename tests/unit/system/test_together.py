"""Several calls at once: in order, so many and no more, and the first error of them."""

import threading
import time

import pytest

from reviewgate_gh.system.parallel import map_parallel


@pytest.mark.parametrize("most", [1, 3, 60])
def test_they_begin_in_their_order_and_no_more_at_once_than_may(most):
    lock, begun, at_work, peak = threading.Lock(), [], 0, 0

    def call(item):
        nonlocal at_work, peak
        with lock:
            begun.append(item)
            at_work += 1
            peak = max(peak, at_work)
        time.sleep(0.002)
        with lock:
            at_work -= 1
        return item * item

    items = [*range(60)]
    assert map_parallel(call, items, most) == [item * item for item in items]
    assert peak <= most and sorted(begun) == items
    assert begun == items or most > 1


def test_the_first_error_in_their_order_is_raised():
    def call(item):
        time.sleep(0.05 if item == 1 else 0)
        if item:
            raise ValueError(item)

    with pytest.raises(ValueError, match="1"):
        map_parallel(call, [0, 1, 2], 3)
    assert map_parallel(call, [], 1) == []
