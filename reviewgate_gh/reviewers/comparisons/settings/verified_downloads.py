"""Downloads that were compared with a checksum or a signature, and are not any more."""

from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, is_explained
from .._remark import ComparisonRule, hint, taken
from .._sources import ComparedFile, ComparisonInput, squeeze

EVERY_FILE = True
_RULE = ComparisonRule(
    "integrity-removed",
    Priority.P1,
    "The download is run without being verified. Restore the checksum or signature.",
)
_VERIFIES = lazy_pattern(
    r"\bgpgv?\b.*--verify\b|\bgpgv\s|\b(?:sha\d+sum|shasum|b2sum|md5sum)\b.*\s(?:-\w*c\w*"
    r"|--check)\b"
    r"|\bcosign verify|\bminisign\s+-\w*V|\bslsa-verifier verify|\bgh attestation verify"
    r"|\bopenssl dgst\b.*-verify"
)
_FETCHES = lazy_pattern(r"\b(?:curl|wget|fetch|ADD\s+http)\b")
_SCRIPTS = lazy_pattern(r"\.(?:sh|bash|mk|ya?ml)$|(?:Docker|Container)file|Makefile")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not (file.is_gone or file.is_new or file.is_test) and _SCRIPTS.search(file.path):
            yield from islice(_verified(sources, file), 1)


def _verified(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A checksum or signature was looked at, and what it was for is still fetched."""
    if any(map(_VERIFIES.search, sources.added_rows)):
        return
    for line in file.removed:
        code = code_of(line.text)
        if not _VERIFIES.search(code) or squeeze(line.text) in sources.added_statements:
            continue
        fetched = [row for row in file.head_rows if _FETCHES.search(code_of(row))]
        near = file.base_rows[max(0, line.number - _NEAR) : line.number]
        if any(row in fetched for row in near) and not any(map(_VERIFIES.search, file.head_rows)):
            rule = hint(_RULE) if any(is_explained(file, new) for new in file.added) else _RULE
            yield taken(rule, file, line, "a download is no longer verified")


_NEAR = 25  # lines
