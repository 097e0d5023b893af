"""Programs and archives in the tree, whose content no review shows."""

import re
from collections.abc import Iterator

from ....model.change import FileDiff
from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule
from .._sources import ComparisonInput

EVERY_FILE = True
_RULE = ComparisonRule(
    "binary-committed",
    Priority.P2,
    "Nobody can review what is in it, and every clone carries it. Build it, or download a fixed "
    "version and verify its checksum.",
)
_PROGRAM = lazy_pattern(
    r"\.(?:exe|dll|so(?:\.\d+)*|dylib|a|o|obj|lib|class|jar|war|ear|pyc|pyd|apk|aab|ipa|app|bin"
    r"|wasm|node)$",
    re.I,
)
_PACKAGE = lazy_pattern(r"\.(?:whl|egg|gem|nupkg|crx|xpi|vsix|aar|phar|msi|deb|rpm|dmg)$", re.I)
_ARCHIVE = lazy_pattern(r"\.(?:zip|tar|tgz|tar\.\w+|gz|bz2|xz|7z|rar|zst|cab|iso)$", re.I)
# What build tools themselves ask to be committed
_USUAL = lazy_pattern(r"(?:^|/)(?:gradle-wrapper\.jar|maven-wrapper\.jar)$|(?:^|/)\.yarn/")
_OF_OTHERS = lazy_pattern(r"(?:^|/)(?:vendor|vendored|third[_-]?party)/", re.I)
_TESTS = lazy_pattern(
    r"(?:^|/)(?:specs?|fixtures?|samples?|examples?|corpus|corpora|data|resources|assets)/"
    r"|(?:^|[/._-])tests?(?:[/._-]|data|suite|ing)|[a-z]Tests?/|fuzz",
    re.I,
)


# How programs of Linux, Windows and macOS begin
_MAGIC = ("\x7fELF", "MZ", "\udccf\udcfa\udced\udcfe")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file that is new."""
    for file in sources.change.files:
        if file.binary and file.mode.startswith("100") and file.status == "A":
            kind = _kind(sources, file)
            if not kind or _USUAL.search(file.path) or _TESTS.search(file.path):
                continue
            if not _holds_such(sources, file) and not _is_made_from(sources, file):
                yield _finding(file, kind)


def _holds_such(sources: ComparisonInput, new: FileDiff) -> bool:
    """The project keeps programs and archives of others in its tree, or files of this kind in this
    folder or another one below the same top folder, as it did before."""
    added = {file.path for file in sources.change.files if file.status == "A"}
    gone = {file.old_path for file in sources.change.files if file.status == "D"}
    top, _slash, below = new.path.partition("/")
    top = f"{top}/" if below else ""
    suffix = new.path.rpartition(".")[2] if "." in new.path.rpartition("/")[2] else ""
    vendored = _OF_OTHERS.search(new.path) is not None
    return any(
        (suffix and _is_in(path, top) and path.endswith(f".{suffix}"))
        or (vendored and _OF_OTHERS.search(path) and _kind_by_name(path))
        for path in {*sources.list_head(), *gone} - added - {new.path}
    )


def _is_in(path: str, top: str) -> bool:
    return path.startswith(top) if top else "/" not in path


def _kind_by_name(path: str) -> str:
    kinds = (
        ("a compiled program", _PROGRAM), ("a built package", _PACKAGE), ("an archive", _ARCHIVE),
    )  # fmt: skip
    return next((kind for kind, pattern in kinds if pattern.search(path)), "")


def _kind(sources: ComparisonInput, file: FileDiff) -> str:
    if kind := _kind_by_name(file.path):
        return kind
    if "." in file.path.rpartition("/")[2]:
        return ""
    text = sources.read_head([file.path]).get(file.path, "") if file.mode != "100755" else ""
    return "a compiled program" if file.mode == "100755" or text.startswith(_MAGIC) else ""


def _is_made_from(sources: ComparisonInput, file: FileDiff) -> bool:
    """A server sends it in the place of the file beside it.
    https://nginx.org/en/docs/http/ngx_http_gzip_static_module.html"""
    bare = re.sub(r"\.(?:gz|br|zst)$", "", file.path)
    return bare != file.path and bare in sources.list_head()


def _finding(file: FileDiff, kind: str) -> Finding:
    return Finding(
        _RULE.priority, "change", f"change/{_RULE.name}", file.path, 0, 0,
        f"{kind} is committed", _RULE.advice,
    )  # fmt: skip
