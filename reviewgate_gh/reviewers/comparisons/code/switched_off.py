"""Protection that a setting gave, and that is switched off or no longer asked for."""

import re
from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_lock_file, without_packages
from .._guards import code_of, weigh_loss, weigh_new
from .._remark import ComparisonRule, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "Unless something else does its work, what it protected against is possible again. Restore "
    "it, or give the reason next to it.",
)
_HEADER = replace(
    _RULE,
    advice=("Browsers no longer refuse what it forbade. Send it, or name what sends it instead."),
)
_ON = lazy_pattern(
    r"\b(?:true|True|TRUE|[Oo]n|yes|enabled?|required)\b|(?<=[=:\s\"'])1(?=[\"'\s,;)]|$)"
)
_OFF = lazy_pattern(r"\b(?:false|False|FALSE|[Oo]ff|no|disabled?|none|0)\b")
_PROTECTS = lazy_pattern(
    r"(?i)http_?only|\bsecure|_secure|verif|[cx]srf|\bxss|no_?sniff|hsts|\b(?:ssl|tls)"
    r"|\bhttps(?![a-z])"
    r"|[_-](?:ssl|tls)"
    r"|\bsign(?:ed|atures?|ing)?\b|encrypt|\bauth(?!ors?\b)|_auth\b|protect(?!ed\s+[\w?])"
    r"|sandbox|isolat"
    r"|network_?polic|rbac\b|firewall|fail2ban|\baudit|\bmfa\b|captcha|integrity|checksum"
    r"|redact|mask_|rate_?limit|throttl"
)
# A switch whose own name says that it lets something through
_OPENS = lazy_pattern(
    r"(?i)(?:allow(?!list)|accept|permit|skip|ignore|disable|bypass|insecure"
    r"|unsafe)[\w-]*[^\w(),]*$"
)
# A switch whose own name says nothing
_PLAIN = lazy_pattern(r"(?i)^\s*(?:-\s*)?[\"']?(?:enabled?|create|active|use)[\"']?\s*[:=]")
LOCAL = lazy_pattern(
    r"(?i)(?:^|/)(?:examples?|ci|dev|local|demo)/|(?:^|[/._-])(?:dev|local(?=[/._-])|development"
    r"|debug|example|sample|demo|test\w*)(?:[/._-]|$)"
)
# What people read in a browser
_PAGES = lazy_pattern(r"\.(?:blade\.php|erb|twig|haml|slim|vue|jsx|tsx|hbs|ejs|s?css)$")
_OPTION = lazy_pattern(
    r",?\s*[\"']?\b(?:http_?[oO]nly|secure|same_?[sS]ite)[\"']?\s*(?:=>|[:=])\s*"
    r"(?:true|True|[:\"']*(?:[sS]trict|[lL]ax)[\"']?)"
)
_COOKIE = lazy_pattern(r"(?i)cookie|session")
_HEADERS = lazy_pattern(
    r"(?i)\b(?:Content-Security-Policy|X-Frame-Options|Strict-Transport-Security"
    r"|X-Content-Type-Options)\b"
)
_NEAR = 6  # lines
_FILTERS = lazy_pattern(r"(?i)filter_parameters|filtered_params|redact|sensitive_(?:keys|fields)")
_ATOM = lazy_pattern(r"[:\"']([A-Za-z_]\w*)")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and not (
            LOCAL.search(without_packages(file.path))
            or _PAGES.search(file.path)
            or is_lock_file(file.path)
        ):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if block.removed and block.added:
            yield from _flipped(file, block)
            yield from _option_lost(file, block)
            yield from _filters_lost(file, block)
    yield from _header_lost(sources, file)


