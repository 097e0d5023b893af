"""Secrets: one table of patterns, used both to report them and to keep them out of everything we
write."""

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from msgspec import Struct

# In the names of variables and settings that hold one
CREDENTIAL_WORDS = ("passw", "passphrase", "secret", "token", "credential")
# A shape's words are literals, one of which begins every match of its pattern: finding them is what
# makes this fast. Distinctive prefixes need no word boundary; the others accept colours and JSON
# escapes right before them.
_ALONE = r"(?:(?<![A-Za-z0-9\-])|(?<=\[0m)|(?<=\[\dm)|(?<=\[\d\dm)|(?<=\\[nrt]))"
_ASSIGNED = (
    r"[\w\-]{0,30}[\"'\]]{0,2}\s{0,4}(?::\s{0,4}[A-Za-z\[\]]{1,20}\s{0,4}=|:=|=>|[:=])\s{0,4}"
)


class _Shape(Struct, frozen=True):
    kind: str
    words: tuple[str, ...]
    source: str
    entropy: float = 2.6
    any_case: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when its words are met for the first time: most runs meet few."""
        return _compiled(self.source, re.IGNORECASE if self.any_case else 0)


@cache
def _compiled(source: str, flags: int) -> re.Pattern[str]:
    return re.compile(source, flags)


def _shape(
    kind: str, words: str, pattern: str, entropy: float = 2.6, any_case: bool = False
) -> _Shape:
    return _Shape(kind, tuple(words.split()), pattern, entropy, any_case)


_SHAPES = (
    _shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _shape("github-fine-grained-token", "github_pat_",
        r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    _shape("gitlab-token", "glpat- glptt- gldt- glrt- glcbt-",
        r"gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_\-]{20,255}"),
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[a-z]{2,12}\d*-[A-Za-z0-9_\-]{32,255}"),
    _shape("openai-key", "sk-", _ALONE +
           r"sk-(?:proj-|svcacct-|admin-)?"
           r"(?:[A-Za-z0-9_\-]{20,120}T3BlbkFJ[A-Za-z0-9_\-]{20,120}|[A-Za-z0-9]{40,120})", 3.5),
    _shape("aws-access-key", "AKIA ASIA ABIA ACCA",
        r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])"),
    _shape("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-",
        r"xox[abeoprs]-[A-Za-z0-9\-]{10,255}"),
    _shape("slack-webhook", "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,255}"),
    _shape("google-api-key", "AIza", r"AIza[A-Za-z0-9_\-]{35}(?![A-Za-z0-9_\-])"),
    _shape("google-oauth-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_\-]{28}"),
    _shape("stripe-key", "sk_live_ rk_live_ sk_prod_", r"[rs]k_(?:live|prod)_[A-Za-z0-9]{20,255}"),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _shape("pypi-token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_\-]{50,1000}"),
    _shape("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}"),
    _shape("twilio-key", "SK", _ALONE + r"SK[0-9a-f]{32}(?![0-9a-f])", 3.0),
    _shape("azure-storage-key", "AccountKey=", r"AccountKey=(?P<value>[A-Za-z0-9+/]{86}==)"),
    _shape("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[0-9a-f]{64}"),
    _shape("huggingface-token", "hf_", r"hf_[A-Za-z]{34}(?![A-Za-z0-9])"),
    _shape("json-web-token", "eyJ",
        r"eyJ[A-Za-z0-9_\-]{10,2000}\.eyJ[A-Za-z0-9_\-]{10,4000}\.[A-Za-z0-9_\-]{20,1000}"),
    _shape("private-key", "-----BEGIN ",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----", 0.0),
    _shape("aws-secret-key", "secret", r"secret_?(?:access_?)?key" + _ASSIGNED
           + r"[\"']?(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])", 3.8, True),
    _shape("url-password", "://",
        r"://[^\s:/@\"'<>{}$%*]{1,64}(?<!\[):(?P<value>[^\s:/@\"'<>{}$%*\\]{8,128})@(?!localhost)"
        r"(?=[A-Za-z0-9])"),
    _shape("assigned-secret",
           " ".join((*CREDENTIAL_WORDS, "api_key apikey access_key accesskey auth_key authkey")),
           r"[a-z_]{5,12}" + _ASSIGNED + r"[\"'](?P<value>[A-Za-z0-9+/=_\-.!@#%^&*~]{16,200})[\"']",
           3.6, True),
)  # fmt: skip
_RANK = {shape.kind: place for place, shape in enumerate(_SHAPES)}
_SHORTEST = 20  # characters: nothing shorter is a secret of a known shape
_PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|change.?me|your[_\-]|dummy|fake|sample|redacted|insert|replace|xxxx"
    r"|\*{3}|\.{3}|1234567|abcdef|deadbeef|foobar"
    r"|testtest|<|\$\{|\{\{|%\(|localhost|password$|passwd$|secret$"
)
_LINE = 200  # characters
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
_QUOTED_END = re.compile(r"\s{0,3}(?:\\n)?[\"'`]")  # a header named in code, with no key behind it


class SecretSpan(Struct, frozen=True):
    """What kind of secret stands where in a text (offsets in characters)."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> list[SecretSpan]:
    """The secrets of a text, in order; documented examples and placeholders are none."""
    if len(text) < _SHORTEST:
        return []
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose lower case is two would shift every place
        lowered = text
    found: list[SecretSpan] = []
    for shape in _SHAPES:
        searched = lowered if shape.any_case else text
        for word in shape.words:
            if word in searched:
                found += _matches(shape, word, searched, text)
    if "PRIVATE KEY" in text:
        found += _without_header(text)
    return _apart(found)


