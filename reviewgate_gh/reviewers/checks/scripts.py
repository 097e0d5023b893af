"""Mistakes in scripts that their parsers take: texts of Perl compared as numbers, input in its
commands, downloads that PowerShell runs as they come. Nothing of a file is run, as `perl -c` would.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from ...findings.lines import DiffLines
from ...model.finding import Finding, Priority
from ...text.perl import find_input_in_command, find_text_as_number
from ...text.powershell import find_run_download
from ._paths import is_fixture
from ._sources import CheckInput

_PERL, _POWERSHELL = (".pl", ".pm", ".cgi", ".t"), (".ps1", ".psm1")
WANTS = tuple(f"*{suffix}" for suffix in (*_PERL, *_POWERSHELL))
EVERY_FILE = False
_LARGEST = 1_000_000  # bytes


class _Rule(Struct, frozen=True):
    """What it is called, of which files it speaks, how much it weighs, where it is so, and what to
    say."""

    name: str
    suffixes: tuple[str, ...]
    priority: Priority
    category: str
    find: Callable[[str], Sequence[int]]
    title: str
    body: str


_RULES = (
    _Rule(
        "perl-text-as-number",
        _PERL,
        Priority.P2,
        "correctness",
        find_text_as_number,
        "a text is compared as a number",
        "Texts that are no numbers are all equal to 0. Use `eq` or `ne`.",
    ),
    _Rule(
        "perl-input-in-command",
        _PERL,
        Priority.P1,
        "security",
        find_input_in_command,
        "a value of the request becomes part of a shell command",
        "Whoever sends the request can run commands. Use `system` with a list of arguments.",
    ),
    _Rule(
        "powershell-download-run",
        _POWERSHELL,
        Priority.P2,
        "security",
        find_run_download,
        "a download is run as it comes",
        "Whoever controls that address runs code here. Download a fixed version, compare its hash, "
        "then run it.",
    ),
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line that the change adds."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or len(data) > _LARGEST or is_fixture(file.path):
            continue
        rules = [rule for rule in _RULES if file.path.endswith(rule.suffixes)]
        text, shown = data.decode("utf-8", "replace"), DiffLines(file)
        for rule in rules:
            for line in rule.find(text):
                if shown.adds(line, line):
                    yield Finding(
                        rule.priority,
                        rule.category,
                        f"builtin/{rule.name}",
                        file.path,
                        line,
                        line,
                        rule.title,
                        rule.body,
                    )
