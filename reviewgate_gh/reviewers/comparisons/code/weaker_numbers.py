"""Numbers that protect: the same line with one that protects less."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._guards import code_of, weigh_new
from .._remark import ComparisonRule, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line
from ..additions.insecure import says_insecure
from .switched_off import LOCAL

EVERY_FILE = False
_WEAKER = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "It protects less than before. Restore the value, or say why less is enough.",
)
_MODE = ComparisonRule(
    "world-writable",
    Priority.P2,
    "Every user and program on the machine can change it. Grant only the permissions that are "
    "needed.",
)
_OPENED = replace(
    _MODE,
    advice="Others may read it, and change it where no mask forbids that. Grant what is needed.",
)
_ENDLESS = ComparisonRule(
    "timeout-removed",
    Priority.P2,
    "This is as good as no limit: a peer that does not answer can block the caller. Keep a "
    "limit, or say why it takes so long.",
)
# Not the place of something in a list
_NUMBER = lazy_pattern(r"(?<![\w.])(?<![\w)\]]\[)(?:0[xo])?\d[\d_]*(?P<unit>ms|s|m|h|d)?(?![\w.])")
# https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
_STRENGTH = lazy_pattern(
    r"(?i)min(?:imum)?[_-]?len(?:gth)?|required_?length|bcrypt|(?:salt|hash)_?rounds|iterations"
    r"|work_?factor|key_?(?:size|len(?:gth)?|bits)|generate_?key|\bN_ITER"
)
_OF_SECRETS = lazy_pattern(
    r"(?i)passw|passphrase|secret|bcrypt|pbkdf|scrypt|argon|hash|key|token|\bpin\b|rsa"
)
_OF_TIME = lazy_pattern(r"(?i)timeout|deadline")
_OF_MODE = lazy_pattern(
    r"(?i)\b(?:open(?:at)?|creat|mkdir(?:at|all)?|mkfifo|chmod\w*|install|WriteFile|umask)\b"
    r"|mode|perm"
)
_LONG, _MANY = 3600, 20  # seconds, and how many times as long as before
_SECONDS = {"ms": 0.001, "m": 60, "h": 3600, "d": 86400}
_OTHERS_WRITE = 0o002
_OTHERS = 0o007
_SETS_MODE = lazy_pattern(r"(?i)chmod|umask|\binstall\b|mode|perm")
_NEAR = 3  # lines


class _Pair(NamedTuple):
    """The same line on both sides, with another number, and what stands before that at head."""

    old: Line
    new: Line
    was: str
    now: str
    before: str


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and not LOCAL.search(without_packages(file.path)):
            yield from islice(_in_file(file), 1)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for pair in _pairs(block):
            rule, title = _weigh(file, pair)
            if title:
                rule = weigh_new(rule, file, pair.new)
                yield put(rule, file, pair.new, title, quoted(pair.old.text))


def _pairs(block: Block) -> Iterator[_Pair]:
    news = {_NUMBER.sub("#", code_of(line.text)).strip(): line for line in block.added}
    for old in block.removed:
        new = news.get(_NUMBER.sub("#", code_of(old.text)).strip())
        if new is None:
            continue
        sides = zip(_numbers(old), _numbers(new), strict=True)
        for was, now in sides:
            if was[0] != now[0]:
                yield _Pair(old, new, was[0], now[0], code_of(new.text)[: now.start()])


def _numbers(line: Line) -> list[re.Match[str]]:
    return [*_NUMBER.finditer(code_of(line.text))]


def _weigh(file: ComparedFile, pair: _Pair) -> tuple[ComparisonRule, str]:
    """Which rule the pair breaks, and how; no title for none."""
    code = code_of(pair.new.text)
    if _OF_MODE.search(code) and _opens_to_all(pair) and not says_insecure(pair.new.text):
        if _SETS_MODE.search(pair.before):
            return _MODE, f"everyone may write to this: {pair.now}"
        return _OPENED, f"what was private is created for everyone: {pair.now}"
    before, after = _value(pair.was), _value(pair.now)
    if before is None or after is None:
        return _WEAKER, ""
    if _OF_TIME.search(pair.before) and after >= _LONG and after >= _MANY * before > 0:
        return _ENDLESS, f"a time limit is {pair.now} instead of {pair.was}"
    if after < before and _is_strength(pair.before) and _is_of_secrets(file, pair.new):
        return _WEAKER, f"a secret is protected less: {pair.now} instead of {pair.was}"
    return _WEAKER, ""


def _is_strength(before: str) -> bool:
    """The number that follows is the value, or among the arguments, of what says how strong
    something is: no part of a longer text, nor of another expression."""
    found = next(iter(reversed([*_STRENGTH.finditer(before)])), None)
    if found is None:
        return False
    rest = before[found.end() :]
    opened = (before[: found.start()].count(sign) % 2 and rest[:1] != sign for sign in "\"'")
    return not any(opened) and not re.search(r"[;<>/]", rest)


def _is_of_secrets(file: ComparedFile, line: Line) -> bool:
    rows = file.head_rows[max(0, line.number - _NEAR) : line.number]
    return any(map(_OF_SECRETS.search, rows))


def _opens_to_all(pair: _Pair) -> bool:
    """Others may not write by the old mode, and may by the new one. What is created is never more
    open than the user's mask says, so that only private files and folders lose by it.
    https://pubs.opengroup.org/onlinepubs/9799919799/functions/umask.html"""
    modes = [re.fullmatch(r"0o?([0-7]{3,4})", each) for each in (pair.was, pair.now)]
    was, now = (int(found[1], 8) if found else -1 for found in modes)
    kept = _OTHERS_WRITE if _SETS_MODE.search(pair.before) else _OTHERS
    return was >= 0 and now >= 0 and bool(now & _OTHERS_WRITE) and not was & kept


def _value(text: str) -> float | None:
    """The number, as seconds where it has a unit of time."""
    found = re.fullmatch(r"(\d[\d_]*)(ms|s|m|h|d)?", text)
    if not found or (len(found[1]) > 1 and found[1].startswith("0")):
        return None
    return float(found[1].replace("_", "")) * _SECONDS.get(found[2] or "s", 1)
