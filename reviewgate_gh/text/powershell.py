"""PowerShell: operators of other languages, and downloads that are run as they come."""

from .brackets import without_texts
from .patterns import lazy_pattern

_CONDITION = lazy_pattern(r"(?im)(?:^|[;{}])[ \t]*(?:if|elseif|while|until)[ \t]*\(")
# https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_operators
_FOREIGN = lazy_pattern(r"[\w)\]}][ \t]*(?P<word>[=!]==?)(?![=>])")
_BRACKETS = lazy_pattern(r"[()]")
_LONGEST = 2_000  # characters of a condition
_DOWNLOAD = (
    r"(?:Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|\bcurl\b|\bwget\b|DownloadString)"
)
_SAVED = lazy_pattern(rf"(?im)^[ \t]*\$(?P<name>\w+)[ \t]*=[^\n]*{_DOWNLOAD}[^\n]*")
_RUN = lazy_pattern(
    r"(?i)(?:\bInvoke-Expression\b|\biex\b)(?:[ \t]+-Command)?[ \t]*(?:\([ \t]*)?\$(?P<name>\w+)"
    r"|\$(?P<piped>\w+)(?:\.Content)?[ \t]*\|[ \t]*(?:Invoke-Expression|iex)\b"
)


def find_foreign_operator(text: str) -> int:
    """The line of the first `==` or `!=` in a condition (PowerShell says `-eq`, `-ne`); 0 if
    there is none."""
    bare = without_texts("PowerShell", text)
    for found in _CONDITION.finditer(bare):
        end = _closing(bare, found.end())
        odd = _FOREIGN.search(bare, found.end(), end)
        if odd:
            return bare.count("\n", 0, odd.start("word")) + 1
    return 0


def find_run_download(text: str) -> list[int]:
    """The lines that run what the file has downloaded into a variable."""
    saved = {found["name"].lower() for found in _SAVED.finditer(text)}
    return [
        number
        for number, row in enumerate(text.split("\n"), 1)
        for found in _RUN.finditer(row)
        if (found["name"] or found["piped"]).lower() in saved
    ]


def _closing(text: str, start: int) -> int:
    """Where the bracket before is closed; the start where it is not."""
    depth = 1
    for bracket in _BRACKETS.finditer(text, start, start + _LONGEST):
        depth += 1 if bracket[0] == "(" else -1
        if not depth:
            return bracket.start()
    return start
