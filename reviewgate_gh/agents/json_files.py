"""Agents' settings, which they read with comments in them."""

import json
import re
from pathlib import Path
from typing import Any

from ..text.patterns import lazy_pattern

_COMMENT_LINES = lazy_pattern(r"^\s*//.*$", re.MULTILINE)


def read_object(file: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one where there is none that can be read."""
    try:
        text = file.read_text("utf-8-sig")
        return as_object(json.loads(_COMMENT_LINES.sub("", text)))
    except (OSError, ValueError, RecursionError):
        return {}


def as_object(value: Any) -> dict[str, Any]:
    """The value, where it is an object."""
    return value if isinstance(value, dict) else {}
