"""Errors that callers asked for by their kind, and can no longer tell from others."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, same_but_for, weigh_loss
from .._remark import ComparisonRule, put, quoted, with_places
from .._sources import Block, ComparedFile, ComparisonInput, Line, Place

EVERY_FILE = False
_RULE = ComparisonRule(
    "error-not-wrapped",
    Priority.P2,
    "`errors.Is` and `errors.As` no longer find what went wrong in it, and callers that ask go the "
    "wrong way. Wrap it with `%w`, or return the error that they ask for.",
)
# https://pkg.go.dev/fmt#Errorf
_WRAPS = lazy_pattern(r"%w|%\+?[vsq]")
_SENTINEL = lazy_pattern(r"\b(?:\w+\.)?(?P<name>(?:Err|err)[A-Z]\w*|E[A-Z]{3,}|EOF)\b(?!\s*[(:={])")
_RETURNS = lazy_pattern(r"^\s*return\b")
_NEW = lazy_pattern(r"\b(?:fmt\.Errorf|errors\.(?:New|Errorf))\(")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.path.endswith(".go") and file.is_edited_product and file.mentions(b"%w", b"rr"):
            yield from [*_in_file(sources, file)][:1]


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for old in block.removed:
            code = code_of(old.text)
            if "%w" in code and (new := _unwrapped(block, code)):
                title = "an error is no longer wrapped"
                yield put(weigh_loss(_RULE, file, block), file, new, title, quoted(old.text))
            elif _RETURNS.match(code) and (found := _SENTINEL.search(code)):
                new = _anonymous(block, found["name"])
                asked = _asked_for(sources, found["name"]) if new else []
                if new and asked:
                    title = f"{found['name']}, which others ask for, is no longer returned here"
                    rule = weigh_loss(_RULE, file, block)
                    yield with_places(put(rule, file, new, title, quoted(old.text)), asked)


def _unwrapped(block: Block, code: str) -> Line | None:
    """The same text for people, with the error as text only."""
    return next(
        (
            new
            for new in block.added
            if new.text.count("%w") < code.count("%w")
            and same_but_for(code, code_of(new.text), _WRAPS)
        ),
        None,
    )


def _anonymous(block: Block, name: str) -> Line | None:
    """A line in its place makes an error that has no name."""
    if any(_SENTINEL.search(code_of(new.text)) for new in block.added):
        return None
    return next(
        (
            new
            for new in block.added
            if _RETURNS.match(new.text) and _NEW.search(code_of(new.text)) and "%w" not in new.text
        ),
        None,
    )


def _asked_for(sources: ComparisonInput, name: str) -> list[Place]:
    """Where the head's own code compares an error with it."""
    asks = re.compile(
        rf"errors\.(?:Is|As)\([^\n]*\b{re.escape(name)}\b|[!=]=\s*(?:\w+\.)?{re.escape(name)}\b"
    )
    return [
        place
        for place in sources.find_words({name})[name]
        if place.path.endswith(".go") and asks.search(place.text)
    ]
