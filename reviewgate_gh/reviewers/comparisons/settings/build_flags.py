"""Options of compilers and of test runs that find mistakes, or make the program harder to attack,
and that are no longer given."""

import re
from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import loss_is_explained
from .._pipelines import COMMENT, PIPELINES
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line

EVERY_FILE = True
_LOOSER = ComparisonRule(
    "ci-check-loosened",
    Priority.P2,
    "The build or the tests may now accept what they rejected before, here and in later changes. "
    "Restore the option, or say why it was too strict.",
)
_HARDENING = replace(
    _LOOSER,
    name="protection-removed",
    advice=(
        "Memory errors in the program become easier to exploit. Restore the option, or say what "
        "does the same."
    ),
)
_FILES = lazy_pattern(
    r"(?:^|/)(?:CMakeLists\.txt|meson\.build|configure\.ac|(?:GNU)?[Mm]akefile(?:\.\w+)?|justfile"
    r"|Package(?:@[\w.-]+)?\.swift|BUILD(?:\.bazel)?|pom\.xml|build\.gradle(?:\.kts)?|\.bazelrc|SConstruct|[\w.-]*\.(?:cmake|mk"
    r"|gyp"
    r"|pro|vcxproj))$"
    r"|(?:Docker|Container)file[^/]*$|\.sh$"
)
_IMAGE = lazy_pattern(r"(?:Docker|Container)file[^/]*$")
_FINDS = lazy_pattern(
    r"(?<![\w-])(?:-Werror(?:=[\w-]+)?|-fsanitize=[\w,-]+|-race|-Wall|-Wextra|-Wpedantic"
    r"|-pedantic-errors"
    r"|/WX|-?warnings[-_]as[-_]errors|explicitApi\(\)|-Xexplicit-api=strict"
    # https://mesonbuild.com/Builtin-options.html#core-options,
    # https://cmake.org/cmake/help/latest/variable/CMAKE_COMPILE_WARNING_AS_ERROR.html,
    # https://docs.swift.org/package-manager/PackageDescription/PackageDescription.html
    r"|werror=true|(?:CMAKE_)?COMPILE_WARNING_AS_ERROR(?:\s+(?:ON|TRUE|YES|1))?"
    r"|treatAllWarnings\(as:\s*\.error\))(?![\w-])"
)
_OF_ERRORS = lazy_pattern(r"(?i)werror|/WX|warnings?[-_]?as[-_]?error|treatAllWarnings")
_SAYS_ERRORS = lazy_pattern(
    r"(?<![\w-])(?:-Werror|-{1,2}werror|-Dwerror=true|werror=true|/WX)(?![\w-])"
    r"|(?i:warnings?[-_]?as[-_]?errors?)(?!\w)(?!\W*(?i:off|false|no|0)\b)"
    r"|treatAllWarnings\(as:\s*\.error"
)
# https://best.openssf.org/Compiler-Hardening-Guides/Compiler-Options-Hardening-Guide-for-C-and-C++
_HARDENS = lazy_pattern(
    r"(?<![\w-])(?:-D\s?)?(?P<macro>_FORTIFY_SOURCE|_GLIBCXX_ASSERTIONS|_LIBCPP_HARDENING_MODE)\b"
    r"|(?<![\w-])(?:-fstack-protector(?:-strong|-all)?|-fstack-clash-protection|-fcf-protection"
    r"|-fPIE|-pie|-Wl,-z,(?:relro|now|noexecstack)(?:,-z,\w+)?|/GS|/guard:cf|/DYNAMICBASE)(?![\w-])"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding of each kind a file."""
    for file in sources.files:
        if file.is_gone or file.is_new or not file.removed:
            continue
        if PIPELINES.search(file.path) or _FILES.search(file.path):
            yield from islice(_lost(sources, file, _FINDS, _LOOSER), 1)
            yield from islice(_off_by_default(file), 1)
            yield from islice(_lost(sources, file, _HARDENS, _HARDENING), 1)


def _lost(
    sources: ComparisonInput, file: ComparedFile, flags: re.Pattern[str], rule: ComparisonRule
) -> Iterator[Finding]:
    """A flag that the head of the file does not have, and that the change puts nowhere else."""
    for block in file.blocks:
        for line in block.removed:
            every = flags.finditer(COMMENT.sub("", line.text))
            for found in sorted(every, key=lambda each: not _OF_ERRORS.search(each[0])):
                flag = found.groupdict().get("macro") or found[0]
                if rule is _HARDENING and "-fsanitize" in line.text:
                    continue  # a build that is only tried
                if flag in sources.added_text or not _stays(file, block, flag):
                    continue
                if _OF_ERRORS.search(flag) and _SAYS_ERRORS.search(sources.added_text):
                    continue  # in the words of another tool
                if (
                    flag.startswith("-W")
                    and _IMAGE.search(file.path)
                    and "-Werror" not in file.base
                ):
                    continue  # who builds an image reads no warnings
                weighed = hint(rule) if loss_is_explained(file, block) else rule
                title = f"built without {flag} from now on"
                yield taken(weighed, file, line, title, _instead(block, line))


def _instead(block: Block, line: Line) -> str:
    """The new line that shares most words with the one that is gone."""
    old = {*_WORD.findall(line.text)}
    shared = [(len(old.intersection(_WORD.findall(new.text))), new.text) for new in block.added]
    return quoted(max(shared)[1]) if shared else ""


def _stays(file: ComparedFile, block: Block, flag: str) -> bool:
    """What it was given to is still there: the rest of the line, or what is around it; and nothing
    of the head has the flag, in which way ever."""
    switched = _SWITCHED.search(flag)  # it may be there, and off
    family = flag if switched else re.split(r"[=,]|(?<=protector)-", flag)[0]
    if family in file.head or any(each in file.head for each in _OTHER_NAMES.get(flag, ())):
        return False
    rows = (line.text.replace(flag, "\0") for line in block.removed if flag in line.text)
    left = {word for row in rows for word in _WORD.findall(row)}
    others = {word for word in left if "\0" not in word and not _FLAG.match(word)}
    words = {word for line in block.added for word in _WORD.findall(line.text)}
    return others <= words if block.added else len(block.removed) <= 2


# https://gcc.gnu.org/onlinedocs/gcc/Warning-Options.html, https://clang.llvm.org/docs/UsersManual.html
_OTHER_NAMES = {
    "-Wpedantic": ("-pedantic", "-Weverything"),
    "-Wextra": ("-Weverything",),
    "-Wall": ("-Weverything",),
}
_SWITCHED = lazy_pattern(r"=true$|\s(?:ON|TRUE|YES|1)$")
# Between brackets, quotes and blanks: one option of several may be left there
_WORD = lazy_pattern(r"[^\s()\[\]{}\"',;]+")


def _off_by_default(file: ComparedFile) -> Iterator[Finding]:
    """CMake: an option that finds mistakes was on unless somebody said otherwise.
    https://cmake.org/cmake/help/latest/command/option.html"""
    for block in file.blocks:
        for old in block.removed:
            was = _OPTION.match(old.text)
            for new in block.added if was and was["value"] == "ON" else ():
                now = _OPTION.match(new.text)
                if was and now and now["name"] == was["name"] and now["value"] == "OFF":
                    rule = hint(_LOOSER) if loss_is_explained(file, block) else _LOOSER
                    title = f"{was['name']} is off by default from now on"
                    yield put(rule, file, new, title, quoted(old.text))


_OPTION = lazy_pattern(
    r"\s*option\(\s*(?P<name>\w*(?:SANITI|HARDEN|WERROR|WARNINGS?_AS_ERR|STRICT|FORTIFY)\w*)\b.*"
    r"\b(?P<value>ON|OFF)\s*\)",
    re.IGNORECASE,
)
_FLAG = lazy_pattern(r"[-/][A-Za-z]")
