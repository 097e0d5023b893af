"""A lens: one way of looking at a change, and a question of its own to a language model."""

from .config import STRICT
from .values import dataclass

MOST_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """`persona` says who looks, `instructions` what for; `applies_to` are gitignore patterns of the files that it is about (none: all).

    With `runs_commands` the project's own checks are run first, and their output is part of the question.
    """

    __pydantic_config__ = STRICT
    title: str
    instructions: str
    persona: str = ""
    applies_to: tuple[str, ...] = ()
    runs_commands: bool = False

    def __post_init__(self) -> None:
        for name, text in (("title", self.title), ("instructions", self.instructions)):
            if not text.strip():
                raise ValueError(f"{name} is empty")
        words = len(f"{self.title} {self.persona} {self.instructions}".split())
        if words > MOST_WORDS:
            raise ValueError(f"a lens has at most {MOST_WORDS} words, this one has {words}")
