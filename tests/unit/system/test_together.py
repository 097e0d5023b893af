"""Several calls at once: in order, so many and no more, and the first error of them."""

import threading
import time

import pytest

from reviewgate_gh.system.parallel import WorkSlots, map_parallel


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


@pytest.mark.parametrize("most", [1, 3, 40])
def test_the_parts_of_calls_share_their_slots(most):
    """As many at once as there may be, whoever they belong to; nobody waits for ever."""
    slots, lock, at_work, peaks = WorkSlots(most), threading.Lock(), [0], []

    def part(item):
        with lock:
            at_work[0] += 1
            peaks.append(at_work[0])
        time.sleep(0.002)
        with lock:
            at_work[0] -= 1
        return item * item

    def call(first):
        return slots.map_parts(part, range(first, first + 5))

    found = slots.map(call, [0, 10, 20, 30])
    assert found == [[item * item for item in range(at, at + 5)] for at in (0, 10, 20, 30)]
    assert max(peaks) <= most and len(peaks) == 20


def test_the_parts_of_one_call_are_made_at_once():
    slots, all_there = WorkSlots(4), threading.Barrier(4, timeout=20)
    [found] = slots.map(lambda _: slots.map_parts(lambda _: all_there.wait() >= 0, range(4)), [0])
    assert found == [True] * 4


def test_the_first_error_of_the_parts_is_raised():
    def part(item):
        if item:
            raise ValueError(item)

    slots = WorkSlots(3)
    with pytest.raises(ValueError, match="1"):
        slots.map(lambda _: slots.map_parts(part, [0, 1, 2]), [0])
    assert slots.map(lambda _: slots.map_parts(part, []), [0]) == [[]]
