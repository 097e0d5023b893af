"""Calls at head that name a parameter which the function no longer has, or that lack one which it
has come to ask for."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._callables import Callable, callables, entries
from .._definitions import language_of
from .._guards import code_of
from .._imports import imports_from
from .._parameters import split_arguments
from .._remark import ComparisonRule, put, quoted, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, is_foreign
from .._typed_values import is_read_from
from .._uses import is_new_line, is_spoken, where, without_strings
from . import changed_calls
from ._told import without_told

EVERY_FILE = False
_CHANGED = ComparisonRule(
    "changed-call",
    Priority.P2,
    "The places named here still call it the old way. Update them in the same change, or accept "
    "the old name for a while.",
)
_MOST = 40  # functions of a change
_MOST_PLACES = 200  # of one name: a word of every file says nothing
_ROWS = 30  # of a call
_RARE = 10  # letters of a name that hardly means another thing


class _Changed(NamedTuple):
    """A function on both sides, with the names that calls may no longer use or have to."""

    file: ComparedFile
    old: Callable
    new: Callable
    lost: frozenset[str]
    asked: frozenset[str]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a function."""
    yield from without_told(sources, _findings(sources), changed_calls.compare)


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    changed = [each for file in sources.files if _is_read(file) for each in _changed(file)]
    if not changed or len(changed) > _MOST:
        return
    sources.find_words({each.new.called for each in changed})
    for each in changed:
        broken = [use for use in _broken(sources, each) if _is_certain(each, use)]
        if broken:
            yield _finding(each, broken)


def _finding(each: _Changed, broken: list[Place]) -> Finding:
    what = ", ".join(sorted(each.lost)) or ", ".join(sorted(each.asked)) or "other arguments"
    does = "no longer takes" if each.lost else "asks for" if each.asked else "takes"
    title = f"{each.new.called} {does} {what}, and is called as before in {where(broken)}"
    line = Line(each.new.line, each.new.text)
    return with_places(put(_CHANGED, each.file, line, title, quoted(each.old.text)), broken)


def _is_read(file: ComparedFile) -> bool:
    return file.is_edited_product and bool(language_of(file.path)) and not file.is_foreign


def _changed(file: ComparedFile) -> Iterator[_Changed]:
    """The functions whose names of parameters are read on both sides, and of which some go."""
    gone = {line.number for line in file.removed if _MAY_NAME.search(line.text)}
    if not gone:
        return  # before the texts are read
    before, after = callables(file.path, file.base), callables(file.path, file.head)
    for key, old in before.items():
        new = after.get(key)
        if old is None or new is None or gone.isdisjoint(range(old.line, old.end + 1)):
            continue
        if new.takes_any or _is_told_above(file, new, old.names - new.names):
            continue
        asked = new.required - old.names
        lost = frozenset(n for n in old.names - new.names if not _is_of_props(file, new, n))
        counted = old.arity != new.arity and old.arity is not None and new.arity is not None
        if lost or asked or counted:
            yield _Changed(file, old, new, lost, asked)


_MAY_NAME = lazy_pattern(r"[(),:]|^\s*[\w$]+\s*$")  # a list of parameters may take several lines


def _is_of_props(file: ComparedFile, each: Callable, name: str) -> bool:
    """JavaScript: a type of the file, or one that it has from elsewhere, may still have it, though
    the function does not take it out."""
    if language_of(file.path) != "js":
        return False
    typed = rf"(?m)^\s*(?:readonly\s+)?{re.escape(name)}\??\s*:.*[;,]?$"
    head = "\n".join(file.head_rows[each.line - 1 : each.end + 1])
    if re.search(rf"[{{;,]\s*(?:readonly\s+)?{re.escape(name)}\?\s*:", head):
        return True
    types = (found["one"] or found["other"] for found in _OF_TYPE.finditer(head))
    return re.search(typed, file.head) is not None or any(
        not re.search(rf"\b(?:type\s+{kind}\s*=\s*\{{|interface\s+{kind}\s*\{{)", file.head)
        for kind in types
    )


# `}: Props)`, `}: Readonly<Props>)`, `: React.FC<Props> = (`
_OF_TYPE = lazy_pattern(r"\}\s*:\s*(?:\w+<)?(?P<one>[A-Z]\w*)|:\s*[\w.]+<(?P<other>[A-Z]\w*)")


def _is_told_above(file: ComparedFile, each: Callable, lost: frozenset[str]) -> bool:
    """A decorator names the parameter, to take it as before."""
    above = file.head_rows[max(0, each.line - _ABOVE) : each.line - 1]
    return any(has_word(row, name) for row in above for name in lost if re.match(r"\s*[@#]", row))


_ABOVE = 6  # lines


def _broken(sources: ComparisonInput, each: _Changed) -> list[Place]:
    places = sources.find_words({each.new.called})[each.new.called]
    kind = language_of(each.file.path)
    mine = [place for place in places if language_of(place.path) == kind]
    if len(mine) > _MOST_PLACES or _is_taken_by_another(sources, each, mine):
        return []
    return [
        place
        for place in mine
        if not is_new_line(sources, place)
        and not is_foreign(place.path)
        and has_word(without_strings(code_of(place.text)), each.new.called)
        and _is_of_it(sources, each, place)
        and _no_longer_fits(sources, each, place)
        and not is_spoken(sources, place)
    ]


