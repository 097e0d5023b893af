"""The pipeline: from a range of commits to a report and a verdict."""
