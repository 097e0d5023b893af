"""Private keys: whole ones, and those of which one end is missing."""

from collections.abc import Iterator

from .kind import compiled

_MARK = "PRIVATE KEY"
_HEADER = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_WORD = "-----BEGIN "
_FOOTER = "-----END "
_LONGEST_KEY = 20_000
# A key of which one end is missing: long lines of base64, bare, quoted or escaped, up to the other
# end. The pattern of the lines before the end is for a text turned round; two short lines may stand
# between: the rest of the key, and a checksum.
_KEY_FOOTER = r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_BREAK, _BREAK_BEFORE = (rf"(?:{newline}|[\s\"'`+,>])*+" for newline in (r"\\[nr]", r"[nr]\\"))
_LINES_AFTER = rf"(?:{_BREAK}[A-Za-z0-9+/]{{40,}}+={{0,2}}+)++"
_LINES_BEFORE = (
    rf"(?:{_BREAK_BEFORE}[A-Za-z0-9+/=]{{1,39}}+(?![A-Za-z0-9+/])){{0,2}}"
    rf"(?:{_BREAK_BEFORE}={{0,2}}+[A-Za-z0-9+/]{{40,}}+)++"
)
# https://www.chiark.greenend.org.uk/~sgtatham/putty/ "PPK file format"
_PUTTY = "Private-Lines:"
_PUTTY_LINES = r"Private-Lines: \d{1,4}\r?\n(?P<value>(?:[A-Za-z0-9+/=]{4,64}\r?\n){1,100})"
# .NET's RSAParameters: https://learn.microsoft.com/dotnet/api/system.security.cryptography.rsa
_XML_KEY = "<RSAKeyValue>"
_XML_LINES = r"</(?:Exponent|InverseQ)>\s{0,40}<D>\s{0,40}(?P<value>[A-Za-z0-9+/]{80,2000}={0,2})"
# https://www.rfc-editor.org/rfc/rfc7517: in an object with `kty`, `d` is the private part
_JSON_KEY = '"kty"'
_JSON_LINES = (
    r"\{(?=[^{}]{0,6000}\"kty\")[^{}]{0,6000}?\"d\"\s{0,4}:\s{0,4}\""
    r"(?P<value>[A-Za-z0-9_\-]{40,2000})\""
)
# A header named in code, in a manual or in a comment that goes on, with no key behind it
_QUOTED_END = (
    r"\s{0,3}(?:\\n)?(?:[\"'`<\[{$]|[A-Za-z0-9+/]{0,39}\.\.\.)"
    r"|[ \t]{0,3}\r?\n[ \t]{0,40}(?:#{1,4}|//|;|\*)(?![ \t]{0,40}[A-Za-z0-9+/]{40})"
)


def find_private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Where they begin and end."""
    if _PUTTY in text:
        yield from (m.span("value") for m in compiled(_PUTTY_LINES).finditer(text))
    if _XML_KEY in text:
        yield from (m.span("value") for m in compiled(_XML_LINES).finditer(text))
    if _JSON_KEY in text:
        yield from (m.span("value") for m in compiled(_JSON_LINES).finditer(text))
    if _MARK in text:
        yield from _in_pem(text)


def _in_pem(text: str) -> Iterator[tuple[int, int]]:
    at = text.find(_WORD)
    while at >= 0:
        match = compiled(_HEADER).match(text, at)
        end = at + len(_WORD)
        if match:
            end = _key_end(text, match.end())
            if end > match.end() or not compiled(_QUOTED_END).match(text, end):
                yield at, end
        at = text.find(_WORD, end)
    yield from _without_header(text)


def _key_end(text: str, at: int) -> int:
    """Behind the key's last line where that follows, else behind as much of it as there is, or
    behind its header."""
    footer = text.find(_FOOTER, at, at + _LONGEST_KEY)
    close = text.find("-----", footer + len(_FOOTER), footer + 80) if footer >= 0 else -1
    if close >= 0:
        return close + 5
    lines = compiled(_LINES_AFTER).match(text, at, at + _LONGEST_KEY)
    return lines.end() if lines else at


def _without_header(text: str) -> Iterator[tuple[int, int]]:
    """The ends of keys with key lines before them; where the header is there too, it makes the same
    secret longer."""
    for footer in compiled(_KEY_FOOTER).finditer(text):
        before = text[max(0, footer.start() - _LONGEST_KEY) : footer.start()]
        if lines := compiled(_LINES_BEFORE).match(before[::-1]):
            yield footer.start() - lines.end(), footer.end()
