"""New dependencies whose source, version or name deserves a second look."""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_lock_file
from .._manifests import Dependency, is_manifest, read_dependencies
from .._popular import looks_like
from .._remark import WHOLE_FILE, ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line
from .._uses import is_new_line

EVERY_FILE = False
_URL = ComparisonRule(
    "dependency-from-url",
    Priority.P2,
    "What lies at that address can change without a new version, and no registry vouches for it. "
    "Use a release, or pin a full commit id.",
)
# With a version and a checksum, but of somebody else: https://go.dev/ref/mod#go-mod-file-replace
_REPLACED = replace(
    _URL, advice="Code of another project takes its place. Make sure that it is meant and trusted."
)
_OPEN = ComparisonRule(
    "dependency-unpinned",
    Priority.P2,
    "The next install may bring another version than the one that was tested. Pin it like its "
    "neighbours.",
)
_NAME = ComparisonRule(
    "dependency-lookalike",
    Priority.P2,
    "Packages with such names have been used to run code on developers' machines. Make sure that "
    "this one is meant.",
)
_FROM = "comes from an address instead of the registry"
_FEW = 3
# A release, or a commit by its full id
_FIXED = lazy_pattern(r"\b(?:tag|rev|ref)\s*[:=]|[@#?]v?\d+(?:\.\d+)+|\b[0-9a-f]{40}\b")
_ADDRESS = lazy_pattern(r"[\w-]+(?:\.[\w-]+)*\.\w+[/:][\w./-]*\w|(?<=github:)[\w./-]*\w")
_REPOSITORY = lazy_pattern(
    r"(?P<owner>(?:[\w.-]+\.\w+[/:])?[\w-][\w.-]*)/[\w.-]+?(?:\.git)?/?(?=[\s\"'#@,?;]|$)"
)
_OF_ONE_OWNER = "The manifest takes other packages of the same owner in this way."
_UNREAD = ("setup.py", "setup.cfg", "noxfile.py", "environment.yml")
# https://packaging.python.org/en/latest/specifications/dependency-specifiers/
_DIRECT = lazy_pattern(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*@\s*(?:git\+|https?://)\S+")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind: the manifests of a project change together."""
    told: set[str] = set()
    for finding in _all(sources):
        if finding.rule not in told:
            told.add(finding.rule)
            yield finding


def _all(sources: ComparisonInput) -> Iterator[Finding]:
    for file in sources.files:
        if file.is_gone or not file.added or file.is_test:
            continue
        if file.name in _UNREAD:
            yield from _by_line(file)
        if not is_manifest(file.name):
            continue
        yield from _first(sources, file)


def _is_used(sources: ComparisonInput, name: str) -> bool:
    """Another manifest or a lockfile of the base has a package of this name."""
    return any(
        not is_new_line(sources, place)
        and (is_manifest(place.path.rpartition("/")[2]) or is_lock_file(place.path))
        for place in sources.find_words([name])[name]
    )


def _is_known(sources: ComparisonInput, spec: str) -> bool:
    """The base has the address in another file: the dependency moved, or stands twice."""
    found = _ADDRESS.search(spec)
    if found is None:
        return False
    removed = (line.text for file in sources.files for line in file.removed)
    if any(found[0] in text for text in removed):
        return True
    return any(
        not is_new_line(sources, place) for place in sources.find_words([found[0]])[found[0]]
    )


def _by_line(file: ComparedFile) -> Iterator[Finding]:
    """A requirement with an address in a file that only Python can read."""
    for line in file.added:
        found = _DIRECT.search(line.text)
        if found and found[0] not in file.base:
            title = f"{found['name']} {_FROM}"
            yield put(_URL, file, line, title)
            return


def _first(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """One remark of each kind."""
    before = read_dependencies(file.name, file.base)
    after = read_dependencies(file.name, file.head)
    told: set[str] = set()
    for each in [each for name, each in after.items() if before.get(name) != each]:
        for rule, title in _remarks(sources, each, before, after):
            if rule.name not in told:
                told.add(rule.name)
                old = before.get(each.name)
                yield put(
                    rule,
                    file,
                    _line(file, each),
                    title,
                    quoted(old.spec) if old and old.spec else "",
                )


def _remarks(
    sources: ComparisonInput,
    each: Dependency,
    before: Mapping[str, Dependency],
    after: Mapping[str, Dependency],
) -> Iterator[tuple[ComparisonRule, str]]:
    name, old = each.name.removesuffix(" =>"), before.get(each.name)
    if each.from_url and not (old and old.from_url) and not _is_known(sources, each.spec):
        replaced = each.name != name
        what = f"is replaced by {each.spec}" if replaced else _FROM
        yield _url_rule(each, before, _REPLACED if replaced else _URL), f"{name} {what}"
    elif each.is_open and (old.is_exact if old else _others_are_pinned(each, after)):
        yield _OPEN if old and old.is_exact else hint(_OPEN), f"{name} may be any version"
    elif old and old.is_exact and not each.is_exact and _others_are_pinned(each, after):
        yield hint(_OPEN), f"{name} is no longer pinned"
    if not old and (meant := _misspelt(sources, each, after)):
        yield _NAME, f"{name} is one letter away from {meant}"


def _misspelt(sources: ComparisonInput, each: Dependency, after: Mapping[str, Dependency]) -> str:
    """The well-known package that may be meant; "" where the project has either of the two."""
    meant = "" if each.is_alias else looks_like(each.kind, each.name.removesuffix(" =>"))
    return "" if not meant or meant in after or _is_used(sources, each.name) else meant


def _url_rule(
    each: Dependency, before: Mapping[str, Dependency], rule: ComparisonRule
) -> ComparisonRule:
    if _owner(each.spec) in {_owner(other.spec) for other in before.values() if other.from_url}:
        return hint(rule, _OF_ONE_OWNER)
    return hint(rule) if _FIXED.search(each.spec) else rule


def _owner(spec: str) -> str:
    """Whose repository it is: what stands before the repository's name, with its host if named."""
    found = _REPOSITORY.search(spec)
    return found["owner"] if found else spec


def _others_are_pinned(each: Dependency, after: Mapping[str, Dependency]) -> bool:
    """Nearly all of the neighbours name a version; of pins most."""
    others = [other for other in after.values() if other.name != each.name]
    exact = sum(other.is_exact for other in others)
    bounded = sum(not other.is_open for other in others)
    if each.is_open and each.spec:
        return len(others) >= 2 and bounded == len(others)
    return len(others) >= _FEW - 1 and exact >= 0.8 * len(others)


def _line(file: ComparedFile, each: Dependency) -> Line:
    whole = re.compile(rf"(?<![\w.-]){re.escape(each.name.removesuffix(' =>'))}(?![\w-])")
    named = (line for line in file.added if whole.search(line.text))
    return next(
        (line for line in named if not line.text.lstrip().startswith(("#", "//"))), WHOLE_FILE
    )
