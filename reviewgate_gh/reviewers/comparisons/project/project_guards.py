"""Files that guard a project and are gone, and secrets that git no longer ignores."""

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain, islice

from ....model.finding import Finding, Priority
from ....text.paths import matching_paths
from ....text.patterns import lazy_pattern
from ...checks._owners import is_outranked
from .._pipelines import PIPELINES
from .._remark import WHOLE_FILE, ComparisonRule, put, taken
from .._sources import ComparedFile, ComparisonInput, has_word

EVERY_FILE = True
_GONE = ComparisonRule(
    "guard-removed",
    Priority.P2,
    "Nothing else in the tree does its work. Restore it, or say what takes its place.",
)
_IGNORED = ComparisonRule(
    "ignore-rule-removed",
    Priority.P2,
    "Such files often hold secrets, and the next `git add .` commits them. Restore the pattern.",
)
_OWNERS = ComparisonRule(
    "owners-removed",
    Priority.P2,
    "Changes to these files no longer need their approval. Restore the line, or say who decides.",
)
_UPDATES = "the updates of dependencies"
_GUARDS = (
    (r"(?:^|/)SECURITY(?:\.\w+)?$", "the security policy"),
    (
        r"(?:^|/)\.github/dependabot\.ya?ml$|(?:^|/)\.?renovate(?:rc)?(?:\.json5?)?$",
        _UPDATES,
    ),
    (
        r"(?:^|/)\.gitleaks(?:ignore|\.toml)$|(?:^|/)\.secrets\.baseline$",
        "the secret scan's configuration",
    ),
    (
        r"(?:^|/)\.github/(?:settings|branch-protection)\.ya?ml$|(?:^|/)\.github/rulesets?/",
        "the branch protection",
    ),
    (
        r"(?:^|/)(?:mypy\.ini|pyrightconfig\.json|\.flake8|\.?ruff\.toml|\.pylintrc"
        r"|\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|\.golangci\.ya?ml|\.rubocop\.yml|\.coveragerc"
        r"|clippy\.toml|deny\.toml|biome\.json|\.bandit|\.semgrep\.yml|codecov\.yml"
        r"|\.?codecov\.ya?ml|phpstan\.neon(?:\.dist)?)$",
        "the configuration of a checker",
    ),
    (r"(?:^|/)CODEOWNERS$", "the list of who must approve changes"),
)
# https://docs.renovatebot.com/configuration-options/
_UPDATER = lazy_pattern(
    r"^\.github/(?:dependabot\.ya?ml|renovate\.json5?)$|^(?:\.renovaterc(?:\.json5?)?"
    r"|renovate\.json5?)$"
)
_SECRET = lazy_pattern(
    r"^/?(?:\*\*/)?(?:\.env(?:[.*][\w.*-]*)?|\*\.env|\*?\.pem|\*?\.key|\*?\.p12|\*?\.pfx"
    r"|\*?\.jks|\*?\.keystore|id_rsa\w*"
    r"|\*?\.tfvars|\*?\.tfstate\S*|credentials\S*|secrets?(?:/|\.\w+|\*)?\S*|\.aws/?|\.ssh/?"
    r"|\.npmrc|\.pypirc|\.netrc"
    r"|service-?account\S*|config/master\.key|local_settings\.py|kubeconfig\S*|\.htpasswd)$"
)


_IGNORE_FILES = (".gitignore", ".dockerignore", ".npmignore")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file that is gone, and one a pattern."""
    for file in sources.files:
        if file.is_gone:
            yield from _gone(sources, file)
        elif file.name == "CODEOWNERS" and file.removed:
            yield from _owners(sources, file)
        elif file.path == ".github/dependabot.yml" or file.path == ".github/dependabot.yaml":
            yield from _updates(sources, file)
        elif file.name.startswith("SECURITY") and file.removed and not file.is_new:
            yield from _policy(file)
        elif file.name in _IGNORE_FILES and not (file.is_new or file.is_test):
            yield from islice(chain(_patterns(sources, file), _taken_back(file)), 1)


def _gone(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    what = next((what for pattern, what in _GUARDS if re.search(pattern, file.path)), "")
    changed = {each.path for each in sources.change.files}
    if file.name == "CODEOWNERS" and is_outranked(file.path, sources.list_head(), changed):
        return
    kept = _has_successor(sources, file, what) or _is_said_in_manifest(sources, file)
    if what and not (file.is_test or kept):
        yield put(_GONE, file, WHOLE_FILE, f"{file.name} is removed: {what}", "the file existed")


def _updates(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """An ecosystem is no longer updated. https://docs.github.com/code-security/dependabot"""
    before, after = ({*_ECOSYSTEM.findall(text)} for text in (file.base, file.head))
    head = sources.list_head()
    lost = sorted(each for each in before - after if not _is_without_files(each, head))
    others = any(map(_UPDATER.search, {*head} - {file.path}))
    others = others or all(_is_updated_by_pipeline(sources, each) for each in lost)
    if lost and not others and not (after - before):
        line = next((line for line in file.removed if lost[0] in line.text), WHOLE_FILE)
        yield taken(_GONE, file, line, f"packages of {lost[0]} are no longer updated")


