"""Actions of controllers, and views, that stay while the last route to them is gone, and what asks
for the address of a resource that has none."""

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from msgspec.structs import replace

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of, joined, weigh_loss
from .._remark import quoted, taken, with_places
from .._sources import Block, ComparedFile, ComparisonInput, Line, Place, has_word
from . import named_routes, removed_routes
from ._resource_helpers import lost_helpers
from ._routed import Handler, routed_in_django, routed_in_laravel, routed_in_rails
from .named_routes import RULE

EVERY_FILE = False
_RULE = replace(
    RULE,
    advice="Requests for it now fail, and the code behind it is dead. Restore the route, or remove "
    "the code as well.",
)


class _Framework(NamedTuple):
    """The files of its routes, what they lead to, and where that is at head."""

    paths: re.Pattern[str]
    routed: Callable[[str], Iterator[tuple[Handler, int]]]
    find: Callable[[ComparisonInput, Handler], Place | None]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change and framework."""
    for framework in _FRAMEWORKS:
        files = [file for file in sources.files if framework.paths.search(file.path)]
        if any(file.removed for file in files):
            helpers = (found for file in files for found in lost_helpers(sources, file))
            found = [*islice(chain(helpers, _in_framework(sources, framework, files)), 1)]
            told = _told(sources) if found else set[tuple[str, int]]()
            yield from (each for each in found if (each.path, each.line_start) not in told)


def _told(sources: ComparisonInput) -> set[tuple[str, int]]:
    """The lines of routes of which others tell that they are still used."""
    others = (named_routes, removed_routes)
    return {(each.path, each.line_start) for other in others for each in other.compare(sources)}


def _in_framework(
    sources: ComparisonInput, framework: _Framework, files: list[ComparedFile]
) -> Iterator[Finding]:
    paths = [path for path in sources.list_head() if framework.paths.search(path)][:_MOST]
    now = {each for t in sources.read_head(paths).values() for each, _line in framework.routed(t)}
    for file in files:
        if file.is_gone or file.is_test:
            continue
        routed = [*framework.routed(file.base)]
        before = {each for each, _line in routed}
        gone = {line.number: line for line in file.removed}
        for handler, number in routed:
            if number not in gone or handler in now:
                continue
            place = framework.find(sources, handler)
            if place is None or sources.change.file(place.path) is not None:
                continue
            block = next(block for block in file.blocks if gone[number] in block.removed)
            instead = {each for each, _line in framework.routed(joined(block.added))}
            if instead <= before:  # else the address leads to something new
                yield _finding(file, block, gone[number], handler.name, place)


def _finding(file: ComparedFile, block: Block, line: Line, name: str, place: Place) -> Finding:
    rule = weigh_loss(_RULE, file, block)
    title = f"no route leads to {name} in {place.path} any more"
    text = quoted(block.added[0].text) if block.added else ""
    return with_places(taken(rule, file, line, title, text), [place])


_MOST = 60  # files of routes


def _action_of_rails(sources: ComparisonInput, handler: Handler) -> Place | None:
    name = f"/{handler.owner}_controller.rb"
    paths = [path for path in sources.list_head() if f"/{path}".endswith(name)]
    # A namespace may have a controller of that name, too
    return _defined(sources, paths, rf"\s+def\s+{re.escape(handler.name)}\b")


def _action_of_laravel(sources: ComparisonInput, handler: Handler) -> Place | None:
    places = sources.find_words({handler.owner})[handler.owner]
    made = rf"(?:final\s+|abstract\s+)*class\s+{re.escape(handler.owner)}\b"
    paths = [place.path for place in places if re.match(made, place.text)]
    return _defined(sources, paths, rf"\s+public\s+function\s+{re.escape(handler.name)}\b")


def _view_of_django(sources: ComparisonInput, handler: Handler) -> Place | None:
    """One that nothing else uses."""
    named = [
        place
        for place in sources.find_words({handler.name})[handler.name]
        if has_word(code_of(place.text), handler.name)
        and not (_TAKES_IN.match(place.text) or _OTHERS.search(place.path))
    ]
    head = re.compile(rf"(?:async\s+)?(?:def|class)\s+{re.escape(handler.name)}\b")
    made = [place for place in named if head.match(place.text)]
    return made[0] if len(made) == 1 == len(named) else None


_TAKES_IN = lazy_pattern(r"\s*(?:from|import)\b|\s*\w+,$")
_OTHERS = lazy_pattern(r"(?:^|/)(?:tests?|docs?)/|tests?(?:_\w+)?\.py$|\.(?:md|rst|txt|po)$")


def _defined(sources: ComparisonInput, paths: list[str], pattern: str) -> Place | None:
    """The one place where it is defined."""
    if len({*paths}) != 1:
        return None
    rows = enumerate(sources.read_head(paths).get(paths[0], "").split("\n"), 1)
    found = ((number, row) for number, row in rows if re.match(pattern, row))
    return next((Place(paths[0], number, row) for number, row in found), None)


_FRAMEWORKS = (
    _Framework(lazy_pattern(r"(?:^|/)config/routes(?:\.rb$|/)"), routed_in_rails, _action_of_rails),
    _Framework(lazy_pattern(r"(?:^|/)routes/.*\.php$"), routed_in_laravel, _action_of_laravel),
    _Framework(
        lazy_pattern(r"(?:^|/)(?:\w*urls?\w*)(?:/\w+)?\.py$"), routed_in_django, _view_of_django
    ),
)
