"""Time limits that are gone from calls that stay."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, same_but_for, surroundings_stay, weigh_loss
from .._remark import ComparisonRule, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze

EVERY_FILE = False
_TIMEOUT = ComparisonRule(
    "timeout-removed",
    Priority.P2,
    "A peer that does not answer can now hold this call, and whoever waits for it, for ever. Keep "
    "a limit.",
)
_LIMIT = lazy_pattern(
    r"(?:[,(]\s*)?\b(?:\w*[Tt]imeout\w*|TIMEOUT\w*|deadline)\b\s*(?:=(?!=)|:(?!:)|=>)\s*"
    r"(?:[\w.]+(?:\([^()]*\))?|\([^()]*\))(?:\s*\*\s*[\w.]+)*,?"
    r"|\.(?:timeout|(?:call|connect|connection|read|write|request|response)Timeout"
    r"|set\w*Timeout|with\w*Timeout)\([^()]*(?:\([^()]*\))?[^()]*\)"
    # https://www.php.net/manual/en/function.curl-setopt.php
    r"|\bcurl_setopt\([^,]+,\s*CURLOPT_(?:CONNECT)?TIMEOUT(?:_MS)?\s*,[^()]*\)"
    r"|(?:,\s*)?\{?\s*\bsignal\s*:\s*AbortSignal\.timeout\([^()]*\)\s*,?\s*\}?"
)
# https://pkg.go.dev/context#WithTimeout
_BOUND = lazy_pattern(r"^\s*(?P<name>\w+)\s*,\s*\w+\s*:?=\s*context\.With(?:Timeout|Deadline)\(")
_UNBOUND = lazy_pattern(
    r"^\s*(?P<name>\w+)\s*(?:,\s*\w+\s*)?:?=\s*(?:context\.(?:Background|TODO|WithCancel)\("
    r"|\w+\.Context\(\)|[cC]tx\b|parent\w*\s*$)"
)
_NO_LIMIT = lazy_pattern(
    r"\b(\w*[Tt]imeout\w*)\b\s*(?:=(?!=)|:|=>)\s*(?:None|null|nil|0|-1|undefined|Infinity"
    r"|Duration\.ZERO|:infinity)\b(?![.\w])"
)
_SOME_LIMIT = lazy_pattern(r"\b(\w*[Tt]imeout\w*)\b\s*(?:=(?!=)|:|=>)\s*[\w.(]")
# The field of a record that another one gave: data, which limits nothing here
_COPIED = lazy_pattern(
    r"\b\w*[Tt]imeout\w*\b\s*[:=]\s*(?!(?:self|this|config|settings|options|opts|cfg|conf|args)\b)"
    r"\w+\.\w*[Tt]imeout\w*\s*[,;)]?\s*$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding a file."""
    for file in sources.files:
        if file.is_product and not (file.is_gone or file.is_new):
            yield from _in_file(sources, file)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not file.mentions(
        b"imeout", b"TIMEOUT", b"eadline", b"Context(", b"oken", b"cancel", b"ct)"
    ):
        return
    for block in file.blocks:
        old, new = joined(block.removed), joined(block.added)
        if bound := _unbound(sources, file, block):
            title = "a time limit is taken away"
            yield taken(weigh_loss(_TIMEOUT, file, block), file, bound, title, quoted(new))
            return
        if found := _uncancelled(block):
            line, now = found
            title = "a call can no longer be cancelled"
            yield taken(weigh_loss(_TIMEOUT, file, block), file, line, title, quoted(now.text))
            return
        unset = next((line for line in block.removed if _no_longer_set(file, block, line)), None)
        unset = unset or _unwrapped(block) or _plain_server(block)
        if unset and not _is_set_elsewhere(sources):
            title = "a time limit is taken away"
            yield taken(
                weigh_loss(_TIMEOUT, file, block),
                file,
                unset,
                title,
                quoted(new) if new.strip() else "",
            )
            return
        line = next((line for line in block.removed if _LIMIT.search(code_of(line.text))), None)
        if line is None:
            continue
        if _is_reworked(sources, block, line):
            continue
        same = _same_call(file, block, old, new) or _is_called_without(block, line)
        if _LIMIT.search(old) and not _LIMIT.search(new) and same:
            title = "a time limit is taken away"
            rule = weigh_loss(_TIMEOUT, file, block)
            yield taken(rule, file, line, title, quoted(new) if new.strip() else "")
            return
        off = next((each for each in block.added if _NO_LIMIT.search(code_of(each.text))), None)
        if off and _SOME_LIMIT.search(old) and not (_NO_LIMIT.search(old) or _COPIED.search(old)):
            rule = weigh_loss(_TIMEOUT, file, block)
            yield put(rule, file, off, "a time limit is switched off", quoted(line.text))
            return


