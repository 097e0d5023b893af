"""The review gate: commits in, one verdict out."""

__version__ = "0.1.0"
