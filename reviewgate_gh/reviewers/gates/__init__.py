"""External review gates as reviewers."""
