"""The one door to GitHub; what talks over the network is imported at the first call."""

from .client import Client, open_github

__all__ = ["Client", "open_github"]
