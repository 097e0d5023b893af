"""Which tests of a change have to do with which of its code: what is decided beside its own tests
may be meant, whatever else the same change brings tests for."""

import re
from functools import lru_cache

from ._definitions import language_of
from ._guards import code_of
from ._sources import ComparedFile, ComparisonInput, has_word
from ._tests import holds_subject

# Their folder, or the project, says what they hold
_UNTOLD = frozenset(
    ("index", "main", "mod", "lib", "init", "__init__", "app", "src", "core", "common", "base")
)
_SHORTEST = 3  # letters
_MOST_FILES = 400
_PACKAGES = (".go",)  # whose tests see the code beside them without naming it


def brings_tests_for(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The change writes tests, and not only such as are about other code of the change."""
    return any(
        file in subjects or not subjects
        for other in sources.files
        if other.is_test and any(code_of(line.text).strip() for line in other.added)
        for subjects in [_subjects(sources, other)]
    )


def go_together(sources: ComparisonInput, one: ComparedFile, other: ComparedFile) -> bool:
    """What the change does to two files of tests may be one piece of work: both are about the same
    code of it, or nothing tells what the other one is about."""
    if one is other:
        return True
    subjects = _subjects(sources, other)
    return not subjects or any(is_about(one, each) for each in subjects)


def touches_subject(sources: ComparisonInput, tests: ComparedFile) -> bool:
    """The change writes code that a file of tests may be about: it names it, or other tests of the
    change do not claim it for themselves."""
    product = [each for each in sources.files if each.added and holds_subject(each)]
    if len(sources.files) > _MOST_FILES:
        return bool(product)
    others = [each for each in sources.files if each.is_test and each.added and each is not tests]
    return any(
        is_about(tests, each) or not any(is_about(other, each) for other in others)
        for each in product
    )


def is_about(tests: ComparedFile, product: ComparedFile) -> bool:
    """A file of tests names a file of code, holds its name in its own, or is of its package."""
    if tests is product:
        return True
    if tests.folder == product.folder and product.path.endswith(_PACKAGES):
        return True
    name = _name_of(product.path)
    if len(name) < _SHORTEST or _squeezed(name) in _squeezed(tests.path):
        return True
    return name in tests.words if name.isidentifier() else _names(tests, name)


def _names(tests: ComparedFile, name: str) -> bool:
    """It names a module whose name is no word, as `two-words`."""
    return any(has_word(text, name) for text in (tests.base, tests.head))


def _subjects(sources: ComparisonInput, tests: ComparedFile) -> list[ComparedFile]:
    """The code that the change writes and that a file of tests is about; nothing where so much
    changes that all of it may be one piece of work."""
    if len(sources.files) > _MOST_FILES:
        return []
    return [
        each
        for each in sources.files
        if each.is_product and each.added and language_of(each.path) and is_about(tests, each)
    ]


def _name_of(path: str) -> str:
    """The name of a module: that of its file, or of the folder that the file stands for."""
    folder, _slash, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem.lower() in _UNTOLD and folder else stem


@lru_cache(maxsize=4096)
def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())
