"""perlcritic: Perl, read and not run. It prints paths as given, one finding a line."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "perlcritic"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False  # its policies are modules that are installed
PER_FILE = True
ARGS_EXECUTE = True
CONFIG = (".perlcriticrc",)
DEFAULT_CONFIG: str | None = "perlcriticrc"
ROWS = True
CLEAN_EXITS = (0,)
# https://metacpan.org/dist/Perl-Critic/view/bin/perlcritic#EXIT-STATUS
FOUND_EXITS = (2,)
FILES = ("*.pl", "*.pm", "*.psgi", "*.t")
SCRIPTS = ("Perl",)
LANGUAGES = ("Perl",)
INSTALL = "install it with `cpan Perl::Critic`"

_TEMPLATE = r"%f\t%l\t%p\t%m\n"
_ROW = lazy_pattern(r"([^\t]+)\t(\d{1,9})\t([\w:]+)\t(.*)")
_LIKELY = ("InputOutput::ProhibitTwoArgOpen", "TestingAndDebugging::ProhibitNoStrict")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--profile={config}"] if config else []
    return [program, *ours, *args, "--quiet", f"--verbose={_TEMPLATE}", "--nocolor"]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of perlcritic's.
    """
    for row in _shared.text_rows(lines, _ROW, "perlcritic"):
        path, line, policy, message = row.groups()
        yield strict.tool_finding(
            "perlcritic",
            policy,
            Priority.P2 if policy in _LIKELY else Priority.P3,
            _shared.tool_path(path, "file"),
            (int(line), int(line)),
            message,
        )
