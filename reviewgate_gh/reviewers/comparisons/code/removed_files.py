"""Files that are gone while builds, scripts, pages and modules of the head still name them."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document, is_tests
from .._definitions import language_of
from .._guards import code_of
from .._imports import imports_from, stands_for
from .._made_names import is_built, is_installed
from .._remark import WHOLE_FILE, ComparisonRule, put, with_places
from .._sources import ComparedFile, ComparisonInput, Place, has_word, is_foreign
from .._uses import is_new_line, where

EVERY_FILE = False
_GONE = ComparisonRule(
    "removed-name-used",
    Priority.P2,
    "The places named here still name it, and break if they need it. Update them in the same "
    "change, or keep the file for a while.",
)
_SHORTEST = 4
_MOST = 20  # files: of more it is a move that git did not see
_PIPELINES = lazy_pattern(
    r"(?:^|/)(?:Makefile|package\.json|Dockerfile[\w.-]*|pyproject\.toml|setup\.(?:cfg|py)"
    r"|tox\.ini|CMakeLists\.txt|[\w.-]+\.(?:ya?ml|sh|mk|gradle|kts|toml|html|c|h|cc|cpp))$"
)

# What is left out, taken away or looked at for changes; a page's frame may be a framework's own
_ONLY_LISTED = lazy_pattern(
    r"^\s*(?:exclude|ignore|omit)|CHANGELOG|mkdocs|\brm\b|^\s*-\s*[\"']?[!\w./*-]+[\"']?\s*$"
    r"|^\s*[\"']?[\w./*-]+[\"']?\s*:\s*$"
    # What is printed, and what is asked for before it is used
    r"|^\s*[@-]*(?:echo|printf)\b[^;&|]*$|(?:\[\[?|\btest)\s+(?:!\s*)?-[defrsx]\s|^\s*-include\b"
    r"|\{%-?\s*(?:extends|include)\b|\bhashFiles\(|--[\w-]*(?:xml|output|report|out)[\w-]*[= ]"
)


# https://docs.ansible.com/projects/antsibull-changelog/, https://towncrier.readthedocs.io/
_TELLS_WHAT_WAS = lazy_pattern(r"(?:^|/)(?:changelogs/|newsfragments/|\.?changesets?/|CHANGELOG\.)")


# What a change is about, by its paths: https://github.com/actions/labeler
_NAMES_CHANGES = lazy_pattern(
    r"(?:^|/)\.github/(?:labeler|auto_assign|mergify|paths?[\w-]*)\.ya?ml$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding for all of them."""
    gone = [file for file in sources.files if _is_gone(file) and not is_built(sources, file)]
    if not gone or len(gone) > _MOST:
        return
    found = [(file, uses) for file in gone if (uses := _uses(sources, file))]
    if found:
        file, uses = found[0]
        more = f" with {len(found) - 1} more" if len(found) > 1 else ""
        what = "removed" if file.is_gone else "moved"
        title = f"{_old_name(file)} is {what}{more}, and is still used in {where(uses)}"
        every = [use for _file, each in found for use in each]
        yield with_places(put(_GONE, file, WHOLE_FILE, title, "the file existed"), every)


def _is_gone(file: ComparedFile) -> bool:
    """It is no longer where others would look for it."""
    path = file.diff.old_path
    return (
        (file.is_gone or (file.diff.status == "R" and language_of(path) in ("py", "js")))
        and len(_old_name(file)) > 4
        and "." in _old_name(file)
        and not (is_tests(path) or is_foreign(path))
        and (not is_document(path) or "requirements" in path)
    )


def _old_name(file: ComparedFile) -> str:
    return file.diff.old_path.rpartition("/")[2]


def _uses(sources: ComparisonInput, file: ComparedFile) -> list[Place]:
    """Lines of the head that name the file by its path or as a module."""
    name = _old_name(file)
    others = {path.rpartition("/")[2] for path in sources.list_head()} if file.is_gone else {name}
    places = sources.find_words({name})[name] if name not in others else ()
    named = [place for place in places if _names_file(sources, place, file)]
    return [*named, *_module_uses(sources, file)]


def _names_file(sources: ComparisonInput, place: Place, file: ComparedFile) -> bool:
    """A build, a script or a page names it by its path, or beside itself."""
    if not _PIPELINES.search(place.path) or is_new_line(sources, place) or not code_of(place.text):
        return False
    if _ONLY_LISTED.search(place.text) or _NAMES_CHANGES.search(place.path):
        return False
    if _TELLS_WHAT_WAS.search(place.path) or _is_of_exceptions(sources, place):
        return False
    if _is_of_patterns(sources, place):
        return False
    found = re.search(rf"[\w./-]*{re.escape(_old_name(file))}(?![\w-])", place.text)
    if not found or _is_written_anew(sources, place):
        return False
    said = found[0].removeprefix("./").lstrip("/")
    folder = place.path.rpartition("/")[0]
    beside = said == _old_name(file) and folder == file.diff.old_path.rpartition("/")[0]
    return (
        said == file.diff.old_path
        or beside
        or ("/" in said and f"/{file.diff.old_path}".endswith("/" + said.removeprefix("../")))
    )


