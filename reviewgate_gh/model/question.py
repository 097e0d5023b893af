"""What a language model is asked and what comes back, before anybody believes a word of it."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from .review import NO_USAGE, ReviewStatus, Usage

RunEffort = Literal["low", "medium", "high"]


class Prompt(Struct, frozen=True):
    """One question. `system` (what the model is to do) and `shared_part` (the data) are
    byte-identical in all questions of a run, so that a vendor's cache serves them; `own_part`
    follows them.

    `answer_schema` is the JSON schema of the answer: the one object that a model may write.
    """

    shared_part: str
    own_part: str
    answer_schema: Mapping[str, Any]
    effort: RunEffort | None = None
    system: str = ""

    @property
    def text(self) -> str:
        """The whole question, for whoever takes only one text."""
        return f"{self.system}{self.shared_part}{self.own_part}"


class ToolSpec(Struct, frozen=True):
    """A function that a model may call while it answers; `schema` is that of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


class ToolCall(Struct, frozen=True):
    """A call that a model asks for: the vendor's id of it, the function, and its arguments."""

    id: str
    name: str
    arguments: Mapping[str, Any]


class ReadLines(Struct, frozen=True):
    """Lines of a file at head, first and last number, that a model has looked up."""

    path: str
    first: int
    last: int


class ModelReply(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model said. Only OK has a `text` to read, and that text is not parsed yet; `error`
    says why there is none. `looked_up` is what it has read by tools;
    `without_lookups`: these were offered, and its program did not start them.

    `model` and `endpoint` come from the config, never from what the model says of itself. `kept`:
    an earlier answer serves again. `seconds`: how long it took, which a recording keeps.
    """

    status: ReviewStatus
    text: str = ""
    error: str = ""
    usage: Usage = NO_USAGE
    model: str = ""
    endpoint: str = ""
    version: str = ""
    kept: bool = False
    seconds: float = 0.0
    looked_up: tuple[ReadLines, ...] = ()
    without_lookups: bool = False


class Availability(Struct, frozen=True):
    """Whether a model can be asked here. `error` says why not; `program` is what would run,
    `destination` where the change would go.

    `login` says whose account pays: the variable's name that holds the key, or the login that the
    program has.
    """

    error: str = ""
    version: str = ""
    program: str = ""
    login: str = ""
    destination: str = ""
    notes: tuple[str, ...] = ()
