"""Secrets in text: which kinds there are, how they are written down, and what only looks like
one."""
