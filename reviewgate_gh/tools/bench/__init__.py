"""Reviewers measured on cases whose findings are known."""
