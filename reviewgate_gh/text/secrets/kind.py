"""One row of the table of secrets: what is known of a kind, and the pattern that follows from
it."""

import re
from functools import cache

from msgspec import Struct

from ..patterns import lazy_pattern

# Right before a secret whose beginning is short. Colours of a terminal and escapes of JSON are no
# part of a word.
_ALONE = lazy_pattern(
    r"(?:(?<![A-Za-z0-9+/_\-])|(?<=\[0m)|(?<=\[\dm)|(?<=\[\d\dm)|(?<=\\[nrt])|(?<=%3D)|(?<=%22))"
)


class SecretSpan(Struct, frozen=True):
    """What kind of secret stands where in a text (offsets in characters); `chosen`: a person made
    it up, which the value alone does not show for certain."""

    kind: str
    start: int
    end: int
    chosen: bool = False


class Kind(Struct, frozen=True):
    """One kind of secret.

    `words` are the literals, one of which begins it, and `body` is the pattern of what follows:
    bounded repetitions only, so that matching is linear. A kind without words is known by `beside`:
    words of the name that it is assigned to, as in `DD_API_KEY`, and `body` is the whole value; a
    word that ends in "!" must be one of the name's own words. `revoke` is the page where its owner
    revokes it, `source` the document that says what it looks like, both without "https://".
    `checksum` is a key of `vendors.CHECKS`. `bare`: the words are so distinctive that anything
    may stand before them. `digits`: the value has digits and letters. `generic`: anybody may make
    one up, as tests and manuals do. `own`: whoever needs one makes it, and nobody issues it. Of a
    body with a group named `value`, that is the secret.
    """

    id: str
    words: tuple[str, ...]
    body: str
    revoke: str
    source: str
    beside: tuple[str, ...] = ()
    entropy: float = 2.6  # bits a character, of the whole
    checksum: str = ""
    bare: bool = False
    digits: bool = False
    generic: bool = False
    own: bool = False

    def match(self, text: str, at: int, word: str) -> re.Match[str] | None:
        """The body behind its word, which stands at this place."""
        if not self.bare and not _ALONE.match(text, at):
            return None
        return compiled(self.body).match(text, at + len(word))

    def is_value(self, value: str) -> bool:
        """The whole value has this form."""
        return compiled(self.body).fullmatch(value) is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is needed for the first time: most runs meet few kinds."""
    return re.compile(pattern)


def kind(
    name: str, words: str, body: str, revoke: str, source: str, /, **more: float | str | bool
) -> Kind:
    """A kind with a beginning of its own."""
    return Kind(name, tuple(words.split()), body, revoke, source, **more)  # type: ignore[arg-type]


def named(
    name: str, beside: str, body: str, revoke: str, source: str, /, **more: float | str | bool
) -> Kind:
    """A kind that only the name of its variable tells."""
    words = tuple(beside.split())
    return Kind(name, (), body, revoke, source, words, **more)  # type: ignore[arg-type]


def of(alphabet: str, least: int, most: int = 0) -> str:
    """A run of characters; of a fixed length no letter or digit follows."""
    return f"[{alphabet}]{{{least},{most or least}}}(?![A-Za-z0-9])"


def part(alphabet: str, least: int, most: int = 0) -> str:
    """The same where more follows."""
    return f"[{alphabet}]{{{least},{most or least}}}"


HEX, UPPER_HEX = "0-9a-f", "0-9A-F"
LETTERS = "A-Za-z"
ALNUM, LOWER_ALNUM, UPPER_ALNUM = "A-Za-z0-9", "a-z0-9", "A-Z0-9"
BASE32 = "A-Z2-7"
BASE64 = "A-Za-z0-9+/"
URL64 = r"A-Za-z0-9_\-"
UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![A-Za-z0-9])"
