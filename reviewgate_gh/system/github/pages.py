"""A list over its pages: GitHub's own links, never built ones, each page once, nothing left out in the middle."""

from dataclasses import replace

from .addresses import origin
from .answer import Answer
from .calls import Call
from .errors import Malformed
from .read import Part

_MOST = 1000
_HINT = "try again: the list may have changed while it was read"


class Pages:
    """What was read so far; `call` asks for the next page, None at the end. `total` is GitHub's own count, -1 where it gives none."""

    def __init__(self, call: Call, key: str, identity: str, size: int) -> None:
        self.items: list[Part] = []
        self.total = -1
        self.call: Call | None = call
        self._key, self._identity, self._size = key, identity, size
        self._asked = {call.url}
        self._seen: set[str | int] = set()

    @property
    def whole(self) -> bool:
        """All that GitHub counts is here."""
        return self.total in (-1, len(self.items))

    def take(self, answer: Answer) -> None:
        """Add a page, and find the next one.

        Raises:
            Malformed: it is no page of a list, or its links lead nowhere.
        """
        call = self.call
        if call is None:
            return
        part = Part(answer.data, call.name)
        if self._key:
            self.total = part.number("total_count")
        page = list(part[self._key] if self._key else part)
        self._add(page, call.name)
        if answer.next and len(page) < self._size:
            raise Malformed(f"GitHub left out part of {call.name}: {len(page)} on a page of {self._size}", _HINT)
        self.call = self._following(call, answer.next) if answer.next else None

    def _add(self, page: list[Part], name: str) -> None:
        fresh = [each for each in page if self._name_of(each) not in self._seen]
        if page and not fresh:
            raise Malformed(f"GitHub sent one page of {name} twice, and another not at all", _HINT)
        # An item that came twice was moved on by a new one before it.
        self._seen.update(self._name_of(each) for each in fresh)
        self.items += fresh

    def _name_of(self, item: Part) -> str | int:
        value = item[self._identity].value if self._identity else repr(item.value)
        if not isinstance(value, str | int):
            raise Malformed(f"GitHub's answer does not match its documentation: {item.where}.{self._identity} is empty", _HINT)
        return value

    def _following(self, call: Call, url: str) -> Call:
        if url in self._asked or len(self._asked) >= _MOST:
            raise Malformed(f"the pages of {call.name} form a loop: {url[:200]} repeats", _HINT)
        if origin(url) != origin(call.url):
            raise Malformed(f"the link to the next page of {call.name} leads to another host: {url[:200]}", _HINT)
        self._asked.add(url)
        return replace(call, url=url)
