"""Secrets on added lines, in file names, commits, tags and small binaries. A finding names kind and
place, never the value."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from ...findings.lines import without_nuls
from ...findings.scope import HISTORY_CATEGORY
from ...model.change import FileDiff
from ...model.finding import Finding, FindingState, Priority
from ...model.languages import detect_language
from ...text.archives import is_packed, unpack
from ...text.patterns import lazy_pattern
from ...text.redact import SecretSpan, find_secrets, with_name
from ...text.secrets.kind import Kind
from ...text.secrets.rules import FoundSecret, SecretRules
from ._paths import (
    is_document,
    is_fixture,
    is_key_file,
    is_lock_file,
    is_manual,
    is_own_test,
    is_tests,
    is_translation,
)
from ._sources import CheckInput, added_numbers, added_text, removed_text

WANTS: tuple[str, ...] = ()
EVERY_FILE = True
# Hosts that are kept for examples: nobody can log in there (RFC 2606 and 6761). Behind any other
# sign the host may go on.
_NOWHERE = lazy_pattern(
    r"@(?:(?:[\w\-]{1,63}\.){0,8}example\.(?:com|net|org)|(?:[\w\-]{1,63}\.){1,8}(?:example|test"
    r"|invalid|localhost))"
    r"(?::\d{1,5})?(?=[\s/?#\"'`;)<>\]]|,[\s\"'`]|,\Z|\\[nrt\"'`]|\Z)",
    re.IGNORECASE | re.ASCII,
)
_HEADER = lazy_pattern(r"-----BEGIN [A-Z0-9 ]{0,60}-----")
_KEY_LETTERS = lazy_pattern(r"[A-Za-z0-9+/]")
_SHORTEST_KEY = 40  # letters
# The beginnings of keys without their header: DER's number of the version in base64, OpenSSH's
# name, a header in base64 itself.
_KEY_START = lazy_pattern(
    r"(?:M[C-H][A-Za-z0-9+/]CAQ|MI[GH][A-Za-z0-9+/](?:AgE|M[EF])|MII[A-Za-z0-9+/]{2}(?:[AQgw]IB"
    r"|[DTjz]B)|b3Blbn|LS0tLS1C)[A-Za-z0-9+/]{34}"
)
_KEY_PART = lazy_pattern(rb"[A-Za-z0-9+/]{40}|-----BEGIN ")
_REVOKE = (
    "Revoke it where it was issued{page}: everyone who has the commit has it. Then remove it from "
    "this commit itself (amend or rebase; a later"
    " commit that deletes it leaves it in the history), and read it from the environment or a "
    "secret store."
)
_MADE_UP = (
    "Here it may be made up for this purpose, and then nothing need be done. If it opens anything: "
    "{revoke}"
)
# Lines of a key that are left out
_LEFT_OUT = lazy_pattern(r"(?m)^\W{0,20}(?:\.{3}|\u2026)\W{0,20}$")
_MOST_COMPARED = 100  # secrets of a file that are looked for in the text of its base
_BEFORE = "it was there before this change"


class _Place(Struct, frozen=True):
    """A secret of a file, on a line of it; `chosen`: a person may have made it up; `shown`: a
    comment shows how one looks."""

    kind: str
    value: str
    line: int
    chosen: bool = False
    shown: bool = False


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line and kind; and one for each secret that is elsewhere: in a commit between
    base and head alone, a message, a name, a binary."""
    removed = _RemovedSecrets(sources.change.files)
    for file in sources.change.files:
        if file.hunks and not file.binary:
            yield from _in_file(file, sources, removed)
        if file.status in ("A", "R", "C"):
            yield from _in_name(file, sources.rules)
    yield from _between(sources)
    yield from _in_records(sources)
    for path, (before, now) in sources.binaries.items():
        yield from _in_binary(path, before, now, sources.rules)


class _RemovedSecrets:
    """The secrets that the change takes away somewhere, looked for when one is added."""

    def __init__(self, files: Iterable[FileDiff]) -> None:
        self._files = files
        self._values: set[str] | None = None

    def __contains__(self, value: str) -> bool:
        if self._values is None:
            gone = [removed_text(file) for file in self._files if not file.binary]
            self._values = {value for text in gone for _kind, value in _values(text)}
        return value in self._values


