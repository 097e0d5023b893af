"""The project's own rules for reviewers, as its trusted side has them."""

import re
from collections.abc import Mapping, Sequence

from ..text.redact import redact
from ..text.visible import visible
from .exclude import excluded

RULES = ".reviewgate-gh/rules.md"
AGENTS = "AGENTS.md"
FILES = (RULES, ".github/copilot-instructions.md", AGENTS, "CLAUDE.md")
_MOST = 24_000  # characters of one file
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)


def guidance(files: Mapping[str, bytes], denied: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """One text of all rules, and what to say about those that were cut, or denied by these patterns.

    Of AGENTS.md only the section "Code Review" is meant for us.
    """
    parts, notices = [], []
    hidden = excluded(files, denied)
    for name in FILES:
        text = files.get(name, b"").decode("utf-8", "replace").strip()
        text = section(text, "code review") if name == AGENTS else text
        if text and name in hidden:
            notices.append(f"{name}: not sent to a model (policy.denied_paths)")
            continue
        if len(text) > _MOST:
            notices.append(f"{name}: models read only its first {_MOST:,} characters")
        if text:
            parts.append(f"From {name}:\n{visible(redact(text)[:_MOST])}")
    return "\n\n".join(parts), tuple(notices)


def section(text: str, title: str) -> str:
    """What stands below the first heading with this title, down to the next heading of its level or a higher one; "" without it."""
    headings = [*_HEADING.finditer(text)]
    for at, heading in enumerate(headings):
        if heading[2].strip().lower() == title:
            end = next((later.start() for later in headings[at + 1 :] if len(later[1]) <= len(heading[1])), len(text))
            return text[heading.end() : end].strip()
    return ""