def _is_taken_by_another(sources: ComparisonInput, each: _Changed, places: list[Place]) -> bool:
    """Another function of the name takes such a parameter, or any."""
    if each.new.owner_is_called:
        pattern = rf"\b(?:class|struct|record|object)\s+{re.escape(each.new.called)}\b"
        return any(
            re.search(pattern, place.text)
            for place in places
            if place.path not in (each.file.path, each.file.diff.old_path)
        )
    paths = {place.path for place in places if _DEFINES.search(place.text)} - {each.file.path}
    for path, text in sources.read_head(paths).items():
        for other in callables(path, text).values():
            if other and other.called == each.new.called:
                fits = other.takes_any or each.lost & other.names or not each.lost
                if fits:
                    return True
    return False


_DEFINES = lazy_pattern(r"\b(?:def|fun|func|function)\s|^\s*(?:\w[\w<>\[\],.?]*\s+)+\w+\s*\(|=>\s*")


def _is_of_it(sources: ComparisonInput, each: _Changed, place: Place) -> bool:
    """Its file takes in the function or its class, or speaks of the class; or the name is rare."""
    if place.path == each.file.path:
        return True
    text = sources.read_head([place.path]).get(place.path, "")
    kind = language_of(place.path)
    name = each.new.owner or each.new.called
    if kind in ("py", "js"):
        paths = sources.list_head()
        default = kind == "js" and re.search(rf"\bimport\s+{re.escape(name)}\b[^\n]*\bfrom\b", text)
        return bool(default) or imports_from(place, text, each.file.path, name, paths)
    if each.new.owner:
        return has_word(text, each.new.owner) or has_word(text, _snake(each.new.owner))
    return len(name) >= _RARE or not each.new.is_indented


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", name).lower()


def _is_certain(each: _Changed, place: Place) -> bool:
    """The language refuses the call, and it can mean no other function."""
    if place.path.endswith((".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")):
        return False
    if not each.new.owner or each.new.owner_is_called:
        return True
    return has_word(place.text, each.new.owner)


def _no_longer_fits(sources: ComparisonInput, each: _Changed, place: Place) -> bool:
    rows = sources.read_head([place.path]).get(place.path, "").split("\n")
    text = "\n".join(rows[place.number - 1 : place.number - 1 + _ROWS])
    whole = "\n".join(rows)
    counts = each.new.owner_is_called or (
        place.path.endswith((".py", ".ts", ".tsx"))
        and is_read_from(whole, each.new.owner, each.new.called, place)
    )
    calls = _calls(each.new, language_of(place.path), text, place)
    return any(_breaks(each, call, counts) for call in calls)


def _breaks(each: _Changed, call: tuple[frozenset[str], int], counts: bool) -> bool:
    given, number = call
    if not given.isdisjoint(each.lost):
        return True
    was, now = each.old.arity, each.new.arity
    if counts and not given and was and now and was[0] <= number <= was[1]:
        takes_fewer = each.file.path.endswith((".dart", ".swift"))
        return not takes_fewer and not now[0] <= number <= now[1]
    known = each.old.names & given
    return bool(known) and not each.asked <= given and not each.lost


def _calls(
    each: Callable, kind: str, text: str, place: Place
) -> Iterator[tuple[frozenset[str], int]]:
    """The parameters that the calls of the text's first line name."""
    name = re.escape(each.called)
    made = r"\.new\b" if each.owner_is_called and kind == "rb" else ""
    end = text.find("\n") if "\n" in text else len(text)
    for found in re.finditer(
        rf"(?<![\w$@]){name}(?:<[^<>()\n]*>)?{made}(?P<open>\s?\(|[ ])?", text
    ):
        if found.start() > end:
            return
        before = text[: found.start()]
        if re.search(
            r"\b(?:def|fun|func|function|class|record|struct|init)\s+(?:self\.)?$", before
        ):
            continue
        if kind == "js" and before.endswith("<"):
            yield _attributes(text[found.end() :]), 0
        elif (found["open"] or "").endswith("("):
            given = split_arguments(text, found.end())
            if given is not None and not any(g.startswith(("*", "...")) for g in given):
                yield _named(kind, given), len(given)
        elif kind == "rb" and found["open"]:
            given = tuple(place.text[found.end() :].split(","))
            yield _named(kind, given), len(given)


def _named(kind: str, given: tuple[str, ...]) -> frozenset[str]:
    if kind == "js":
        inner = (part for each in given if each.startswith("{") for part in entries(each))
        return frozenset(m[1] for part in inner if (m := re.match(r"(\w+)\s*(?::|$)", part)))
    return frozenset(
        m[1] for each in given if (m := re.match(r"\s*(\w+)\s*(?:=(?![=>~])|:(?!:))", each))
    )


def _attributes(text: str) -> frozenset[str]:
    """The attributes of an element up to its end."""
    end = re.search(r"(?<![=\-])>", text)
    return frozenset(re.findall(r"\s([A-Za-z]\w*)(?==|\s|/|$)", text[: end.start() if end else 0]))