def _is_set_elsewhere(sources: ComparisonInput) -> bool:
    """The change sets some limit: this one may have moved there."""
    return any(_ANY.search(row) for row in sources.added_rows)


_ANY = lazy_pattern(r"(?i)^(?!\s*\(void\)).*(?:timeout|deadline|time_limit)")
# https://pkg.go.dev/net/http#ListenAndServe has no limits
_SERVES = lazy_pattern(r"\bhttp\.(?:ListenAndServe|Serve)(?:TLS)?\(")
_SERVER = lazy_pattern(r"\bhttp\.Server\{")


def _goes_on(file: ComparedFile, block: Block, name: str) -> bool:
    """Only the limit is gone, and the context that it was made of is used as before."""
    unit = file.base_code.unit(block.removed[0].number)
    alone = all(_OF_BOUND.match(line.text) for line in block.removed)
    return (
        alone
        and not block.added
        and any(
            has_word(row, name) and file.head_code.unit(number) == unit
            for number, row in enumerate(file.head_rows, 1)
        )
    )


_OF_BOUND = lazy_pattern(r"\s*(?:$|defer\s+\w+\(\)|.*\bcontext\.With(?:Timeout|Deadline)\()")


def _unbound(sources: ComparisonInput, file: ComparedFile, block: Block) -> Line | None:
    """Go: the line that gave a context its deadline, where one without it takes its place."""
    for line in block.removed:
        bound = _BOUND.match(line.text)
        if bound and not any(
            _BOUND.match(new.text) for file in sources.files for new in file.added
        ):
            news = (_UNBOUND.match(new.text) for new in block.added)
            unbound = any(new and new["name"] == bound["name"] for new in news)
            return line if unbound or _goes_on(file, block, bound["name"]) else None
    return None


def _is_reworked(sources: ComparisonInput, block: Block, line: Line) -> bool:
    """The same limit goes, or comes, at other places as well: its parameter is renamed or moved."""
    found = _LIMIT.search(code_of(line.text))
    key = re.search(r"\w*(?:timeout|deadline)\w*", found[0] if found else "", re.I)
    return key is not None and any(
        has_word(other.text, key[0])
        for file in sources.files
        for each in file.blocks
        if each is not block and file.is_product
        for other in (*each.removed, *each.added)
    )


# A property of something that stays, a call that only sets it
_SETS = lazy_pattern(
    r"^\s*(?:[\w$@]+(?:\.|->|::))+(?:set_?)?\w*(?:[tT]imeout|[dD]eadline)\w*\s*(?:=(?!=)|\()"
    r"|^\s*if err := \w+\.Set\w*Deadline\("
    r"|^\s*curl_easy_setopt\([^,]+,\s*CURLOPT_(?:CONNECT)?TIMEOUT\w*\s*,"
    # https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_read_timeout
    r"|^\s*(?:proxy|fastcgi|uwsgi|client|send|keepalive)_\w*timeout\s+\d"
)
# https://kotlinlang.org/api/kotlinx.coroutines/kotlinx-coroutines-core/kotlinx.coroutines/with-timeout.html
# https://docs.python.org/3/library/asyncio-task.html#asyncio.wait_for
_AROUND = lazy_pattern(
    r"\b(?:withTimeout(?:OrNull)?\([^()]*\)\s*\{\s*(?P<body>.+?)\s*\}"
    r"|(?:asyncio\.)?wait_for\((?P<first>.+?),\s*(?:timeout\s*=\s*)?[\w.]+\))\s*;?\s*$"
)
_CALLED = lazy_pattern(r"(?P<name>(?:&|new\s+)?[\w.:]+)\s*[({]\s*(?P<first>[^,(){}]*)")


