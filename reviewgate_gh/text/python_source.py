"""Python source in an encoding of its own: what Python reads of it, as UTF-8.

A comment in the first two lines names the encoding
(https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations). Linters that only
know UTF-8 would refuse such a file, or read other code than Python does.
"""

import codecs

from .patterns import lazy_pattern

# PEP 263, for one line of bytes; the second line counts where the first is blank or a comment
_DECLARATION = lazy_pattern(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_NO_CODE = lazy_pattern(rb"^[ \t\f]*(?:#|\r?$)")
_UTF8 = ("utf-8", "utf8", "ascii")
_SUFFIXES = (".py", ".pyi", ".pyw")
_PLAIN = bytes(sign for sign in (9, 10, *range(32, 127)) if sign != ord("\\"))
# Each of them stands for something else in some encoding that Python has
_TELLING = rb"\n# \u0041 \x41 \N{DIGIT ONE} +AEE- ~{AA~} &AEE- =41 %41 xn--a-b"


def may_be_python(path: str) -> bool:
    """By its name; one without a suffix may be a script."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(_SUFFIXES) or "." not in name


def declared_encoding(head: bytes) -> tuple[int, str]:
    """Line (1 or 2) and name of the encoding that a file's first lines declare; 0 and "" for
    none."""
    for number, line in enumerate(head.split(b"\n", 2)[:2], 1):
        if found := _DECLARATION.match(line.removeprefix(codecs.BOM_UTF8)):
            return number, found[1].decode("ascii", "replace")
        if not _NO_CODE.match(line):
            break
    return 0, ""


def rewrites_ascii(encoding: str) -> bool | None:
    """In this encoding plain letters and signs do not stand for themselves: a reader sees other
    code than Python runs; None for an encoding that Python does not know."""
    try:
        codec = codecs.lookup(encoding)
        # A codec that makes no text of bytes, such as zip, Python refuses
        read = _PLAIN.decode(codec.name, "replace"), _TELLING.decode(codec.name, "replace")
    except (LookupError, ValueError):
        return None
    return read != (_PLAIN.decode(), _TELLING.decode())


def as_utf8(data: bytes) -> bytes:
    """The source with the same lines in UTF-8, and the declaration saying so; as it is where it
    needs no change, or where Python could not decode it either."""
    number, name = declared_encoding(data[:1000])
    if not name or name.lower().replace("_", "-") in _UTF8:
        return data
    try:
        text = data.decode(name).encode()
    except (LookupError, ValueError):
        return data
    lines = text.split(b"\n")
    lines[number - 1] = lines[number - 1].replace(name.encode(), b"utf-8", 1)
    return b"\n".join(lines)
