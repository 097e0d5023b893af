"""Reading answers strictly: a wrong shape is GitHub's mistake, with the place it was found at,
never a crash and never "empty"."""

import re
from collections.abc import Iterator
from typing import Any

from ..model.values import dataclass
from .errors import MalformedAnswer

_OID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_DIGITS = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A piece of an answer; `where` is the way to it, for messages."""

    value: Any
    where: str

    def __getitem__(self, key: str) -> "JsonPart":
        """What an object holds under a name, which must be there and not null."""
        found = self.maybe(key)
        if found is None:
            raise self._wrong(key, "there")
        return found

    def maybe(self, key: str) -> "JsonPart | None":
        """What an object holds under a name; None where it is null or absent."""
        if not isinstance(self.value, dict):
            raise MalformedAnswer(
                f"GitHub's answer does not match its documentation: {self.where} is not an object"
            )
        value = self.value.get(key)
        return None if value is None else JsonPart(value, f"{self.where}.{key}")

    def text(self, key: str) -> str:
        """A text that must be there."""
        value = self[key].value
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return _whole(value)

    def optional(self, key: str) -> str:
        """A text; "" where it is null or absent."""
        return "" if self.maybe(key) is None else self.text(key)

    def oid(self, key: str) -> str:
        """A git object id."""
        value = self.text(key)
        if not _OID.fullmatch(value):
            raise self._wrong(key, "an object id")
        return value

    def number(self, key: str) -> int:
        """A number that must be there and is not negative; GraphQL writes big ones as text."""
        value = self[key].value
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(key, "a number")
        return value

    def count(self, key: str) -> int:
        """A number; 0 where it is null or absent."""
        return 0 if self.maybe(key) is None else self.number(key)

    def flag(self, key: str) -> bool:
        """A yes or no that must be there."""
        value = self[key].value
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def items(self, key: str) -> "list[JsonPart]":
        """A list that must be there, without nulls."""
        return list(self[key])

    def __iter__(self) -> "Iterator[JsonPart]":
        """The items of a list."""
        if not isinstance(self.value, list):
            raise MalformedAnswer(
                f"GitHub's answer does not match its documentation: {self.where} is not a list"
            )
        for index, item in enumerate(self.value):
            if item is None:
                raise MalformedAnswer(
                    f"GitHub's answer does not match its documentation: {self.where}[{index}] is "
                    "null"
                )
            yield JsonPart(item, f"{self.where}[{index}]")

    def _wrong(self, key: str, wanted: str) -> MalformedAnswer:
        return MalformedAnswer(
            f"GitHub's answer does not match its documentation: {self.where}.{key} is not {wanted}"
        )


def _whole(text: str) -> str:
    """Without half characters, which JSON can spell and nothing can write."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
