"""Taint: its parts, and programs that a generator writes."""
