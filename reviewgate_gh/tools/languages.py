"""The languages of a repository: who reads each of them here, and what would."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct

from ..gate.coverage import is_reviewer, linter_rank, possible_readers
from ..git import Git
from ..git.objects import list_tree, read_blobs, read_sizes
from ..model.config import Config, LinterOptions
from ..model.languages import detect_language, needs_content
from ..system import plugins
from ..text.paths import matching_paths

_MOST_OPENED = 2_000  # files whose names do not tell
_MOST_BYTES = 200_000
_MOST_NAMED = 2  # linters that could read a language


class LanguageRow(Struct, frozen=True):
    """A language: how many files of HEAD are in it, who reads them here, and what would."""

    name: str
    files: int
    readers: tuple[str, ...]
    possible: str = ""


def list_languages(
    config: Config, installed: Iterable[str], models: Iterable[str], git: Git
) -> tuple[LanguageRow, ...]:
    """The languages of HEAD, most files first.

    `installed` names the linters that work here, `models` the language models that can be asked.
    """
    counts = Counter(filter(None, _languages(config, git)))
    tools = {each: plugins.load("linters", each) for each in plugins.names("linters")}
    here, everyone = frozenset(installed), tuple(models)
    rows = []
    for name, files in counts.most_common():
        able = {
            each: tool
            for each, tool in tools.items()
            if name in tool.LANGUAGES and is_reviewer(tool)
        }
        readers = (*(each for each in able if each in here), *everyone)
        could = islice(_needs(able, config), _MOST_NAMED)
        rows.append(LanguageRow(name, files, readers, "" if readers else possible_readers(could)))
    return tuple(rows)


def _needs(tools: Mapping[str, Any], config: Config) -> Iterator[str]:
    """What each of these linters lacks; those of the default gate first."""
    for name, tool in sorted(tools.items(), key=lambda item: linter_rank(item[1])):
        if config.linters.get(name, LinterOptions()).enabled is False:
            yield f"{tool.PROGRAM} is disabled (linters.{name}.enabled)"
        elif tool.DEFAULT or getattr(tool, "WHEN_INSTALLED", False):
            yield f"{tool.PROGRAM} can read it: {tool.INSTALL}"
        else:
            yield (
                f"{tool.PROGRAM} can read it: {tool.INSTALL}, and set "
                f"linters.{name}.enabled to true"
            )


def _languages(config: Config, git: Git) -> Iterator[str]:
    """Of each file that is reviewed; "" for no code."""
    entries = [each for each in list_tree(git, "HEAD") if each.mode.startswith("100")]
    excluded = matching_paths((each.path for each in entries), config.policy.exclude)
    entries = [each for each in entries if each.path not in excluded]
    asked = [each.oid for each in entries if needs_content(each.path, each.mode)][:_MOST_OPENED]
    small = [oid for oid, size in read_sizes(git, asked).items() if size <= _MOST_BYTES]
    blobs = read_blobs(git, small)
    yield from (detect_language(each.path, each.mode, blobs.get(each.oid, b"")) for each in entries)
