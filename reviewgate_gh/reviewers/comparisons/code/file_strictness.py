"""What a file asks of its compiler by itself, and asks no longer."""

from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import loss_is_explained
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
                    if what and not (what == "nullable" and _of_project(sources, file)):
                        explained = loss_is_explained(file, block)
                        reworked = len(file.removed) > _REWORKED
                        rule = hint(_RULE) if explained or reworked else _RULE
                        now = quoted(block.added[0].text) if block.added else ""
                        title = f"this file is no longer checked by {what}"
                        yield taken(rule, file, line, title, now)
                        return


_REWORKED = 10  # lines of a file that is another one now
_WORDS = (b"#![", b"strict", b"nullable", b"mypy", b"@ts-check", b"typed:")


def _of_project(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The project asks the same of all its files: the nearest file with its settings decides.
    https://learn.microsoft.com/dotnet/csharp/language-reference/compiler-options/language#nullable
    """
    around = {
        path: len(folder)
        for path in sources.list_head()
        if path.endswith((".csproj", "Directory.Build.props"))
        and file.path.startswith(folder := path[: path.rfind("/") + 1])
    }
    texts = sources.read_head(around)
    for path in sorted(around, key=lambda path: (-around[path], path.endswith(".props"))):
        if found := _NULLABLE.search(texts.get(path, "")):
            return found["asks"] == "enable"
    return False


_NULLABLE = lazy_pattern(r"<Nullable>\s*(?P<asks>\w+)")


# https://doc.rust-lang.org/stable/clippy/lints.html: what `clippy::all` leaves out
_EVERY_USUAL = lazy_pattern(r"#!\[(?:forbid|deny)\([^)]*\bclippy::all\b")
_OPTIONAL = lazy_pattern(
    r"clippy::(?:all|pedantic|nursery|cargo|restriction|unwrap_used|expect_used|panic|todo"
    r"|unimplemented|unreachable|indexing_slicing|arithmetic_side_effects|dbg_macro|print_\w+|exit"
    r"|get_unwrap|string_slice|as_conversions|float_cmp_const|missing_docs_in_private_items"
    r"|undocumented_unsafe_blocks|multiple_unsafe_ops_per_block|panic_in_result_fn)\b"
)


def _lost(sources: ComparisonInput, file: ComparedFile, block: Block, line: Line) -> str:
    """What it asked for, where nothing in the change asks for the same."""
    found = _ASKS.match(line.text)
    what = next((each for each in found.groups() if each), "") if found else ""
    if not what or squeeze(line.text) in sources.added_statements:
        return ""
    names = [name.strip() for name in what.split(",")]
    text = file.written.head
    added = [new.text for each in sources.files for new in each.added]
    lost = [name for name in names if name not in text and not any(name in row for row in added)]
    if _EVERY_USUAL.search(text):
        lost = [name for name in lost if _OPTIONAL.search(name) or "clippy::" not in name]
    # A module has strict mode by itself: https://tc39.es/ecma262/#sec-strict-mode-code
    module = what == "use strict" and any(
        row.startswith(("import ", "export ")) for row in file.head_rows
    )
    return "" if module or not lost else lost[0]
