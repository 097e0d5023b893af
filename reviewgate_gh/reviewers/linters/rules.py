"""A project's own rules, `.reviewgate-gh/rules/*.yml` in ast-grep's format, as the trusted side has
them. One JSON list in every case; lines count from 0.

https://ast-grep.github.io/reference/yaml.html
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...model.finding import Finding
from ...text import strict
from . import _shared

PROGRAM = "ast-grep"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # --config can name a grammar of one's own, which is a program
CONFIG: tuple[str, ...] = ()
CONFIG_FOLDER = ".reviewgate-gh/rules"
DEFAULT_CONFIG: str | None = None
# https://ast-grep.github.io/reference/cli/scan.html
CLEAN_EXITS = (0,)
FOUND_EXITS = (0, 1)  # 1 where a rule of severity error fits
FILES = (
    "*.sh", "*.bash", "*.bats", "*.zsh", "*.ksh", "*.c", "*.h", "*.cc", "*.cpp", "*.cxx",
    "*.hh", "*.hpp", "*.cs", "*.css", "*.dart", "*.ex", "*.exs", "*.go", "*.hs", "*.hcl",
    "*.tf", "*.nomad", "*.html", "*.htm", "*.xhtml", "*.java", "*.js", "*.cjs", "*.mjs",
    "*.jsx", "*.json", "*.kt", "*.kts", "*.lua", "*.md", "*.nix", "*.php", "*.py", "*.pyi",
    "*.rb", "*.rbw", "*.gemspec", "*.rs", "*.scala", "*.sc", "*.sbt", "*.sol", "*.swift",
    "*.ts", "*.cts", "*.mts", "*.tsx", "*.yml", "*.yaml", "*.zig",
)  # fmt: skip
ANY_CASE = True
LANGUAGES: tuple[str, ...] = ()  # the project's rules decide what is looked at
INSTALL = "install it with `pip install 'reviewgate-gh[linters]'`"

# https://ast-grep.github.io/reference/languages.html


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths; all rules are in the one file."""
    ours = [f"--rule={config}"] if config else []
    # Else it would take a project's settings that it finds above the files
    bare = f"--config={Path(__file__).with_name('data') / 'sgconfig.yml'}"
    pinned = ["--json=compact", "--color=never", "--custom-languages=ignore"]
    return [program, "scan", bare, *ours, *args, *pinned]


def assemble(files: Mapping[str, bytes]) -> bytes:
    """All rules as one file, those of each file behind a line of its own."""
    parts = (f"# {path}\n".encode() + data.strip() for path, data in sorted(files.items()))
    return b"\n---\n".join(parts) + b"\n"


def why(err: str) -> str:
    """What is wrong with a rule."""
    causes = [line.strip("╰▻ ") for line in err.splitlines() if line.startswith("╰▻")]
    return "; ".join(dict.fromkeys(causes)) or err.splitlines()[0]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not ast-grep's JSON, or cut short.
    """
    for number, row in enumerate(_shared.json_document(lines, list[Any], "ast-grep"), 1):
        yield _finding(strict.json_object(row, f"result {number}"), f"result {number}")


def _finding(row: dict[str, Any], where: str) -> Finding:
    severity = strict.json_string(row.get("severity"), f"{where}: severity")
    if severity not in _shared.RULE_PRIORITIES:
        raise ValueError(f"{where}: unknown severity {strict.one_line(severity, 60)}")
    span = strict.json_object(row.get("range"), f"{where}: range")
    first, last = (
        strict.whole_number(
            strict.json_object(span.get(end), f"{where}: {end}").get("line"), f"{where}: line"
        )
        for end in ("start", "end")
    )
    found = strict.tool_finding(
        "rules",
        strict.json_string(row.get("ruleId"), f"{where}: ruleId"),
        _shared.RULE_PRIORITIES[severity],
        _shared.tool_path(row.get("file"), f"{where}: file"),
        (first + 1, last + 1),
        strict.json_string(row.get("message") or "", f"{where}: message"),
        body=strict.json_string(row.get("note") or "", f"{where}: note"),
    )
    return replace(found, suggestion=_fixed(row, span, where))


def _fixed(row: dict[str, Any], span: dict[str, Any], where: str) -> str | None:
    """The lines with the rule's fix in the place of what it found; None for a fix that replaces
    more or less than that."""
    if "replacement" not in row or row.get("replacementOffsets") != span.get("byteOffset"):
        return None
    text = strict.json_string(row.get("lines"), f"{where}: lines")
    count = strict.json_object(row.get("charCount"), f"{where}: charCount")
    before, after = (
        strict.whole_number(count.get(side), f"{where}: {side}") for side in ("leading", "trailing")
    )
    new = strict.json_string(row["replacement"], f"{where}: replacement")
    return text[:before] + new + text[len(text) - after :]
