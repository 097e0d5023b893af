"""Keys that the code hands to calls which sign or encrypt with them."""

from collections.abc import Iterator

from .general import ASSIGNED
from .kind import SecretSpan, compiled
from .plausible import is_code_between, is_placeholder, is_random, is_reference
from .repeats import RepeatedPlaces
from .runs import places

_CALLS = (
    "AES.new(", "hmac.new(", "createHmac(", "createCipheriv(", "Fernet(", "HMAC256(", "signWith(",
    "jwt.", "JWT",
)  # fmt: skip
# At most two arguments before the key: what is signed, and the name of an algorithm
_BEFORE = r"(?:\{[^{}\n]{0,200}\}|[\w.]{1,80}|[\"'][\w\-]{1,20}[\"'])"
_KEY = (
    rf"(?:(?i:jwt)(?:\.|::)(?:encode|decode|sign|verify)"
    rf"|(?!(?i:jwt))[\w.]{{5,20}})\((?:\s{{0,20}}{_BEFORE}\s{{0,4}},){{0,2}}\s{{0,20}}b?[\"']"
    r"(?P<value>[^\"'\s]{16,256})[\"']"
)
_REACH = 800  # characters: the pattern takes no more
_LEAST = 16  # characters that no words explain


def find_in_calls(text: str) -> Iterator[SecretSpan]:
    """`jwt.encode(claims, "key")`, `AES.new(b"key")`."""
    for word in _CALLS:
        last, found = RepeatedPlaces(text, 0, _REACH), None
        for at in places(word, text):
            if last.repeats(at) and not found:
                continue
            found = compiled(_KEY).match(text, at)
            if found and _may_be_key(found["value"]):
                yield SecretSpan(ASSIGNED.id, *found.span("value"))


def _may_be_key(value: str) -> bool:
    if is_placeholder(value) or is_reference(value) or is_code_between(value):
        return False
    return is_random(value, _LEAST)
