"""Lines of a makefile that are neither a rule nor a definition nor a directive: make stops there
with "missing separator". Most often a recipe's tab has become spaces."""

import re
from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._paths import is_fixture
from ._sources import CheckInput, content_at_base, shown_line_number

_NAMES, _SUFFIX = ("Makefile", "makefile", "GNUmakefile"), ".mk"
WANTS = (*_NAMES, f"*{_SUFFIX}")
EVERY_FILE = False
_LARGEST = 1_000_000  # bytes
_RECIPE = ("\t",)
# https://www.gnu.org/software/make/manual/html_node/Quick-Reference.html; BSD's begin with a dot
_DIRECTIVE = re.compile(
    r"(?:-?s?include|-?load|define|endef|undefine|ifdef|ifndef|ifeq|ifneq|else|endif|export"
    r"|unexport|override|private|vpath)\b|[.!]"
)
# A rule, a definition, or what may become one; a mark of a template or of a merge
_REST = re.compile(r"[:=]|\$[({]|@|\{[{%]|<%|<<<<|>>>>")
_OTHER_PREFIX = ".RECIPEPREFIX"
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")


def check(sources: CheckInput) -> Iterator[Finding]:
    """The first such line of a file, where its base has none."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not _is_makefile(file) or len(data) > _LARGEST:
            continue
        line = odd_line(data.decode("utf-8", "replace"))
        if line and (file.status == "A" or not odd_line(_before(file, data))):
            yield _finding(file.path, shown_line_number(file, line))


def _is_makefile(file: FileDiff) -> bool:
    name = file.path.rpartition("/")[2]
    return (
        file.is_text_file
        and (name in _NAMES or name.endswith(_SUFFIX))
        and not is_fixture(file.path)
    )


def _before(file: FileDiff, data: bytes) -> str:
    return content_at_base(file, data).decode("utf-8", "replace")


def odd_line(text: str) -> int:
    """The first line where make stops, from 1; 0 where there is none, or nobody can tell."""
    if _OTHER_PREFIX in text:
        return 0
    goes_on, defines = False, 0
    for number, line in enumerate(text.split("\n"), 1):
        continued, goes_on = goes_on, _CONTINUED.search(line) is not None
        bare = line.strip()
        if continued or line.startswith(_RECIPE) or not bare or bare.startswith("#"):
            continue
        word = bare.partition(" ")[0]
        defines += (word == "define") - (word == "endef")
        if defines <= 0 and not goes_on and not _DIRECTIVE.match(bare) and not _REST.search(bare):
            return number
    return 0


def _finding(path: str, line: int) -> Finding:
    return Finding(
        Priority.P1,
        "syntax",
        "builtin/makefile-separator",
        path,
        line,
        line,
        "make stops here: missing separator",
        "The line is no rule and no definition. A recipe begins with a tab, a target ends with a "
        "colon.",
    )
