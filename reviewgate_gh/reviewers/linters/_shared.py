"""Helpers of the linter plug-ins."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern

T = TypeVar("T")
# JavaScript, TypeScript, and the files that hold either
JAVASCRIPT_FILES = tuple(
    f"*.{end}"
    for end in ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "astro"]
)
LEFT_OUT = "left out"  # a category that no finding has
# Of a rule of the project's own, by its severity
RULE_PRIORITIES = {
    "error": Priority.P1,
    "warning": Priority.P2,
    "info": Priority.P3,
    "hint": Priority.P3,
}
# What a test reads: it may be broken on purpose, and nobody runs it
_SAMPLES = lazy_pattern(
    r"(?:\A|/)_*(?:fixtures?|test[-_]?data|snapshots?|goldens?|golden[-_]files)_*/"
    r"|(?:\A|/)_*(?:tests?|specs?)_*/(?:[^/]+/)*(?:data|samples?|cases|inputs?|outputs?|expected"
    r"|resources)/",
    re.IGNORECASE,
)
_TEST_FOLDERS = ("test", "tests", "testing", "__tests__")
# Findings about calls that are bad in a program and usual in a test; a secret is one anywhere.
_CALMER_IN_TESTS = ("ruff/S", "bandit/")


def base_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def drop_options(args: Iterable[str], *words: str) -> list[str]:
    """The user's arguments without those that would make every exit code 0: the gate decides what
    findings mean."""
    return [arg for arg in args if arg not in words]


def json_document(lines: Iterable[bytes], kind: type[T], tool: str) -> T:
    """The one JSON document that a tool printed.

    Raises:
        ValueError: it printed nothing or something else.
    """
    what, data = f"{tool}'s JSON", b"".join(lines)
    if not data.strip():
        raise ValueError(f"not {what}: no output")
    return strict.checked(strict.load_json(strict.decode(data, what), what), kind, tool)


def text_rows(lines: Iterable[bytes], row: re.Pattern[str], tool: str) -> Iterator[re.Match[str]]:
    """Each line of a tool that prints text, by the pattern of all that it prints.

    Raises:
        ValueError: a line that it does not print, or one without its end.
    """
    for number, line in enumerate(lines, 1):
        text = line.decode("utf-8", "replace")
        found = row.fullmatch(text[:-1]) if text.endswith("\n") else None
        if not found:
            raise ValueError(f"not {tool}'s output: line {number}: {strict.one_line(text, 80)!r}")
        yield found


def tool_path(value: Any, where: str) -> str:
    """The path that a tool printed, tidy.

    Raises:
        ValueError: no path, or one the tool could only print with characters replaced, so that the
            finding has no place.
    """
    path = strict.tidy_path(strict.path_text(value, where))
    if "\ufffd" in path:
        raise ValueError(f"{where}: the tool cannot print the name of {strict.one_line(path, 80)}")
    return path


def unreadable_file(tool: str, rule: str, path: str, reason: str) -> Finding:
    """A file that the tool could not read: critical, since nobody has looked at it."""
    return strict.tool_finding(
        tool,
        rule,
        Priority.P1,
        path,
        (0, 0),
        f"{tool} could not read this file: {reason}",
        category="syntax",
    )


def left_out(tool: str, path: str, reason: str) -> Finding:
    """Word of a file that the tool's settings let it not read: no finding, and no review of that
    file either."""
    return strict.tool_finding(
        tool, "left-out", Priority.P3, path, (0, 0), reason, category=LEFT_OUT
    )


def set_aside(tool: str, words: str) -> Finding:
    """Word of something that the tool said and that does not count: no finding, but what its exit
    code speaks of."""
    return left_out(tool, "", words)


def place_finding(finding: Finding, root: str) -> Finding:
    """The finding under a path relative to `root`, the resolved folder the tool ran in; what tests
    may do weighs less there, and all that is wrong with their samples."""
    path = strict.relative_path(finding.path, root)
    if _SAMPLES.search(path) and finding.category not in (LEFT_OUT, "secret"):
        is_broken = finding.priority is Priority.P0
        finding = replace(finding, priority=Priority.P2 if is_broken else Priority.P3)
    if (
        finding.rule.startswith(_CALMER_IN_TESTS)
        and finding.category == "security"
        and is_test_path(path)
    ):
        return replace(finding, path=path, priority=Priority.P3)
    return finding if path == finding.path else replace(finding, path=path)


def is_test_path(path: str) -> bool:
    """A relative path inside a test folder, or a test module by its name."""
    *folders, name = path.split("/")
    return any(
        folder in _TEST_FOLDERS or folder.startswith("test_") for folder in folders
    ) or name.startswith(("test_", "conftest."))


_PACKED = 2_000  # characters


def is_packed(finding: Finding, data: bytes) -> bool:
    """Its line is very long and has few blanks: a program packed the code, and its author reads
    none of it."""
    row = b"".join(data.split(b"\n")[max(0, finding.line_start - 1) : finding.line_start])
    return len(row) > _PACKED and 5 * sum(map(row.count, (b" ", b"\t"))) < len(row)