class _BaseSecrets:
    """What a file held at base, read when a secret is added to it."""

    def __init__(self, file: FileDiff, sources: CheckInput) -> None:
        self._file, self._sources = file, sources
        self._base: bytes | None = None
        self._values = set[str]()
        self._asked = 0

    def __contains__(self, value: str) -> bool:
        if self._base is None:
            self._base = without_nuls(self._sources.before(self._file))
            self._values = {known for _kind, known in _values(self._base)}
        self._asked += 1
        # As a text, too, which takes the time of the whole file: a key may be indented now
        return value in self._values or (self._asked < _MOST_COMPARED and self._stands(value))

    def _stands(self, value: str) -> bool:
        rows = [row.strip(" \t\r\"'`,+\\") for row in value.split("\n")]
        base = self._base or b""
        return bool(base) and all(row.encode("utf-8", "surrogateescape") in base for row in rows)


def _in_file(file: FileDiff, sources: CheckInput, removed: _RemovedSecrets) -> Iterator[Finding]:
    told, before = set[tuple[str, int]](), _BaseSecrets(file, sources)
    lines = cache(lambda: {row.new: row.text for row in file.added_lines()})
    for place in (*_added(file), *_keys(file)):
        if (place.kind, place.line) in told or _is_made_up(file.path, place, place.value):
            continue
        text = lines().get(place.line, b"") if sources.rules.allowances else b""
        line = text.decode("utf-8", "surrogateescape")
        asked = FoundSecret(place.kind, place.value, file.path, place.line, line)
        if sources.rules.allow(asked):
            continue
        told.add((place.kind, place.line))
        finding = _finding(file.path, place)
        old = place.value in before or place.value in removed
        yield replace(finding, state=FindingState.OUTSIDE_DIFF, note=_BEFORE) if old else finding


def _is_made_up(path: str, place: _Place | SecretSpan, value: str) -> bool:
    """What people choose as passwords is usual in tests, manuals and translations, and means
    nothing there; nor is a lock file's digest a secret, nor a word of whatever language."""
    if place.kind == "assigned-secret" and (
        is_lock_file(path) or (is_translation(path) and not any(map(str.isdigit, value)))
    ):
        return True
    return place.chosen and (is_tests(path) or is_document(path) or is_translation(path))


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
                for each in _values(added_text(file), file.path)
                if each not in known and each not in news
            }
    for (kind, value), (oid, path) in news.items():
        if not sources.rules.allow(FoundSecret(kind, value, path, commit=oid)):
            yield _elsewhere(path, kind, f"in commit {oid[:12]}, removed by a later commit")


def _values(data: bytes, path: str = "") -> set[tuple[str, str]]:
    """Kind and value of the secrets in a text, of a file of this path."""
    texts = (
        form.decode("utf-8", "surrogateescape")
        for form in dict.fromkeys((data, without_nuls(data)))
    )
    return {
        (secret.kind, value)
        for text in texts
        for secret in _secrets(text)
        if not _is_made_up(path, secret, value := text[secret.start : secret.end])
    }


def _in_name(file: FileDiff, rules: SecretRules) -> Iterator[Finding]:
    for secret in _certain(file.path):
        value = file.path[secret.start : secret.end]
        if not rules.allow(FoundSecret(secret.kind, value, file.path)):
            yield _elsewhere(file.path, secret.kind, "in a file's name", "secret")


# Object ids, and signatures, whose rows begin with a space
# https://git-scm.com/docs/signature-format
_NO_TEXT = lazy_pattern(
    rb"^(?:(?:tree|parent|object|type) [^\n]*|gpgsig(?:-sha256)? [^\n]*(?:\n [^\n]*)*)$",
    re.MULTILINE,
)
_PEOPLE = lazy_pattern(rb"^(?:author|committer|tagger) [^\n]*$", re.MULTILINE)


def _in_records(sources: CheckInput) -> Iterator[Finding]:
    """Messages, people and other headers of commits and tags."""
    told = set[tuple[str, str]]()
    for oid, data in sources.records.items():
        head, _blank, message = data.partition(b"\n\n")
        what = "tag" if head.startswith(b"object ") else "commit"
        people = b"\n".join(_PEOPLE.findall(head))
        headers = _PEOPLE.sub(b"", _NO_TEXT.sub(b"", head))
        for where, text in (("message", message), ("author", people), ("headers", headers)):
            plain = text.decode("utf-8", "surrogateescape")
            for secret in _certain(plain):
                value = plain[secret.start : secret.end]
                asked = FoundSecret(secret.kind, value, "", text=plain[:2_000], commit=oid)
                if (secret.kind, value) in told or sources.rules.allow(asked):
                    continue
                told.add((secret.kind, value))
                place = f"in the {where} of {what} {oid[:12]}"
                yield _elsewhere(f"{what} {oid[:12]}", secret.kind, place)


