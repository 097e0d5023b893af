"""Functions that take other parameters while the head still calls them as before."""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import CodeDefinition, is_definition, language_of, owners_of
from .._guards import code_of
from .._parameters import arity, names_of, parameters, split_arguments
from .._remark import ComparisonRule, put, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place
from .._typed_uses import is_typed_use
from .._uses import (
    embedded,
    is_meant,
    is_new_line,
    is_of_language,
    is_resolved,
    is_spoken,
    touched_files,
    where,
)

EVERY_FILE = False
_CHANGED = ComparisonRule(
    "changed-call",
    Priority.P2,
    "The places named here still call it the old way. Update them in the same change, or give the "
    "parameter a default.",
)
_MOST = 60  # functions of a change: of more it is a rewrite
# https://developer.mozilla.org/docs/Web/JavaScript/Reference/Functions/Arrow_functions
_ARROW = lazy_pattern(r"\b(?:const|let)\s+[\w$]+\s*=\s*(?:async\s*)?(?:function\b\s*)?\(")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a function."""
    changed = [
        (each.file, old, new)
        for each in touched_files(sources)
        for name, old in each.before.items()
        if (old.callable or _ARROW.search(old.text))
        and (new := each.after.get(name))
        and _takes_others(each.file, old, new)
        and old.member == new.member  # a method is called in another way
        and not (new.member and language_of(each.file.path) in ("js", "py"))
    ][:_MOST]
    places = sources.find_words({new.name for _file, _old, new in changed}) if changed else {}
    for file, old, new in changed:
        broken = _broken_calls(sources, file, (old, new), places[new.name])
        if broken:
            yield _finding(file, (old, new), broken)


def _broken_calls(
    sources: ComparisonInput,
    file: ComparedFile,
    sides: tuple[CodeDefinition, CodeDefinition],
    places: Sequence[Place],
) -> list[Place]:
    """The calls that fit the parameters of the base and not those of the head."""
    kind, each = language_of(file.path), sides[1]
    old, new = parameters(file.base, sides[0]), parameters(file.head, each)
    mine = [place for place in places if is_of_language(sources, place, kind)]
    defined = _definitions(file, each, mine, kind)
    if kind == "c":
        mine = [place for place in mine if not _PROTOTYPE.match(place.text)]
    if old is None or new is None or len({(use.path, use.number) for use in defined}) > 1:
        return []
    if kind == "go" and each.member and any(_is_of_interface(sources, each, p) for p in mine):
        mine = [place for place in mine if is_typed_use(sources, file, each, place)]
    return [
        place
        for place in mine
        if place not in defined
        and not is_new_line(sources, place)
        and _no_longer_fits(kind, each.name, place, old, new)
        and _is_its_call(sources, file, each, place)
        and not is_spoken(sources, place, each.name)
    ]


def _is_of_interface(sources: ComparisonInput, each: CodeDefinition, place: Place) -> bool:
    """Go: an interface has such a method as before, and a call may be of another type that has it.
    https://go.dev/ref/spec#Interface_types"""
    declared = re.match(rf"\s+{re.escape(each.name)}\(|.*\binterface\s*\{{", place.text)
    return declared is not None and not is_new_line(sources, place)


def _definitions(
    file: ComparedFile, each: CodeDefinition, places: Sequence[Place], kind: str
) -> list[Place]:
    """The places that define such a name, and not only declare it."""
    defined = [
        place
        for place in places
        if is_definition(place.path, place.text, each.name) and not _MODULE.match(place.text)
    ]
    if each.member and kind == "java":  # of others the type of the variable tells
        return [place for place in defined if place.path == file.path]
    if kind == "c":  # a header declares it as well
        return [place for place in defined if not place.text.rstrip().endswith(";")]
    return defined


