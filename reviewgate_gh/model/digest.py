"""Digests of little. `hashlib` loads OpenSSL, which takes longer than a small review has to wait for git: Python's own do as well."""

try:
    from _sha1 import sha1  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    from hashlib import sha1
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,no-redef,unused-ignore]
    except ImportError:
        from hashlib import sha256

__all__ = ["sha1", "sha256", "sha256_hex"]


def sha256_hex(text: str, digits: int = 64) -> str:
    """Its first hex digits by SHA-256; what is no Unicode in it counts as the bytes it came from."""
    found: str = sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return found[:digits]
