"""Paths as arguments of as many command lines as they need: the system bounds the bytes of one."""

import os
from collections.abc import Iterable, Iterator

_MOST = 500_000
_POINTER = 9  # bytes beside each argument's own: its address and its end


def batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """The paths in their order, none of them in the form of an option."""
    batch: list[str] = []
    size = 0
    for path in paths:
        word = f"./{path}" if path.startswith("-") else path
        length = len(os.fsencode(word)) + _POINTER
        if batch and size + length > _MOST:
            yield batch
            batch, size = [], 0
        batch.append(word)
        size += length
    if batch:
        yield batch
