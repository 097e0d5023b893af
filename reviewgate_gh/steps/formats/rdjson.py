"""Reviewdog Diagnostic Format, one document (`rdjson`)."""

from ...model.finding import Finding
from .. import strict
from . import _rdf


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings; paths below the absolute folder `root` become relative.

    Raises:
        ValueError: not rdjson, or cut short.
    """
    top = strict.obj(strict.load(strict.decode(data, "rdjson"), "rdjson", unique=True), "rdjson")
    rows = strict.arr(top.get("diagnostics"), "diagnostics")
    tool = _rdf.source_name(top, "rdjson")
    return [_rdf.finding(row, f"diagnostic {n}", root, tool, top.get("severity")) for n, row in enumerate(rows, 1)]
