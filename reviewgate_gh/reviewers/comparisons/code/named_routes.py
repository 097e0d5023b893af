"""Names of routes that are gone while templates and code of the head still ask for them."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._remark import ComparisonRule, taken, with_places
from .._sources import ComparedFile, ComparisonInput, Place
from .._uses import is_new_line, where

EVERY_FILE = False
RULE = ComparisonRule(
    "removed-route-used",
    Priority.P2,
    "These places fail when they are reached. Update them, or keep the name of the route.",
)


class _Framework(NamedTuple):
    """How routes get their names in its files, and how a name is used: the words to search for,
    and the pattern of a use. `implied` is the pattern of a line that makes several routes, this one
    among them; "" where there is none."""

    paths: re.Pattern[str]
    names: re.Pattern[str]
    words: Callable[[str], tuple[str, ...]]
    use: Callable[[str], str]
    implied: Callable[[str], str]


_MOST = 200  # lines of a file: more are a rewrite


def _itself(name: str) -> tuple[str, ...]:
    return (re.split(r"\W", name)[-1],)


def _by_resource(name: str) -> str:
    """Rails' and Laravel's `resources` name the routes of a thing by it: `edit_user`,
    `users.edit`. https://laravel.com/docs/controllers#resource-controllers"""
    thing = re.sub(r"^(?:new|edit)_|\.\w+$", "", name).rpartition(".")[2]
    return rf"\b\w*[rR]esources?\b\W+(?:[\w-]+/)*{re.escape(thing)}\w{{0,3}}\b"


_FRAMEWORKS = (
    # https://guides.rubyonrails.org/routing.html#overriding-the-named-route-helpers
    _Framework(
        lazy_pattern(r"(?:^|/)config/routes(?:\.rb$|/)"),
        lazy_pattern(r"(?:\bas:|:as\s*=>)\s*[:\"'](?P<name>\w+)"),
        lambda name: (f"{name}_path", f"{name}_url"),
        lambda name: rf"(?<![\w.:@\"']){name}_(?:path|url)\b",
        _by_resource,
    ),
    # https://docs.djangoproject.com/en/stable/topics/http/urls/#naming-url-patterns
    _Framework(
        lazy_pattern(r"(?:^|/)(?:\w*urls?\w*|routes?)(?:/\w+)?\.py$"),
        lazy_pattern(r"\b(?:path|url)\(.*\bname\s*=\s*[\"'](?P<name>[\w:.-]+)[\"']"),
        _itself,
        lambda name: (
            rf"(?:\{{%-?\s*url\s+|\b(?:reverse(?:_lazy)?|redirect|resolve_url)\(\s*)"
            rf"[\"'](?:[\w-]+:)*{name}[\"']"
        ),
        lambda name: "",
    ),
    # https://laravel.com/docs/routing#named-routes
    _Framework(
        lazy_pattern(r"(?:^|/)routes/.*\.php$"),
        lazy_pattern(r"(?:->name\(|[\"']as[\"']\s*=>)\s*[\"'](?P<name>[\w.-]+)[\"']"),
        _itself,
        lambda name: rf"\b(?:route|to_route|redirectToRoute)\(\s*[\"']{name}[\"']",
        _by_resource,
    ),
    # https://symfony.com/doc/current/routing.html#generating-urls
    _Framework(
        lazy_pattern(r"(?:^|/)\w*Controller\.php$"),
        lazy_pattern(r"#\[Route\(.*\bname:\s*[\"'](?P<name>[\w.-]+)[\"']"),
        _itself,
        lambda name: rf"\b(?:path|url|generateUrl|redirectToRoute|generate)\(\s*[\"']{name}[\"']",
        lambda name: "",
    ),
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a route."""
    for framework in _FRAMEWORKS:
        routes = [file for file in sources.files if framework.paths.search(file.path)]
        for file in routes:
            yield from _in_file(sources, framework, file)


def _in_file(
    sources: ComparisonInput, framework: _Framework, file: ComparedFile
) -> Iterator[Finding]:
    for line in file.removed[:_MOST]:
        found = framework.names.search(code_of(line.text))
        if found is None or _is_kept(sources, framework, found["name"]):
            continue
        uses = _uses(sources, framework, found["name"])
        if uses:
            title = f"the route named {found['name']} is removed, and still used in {where(uses)}"
            yield with_places(taken(RULE, file, line, title), uses)


def _is_kept(sources: ComparisonInput, framework: _Framework, name: str) -> bool:
    """Another route of the head has the name, or a line that makes several."""
    word = _itself(name)[0]
    rows = [place.text for place in sources.find_words({word})[word]]
    rows += [line.text for file in sources.files for line in file.added]
    rows += [
        row for file in sources.files if framework.paths.search(file.path) for row in file.head_rows
    ]
    if is_composed(name, "\n".join(map(code_of, rows))):
        return True
    implied = framework.implied(name)
    if implied and any(re.search(implied, code_of(row)) for row in rows):
        return True
    alone = re.compile(rf"\s*name\s*=\s*[\"']{re.escape(name)}[\"']")  # a call of several lines
    return any(
        name in (found["name"] for found in framework.names.finditer(code_of(row)))
        or alone.match(row)
        for row in rows
    )


def is_composed(name: str, routes: str) -> bool:
    """A group of the routes brings the first part of the name, and a route in it the rest.
    https://guides.rubyonrails.org/routing.html#controller-namespaces-and-routing,
    https://laravel.com/docs/routing#route-group-name-prefixes"""
    for found in re.finditer(r"[_.]", name):
        group, rest = re.escape(name[: found.start()]), re.escape(name[found.end() :])
        if re.search(rf"{_GROUP}[^\n]*[:\"'/]{group}[s.]?(?!\w)", routes) and re.search(
            rf"{_NAMED}\s*:?[\"']?{rest}(?!\w)", routes
        ):
            return True
    return False


_GROUP = r"\b(?:namespace|scope|resources?|name|group|as)\b"
_NAMED = r"(?:\bas:|[:'\"]as['\"]?\s*=>|->name\()"


def _uses(sources: ComparisonInput, framework: _Framework, name: str) -> list[Place]:
    """What asks for the route by its name, and was there before."""
    pattern = re.compile(framework.use(re.escape(name)))
    places = sources.find_words({*framework.words(name)})
    return [
        place
        for word in framework.words(name)
        for place in places[word]
        if pattern.search(place.text) and not is_new_line(sources, place)
    ]
