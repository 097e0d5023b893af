"""The one door to git."""

from .door import Git, GitFailed
from .opening import open_repository

__all__ = ["Git", "GitFailed", "open_repository"]