def _module_name(file: ComparedFile) -> str:
    """The word by which it was imported; "" where it was no module, or is imported as before."""
    path, name = file.diff.old_path, _old_name(file)
    if language_of(path) not in ("py", "js") or name in ("__init__.py", "conftest.py", "setup.py"):
        return ""
    places = (f"/{file.path}", f"/{path}")
    if not file.is_gone and (places[0].endswith(places[1]) or places[1].endswith(places[0])):
        return ""  # only the folder that its packages lie in is another: `src/shop/base.py`
    stem = name.partition(".")[0]
    return stem if stem != "index" else path.rpartition("/")[0].rpartition("/")[2]


def _is_replaced(sources: ComparisonInput, file: ComparedFile, stem: str) -> bool:
    """An import finds something else in its place: a package, another suffix, what is compiled or
    installed."""
    path = file.diff.old_path
    bare = path.removesuffix(_old_name(file)) + _old_name(file).partition(".")[0] + "."
    if any(each.startswith((f"{path.rpartition('.')[0]}/", bare)) for each in sources.list_head()):
        return True
    if language_of(path) == "py":
        return _is_compiled_now(sources, stem) or is_installed(sources, path)
    return any(stands_for(each, path) for each in sources.list_head())


def _is_compiled_now(sources: ComparisonInput, stem: str) -> bool:
    """Code of a compiled language that the change brings speaks of the module.
    https://docs.python.org/3/extending/building.html"""
    return any(
        has_word(line.text, stem)
        for other in sources.files
        if language_of(other.path) in ("rs", "c")
        or other.name.endswith((".pyx", ".toml", ".build"))
        for line in other.added
    )


def _is_written_anew(sources: ComparisonInput, place: Place) -> bool:
    """A tool writes declarations of what it finds, as the file says at its top."""
    if not place.path.endswith(".d.ts"):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    return re.search(r"(?i)generated\b|do not (?:edit|modify)", text[:_TOP]) is not None


_TOP = 500  # characters


def _is_of_exceptions(sources: ComparisonInput, place: Place) -> bool:
    """A key above the line of YAML says that what it names is left out."""
    if not place.path.endswith((".yml", ".yaml")):
        return False
    return any(map(_EXCEPTS.match, _rows_around(sources, place)))


_EXCEPTS = lazy_pattern(
    r"(?i)\s*(?:-\s*)?[\"']?[\w-]*(?:exclu|ignor|allow_failures|skip)[\w-]*[\"']?\s*:"
)


def _is_of_patterns(sources: ComparisonInput, place: Place) -> bool:
    """It stands in a list of what is taken in or left out, whose entries need not exist.
    `npm help package-json` (files),
    https://docs.gradle.org/current/javadoc/org/gradle/api/tasks/util/PatternFilterable.html"""
    if not _HAS_PATTERNS.search(place.path):
        return False
    rows = [place.text, *islice(_rows_around(sources, place), _MOST_AROUND)]
    return any(map(_TAKES_IN.search, rows))


_HAS_PATTERNS = lazy_pattern(r"(?:^|/)(?:package\.json|pyproject\.toml|[\w.-]+\.(?:gradle|kts))$")
_MOST_AROUND = 3  # brackets
_TAKES_IN = lazy_pattern(
    r"(?i)^\s*[\"']?(?:files|(?:include|exclude|ignore)s?|sideEffects|omit)[\"']?\s*[:=(]"
)


def _rows_around(sources: ComparisonInput, place: Place) -> Iterator[str]:
    """The rows that the line is indented below, the nearest first."""
    rows = sources.read_head([place.path]).get(place.path, "").split("\n")[: place.number]
    depth = len(rows[-1]) - len(rows[-1].lstrip())
    for row in reversed(rows):
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            depth = indent
            yield row


def _module_uses(sources: ComparisonInput, file: ComparedFile) -> list[Place]:
    """Imports of the module that the file was."""
    path, kind = file.diff.old_path, language_of(file.diff.old_path)
    stem = _module_name(file)
    if len(stem) < _SHORTEST or _is_replaced(sources, file, stem):
        return []
    return [
        place
        for place in sources.find_words([stem])[stem]
        if language_of(place.path) == kind
        and not is_new_line(sources, place)
        and code_of(place.text)
        and not _is_written_anew(sources, place)
        and imports_from(place, place.text, path, "", sources.list_head())
    ]
