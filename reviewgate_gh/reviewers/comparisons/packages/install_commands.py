"""Packages that a command installs at a version, and at any from now on."""

from collections.abc import Iterator

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._pipelines import PIPELINES
from .._remark import put, quoted
from .._sources import ComparedFile, ComparisonInput, Line
from .dependencies import OPEN

EVERY_FILE = True
_FILES = lazy_pattern(
    r"(?i)(?:^|/)(?:[\w.-]*(?:docker|container)file[\w.-]*|makefile)$|\.(?:ba|z)?sh$"
)
_INSTALLS = lazy_pattern(
    r"\b(?:pip3?|pipx|uv(?:\s+pip|\s+tool)?|npm|pnpm|yarn(?:\s+global)?|gem|cargo|go|apt(?:-get)?"
    r"|apk"
    r"|dnf|yum|brew|composer)\s+(?:-\S+\s+)*(?:install|add|i|require)\s(?P<packages>[^|;&]*)"
)
# https://pip.pypa.io/en/stable/reference/requirement-specifiers/, `npm help install`,
# https://manpages.debian.org/apt-get
_PACKAGE = lazy_pattern(
    r"(?:^|\s)[\"']?(?P<name>@?[A-Za-z][\w.+/-]*?)(?:\[[^\]]*\])?"
    r"(?:(?:==|=|@|:)(?P<version>v?\d[\w.+:~-]*)|@latest)?[\"']?(?=\s|$|\\)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.is_product:
            continue
        if _FILES.search(file.path) or PIPELINES.search(file.path):
            yield from _in_file(file)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        before = dict(each for line in block.removed for each in _installed(line))
        for line in block.added:
            for name, version in _installed(line):
                if before.get(name) and not version:
                    title = f"{name} may be any version"
                    yield put(OPEN, file, line, title, quoted(f"{name} {before[name]}"))
                    return


def _installed(line: Line) -> Iterator[tuple[str, str]]:
    """The packages that a command of the line installs, each with its version; a line that only
    goes on with a list has packages alone."""
    text = line.text.strip().rstrip("\\").strip()
    found = _INSTALLS.search(text)
    if not found and not _ALONE.fullmatch(text):
        return
    if found and (_SAYS_OTHERWISE.search(found["packages"]) or _OF_MODULE.match(found[0])):
        return
    for package in _PACKAGE.finditer(found["packages"] if found else text):
        yield package["name"], package["version"] or ""


# Options that say the version, or the file that does
_SAYS_OTHERWISE = lazy_pattern(
    r"(?:^|\s)(?:--?v(?:ers(?:ion)?)?|-c|--constraints?|-r|--requirements?)(?:[\s=]|$)"
)
# Without a version the one of `go.mod` is meant: https://go.dev/ref/mod#go-install
_OF_MODULE = lazy_pattern(r"go\s+install\s+(?:-\S+\s+)*(?!.*@)")
_ALONE = lazy_pattern(
    r"[\"']?@?[A-Za-z][\w.+/-]*(?:\[[^\]]*\])?(?:(?:==|=|@)v?\d[\w.+:~-]*)?[\"']?"
)
