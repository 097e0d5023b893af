"""Where a lockfile's packages come from and what they must hash to: a change of either without
another version is how a supply chain is poisoned."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from ....model.finding import Finding, Priority
from ....text.paths import glob_matcher
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line

_FILES = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum", "Gemfile.lock",
    "composer.lock", "requirements*.txt", ".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf",
    "pyproject.toml", "Gemfile", "config.toml", "settings.xml", "gradle-wrapper.properties",
    "Package.resolved", "build.gradle", "build.gradle.kts", "settings.gradle",
    "settings.gradle.kts", "pom.xml", "nuget.config", "NuGet.Config", "NuGet.config",
)  # fmt: skip
EVERY_FILE = True
_HOST = ComparisonRule(
    "package-source-changed",
    Priority.P2,
    "Whoever runs that server decides what is installed. Make sure that it is meant and trusted, "
    "or make the lockfile again from the usual registry.",
)
_NAMED = hint(_HOST, "Only packages that are named for it come from there.")
_INTEGRITY = ComparisonRule(
    "integrity-changed",
    Priority.P1,
    "The content of a published version does not change: another hash means another package. "
    "Compare it with the registry before you install it.",
)
_UNCHECKED = ComparisonRule(
    "integrity-removed",
    Priority.P2,
    "The package manager can no longer tell whether it gets the package that was reviewed. Restore "
    "the hashes.",
)
_URL = lazy_pattern(
    r"(?P<scheme>git\+ssh|git\+https|https?|git"
    r"|ssh)://(?:[^@/\s\"']*@)?(?P<host>[\w.-]+)(?::\d+)?(?=[/\"'\s]|$)"
)
_ENTRY = lazy_pattern(
    r'^\s*"(?P<npm>[^"\n]+)": \{$|^(?P<yarn>"?[^\s#"][^\n]*):$|^name = "(?P<toml>[^"\n]+)"$'
    r"|^ {2}(?P<pnpm>/?\S+):$|^(?P<go>\S+) (?P<gover>v\S+) h1:(?P<gohash>\S+)$"
    r"|^(?P<pip>[A-Za-z0-9][\w.-]*)==(?P<pipver>[\w.+!-]+)"
)
_VERSION = lazy_pattern(r'^\s*"?version"?\s*[:=]?\s*"?(?P<version>\d[^"\s,]*)"?,?$')
_HASH = lazy_pattern(
    r'(?:^|[\s{,])"?(?:integrity|checksum|hash|sha256'
    r'|shasum)"?\s*[:=]?\s*"?(?P<hash>(?:sha\d+[-:])?[\w+/=]{20,})"?'
    r"|--hash=(?P<pip>sha\d+:[0-9a-f]+)"
)
# Of Cargo until 2020: https://doc.rust-lang.org/cargo/reference/resolver.html
_FORMER = lazy_pattern(r'"checksum (?P<name>\S+) (?P<version>\S+) [^"]*" = "(?P<hash>\w+)"')
_FILE = lazy_pattern(r'"resolved": "https?://[^"]*/(?P<name>[^"/]+\.tgz)"')
_REGISTRY = lazy_pattern(
    r"^\s*(?:@[\w-]+:)?(?:registry|npmRegistryServer|index-url|extra-index-url|--index-url"
    r"|--extra-index-url|-i|url|source|distributionUrl|index)\b\s*[=: (]\s*[\"']?(?:https?"
    r"|git)\S*",
    re.I,
)
_INDEX = lazy_pattern(r"\s*(?:--(?:extra-)?index-url|--find-links|-[if])\b")
# Two names of one registry
_NPM = lazy_pattern(r"registry\.(?:npmjs(?=\.org)|yarnpkg(?=\.com))\.\w+\Z")
_FEW = 3
_Hashes = dict[tuple[str, str], list[str]]
_LOCK = lazy_pattern(r"lock|shrinkwrap|go\.sum|requirements|\.resolved")
_DIGEST = lazy_pattern(r"\s*distributionSha256Sum\s*[=:]")
# Build files have many addresses; around those of packages stand these
_OF_PACKAGES = {
    ".gradle": lazy_pattern(r"\b(?:maven|ivy|repositories)\b(?!\w)"),
    ".kts": lazy_pattern(r"\b(?:maven|ivy|repositories)\b(?!\w)"),
    ".xml": lazy_pattern(r"<(?:repository|pluginRepository|mirror)>"),
    ".config": lazy_pattern(r"(?i)<packageSources>"),
}
_REPOSITORY = lazy_pattern(
    r"://(?P<host>[\w.-]+)/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?[\"'\s#?]"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most one finding of each kind a file."""
    wanted = glob_matcher(_FILES)
    for file in sources.files:
        if file.is_gone or file.is_new or not wanted(file.name) or not file.diff.hunks:
            continue
        if _LOCK.search(file.name):
            yield from _hosts(file)
            yield from _owners(file)
            yield from _hashes(file)
        elif ending := next((e for e in _OF_PACKAGES if file.name.lower().endswith(e)), ""):
            yield from _sources_of_packages(file, _OF_PACKAGES[ending])
        elif file.mentions(b"://", b"Sha256"):
            yield from _registry(file)


