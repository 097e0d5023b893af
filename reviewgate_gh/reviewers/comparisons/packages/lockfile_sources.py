"""Where packages come from: another server is how a supply chain is poisoned."""

import re
from collections.abc import Collection, Iterator

from ....model.finding import Finding, Priority
from ....text.paths import glob_matcher
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture, is_lock_file
from .._guards import is_explained
from .._manifests import is_manifest
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line
from ._lockfile_names import FILES, LOCK, UNCHECKED

EVERY_FILE = True
_HOST = ComparisonRule(
    "package-source-changed",
    Priority.P2,
    "Whoever runs that server decides what is installed. Make sure that this is intended and "
    "trusted, or regenerate the lockfile from the usual registry.",
)
_NAMED = hint(_HOST, "Only packages that are assigned to it come from there.")
_URL = lazy_pattern(
    r"(?P<scheme>git\+ssh|git\+https|https?|git"
    r"|ssh)://(?:[^@/\s\"']*@)?(?P<host>[\w.-]+)(?::\d+)?(?=[/\"'\s]|$)"
)
_REGISTRY = lazy_pattern(
    r"^\s*(?:@[\w-]+:)?(?:registry|npmRegistryServer|index-url|extra-index-url|--index-url"
    r"|--extra-index-url|-i|url|source|distributionUrl|index)\b\s*[=: (]\s*[\"']?(?:https?"
    r"|git)\S*",
    re.I,
)
_INDEX = lazy_pattern(r"\s*(?:--(?:extra-)?index-url|--find-links|-[if])\b")
# The names of one registry each
_ALIASES = (
    lazy_pattern(r"registry\.(?:npmjs(?=\.(?:org|com))|yarnpkg(?=\.com))\.\w+\Z"),
    lazy_pattern(r"(?:pypi(?:\.python)?|files\.pythonhosted)(?=\.org)\.\w+\Z"),
    lazy_pattern(r"(?:index|static)\.crates(?=\.io)\.\w+\Z|github\.com/rust-lang/\w+"),
    lazy_pattern(r"(?:api\.|codeload\.)?github\.com\Z"),
    lazy_pattern(r"(?:index\.)?rubygems(?=\.org)\.\w+\Z"),
    lazy_pattern(r"repo1?\.maven(?:\.apache)?(?=\.org)\.\w+\Z"),
)
# What the tools of a build have a name or a default for: no stranger, also where it is written out
# https://docs.gradle.org/current/userguide/supported_repository_types.html,
# https://learn.microsoft.com/nuget/reference/nuget-config-file#packagesources
_BY_NAME = lazy_pattern(
    r"plugins\.gradle(?=\.org)\.\w+\Z|repo1?\.maven(?:\.apache)?(?=\.org)\.\w+\Z"
    r"|services\.gradle(?=\.org)\.\w+\Z|(?:maven|dl)\.google\.com\Z"
    r"|(?:api|www)\.nuget(?=\.org)\.\w+\Z|jcenter\.bintray\.com\Z"
)
# Their packages come from the first of them unless they say something else
_OF_JAVASCRIPT = lazy_pattern(r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml")
_CRATES = lazy_pattern(r"github\.com/rust-lang/crates")
_DIGEST = lazy_pattern(r"\s*distributionSha256Sum\s*[=:]")
# Build files have many addresses; around those of packages stand these
_OF_PACKAGES = {
    ".gradle": lazy_pattern(r"\b(?:maven|ivy|repositories)\s*[({]"),
    ".kts": lazy_pattern(r"\b(?:maven|ivy|repositories)\s*[({]"),
    ".xml": lazy_pattern(r"<(?:repository|pluginRepository|mirror)>"),
    ".config": lazy_pattern(r"(?i)<packageSources>"),
}
_REPOSITORY = lazy_pattern(
    r"://(?P<host>[\w.-]+)/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?[\"'\s#?]"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding of each kind a file."""
    wanted = glob_matcher(FILES)
    for file in sources.files:
        if file.is_gone or file.is_new or not wanted(file.name) or not file.diff.hunks:
            continue
        if is_fixture(file.path):
            continue
        if LOCK.search(file.name):
            yield from _hosts(sources, file)
            yield from _from_git(sources, file) if file.name == "Cargo.lock" else ()
            yield from _owners(sources, file)
        elif ending := next((e for e in _OF_PACKAGES if file.name.lower().endswith(e)), ""):
            yield from _sources_of_packages(file, _OF_PACKAGES[ending])
        elif file.mentions(b"://", b"Sha256"):
            yield from _digest(file)
            yield from _registry(file)


def _hosts(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not file.mentions(b"://"):
        return
    known = {(found["scheme"], found["host"]) for found in _URL.finditer(file.base)}
    hosts = {host for _scheme, host in known}
    hosts |= {found[0] for found in _CRATES.finditer(file.base)}
    by_default = _names_no_source(file)
    for line in file.added:
        if not ((known or _INDEX.match(line.text)) and _is_source(line.text)):
            continue
        for found in _URL.finditer(re.split(r"(?:^|\s)#", line.text)[0]):
            scheme, host = found["scheme"], found["host"]
            plain = scheme == "http" and ("https", host) in known and (scheme, host) not in known
            usual = _is_known(host, hosts) or (by_default and _ALIASES[0].match(host))
            if plain or not (usual or _is_asked_for(sources, file, line)):
                was = ", ".join(sorted(hosts)[:3])
                title = f"packages come from {scheme}://{host} now"
                yield put(_HOST, file, line, title, quoted(was))
                return


def _is_asked_for(sources: ComparisonInput, file: ComparedFile, line: Line) -> bool:
    """A manifest of the change asks for a package from this repository: it is told there."""
    found = _REPOSITORY.search(f"{line.text} ")
    if found is None:
        return False
    named = re.compile(rf"\b{re.escape(found['owner'])}/{re.escape(found['name'])}\b")
    return any(
        named.search(row.text)
        for other in sources.files
        if other is not file and is_manifest(other.name) and not is_lock_file(other.path)
        for row in other.added
    )


def _from_git(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A package of the registry that comes from a repository now.
    https://doc.rust-lang.org/cargo/reference/pkgid-spec.html"""
    for block in file.blocks:
        old = next((line for line in block.removed if _OF_REGISTRY.match(line.text)), None)
        new = next((line for line in block.added if _OF_GIT.match(line.text)), None)
        if old and new and not _is_asked_for(sources, file, new):
            title = "a package comes from a repository instead of the registry"
            yield put(_HOST, file, new, title, quoted(old.text))
            return


_OF_REGISTRY = lazy_pattern(r"\s*source = \"(?:registry|sparse)\+")
_OF_GIT = lazy_pattern(r"\s*source = \"git\+")


def _names_no_source(file: ComparedFile) -> bool:
    """npm's lockfile may leave out where packages come from: the registry of the settings."""
    return _OF_JAVASCRIPT.match(file.name) is not None and not any(
        "://" in row and _is_source(row) for row in file.base_rows
    )


def _owners(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A repository of the same name, and of somebody else, in the place of one."""
    for block in file.blocks:
        old = [found for line in block.removed if (found := _REPOSITORY.search(line.text))]
        for line in block.added:
            new = _REPOSITORY.search(line.text)
            was = next((o for o in old if new and o["name"] == new["name"]), None)
            if new and was and was["owner"] != new["owner"] and _is_source(line.text):
                same = was["host"] == new["host"] and _is_same_commit(file, block, line)
                if same and not _is_asked_elsewhere(sources, file, was, new):
                    continue  # a repository that has moved, with what was there
                title = f"{new['name']} comes from {new['owner']} now"
                yield put(_HOST, file, line, title, quoted(was["owner"]))
                return


def _is_asked_elsewhere(
    sources: ComparisonInput, file: ComparedFile, old: re.Match[str], new: re.Match[str]
) -> bool:
    """SwiftPM: the manifest still names the old repository, and nothing there the new one; mirrors
    have a file of their own.
    https://docs.swift.org/swiftpm/documentation/packagemanagerdocs/addingdependencies"""
    project, found, _below = file.path.partition(".xcodeproj/")
    manifest = f"{project}{found}project.pbxproj" if found else f"{file.folder}Package.swift"
    if file.name != "Package.resolved" or f"{file.folder}{_MIRRORS}" in sources.list_head():
        return False
    asked = sources.read_head([manifest]).get(manifest, "").lower()
    was, now = (f"/{each['owner']}/{each['name']}".lower() for each in (old, new))
    return re.search(rf"{re.escape(was)}(?:\.git)?/?\"", asked) is not None and now not in asked


_MIRRORS = ".swiftpm/configuration/mirrors.json"


def _is_same_commit(file: ComparedFile, block: Block, line: Line) -> bool:
    """The lockfile has one commit by its full id there, and had it before."""
    near = file.head_rows[line.number - 1 : line.number + _BESIDE]
    commits = {*_COMMIT.findall("\n".join(near))}
    edited = {
        found for new in (*block.removed, *block.added) for found in _COMMIT.findall(new.text)
    }
    return len(commits) == 1 and edited <= commits and commits.pop() in file.base


_COMMIT = lazy_pattern(r"\b[0-9a-f]{40}\b")
_BESIDE = 2  # lines


def _sources_of_packages(file: ComparedFile, around: re.Pattern[str]) -> Iterator[Finding]:
    """A build file that asks another server for packages, or one without encryption."""
    known = {(found["scheme"], found["host"]) for found in _URL.finditer(file.base)}
    for line in file.added:
        found = _URL.search(_COMMENT.sub("", line.text))
        if not found or _is_usual(found):
            continue
        if (found["scheme"], found["host"]) not in known and _is_in(file, line, around):
            title = f"packages come from {found['scheme']}://{found['host']} now"
            yield put(hint(_HOST) if is_explained(file, line) else _HOST, file, line, title)
            return


_COMMENT = lazy_pattern(r"(?:^|(?<=\s))//.*$|<!--.*?(?:-->|$)")


def _is_in(file: ComparedFile, line: Line, around: re.Pattern[str]) -> bool:
    """One of the blocks around the line has packages, and none of them is about publishing."""
    depth, outer = _depth(line.text), [line.text]
    for row in reversed(file.head_rows[: line.number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            outer.append(row)
    return any(map(around.search, outer)) and not any(map(_PUBLISHES.search, outer))


# https://maven.apache.org/pom.html#Distribution_Management
_PUBLISHES = lazy_pattern(
    r"\bpublishing\b|\b(?:pom|scm)\s*\{|<(?:distributionManagement|plugin|scm)>"
)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_known(host: str, hosts: Collection[str]) -> bool:
    return host in hosts or any(
        names.match(host) is not None and any(map(names.match, hosts)) for names in _ALIASES
    )


def _is_usual(found: re.Match[str]) -> bool:
    """The address that a build's own tool and its packages have for everybody: no new source."""
    return found["scheme"] == "https" and _BY_NAME.match(found["host"]) is not None


def _is_registry(host: str) -> bool:
    """The one that tools ask unless they are told otherwise."""
    return any(names.match(host) for names in _ALIASES)


def _is_source(text: str) -> bool:
    """The address is where a package lies, not a page about it or who takes money for it."""
    if "funding" in text or "homepage" in text or re.match(r"\s*\"?deprecated\b", text):
        return False
    if re.match(r"\s*\"", text):  # JSON
        return _KEY.match(text) is not None and (
            "url" not in text or re.search(r"\.(?:zip|git|tgz)\b", text) is not None
        )
    return (
        re.search(r"resolved|registry|source|url|tarball|remote|index|--|git|@ http", text)
        is not None
    )


_KEY = lazy_pattern(r"\s*\"(?:resolved|tarball|dist|reference|url|repositoryURL|location)\"")


def _digest(file: ComparedFile) -> Iterator[Finding]:
    """A setting with the digest of what is downloaded is gone."""
    digest = next((line for line in file.removed if _DIGEST.match(line.text)), None)
    if digest and not any(_DIGEST.match(line.text) for line in file.added):
        yield taken(UNCHECKED, file, digest, "the downloaded program no longer has a digest")


def _registry(file: ComparedFile) -> Iterator[Finding]:
    """A setting that names the registry."""
    hosts = _hosts_before(file)
    for line in file.added:
        # https://docs.oracle.com/javase/8/docs/api/java/util/Properties.html
        text = line.text.replace("\\:", ":")
        found = _URL.search(text)
        if not found or not _REGISTRY.search(text):
            continue
        plain = found["scheme"] == "http" and f"https://{found['host']}" in file.base
        if plain and text not in file.base:
            yield put(_HOST, file, line, f"packages now come from http://{found['host']}")
            return
        named = file.name != "pyproject.toml" or _is_index(file, line)
        by_default = not hosts and _is_registry(found["host"])
        if named and found["host"] not in hosts and not (by_default or _is_usual(found)):
            title = f"packages now come from {found['host']}"
            yield put(_NAMED if _is_explicit(file, line) else _HOST, file, line, title)
            return


def _hosts_before(file: ComparedFile) -> set[str]:
    """Those that the base names; those of the head where it named its source in another way."""
    hosts = {found["host"] for found in _URL.finditer(file.base.replace("\\:", ":"))}
    if any(re.match(r"\s*(?:source|registry|index)\b", line.text) for line in file.removed):
        return hosts or {f["host"] for line in file.added for f in _URL.finditer(line.text)}
    return hosts


def _is_explicit(file: ComparedFile, line: Line) -> bool:
    """uv takes from it only packages that the manifest names for it:
    https://docs.astral.sh/uv/concepts/indexes/#pinning-a-package-to-an-index"""
    rows = file.head_rows
    first = next((at for at in range(line.number - 1, -1, -1) if rows[at].startswith("[")), 0)
    last = next((at for at in range(line.number, len(rows)) if rows[at].startswith("[")), None)
    return rows[first].strip() == "[[tool.uv.index]]" and any(
        re.match(r"explicit\s*=\s*true\b", row) for row in rows[first:last]
    )


def _is_index(file: ComparedFile, line: Line) -> bool:
    """The line stands in a table of package sources."""
    above = file.head.split("\n")[: line.number]
    table = next((row for row in reversed(above) if row.startswith("[")), "")
    return re.search(r"source|index", table) is not None
