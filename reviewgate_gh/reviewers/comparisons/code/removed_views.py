"""Templates and pages that are gone while code and other templates of the head still show them by
the name that their place gives them."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._paths import is_tests
from .._made_names import is_built
from .._remark import WHOLE_FILE, put, with_places
from .._sources import ComparedFile, ComparisonInput, Place, is_foreign
from .._uses import is_new_line, where
from . import removed_files
from ._told import without_told
from .removed_names import GONE

EVERY_FILE = False
_MOST = 10  # files: of more it is a move
_SHORTEST = 4


class _Views(NamedTuple):
    """Where a framework has its views, and how one is shown by its name there."""

    paths: re.Pattern[str]
    shown: Callable[[str], str]


# https://nextjs.org/docs/app/getting-started/route-handlers
_ROUTES = _Views(
    lazy_pattern(
        r"(?:^|/)(?:app|pages)/(?:\([\w-]+\)/)*(?P<folder>api/(?:.+/)?)(?P<name>[\w.\[\]-]+)"
        r"(?:/route)?\.[jt]sx?$"
    ),
    lambda name: rf"[\"'`]/{name}/?[\"'`?]",
)
_VIEWS = (
    # https://guides.rubyonrails.org/layouts_and_rendering.html#naming-partials
    _Views(
        lazy_pattern(r"(?:^|/)app/views/(?P<folder>.+/)_(?P<name>\w+)\.[\w.]+$"),
        lambda name: rf"\brender\b[^\"']*[\"']{name}[\"']",
    ),
    # https://laravel.com/docs/blade
    _Views(
        lazy_pattern(r"(?:^|/)resources/views/(?P<folder>(?:.+/)?)(?P<name>[\w-]+)\.blade\.php$"),
        lambda name: (
            rf"(?:\bview|@(?:include|extends|component|each)\w*|\bView::make|->(?:view|markdown))\("
            rf"\s*[\"']{name.replace('/', '[./]')}[\"']"
        ),
    ),
    # https://docs.djangoproject.com/en/stable/topics/templates/
    _Views(
        lazy_pattern(
            r"(?:^|/)templates/(?P<folder>(?:.+/)?)(?P<name>[\w-]+\.(?:html|txt|xml)(?:\.\w+)?)$"
        ),
        lambda name: (
            rf"(?:\brender\w*\(|\btemplate_name\b|\bget_template\("
            rf"|\{{%-?\s*(?:include|extends|embed)\b"
            rf"|\btemplate:)[^\"']*[\"']{name}[\"']"
        ),
    ),
    # https://expressjs.com/en/guide/using-template-engines.html
    _Views(
        lazy_pattern(r"(?:^|/)views/(?P<folder>(?:.+/)?)(?P<name>[\w-]+)\.(?:ejs|hbs|pug)$"),
        lambda name: rf"\brender\(\s*[\"']{name}[\"']",
    ),
    _ROUTES,
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding for all of them."""
    yield from without_told(sources, _findings(sources), removed_files.compare)


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    gone = [each for file in sources.files if _is_gone(sources, file) for each in _named(file)]
    if not gone or len(gone) > _MOST:
        return
    for file, views, name in gone:
        uses = _uses(sources, file, views, name)
        if uses:
            title = f"the template {name} is removed, and is still shown in {where(uses)}"
            yield with_places(put(GONE, file, WHOLE_FILE, title, "the file existed"), uses)
            return


def _is_gone(sources: ComparisonInput, file: ComparedFile) -> bool:
    moved = file.diff.status == "R"
    return (file.is_gone or moved) and not is_tests(file.path) and not is_built(sources, file)


def _named(file: ComparedFile) -> Iterator[tuple[ComparedFile, _Views, str]]:
    for views in _VIEWS:
        name = _name(file.diff.old_path, views)
        if len(name.rpartition("/")[2]) >= _SHORTEST:
            yield file, views, name


def _name(path: str, views: _Views) -> str:
    """The name by which the file at the path is shown; "" where it is no such file."""
    found = views.paths.search(path)
    name = found["folder"] + found["name"] if found else ""
    return name.removesuffix("/route").removesuffix("/index") if views is _ROUTES else name


def _uses(sources: ComparisonInput, file: ComparedFile, views: _Views, name: str) -> list[Place]:
    paths = sources.list_head()
    if any(_is_same(path, views, name) for path in paths):
        return []
    if views is _ROUTES and _is_sent_on(sources, paths):
        return []
    shown = re.compile(views.shown(re.escape(name)))
    word = re.split(r"[/.]", name.partition(".")[0])[-1]
    return [
        place
        for place in sources.find_words({word})[word]
        if shown.search(place.text)
        and not is_foreign(place.path)
        and not is_tests(place.path)
        and not is_new_line(sources, place)
    ]


def _is_same(path: str, views: _Views, name: str) -> bool:
    """A file of the head has the name, with another suffix or in another root, or answers to any
    name. https://nextjs.org/docs/app/api-reference/file-conventions/dynamic-routes"""
    there = _name(path, views)
    return there == name or ("[" in there and re.fullmatch(_as_pattern(there), name) is not None)


def _is_sent_on(sources: ComparisonInput, paths: Collection[str]) -> bool:
    """Settings send on who asks, perhaps for this.
    https://nextjs.org/docs/app/api-reference/config/next-config-js/rewrites"""
    texts = sources.read_head([path for path in paths if _SETTINGS.search(path)])
    return any("rewrite" in text or "redirect" in text for text in texts.values())


_SETTINGS = lazy_pattern(r"(?:^|/)(?:next\.config\.\w+|vercel\.json)$")


def _as_pattern(route: str) -> str:
    """`[id]` stands for one part of an address, `[...path]` for all that follow."""
    parts = (
        ".+" if part.strip("[").startswith("...") else "[^/]+" if "[" in part else re.escape(part)
        for part in route.split("/")
    )
    return "/".join(parts)