def _hosts(file: ComparedFile) -> Iterator[Finding]:
    if not file.mentions(b"://"):
        return
    known = {(found["scheme"], found["host"]) for found in _URL.finditer(file.base)}
    hosts = {host for _scheme, host in known}
    for line in file.added:
        for found in _URL.finditer(re.split(r"(?:^|\s)#", line.text)[0]):
            scheme, host = found["scheme"], found["host"]
            plain = scheme == "http" and ("https", host) in known and (scheme, host) not in known
            if (
                (known or _INDEX.match(line.text))
                and "funding" not in line.text
                and "homepage" not in line.text
                and (not _is_known(host, hosts) or plain)
                and _is_source(line.text)
            ):
                was = ", ".join(sorted(hosts)[:3])
                title = f"packages come from {scheme}://{host} now"
                yield put(_HOST, file, line, title, quoted(was))
                return


def _owners(file: ComparedFile) -> Iterator[Finding]:
    """A repository of the same name, and of somebody else, in the place of one."""
    for block in file.blocks:
        old = [found for line in block.removed if (found := _REPOSITORY.search(line.text))]
        for line in block.added:
            new = _REPOSITORY.search(line.text)
            was = next((o for o in old if new and o["name"] == new["name"]), None)
            if new and was and was["owner"] != new["owner"] and _is_source(line.text):
                title = f"{new['name']} comes from {new['owner']} now"
                yield put(_HOST, file, line, title, quoted(was["owner"]))
                return


def _sources_of_packages(file: ComparedFile, around: re.Pattern[str]) -> Iterator[Finding]:
    """A build file that asks another server for packages, or one without encryption."""
    known = {(found["scheme"], found["host"]) for found in _URL.finditer(file.base)}
    for line in file.added:
        found = _URL.search(line.text)
        if found and (found["scheme"], found["host"]) not in known and _is_in(file, line, around):
            title = f"packages come from {found['scheme']}://{found['host']} now"
            yield put(_HOST, file, line, title)
            return


