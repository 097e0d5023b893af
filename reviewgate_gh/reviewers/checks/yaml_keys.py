"""Keys that stand twice in one YAML mapping: most readers keep the last one and say nothing."""

from collections.abc import Iterator

from ...findings.lines import DiffLines
from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.visible import show_hidden
from ._sources import CheckInput
from ._yaml import GLOBS, DuplicateKey, scan_yaml

WANTS = GLOBS
EVERY_FILE = False
_LONGEST = 60


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a repeated key, where the change adds it or the one before."""
    for file in sources.change.files:
        if (
            file.is_text_file
            and file.path.endswith((".yml", ".yaml"))
            and file.path in sources.contents
        ):
            again = scan_yaml(sources.contents[file.path]).duplicates
            shown = DiffLines(file) if again else None
            for twice in again:
                yield _finding(
                    file,
                    twice,
                    twice.first_line
                    if shown and not shown.adds(twice.line, twice.line)
                    else twice.line,
                )


def _finding(file: FileDiff, twice: DuplicateKey, line: int) -> Finding:
    lines = f"lines {twice.first_line} and {twice.line}"
    body = (
        f"The key {show_hidden(twice.key[:_LONGEST])!r} appears on {lines}; only the last one "
        "takes effect. Delete or rename one."
    )
    return Finding(
        Priority.P2,
        "hygiene",
        "builtin/yaml-duplicate-key",
        file.path,
        line,
        line,
        "a duplicate key in a YAML mapping",
        body,
    )
