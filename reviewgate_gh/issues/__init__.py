"""Findings in an issue tracker: planned, written once, kept until the tracker takes them."""
