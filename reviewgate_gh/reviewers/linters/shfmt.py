"""shfmt: whether shell scripts parse, and their form where the project sets it. It prints errors on
standard error, one a line, and on standard output a patch, or the names of files of another form.

Its zsh is in part another one: of 358 files of a public collection that work, it cannot parse 30,
so that it is not asked about zsh.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...model.languages import interpreter
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "shfmt"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".editorconfig",)
DEFAULT_CONFIG: str | None = "shfmt-defaults.editorconfig"
ROWS = True
CLEAN_EXITS = (0, 1)  # 1 also for another form, which counts only where the project sets one
FOUND_EXITS = (1,)
STDERR = True
FILES = ("*.sh", "*.bash", "*.bats", "*.mksh")
SCRIPTS = ("Shell",)
LANGUAGES: tuple[str, ...] = ()  # grammar is no review
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

# https://github.com/mvdan/sh/blob/master/cmd/shfmt/shfmt.1.scd#examples
_OPTIONS = lazy_pattern(
    rb"(?m)^\s*(?:shell_variant|binary_next_line|switch_case_indent|space_redirects|keep_padding"
    rb"|function_next_line|simplify|minify)\s*="
)
_CERTAIN = (".bash", ".bats")  # the shell's name
_TEMPLATE = lazy_pattern(rb"(?m)^[^'\"#\n]*(?:(?<!\$)\{[{%]|<%)")
_ERROR = lazy_pattern(r"(.+?):(\d{1,9}):(\d{1,9}): (.+)")
# What another shell than the one that it takes for granted reads, and bytes, which all of them read
_OTHER_SHELL = lazy_pattern(r".* features?; tried parsing as .*|invalid UTF-8 encoding")
# What the shell itself first reads when it comes there
_EXPANDED = lazy_pattern(
    r".*\b(?:parameter name|expansion operators?|arithmetic operator|ternary operator"
    r"|followed by an expression)\b.*"
)
_ZSH = lazy_pattern(rb"\bzsh\b")
_NAMES = lazy_pattern(r"(?:[^\0]+\0)+")
_HUNK = lazy_pattern(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_HEADS = ("diff ", "--- ", "+++ ")
_NO_END = "\\ "  # No newline at end of file


_SHELLS = ("sh", "bash", "dash", "ash", "mksh", "bats")


def fits(path: str, head: bytes) -> bool:
    """Its `#!` line, where it has one, names one of the shells."""
    return not head.startswith(b"#!") or interpreter(head) in _SHELLS


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths. With a language named it looks for no settings
    (https://github.com/mvdan/sh/blob/master/cmd/shfmt/shfmt.1.scd#description)."""
    if config:  # it has no option for a file of settings
        return [program, *args, "--language-dialect=auto", "--list=0"]
    return [program, *args, "--diff", "--apply-ignore"]


def configures(path: str, data: bytes) -> bool:
    """Settings of the form of scripts; those of an editor ask for none."""
    return _OPTIONS.search(data) is not None


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings: a patch's hunks, then what does not parse.

    Raises:
        ValueError: not shfmt's output, or cut short.
    """
    rows = (line.decode("utf-8", "replace") for line in lines)
    path = ""
    for text in rows:
        if _NAMES.fullmatch(text):
            yield _shared.set_aside("shfmt", "scripts of another form than its own")
        elif not text.endswith("\n"):
            raise ValueError(f"not shfmt's output: {strict.one_line(text, 80)!r}")
        elif text.startswith(_HEADS):
            path = text[len(_HEADS[-1]) : -1] if text.startswith(_HEADS[-1]) else ""
        elif path and (hunk := _HUNK.fullmatch(text[:-1])):
            yield _other_form(path, *_changed_lines(hunk, rows))
        elif not (path and text.startswith(_NO_END)):
            yield _unparsed(text[:-1])


def _changed_lines(hunk: re.Match[str], rows: Iterator[str]) -> tuple[int, int]:
    """The first and the last line of the file that a hunk takes away or adds to, its rows read."""
    line, old, new = int(hunk[1]), int(hunk[2] or 1), int(hunk[3] or 1)
    changed = list[int]()
    while old > 0 or new > 0:
        text = next(rows, "")
        if text[:1] not in (" ", "-", "+", "\\") or not text.endswith("\n"):
            raise ValueError("not shfmt's output: a patch ends too early")
        if text[0] in "-+":
            changed.append(line - (text[0] == "+"))
        line += text[0] in " -"
        old -= text[0] in " -"
        new -= text[0] in " +"
    return max(1, min(changed, default=line)), max(1, max(changed, default=line))


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place, less where another program may be meant: a template engine, a shell
    that nobody names, or zsh behind a condition.

    Of 8,349 versions of scripts that commits brought, 35 do not parse by themselves, of which bash
    says the same.
    """
    if finding.priority is not Priority.P0:
        return finding
    data = read()
    shell = interpreter(data[:256]) if data.startswith(b"#!") else ""
    expanded = _EXPANDED.match(finding.title) is not None
    named = bool(shell) or finding.path.endswith(_CERTAIN)
    if _TEMPLATE.search(data) or (shell and shell not in _SHELLS):
        return replace(finding, priority=Priority.P3)
    if (expanded or not named) and _ZSH.search(data):
        return replace(finding, priority=Priority.P3)
    return replace(finding, priority=Priority.P2) if expanded or not named else finding


def _unparsed(text: str) -> Finding:
    found = _ERROR.fullmatch(text)
    if not found:
        raise ValueError(f"not shfmt's output: {strict.one_line(text, 80)!r}")
    path, line, column, message = found.groups()
    if _OTHER_SHELL.match(message):
        return _shared.left_out("shfmt", _shared.tool_path(path, "path"), message)
    return strict.tool_finding(
        "shfmt",
        "syntax",
        Priority.P0,
        _shared.tool_path(path, "path"),
        (int(line), int(line)),
        message,
        category="syntax",
        columns=(int(column), 0),
    )


def _other_form(path: str, first: int, last: int) -> Finding:
    return strict.tool_finding(
        "shfmt",
        "format",
        Priority.P3,
        _shared.tool_path(path, "path"),
        (first, last),
        "the script is not formatted as the project's settings say",
        category="style",
        body="`shfmt --write` formats it.",
    )
