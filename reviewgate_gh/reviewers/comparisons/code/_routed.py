"""Which functions the routes of a framework lead to: actions of controllers, and views."""

import re
from collections.abc import Iterator

from msgspec import Struct

from ....text.patterns import lazy_pattern
from .._guards import code_of

# https://guides.rubyonrails.org/routing.html#crud-verbs-and-actions
_RESOURCES = lazy_pattern(
    r"^\s*(?P<kind>resources?)[ (]+(?P<names>:\w+(?:\s*,\s*:\w+)*(?!\w*:))(?P<rest>.*)$"
)
_SOME = lazy_pattern(
    r"(?:\b(?P<what>only|except):?\s*(?:=>\s*)?|->(?P<laravel>only|except)\()\s*"
    r"(?P<list>%i\[[^\]]*\]|\[[^\]]*\]|[:'\"]\w+)"
)
_RAILS_ACTIONS = ("index", "new", "create", "show", "edit", "update", "destroy")
# https://guides.rubyonrails.org/routing.html#adding-more-restful-routes
_OWN_ACTION = lazy_pattern(
    r"^\s*(?:get|post|put|patch|delete|match)[ (]+[:'\"](?P<name>\w+)(?!.*=>)"
)
_TO = lazy_pattern(r"(?:\bto:|=>)\s*[\"'](?P<owner>[\w/]+)#(?P<name>\w+)[\"']")
_CONTROLLER = lazy_pattern(r"\bcontroller:\s*[\"':](?P<name>\w+)")
# https://laravel.com/docs/routing, https://laravel.com/docs/controllers#resource-controllers
_PAIR = lazy_pattern(
    r"\[\s*(?P<owner>\w+)::class\s*,\s*['\"](?P<name>\w+)['\"]\s*\]"
    r"|['\"](?:\w+\\)*(?P<old>\w+)@(?P<of>\w+)['\"]"
)
_LARAVEL_RESOURCE = lazy_pattern(
    r"Route::(?P<api>api)?[rR]esource\(\s*['\"][^'\"]+['\"]\s*,"
    r"\s*(?P<owner>\w+)::class\s*(?P<rest>.*)$"
)
_LARAVEL_ACTIONS = ("index", "create", "store", "show", "edit", "update", "destroy")
# https://docs.djangoproject.com/en/stable/topics/http/urls/
_VIEW = lazy_pattern(
    r"\b(?:re_)?(?:path|url)\([^,\n]*,\s*(?:\w+\.)*(?P<name>[A-Za-z]\w+)(?:\.as_view\(|\s*[,)])"
)


class Handler(Struct, frozen=True):
    """What a route leads to: the file of its controller, or its class, and its function; of a view
    only the name."""

    owner: str
    name: str


def routed_in_rails(text: str) -> Iterator[tuple[Handler, int]]:
    """With the line of the route."""
    around: list[tuple[int, str]] = []  # the resources whose blocks are open, by their depth
    for number, code in _statements(text):
        depth = len(code) - len(code.lstrip())
        around = [each for each in around if each[0] < depth] if code.strip() else around
        for found in _TO.finditer(code):
            yield Handler(found["owner"].rpartition("/")[2], found["name"]), number
        if around and (own := _OWN_ACTION.match(code)):
            yield Handler(around[-1][1], own["name"]), number
        if many := _RESOURCES.match(code):
            named = _CONTROLLER.search(many["rest"])
            for name in re.findall(r"\w+", many["names"]):
                owner = named["name"] if named else name
                if not named and many["kind"] == "resource" and not owner.endswith("s"):
                    owner = f"{owner}s"
                around.append((depth, owner))
                for action in _some_of(_RAILS_ACTIONS, many["rest"]):
                    yield Handler(owner, action), number


def routed_in_laravel(text: str) -> Iterator[tuple[Handler, int]]:
    """With the line of the route."""
    for number, code in _statements(text):
        for found in _PAIR.finditer(code):
            yield Handler(found["owner"] or found["old"], found["name"] or found["of"]), number
        if many := _LARAVEL_RESOURCE.search(code):
            for action in _some_of(_LARAVEL_ACTIONS, many["rest"]):
                yield Handler(many["owner"], action), number


def routed_in_django(text: str) -> Iterator[tuple[Handler, int]]:
    """With the line of the route."""
    for number, code in _statements(text):
        for found in _VIEW.finditer(code):
            if found["name"] != "include":
                yield Handler("", found["name"]), number


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The lines without comments, each with those that it goes on in, by its number."""
    first, said = 0, ""
    for number, row in enumerate(text.split("\n"), 1):
        code = code_of(row)
        if said and number - first < _LONGEST and (_goes_on(said) or code.strip()[:2] == "->"):
            said = f"{said} {code.strip()}"
            continue
        if said:
            yield first, said
        first, said = number, code
    yield first, said


def _goes_on(code: str) -> bool:
    """A bracket is open, or a call of Ruby waits for its next argument."""
    waits = _RUBY.match(code) is not None and code.rstrip().endswith(",")
    return waits or code.count("(") > code.count(")")


_RUBY = lazy_pattern(r"\s*(?:resources?|get|post|put|patch|delete|match|root)\s+[:'\"]")
_LONGEST = 8  # lines


def _some_of(actions: tuple[str, ...], rest: str) -> Iterator[str]:
    """The actions that the options of a line leave."""
    found = _SOME.search(rest)
    listed = re.findall(r"\w+", found["list"].removeprefix("%i")) if found else []
    only = found is not None and (found["what"] or found["laravel"]) == "only"
    return (each for each in actions if not found or (each in listed) == only)
