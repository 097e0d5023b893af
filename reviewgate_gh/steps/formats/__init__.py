"""Reports of other tools: one format a file, each `parse(data, root="") -> list[Finding]`; ValueError for anything else."""

from ...model.finding import Finding
from .. import strict

NAMES = ("sarif", "rdjson", "rdjsonl", "checkstyle", "shellcheck")
_KEYS = {"runs": "sarif", "diagnostics": "rdjson", "comments": "shellcheck"}


def sniff(data: bytes) -> str:
    """Which of `NAMES` this is, by its outer shape.

    Raises:
        ValueError: none of them, or cut short.
    """
    text = strict.decode(data.strip(), "a report")
    if text.startswith("<"):
        return "checkstyle"
    if _is_diagnostic(text.partition("\n")[0]):
        return "rdjsonl"
    top = strict.obj(strict.load(text, "a report of a known format"), "report")
    found = next((name for key, name in _KEYS.items() if key in top), None)
    if not found:
        raise ValueError(f"not a report of a known format ({', '.join(NAMES)})")
    return found


def _is_diagnostic(line: str) -> bool:
    try:
        first = strict.load(line, "a diagnostic")
    except ValueError:
        return False
    return isinstance(first, dict) and "message" in first and "location" in first


def parse(data: bytes, root: str = "", name: str = "auto") -> list[Finding]:
    """The findings of a report in the format `name`; "auto" looks for itself. `root` is the absolute folder to make paths relative to.

    Raises:
        ValueError: not that format, or cut short.
    """
    match sniff(data) if name == "auto" else name:
        case "sarif":
            from .sarif import parse as parser
        case "rdjson":
            from .rdjson import parse as parser
        case "rdjsonl":
            from .rdjsonl import parse as parser
        case "checkstyle":
            from .checkstyle import parse as parser
        case "shellcheck":
            from .shellcheck_json1 import parse as parser
        case other:
            raise ValueError(f"unknown report format {other!r}; use one of: auto, {', '.join(NAMES)}")
    return parser(data, root)
