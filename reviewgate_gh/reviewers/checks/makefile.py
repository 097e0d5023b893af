"""Where make stops: at lines that are neither a rule nor a definition nor a directive ("missing
separator": most often a recipe's tab has become spaces), at a condition without its `endif`, and at
a reference that is not closed. And where it drops a recipe: of a target that has two."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_fixture
from ._sources import CheckInput, content_at_base, shown_line_number

_NAMES, _SUFFIX = ("Makefile", "makefile", "GNUmakefile"), ".mk"
WANTS = (*_NAMES, f"*{_SUFFIX}")
EVERY_FILE = False
_LARGEST = 1_000_000  # bytes
_RECIPE = ("\t",)
# https://www.gnu.org/software/make/manual/html_node/Quick-Reference.html; BSD's begin with a dot
_DIRECTIVE = lazy_pattern(
    r"(?:-?s?include|-?load|define|endef|undefine|ifdef|ifndef|ifeq|ifneq|else|endif|export"
    r"|unexport|override|private|vpath)\b|[.][a-z]|!"
)
# A rule, a definition, or what may become one; a mark of a template or of a merge
_REST = lazy_pattern(r"[:=]|\$[({]|@|\{[{%]|<%|<<<<|>>>>")
_REST_OF_RECIPE = lazy_pattern(
    r"[:=]|[$][({](?:eval|call|info|warning|error|if|foreach)\b|[$][({][^$(){}]*:|\{[{%]|<%|<<<<"
    r"|>>>>|^@\w+@$"
)
_RULE_LINE = lazy_pattern(r"[\w.$({/%][^:=#\n]*::?(?![:=])(?!.*[=;])")
_OTHER_PREFIX = ".RECIPEPREFIX"
_CONDITION = lazy_pattern(r" *(?:else +)?(?P<word>ifn?def|ifn?eq|endif)\b")
_OPENED = lazy_pattern(r"(?<!\$)(?:\$\$)*\$([({])")
_SAME = {"(": lazy_pattern(r"[()]"), "{": lazy_pattern(r"[{}]")}
_CONTINUED = lazy_pattern(r"(?<!\\)(?:\\\\)*\\\Z")


def check(sources: CheckInput) -> Iterator[Finding]:
    """The first such line of a file by each rule, where its base has none."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not _is_makefile(file) or len(data) > _LARGEST:
            continue
        for rule in _RULES:
            line = rule.find(data.decode("utf-8", "replace"))
            if line and (file.status == "A" or not rule.find(_before(file, data))):
                yield _finding(rule, file.path, shown_line_number(file, line))


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
    goes_on, defines, rule = False, 0, False
    for number, line in enumerate(text.split("\n"), 1):
        continued, goes_on = goes_on, _CONTINUED.search(line) is not None
        bare = line.strip()
        rule = rule and not line.startswith(_RECIPE)
        if continued or line.startswith(_RECIPE) or not bare or bare.startswith("#"):
            continue
        word = bare.partition(" ")[0]
        defines += (word == "define") - (word == "endef")
        rest = _REST
        if rule and line.startswith(" "):  # a recipe whose tab has become spaces
            rest = _REST_OF_RECIPE
        rule = _RULE_LINE.match(line) is not None
        if defines <= 0 and not goes_on and not _DIRECTIVE.match(bare) and not rest.search(bare):
            return number
    return 0


def open_condition(text: str) -> int:
    """The first line of a condition that is never closed, or of an `endif` that closes none; 0
    where all match, or nobody can tell.
    https://www.gnu.org/software/make/manual/html_node/Conditional-Syntax.html
    """
    opened, defines = list[int](), 0
    for number, line in _logical_lines(text):
        word = line.strip().partition(" ")[0]
        defines += (word == "define") - (word == "endef")
        found = None if line.startswith(_RECIPE) or defines > 0 else _CONDITION.match(line)
        if found is None or line.lstrip().startswith("else"):
            continue
        if found["word"] != "endif":
            opened.append(number)
        elif opened:
            opened.pop()
        else:
            return number
    return opened[-1] if opened else 0


def open_reference(text: str) -> int:
    """The first line with a `$(` that nothing closes; 0 where there is none.
    https://www.gnu.org/software/make/manual/html_node/Reference.html"""
    for number, line in _logical_lines(text):
        if line.startswith("define"):
            return 0  # its lines are read when it is expanded
        if not line.lstrip().startswith("#") and _is_open(line):
            return number
    return 0


def _is_open(line: str) -> bool:
    """A reference is: within one, make counts brackets of its own kind, quoted ones too."""
    at = 0
    while found := _OPENED.search(line, at):
        mark, at, depth = found[1], found.end(), 1
        for bracket in _SAME[mark].finditer(line, at):
            depth += 1 if bracket[0] == mark else -1
            if not depth:
                at = bracket.end()
                break
        if depth:
            return True
    return False


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line with those that continue it, and its number."""
    kept, first = list[str](), 1
    for number, line in enumerate(text.split("\n"), 1):
        kept.append(line)
        if not _CONTINUED.search(line):
            yield first, " ".join(kept)
            kept, first = [], number + 1
    if kept:
        yield first, " ".join(kept)


# One target, by its name: no pattern, no variable, no `::`, no special target
_TARGET = lazy_pattern(r"(?P<name>[A-Za-z0-9_][\w./\-]{0,200})[ \t]*:(?![:=])(?P<rest>.*)")


def second_recipe(text: str) -> int:
    """The line of a target that has a recipe already, which make then drops; 0 where none has two,
    or where conditions and other files decide which one counts.
    https://www.gnu.org/software/make/manual/html_node/Multiple-Rules.html"""
    if _OTHER_PREFIX in text or _DECIDED.search(text):
        return 0
    target, line, known = "", 0, set[str]()
    for number, row in _logical_lines(text):
        if row.startswith(_RECIPE):
            if target in known and line:
                return line
            known.add(target)
            line = 0
        elif row.strip() and not row.lstrip().startswith("#"):
            found = _TARGET.match(row)
            target, line = (found["name"], number) if found else ("", 0)
    return 0


_DECIDED = lazy_pattern(r"(?m)^[ ]*(?:ifn?def|ifn?eq|-?s?include|define)\b")


class _Rule(Struct, frozen=True):
    name: str
    find: Callable[[str], int]
    title: str
    body: str
    priority: Priority = Priority.P1


_RULES = (
    _Rule(
        "makefile-separator",
        odd_line,
        "make stops here: missing separator",
        "The line is neither a rule nor a definition. A recipe begins with a tab, a target ends "
        "with a colon.",
    ),
    _Rule(
        "makefile-condition",
        open_condition,
        "make stops here: this condition and its `endif` do not match",
        "Each `ifdef`, `ifndef`, `ifeq` and `ifneq` needs an `endif` of its own.",
    ),
    _Rule(
        "makefile-reference",
        open_reference,
        "make stops here: this reference is never closed",
        "A `$(` needs its `)` in the same logical line.",
    ),
    _Rule(
        "makefile-recipe-twice",
        second_recipe,
        "this target has a recipe already, which make drops",
        "make says so, and runs the last one alone.",
        Priority.P2,
    ),
)


def _finding(rule: _Rule, path: str, line: int) -> Finding:
    return Finding(
        rule.priority,
        "syntax",
        f"builtin/{rule.name}",
        path,
        line,
        line,
        rule.title,
        rule.body,
    )
