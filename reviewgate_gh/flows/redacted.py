"""Secrets that language models do not get to see, as findings of a run without the built-in checks."""

from collections.abc import Collection
from dataclasses import replace

from ..model.change import Change
from ..model.config import Config
from ..model.review import Review
from ..steps.checks import secrets
from ..steps.checks._sources import Sources
from .material import sendable


def redacted(change: Change, left_out: Collection[str], config: Config) -> Review:
    """It covers no file: searching a file for secrets does not count as reviewing it."""
    shown = replace(change, files=tuple(sendable(change, left_out, config)))
    found = tuple(secrets.check(Sources(shown, {}, {})))
    return Review("builtin", "secrets-check", findings=found, found=len(found))
