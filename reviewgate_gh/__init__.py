"""The review gate: commits in, one verdict out."""

__version__ = "0.2.0"
