"""Reviewdog Diagnostic Format, one diagnostic a line (`rdjsonl`). No line at all means no
findings."""

from ...model.finding import Finding
from ...text import strict
from . import rdjson


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings; paths below the absolute folder `root` become relative.

    Raises:
        ValueError: a line is not a diagnostic, or cut short.
    """
    rows = enumerate(strict.decode(data, "rdjsonl").split("\n"), 1)
    return [
        rdjson.parse_diagnostic(
            strict.load_json(row, f"rdjsonl (line {n})", unique=True), f"line {n}", root
        )
        for n, row in rows
        if row.strip()
    ]
