"""A licence that is gone or is another one."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_foreign, is_lock_file
from .._remark import WHOLE_FILE, ComparisonRule, hint, put, quoted, taken
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = True
_RULE = ComparisonRule(
    "licence-changed",
    Priority.P2,
    "It decides what users may do with the code, and every contributor's consent may be needed. A "
    "person who owns the project should confirm it.",
)
_TEXTS = (
    ("FSL", r"Functional Source License"),
    ("AGPL", r"AFFERO GENERAL PUBLIC"),
    ("LGPL", r"LESSER GENERAL PUBLIC"),
    ("GPL", r"GNU GENERAL PUBLIC LICENSE"),
    ("Apache-2.0", r"Apache License"),
    ("MPL", r"Mozilla Public License"),
    ("BSL", r"Business Source License"),
    ("SSPL", r"Server Side Public License"),
    ("Elastic", r"Elastic License"),
    ("Unlicense", r"released into the public domain"),
    ("ISC", r"ISC License|Permission to use, copy, modify, and(?:/or)? distribute"),
    ("BSD", r"Redistribution and use in source and binary forms"),
    ("MIT", r"MIT License|Permission is hereby granted, free of charge"),
    ("EUPL", r"European Union Public"),
    ("CC0", r"CC0"),
)
_KEPT = lazy_pattern(r"[Aa]ll rights reserved|[Pp]roprietary")  # others say so, too
_FOREIGN = lazy_pattern(
    r"(?:^|/)(?:vendor|third[_-]?party|node_modules|deps|external|docs?|site|website)/"
)
_TEXT_NAME = lazy_pattern(
    r"(?:(?:MIT|APACHE|BSD|GPL)[-_])?(?:UN)?(?:LICEN[SC]E|COPYING)(?:[-_.][\w.-]*)?\Z", re.I
)
_SIBLING = lazy_pattern(r"(?i)LICEN[SC]ES?|COPYING|UNLICENSE")
_TEXT_PATH = lazy_pattern(r"(?i)^licen[sc]es?/")  # https://reuse.software/spec-3.3/
_CODE = lazy_pattern(r"\.(?:py|js|ts|go|rs|rb|java|json|toml)$")
# Where a package says under which licence it is published
_DECLARES = lazy_pattern(
    r"^(?:package|composer|bower|manifest|plugin|module|info|metadata|meta|dub|elm)\.json$"
    r"|^(?:pyproject|Cargo|Project|fpm|typst|extension)\.toml$|^setup\.(?:py|cfg)$|^mix\.exs$"
    r"|^pom\.xml$"
    r"|\.(?:gemspec|podspec|nuspec|[cf]sproj|vbproj|props|cabal|gradle|kts|rockspec|opam|spec"
    r"|nimble)$"
    r"|^(?:pubspec|meta|snapcraft|package|galaxy|conda)\.ya?ml$|^CITATION\.cff$|^build\.zig"
    r"|^DESCRIPTION$"
)
_FIELD = lazy_pattern(
    r"^\s*[\"']?(?:\w+\.)?licen[sc]es?[\"']?\s*(?:[:=]|=>)\s*(?P<value>\{[^}]*\}|\[[^\]]*\]"
    r"|[\"'][^\"']*[\"'])|^\s*<(?:PackageLicen[sc]eExpression|licen[sc]e)>(?P<tag>[^<]+)<",
    re.I,
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a text of a licence that changes, and one for the first field that names another:
    the packages of a project change theirs together."""
    fields: list[Finding] = []
    for file in sources.files:
        if _TEXT_NAME.match(file.name) and not _CODE.search(file.name):
            yield from _text(sources, file)
        elif not (file.is_new or file.is_gone or _is_of_others(file)):
            fields += _field(file) if _DECLARES.search(file.name) else ()
    yield from fields[:1]


