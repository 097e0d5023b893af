"""javac: Java as the compiler reads it, file by file, without what it depends on. It prints paths
as given and its own texts, on standard error.

Half of what it says then is about classes that it was not given: what counts is a list.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "javac"
DEFAULT = False
WHEN_INSTALLED = True
STDERR = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # annotation processors and plug-ins
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = None
ROWS = True
CLEAN_EXITS = (0, 1)
# https://docs.oracle.com/en/java/javase/21/docs/specs/man/javac.html#exit-status
FOUND_EXITS = (1,)
FILES = ("*.java",)
LANGUAGES = ("Java",)
VERSION = ("--version",)
INSTALL = "install a JDK"

_NOT_CLASSES = ("module-info.java", "package-info.java")
_EMPTY = "/var/empty/reviewgate-gh"  # a folder of classes that is not there
# What follows a message in lines of its own is indented
_ROW = lazy_pattern(
    r"(?P<path>[^\t]*)\t(?P<line>\d{1,9})\t\[?(?P<lint>[\w-]*)\]? ?\t(?P<words>.*)"
    r"| +\S.*|\d+ (?:error|warning)s?"
)
# The JDK here is older than the code: nothing that it says of the file's syntax is certain.
# https://openjdk.org/jeps/12
_NEWER = lazy_pattern(
    r".*(?: is a preview feature| are a preview feature|not supported in -source|as of release \d)"
)
_DUPLICATE = "duplicate class: "
_BASIC = r"(?:boolean|byte|char|short|int|long|float|double|String|Integer|Long|Boolean|Double)"
# The parser's own; "lambda expression not expected here" is about a class that it does not know
_SYNTAX = lazy_pattern(
    r".* expected$|illegal start of |unclosed |reached end of file while parsing|not a statement"
    r"|illegal character|'(?:else|catch|finally)' without |class, interface|orphaned |malformed "
)
# What no class that is missing can cause; compiled when there is Java
_CERTAIN = (
    r"(?P<missing_return>missing return (?:statement|value))"
    rf"|(?P<incompatible_types>incompatible types: (?:{_BASIC} cannot be converted to {_BASIC}$"
    r"|unexpected return value|missing return value|possible lossy conversion))"
    r"|(?P<uninitialized>variable \w+ might (?:not have been initialized|already have been))"
    r"|(?P<unreachable>unreachable statement)"
    r"|(?P<already_defined>variable \w+ is already defined in)"
    r"|(?P<final_assigned>cannot assign a value to (?:static )?final variable)"
    r"|(?P<duplicate_label>duplicate (?:case|default) label)"
    r"|(?P<outside>(?:break|continue) outside (?:of )?(?:switch|loop)|return outside method)"
)
_LINTS = ("divzero", "empty", "finally")


def fits(path: str, head: bytes) -> bool:
    """It holds classes."""
    return _shared.base_name(path) not in _NOT_CLASSES


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths: it looks for no class beside the files, runs no processor, writes
    nothing, and reads on after errors (`should-stop`)."""
    return [program, "-J-Duser.language=en", "-J-Duser.country=US", "-J-XX:TieredStopAtLevel=1",
            *args, "-proc:none", "-implicit:none", "-encoding", "UTF-8",
            "-classpath", _EMPTY, "-sourcepath", _EMPTY, "-Xmaxerrs", "100000",
            "-Xmaxwarns", "100000", f"-Xlint:{','.join(_LINTS)}",
            "-XDshould-stop.ifError=FLOW", "-XDshould-stop.ifNoError=FLOW",
            "-XDdiags.formatterOptions=-source",
            "-XDdiags.layout=%f\t%l\t%L\t%t%m|-\t0\t%L\t%t%m"]  # fmt: skip


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: a line that is not one of javac's.
    """
    rows = [
        row for row in _shared.text_rows(lines, _ROW, "javac") if row["path"] not in (None, "-")
    ]
    newer = {row["path"] for row in rows if _NEWER.match(row["words"])}
    for row in rows:
        path, words = row["path"], row["words"]
        if path in newer or words.startswith(_DUPLICATE):
            # A second class of that name it does not read at all
            yield _shared.left_out("javac", _shared.tool_path(path, "file"), words)
        elif weight := _weight(row["lint"], words):
            yield _finding(row, *weight)
        else:
            yield _shared.set_aside("javac", words)


def spared(finding: Finding) -> bool:
    """Warnings do not change its exit code."""
    return finding.priority > Priority.P1


def _weight(lint: str, words: str) -> tuple[str, Priority] | None:
    """The rule and its priority; None for what the missing classes may cause."""
    if lint:
        return (lint, Priority.P2) if lint in _LINTS else None
    if _SYNTAX.match(words):
        return "syntax", Priority.P0
    found = re.match(_CERTAIN, words)
    return (str(found.lastgroup).replace("_", "-"), Priority.P1) if found else None


def _finding(row: re.Match[str], rule: str, priority: Priority) -> Finding:
    line = int(row["line"])
    return strict.tool_finding(
        "javac",
        rule,
        priority,
        _shared.tool_path(row["path"], "file"),
        (line, line),
        row["words"].removeprefix("warning: "),
        category="syntax" if rule == "syntax" else "lint",
    )