def redact(text: str) -> str:
    """The text with each secret replaced by `[REDACTED:<kind>]`."""
    return _line_redacted(text) if len(text) <= _LINE else _redacted(text)


def _redacted(text: str) -> str:
    done, at = [], 0
    for secret in find_secrets(text):
        done += [text[at : secret.start], f"[REDACTED:{secret.kind}]"]
        at = secret.end
    return "".join([*done, text[at:]]) if done else text


# A line of code is looked at for each of the places where it is shown
_line_redacted = lru_cache(10_000)(_redacted)


def redact_values(text: str, values: Iterable[str]) -> str:
    """The text without these exact values, plain, reversed, in base64, hex, URLs and JSON strings;
    short ones are no secrets."""
    for form in sorted(
        (form for value in values if len(value) >= 8 for form in _forms(value)),
        key=len,
        reverse=True,
    ):
        text = text.replace(form, "[REDACTED:value]")
    return text


def _matches(shape: _Shape, word: str, searched: str, text: str) -> Iterator[SecretSpan]:
    at = searched.find(word)
    while at >= 0:
        match = shape.pattern.match(text, at)
        end = at + len(word)
        if match and shape.kind == "private-key":
            end = _key_end(text, match.end())
            if end > match.end() or not _QUOTED_END.match(text, end):
                yield SecretSpan(shape.kind, at, end)
        elif match and _credible(shape, match):
            end = match.end()
            yield SecretSpan(shape.kind, *match.span(_value_group(shape)))
        at = searched.find(word, end)


def _key_end(text: str, at: int) -> int:
    """Behind the key's last line where that follows, else behind as much of it as there is, or
    behind its header."""
    footer = text.find(_FOOTER, at, at + _LONGEST_KEY)
    close = text.find("-----", footer + len(_FOOTER), footer + 80) if footer >= 0 else -1
    if close >= 0:
        return close + 5
    lines = _compiled(_LINES_AFTER, 0).match(text, at, at + _LONGEST_KEY)
    return lines.end() if lines else at


def _without_header(text: str) -> Iterator[SecretSpan]:
    """The ends of keys with key lines before them; where the header is there too, it makes the same
    secret longer."""
    for footer in _compiled(_KEY_FOOTER, 0).finditer(text):
        before = text[max(0, footer.start() - _LONGEST_KEY) : footer.start()]
        if lines := _compiled(_LINES_BEFORE, 0).match(before[::-1]):
            yield SecretSpan("private-key", footer.start() - lines.end(), footer.end())


def _credible(shape: _Shape, match: re.Match[str]) -> bool:
    value = match[_value_group(shape)]
    if _PLACEHOLDER.search(value) or _entropy(value) < shape.entropy:
        return False
    return shape.kind != "assigned-secret" or (
        any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    )


def _value_group(shape: _Shape) -> int:
    return shape.pattern.groupindex.get("value", 0)


def _apart(found: list[SecretSpan]) -> list[SecretSpan]:
    """In order and without overlaps: of two the earlier shape of the table stays, since it says
    more."""
    kept: list[SecretSpan] = []
    for secret in sorted(found, key=lambda each: each.start):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif _RANK[secret.kind] < _RANK[kept[-1].kind]:
            kept[-1] = SecretSpan(
                secret.kind, min(secret.start, kept[-1].start), max(secret.end, kept[-1].end)
            )
        else:
            kept[-1] = SecretSpan(kept[-1].kind, kept[-1].start, max(secret.end, kept[-1].end))
    return kept


def _entropy(value: str) -> float:
    """Bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())


def _forms(value: str) -> set[str]:
    raw = value.encode("utf-8", "surrogateescape")
    quoted = "".join(
        chr(byte) if chr(byte).isalnum() or byte in b"-._~" else f"%{byte:02X}" for byte in raw
    )
    escaped = json.dumps(value)[1:-1]
    return {
        value,
        value[::-1],
        base64.b64encode(raw).decode().rstrip("="),
        raw.hex(),
        quoted,
        escaped,
        escaped.replace("/", "\\/"),
    }
