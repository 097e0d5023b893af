"""The one exception tree and the one table of exit codes."""

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


class GateError(Exception):
    """A run that cannot go on: what is wrong and where, what to do next, and the exit code."""

    exit = Exit.INTERNAL

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GateError):
    """The command line or the state of the repository does not allow what was asked."""

    exit = Exit.USAGE


class NoRepository(UsageError):
    """The folder is in no git repository."""


class OverlapError(GateError):
    """New findings are about lines where comments of ours stand: a person decides how to go on."""

    exit = Exit.BLOCK


class ConfigError(GateError):
    """A file of the user's that the gate reads is wrong."""

    exit = Exit.CONFIG


class UpstreamError(GateError):
    """A service refused or could not be reached."""

    exit = Exit.UPSTREAM


class WrongPullRequest(UpstreamError):
    """The report is about no commit of the pull request: it may be meant for another one."""


class NoReviewers(GateError):
    """None of the declared reviewers could be asked."""

    exit = Exit.NO_REVIEWERS


class DeadlinePassed(GateError):
    """The deadline had passed before anything was reviewed."""

    exit = Exit.DEADLINE


class InternalError(GateError):
    """An invariant of the program was broken; never the user's fault."""

    exit = Exit.INTERNAL