def _is_its_call(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """It is this definition that is called, and the language refuses such a call."""
    kind = language_of(file.path)
    if place.path.endswith((".js", ".mjs", ".cjs", ".jsx")):
        return False  # what is too much is dropped
    return (
        is_meant(sources, file, each, place, kind)
        and is_resolved(sources, file, each, place)
        and (not each.member or kind != "java" or is_typed_use(sources, file, each, place))
        and (kind != "php" or _is_on_its_class(sources, file, each, place))
    )


def _is_on_its_class(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """PHP: what stands before a method is its class, or an object of it; before a function stands
    nothing."""
    method = each.text[:1] in (" ", "\t")
    called = rf"(?<![$\w])([$\w]*)(?:\?->|->|::)\s*{re.escape(each.name)}\s*\("
    found = re.search(called, place.text)
    if not method or not found:
        return not (method or found)
    own = ("$this", "self", "static", "parent", *owners_of(file.path, file.base, each))
    return found[1] in own or is_typed_use(sources, file, each, place)


def _finding(
    file: ComparedFile,
    sides: tuple[CodeDefinition, CodeDefinition],
    broken: list[Place],
) -> Finding:
    each = sides[1]
    title = f"{each.name} takes other arguments, and is called as before in {where(broken)}"
    was = f"`({', '.join(parameters(file.base, sides[0]) or ())[:100]})`"
    return with_places(put(_CHANGED, file, Line(each.line, each.text), title, was), broken)


def _no_longer_fits(
    kind: str, name: str, place: Place, old: tuple[str, ...], new: tuple[str, ...]
) -> bool:
    given = _arguments(kind, name, place)
    if given is None:
        return False
    named = _names_given(given)
    before, after = names_of(kind, old), names_of(kind, new)
    takes_any = kind not in ("py", "rb", "java", "swift") or any(r.startswith("**") for r in new)
    if not takes_any and {*named} & {*before} - {*after}:
        return True
    was, now = arity(kind, old), arity(kind, new)
    if was is None or now is None:
        return False
    if kind in ("py", "rb") and named:
        missing = set(after[: now[0]]) - set(before) - set(named)
        return bool(missing) and was[0] <= len(given) < now[0]
    if len(before) == len(old) and _is_reordered(before, after) and len(given) == len(before):
        return not named
    most_fit = len(given) <= now[1]
    takes_fewer = kind == "js" and not place.path.endswith(_TYPED)
    fits_now = most_fit and (takes_fewer or now[0] <= len(given))
    return was[0] <= len(given) <= was[1] and not fits_now


def _is_reordered(before: Sequence[str], after: Sequence[str]) -> bool:
    """The same parameters in another order: what a call gives goes to the wrong ones."""
    return list(before) != list(after) and sorted(before) == sorted(after)


def _arguments(kind: str, name: str, place: Place) -> tuple[str, ...] | None:
    """Those of the call, where they are in the line and their number is certain."""
    code = code_of(place.text)
    bare = _TEXT.sub(lambda text: embedded(text[0]), code)
    found = re.search(rf"(?<![\w]){re.escape(name)}\s*\(", bare)
    given = split_arguments(code, found.end()) if found else None
    if given is not None and found and kind == "ex" and _PIPED.search(bare[: found.start()]):
        given = (_PIPED_VALUE, *given)  # https://hexdocs.pm/elixir/Kernel.html#%7C%3E/2
    spread = ("*", "...", "&") if kind == "rb" else ("*", "...")
    if kind not in ("c", "rs", "go") and any(each.startswith(spread) for each in given or ()):
        return None
    return given


_PIPED = lazy_pattern(r"\|>\s*(?:[A-Z][\w.]*\.)?$")
_PIPED_VALUE = "it"
_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")


_MODULE = lazy_pattern(r"\s*(?:pub(?:\([^)]*\))?\s+)?mod\b")  # of Rust, which has a name of its own
_PROTOTYPE = lazy_pattern(r"(?!return\b|else\b)(?:[\w*]+[ \t*]+)+\w+\s*\([^;=]*\)\s*;\s*$")


def _names_given(given: Sequence[str]) -> list[str]:
    """The parameters that a call names: `size=1`, `size: 1`."""
    return [m[1] for each in given if (m := re.match(r"(\w+)\s*(?:=(?!=)|:(?!:))", each))]


# https://www.typescriptlang.org/docs/handbook/2/functions.html#optional-parameters
_TYPED = (".ts", ".tsx", ".mts", ".cts")


def _takes_others(file: ComparedFile, old: CodeDefinition, new: CodeDefinition) -> bool:
    """The parameters were read on both sides, and are not the same; nor does anything new around
    the function say what it takes."""
    if not _touches(file, old, new) or _is_wrapped_anew(file, old, new):
        return False
    before, after = parameters(file.base, old), parameters(file.head, new)
    return before is not None and after is not None and before != after


def _is_wrapped_anew(file: ComparedFile, old: CodeDefinition, new: CodeDefinition) -> bool:
    """A decorator or attribute that it did not have: those of Python and Rust give arguments."""
    before, after = (
        {*_above(rows, each.line)} for rows, each in ((file.base_rows, old), (file.head_rows, new))
    )
    return not after <= before


def _above(rows: Sequence[str], line: int) -> Iterator[str]:
    for row in reversed(rows[: line - 1]):
        if not re.match(r"\s*(?:@\w|#\[)", row):
            return
        yield row.strip()


def _touches(file: ComparedFile, old: CodeDefinition, new: CodeDefinition) -> bool:
    """The lines of its parameters are among those that changed."""
    return any(old.line <= line.number <= old.line + 12 for line in file.removed) or any(
        new.line <= line.number <= new.line + 12 for line in file.added
    )
