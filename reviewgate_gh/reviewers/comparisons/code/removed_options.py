"""Options of a program of Python that are gone while a script, a pipeline or a text of the head
still passes them."""

import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Place
from .._uses import is_new_line, where
from .removed_names import GONE

EVERY_FILE = False
_MOST = 10  # options: of more the program is another one
# https://docs.python.org/3/library/argparse.html, https://click.palletsprojects.com/en/stable/options/
_DEFINES = lazy_pattern(
    r"\s*(?:\w+\.add_argument|@(?:\w+\.)?option)\("
    r"(?:\s*[\"']-\w[\"']\s*,)?\s*[\"']--(?P<name>\w[\w-]{3,})[\"'/]"
)
# What it does not know it may still take, or hand on
_TAKES_MORE = lazy_pattern(
    r"\bparse_known_args\b|\bignore_unknown_options\b|\bREMAINDER\b|\bparents\s*=|\bfromfile_prefix"
)
_PASSES = lazy_pattern(r"\.(?:sh|bash|zsh|ya?ml|mk|md|rst|service|bat|ps1)$|(?:^|/)[A-Z]\w*file$")
_HISTORY = lazy_pattern(r"(?i)change|news|history|release|migrat|upgrad|blog|archive")
_ENTRY = lazy_pattern(
    r"(?m)^\s*[\"']?(?P<name>[\w.-]+)[\"']?\s*=\s*[\"'](?P<module>[\w.]+):\w+[\"']"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        edited = file.is_edited_product and file.path.endswith(".py") and file.mentions(b"--")
        if edited and not _TAKES_MORE.search(file.head):
            yield from _in_file(sources, file)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    gone = {
        found["name"]: line
        for line in file.removed
        if (found := _DEFINES.match(line.text)) and f"--{found['name']}" not in file.head
    }
    if not gone or len(gone) > _MOST:
        return
    places = sources.find_words(gone)
    programs = _programs(sources, file)
    for name, line in gone.items():
        if uses := _uses(sources, places[name], name, programs):
            title = f"the option --{name} is removed, and is still passed in {where(uses)}"
            yield with_places(taken(GONE, file, line, title), uses)
            return


def _uses(
    sources: ComparisonInput, places: Sequence[Place], name: str, programs: str
) -> list[Place]:
    """The lines that run the program with the option; none where code still has the option."""
    quoted = re.compile(rf"[\"'/]--{re.escape(name)}\b")
    if any(place.path.endswith(".py") and quoted.search(place.text) for place in places):
        return []
    # One command: what another one is given stands behind what divides them
    passed = re.compile(
        rf"(?:^|[\s`$(])(?:{programs})\s(?:[^|;&#`]*\s)?--{re.escape(name)}(?![\w-])"
    )
    return [
        place
        for place in places
        if _PASSES.search(place.path)
        and not _HISTORY.search(place.path)
        and not place.text.lstrip().startswith(("#", "//"))
        and not is_new_line(sources, place)
        and passed.search(place.text)
    ]


def _programs(sources: ComparisonInput, file: ComparedFile) -> str:
    """A pattern of how the file is run: by its path, as a module, or by a name of its package's."""
    module = file.path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    bare = module.removesuffix(".__main__").removesuffix(".__init__")
    heads = sources.read_head([each for each in ("pyproject.toml",) if each in sources.list_head()])
    named = [
        found["name"]
        for text in heads.values()
        for found in _ENTRY.finditer(text)
        if found["module"] in (module, bare)
    ]
    ways = [rf"(?:\./)?{re.escape(file.path)}", rf"python[\d.]*\s+-m\s+{re.escape(bare)}"]
    return "|".join([*ways, *map(re.escape, named)])
