"""typos: spelling mistakes in prose and in the names and words of code, by a list of known ones. It
prints paths as given, one JSON object a line, and nothing for clean files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared
from ._edits import Edit, with_edits

PROGRAM = "typos"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = ("typos.toml", "_typos.toml", ".typos.toml", "pyproject.toml")
DEFAULT_CONFIG: str | None = "typos-defaults.toml"
CLEAN_EXITS = (0, 2)  # 2 also where all that it finds may be something else than it takes it for
FOUND_EXITS = (2,)
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt")
_CODE = (
    "c", "cc", "cpp", "cs", "css", "cts", "cxx", "dart", "ex", "exs", "go", "graphql", "h", "hh",
    "hpp", "htm", "html", "java", "js", "cjs", "mjs", "jsx", "kt", "kts", "less", "lua", "mts",
    "php", "pl", "pm", "proto", "ps1", "py", "pyi", "rb", "rs", "scala", "scss", "sh", "sql",
    "svelte", "swift", "ts", "tsx", "vue", "zig",
)  # fmt: skip
FILES = (*(f"*{end}" for end in _PROSE), *(f"*.{end}" for end in _CODE))
# A shorter name of code is rather an abbreviation. Of 3,527 files of code 45 have such a word with
# one correction alone; of these 45 words three are right in a way
_LEAST_NAME = 6
ANY_CASE = True
LANGUAGES: tuple[str, ...] = ()  # spelling is no review
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths. The project's excludes hold for named files, too."""
    ours = ["--isolated", f"--config={config}"] if config else []
    return [program, *ours, *args, "--format=json", "--force-exclude", "--color=never"]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of typos'.
    """
    for number, line in enumerate(lines, 1):
        row = strict.checked(strict.load_json(line, "typos' JSON lines"), _Typo, f"line {number}")
        if row.path.lower().endswith(_PROSE) or row.is_sure:
            yield _finding(row)
        else:
            yield _shared.set_aside("typos", row.typo)


class _Typo(Struct, frozen=True):
    type: Literal["typo"]
    path: str
    line_num: strict.WholeNumber
    typo: str
    corrections: tuple[str, ...]
    byte_offset: strict.WholeNumber = 0

    @property
    def is_sure(self) -> bool:
        """It is no abbreviation, and nothing else can be meant."""
        return len(self.typo) >= _LEAST_NAME and len(self.corrections) == 1


def _finding(row: _Typo) -> Finding:
    better = " or ".join(f"`{word}`" for word in row.corrections) or "another word"
    line, start = row.line_num, row.byte_offset + 1
    end = start + len(row.typo.encode())
    found = strict.tool_finding(
        "typos",
        "typo",
        Priority.P3,
        _shared.tool_path(row.path, "path"),
        (line, line),
        f"`{row.typo}` should be {better}",
        category="spelling",
        columns=(start, end),
    )
    one = row.corrections if len(row.corrections) == 1 else ()
    return with_edits(found, [Edit(line, start, line, end, word) for word in one])
