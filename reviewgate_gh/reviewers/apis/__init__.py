"""Model APIs: one module for each dialect, which makes the request and reads the response."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ...model.question import ModelReply, Prompt, ToolCall, ToolSpec
from . import anthropic, gemini, openai, responses
from ._question import ModelParameters


class ApiDialect(Protocol):
    """What a file of this folder offers for the API that it is named after; its models can call
    functions."""

    def body(self, prompt: Prompt, parameters: ModelParameters) -> dict[str, Any]:
        """The request."""

    def read(self, data: Any) -> ModelReply:
        """What a response with status 200 says, whatever its shape: OK only for a whole answer in
        text."""

    def offer_tools(
        self, body: dict[str, Any], specs: Iterable[ToolSpec], is_used_up: bool
    ) -> None:
        """Name the functions in a request; none may be called any more where they are used up."""

    def tool_calls(self, data: Any) -> list[ToolCall]:
        """The calls that a response asks for."""

    def add_answers(self, body: dict[str, Any], data: Any, answers: Mapping[str, str]) -> None:
        """Put a response and the answers to its calls, by id, behind a request's messages."""


API_DIALECTS: Mapping[str, ApiDialect] = {
    "openai": openai,
    "responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
}
