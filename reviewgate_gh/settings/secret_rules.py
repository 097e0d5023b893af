"""What the trusted side says about secrets: the config's own section, and gitleaks' files as far as
they can be expressed here."""

import json
import re
from collections.abc import Iterator, Mapping
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from ..model.config import SecretsConfig
from ..model.finding import sha256_hex
from ..text.secrets.custom import CustomKind
from ..text.secrets.rules import GITLEAKS_CONFIG, GITLEAKS_IGNORE, Allowance, SecretRules
from ..text.strict import load_toml

_MOST_BYTES = 5_000_000
_MOST_REPEATED = 200  # times: more is as good as without end
# Names that both give to the same kind; of all others gitleaks has its own
_SAME = {
    "generic-api-key": "assigned-secret",
    "jwt": "json-web-token",
    "curl-auth-user": "command-password",
}
# https://github.com/google/re2/wiki/Syntax
_POSIX = {
    "alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f", "word": r"\w", "space": r"\s", "punct": r"!-/:-@\[-`{-~",
}  # fmt: skip


def read_secret_rules(
    config: SecretsConfig, files: Mapping[str, bytes]
) -> tuple[SecretRules, tuple[str, ...]]:
    """The rules, and what of the files could not be used; `files` are those of the trusted side by
    their paths."""
    notices: list[str] = []
    rules = SecretRules(
        kinds=tuple(
            CustomKind(p.id, p.pattern, tuple(map(str.lower, p.keywords)), entropy=p.entropy)
            for p in config.patterns
        ),
        digests=frozenset(digest.removeprefix("sha256:") for digest in config.allow),
    )
    if data := files.get(GITLEAKS_CONFIG):
        rules = _with_gitleaks(rules, data, notices)
    places, known = set[tuple[str, int]](), set[tuple[str, str]]()
    if data := files.get(GITLEAKS_IGNORE):
        places.update(_ignored(data))
    if config.baseline:
        _read_baseline(config.baseline, files.get(config.baseline), places, known, notices)
    return SecretRules(
        rules.kinds, rules.digests, rules.allowances, frozenset(places), frozenset(known), rules.off
    ), tuple(notices)


def wrong_pattern(pattern: str) -> str:
    """Why a pattern cannot be used: it is none, or one that a hostile line keeps busy for hours."""
    try:
        tree = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error)
    return "a repetition within a repetition takes too long" if _repeats_repeat(tree, False) else ""


def _repeats_repeat(tree: Any, within: bool) -> bool:
    """An open repetition of what itself repeats without end."""
    for name, value in tree:
        if str(name) in ("MAX_REPEAT", "MIN_REPEAT"):
            _least, most, body = value
            is_open = most is _parser.MAXREPEAT or most > _MOST_REPEATED
            if (within and is_open) or _repeats_repeat(body, within or is_open):
                return True
        elif any(_repeats_repeat(part, within) for part in _parts(value)):
            return True
    return False


def _parts(value: Any) -> Iterator[Any]:
    """The patterns within a node."""
    if isinstance(value, _parser.SubPattern):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each)


def _with_gitleaks(rules: SecretRules, data: bytes, notices: list[str]) -> SecretRules:
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError("too large")
        document = load_toml(data, "TOML")
    except ValueError as error:
        notices.append(f"{GITLEAKS_CONFIG} is not used: {error}")
        return rules
    extend = _table(document.get("extend"))
    off = {_SAME.get(name, name) for name in _strings(extend.get("disabledRules"))}
    kinds, allowances = [*rules.kinds], [*rules.allowances]
    for table in (*_tables(document.get("allowlists")), *_tables(document.get("allowlist"))):
        allowances.append(_allowance(table, (), notices))
    for row in _tables(document.get("rules")):
        name = str(row.get("id", ""))
        own = (_SAME.get(name, name),)
        for table in (*_tables(row.get("allowlists")), *_tables(row.get("allowlist"))):
            allowances.append(_allowance(table, own, notices))
        if kind := _kind(row, own[0], notices):
            kinds.append(kind)
    return SecretRules(tuple(kinds), rules.digests, tuple(allowances), off=frozenset(off))