def _is_of_others(file: ComparedFile) -> bool:
    """A copy, a packed bundle, a sample or a list of packages: none says what holds here."""
    return file.is_test or is_lock_file(file.path) or is_foreign(file.path)


def _text(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if file.is_new or _FOREIGN.search(file.path):
        return
    old = _kind(file.base)
    if file.is_gone:
        if _is_missed(sources, file):
            yield put(_RULE, file, WHOLE_FILE, "the licence is removed", f"{old or 'a licence'}")
        return
    new = _kind(file.head)
    if old != new and (old or new):
        line = file.added[0] if file.added else WHOLE_FILE
        yield put(
            _RULE,
            file,
            line,
            f"the licence changes from {old or 'another'} to {new or 'another text'}",
            old,
        )
    elif _bare(file.base) == _bare(file.head):
        return  # it was laid out anew
    elif len(file.removed) > 3 and len(file.removed) > 0.2 * file.base.count("\n"):
        rule = hint(_RULE, f"It is {new} before and after.") if new else _RULE
        yield taken(rule, file, file.removed[0], "the text of the licence changes")


def _is_missed(sources: ComparisonInput, file: ComparedFile) -> bool:
    """Files that it was for are still there, and no other text of a licence is."""
    every = sources.list_head()
    beside = [
        name
        for path in every
        if path.startswith(file.folder) and "/" not in (name := path[len(file.folder) :])
    ]
    if not beside and file.folder:
        return False  # with all that it was for
    if any(map(_SIBLING.match, beside)) or any(map(_TEXT_PATH.search, every)):
        return False
    at_top = any(path.upper().startswith(("LICENSE", "COPYING", "LICENCE")) for path in every)
    return not (at_top and file.folder)


def _bare(text: str) -> str:
    return re.sub(r"\W+", "", text)


def _kind(text: str) -> str:
    """The licence that it names first: below it may stand those of parts, or what it becomes."""
    found = ((re.search(pattern, text), name) for name, pattern in _TEXTS)
    first = min(((each.start(), name) for each, name in found if each), default=(0, ""))
    return first[1] or ("proprietary" if _KEPT.search(text) else "")


def _field(file: ComparedFile) -> Iterator[Finding]:
    if not file.mentions(b"icense", b"icence"):
        return
    for block in file.blocks:
        old, new = _value(block.removed), _value(block.added)
        names = [_names(each[1]) for each in (old, new) if each]
        if old and new and all(names) and not names[0] <= names[1]:
            yield put(
                _RULE,
                file,
                new[0],
                f"the declared licence becomes {quoted(new[1])}",
                quoted(old[1]),
            )


def _value(lines: tuple[Line, ...]) -> tuple[Line, str] | None:
    found = ((line, _FIELD.match(line.text)) for line in lines)
    return next(((line, m["value"] or m["tag"]) for line, m in found if m), None)


def _names(value: str) -> frozenset[str]:
    """The words of a licence's name; none where a file is named in its stead (`npm help
    package.json`)."""
    if re.search(r"(?i)\bfile\b|\bsee licen[sc]e in\b", value):
        return frozenset()
    bare = re.sub(r"https?://[^\s\"']+", "", value.lower()).replace("+", " later ")
    for words, name in _LONG_NAMES:
        bare = re.sub(words, name, bare)
    bare = re.sub(r"(?<=gpl)v(?=\d)|(?<=\d)\.0\b(?!\.)|\bv(?=\d)", "", bare)
    return frozenset(re.findall(r"[a-z]+|\d+(?:\.\d+)*", bare)) - _NO_NAME


_LONG_NAMES = tuple(
    (rf"(?:gnu )?{words}general public licen[sc]e", name)
    for words, name in (("affero ", " agpl "), ("lesser ", " lgpl "), ("", " gpl "))
)
# What tells no licence from another, in the ways that people write one: GPLv3+, GPL-3.0-or-later
_NO_NAME = frozenset(
    {"text", "name", "license", "licence", "the", "type", "url", "or", "only", "version"}
)
