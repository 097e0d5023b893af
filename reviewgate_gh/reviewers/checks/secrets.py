"""Secrets on added lines. The finding names the kind and the line, never the value."""

import re
from collections.abc import Iterator

from ...findings.lines import without_nuls
from ...findings.scope import HISTORY_CATEGORY
from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.redact import SecretSpan, find_secrets
from ._paths import is_document, is_key_file, is_tests
from ._sources import CheckInput, added_numbers, added_text, removed_text

WANTS: tuple[str, ...] = ()
EVERY_FILE = True
# Shapes that tests and manuals are full of
_GENERIC = ("assigned-secret", "url-password", "json-web-token")
# Hosts that are kept for examples: nobody can log in there (RFC 2606 and 6761). Behind any other
# sign the host may go on.
_NOWHERE = re.compile(
    r"@(?:(?:[\w\-]{1,63}\.){0,8}example\.(?:com|net|org)|(?:[\w\-]{1,63}\.){1,8}(?:example|test"
    r"|invalid|localhost))"
    r"(?::\d{1,5})?(?=[\s/?#\"'`;)<>\]]|,[\s\"'`]|,\Z|\\[nrt\"'`]|\Z)",
    re.IGNORECASE | re.ASCII,
)
_HEADER, _KEY_LETTERS = re.compile(r"-----BEGIN [A-Z0-9 ]{0,60}-----"), re.compile(r"[A-Za-z0-9+/]")
_SHORTEST_KEY = 40  # letters
# The beginnings of keys without their header: DER's number of the version in base64, OpenSSH's
# name, a header in base64 itself.
_KEY_START = re.compile(
    r"(?:M[C-H][A-Za-z0-9+/]CAQ|MI[GH][A-Za-z0-9+/](?:AgE|M[EF])|MII[A-Za-z0-9+/]{2}(?:[AQgw]IB"
    r"|[DTjz]B)|b3Blbn|LS0tLS1C)[A-Za-z0-9+/]{34}"
)
_KEY_PART = re.compile(rb"[A-Za-z0-9+/]{40}|-----BEGIN ")
_BODY = (
    "Revoke it where it was issued: everyone who has the commit has it. Then remove it from this "
    "commit itself (amend or rebase; a later"
    " commit that deletes it leaves it in the history), and read it from the environment or a "
    "secret store."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line and kind; and one for each secret that is in a commit between base and
    head alone."""
    for file in sources.change.files:
        if file.hunks and not file.binary:
            yield from _in_file(file)
    yield from _between(sources)


def _in_file(file: FileDiff) -> Iterator[Finding]:
    told = set()
    for place in (*_added(file), *_keys(file)):
        if place not in told:
            told.add(place)
            yield _finding(file.path, *place)


def _between(sources: CheckInput) -> Iterator[Finding]:
    """What a commit adds and a later one takes out; what was there before all of them is no
    news."""
    news: dict[tuple[str, str], tuple[str, str]] = {}
    known = (
        {each for file in sources.change.files for each in _values(added_text(file))}
        if sources.between
        else set()
    )
    for oid, files in sources.between:
        known |= {each for file in files for each in _values(removed_text(file))} - news.keys()
        for file in files:
            news |= {
                each: (oid, file.path)
                for each in _values(added_text(file))
                if each not in known and each not in news
            }
    for (kind, _value), (oid, path) in news.items():
        title = (
            f"a secret in commit {oid[:12]}, removed by a later commit: {kind.replace('-', ' ')}"
        )
        yield Finding(
            _weight(path, kind),
            HISTORY_CATEGORY,
            f"builtin/secret-{kind}",
            path,
            0,
            0,
            title,
            _BODY,
        )


def _values(data: bytes) -> set[tuple[str, str]]:
    """Kind and value of the secrets in a text."""
    texts = (
        form.decode("utf-8", "surrogateescape")
        for form in dict.fromkeys((data, without_nuls(data)))
    )
    return {
        (secret.kind, text[secret.start : secret.end])
        for text in texts
        for secret in _secrets(text)
    }


def _secrets(text: str) -> list[SecretSpan]:
    """Those that somebody could use; what we write ourselves is freed of the others, too."""
    found = find_secrets(text)
    samples = {secret for secret in found if _is_sample(secret, text)}
    if any(secret.kind == "private-key" for secret in samples) and _KEY_START.search(text):
        # A template, and the key is beside it
        samples = {secret for secret in samples if secret.kind != "private-key"}
    return [secret for secret in found if secret not in samples]


def _is_sample(secret: SecretSpan, text: str) -> bool:
    """A password for nowhere; a key between whose two ends stands less than any key has."""
    if secret.kind != "private-key":
        return secret.kind == "url-password" and _NOWHERE.match(text, secret.end) is not None
    key, footer, _end = _HEADER.sub("", text[secret.start : secret.end], 1).rpartition("-----END ")
    return bool(footer) and len(_KEY_LETTERS.findall(key)) < _SHORTEST_KEY and not find_secrets(key)


def _added(file: FileDiff) -> Iterator[tuple[str, int]]:
    """Kind and line of the secrets on added lines, as they stand and as letters of two or four
    bytes."""
    data = added_text(file)
    for form in dict.fromkeys((data, without_nuls(data))):
        text = form.decode("utf-8", "surrogateescape")
        secrets = _secrets(text)
        numbers = added_numbers(file) if secrets else []
        index = at = 0
        for secret in secrets:
            index, at = index + text.count("\n", at, secret.start), secret.start
            yield secret.kind, numbers[index]


def _keys(file: FileDiff) -> Iterator[tuple[str, int]]:
    """Kind and line of private keys of which the change adds a part: lines of it, or the beginning
    over lines that stood there."""
    for hunk in file.hunks:
        if not hunk.old_count or b"PRIVATE KEY" not in without_nuls(hunk.body):
            continue
        rows, added = (
            dict(hunk.head_lines()),
            {n for first, last in hunk.added_runs() for n in range(first, last + 1)},
        )
        numbers, text = (
            [*rows],
            without_nuls(b"\n".join(rows.values())).decode("utf-8", "surrogateescape"),
        )
        for secret in _secrets(text):
            lines = numbers[text.count("\n", 0, secret.start) : text.count("\n", 0, secret.end) + 1]
            fresh = [n for n in lines if n in added and _KEY_PART.search(without_nuls(rows[n]))]
            if (
                secret.kind == "private-key"
                and fresh
                and (lines[0] == fresh[0] or lines[0] not in added)
            ):
                yield secret.kind, fresh[0]


def _finding(path: str, kind: str, line: int) -> Finding:
    title = f"a secret in the code: {kind.replace('-', ' ')}"
    return Finding(
        _weight(path, kind), "secret", f"builtin/secret-{kind}", path, line, line, title, _BODY
    )


def _weight(path: str, kind: str) -> Priority:
    """Made-up values are usual in tests and manuals, and key files in tests; a provider's token is
    one anywhere."""
    made_up = kind in _GENERIC and (is_tests(path) or is_document(path))
    return (
        Priority.P2
        if made_up or (kind == "private-key" and is_tests(path) and is_key_file(path))
        else Priority.P0
    )
