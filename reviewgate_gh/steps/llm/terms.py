"""How a question is to be put, beside the question itself."""

import json
from dataclasses import dataclass
from typing import Literal

from ...model.asked import Effort, Prompt

Structured = Literal["schema", "object", "none"]
_ASKED_FOR = "\n\nAnswer with one JSON object that fits this JSON schema, and with nothing beside it:\n"


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


def question(prompt: Prompt, terms: Terms) -> str:
    """What stands behind the shared part: with the schema in words where the server is not given it."""
    if terms.structured == "schema":
        return prompt.own
    return f"{prompt.own}{_ASKED_FOR}{json.dumps(prompt.answer, ensure_ascii=False)}"
