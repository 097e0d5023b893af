"""Which changed files linters and models do not read."""

from collections.abc import Iterable, Sequence


def excluded(paths: Iterable[str], patterns: Sequence[str]) -> frozenset[str]:
    """The paths that gitignore patterns name."""
    if not patterns:
        return frozenset()
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(patterns)
    return frozenset(path for path in paths if spec.match_file(path))
