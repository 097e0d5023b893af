"""The exit codes: one table for every command."""

from enum import IntEnum


class Exit(IntEnum):
    """What a run ended as; scripts and CI branch on these numbers."""

    OK = 0
    BLOCK = 1
    INCONCLUSIVE = 2
    DEADLINE = 3
    NO_REVIEWERS = 4
    INTERNAL = 5
    USAGE = 64
    UPSTREAM = 69
    CONFIG = 78
    INTERRUPTED = 130
