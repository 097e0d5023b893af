"""What hooks a configuration of the pre-commit framework has (https://pre-commit.com/#plugins)."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ...text.patterns import lazy_pattern
from ._workflows import read_tree

_VERSION = lazy_pattern(r"(?<=[\w\]])(?:[=~<>!]=?=?|@)v?\d[\w.*+-]*\Z")
# A package that no registry holds: from an address, a repository or a folder
_FROM_ELSEWHERE = lazy_pattern(
    r"://|\bgit\+|\bfile:|\A[./~]|(?:\A|(?<=.)@)[\w.-]+/[\w.-]|@\s*[\w.-]+:|\s@\s"
)
# A version or a commit, which does not move as a branch does
_PINNED = lazy_pattern(r"v?\d+(?:\.\d+)+[\w.+-]*|v\d+|[0-9a-f]{40}")
# More than style: secrets, risks, what is committed by mistake, whether the code works
_PROTECTS = lazy_pattern(
    r"(?i)secret|leak|credential|private|secur|safety|bandit|semgrep|trivy|checkov|audit|vuln"
    r"|zizmor"
    r"|conflict|large|symlink|test|typ(?:e|ing)|mypy|pyright|clippy|vet\b|shellcheck|hadolint"
    r"|actionlint|reviewgate|gate\b|sign|licen[cs]e|\blocal\b"
)
_LINTS = lazy_pattern(r"(?i)lint|flake8|ruff(?!-format)|biome|rubocop|detekt|checkstyle|phpcs")
_PACKAGES = "additional_dependencies"
# What says neither what a hook runs nor what it reads
_BESIDE = ("name", "alias", "description", "verbose", "args", "always_run", "require_serial")
_CHOOSES = ("files", "types", "types_or")
_LEAVES_OUT = ("exclude", "exclude_types")
_Place = tuple[str, str, int]


class _Hook(Struct, frozen=True):
    """What a hook runs and reads beside its packages; what it leaves out; those packages that come
    from no registry; whether its revision stays what it is, and whether it runs a command of this
    file."""

    says: str
    left_out: str
    unusual: frozenset[str]
    pinned: bool
    is_command: bool

    def keeps(self, before: "_Hook") -> bool:
        """It does what it did. Packages of a registry are no more than a dependency of the project
        would be, and those that go at most a rule of a linter."""
        return (
            self.says == before.says
            and self.left_out in ("[]", before.left_out)
            and self.unusual <= before.unusual
            and self.pinned >= before.pinned
        )


def keeps_hooks(base: bytes, head: bytes) -> bool:
    """Every hook of the base is there, of the same repository, starts the same, and reads as much,
    or is one that checks little, or a linter where another hook comes; new ones come from the same
    repositories, or at a version, as every dependency does."""
    before, now = _read_hooks(base), _read_hooks(head)
    known = {repository for repository, _name, _number in before}
    new = {place: hook for place, hook in now.items() if place not in before}
    return (
        bool(now)
        and all(now[place].keeps(hook) for place, hook in before.items() if place in now)
        and _are_replaced([place for place in before if place not in now], [*new])
        and all(
            not hook.unusual and not hook.is_command and (place[0] in known or hook.pinned)
            for place, hook in new.items()
        )
    )


def _are_replaced(gone: Sequence[_Place], new: Sequence[_Place]) -> bool:
    """By hooks of other names: one of the same name from another place is other code under it."""
    names = {name for _repository, name, _number in new}
    return not any(
        name in names
        or _PROTECTS.search(f"{repository} {name}")
        or (not new and _LINTS.search(name))
        for repository, name, _number in gone
    )


def _read_hooks(data: bytes) -> dict[_Place, _Hook]:
    """The hooks of a configuration by repository, name and number among equal ones; nothing of
    one that cannot be read."""
    found: dict[_Place, _Hook] = {}
    root = read_tree(data.decode("utf-8", "replace"))
    for repository in _items(_fields(root).get("repos")):
        fields = _fields(repository)
        revision = str(getattr(fields.get("rev"), "value", ""))
        for hook in _items(fields.get("hooks")):
            settings = _fields(hook)
            name = (
                getattr(fields.get("repo"), "value", ""),
                getattr(settings.get("id"), "value", ""),
            )
            number = sum(other[:2] == name for other in found)
            found[*name, number] = _read_hook(name, settings, revision)
    return found


def _read_hook(name: tuple[str, str], settings: dict[str, Any], revision: str) -> _Hook:
    packages = [str(_plain(each)) for each in _items(settings.get(_PACKAGES))]
    is_local, protects = name[0] == "local", _PROTECTS.search(" ".join(name))
    says = {
        # That one about style reads other files than before says little; that it reads fewer of
        # them, by a key that is new, is another matter
        key: _plain(value) if protects or key not in _CHOOSES else key
        for key, value in settings.items()
        if key not in (_PACKAGES, *_LEAVES_OUT)
        and (key not in _BESIDE or (is_local and key == "args"))
    }
    left_out = {key: _plain(settings[key]) for key in _LEAVES_OUT if key in settings}
    return _Hook(
        repr(sorted(says.items())),
        repr(sorted(left_out.items())),
        frozenset(_VERSION.sub("", each) for each in packages if _FROM_ELSEWHERE.search(each)),
        _PINNED.fullmatch(revision) is not None,
        is_local or "entry" in settings or "language" in settings,
    )


def _fields(node: Any) -> dict[str, Any]:
    pairs = node.value if getattr(node, "id", "") == "mapping" else ()
    return {key.value: value for key, value in pairs if key.id == "scalar"}


def _items(node: Any) -> list[Any]:
    return [*node.value] if getattr(node, "id", "") == "sequence" else []


def _plain(node: Any) -> Any:
    """The node as a value, without its place."""
    if node.id == "mapping":
        return [(_plain(key), _plain(value)) for key, value in node.value]
    return [_plain(each) for each in node.value] if node.id == "sequence" else node.value
