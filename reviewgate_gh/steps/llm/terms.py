"""How a question is to be put, beside the question itself."""

from typing import Literal

from ...model.asked import Effort
from ...model.values import dataclass

Structured = Literal["schema", "object", "none"]


@dataclass(frozen=True, slots=True)
class Terms:
    """From the config: the model, the most output tokens, and whether the server can be held to a schema, to some object, or to nothing.

    `own`: it is the vendor's own server, not one that speaks like it. `marked`: an OpenAI-like server that is told what to cache.
    """

    model: str
    most: int | None = None
    structured: Structured = "schema"
    effort: Effort | None = None
    own: bool = True
    marked: bool = False
