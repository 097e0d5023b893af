"""Mistakes that one place of a file shows, in languages whose linters few machines have: the gate's
own rules for ast-grep (data/defects.yml). They are few, so that nobody has reviewed the file.

What comes from a caller may be safe, which nobody sees from one place: such remarks are P3 in
tests.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ..checks._paths import is_own_test
from . import rules

PROGRAM = rules.PROGRAM
DEFAULT = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # --config can name a grammar of one's own, which is a program
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = "defects.yml"
CLEAN_EXITS = (0,)
FOUND_EXITS = (0,)  # 1 for rules of severity error alone
FILES = (
    "*.c", "*.h", "*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp", "*.cs", "*.dart", "*.ex", "*.exs",
    "*.go", "*.html", "*.htm", "*.vue", "*.svelte", "*.java", "*.js", "*.cjs", "*.mjs", "*.jsx",
    "*.kt", "*.kts", "*.lua", "*.php", "*.rb", "*.rs", "*.scala", "*.sc", "*.swift", "*.ts",
    "*.cts", "*.mts", "*.tsx",
)  # fmt: skip
LANGUAGES: tuple[str, ...] = ()  # nothing counts as read
INSTALL = rules.INSTALL
_OURS = Path(__file__).with_name("data") / "sgconfig.yml"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    named = f"--rule={config or Path(__file__).with_name('data') / 'defects.yml'}"
    pinned = ["--json=compact", "--color=never", "--custom-languages=ignore"]
    return [program, "scan", f"--config={_OURS}", named, *args, *pinned]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not ast-grep's JSON, or cut short.
    """
    for finding in rules.parse(lines):
        name = finding.rule.removeprefix("rules/")
        yield replace(finding, rule=f"defects/{name}", sources=("defects",))


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place: a test hands over what it has chosen itself."""
    return replace(finding, priority=Priority.P3) if is_own_test(finding.path) else finding
