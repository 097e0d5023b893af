"""Model APIs: one module for each dialect, which makes the request and reads the response."""

from collections.abc import Mapping
from typing import Any, Protocol

from ...model.question import ModelReply, Prompt
from . import anthropic, gemini, openai
from ._question import ModelParameters


class ApiDialect(Protocol):
    """What a file of this folder offers for the API that it is named after."""

    def body(self, prompt: Prompt, parameters: ModelParameters) -> dict[str, Any]:
        """The request."""

    def read(self, data: Any) -> ModelReply:
        """What a response with status 200 says, whatever its shape: OK only for a whole answer in
        text."""


API_DIALECTS: Mapping[str, ApiDialect] = {
    "openai": openai,
    "anthropic": anthropic,
    "gemini": gemini,
}
