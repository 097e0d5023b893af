"""Characters on added lines that a reader cannot see and a compiler or a model can, and names in
look-alike letters.

Code is strict. Prose and data in any script may hold joiners and direction marks; instructions for
agents count as code.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...model.languages import detect_language
from ...text.patterns import lazy_pattern
from ...text.visible import HiddenCharacter, Identifier, find_hidden, find_mixed_script
from ._paths import (
    is_agent_file,
    is_data,
    is_fixture,
    is_locale,
    is_own_test,
    is_prose,
    is_rendered_document,
    is_tests,
)
from ._sources import CheckInput, added_lines, removed_text

WANTS: tuple[str, ...] = ()
EVERY_FILE = True
_CONFIGURES = (".yml", ".yaml", ".toml")  # which may configure what runs the tests
_PLAIN = bytes([9, 10, 12, 13, *range(32, 127)])
_MARKS = ("U+061C", "U+200E", "U+200F")  # they order neighbours and cannot turn a line around
# Hebrew, Arabic and the scripts beside them
_FROM_RIGHT = lazy_pattern("[\u05d0-\u05ea\u0620-\u06ff\u0710-\u07ff\ufb1d-\ufdff\ufe70-\ufefc]")
# What begins and ends text from left to right, which is the order of a line where nothing else is:
# https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
_FROM_LEFT = ("U+202A", "U+202C", "U+2066", "U+2069")
_TURNS = lazy_pattern("[\u061c\u200f\u202b\u202d\u202e\u2067\u2068]")
_RIGHT_LETTER = lazy_pattern(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_ATTACKS = ("bidi", "tag")  # in every text, also of a library
_JOINERS = ("U+200C", "U+200D")
# The Greek and Cyrillic letters that pass for Latin ones; a name with another letter of those
# scripts shows what it is.
_LOOKALIKES = frozenset(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423"
    "\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
)
_PACKED = 2_000  # characters
_NEAR = 12  # characters on each side of a mark that stood there before
_WORD_LETTERS = 3  # with fewer Latin letters, a small Greek one is mathematics
_NOT_UTF8 = lazy_pattern("[\udc80-\udcff]")
# A whole line. `#` may begin a directive of C, a private name of JavaScript, a selector of CSS
_COMMENT = lazy_pattern(
    r"\s*(?://|#+(?:\s+(?!(?:define|undef|if\w*|elif|include|import|pragma|error)\b)|$))"
)
_TAG = lazy_pattern(r"\s*<")
_NAME = lazy_pattern(r"[A-Za-z0-9_$]{2}")
_PART = lazy_pattern(r"[^_]+")
_HIDDEN_BODY = (
    "Delete the character, or write it as an escape sequence (such as \\u202e) so that readers "
    "see what the machine reads."
)
_MIXED_BODY = (
    "Write the name in a single script: these letters look Latin to a reader, but the machine "
    "treats them as different letters."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a line and kind of character (a file and kind, where it is a P2); one a line for
    names in mixed scripts."""
    for file in sources.change.files:
        if (
            not file.binary
            and not is_rendered_document(file.path)
            and any(hunk.body.translate(None, _PLAIN) for hunk in file.hunks)
        ):
            yield from _in_file(file)


def _in_file(file: FileDiff) -> Iterator[Finding]:
    prose, foreign = is_prose(file.path), is_locale(file.path)
    told: set[tuple[str, int]] = set()  # kind and line; line 0 for the whole file
    removed = cache(lambda: removed_text(file).decode("utf-8", "surrogateescape"))
    # Other signs than these may be what is hidden
    marks_there = cache(lambda: frozenset(_surroundings(removed())))
    were_there = cache(lambda: frozenset(row.strip(" \t") for row in removed().split("\n")))
    for number, line in added_lines(file):
        if line.isascii() and line.isprintable():
            continue
        if line.strip(" \t") in were_there():
            continue  # it is indented in another way, or has moved
        for mark in find_hidden(line):
            priority = _weight(mark, line, number, file.path, prose)
            if priority and _is_packed_data(line, file.path):
                if _around(mark, line) in marks_there():
                    continue  # of one long line, all is new when a word of it is
                priority = Priority.P2 if mark.kind in _ATTACKS else Priority.P3
            if mark.kind == "control" and _is_sample(file, line):
                priority = Priority.P3
            place = (mark.kind, 0 if priority in (Priority.P2, Priority.P3) else number)
            if priority and place not in told:
                told.add(place)
                yield _hidden(file.path, number, mark, priority)
        if not prose:
            yield from _mixed_names(file.path, number, line, foreign)


def _surroundings(text: str) -> Iterator[str]:
    """What stands around each mark of a text."""
    for line in text.split("\n"):
        yield from (_around(mark, line) for mark in find_hidden(line))


def _around(mark: HiddenCharacter, line: str) -> str:
    return line[max(0, mark.column - _NEAR) : mark.column + _NEAR]


def _is_packed_data(line: str, path: str) -> bool:
    """JSON or JavaScript in one long line, such as a search index or a bundle with a table of
    numbers that are written as characters: made by a program, and read by nobody there."""
    packs = (is_data(path) or path.endswith(".js")) and not is_agent_file(path)
    return packs and len(line) > _PACKED


