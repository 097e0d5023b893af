"""Report -> str, one format a file: each module offers `render(report, look) -> str`."""
