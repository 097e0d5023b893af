"""What tests are about, and whether that goes with them, went before or is named nowhere now."""

import re
from collections.abc import Iterator

from ....text.patterns import lazy_pattern
from ...checks._paths import is_document
from .._definitions import language_of
from .._sources import ComparedFile, ComparisonInput
from .._tests import Gone, Test, find_tests, lines_beside_tests, shrink
from ._tables import called

_NAME = lazy_pattern(r"[A-Za-z_]\w{2,}")
_MOST_TWINS = 5


def went_with_file(sources: ComparisonInput, file: ComparedFile, test: Test) -> bool:
    """Its file is gone, with what it tests or to another folder."""
    return file.is_gone and (
        _goes_with_subject(sources, file)
        or _is_elsewhere(sources, file, test)
        or _has_no_subject(sources, file)
    )


def subject_shrinks(sources: ComparisonInput, file: ComparedFile, gone: Gone) -> bool:
    """The code that a file of tests is named after loses more than it gains."""
    own = (each for each in sources.files if each.is_product and not each.is_gone)
    return shrink([each for each in own if _subject(each) == _subject(file)], gone)


def _goes_with_subject(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The file holds what it tests, as is usual in Rust; other code of its folder goes, too; or
    tests of the same thing are written anew, perhaps in another language."""
    if file.path.endswith(".rs") and "tests/" not in file.path:
        return True
    new = (other for other in sources.files if other.is_new and other.is_test)
    if any(_subject(other) == _subject(file) for other in new):
        return True
    return any(
        other is not file
        and other.is_gone
        and file.folder.startswith(other.folder or "/")
        and language_of(other.path)
        and not find_tests(other.path, other.base)
        for other in sources.files
    )


def _subject(file: ComparedFile) -> str:
    """What a file of tests is about, by its name."""
    return _MARKS.sub("", file.name.rpartition(".")[0].lower())


def _has_no_subject(sources: ComparisonInput, file: ComparedFile) -> bool:
    """It uses what it is named after, and the head has nothing of that name: that went before."""
    subject = _squeezed(_subject(file))
    names = (word for word in _NAME.findall(file.base) if word[0].isupper())
    used = {word for word in names if _squeezed(word.lower()) == subject}
    stems = (path.rpartition("/")[2].partition(".")[0] for path in sources.list_head())
    if not used or any(_squeezed(stem.lower()) == subject for stem in stems):
        return False
    own = {word for word in used if re.search(rf"{_OWN}\s+{word}\b", file.base)}
    return not own and not any(sources.find_words(sorted(used)).values())


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]", "", name)


_OWN = r"\b(?:def|class|func|fn|fun|function|const|let|var|val|module|namespace|package)"
_MARKS = lazy_pattern(r"[._-]?(?:tests?|spec)(?=\b|_|$)|[._-](?:it|t)$|[._-]")


def _is_elsewhere(sources: ComparisonInput, file: ComparedFile, test: Test) -> bool:
    """A file of the same name in another folder has the test."""
    twins = [path for path in sources.list_head() if path.endswith(f"/{file.name}")]
    texts = sources.read_head(twins[:_MOST_TWINS])
    return any(test.name in find_tests(path, text) for path, text in texts.items())


def vanished_words(sources: ComparisonInput, gone: Gone) -> frozenset[str]:
    """What the product's code and that of fixtures defined, assigned or wrote as a text, and no
    longer has in any file that the change touches."""
    words: set[str] = set()
    for file in sources.files:
        shipped = not file.is_test or "/src/main/" in file.path  # as in a module of test tools
        if (shipped or _is_fixture(file)) and not is_document(file.path) and file.removed:
            removed = lines_beside_tests(file, gone)
            words |= {word for line in removed for word in _named(line.text)}
            words -= {*_NAME.findall(file.head)}
    for file in sources.files:
        if words and file.is_product and file.added:
            words -= {word for line in file.added for word in _NAME.findall(line.text)}
    return frozenset(words)


def _is_fixture(file: ComparedFile) -> bool:
    """Code for tests that holds none of them, and does not call itself a test."""
    named = re.search(r"(?i)tests?|spec", file.name) is not None
    return bool(language_of(file.path)) and not (named or find_tests(file.path, file.base))


def is_called_elsewhere(sources: ComparisonInput, file: ComparedFile, test: Test) -> bool:
    """What it called and its file no longer does, most of that is called by new rows of other
    tests: it was written anew there, in another form."""
    rows = file.base_rows[test.line : test.last]
    lost = called(rows) - called(file.head_rows)
    others = (each for each in sources.files if each.is_test and each is not file)
    added = called(line.text for each in others for line in each.added)
    return bool(lost) and 2 * len(lost & added) >= len(lost)


def _named(text: str) -> Iterator[str]:
    """The words that a line defines, assigns, takes as parameters, or has in texts."""
    for found in _DEFINES.finditer(text):
        yield from _NAME.findall(found[0])


_DEFINES = lazy_pattern(
    r"\b(?:def|class|func|fn|fun|function|const|let|var|val|type|interface|enum|struct|module|trait"
    r"|import|from|use|require)\b[^=]*|[\w.]+\s*[:=](?![=:])|\"[^\"]*\"|'[^']*'|`[^`]*`|(?<!:):\w+"
    r"|--[\w-]+"
)


def is_moot(file: ComparedFile, test: Test, vanished: frozenset[str]) -> bool:
    """It uses or is named after something that is gone."""
    if not vanished:
        return False
    text = "\n".join(file.base_rows[test.line - 1 : test.last])
    if vanished.intersection(_NAME.findall(text)):
        return True
    name = "".join(test.name.lower().split("_"))
    return any(len(word) > 4 and word.lower().replace("_", "") in name for word in vanished)