def _is_sample(file: FileDiff, line: str) -> bool:
    """What a test reads or writes, such as all that a terminal was sent or what a fuzzer found: in
    its code, or in a file that nothing runs; or data that no text is, such as an object of git,
    which begins with no zero byte."""
    is_test = is_own_test(file.path)
    if is_test and _has(_NOT_UTF8, line):
        return True
    has_suffix = "." in file.path.rpartition("/")[2]
    read = is_fixture(file.path) or (is_test and has_suffix)
    is_code = detect_language(file.path, file.mode, b"") != ""
    return file.mode == "100644" and (is_test if is_code else read)


def _mixed_names(path: str, number: int, line: str, foreign: bool) -> Iterator[Finding]:
    """Names in look-alike letters; a line that is not UTF-8, or an escape before a letter, makes no
    name, nor does what code of translations (`foreign`) quotes, notes or puts into tags."""
    if _NOT_UTF8.search(line) or (foreign and (_COMMENT.match(line) or _TAG.match(line))):
        return
    names = [
        t
        for t in find_mixed_script(line)
        if _deceives(t.text) and line[t.column - 1 : t.column] != "\\"
    ]
    if names and not (foreign and _are_quoted(line, names)):
        priority = Priority.P2 if is_tests(path) else Priority.P1
        unnamed = _COMMENT.match(line) or (is_own_test(path) and _are_quoted(line, names))
        if (unnamed and not is_agent_file(path)) or _is_packed_data(line, path):
            priority = Priority.P3  # nothing has this name
        body = f"{_MIXED_BODY} Column {', '.join(str(t.column + 1) for t in names)}."
        title = "a name that mixes look-alike letters from two scripts"
        yield Finding(
            priority, "hidden-text", "builtin/mixed-script", path, number, number, title, body
        )


def _are_quoted(line: str, names: Iterable[Identifier]) -> bool:
    """They stand between quotes: what a test compares, and what a translation says."""
    return all(_is_quoted(line, name.column) for name in names)


def _is_quoted(line: str, column: int) -> bool:
    return any(bisect_left(places, column) % 2 for places in _quotes(line))


# Each mark of a line asks the same of it, and a line may hold 100,000 of them
@lru_cache(16)
def _quotes(line: str) -> list[list[int]]:
    return [[found.start() for found in re.finditer(sign, line)] for sign in ("'", '"', "`")]


@lru_cache(16)
def _has(pattern: re.Pattern[str], line: str) -> bool:
    return pattern.search(line) is not None


def _weight(
    mark: HiddenCharacter, line: str, number: int, path: str, prose: bool
) -> Priority | None:
    """How much a hidden character weighs where it stands; None where it belongs."""
    if mark.code == "U+FEFF" and number == 1 and mark.column == 0:
        return None
    if mark.code in _MARKS and is_locale(path) and _has(_FROM_RIGHT, line):
        return None
    if prose:
        # Who translates into a script from the right embeds addresses and names
        bidi = Priority.P3 if is_locale(path) else Priority.P2
        return {"bidi": bidi, "tag": Priority.P2}.get(mark.kind)
    if mark.code in _JOINERS and _joins(line, mark.column):
        return None
    translates = mark.kind in ("zero-width", "soft-hyphen") or mark.code in _MARKS
    if is_locale(path) and translates and not _parts_a_name(line, mark.column):
        return Priority.P3
    mild = _is_mild(mark, path) or _turns_nothing(mark, line, path)
    return Priority.P2 if mild else Priority.P0


def _turns_nothing(mark: HiddenCharacter, line: str, path: str) -> bool:
    """It asks for the order that the line has; beside letters from the right only in what a test
    compares."""
    if mark.code not in _FROM_LEFT or _has(_TURNS, line):
        return False
    compared = is_own_test(path) and _is_quoted(line, mark.column)
    return compared or not _has(_RIGHT_LETTER, line)


def _is_mild(mark: HiddenCharacter, path: str) -> bool:
    """One that files of this kind hold for good reasons, or that deceives nobody."""
    if mark.kind in ("control", "soft-hyphen"):
        return True
    if mark.kind == "zero-width":
        return is_data(path) or is_own_test(path)
    # Data of tests is full of it on purpose, such as the URL tests of web-platform-tests
    return is_data(path) and is_tests(path) and not path.endswith(_CONFIGURES)


def _joins(line: str, column: int) -> bool:
    """Between two letters of a script whose spelling needs joiners (Arabic and the Indic ones)."""
    around = (line[column - 1 : column], line[column + 1 : column + 2])
    return all("\u0600" <= character <= "\u0dff" for character in around)


def _parts_a_name(line: str, column: int) -> bool:
    """It stands between letters of a name: `is\\u200cAdmin` is another name than `isAdmin`."""
    around = line[max(0, column - 1) : column] + line[column + 1 : column + 2]
    return _NAME.fullmatch(around) is not None and not _is_quoted(line, column)


def _deceives(name: str) -> bool:
    """One part of the name has Latin letters, and others that all look like Latin ones."""
    return any(_mixed(part) for part in _PART.findall(name))


def _mixed(part: str) -> bool:
    foreign = {c for c in part if "\u0370" <= c <= "\u052f"}
    latin = sum(c.isalpha() and c < "\u0250" for c in part)
    formula = all("\u03b1" <= c <= "\u03c9" for c in foreign) and latin < _WORD_LETTERS
    return bool(foreign and latin) and foreign <= _LOOKALIKES and not formula


def _hidden(path: str, number: int, mark: HiddenCharacter, priority: Priority) -> Finding:
    title = f"a hidden character: {mark.kind} {mark.code}"
    body = f"{_HIDDEN_BODY} Column {mark.column + 1}."
    return Finding(
        priority, "hidden-text", f"builtin/hidden-{mark.kind}", path, number, number, title, body
    )
