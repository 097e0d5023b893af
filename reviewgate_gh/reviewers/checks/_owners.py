"""Whether a change of CODEOWNERS takes an owner's say away.
https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners"""

from collections.abc import Collection, Mapping

from ...text.patterns import lazy_pattern

# The part of the tree that a row is about has a name, and does not decide how code is reviewed
_NARROW = lazy_pattern(rb"(?i)(?!\*+\.|.*(?:git|owners|reviewgate))\S*[a-z]{3}\S*")
_COMMENT = lazy_pattern(rb"(?:^|\s)#.*")
# Where GitHub looks for the file; the first one counts
_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
_GITLAB = (".gitlab-ci.yml", ".gitlab/CODEOWNERS")  # which looks at the root first
_SECTION = (b"[", b"^[")  # of GitLab: who owns by default what the rows below name


def keeps_owners(base: bytes, removed: bytes, added: bytes) -> bool:
    """Every part of the removed rows has owners again, and each added row is about a part with a
    name; all of the tree, and what decides how code is reviewed, goes only to somebody who owned
    some of it. The last row that fits counts, so that a wide one takes from all before it."""
    before, now = _owners(removed), _owners(added)
    if before is None or now is None:
        return False
    known = set().union(*(_owners(base, sections=True) or {}).values())
    return all(
        owners
        and (
            _NARROW.fullmatch(pattern) or (pattern in before and owners <= known | before[pattern])
        )
        for pattern, owners in now.items()
    ) and all(pattern in now or not owners for pattern, owners in before.items())


def is_outranked(path: str, head_paths: Collection[str], changed: Collection[str]) -> bool:
    """GitHub reads another file instead, which the change leaves as it is."""
    if path not in _PLACES or any(name in head_paths for name in _GITLAB):
        return False
    before = _PLACES[: _PLACES.index(path)]
    return any(name in head_paths and name not in changed for name in before)


def _owners(text: bytes, sections: bool = False) -> Mapping[bytes, frozenset[bytes]] | None:
    """The owners of each pattern; None where a section begins that `sections` does not expect."""
    found: dict[bytes, frozenset[bytes]] = {}
    for row in text.split(b"\n"):
        pattern, *owners = _COMMENT.sub(b"", row).split() or (b"",)
        if pattern.startswith(_SECTION):
            if not sections:
                return None
        elif pattern:
            found[pattern] = frozenset(owners)
    return found
