"""Checksums that vendors put into their tokens: a right one leaves no doubt."""

import zlib
from collections.abc import Callable, Mapping

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECK = 6  # digits


def base62_crc32(token: str) -> bool:
    """The last six characters are the CRC-32 of those between prefix and checksum, in base62.

    https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
    """
    body = token.partition("_")[2]
    number, digits = zlib.crc32(body[:-_CHECK].encode("utf-8", "surrogateescape")), ""
    while number:
        number, last = divmod(number, 62)
        digits = _BASE62[last] + digits
    return digits.rjust(_CHECK, "0") == body[-_CHECK:]


CHECKS: Mapping[str, Callable[[str], bool]] = {"base62_crc32": base62_crc32}