def _flipped(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """The same line, with its switch the other way."""
    news = [(line, code_of(line.text).rstrip()) for line in block.added]
    off = {_without(code, found): line for line, code in news for found in _OFF.finditer(code)}
    for old in block.removed:
        code = code_of(old.text).rstrip()
        for found in _ON.finditer(code):
            new = off.get(_without(code, found))
            if new is None or _is_told(file, new) or not _protects(file, old, found):
                continue
            rule = weigh_new(_RULE, file, new)
            yield put(rule, file, new, "a protection is switched off", quoted(old.text))


def _without(code: str, switch: re.Match[str]) -> tuple[str, str]:
    """What stands before and behind the switch: each new line is looked up, as a block may have
    thousands of them."""
    return code[: switch.start()], code[switch.end() :]


def _protects(file: ComparedFile, line: Line, switch: re.Match[str]) -> bool:
    """By its name, or that of the section which it stands in."""
    named = _name_of(switch.string[: switch.start()])
    if _OPENS.search(named):
        return False
    if _PROTECTS.search(named):
        return True
    return _PLAIN.match(named) is not None and _PROTECTS.search(_section(file, line)) is not None


def _name_of(before: str) -> str:
    """What the switch is the value of, or stands behind among the arguments of a call."""
    parts = _PARTS.split(before)
    alone = len(parts) > 1 and not re.search(r"\w", parts[-1])
    return ",".join(parts[-2:]) if alone else parts[-1]


_PARTS = lazy_pattern(r"[,;{&|]|\s--")


def _section(file: ComparedFile, line: Line) -> str:
    """The header above, in the manner of INI or of YAML; for a file of jails its name says all."""
    depth = len(line.text) - len(line.text.lstrip())
    for row in reversed(file.base_rows[: line.number - 1]):
        if re.match(r"\s*\[[^\]]+\]\s*$", row):
            return f"{file.path} {row}"
        if (
            row.strip()
            and not row.lstrip().startswith("#")
            and len(row) - len(row.lstrip()) < depth
        ):
            return row
    return ""


def _is_told(file: ComparedFile, line: Line) -> bool:
    """Another comparison speaks of the line: it knows the tool that reads the file, or the name."""
    from ..additions.insecure import says_insecure
    from ..settings._guarding_settings import GUARDS

    return says_insecure(line.text) or any(re.search(each.paths, file.path) for each in GUARDS)


def _option_lost(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """A cookie is set as before, without what kept it safe."""
    asked = [line for line in block.removed if _OPTION.search(code_of(line.text))]
    news = {squeeze(_OPTION.sub("", code_of(line.text))): line for line in block.added if asked}
    for old in asked:
        new = news.get(squeeze(_OPTION.sub("", code_of(old.text))))
        rows = file.base_rows[max(0, old.number - _NEAR) : old.number + _NEAR]
        if (
            new is not None
            and len(_OPTION.findall(new.text)) < len(_OPTION.findall(old.text))
            and any(map(_COOKIE.search, rows))
        ):
            yield taken(_RULE, file, old, "a cookie loses its protection", quoted(new.text))


def _filters_lost(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """Names of secrets are no longer kept out of logs."""
    left = {name for new in block.added for name in _ATOM.findall(new.text)}
    for old in block.removed:
        names = {*_ATOM.findall(old.text)}
        if names <= left or names.isdisjoint(left):
            continue
        above = file.base_rows[old.number - 2] if old.number > 1 else ""
        if _FILTERS.search(f"{above} {code_of(old.text)}"):
            title = f"no longer kept out of logs: {', '.join(sorted(names - left))}"
            yield taken(_RULE, file, old, title, quoted(block.added[0].text))


# What sends all of them: https://helmetjs.github.io, https://secure.readthedocs.io
_SENDS_ALL = lazy_pattern(r"(?i)helmet|talisman|\bsecur(?:e|ity)_?headers?\b|set_?headers")


def _header_lost(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A header is sent nowhere in the file any more, and the change sends it nowhere else."""
    added = sources.added_rows
    for block in file.blocks:
        for line in block.removed:
            found = _HEADERS.search(code_of(line.text))
            if found is None or found[0].lower() in file.head.lower():
                continue
            if any(found[0].lower() in text.lower() or _SENDS_ALL.search(text) for text in added):
                continue
            rule = weigh_loss(_HEADER, file, block)
            yield taken(rule, file, line, f"a security header is no longer sent: {found[0]}")
            return
