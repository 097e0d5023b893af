"""dotnet format: C# by the project's `.editorconfig` and analyzers. It prints absolute paths, one
finding a line, on standard error, and changes nothing.

It builds the project's MSBuild files as a design tool does, and loads its analyzers: both are code.
What it prints: https://github.com/dotnet/sdk/tree/main/src/BuiltInTools/dotnet-format
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "dotnet"
DEFAULT = False
STDERR = True
EXECUTES_CONFIG = True
ARGS_EXECUTE = True
CONFIG = (".editorconfig",)
DEFAULT_CONFIG: str | None = None
ROWS = True
CLEAN_EXITS = (0,)
FOUND_EXITS = (2,)  # CheckFailedExitCode in FormatCommandCommon.cs
FILES = ("*.cs",)
LANGUAGES = ("C#",)
ENVIRONMENT = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "MSBUILDDISABLENODEREUSE": "1",
}
INSTALL = "install the .NET SDK, see https://dotnet.microsoft.com/download"

# https://learn.microsoft.com/en-us/dotnet/fundamentals/code-analysis/configuration-options
_OF_DOTNET = lazy_pattern(rb"(?m)^[ \t]*(?:dotnet|csharp)_\w")
_NO_COMMAND = "specified command or file was not found"
# Analyzers/Extensions.cs (LogDiagnosticIssue); the project stands behind the message
_ROW = lazy_pattern(
    r"(?P<path>\S.*?)\((?P<line>\d{1,9}),(?P<column>\d{1,9})\): (?:error|warning|info) "
    r"(?P<rule>[A-Za-z]\w*): (?P<words>.*?)(?: \[(?P<project>[^\[\]]*)\])?"
    r"|Warnings were encountered while loading the workspace\..*"
    r"|(?P<unread>Required references did not load .*)"
)


def configures(path: str, data: bytes) -> bool:
    """An `.editorconfig` with settings of .NET: most have none."""
    return _OF_DOTNET.search(data) is not None


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths; a solution that is not at the root is named in `args`."""
    return [program, "format", *args, "--verify-no-changes", "--no-restore", "--verbosity=minimal",
            "--include"]  # fmt: skip


def why(err: str) -> str:
    """What it says first beside its findings: lists of possible reasons and of calls follow. SDKs
    before 6 have no such command and end with 1."""
    said = err.splitlines()
    first = next((line for line in said if line and not _ROW.fullmatch(line)), said[-1])
    return f"{first} `dotnet format` comes with .NET SDK 6" if _NO_COMMAND in first else first


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings: what it would write differently, and what analyzers say.

    Raises:
        ValueError: a line that is not one of dotnet format's, or a project that it could not load.
    """
    for row in _shared.text_rows(lines, _ROW, "dotnet format"):
        if row["unread"]:
            raise ValueError(f"{strict.one_line(row['unread'])} Run `dotnet restore`.")
        if row["path"]:
            line = int(row["line"])
            yield strict.tool_finding(
                "dotnet-format",
                row["rule"],
                Priority.P3,
                _shared.tool_path(row["path"], "file"),
                (line, line),
                row["words"],
                columns=(int(row["column"]), 0),
            )
