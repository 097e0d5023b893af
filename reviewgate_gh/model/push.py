"""One ref of a push, as git names it to a hook."""

from .values import dataclass


@dataclass(frozen=True, slots=True)
class Push:
    """Names, what is sent, and what the remote has there; an empty id means: nothing."""

    local_ref: str
    local: str
    remote_ref: str
    remote: str
