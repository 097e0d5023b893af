"""Foreign text as plain text: no secret, no escape sequence, nothing hidden."""

from .escape import one_line, terminal
from .redact import redact


def plain(text: str) -> str:
    """The text with its lines."""
    # Twice, because taking control characters out of a token's middle makes it whole.
    return redact(terminal(redact(text)))


def plain_line(text: str, limit: int = 300) -> str:
    """The text on one line; cut only after redaction, so that no half of a secret is left."""
    return one_line(plain(text), limit)
