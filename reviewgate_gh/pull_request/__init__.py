"""A pull request: fetched, reviewed, commented on once, approved only where that is right."""