def _kind(row: Mapping[str, Any], name: str, notices: list[str]) -> CustomKind | None:
    pattern = row.get("regex")
    if not isinstance(pattern, str) or row.get("path"):
        if row.get("path") or not row.get("allowlists", row.get("allowlist")):
            notices.append(f"{GITLEAKS_CONFIG}: the rule {name!r} is not used: it asks for a path")
        return None
    translated = _python_pattern(pattern, f"the rule {name!r}", notices)
    if translated is None:
        return None
    group, entropy = row.get("secretGroup", 0), row.get("entropy", 0)
    groups = re.compile(translated).groups
    words = tuple(word.lower() for word in _strings(row.get("keywords")))
    at = group if isinstance(group, int) and 0 < group <= groups else min(1, groups)
    return CustomKind(
        name, translated, words, at, float(entropy) if isinstance(entropy, int | float) else 0.0
    )


def _allowance(table: Mapping[str, Any], kinds: tuple[str, ...], notices: list[str]) -> Allowance:
    patterns = [
        p
        for pattern in _strings(table.get("regexes"))
        if (p := _python_pattern(pattern, "an allow-list", notices)) is not None
    ]
    paths = [
        p
        for pattern in _strings(table.get("paths"))
        if (p := _python_pattern(pattern, "an allow-list", notices)) is not None
    ]
    of_line = table.get("regexTarget") in ("line", "match")
    own = (*kinds, *(_SAME.get(r, r) for r in _strings(table.get("targetRules"))))
    return Allowance(
        paths=tuple(paths),
        values=() if of_line else tuple(patterns),
        lines=tuple(patterns) if of_line else (),
        words=tuple(_strings(table.get("stopwords"))),
        commits=tuple(_strings(table.get("commits"))),
        all_of=str(table.get("condition", "OR")).upper() == "AND",
        kinds=own,
    )


def _python_pattern(pattern: str, what: str, notices: list[str]) -> str | None:
    """Go's syntax as Python's; None, with a notice, where it is none."""
    text = pattern.replace(r"\z", r"\Z")
    for name, letters in _POSIX.items():
        text = text.replace(f"[:{name}:]", letters)
    if "(?i)" in text[4:]:
        # https://docs.python.org/3/library/re.html: flags stand at the start, or belong to a group
        head, _flag, tail = (
            text.partition("(?i)") if not text.startswith("(?i)") else ("", "", text)
        )
        text = f"{head}(?i:{tail.replace('(?i)', '')})"
    why = wrong_pattern(text)
    if why:
        notices.append(f"{GITLEAKS_CONFIG}: {what} is not used: {why}")
        return None
    return text


def _ignored(data: bytes) -> Iterator[tuple[str, int]]:
    """Lines such as `path:rule:line` or `commit:path:rule:line`."""
    for row in data.decode("utf-8", "replace").splitlines():
        parts = row.partition("#")[0].strip().rsplit(":", 2)
        if len(parts) == 3 and parts[2].isdigit():
            path = re.sub(r"\A[0-9a-f]{40}:", "", parts[0])
            yield path, int(parts[2])


def _read_baseline(
    name: str,
    data: bytes | None,
    places: set[tuple[str, int]],
    known: set[tuple[str, str]],
    notices: list[str],
) -> None:
    """The findings of a report: by path and value, or by path and line where that is cut out."""
    try:
        rows = json.loads(data or b"")
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list):
        notices.append(f"secrets.baseline: {name} is not used: it is no JSON report of gitleaks")
        return
    for row in rows:
        found = row if isinstance(row, dict) else {}
        path, value, line = found.get("File"), found.get("Secret"), found.get("StartLine")
        if isinstance(path, str) and isinstance(value, str) and value not in ("", "REDACTED"):
            known.add((path, sha256_hex(value)))
        elif isinstance(path, str) and isinstance(line, int):
            places.add((path, line))


def _strings(value: object) -> list[str]:
    rows = value if isinstance(value, list) else []
    return [each for each in rows if isinstance(each, str)]


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> list[Mapping[str, Any]]:
    rows = value if isinstance(value, list) else [value]
    return [row for row in rows if isinstance(row, dict)]
