"""What of the secrets that are found the project has decided about: allowed values, paths and
places."""

from msgspec import Struct

from ...model.finding import sha256_hex
from .custom import CustomKind
from .kind import compiled

# What gitleaks reads at the root of a project
GITLEAKS_CONFIG, GITLEAKS_IGNORE = ".gitleaks.toml", ".gitleaksignore"


class Allowance(Struct, frozen=True):
    """One allow-list: patterns of paths, of the secret, of its line, words within the secret,
    commits. `all_of`: every kind of condition that is filled must hold. `kinds`: of these alone."""

    paths: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    all_of: bool = False
    kinds: tuple[str, ...] = ()


class FoundSecret(Struct, frozen=True):
    """A secret with what a rule may ask about: its kind, value, path, line and the text of that;
    the commit where it is only there."""

    kind: str
    value: str
    path: str
    line: int = 0
    text: str = ""
    commit: str = ""


class SecretRules(Struct, frozen=True):
    """All that the trusted side says. `digests` are SHA-256 of values, `places` path and line (0:
    any), `known` paths with digests of values."""

    kinds: tuple[CustomKind, ...] = ()
    digests: frozenset[str] = frozenset()
    allowances: tuple[Allowance, ...] = ()
    places: frozenset[tuple[str, int]] = frozenset()
    known: frozenset[tuple[str, str]] = frozenset()
    off: frozenset[str] = frozenset()

    def allow(self, secret: FoundSecret) -> bool:
        """The project has said that this one is none, or is accepted."""
        if secret.kind in self.off or (secret.path, secret.line) in self.places:
            return True
        if self.digests or self.known:
            digest = sha256_hex(secret.value)
            if digest in self.digests or (secret.path, digest) in self.known:
                return True
        return any(_holds(each, secret) for each in self.allowances)


def _holds(each: Allowance, secret: FoundSecret) -> bool:
    if each.kinds and secret.kind not in each.kinds:
        return False
    low = secret.value.lower()
    results = [
        any(test(item) for item in items)
        for items, test in (
            (each.paths, lambda p: compiled(p).search(secret.path)),
            (each.values, lambda p: compiled(p).search(secret.value)),
            (each.lines, lambda p: compiled(p).search(secret.text[:2_000])),
            (each.words, lambda word: word.lower() in low),
            (each.commits, lambda oid: bool(secret.commit) and secret.commit.startswith(oid)),
        )
        if items
    ]
    return bool(results) and (all(results) if each.all_of else any(results))
