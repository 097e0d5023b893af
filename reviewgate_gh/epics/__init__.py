"""Verifying an epic against its acceptance criteria."""
