"""shellcheck: sh, bash, dash and ksh scripts. It prints paths as given and one JSON document in
every case."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...model.languages import interpreter
from ...text.patterns import lazy_pattern
from ..imports import shellcheck_json1 as shellcheck_json1
from ._edits import Edit, with_edits
from ._weights import weight

PROGRAM = "shellcheck"
DEFAULT = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".shellcheckrc", "shellcheckrc")
DEFAULT_CONFIG: str | None = "shellcheckrc"
CLEAN_EXITS = (0,)
# https://github.com/koalaman/shellcheck/blob/master/shellcheck.1.md#return-values
FOUND_EXITS = (1,)
FILES = ("*.sh", "*.bash", "*.ksh", "*.dash")
ANY_CASE = True
SCRIPTS = ("Shell",)
LANGUAGES = ("Shell",)
INSTALL = "install it with `pip install 'reviewgate-gh[linters]'` or your system's package manager"

_ASSIGNS_BY_NAME = lazy_pattern(rb"\b(?:eval|printf[ \t]+-v|declare[ \t]+-n)\b")
_UNASSIGNED = "shellcheck/SC2154"
_CD, _CLASS = "shellcheck/SC2164", "shellcheck/SC2101"
_DECIDED_ELSEWHERE = (_UNASSIGNED, _CD)
# What does harm in another folder than the one that is meant
_DESTROYS = lazy_pattern(
    rb"\b(?:rm|mv|unlink|shred|truncate|rsync|chmod|chown)\b|-delete\b"
    rb"|\bgit[ \t]+(?:clean|reset|checkout)\b"
)
_LETTER_CLASS = lazy_pattern(rb"\[:[a-z]+:\]")
_READS_OTHERS = lazy_pattern(rb"(?m)(?:^|[;&|])[ \t]*(?:\.|source)[ \t]+[^ \t|;&]")
_EXPORTED = "shellcheck/SC2163"
_QUOTED_NAME = lazy_pattern(rb"""\bexport[ \t]+"\$(?:\w+|\{\w+\})"(?=[ \t]*(?:$|[;&|)#}]))""")
# https://www.shellcheck.net/wiki/SC1072: it stops there, and names what it was reading
_STOPPED, _BEGUN, _WITHIN = 1072, 1073, 1009
_MORE, _AGAIN = "Fix to allow more checks.", "Fix any mentioned problems and try again."


_SHELLS = ("sh", "bash", "dash", "ksh", "ash", "busybox")


def fits(path: str, head: bytes) -> bool:
    """Its `#!` line, where it has one, names one of the shells; zsh and fish are other
    languages."""
    return not head.startswith(b"#!") or interpreter(head) in _SHELLS


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--rcfile={config}"] if config else []
    return [program, *ours, *args, "--format=json1", "--color=never"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not json1, or cut short.
    """
    by_file = dict[str, list[shellcheck_json1.Comment]]()
    for row in shellcheck_json1.read_comments(b"".join(lines)):
        by_file.setdefault(row.file, []).append(row)
    return [_finding(row) for rows in by_file.values() for row in _once(rows)]


def _once(rows: Sequence[shellcheck_json1.Comment]) -> Iterator[shellcheck_json1.Comment]:
    """The remarks on a file; it says up to five times where it stopped reading, and why."""
    stop = next((row for row in rows if row.code == _STOPPED), None)
    if stop is None:
        yield from rows
        return
    begin = next((row for row in rows if row.code == _BEGUN), stop)
    told = [
        row
        for row in rows
        if row.code == _WITHIN
        or (row.level == "error" and row.code < 2000 and row.line in (begin.line, stop.line))
    ]
    message = begin.message.replace(_MORE, "").strip()
    if begin is not stop:
        message += f" Line {stop.line}: {stop.message.replace(_AGAIN, '').strip()}"
    yield replace(begin, message=message)
    yield from (row for row in rows if row not in told)


def _finding(row: shellcheck_json1.Comment) -> Finding:
    found = shellcheck_json1.finding_of(row)
    unlisted = Priority.P3 if row.level == "warning" else found.priority
    priority = weight("shellcheck", found.rule.partition("/")[2]) or unlisted
    edits = [
        Edit(each.line, each.column, each.end_line, each.end_column, each.replacement)
        for each in (row.fix.replacements if row.fix else ())
    ]
    return with_edits(replace(found, priority=priority), edits)


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place, where what else the script says may show that it does no harm."""
    if finding.rule not in (*_DECIDED_ELSEWHERE, _CLASS, _EXPORTED):
        return finding
    text = read()
    rows = text.split(b"\n")[max(0, finding.line_start - 1) :]
    return replace(finding, priority=Priority.P3) if _is_harmless(finding, text, rows) else finding


def _is_harmless(finding: Finding, text: bytes, rows: Sequence[bytes]) -> bool:
    """Another script may have assigned a variable, or set -e: one that it reads, or that reads it
    (it has no `#!` then). Who quotes what is exported wants the variable of that name; `rows` begin
    at the finding."""
    if finding.rule == _EXPORTED:
        return _QUOTED_NAME.search(rows[0]) is not None
    if finding.rule == _CLASS:
        return not _LETTER_CLASS.search(rows[0])
    if _READS_OTHERS.search(text):
        return True
    if finding.rule == _UNASSIGNED:
        return not text.startswith(b"#!") or _ASSIGNS_BY_NAME.search(text) is not None
    return not any(map(_DESTROYS.search, rows))
