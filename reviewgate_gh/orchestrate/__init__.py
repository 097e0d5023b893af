"""Runs over several issues: triggers, cumulative reviews, remediation, events."""
