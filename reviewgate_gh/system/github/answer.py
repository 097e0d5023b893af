"""An answer as it came, and what it holds."""

import json
from collections.abc import Mapping
from typing import Any

from ...model.values import dataclass
from ..network import Broken


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (names in small letters), body, the address of the next page ("" for none), and the JSON of a good one."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    next: str = ""
    data: Any = None

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            Broken: it is none, though GitHub answers in nothing else.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise Broken(f"status {self.status} with {self._kind()}") from None

    def words(self) -> tuple[str, tuple[str, ...]]:
        """Of a refusal: its message, and its errors in words; a body that is no JSON has neither."""
        try:
            found = self.json()
        except Broken:
            return "", ()
        if not isinstance(found, dict):
            return "", ()
        errors = found.get("errors")
        listed = errors if isinstance(errors, list) else [errors] if errors else []
        return _text(found.get("message")), tuple(_error(each) for each in listed)

    def _kind(self) -> str:
        if not self.body.strip():
            return "an empty body"
        return "a web page" if self.body.lstrip()[:1] == b"<" else "text that is not JSON"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _error(each: Any) -> str:
    """REST has sentences, or objects with a message or with resource, field and code."""
    if not isinstance(each, dict):
        return str(each)
    return _text(each.get("message")) or " ".join(_text(each.get(key)) for key in ("resource", "field", "code")).strip()
