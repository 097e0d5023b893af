"""What a file asks of its compiler by itself, and asks no longer."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import loss_is_explained, unit_stays
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "types-loosened",
    Priority.P2,
    "The compiler now accepts what it rejected in this file. Restore it, or say why it was too "
    "strict.",
)
# https://doc.rust-lang.org/reference/attributes/diagnostics.html#lint-check-attributes
# https://www.php.net/manual/en/language.types.declarations.php#language.types.declarations.strict
# https://learn.microsoft.com/dotnet/csharp/language-reference/preprocessor-directives
# https://mypy.readthedocs.io/en/stable/inline_config.html
_ASKS = lazy_pattern(
    r"^\s*(?:#!\[(?:forbid|deny)\((?P<lints>[^)]*)\)\]"
    r"|declare\(\s*(?P<php>strict_types)\s*=\s*1\s*\)"
    r"|#(?P<cs>nullable)\s+enable|#\s*(?P<py>mypy:\s*(?:strict|disallow)\S*)|//\s*(?P<js>@ts-check)"
    r"|[\"'](?P<use>use strict)[\"'];?\s*$|#\s*(?P<rb>typed:\s*(?:true|strict|strong))\b)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change: who does it does it to many files."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(*_WORDS):
            for block in file.written.blocks:
                for line in block.removed:
                    what = _lost(sources, file, block, line)
                    if what and not _of_project(sources, file, what):
                        explained = loss_is_explained(file, block)
                        reworked = len(file.removed) > _REWORKED
                        rule = hint(_RULE) if explained or reworked else _RULE
                        now = quoted(block.added[0].text) if block.added else ""
                        title = f"this file is no longer checked by {what}"
                        yield taken(rule, file, line, title, now)
                        return


_REWORKED = 10  # lines of a file that is another one now
_WORDS = (b"#![", b"strict", b"nullable", b"mypy", b"@ts-check", b"typed:")


_OF_TOOLS = lazy_pattern(r"(?:(?<=/)|^)\.(?:github|cargo)/.*")


class _Setting(NamedTuple):
    """Where a project asks the same of all its files: what is asked of which files, the names of
    the files that say so, what stands before the answer, NAME being what is asked for, and the
    answers that ask for it."""

    what: str
    suffix: str
    files: str
    asks: str
    answers: str


_SETTINGS = (
    # https://learn.microsoft.com/dotnet/csharp/language-reference/compiler-options/language#nullable
    _Setting(
        "nullable", r"\.cs", r"\.csproj$|(?:^|/)Directory\.Build\.props$", "<Nullable>", "enable"
    ),
    # https://doc.rust-lang.org/cargo/reference/manifest.html#the-lints-section
    _Setting(
        "",
        r"\.rs",
        r"(?:^|/)Cargo\.toml$",
        r"(?m)^\s*NAME\s*=(?:\s*\{\s*level\s*=)?\s*[\"']",
        "deny|forbid",
    ),
    # https://doc.rust-lang.org/rustc/lints/levels.html
    _Setting(
        "",
        r"\.rs",
        r"(?:^|/)\.(?:github/workflows/[^/]+\.ya?ml|cargo/config(?:\.toml)?)$",
        r"-(?=D[\s\"',]*(?:\w+::)?NAME\b)",
        "D",
    ),
    # https://mypy.readthedocs.io/en/stable/config_file.html
    _Setting(
        "mypy",
        r"\.pyi?",
        r"(?:^|/)(?:\.?mypy\.ini|setup\.cfg|pyproject\.toml)$",
        r"(?m)^\s*(?:strict|NAME)\s*=\s*",
        "[Tt]rue",
    ),
    # https://www.typescriptlang.org/tsconfig/#checkJs, https://www.typescriptlang.org/tsconfig/#strict
    _Setting(
        "ts-check", r"\.[cm]?jsx?", r"(?:^|/)[jt]sconfig\.json$", r"\"checkJs\"\s*:\s*", "true"
    ),
    _Setting(
        "use strict",
        r"\.tsx?",
        r"(?:^|/)tsconfig\.json$",
        r"\"(?:alwaysStrict|strict)\"\s*:\s*",
        "true",
    ),
    # https://nodejs.org/api/packages.html#type
    _Setting("use strict", r"\.jsx?", r"(?:^|/)package\.json$", r"\"type\"\s*:\s*\"", "module"),
)


def _of_project(sources: ComparisonInput, file: ComparedFile, what: str) -> bool:
    """The project asks the same of all its files: the nearest file that answers decides."""
    name = re.escape(re.split(r"::|:\s*", what)[-1].replace("-", "_"))
    for each in _SETTINGS:
        if each.what not in what or not re.search(rf"{each.suffix}$", file.path):
            continue
        asked = re.compile(rf"{each.asks.replace('NAME', name)}\s*(?P<answer>\w+)")
        around = {
            path: len(folder)
            for path in sources.list_head()
            if re.search(each.files, path)
            and file.path.startswith(folder := _OF_TOOLS.sub("", path[: path.rfind("/") + 1]))
        }
        texts = sources.read_head(around)
        for path in sorted(around, key=lambda path: (-around[path], path.endswith(".props"))):
            if found := asked.search(texts.get(path, "")):
                return re.fullmatch(each.answers, found["answer"]) is not None
    return False


# https://doc.rust-lang.org/stable/clippy/lints.html: what `clippy::all` leaves out
_EVERY_USUAL = lazy_pattern(r"#!\[(?:forbid|deny)\([^)]*\bclippy::all\b")
_OPTIONAL = lazy_pattern(
    r"clippy::(?:all|pedantic|nursery|cargo|restriction|unwrap_used|expect_used|panic|todo"
    r"|unimplemented|unreachable|indexing_slicing|arithmetic_side_effects|dbg_macro|print_\w+|exit"
    r"|get_unwrap|string_slice|as_conversions|float_cmp_const|missing_docs_in_private_items"
    r"|undocumented_unsafe_blocks|multiple_unsafe_ops_per_block|panic_in_result_fn)\b"
)


# https://doc.rust-lang.org/rustc/lints/: what the compiler has no longer, or always refuses
_NO_LINT = lazy_pattern(r"^(?:private_in_public|const_err|safe_extern_statics|box_pointers)$")


def _lost(sources: ComparisonInput, file: ComparedFile, block: Block, line: Line) -> str:
    """What it asked for, where nothing in the change asks for the same."""
    found = _ASKS.match(line.text)
    what = next((each for each in found.groups() if each), "") if found else ""
    if not what or squeeze(line.text) in sources.added_statements:
        return ""
    names = [name for each in what.split(",") if not _NO_LINT.search(name := each.strip())]
    text = file.written.head
    added = [new.text for each in sources.files for new in each.added]
    lost = [name for name in names if name not in text and not any(name in row for row in added)]
    if _EVERY_USUAL.search(text):
        lost = [name for name in lost if _OPTIONAL.search(name) or "clippy::" not in name]
    return "" if not lost or _is_of_file(file, line, what) else lost[0]


def _is_of_file(file: ComparedFile, line: Line, what: str) -> bool:
    """Such a file has it by itself: a module has strict mode, TypeScript is checked.
    https://tc39.es/ecma262/#sec-strict-mode-code"""
    if what == "@ts-check":
        return file.path.endswith((".ts", ".tsx", ".mts", ".cts"))
    if what != "use strict":
        return False
    gone = line.text[:1].isspace() and not unit_stays(file, line)  # with the function it was in
    module = file.path.endswith((".mjs", ".mts"))
    return gone or module or any(map(_OF_MODULE.match, file.head_rows))


_OF_MODULE = lazy_pattern(r"(?:import|export)\b(?!\s*\()")
