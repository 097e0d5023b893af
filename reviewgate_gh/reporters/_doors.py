"""The doors for text that is shown plain: redacted, without control characters, and never a workflow command."""

import re

from ..text.escape import one_line, terminal
from ..text.redact import redact

_COMMAND = re.compile(r"^([^\S\n]*)::|(##)\[", re.MULTILINE)


def block(text: str) -> str:
    """Foreign text that may have several lines."""
    # Twice, because taking control characters out of a token's middle makes it whole.
    return redact(terminal(redact(text)))


def line(text: str, limit: int = 300) -> str:
    """Foreign text on one line; cut only after redaction, so that no half of a secret is left."""
    return one_line(block(text), limit)


def data(text: str) -> str:
    """Text for a machine: as it is, but for secrets, those that escape sequences cut in two among them."""
    kept = redact(text)
    if kept.isprintable() or (shown := redact(terminal(kept))) == terminal(kept):
        return kept
    return shown


def code(text: str, limit: int = 300) -> str:
    """One line of foreign code, its indentation kept, tabs as spaces."""
    shown = " ".join(block(text).expandtabs(4).splitlines()).rstrip()
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def inert(text: str) -> str:
    """Output in which the runner of GitHub Actions finds no command, at the start of a line or in the older form anywhere."""
    return _COMMAND.sub(lambda found: f"{found[2]}\\[" if found[2] else f"{found[1]}\\::", text)


def inert_json(text: str) -> str:
    """The same for JSON, where no line starts with a command and an escape leaves the value as it is."""
    return text.replace("##[", "#\\u0023[")