def _is_in(file: ComparedFile, line: Line, around: re.Pattern[str]) -> bool:
    """One of the blocks around the line has packages, and none of them is about publishing."""
    depth, outer = _depth(line.text), [line.text]
    for row in reversed(file.head_rows[: line.number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            outer.append(row)
    return any(map(around.search, outer)) and not any("publishing" in row for row in outer)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _is_known(host: str, hosts: Collection[str]) -> bool:
    return host in hosts or (_NPM.match(host) is not None and any(map(_NPM.match, hosts)))


def _is_source(text: str) -> bool:
    """The address is where a package lies, not a page about it or who takes money for it."""
    if re.match(r"\s*\"", text):  # JSON
        return _KEY.match(text) is not None and (
            "url" not in text or re.search(r"\.(?:zip|git|tgz)\b", text) is not None
        )
    return (
        re.search(r"resolved|registry|source|url|tarball|remote|index|--|git|@ http", text)
        is not None
    )


_KEY = lazy_pattern(r"\s*\"(?:resolved|tarball|dist|reference|url|repositoryURL|location)\"")


def _registry(file: ComparedFile) -> Iterator[Finding]:
    """A setting that names the registry, or the digest of what is downloaded."""
    digest = next((line for line in file.removed if _DIGEST.match(line.text)), None)
    if digest and not any(_DIGEST.match(line.text) for line in file.added):
        yield taken(_UNCHECKED, file, digest, "the downloaded program has no digest any more")
    hosts = {found["host"] for found in _URL.finditer(file.base.replace("\\:", ":"))}
    if any(re.match(r"\s*(?:source|registry|index)\b", line.text) for line in file.removed):
        hosts = hosts or {
            found["host"] for line in file.added for found in _URL.finditer(line.text)
        }
    for line in file.added:
        text = line.text.replace(
            "\\:", ":"
        )  # https://docs.oracle.com/javase/8/docs/api/java/util/Properties.html
        found = _URL.search(text)
        if found and _REGISTRY.search(text) and found["host"] not in hosts:
            if file.name == "pyproject.toml" and not _is_index(file, line):
                continue
            title = f"packages come from {found['host']} now"
            yield put(_NAMED if _is_explicit(file, line) else _HOST, file, line, title)
            return


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


def _hashes(file: ComparedFile) -> Iterator[Finding]:
    if not any(_HASH.search(line.text) or " h1:" in line.text for line in file.removed):
        return
    before, after = _read(file.base), _read(file.head)
    if _are_made_anew(before, after):
        return
    for key, old in before.items():
        new = after.get(key)
        if new is None or not old:
            continue
        if not new:
            # Where a source is gone, too, it comes from a folder of the tree now
            moved = any(re.match(r"\s*source\s*=", row.text) for row in file.removed)
            if not moved and _first_with(file.removed, old) and not _is_pinned(file, old):
                yield put(_UNCHECKED, file, Line(0, ""), f"{key[0]} {key[1]} has no hash any more")
                return
        elif not set(old) & set(new) and {*map(_algorithm, old)} & {*map(_algorithm, new)}:
            added = _first_with(file.added, new)
            if added:
                title = f"{key[0]} {key[1]} has another hash in the same version"
                yield put(_INTEGRITY, file, added, title, quoted(old[0]))
                return


def _is_pinned(file: ComparedFile, hashes: Collection[str]) -> bool:
    """In place of its hashes stands the full id of a commit, which says as much of what is fetched:
    https://python-poetry.org/docs/dependency-specification/#git-dependencies"""
    return any(
        _COMMIT.search(new.text)
        for block in file.blocks
        if _first_with(block.removed, hashes)
        for new in block.added
    )


_COMMIT = lazy_pattern(r"(?:#|reference\"? ?[=:] ?\")[0-9a-f]{40}\b")


def _first_with(lines: Iterable[Line], hashes: Collection[str]) -> Line | None:
    return next((line for line in lines if any(each in line.text for each in hashes)), None)


def _algorithm(digest: str) -> str:
    """Its name or the number of its format where it is said; one that is replaced by a stronger one
    is no other package. It is in `.yarnrc.yml`: checksumBehavior."""
    found = re.match(r"sha\d+(?=[-:])|\w{1,4}(?=/)", digest)
    return found[0] if found else ""


def _are_made_anew(before: _Hashes, after: _Hashes) -> bool:
    """Most packages have another hash: the lockfile is written in another way."""
    both = [key for key in before if before[key] and after.get(key)]
    other = sum(not {*before[key]} & {*after[key]} for key in both)
    return other > _FEW and 2 * other > len(both)


def _read(text: str) -> _Hashes:
    """Hashes by package and version."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    name = version = ""
    for row in text.split("\n"):
        if row.startswith("["):
            name = version = ""  # another package, or a table that is none
        if former := _FORMER.match(row):
            found[former["name"], former["version"]].append(former["hash"])
            continue
        if entry := _ENTRY.match(row):
            groups = entry.groupdict()
            if groups["go"]:
                found[groups["go"], groups["gover"]].append(groups["gohash"])
                continue
            name = _name_of(groups)
            version = groups["pipver"] or _own_version(name)
            if version:
                found.setdefault((name, version), [])
        elif (named := _VERSION.match(row)) and name:
            version = named["version"]
            found.setdefault((name, version), [])
        if (file := _FILE.search(row)) and version and version not in file["name"]:
            name = ""  # an entry that disagrees with itself is put right, or was edited
        if name and version and (digest := _HASH.search(row)):
            found[name, version].append(digest["hash"] or digest["pip"])
    return found


def _name_of(groups: Mapping[str, str]) -> str:
    of_versions = ("gover", "gohash", "pipver")
    return next((v for k, v in groups.items() if v and k not in of_versions), "")


def _own_version(name: str) -> str:
    """Keys of pnpm hold it; those of yarn hold a range."""
    found = re.search(r".@(\d[^:()]*)", name)
    return found[1] if found and not re.search(r"npm:|[\^~]", name) else ""
