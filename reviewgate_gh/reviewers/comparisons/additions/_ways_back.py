"""Whether a migration can be taken back."""

import re

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, ComparisonInput

_NEAREST = 40  # migrations
_DOWNGRADE = r"def\s+downgrade\([^)]*\)[^:]*:\s*(?:\"\"\"[^\"]*\"\"\"\s*)?"
# Nothing says that there is no way back on purpose
_EMPTY = (
    rf"{_DOWNGRADE}(?:pass|\.\.\.)\s*$"
    r"|def\s+down\s*\n\s*end|(?:exports\.)?down\s*(?:=\s*)?(?:async\s*)?(?:\(\w*\)"
    r"|function\s*\(\w*\))\s*(?:=>)?\s*\{\s*\}"
)
_UNDO = lazy_pattern(r"\b(?:def|function)\s+down(?:grade)?\b|\bdown\s*[=(:]")
_EMPTY_UNDO = lazy_pattern(_EMPTY, re.M)
_NO_UNDO = lazy_pattern(
    rf"{_EMPTY}|{_DOWNGRADE}raise\s+NotImplementedError\S*\s*$|IrreversibleMigration"
    r"|def\s+down\s*\n\s*raise\b.*|RunPython\(\s*\w+\s*\)"
    r"|RunSQL\(\s*(?:\"\"\"(?:(?!\"\"\").)*\"\"\"|\"[^\"\n]*\"|'[^'\n]*')\s*(?:,\s*)?\)"
    # https://sequel.jeremyevans.net/rdoc/files/doc/migration_rdoc.html
    r"|\ASequel\.migration\s+do\n(?!(?:.*\n)*\s*(?:down|change)\b)",
    re.M,
)


def without_way_back(file: ComparedFile) -> re.Match[str] | None:
    """A new migration has no way back, or an older one that does what it did has an empty one."""
    if file.is_new:
        return _NO_UNDO.search(file.head)
    begins = _UNDO.search(file.base)
    if begins is None or _NO_UNDO.search(file.base):
        return None
    number = file.base.count("\n", 0, begins.start()) + 1
    only_that = all(line.number > number for line in file.removed)
    return _EMPTY_UNDO.search(file.head) if only_that else None


def has_empty_way_back(file: ComparedFile) -> bool:
    """It is new, and its way back does nothing."""
    return file.is_new and _EMPTY_UNDO.search(file.head) is not None


def are_others_one_way(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The project does it so: among the migrations that stand nearest before it."""
    suffix = f".{file.name.rpartition('.')[2]}"
    older = {
        path
        for path in sources.list_head()
        if path.startswith(file.folder) and path < file.path and path.endswith(suffix)
    }
    texts = sources.read_head(sorted(older - sources.changed_paths)[-_NEAREST:])
    return any(map(_NO_UNDO.search, texts.values()))
