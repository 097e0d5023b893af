"""The one door to git."""

from .client import Git, GitFailed, open_repository

__all__ = ["Git", "GitFailed", "open_repository"]
