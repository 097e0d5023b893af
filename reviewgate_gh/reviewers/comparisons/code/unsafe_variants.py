"""A call that is made as before, by a variant of it without the protection: another function of the
same library, or a weaker source of chance, a weaker hash, a weaker cipher."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._definitions import language_of
from .._guards import code_of, weigh_new
from .._remark import ComparisonRule, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .switched_off import LOCAL

EVERY_FILE = False
_RULE = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "It does the same without the protection. Use the safe variant, or say why its input can be "
    "trusted.",
)


class _Variant(NamedTuple):
    """The safe way, the other one, and whether only a secret makes a difference between them."""

    safe: str
    other: str
    of_secrets: bool = False


_VARIANTS = (
    # https://docs.ruby-lang.org/en/master/Psych.html, https://pyyaml.org/wiki/PyYAMLDocumentation
    _Variant(r"\bYAML\.safe_load(?:_file)?\(", r"\bYAML\.(?:unsafe_)?load(?:_file)?\("),
    _Variant(r"\byaml\.safe_load(?:_all)?\(", r"\byaml\.(?:unsafe_|full_)?load(?:_all)?\("),
    _Variant(r"\bSafeLoader\b", r"\b(?:Unsafe|Full)?Loader\b"),
    _Variant(r"\b(?:json|JSON|msgpack|tomllib)\.(?:loads?|parse)\(",
             r"\b(?:pickle|marshal|Marshal|dill|cloudpickle)\.loads?\(|(?<![\w.])eval\("),
    _Variant(r"\bast\.literal_eval\(", r"(?<![\w.])eval\("),
    # https://developer.mozilla.org/docs/Web/API/Element/innerHTML
    _Variant(r"\.(?:textContent|innerText)\b", r"\.(?:inner|outer)HTML\b"),
    _Variant(r"\.text\(", r"\.html\("),
    # https://nodejs.org/api/child_process.html
    _Variant(r"\bexecFile(?:Sync)?\(", r"\bexec(?:Sync)?\("),
    # https://doc.rust-lang.org/std/primitive.usize.html#method.checked_sub
    _Variant(r"\.(?:checked|saturating)_(?:add|sub|mul|div|pow|neg|shl|shr)\(([^()]*)\)"
             r"(?:\.unwrap_or(?:_default)?\([^()]*\)|\.ok_or(?:_else)?\([^()]*\)\?|\?)?",
             r"\.(?:wrapping|unchecked)_(?:add|sub|mul|div|pow|neg|shl|shr)\(([^()]*)\)"),
    _Variant(r"\bfrom_utf8\(", r"\bfrom_utf8_unchecked\("),
    _Variant(r"\bget\(", r"\bget_unchecked\("),
    # https://docs.rs/axum/latest/axum/extract/struct.DefaultBodyLimit.html
    _Variant(r"\bDefaultBodyLimit::max\([^()]*\)", r"\bDefaultBodyLimit::disable\(\)"),
    # https://pkg.go.dev/html/template
    _Variant(r"\"html/template\"", r"\"text/template\""),
    _Variant(r"\"crypto/rand\"", r"\"math/rand(?:/v2)?\""),
    _Variant(r"\bsecrets\.(?:choice|randbelow|token_\w+)\(",
             r"\brandom\.(?:choices?|randrange|randint|random|sample)\(", True),
    _Variant(r"\bSecureRandom\b|\bRandomNumberGenerator\b", r"(?<!Secure)\bRandom\b", True),
    _Variant(r"\bcrypto\.(?:randomBytes|randomUUID|getRandomValues|randomInt)\(",
             r"\bMath\.random\(", True),
    # https://datatracker.ietf.org/doc/html/rfc6151
    _Variant(r"(?i)\bsha-?_?(?:256|384|512)\b|\bsha3_\d+|\bblake2[bs]\b",
             r"(?i)\b(?:md5|sha-?_?1)\b",
             True),
    _Variant(r"(?i)\b(?:bcrypt|scrypt|argon2\w*|pbkdf2\w*)\b", r"(?i)\b(?:md5|sha-?_?\d+)\b", True),
    _Variant(r"(?i)AES[/_-]?(?:\d+[/_-])?(?:GCM|CCM)|\bMODE_(?:GCM|CCM|EAX)\b",
             r"(?i)AES[/_-]?(?:\d+[/_-])?(?:ECB|CBC)|\bMODE_(?:ECB|CBC)\b"),
    # https://zod.dev/api#objects, https://docs.pydantic.dev/latest/api/config/
    _Variant(r"\.strict\(\)", r"\.(?:passthrough|loose|strip)\(\)"),
    _Variant(r"\bextra\s*=\s*[\"']forbid[\"']", r"\bextra\s*=\s*[\"'](?:allow|ignore)[\"']"),
    _Variant(r"\bmkstemp\(", r"\bmktemp\("),
)  # fmt: skip
_OF_SECRETS = lazy_pattern(
    r"(?i)passw|secret|token|session|key|nonce|salt|\botp\b|\bpin\b|hmac|sign|reset|invite|csrf"
    r"|verif|auth"
)
_NEAR = 4  # lines


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        local = LOCAL.search(without_packages(file.path))
        if file.is_edited_product and file.added and language_of(file.path) and not local:
            yield from islice(_in_file(file), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if block.removed and block.added:
            for old, new, lost in _swapped(file, block):
                rule = weigh_new(_RULE, file, new)
                title = f"{quoted(lost[0])} becomes {quoted(lost[1])}"
                yield put(rule, file, new, title, quoted(old.text))


def _swapped(file: ComparedFile, block: Block) -> Iterator[tuple[Line, Line, tuple[str, str]]]:
    for variant in _VARIANTS:
        safe, other = re.compile(variant.safe), re.compile(variant.other)
        for old in block.removed:
            was = safe.search(code_of(old.text))
            for new in block.added if was else ():
                now = other.search(code_of(new.text))
                if not (was and now) or safe.search(code_of(new.text)):
                    continue
                if _around(old, was) != _around(new, now) or other.search(code_of(old.text)):
                    continue
                if variant.of_secrets and not _is_of_secrets(file, new):
                    continue
                yield old, new, (was[0].strip("("), now[0].strip("("))


def _around(line: Line, found: re.Match[str]) -> str:
    """The rest of the line, with the arguments of what was found."""
    code = code_of(line.text)
    inner = next(filter(None, found.groups()), "")
    return squeeze(code[: found.start()] + inner + code[found.end() :])


def _is_of_secrets(file: ComparedFile, line: Line) -> bool:
    rows = file.head_rows[max(0, line.number - _NEAR) : line.number + 1]
    return any(map(_OF_SECRETS.search, (file.head_code.unit(line.number), *rows)))
