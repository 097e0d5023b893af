"""semgrep with the project's own rules. It prints relative paths and one SARIF document in every
case."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...model.finding import Finding
from ..imports import sarif

PROGRAM = "semgrep"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # --config may name rules anywhere, also on the network
CONFIG = (".semgrep.yml",)
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# https://semgrep.dev/docs/cli-reference
FOUND_EXITS = (0, 1)  # 1 where `args` hold --error
# https://semgrep.dev/docs/faq/overview
# Else it asks semgrep.dev for a newer one, and waits where nobody answers
VERSION = ("--version", "--disable-version-check")
FILES = (
    "*.py", "*.pyi", "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx",
    "*.vue", "*.go", "*.java", "*.kt", "*.kts", "*.scala", "*.rb", "*.php", "*.c", "*.h",
    "*.cc", "*.cpp", "*.hpp", "*.cs", "*.rs", "*.swift", "*.sh", "*.bash", "*.tf", "*.yml",
    "*.yaml", "*.json", "*.lua", "*.ex", "*.exs", "*.clj", "*.sol", "*.html", "*.xml", "*.dart",
    "*.jl", "*.ml", "*.r", "*.cls", "Dockerfile",
)  # fmt: skip
LANGUAGES: tuple[
    str, ...
] = ()  # the project's rules decide what is read, and its report does not say which files that was
INSTALL = "install it with `pip install semgrep`, and write rules to .semgrep.yml"

_NAMED = ("--config", "-c", "-f")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths.

    Rules are files here; nothing is fetched or reported unless `args` name a registry.
    """
    named = any(arg.startswith(_NAMED) for arg in args)
    rules = [] if named else [f"--config={CONFIG[0]}"]
    return [
        program,
        "scan",
        *rules,
        *args,
        "--sarif",
        "--quiet",
        "--metrics=off",
        "--disable-version-check",
        "--no-git-ignore",
    ]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not SARIF, cut short, or a run that failed.
    """
    return sarif.parse(b"".join(lines))
