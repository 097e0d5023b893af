"""Secrets on added lines. The finding names the kind and the line, never the value."""

from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.redact import find
from ._added import added_numbers, added_text
from ._paths import is_document, is_key_file, is_tests
from ._sources import Sources

WANTS: tuple[str, ...] = ()
EVERY_FILE = True
_GENERIC = ("assigned-secret", "url-password", "json-web-token")  # shapes that tests and manuals are full of
_BODY = (
    "Revoke it where it was issued: whoever has the commit has it. Then take it out of this commit itself (amend or rebase; a later commit"
    " that deletes it keeps it in the history), and read it from the environment or a secret store."
)


def check(sources: Sources) -> Iterator[Finding]:
    """One finding a line and kind."""
    for file in sources.change.files:
        if file.hunks and not file.binary:
            yield from _in_file(file)


def _in_file(file: FileDiff) -> Iterator[Finding]:
    text = added_text(file).decode("utf-8", "surrogateescape")
    secrets = find(text)
    if not secrets:
        return
    numbers = added_numbers(file)
    index = at = 0
    told = set()
    for secret in secrets:
        index, at = index + text.count("\n", at, secret.start), secret.start
        if (index, secret.kind) not in told:
            told.add((index, secret.kind))
            yield _finding(file.path, secret.kind, numbers[index])


def _finding(path: str, kind: str, line: int) -> Finding:
    title = f"a secret in the code: {kind.replace('-', ' ')}"
    return Finding(_weight(path, kind), "secret", f"builtin/secret-{kind}", path, line, line, title, _BODY)


def _weight(path: str, kind: str) -> Priority:
    """Made-up values are usual in tests and manuals, and key files in tests; a provider's token is one anywhere."""
    made_up = kind in _GENERIC and (is_tests(path) or is_document(path))
    return Priority.P2 if made_up or (kind == "private-key" and is_tests(path) and is_key_file(path)) else Priority.P0
