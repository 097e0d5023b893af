"""Where a build takes its packages from, and which: repositories without TLS, wrappers, actions of
a pipeline, versions that float."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._pipelines import PIPELINES
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line

EVERY_FILE = True
_SOURCE = ComparisonRule(
    "package-source-changed",
    Priority.P2,
    "Whoever runs that server, or stands before it, decides what is installed. Make sure that it "
    "is meant and trusted, and reach it by TLS.",
)
_UNCHECKED = ComparisonRule(
    "integrity-removed",
    Priority.P2,
    "What is downloaded is run without a look at what it is. Restore the checksum or signature.",
)
_FLOATS = ComparisonRule(
    "dependency-unpinned",
    Priority.P2,
    "The next run may take another version than the one that was tested. Pin it like its "
    "neighbours.",
)
_BUILDS = lazy_pattern(r"(?:\.gradle(?:\.kts)?|(?:^|/)pom\.xml|\.sbt|(?i:(?:^|/)nuget\.config))$")
# https://docs.gradle.org/current/userguide/declaring_repositories.html, learn.microsoft.com/nuget
_PLAIN = lazy_pattern(
    r"(?i)\b(?:url|maven|uri|value|repository|resolver\w*)\b[^\n]*[\"'>(]\s*http://(?!localhost|127\.)"
    r"|\b(?:is)?allowInsecureProtocol\b\s*=?\s*(?:true|\(true\))|\ballowInsecureConnections=\"true\""
)
_WRAPPER = lazy_pattern(r"-wrapper\.properties$")
_HOST = lazy_pattern(r"^\s*(?:distribution|wrapper)Url\s*=\s*https?\\?://(?P<host>[\w.-]+)")
_SUM = lazy_pattern(r"^\s*(?:distribution|wrapper)Sha256Sum\s*=")
_ACTION = lazy_pattern(r"\buses:\s*[\"']?(?P<name>[\w.-]+/[\w./-]+)@(?P<ref>[^\s\"'#]+)")
_COMMIT = lazy_pattern(r"^[0-9a-f]{40}$")
_PACKAGES = lazy_pattern(
    r"\.(?:csproj|props|gradle|gradle\.kts|versions\.toml|sbt)$|(?:^|/)Package\.swift$"
)
_VERSION = lazy_pattern(r"(?<=[\"':])v?\d+(?:\.\d+)+[\w.-]*(?=[\"'])")
_ANY = r"(?:\*|\+|latest(?:\.\w+)?|\d+\.\+|\d+\.\*)"
_IMAGE_TAG = lazy_pattern(r"^\s*tag:\s*[\"']?v?\d+\.\d")
_LATEST = lazy_pattern(r"^\s*tag:\s*[\"']?latest[\"']?\s*$")
_BRANCH = lazy_pattern(r"^\s*\.package\(.*(?:\.branch\(|\bbranch:)")
_PROVIDER = lazy_pattern(r"^\s*version\s*=\s*\"[^\"]*\d")
_RESOLVED = lazy_pattern(
    r"\"(?:repositoryURL|location)\"\s*:\s*\"(?P<owner>[^\"]*)/(?P<name>[^\"/]+)\""
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.diff.hunks or file.is_test:
            continue
        if _BUILDS.search(file.path):
            yield from [*_plain(file)][:1]
        if _WRAPPER.search(file.path):
            yield from [*_wrapper(file)][:1]
        if PIPELINES.search(file.path):
            yield from [*_actions(file)][:1]
        yield from [*_floating(file)][:1]
        if file.name == "Package.resolved":
            yield from [*_resolved(file)][:1]


def _plain(file: ComparedFile) -> Iterator[Finding]:
    """A repository that is reached without TLS."""
    for line in file.added:
        if _PLAIN.search(line.text) and not any(map(_PLAIN.search, file.base_rows)):
            yield put(_SOURCE, file, line, "packages are taken from a server without TLS")


def _wrapper(file: ComparedFile) -> Iterator[Finding]:
    """The build tool itself comes from another host, or is not compared with its checksum."""
    hosts = {found["host"] for row in file.base_rows if (found := _HOST.match(row))}
    for line in file.added:
        found = _HOST.match(line.text)
        if found and hosts and found["host"] not in hosts:
            yield put(_SOURCE, file, line, f"the build tool comes from {found['host']} now")
    for line in file.removed:
        if _SUM.match(line.text) and not any(map(_SUM.match, file.head_rows)):
            yield taken(_UNCHECKED, file, line, "the build tool has no checksum any more")


def _actions(file: ComparedFile) -> Iterator[Finding]:
    """An action was fixed by the id of a commit, as others of the file are, and follows a name."""
    for block in file.blocks:
        olds = {m["name"]: m["ref"] for old in block.removed if (m := _ACTION.search(old.text))}
        for new in block.added:
            found = _ACTION.search(new.text)
            was = olds.get(found["name"], "") if found else ""
            if found and _COMMIT.match(was) and not _COMMIT.match(found["ref"]):
                refs = (m["ref"] for row in file.head_rows if (m := _ACTION.search(row)))
                rule = _FLOATS if any(map(_COMMIT.match, refs)) else hint(_FLOATS)
                title = f"{found['name']} is no longer fixed by a commit id"
                yield put(rule, file, new, title, quoted(was))


def _floating(file: ComparedFile) -> Iterator[Finding]:
    """A version is any version now, or the newest of a branch; or a provider has none."""
    packages = _PACKAGES.search(file.path)
    terraform, images = file.path.endswith(".tf"), file.path.endswith((".yaml", ".yml"))
    if not (packages or terraform or images):
        return
    for block in file.blocks:
        for old in block.removed:
            if terraform and _PROVIDER.match(old.text) and _is_provider(file, block, old):
                yield taken(
                    hint(_FLOATS) if block.added else _FLOATS,
                    file,
                    old,
                    "a provider may be any version",
                )
            for new in block.added:
                if images and _IMAGE_TAG.match(old.text) and _LATEST.match(new.text):
                    yield put(_FLOATS, file, new, "an image may be any version", quoted(old.text))
                if packages and _is_any(old.text, new.text):
                    yield put(
                        _FLOATS, file, new, "a dependency may be any version", quoted(old.text)
                    )


def _is_any(old: str, new: str) -> bool:
    if _BRANCH.match(new):
        address = re.search(r"url:\s*\"([^\"]+)\"", new)
        return bool(address and address[1] in old and not _BRANCH.match(old))
    for found in _VERSION.finditer(old):
        before, after = re.escape(old[: found.start()]), re.escape(old[found.end() :])
        if re.fullmatch(rf"{before}{_ANY}{after}", new):
            return True
    return False


def _is_provider(file: ComparedFile, block: Block, line: Line) -> bool:
    """It stands beside the `source` of a provider or module, which stays."""
    near = file.base_rows[max(0, line.number - 3) : line.number + 2]
    source = next((row for row in near if re.match(r"\s*source\s*=\s*\"", row)), "")
    stays = bool(source) and source in file.head_rows
    return stays and not any(re.match(r"\s*version\s*=", new.text) for new in block.added)


def _resolved(file: ComparedFile) -> Iterator[Finding]:
    """A package of the same name lies in the repository of somebody else."""
    for block in file.blocks:
        olds = {m["name"]: m["owner"] for old in block.removed if (m := _RESOLVED.search(old.text))}
        for new in block.added:
            found = _RESOLVED.search(new.text)
            was = olds.get(found["name"], "") if found else ""
            if found and was and was.lower() != found["owner"].lower():
                title = f"{found['name']} comes from {found['owner']} now"
                yield put(_SOURCE, file, new, title, quoted(was))
