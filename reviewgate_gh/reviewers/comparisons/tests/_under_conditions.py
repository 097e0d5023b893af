"""Tests that are put between `#if` and `#endif`, where nothing makes the condition true."""

from collections.abc import Iterator, Mapping, Sequence

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, ComparisonInput, Line
from .._tests import find_tests

# https://learn.microsoft.com/dotnet/csharp/language-reference/preprocessor-directives,
# https://en.cppreference.com/w/cpp/preprocessor/conditional,
# https://docs.swift.org/swift-book/documentation/the-swift-programming-language/statements/
_SUFFIXES = (".cs", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".swift")
_NEVER = lazy_pattern(r"\s*#\s*if\s+(?:false|0)\s*(?://.*|/\*.*)?$")
# Those of platforms and compilers, of builds and of what was found when it was configured may hold
_NAMED = lazy_pattern(
    r"\s*#\s*if(?:def\b|\s+defined\b)?\s*\(?\s*(?P<name>(?!NET|DEBUG\b|RELEASE\b|TRACE\b|WIN"
    r"|LINUX|UNIX|MAC|OSX|IOS|ANDROID|UNITY|HAS_|HAVE_|WITH_|ENABLE_|USE_|CONFIG_|SWIFT)"
    r"[A-Z][A-Z0-9]*_[A-Z0-9_]+)\s*\)?\s*(?://.*|/\*.*)?$"
)
_IF = lazy_pattern(r"\s*#\s*if")
_OTHERWISE = lazy_pattern(r"\s*#\s*el(?:se|if|seif)\b")
_END = lazy_pattern(r"\s*#\s*endif\b")
_DIRECTIVE = lazy_pattern(r"\s*(?:#\s*(?:el)?if|#\s*e(?:lse|ndif)\b|//|/?\*)")


def left_out(sources: ComparisonInput, file: ComparedFile) -> Iterator[tuple[str, Line]]:
    """The tests of the base that are compiled no longer, each with the new line that says so."""
    if file.is_new or not file.path.endswith(_SUFFIXES) or not file.mentions(b"if"):
        return
    new = {line.number: line for line in file.added if _IF.match(line.text)}
    if not new:
        return
    before = find_tests(file.diff.old_path, file.base)
    conditions, around = _conditions(file.base_rows), _conditions(file.head_rows)
    for name, test in find_tests(file.path, file.head).items():
        old = before.get(name)
        if old is None or old.skipped or test.suite:
            continue
        # A new condition in place of an old one is no reason
        was = len(conditions.get(old.line, ()))
        now = around.get(test.line, ())
        at = next((new[number] for number in now if number in new), None)
        if at and len(now) > was and not _may_hold(sources, at.text):
            yield name, at


def _conditions(rows: Sequence[str]) -> Mapping[int, tuple[int, ...]]:
    """By line the lines with the conditions under which it is compiled; no line behind `#else`."""
    found, under = dict[int, tuple[int, ...]](), list[int]()
    for number, row in enumerate(rows, 1):
        if _IF.match(row):
            under.append(number)
        elif _OTHERWISE.match(row) and under:
            under[-1] = 0
        elif _END.match(row) and under:
            under.pop()
        elif under:
            found[number] = tuple(under)
    return found


def _may_hold(sources: ComparisonInput, row: str) -> bool:
    """Something of the head may define the name: a build file, an option of a pipeline."""
    if _NEVER.match(row):
        return False
    found = _NAMED.match(row)
    if found is None:
        return True
    name = found["name"]
    places = sources.find_words({name, f"D{name}"})
    return any(not _DIRECTIVE.match(place.text) for every in places.values() for place in every)
