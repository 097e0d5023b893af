"""Which new lines may do what a refusal did: those that ask, assert, refuse or call something. What
only shows or keeps a value refuses nothing."""

from functools import lru_cache

from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._sources import ComparedFile, Line, squeeze

_MOST_ROWS = 8  # of a statement that is read as one
TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
# Messages for people, and figures for a monitor
_SHOWS = lazy_pattern(
    r"^\s*(?:await\s+)?(?:[\w$@]+(?:\(\w*\))?(?:\.|::|->))*"
    r"(?:_?(?:[lL]og(?:g(?:er|ing))?|LOG(?:GER)?|slog|tracing|console|[mM]etrics?|statsd|[tT]imber"
    r"|Debug|telemetry|[cC]ounter|[hH]istogram|[gG]auge)(?:\(\w*\))?(?:\.|::|->)\w+"
    r"|e?print(?:ln|f|k)?|[pP]rintln|[pP]rintf|dbg|puts|echo|NSLog|os_log|syslog|error_log"
    r"|warn(?:ing)?|info|debug|trace|log\w*|Log[A-Z]\w*|Write(?:Line|-Host))\b(?:[!(\s]|$)"
    r"|^\s*(?:std::)?f?printf\(|^\s*fmt\.F?[pP]rint\w*\(|^\s*std::c(?:err|out|log)\b"
)
_LEAVES = lazy_pattern(r"(?i)\b(?:fatal|panic|exit|die|abort|critical)\w*\b")
_DECIDES = lazy_pattern(
    r"(?i)\b(?:if|unless|guard|elif|case|when|match|switch|assert|raise|throw|panic|abort|halt"
    r"|try(?!\s+await)|catch"
    r"|except|rescue|\w*(?:valid|check|ensure|require|verif|clamp|limit|refuse|reject)\w*)\b|[?!]\."
)
# What tells the size of a value, or writes it otherwise
_TELLS = lazy_pattern(
    r"(?:\b(?:len|str|format|sizeof|count|String)!?|\.(?:len|length|size|count|clone|to_string"
    r"|toString|to_owned|ToString|as_str|copy))\("
)
# What only puts a value into a list, unless that is one of what is wrong
_OF_WRONG = r"[\w.]*(?i:err|problem|issue|violat|invalid|fail|warn|messag|reason)"
_COLLECTS = lazy_pattern(
    rf"\bappend\((?!\s*{_OF_WRONG})|(?<![\w.])(?!{_OF_WRONG})[\w.]+\.(?:append|push|push_back)\("
)
# A call, a comparison, a choice, an annotation, a cut
_ASKS = lazy_pattern(
    r"[\w>]!?\(|[<>&|?%]|[!=]=|^\s*(?:@|#?\[)|\[[^\]]*(?::|\.\.)"
    r"|^\s*[a-z_][\w.]*[?!]?\s+[\w:\"@]+\s*,"
)


def only_shows(file: ComparedFile, line: Line) -> bool:
    """The line of the head belongs to a statement that writes a message or a figure, and goes
    on."""
    return shows(_statement(file, line))


def shows(text: str) -> bool:
    """The statement is a message or a figure."""
    return _SHOWS.match(text) is not None and not _LEAVES.search(TEXT.sub("", text))


def may_decide(file: ComparedFile, line: Line) -> bool:
    """The statement of the line of the head, wherever it is, may refuse or bound a value."""
    if only_shows(file, line) or _only_loads_more(file, line):
        return False
    text = TEXT.sub('""', _statement(file, line))
    bare = _COLLECTS.sub(" ", _TELLS.sub(" ", text))
    return bool(_DECIDES.search(text) or _ASKS.search(bare))


# What else a query loads at once: https://laravel.com/docs/eloquent-relationships#eager-loading,
# https://docs.djangoproject.com/en/stable/ref/models/querysets/#select-related,
# https://guides.rubyonrails.org/active_record_querying.html#eager-loading-associations
_LOADS = lazy_pattern(
    r"(?<=::|->)with(?:Count)?\([^()]*\)->"
    r"|\.(?:select_related|prefetch_related|includes|preload|eager_load)\([^()]*\)(?=\.)"
)


def _only_loads_more(file: ComparedFile, line: Line) -> bool:
    """The query of the base, which finds the same as before."""
    if not _LOADS.search(line.text):
        return False
    bare = squeeze(_LOADS.sub("", line.text))
    return bool(bare) and bare in _without_loads(file)


@lru_cache(4)  # asked for line by line
def _without_loads(file: ComparedFile) -> frozenset[str]:
    return frozenset(squeeze(_LOADS.sub("", old.text)) for old in file.removed)


def decides(file: ComparedFile, line: Line) -> bool:
    """It does so by the words of its line, whatever value it is about."""
    return _DECIDES.search(line.text) is not None and not only_shows(file, line)


def _statement(file: ComparedFile, line: Line) -> str:
    rows = file.head_code.rows(line.number)
    if len(rows) > _MOST_ROWS:
        return code_of(line.text)
    return " ".join(code_of(file.head_rows[at - 1]) for at in rows)
