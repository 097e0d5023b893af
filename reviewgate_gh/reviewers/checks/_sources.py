"""What a built-in check is given: head contents and the lines that the change adds."""

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from ...model.change import Change, FileDiff
from ...text.patterns import lazy_pattern
from ...text.secrets.rules import SecretRules

# Data are long where a program writes them, such as the list of all that an API has, or all that a
# cluster runs. Of JSON 5 MB are parsed in .1 s, of YAML in .6 s, and hostile ones in 3 s
MOST_DATA_BYTES = 5_000_000


def most_bytes(path: str, most: int) -> int:
    """The bytes up to which a file is read: more than `most` where it is parsed as data."""
    return max(most, MOST_DATA_BYTES) if path.endswith((".json", ".yml", ".yaml")) else most


def _nothing(_file: FileDiff) -> bytes:
    return b""


def _no_program(_file: FileDiff) -> bool:
    return False


class CheckInput(Struct, frozen=True):
    """A change and what of its head the checks asked for.

    `contents` holds the bytes at head of symbolic links and of files whose base name a check's
    WANTS names; `sizes` the bytes of every changed file; `head_paths` every path at head, filled
    only when the change brings new names or is about owners; `between` what each commit of several
    changes against its parent, by its id and oldest first. `records` are the raw commits and tags
    of the change by their ids; `binaries` the small binary files at base and at head; `before`
    reads a file at base, which few changes ask for. `rules` say which secrets the project accepts.
    `starts`: a machine starts the file by itself.
    """

    change: Change
    contents: Mapping[str, bytes]
    sizes: Mapping[str, int]
    head_paths: tuple[str, ...] = ()
    between: tuple[tuple[str, tuple[FileDiff, ...]], ...] = ()
    records: Mapping[str, bytes] = {}
    binaries: Mapping[str, tuple[bytes, bytes]] = {}
    before: Callable[[FileDiff], bytes] = _nothing
    rules: SecretRules = SecretRules()
    starts: Callable[[FileDiff], bool] = _no_program


_REMOVED = lazy_pattern(rb"^-([^\n]*)", re.MULTILINE)
_ADDED = lazy_pattern(rb"^\+([^\n]*)", re.MULTILINE)


def added_text(file: FileDiff) -> bytes:
    """The added lines of all hunks, joined by newlines; line `i` of it stands at
    `added_numbers(file)[i]`."""
    return b"\n".join(line for hunk in file.hunks for line in _ADDED.findall(hunk.body))


def removed_text(file: FileDiff) -> bytes:
    """The removed lines of all hunks, joined by newlines."""
    return b"\n".join(line for hunk in file.hunks for line in _REMOVED.findall(hunk.body))


def content_at_base(file: FileDiff, head: bytes) -> bytes:
    """The file as it was, from its content at head and what the change did to it; it ends with a
    newline."""
    rows, at, was = head.split(b"\n"), 0, list[bytes]()
    for hunk in file.hunks:
        # https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html
        start = hunk.new_start - bool(hunk.new_count)  # of no lines, git names the one before them
        was += rows[at:start]
        was += (text for _number, text in hunk.base_lines())
        at = start + hunk.new_count
    return b"\n".join((*was, *rows[at:])).removesuffix(b"\n") + b"\n"


def base_line(file: FileDiff, number: int) -> int:
    """Where a line of the head stood before; 0 for one that the change adds."""
    for hunk in file.hunks:
        for line in hunk.lines():
            if line.new == number:
                return line.old
    return number + sum(
        hunk.old_count - hunk.new_count
        for hunk in file.hunks
        if hunk.new_start + max(1, hunk.new_count) <= number
    )


def added_numbers(file: FileDiff) -> list[int]:
    """The numbers at head of the added lines, in order."""
    return [
        number
        for hunk in file.hunks
        for first, last in hunk.added_runs()
        for number in range(first, last + 1)
    ]


def added_lines(file: FileDiff) -> Iterator[tuple[int, str]]:
    """Number at head and text of each added line."""
    return zip(
        added_numbers(file),
        added_text(file).decode("utf-8", "surrogateescape").split("\n"),
        strict=False,
    )


def mentions_any(file: FileDiff, words: tuple[bytes, ...]) -> bool:
    """One of the words stands somewhere in the hunks: the quick question before going line by
    line."""
    return any(word in hunk.body for hunk in file.hunks for word in words)


def shown_line_number(file: FileDiff, number: int) -> int:
    """The number if the diff shows that line of the head, else 0: the file as a whole."""
    return (
        number
        if any(hunk.new_start <= number < hunk.new_start + hunk.new_count for hunk in file.hunks)
        else 0
    )