def _no_longer_set(file: ComparedFile, block: Block, line: Line) -> bool:
    """The statement that set the limit of something that is still used is gone."""
    code = code_of(line.text)
    found = _SETS.match(code)
    owner = re.match(r"\s*(?:if err := )?([\w$@]+)", code)
    alone = not any(line.text.strip() for line in block.added)
    return bool(
        found
        and alone
        and surroundings_stay(file, line)
        and (owner is None or "_timeout" in found[0] or has_word(file.head, owner[1].strip("@$")))
    )


def _unwrapped(block: Block) -> Line | None:
    """The call that ran within a limit runs without one."""
    news = {squeeze(code_of(line.text)) for line in block.added}
    for line in block.removed:
        code = code_of(line.text)
        found = _AROUND.search(code)
        inner = (found["body"] or found["first"]) if found else ""
        if found and squeeze(code[: found.start()] + inner) in news:
            return line
    return None


def _plain_server(block: Block) -> Line | None:
    """Go: a server with limits becomes the one of the library without."""
    served = any(_SERVES.search(code_of(line.text)) for line in block.added)
    made = any(_SERVER.search(code_of(line.text)) for line in block.removed)
    limits = (line for line in block.removed if re.search(r"\b\w*Timeout:", code_of(line.text)))
    return next(limits, None) if served and made else None


# https://learn.microsoft.com/dotnet/standard/threading/cancellation-in-managed-threads
_TOKEN = lazy_pattern(r",\s*(?:\w*[cC]ancellationToken|cancel\w*|token|ct|stoppingToken)(?=\s*\))")
# https://pkg.go.dev/net/http#NewRequestWithContext
_CONTEXT = lazy_pattern(r"(?<=\w)(?:WithContext|Context)\(\s*\w*[cC]tx\w*\s*,\s*")


def _uncancelled(block: Block) -> tuple[Line, Line] | None:
    """The same call, without what ends it when nobody waits any more."""
    news = {squeeze(code_of(line.text)): line for line in block.added}
    for line in block.removed:
        code = code_of(line.text)
        bare = {squeeze(_CONTEXT.sub("(", code))}
        if "Async(" in code or "await " in code:
            bare.add(squeeze(_TOKEN.sub("", code)))
        for new in bare - {squeeze(code)}:
            if new in news:
                return line, news[new]
    return None


def _is_called_without(block: Block, line: Line) -> bool:
    """The same thing is called with the same first argument, and with other ones than a limit."""
    code = code_of(line.text)
    limit = _LIMIT.search(code)
    calls = [found for found in _CALLED.finditer(code) if limit and found.start() < limit.start()]
    if not calls or len(block.removed) != len(block.added):
        return False
    call = calls[-1]
    first = squeeze(_LIMIT.sub("", call["first"]))
    if limit and call.start("first") <= limit.start() < call.end("first") + 1:
        first = ""
    return any(
        squeeze(new["name"]) == squeeze(call["name"]) and squeeze(new["first"]).startswith(first)
        for added in block.added
        for new in _CALLED.finditer(code_of(added.text))
    )


def _bare(text: str) -> str:
    """Without the brackets of a list of properties that may be empty: C#'s `new Client { ... }`."""
    limit = _LIMIT.sub("", text)
    return re.sub(r"\(\s*\)|\{\s*\}", "", limit) if limit != text else re.sub(r"\(\s*\)", "", text)


def _same_call(file: ComparedFile, block: Block, old: str, new: str) -> bool:
    """The call is as it was but for the limit; or a line that holds nothing else is gone from the
    arguments of one."""
    if new.strip():
        return same_but_for(_bare(old), _bare(new), _LIMIT)
    if block.removed[0].text.lstrip().startswith("curl_setopt"):
        return len(block.removed) == 1 and surroundings_stay(file, block.removed[0])
    alone = all(not re.sub(r"[\s,]+", "", _LIMIT.sub("", line.text)) for line in block.removed)
    first = block.removed[0]
    one_of_many = (
        len(file.base_code.rows(first.number)) > 1
        or first.text.lstrip().startswith(".")  # a call of a chain
        or joined(block.removed).rstrip().endswith(",")
    )
    return alone and one_of_many and surroundings_stay(file, block.removed[0])