def _in_binary(path: str, before: bytes, now: bytes, rules: SecretRules) -> Iterator[Finding]:
    """In the texts that a binary holds, as it stands or packed; what its version before held is
    old."""
    known = {(kind, value) for _member, kind, value in _packed(before)}
    told = set[tuple[str, str]]()
    for member, kind, value in _packed(now):
        if (kind, value) in known | told or rules.allow(FoundSecret(kind, value, path)):
            continue
        told.add((kind, value))
        where = f"in {path}, member {member}" if member else f"in the binary file {path}"
        yield _elsewhere(path, kind, where, "secret")


def _packed(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Member, kind and value."""
    texts = unpack(data) if is_packed(data) else iter([("", data)])
    for member, content in texts:
        text = without_nuls(content).decode("latin-1")
        for secret in _certain(text):
            yield member, secret.kind, text[secret.start : secret.end]


def _certain(text: str) -> Iterator[SecretSpan]:
    """Those that no person made up."""
    return (secret for secret in _secrets(text) if not secret.chosen)


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


def _added(file: FileDiff) -> Iterator[_Place]:
    """The secrets on added lines, as they stand and as letters of two or four bytes."""
    data = added_text(file)
    for form in dict.fromkeys((data, without_nuls(data))):
        text = with_name(file.path, form.decode("utf-8", "surrogateescape"))
        secrets = _secrets(text)
        numbers = added_numbers(file) if secrets else []
        index = at = 0
        for secret in secrets:
            index, at = index + text.count("\n", at, secret.start), secret.start
            value = text[secret.start : secret.end]
            before = text[text.rfind("\n", 0, secret.start) + 1 : secret.start]
            shown = _SHOWS_ONE.match(before) is not None
            yield _Place(secret.kind, value, numbers[index], secret.chosen, shown)


# A comment that shows how such a value looks
_SHOWS_ONE = lazy_pattern(
    r"(?i)\s*(?:\*|//|#|--|/\*|;|%|<!--).*\b(?:(?:examples?|for instance|samples?)\b|e\.g\.)"
)


def _keys(file: FileDiff) -> Iterator[_Place]:
    """Private keys of which the change adds a part: lines of it, or the beginning over lines that
    stood there."""
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
                yield _Place(secret.kind, text[secret.start : secret.end], fresh[0])


def _finding(path: str, place: _Place) -> Finding:
    return _described(path, place, "in the code", "secret")


def _elsewhere(path: str, kind: str, where: str, category: str = HISTORY_CATEGORY) -> Finding:
    return _described(path, _Place(kind, "", 0), where, category)


def _described(path: str, place: _Place, where: str, category: str) -> Finding:
    """A key of which lines are left out opens nothing."""
    kind, line = place.kind, place.line
    part = kind == "private-key" and _LEFT_OUT.search(place.value) is not None
    priority = Priority.P2 if part else _weight(path, kind, place.shown)
    title = f"a secret {where}: {kind.replace('-', ' ')}"
    body = _body(kind) if priority is Priority.P0 else _MADE_UP.format(revoke=_body(kind))
    return Finding(priority, category, f"builtin/secret-{kind}", path, line, line, title, body)


def _known(kind: str) -> Kind | None:
    from ...text.secrets.table import KINDS  # loaded by now: something was found

    return KINDS.get(kind)


def _body(kind: str) -> str:
    known = _known(kind)
    return _REVOKE.format(page=f" (https://{known.revoke})" if known and known.revoke else "")


def _is_made_for_tests(path: str) -> bool:
    """A key in a file of its own, in a sample that a test reads, or in the code of a test: a server
    needs one to be tested, and its value says nothing of what it opens. Settings name that, too,
    and of an example people make their own copy."""
    of_tests = is_tests(path) and (is_key_file(path) or is_fixture(path))
    return of_tests or (is_own_test(path) and bool(detect_language(path, "", b"")))


def _weight(path: str, kind: str, shown: bool) -> Priority:
    """Made-up values are the rule in tests and manuals, and keys usual in tests. A provider's token
    is one anywhere, except in a test if nothing but its name tells that."""
    known = _known(kind)
    if known is None:
        return Priority.P0
    generic = known.generic and (is_tests(path) or is_manual(path) or shown)
    key = known.own and _is_made_for_tests(path)
    if generic or key:
        # An example may be a copy of what somebody uses
        usual = is_own_test(path) or (generic and (is_manual(path) or shown))
        return Priority.P3 if usual else Priority.P2
    return Priority.P2 if known.beside and is_own_test(path) else Priority.P0
