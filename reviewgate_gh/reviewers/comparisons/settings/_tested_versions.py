"""What it means that a version or a system is tested no more: whether the project says that it
still supports it."""

import re
from collections.abc import Collection, Iterator

from ....text.patterns import lazy_pattern
from .._sources import ComparisonInput

_OLDEST = "It was the oldest one, which a project may drop."
_SYSTEMS = {
    "Windows": lazy_pattern(r"(?i)windows|^win"),
    "macOS": lazy_pattern(r"(?i)macos|osx|darwin"),
    "Linux": lazy_pattern(r"(?i)ubuntu|linux|debian|fedora|alpine"),
}
_VERSION = lazy_pattern(
    r"(?i)^(?:py|pypy|cpython|jruby|truffleruby|go|node|php|ruby|v)?-?\d[\w.+-]*$"
)
_PREVIEW = lazy_pattern(
    r"(?i)dev|alpha|beta|rc|nightly|head|next|snapshot|-ea\b|\d[ab]\d|\dt$|edge|preview"
)
# Each minor version of these is one that people stay with; of others it is each major one
_BY_MINOR = lazy_pattern(
    r"(?i)py|php|ruby|rvm|^go\b|go[-_]|golang|elixir|rust|toolchain|django|rails|laravel|symfony"
    r"|scala"
)
_PYTHON = r"(?:^|/)(?:pyproject\.toml|setup\.(?:cfg|py))$"
# By the name of an axis, the manifests, and what stands before the range in them:
# https://packaging.python.org/en/latest/specifications/pyproject-toml/#requires-python,
# https://github.com/npm/cli/blob/latest/docs/lib/content/configuring-npm/package-json.md,
# https://getcomposer.org/doc/01-basic-usage.md#package-versions,
# https://github.com/ruby/rubygems/blob/master/lib/rubygems/specification.rb,
# https://doc.rust-lang.org/cargo/reference/rust-version.html, https://go.dev/ref/mod#go-mod-file-go
_CLAIMS = (
    (r"(?i)py", _PYTHON, r"(?m)^\s*(?:requires-python|python_requires|python)\s*="),
    (r"(?i)node", r"^package\.json$", r"\"node\"\s*:"),
    (r"(?i)php", r"^composer\.json$", r"\"php\"\s*:"),
    (r"(?i)ruby|rvm", r"^[\w.-]+\.gemspec$", r"required_ruby_version\s*=?"),
    (r"(?i)rust|toolchain", r"^Cargo\.toml$", r"(?m)^rust-version\s*="),
    (r"(?i)^go", r"^go\.mod$", r"(?m)^go\b"),
)
_LOWEST = r"[^\n\d]*?(?:>=|\^|~>|~=|==|>|~|=|\"|'|\s)\s*(?P<lowest>\d+(?:\.\d+)*)"
_MOST = 10  # manifests


def system_of(value: str) -> str:
    """The system that a value of an axis names; "" where it names none."""
    return next((name for name, pattern in _SYSTEMS.items() if pattern.search(value)), "")


def is_among(axis: str, value: str, others: Collection[str]) -> bool:
    """One of the others is the same version, perhaps told more or less exactly."""
    number, parts = _number(axis, value), 2 if _BY_MINOR.search(axis) else 1
    versions = (_number(axis, other) for other in others if _VERSION.match(other))
    return bool(_VERSION.match(value)) and any(each[:parts] == number[:parts] for each in versions)


def weigh_version(
    sources: ComparisonInput, axis: str, value: str, kept: Collection[str]
) -> tuple[str | None, str]:
    """Why the loss of the value may be meant, beside those that are kept, and how it is called.

    None where it is no loss, "" where nothing says why.
    """
    if name := system_of(value):
        return (None if any(system_of(other) == name for other in kept) else ""), name
    number = _number(axis, value)
    others = [each for other in kept if (each := _number(axis, other))]
    if not _VERSION.match(value) or _PREVIEW.search(value) or not number:
        return None, ""
    parts = 2 if _BY_MINOR.search(axis) else 1
    if {number[:parts], number[:1]} & {each[:parts] for each in others}:
        return None, ""
    what = f"{axis} {value}"
    if others and number > min(others):
        return "", what
    claim = _claimed_by(sources, axis, number)
    if claim is None:
        return _OLDEST, what
    return ("", f"{what}, which {claim} still allows") if claim else (None, what)


def _number(axis: str, value: str) -> tuple[int, ...]:
    """A version as numbers, to be compared; empty for what has none."""
    found = re.search(r"\d{1,6}(?:\.\d{1,6})*", value)
    number = tuple(map(int, found[0].split("."))) if found else ()
    # `go: [21, 22]` is meant for `1.${{ matrix.go }}`
    return (1, *number) if len(number) == 1 and re.match(r"(?i)go", axis) else number


def _claimed_by(sources: ComparisonInput, axis: str, number: tuple[int, ...]) -> str | None:
    """The manifest whose range has the version; "" where none has it, and None where no manifest
    says anything."""
    said = None
    for path, lowest in _lowest(sources, axis):
        if lowest <= number:
            return path
        said = ""
    return said


def _lowest(sources: ComparisonInput, axis: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The lowest version that each manifest allows."""
    for name, files, before in _CLAIMS:
        if not re.search(name, axis):
            continue
        paths = [path for path in sources.list_head() if re.search(files, path)][:_MOST]
        for path, text in sorted(sources.read_head(paths).items()):
            if found := re.search(before + _LOWEST, text):
                yield path, _number(axis, found["lowest"])
