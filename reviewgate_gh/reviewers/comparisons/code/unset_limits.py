"""Time limits that a statement of its own set, or a call around another one, and that are gone; and
calls that can no longer be cancelled."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, surroundings_stay, weigh_loss
from .._remark import quoted, taken
from .._replacing import replacing_lines
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .time_limits import RULE

EVERY_FILE = False
_WORDS = (b"imeout", b"TIMEOUT", b"eadline", b"Context(", b"oken", b"cancel", b"ct)", b"wait_for")
# A property of something that stays, a call that only sets it
_SETS = lazy_pattern(
    r"^\s*(?:[\w$@]+(?:\.|->|::))+(?:set_?)?\w*(?:[tT]imeout|[dD]eadline)\w*\s*(?:=(?!=)|\()"
    r"|^\s*if err := \w+\.Set\w*Deadline\("
    r"|^\s*curl_easy_setopt\([^,]+,\s*CURLOPT_(?:CONNECT)?TIMEOUT\w*\s*,"
    # https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_read_timeout
    r"|^\s*(?:proxy|fastcgi|uwsgi|client|send|keepalive|default)_\w*timeout\s+\d"
    # https://docs.haproxy.org/3.0/configuration.html#4.2-timeout%20client
    r"|^\s*timeout\s+(?:client|server|connect|queue|check|http-request|tunnel)\s+\d"
    # https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-STATEMENT-TIMEOUT
    r"|(?i:^\s*SET\s+(?:LOCAL\s+|SESSION\s+)?(?P<sql>\w*_timeout)\s*(?:=|\s+TO\b))"
)
# What is done later, and what is no limit
_TIMER = lazy_pattern(
    r"\b(?:set|clear)(?:Timeout|Interval)\(|=\s*(?:None|null|nil|undefined|0|-1)\s*(?:;\s*)?$"
    r"|[tT]imeout\w*\(\s*(?:None|null|0)?\s*\)"
)
# It only gives the limit that is set another form: `v.timeout = v.timeout.value`
OF_ITSELF = lazy_pattern(
    r"\s*(?P<limit>[\w$@.]+)\s*=\s*(?:[\w.]+\(\s*)?(?P=limit)(?![\w$])[^|?&,\n]*$"
)
# https://kotlinlang.org/api/kotlinx.coroutines/kotlinx-coroutines-core/kotlinx.coroutines/with-timeout.html
# https://docs.python.org/3/library/asyncio-task.html#asyncio.wait_for
_AROUND = lazy_pattern(
    r"\b(?:(?:withTimeout(?:OrNull)?|Timeout\.timeout)\([^()]*\)\s*\{\s*(?P<body>.+?)\s*\}"
    # https://docs.rs/tokio/latest/tokio/time/fn.timeout.html
    r"|(?:tokio::)?(?:time::)?timeout\((?:[\w:]+\([^()]*\)"
    r"|[\w.:]+),\s*(?P<future>.+)\)\.await\?(?=\?)"
    r"|(?:asyncio\.)?wait_for\((?P<first>.+?),\s*(?:timeout\s*=\s*)?[\w.]+\))(?=\?|\s*(?:;\s*)?$)"
)
# https://learn.microsoft.com/dotnet/standard/threading/cancellation-in-managed-threads
_TOKEN = lazy_pattern(r",\s*(?:\w*[cC]ancellationToken|cancel\w*|stoppingToken)(?=\s*\))")
# By these names .NET alone means one: elsewhere a token says who asks
_TOKEN_OF_NET = lazy_pattern(
    r",\s*(?:\w*[cC]ancellationToken|cancel\w*|token|ct|stoppingToken)(?=\s*\))"
)
# https://pkg.go.dev/net/http#NewRequestWithContext
_CONTEXT = lazy_pattern(r"(?<=\w)(?:WithContext|Context)\(\s*\w*[cC]tx\w*\s*,\s*")
_ANY = lazy_pattern(r"(?i)^(?!\s*\(void\)).*(?:timeout|deadline|time_limit)")
# https://pkg.go.dev/net/http#ListenAndServe has no limits
_SERVES = lazy_pattern(r"\bhttp\.(?:ListenAndServe|Serve)(?:TLS)?\(")
_SERVER = lazy_pattern(r"\bhttp\.Server\{")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_product and not (file.is_gone or file.is_new) and file.mentions(*_WORDS):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        now = joined(block.added)
        line = _uncancelled(file, block)
        if line and not _is_handed_on(sources, block):
            title = "a call can no longer be cancelled"
            yield taken(weigh_loss(RULE, file, block), file, line, title, quoted(now))
        lines = (line for line in block.removed if _no_longer_set(file, block, line))
        unset = next(lines, None) or _unwrapped(block) or _plain_server(block)
        if unset and not _is_set_elsewhere(sources, file, unset):
            after = quoted(now) if now.strip() else ""
            title = "a time limit is removed"
            yield taken(weigh_loss(RULE, file, block), file, unset, title, after)


def _uncancelled(file: ComparedFile, block: Block) -> Line | None:
    """The same call, without what ends it when nobody waits any more; a limit of its own is
    another end."""
    if any(_ANY.search(code_of(line.text)) for line in block.added):
        return None
    news = {squeeze(code_of(line.text)) for line in block.added}
    for line in block.removed:
        code = code_of(line.text)
        bare = {squeeze(_CONTEXT.sub("(", code))}
        if "Async(" in code or "await " in code:
            token = _TOKEN_OF_NET if file.path.endswith((".cs", ".fs", ".vb")) else _TOKEN
            bare.add(squeeze(token.sub("", code)))
        if news & (bare - {squeeze(code)}):
            return line
    return None


def _is_handed_on(sources: ComparisonInput, block: Block) -> bool:
    """Other new code takes what ends a call: it may end this one."""
    here = {line.text for line in block.added}
    return any(
        _ENDS.search(code_of(line.text)) and line.text not in here
        for file in sources.files
        if file.is_product
        for line in file.added
        if squeeze(line.text) not in sources.removed_statements
    )


_ENDS = lazy_pattern(r"\b(?:ctx|[cC]ancell?ationToken)\b")


def _plain_server(block: Block) -> Line | None:
    """Go: a server with limits becomes the one of the library without."""
    served = any(_SERVES.search(code_of(line.text)) for line in block.added)
    made = any(_SERVER.search(code_of(line.text)) for line in block.removed)
    limits = (line for line in block.removed if re.search(r"\b\w*Timeout:", code_of(line.text)))
    return next(limits, None) if served and made else None


def _unwrapped(block: Block) -> Line | None:
    """The call that ran within a limit runs without one."""
    news = {squeeze(code_of(line.text)) for line in block.added}
    for line in block.removed:
        code = code_of(line.text)
        found = _AROUND.search(code)
        inner = next(filter(None, found.groups()), "") if found else ""
        inner = f"{inner}.await" if found and found["future"] else inner
        tail = code[found.end() :] if found and found["future"] else ""
        if found and squeeze(code[: found.start()] + inner + tail) in news:
            return line
    return None


def _no_longer_set(file: ComparedFile, block: Block, line: Line) -> bool:
    """The statement that set the limit of something that is still used is gone."""
    code = code_of(line.text)
    found = None if _TIMER.search(code) or OF_ITSELF.match(code) else _SETS.match(code)
    owner = re.match(r"\s*(?:if err := )?([\w$@]+)", code)
    alone = not any(line.text.strip() for line in block.added)
    return bool(
        found
        and alone
        and not _is_conditional(block, line)
        and not _goes_with_reader(file, line, found[0])
        and not stands_twice(file, line)
        and surroundings_stay(file, line)
        and (
            owner is None
            or re.search(r"_timeout|timeout ", found[0])
            or has_word(file.head, owner[1].strip("@$"))
        )
    )


def stands_twice(file: ComparedFile, line: Line) -> bool:
    """The definition says the same once more, and goes on saying it."""
    unit, bare = file.base_code.unit(line.number), squeeze(line.text)
    return any(
        squeeze(row) == bare and file.head_code.unit(number) == unit
        for number, row in enumerate(file.head_rows, 1)
    )


def _goes_with_reader(file: ComparedFile, line: Line, target: str) -> bool:
    """What read the property goes as well, and nothing has it now."""
    name = re.findall(r"\w+", target)[-1]
    return not has_word(file.head, name) and any(
        has_word(old.text, name) for old in file.removed if old.number != line.number
    )


def _is_conditional(block: Block, line: Line) -> bool:
    """What the line stood in goes as well, such as a branch for an option: there need not have been
    a limit."""
    return any(
        old.number < line.number and old.text.strip() and _depth(old.text) < _depth(line.text)
        for old in block.removed
    )


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_set_elsewhere(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """The change sets some limit: this one may have moved there."""
    return any(_ANY.search(new.text) for _file, new in replacing_lines(sources, file, line))
