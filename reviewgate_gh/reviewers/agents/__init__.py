"""Coding agents as reviewers: one vendor's program a file."""
