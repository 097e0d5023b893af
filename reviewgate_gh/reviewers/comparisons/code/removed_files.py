"""Files that are gone while builds, scripts, pages and modules of the head still name them."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document
from .._definitions import language_of
from .._guards import code_of
from .._imports import imports_from
from .._remark import WHOLE_FILE, ComparisonRule, put, with_places
from .._sources import ComparedFile, ComparisonInput, Place
from .._uses import is_new_line, where

EVERY_FILE = False
_GONE = ComparisonRule(
    "removed-name-used",
    Priority.P2,
    "The places named here still use it, and break when they run. Change them in the same change, "
    "or keep the file for a while.",
)
_SHORTEST = 4
_MOST = 20  # files: of more it is a move that git did not see
_PIPELINES = lazy_pattern(
    r"(?:^|/)(?:Makefile|package\.json|Dockerfile[\w.-]*|pyproject\.toml|setup\.(?:cfg|py)"
    r"|tox\.ini|CMakeLists\.txt|[\w.-]+\.(?:ya?ml|sh|mk|gradle|kts|toml|html|c|h|cc|cpp))$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding for all of them."""
    gone = [
        file
        for file in sources.files
        if file.is_gone
        and len(file.name) > 4
        and "." in file.name
        and not file.is_test
        and (not is_document(file.path) or "requirements" in file.path)
    ]
    if not gone or len(gone) > _MOST:
        return
    head = sources.list_head()
    names = {path.rpartition("/")[2] for path in head}
    left = [file for file in gone if file.name not in names]
    if not left:
        return
    places = sources.find_words({file.name for file in left})
    found = [
        (file, uses)
        for file in left
        if (
            uses := [
                *(place for place in places[file.name] if _names_file(sources, place, file)),
                *_module_uses(sources, file),
            ]
        )
    ]
    if found:
        file, uses = found[0]
        more = f" with {len(found) - 1} more" if len(found) > 1 else ""
        title = f"{file.name} is removed{more}, and is still used in {where(uses)}"
        every = [use for _file, each in found for use in each]
        yield with_places(put(_GONE, file, WHOLE_FILE, title, "the file was there"), every)


def _names_file(sources: ComparisonInput, place: Place, file: ComparedFile) -> bool:
    """A build, a script or a page names it by its path, or beside itself."""
    if not _PIPELINES.search(place.path) or is_new_line(sources, place) or not code_of(place.text):
        return False
    if re.search(r"^\s*(?:exclude|ignore|-\s*[\"']?!)|CHANGELOG|mkdocs|\brm\b", place.text):
        return False
    found = re.search(rf"[\w./-]*{re.escape(file.name)}(?![\w-])", place.text)
    if not found:
        return False
    said = found[0].removeprefix("./").lstrip("/")
    folder = place.path.rpartition("/")[0]
    beside = said == file.name and folder == file.folder.rstrip("/")
    return (
        said == file.path
        or beside
        or ("/" in said and f"/{file.path}".endswith("/" + said.removeprefix("../")))
    )


def _module_uses(sources: ComparisonInput, file: ComparedFile) -> list[Place]:
    """Imports of the module that the file was."""
    kind = language_of(file.path)
    if kind not in ("py", "js") or file.name in ("__init__.py", "conftest.py", "setup.py"):
        return []
    stem = file.name.partition(".")[0]
    if stem == "index":
        stem = file.folder.rstrip("/").rpartition("/")[2]
    folder = file.path.rpartition(".")[0] + "/"
    if len(stem) < _SHORTEST or any(path.startswith(folder) for path in sources.list_head()):
        return []
    twin = (
        file.path.partition(".")[0]
        if "/" not in file.path
        else file.path.rpartition("/")[0] + "/" + stem
    )
    if any(path.startswith(twin + ".") for path in sources.list_head()):
        return []
    return [
        place
        for place in sources.find_words([stem])[stem]
        if language_of(place.path) == kind
        and not is_new_line(sources, place)
        and imports_from(kind, place, place.text, file.path, "")
    ]