def _is_without_files(ecosystem: str, head: Collection[str]) -> bool:
    """Nothing is there that it would update."""
    name = _FILES_OF.get(ecosystem, "")
    return bool(name) and not any(path.rpartition("/")[2].startswith(name) for path in head)


# https://docs.github.com/code-security/dependabot/ecosystems-supported-by-dependabot
_FILES_OF = {
    "gitsubmodule": ".gitmodules", "npm": "package.json", "cargo": "Cargo.toml", "gomod": "go.mod",
    "bundler": "Gemfile", "composer": "composer.json", "docker": "Dockerfile", "maven": "pom.xml",
    "mix": "mix.exs", "pub": "pubspec.yaml", "elm": "elm.json",
}  # fmt: skip
_ECOSYSTEM = lazy_pattern(r"(?m)^\s*(?:-\s*)?package-ecosystem:\s*[\"']?([\w-]+)")


def _policy(file: ComparedFile) -> Iterator[Finding]:
    """The policy no longer says how to report a vulnerability."""
    if _CONTACT.search(file.base) and not _CONTACT.search(file.head):
        line = next((line for line in file.removed if _CONTACT.search(line.text)), WHOLE_FILE)
        yield taken(_GONE, file, line, f"{file.name} no longer says how to report a vulnerability")


_CONTACT = lazy_pattern(
    r"(?i)[\w.+-]+(?:@|\s*\[at\]\s*)[\w-]+\.\w+|https?://|security/advisories|\bprivately\b"
    r"|\breport(?:ing)?\s+(?:a|an|it|the|security|vulnerabilit)"
)


def _is_one_of_many(sources: ComparisonInput, file: ComparedFile) -> bool:
    """It is for a folder, or another checker is set up in the tree."""
    pattern = next(pattern for pattern, what in _GUARDS if "checker" in what)
    return bool(file.folder) or any(
        re.search(pattern, path) or path.endswith(_MORE_CHECKERS) for path in sources.list_head()
    )


_MORE_CHECKERS = (".oxlintrc.json", "oxlint.json", "biome.jsonc", "deno.json")


def _has_successor(sources: ComparisonInput, file: ComparedFile, what: str) -> bool:
    """The change adds a file of the same kind, or moves the settings into one that it edits; or
    another tool does it."""
    if what == _UPDATES and (
        any(map(_UPDATER.search, sources.list_head())) or _is_updated_by_pipeline(sources)
    ):
        return True
    for pattern, other in _GUARDS:
        if other == what and any(
            not each.is_gone and re.search(pattern, each.path) for each in sources.files
        ):
            return True
    if "checker" in what:
        return _is_one_of_many(sources, file) or any(
            each.name in ("pyproject.toml", "setup.cfg", "package.json", "tox.ini") and each.added
            for each in sources.files
        )
    name = file.name.lower()
    return any(not each.is_gone and each.name.lower() == name for each in sources.files)


def _is_said_in_manifest(sources: ComparisonInput, file: ComparedFile) -> bool:
    """It held nothing but the oldest Rust, which Clippy takes from the manifest as well:
    https://doc.rust-lang.org/clippy/configuration.html#specifying-the-minimum-supported-rust-version
    """
    rows = [row for row in file.base_rows if row.strip() and not row.lstrip().startswith("#")]
    if not file.name.endswith("clippy.toml") or not all(map(_OLDEST.match, rows)):
        return False
    manifest = f"{file.folder}Cargo.toml"
    return "rust-version" in sources.read_head([manifest]).get(manifest, "")


_OLDEST = lazy_pattern(r"\s*msrv\s*=")


def _is_updated_by_pipeline(sources: ComparisonInput, what: str = "") -> bool:
    """A pipeline of the change begins to run the updater itself, or to update these packages."""
    added = [
        row.text for each in sources.files if PIPELINES.search(each.path) for row in each.added
    ]
    runs = any(re.search(r"\b(?:renovate|dependabot)", text) for text in added)
    return runs or any(
        what and has_word(text, what) and _RAISES_VERSIONS.search(text) for text in added
    )


