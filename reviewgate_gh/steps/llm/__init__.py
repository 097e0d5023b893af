"""How model APIs are asked and what they answer, as plain data: one file a dialect."""

from collections.abc import Mapping
from typing import Any, Protocol

from ...model.asked import Prompt, Reply
from . import anthropic, gemini, openai
from .terms import Terms


class Dialect(Protocol):
    """What a file of this folder offers for the API that it is named after."""

    def body(self, prompt: Prompt, terms: Terms) -> dict[str, Any]:
        """The request."""

    def read(self, data: Any) -> Reply:
        """What a response with status 200 says, whatever its shape: OK only for a whole answer in text."""


DIALECTS: Mapping[str, Dialect] = {"openai": openai, "anthropic": anthropic, "gemini": gemini}
