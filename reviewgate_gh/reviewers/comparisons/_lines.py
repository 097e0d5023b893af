"""Lines of a change, and the blocks that they make."""

from typing import NamedTuple


class Line(NamedTuple):
    """A line of one side: its number there, and its text as far as a person would read it."""

    number: int
    text: str


class Block(NamedTuple):
    """Lines that a change takes away at one place, and those that it puts there."""

    removed: tuple[Line, ...]
    added: tuple[Line, ...]