_RAISES_VERSIONS = lazy_pattern(r"(?i)\b(?:bump|auto-?update)s?\b")


def _owners(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A line of owners that is gone while there are such files, where none of them owns all the
    rest, nor each of the files by another line. The last line that fits a file decides:
    https://docs.github.com/articles/about-code-owners"""
    changed = {each.path for each in sources.change.files} - {file.path}
    if is_outranked(file.path, sources.list_head(), changed):
        return
    lines = [*filter(None, map(_owned, file.head_rows))]
    now = {_same(pattern): owners for pattern, owners in lines}
    for line in file.removed:
        pattern, owners = _owned(line.text) or ("", frozenset())
        if not owners or now.get(_same(pattern)) or owners & now.get("*", frozenset()):
            continue
        if pattern.endswith("/*") and owners & now.get(_same(pattern[:-1]), frozenset()):
            continue  # the folder with all that is below it
        core = pattern.strip("*/")
        below = (path for path in sources.list_head() if _is_below(path, pattern, core))
        mine = [*islice(below, _MOST_OWNED)]
        if mine and "." not in pattern.rpartition("/")[2]:
            mine.append(f"{core}/another")  # a folder, which may get other files
        if pattern == "*" or any(owners.isdisjoint(_owners_of(path, lines)) for path in mine):
            yield taken(_OWNERS, file, line, f"{pattern} loses its owners")
            return


_MOST_OWNED = 50  # files that are looked at


def _owners_of(path: str, lines: Sequence[tuple[str, frozenset[str]]]) -> frozenset[str]:
    fits = (owners for pattern, owners in reversed(lines) if matching_paths((path,), (pattern,)))
    return next(fits, frozenset())


def _same(pattern: str) -> str:
    """What the pattern means, in one way to write it."""
    return pattern.removesuffix("**").removeprefix("**").strip("/")


def _is_below(path: str, pattern: str, core: str) -> bool:
    """A file that the pattern may mean; one with a slash before its end begins at the root."""
    if "/" in pattern.rstrip("/*") and not pattern.startswith("**"):
        return path.startswith(core.partition("*")[0])
    return core in path


def _owned(row: str) -> tuple[str, frozenset[str]] | None:
    pattern, *owners = row.partition("#")[0].split() or [""]
    return (pattern, frozenset(owners)) if pattern else None


def _patterns(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    kept = {row.strip() for row in file.head_rows} | {*_held_above(sources, file)}
    for line in file.removed:
        bare = line.text.strip()
        if bare not in kept and _SECRET.match(bare) and not _is_covered(bare, kept):
            yield taken(_IGNORED, file, line, f"{file.name} no longer excludes {bare}")
            return


def _held_above(sources: ComparisonInput, file: ComparedFile) -> Iterator[str]:
    """The patterns that a file of a folder above it gains, and that hold in all folders.
    https://git-scm.com/docs/gitignore#_pattern_format"""
    for other in sources.files:
        if other is not file and other.name == file.name and file.folder.startswith(other.folder):
            added = (line.text.strip() for line in other.added)
            yield from (text for text in added if "/" not in text.rstrip("/"))


def _taken_back(file: ComparedFile) -> Iterator[Finding]:
    """A later line takes a file back in that a pattern for secrets leaves out.
    https://git-scm.com/docs/gitignore#_pattern_format"""
    held = [row.strip() for row in file.base_rows if _SECRET.match(row.strip())]
    for line in file.added:
        bare = line.text.strip()
        name = bare.removeprefix("!").lstrip("/")
        if not bare.startswith("!") or not _SECRET.match(name) or _SHARED.search(name):
            continue
        if pattern := next((row for row in held if fnmatchcase(name, row.lstrip("/"))), ""):
            yield put(_IGNORED, file, line, f"{file.name} no longer excludes {name}", pattern)


# Without what is secret, by their names
_SHARED = lazy_pattern(
    r"(?i)example|sample|template|dist$|defaults?$|schema|\bpublic|tests?$|\.ci$"
)


_EVERYTHING = ("*", "**", "/*", "**/*")


def _is_covered(pattern: str, kept: set[str]) -> bool:
    """Another pattern still names it, perhaps more widely."""
    core = pattern.strip("/*")
    if not kept.isdisjoint(_EVERYTHING):
        return f"!{pattern}" not in kept
    rows = [row for row in kept if row and not row.startswith(("#", "!"))]
    if matching_paths((pattern.lstrip("/"),), rows):
        return True
    return any(core in row or row.strip("/*") in core for row in rows if len(row.strip("/*")) > 2)
