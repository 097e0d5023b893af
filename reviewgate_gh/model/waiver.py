"""A waiver: a finding that somebody has accepted, with a reason, until a date."""

from datetime import date
from typing import Literal

from .finding import Priority
from .limits import ConfigSection


class Waiver(ConfigSection, frozen=True, kw_only=True):
    """`fingerprint` without ordinal; `count` occurrences are accepted, more stay open; `expires` is
    YYYY-MM-DD.

    `title`, `priority` and `unit` (the definition around it) are those of the finding when it was
    accepted; entries of earlier versions have none of them.
    """

    fingerprint: str
    reason: str
    expires: str | None = None
    count: int = 1
    rule: str = ""
    path: str = ""
    unit: str = ""
    title: str = ""
    priority: Priority | None = None

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError("reason must say why the finding is accepted")
        if self.expires is not None:
            _check_date(self.expires)
        if self.count < 1:
            raise ValueError("count must be 1 or more")

    def is_expired(self, today: str) -> bool:
        """The date has passed (the day itself still counts)."""
        return self.expires is not None and self.expires < today


def _check_date(text: str) -> None:
    try:
        written = date.fromisoformat(text).isoformat()
    except ValueError:
        written = ""
    if written != text:  # 20301231 is ISO 8601 as well, but dates are compared as text
        raise ValueError(f"expires must be a date like 2030-12-31, not {text}")


class WaiverFile(ConfigSection, frozen=True, kw_only=True):
    """`.reviewgate-gh-waivers.yaml`, whole."""

    version: Literal[1] = 1
    waivers: tuple[Waiver, ...] = ()
