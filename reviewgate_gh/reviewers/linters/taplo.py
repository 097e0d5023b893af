"""taplo: the form of TOML files, where the project sets it. It prints absolute paths, a drawing of
each error, and nothing for clean files.

Files that do not parse are found without it, by the gate's own check.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks.syntax import find_toml_error
from . import _shared

PROGRAM = "taplo"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".taplo.toml", "taplo.toml")
DEFAULT_CONFIG: str | None = None
ROWS = True
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
STDERR = True
ENVIRONMENT: Mapping[str, str] = {"RUST_LOG": "warn"}  # else it also tells what it does
FILES = ("*.toml",)
LANGUAGES: tuple[str, ...] = ()  # data is no code
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

_GLOB = lazy_pattern(r"[*?\[\]{}!\\%]")  # it also takes them for the paths of addresses
# https://taplo.tamasfe.dev/configuration/file.html
_FORMATTING = lazy_pattern(rb"(?m)^\s*(?:\[+\s*(?:rule\.)?formatting\b|formatting\b\s*[.=])")
_ERROR = lazy_pattern(r"error: (.+)")
_PLACE = lazy_pattern(r"\s*┌─ (.+):(\d{1,9}):(\d{1,9})")
_HEADS = ("diff a/", "--- a/", "+++ b/")  # of the patch of a file
# Its last words are sometimes lost where it ends with 1, so that nothing rests on them
_LOG = lazy_pattern(r"ERROR .*")
_TROUBLE = lazy_pattern(r" ?(?:WARN|INFO|DEBUG|TRACE) .*")


def fits(path: str, head: bytes) -> bool:
    """Its name would be none of a pattern's, which it takes names for."""
    return not _GLOB.search(path)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths: one that looks for no schema, which may lie in the network."""
    return [program, "format", "--check", "--diff", *args, "--colors=never"]


def configures(path: str, data: bytes) -> bool:
    """Settings of the form, at the top, where it runs; those of schemas alone ask for none."""
    return "/" not in path and _FORMATTING.search(data) is not None


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings: a patch of each file of another form, then what does not parse, the first error
    of each file alone, since those that follow come of it.

    Raises:
        ValueError: not taplo's output, or cut short.
    """
    *rows, rest = b"".join(lines).decode("utf-8", "replace").split("\n")
    if rest:
        raise _not_taplo(rest)
    broken, told, texts = set[str](), False, iter(rows)
    for text in texts:
        if text.startswith(_HEADS[0]):
            yield _unformatted(_head(next(texts, ""), next(texts, "")))
        elif error := _ERROR.fullmatch(text):
            found = _unparsed(next(texts, ""), error[1])
            yield _shared.set_aside("taplo", error[1]) if found.path in broken else found
            broken.add(found.path)
        elif _TROUBLE.fullmatch(text) or not (told or _LOG.fullmatch(text)):
            raise _not_taplo(text)
        told = True  # what follows is drawn


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; that taplo cannot read the TOML of today weighs little."""
    if finding.category == "syntax" and find_toml_error(read()) is None:
        return replace(finding, priority=Priority.P3, category="lint")
    return finding


def _not_taplo(text: str) -> ValueError:
    return ValueError(f"not taplo's output: {strict.one_line(text, 80)!r}")


def _head(old: str, new: str) -> str:
    if not (old.startswith(_HEADS[1]) and new.startswith(_HEADS[2])):
        raise _not_taplo(new or old)
    return new.removeprefix(_HEADS[2])


def _unparsed(drawn: str, message: str) -> Finding:
    place = _PLACE.fullmatch(drawn)
    if not place:
        raise _not_taplo(drawn or message)
    return strict.tool_finding(
        "taplo",
        "syntax",
        Priority.P0,
        _shared.tool_path(place[1], "path"),
        (int(place[2]), int(place[2])),
        message,
        category="syntax",
        columns=(int(place[3]), 0),
    )


def _unformatted(path: str) -> Finding:
    return strict.tool_finding(
        "taplo",
        "format",
        Priority.P3,
        _shared.tool_path(path, "path"),
        (0, 0),
        "the file is not formatted as the project's settings say",
        category="style",
        body="`taplo format` formats it.",
    )
