"""Dependencies that the files of a build name by themselves: modules of Terraform, archives that
CMake or Bazel fetch."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import loss_is_explained
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = True
_OPEN = ComparisonRule(
    "dependency-unpinned",
    Priority.P2,
    "The next build may use a version that nobody has tested. Pin it as before.",
)
_HASH = ComparisonRule(
    "integrity-removed",
    Priority.P2,
    "Whatever the address serves is now built. Restore the hash.",
)
# https://developer.hashicorp.com/terraform/language/modules/sources#terraform-registry
_MODULE = lazy_pattern(r"^module\s+\"(?P<name>[^\"]+)\"\s*\{")
_MODULE_VERSION = lazy_pattern(r"^\s+version\s*=\s*\"[^\"]*\d[^\"]*\"\s*$")
_REGISTRY = lazy_pattern(r"^\s+source\s*=\s*\"[\w-]+(?:\.[\w.-]+)?(?:/[\w-]+){2,3}\"")
# https://cmake.org/cmake/help/latest/module/ExternalProject.html#url
# https://bazel.build/rules/lib/repo/http#http_archive
_FETCHES = lazy_pattern(
    r"(?:\s+|^\s*)(?:URL_HASH|EXPECTED_HASH)\s+\w+=[\w${}]+|(?:\s+|^\s*)URL_MD5\s+\w+"
    r"|^\s*(?:sha256|integrity)\s*=\s*\"[^\"]+\"\s*(?:,\s*)?$"
)
_FETCHING = lazy_pattern(
    r"(?:^|/)(?:CMakeLists\.txt|WORKSPACE(?:\.bazel)?|MODULE\.bazel)$|\.(?:cmake|bzl)$"
)
_NEAR = 6  # lines


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.diff.hunks:
            continue
        if file.path.endswith(".tf"):
            yield from islice(_any_module(sources, file), 1)
        if _FETCHING.search(file.path):
            yield from islice(_unchecked(sources, file), 1)


def _any_module(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A module of a registry is whatever is newest."""
    for block in file.blocks:
        for line in block.removed:
            if not _MODULE_VERSION.match(line.text) or block.added:
                continue
            rows = file.base_rows[: line.number - 1]
            module = next((row for row in reversed(rows) if row[:1].strip()), "")
            near = file.base_rows[max(0, line.number - _NEAR) : line.number + _NEAR]
            found = _MODULE.match(module)
            if found and module in file.head_rows and any(map(_REGISTRY.match, near)):
                rule = hint(_OPEN) if loss_is_explained(file, block) else _OPEN
                yield taken(rule, file, line, f"the module {found['name']} may be any version")


def _unchecked(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The same archive is fetched, and compared with nothing."""
    for block in file.blocks:
        for line in block.removed:
            found = _FETCHES.search(line.text)
            if not found or any(map(_FETCHES.search, sources.added_rows)):
                continue
            if _is_still_fetched(file, block, line, found):
                rule = hint(_HASH) if loss_is_explained(file, block) else _HASH
                now = quoted(block.added[0].text) if block.added else ""
                yield taken(rule, file, line, "a download is no longer verified", now)


def _is_still_fetched(file: ComparedFile, block: Block, line: Line, found: re.Match[str]) -> bool:
    rest = squeeze(line.text[: found.start()] + line.text[found.end() :])
    if rest:
        return any(squeeze(new.text) == rest for new in block.added)
    above = next((row for row in reversed(file.base_rows[: line.number - 1]) if row.strip()), "")
    return not block.added and above in file.head_rows and bool(re.search(r"\w", above))
