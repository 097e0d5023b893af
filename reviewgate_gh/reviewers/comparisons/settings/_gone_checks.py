"""Checks of a pipeline that go together with what they checked, or with what ran them."""

import re

from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._pipelines import PIPELINES, Command
from .._sources import ComparedFile, ComparisonInput, has_word
from ._instead import HOOKS, NAMED, entries_of, name_entry

_FOLDER = lazy_pattern(r"\s*(?:-\s+)?working-directory:\s*[\"']?(?:\./)?(?P<folder>[\w./-]+)")
_GOES_TO = lazy_pattern(
    r"\bcd\s+(?:\./)?(?P<folder>[\w./-]+)\s*(?:&&|$)|\s--prefix[ =](?P<prefix>[\w./-]+)"
)
_BESIDE = 4  # lines of one step


def is_gone_with_its_files(sources: ComparisonInput, command: Command) -> bool:
    """The change takes away the files that it was told to check, or the hooks that it ran."""
    deleted = [each.path for each in sources.change.files if each.mode == "000000"]
    if re.search(r"\b(?:pre-commit|prek)\b", command.text) and HOOKS in deleted:
        return True
    named = [found["path"].rstrip("/") for found in NAMED.finditer(command.text)]
    gone = [
        path
        for path in named
        if any(each == path or each.startswith(f"{path}/") for each in deleted)
        and not any(each == path or each.startswith(f"{path}/") for each in sources.list_head())
    ]
    return bool(gone) and len(gone) == len(named)


def is_gone_with_its_job(sources: ComparisonInput, file: ComparedFile, command: Command) -> bool:
    """Its job goes as a whole, together with a script that the job ran: what the script wrote is
    there no more."""
    rows = file.base_rows
    starts = (at for at in range(command.line - 1, -1, -1) if _JOB.match(rows[at]))
    start = next(starts, len(rows))
    below = range(start + 1, len(rows))
    end = next((at for at in below if re.match(r" {0,2}\S", rows[at])), len(rows))
    left = {at for at in range(start, end) if rows[at].strip()} - {
        line.number - 1 for line in file.removed
    }
    named = {found["path"] for row in rows[start:end] for found in NAMED.finditer(row)}
    deleted = (each.path for each in sources.change.files if each.mode == "000000")
    return not left and not named.isdisjoint(deleted)


_JOB = lazy_pattern(r" {2}[\w-]+:\s*$")


def is_gone_with_its_option(sources: ComparisonInput, file: ComparedFile, command: Command) -> bool:
    """The change takes an option of it out of what it calls."""
    return any(
        re.search(rf"{option}(?![\w-])", line.text) and option not in other.head
        for option in {*_LONG_OPTION.findall(command.text)}
        for other in sources.files
        if other is not file and other.is_product and not PIPELINES.search(other.path)
        for line in other.removed
    )


_LONG_OPTION = lazy_pattern(r"(?<=\s)--[a-z][\w-]{3,}")


def is_gone_with_its_folder(sources: ComparisonInput, file: ComparedFile, command: Command) -> bool:
    """It ran in a folder of which the head has nothing, or neither manifest nor code."""
    rows = file.base_rows
    near = [rows[command.line - 1]]
    for row in rows[command.line : command.line + _BESIDE]:
        if row.lstrip().startswith("- "):
            break
        near.append(row)
    for row in reversed(rows[max(0, command.line - 1 - _BESIDE) : command.line - 1]):
        if near[-1].lstrip().startswith("- ") or near[0].lstrip().startswith("- "):
            break
        near.append(row)
    found = next((m for row in near if (m := _FOLDER.match(row) or _GOES_TO.search(row))), None)
    folder = "".join(each or "" for each in found.groups()).strip("/") if found else ""
    if ".." in folder:
        return False
    deleted = {each.path for each in sources.change.files if each.mode == "000000"}
    left = [path for path in sources.list_head() if path.startswith(f"{folder}/")]
    if any(f"{folder}/{name}" in deleted for name in _MANIFESTS):
        left = [path for path in left if language_of(path)]
    return folder not in ("", ".") and not left


_MANIFESTS = ("package.json", "pyproject.toml", "Cargo.toml", "go.mod", "composer.json", "Gemfile")


def is_gone_with_its_tool(sources: ComparisonInput, command: Command) -> bool:
    """It called a script of package.json, which goes together with the package that it ran."""
    called = name_entry(command)
    for file in sources.files if called else ():
        if file.name == "package.json" and not any(entries_of(file.head_rows, {called})):
            was = [*entries_of((line.text for line in file.removed), {called})]
            keys = {key for line in file.removed for key in _KEY.findall(line.text)} - {called}
            gone = [key for key in keys if f'"{key}"' not in file.head]
            return any(has_word(text, name) for text in was for name in gone)
    return False


_KEY = lazy_pattern(r"^\s*\"([\w@/.-]+)\"\s*:")
