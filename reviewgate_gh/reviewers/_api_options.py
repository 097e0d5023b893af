"""What the config says of a model that is asked by its API."""

import re
from typing import Literal

from ..model.asked import Effort, Prompt
from ..model.config import STRICT
from ..model.usage import Usage
from ..model.values import dataclass
from ..steps.llm.terms import Structured, Terms
from ..system.llm import addresses
from ._price import Price, cost

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_NO_NAME = "key must be the name of an environment variable, such as OPENAI_API_KEY; the key itself stays out of the config"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which model at which address, and the name of the environment variable that holds the key.

    `url` unset is the vendor's own. `structured`: whether the server can be held to a JSON schema, only to an object, or to nothing.
    `effort` unset sends none, since models that do not reason refuse it. `key_header` and `api_version` are for Azure and for proxies.
    """

    __pydantic_config__ = STRICT
    dialect: Literal["openai", "anthropic", "gemini"]
    model: str
    url: str | None = None
    key: str | None = None
    structured: Structured = "schema"
    effort: Effort | None = None
    max_output_tokens: int | None = None
    key_header: str | None = None
    api_version: str | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        if wrong := self._wrong():
            raise ValueError(wrong)

    @property
    def base(self) -> str:
        """The address before the API's own paths."""
        return (self.url or addresses.PUBLIC[self.dialect]).rstrip("/")

    @property
    def own(self) -> bool:
        """The vendor's own server answers, or Microsoft's."""
        return addresses.is_public(self.dialect, self.base) or addresses.is_azure(self.base)

    @property
    def target(self) -> str:
        """The address that questions go to."""
        return addresses.target(self.dialect, self.base, self.model, self.api_version)

    def terms(self, prompt: Prompt) -> Terms:
        """How to put the question; an effort that the run names counts where the config says that the model takes one."""
        effort = self.effort and (prompt.effort or self.effort)
        return Terms(self.model, self.max_output_tokens, self.structured, effort, self.own, addresses.is_openrouter(self.base))

    def cost(self, usage: Usage) -> float | None:
        """US dollars, where they are known."""
        return cost(usage, self.price, self.model, self.base)

    def _wrong(self) -> str:
        if not self.model.strip():
            return "model must name a model"
        if self.key is not None and not _VARIABLE.fullmatch(self.key):
            return _NO_NAME
        if self.key is None and self.url is None:
            return "key must name the environment variable that holds the API key"
        if self.key_header is not None and not _HEADER.fullmatch(self.key_header):
            return "key_header must be the name of a header, such as api-key"
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            return "max_output_tokens must be 1 or more"
        return addresses.problem(self.url, self.key is not None) if self.url is not None else ""
