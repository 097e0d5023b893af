"""The language of a file: by its path, mode, `#!` line and, where the name leaves it open, its
content."""

import re
from collections.abc import Iterator
from functools import cache

from . import language_table as known

_LINE = re.compile(rb"#![ \t]*([^\s\[][^\n\r]*)")  # `#![` begins an attribute of Rust
_ASSIGNMENT = re.compile(r"\w+=")
_VERSION = re.compile(r"[-.]?\d[\w.-]*\Z|-preview\Z|\.exe\Z")
_SPLIT = re.compile(r"-[a-zA-Z0]*?S(.*)|--split-string=(.*)")
# https://www.gnu.org/software/coreutils/manual/html_node/env-invocation.html
_WITH_VALUE = frozenset(("-u", "--unset", "-C", "--chdir", "-a", "--argv0", "-n"))


def interpreter(head: bytes) -> str:
    """Its name in lower case, without its folder and what starts it (`env`, `nice`, `uv run`):
    the first one that is known, else the last; "" without such a line."""
    found = _LINE.match(head)
    if not found:
        return ""
    words = _words(found[1].decode("ascii", "replace").split())
    names = [word.rpartition("/")[2].lower() for word in words]
    return next(filter(_language_of, names), names[-1] if names else "")


def _language_of(name: str) -> str:
    return interpreters().get(name) or interpreters().get(without_version(name), "")


def without_version(name: str) -> str:
    """`python` for `python3.12`."""
    return _VERSION.sub("", name)


def _words(words: list[str]) -> Iterator[str]:
    """Those that can be programs: no options with what belongs to them, no assignments, no
    numbers."""
    after_option = False
    for word in words:
        split = _SPLIT.fullmatch(word)
        if split:
            word = split[1] or split[2] or "-"
        if after_option:
            after_option = False
        elif word.startswith("-"):
            after_option = word in _WITH_VALUE
        elif not _ASSIGNMENT.match(word) and not word.isdecimal():
            yield word.strip("'\"")


PROGRAM = "100755"  # mode
# Several languages, or none
_OPEN = frozenset(
    {"cls", "h", "htm", "html", "inc", "ipynb", "m", "mdx", "pl", "svg", "ts", "v", "xhtml"}
)
_SHELLS = ("Shell", "Zsh", "C shell", "fish")
_FILLED_IN = ".in"  # by configure: the language is that of the rest
_ABOUT = frozenset({"dockerignore", "lock", "md", "rst", "txt"})  # Dockerfile.md is none
_UNUSED = frozenset({"backup", "bak", "disabled", "off", "old", "orig"})
_HOOK_FOLDERS = re.compile(r"(?:^|/)(?:[^/]*hooks|\.husky)/[^/]+$", re.IGNORECASE)
_SCRIPT = re.compile(
    rb"<script\b|javascript:|<[^<>]*[\s/\"']on\w+\s*=|=\s*[\"']?\s*&#", re.IGNORECASE
)
_EXPANDED = re.compile(
    rb"\{\{|\{%|<%|<\?(?!xml)|<[^<>]*\s(?:@|:|v-|x-|ng-|hx-)[\w:.-]+\s*=", re.IGNORECASE
)
# The first that is found in the content; the last word stands for all else, "" is no language.
_BY_CONTENT: dict[str, tuple[tuple[bytes, str], ...]] = {
    "cls": ((rb"\A\s*[%\\]", ""), (rb"\A\s*VERSION ", "Visual Basic"), (rb"", "Apex")),
    "h": (
        (rb"^[ \t]*(?:@interface|@protocol|@class|#import)\b", "Objective-C"),
        (rb"^[ \t]*(?:class|namespace|template|using)\b|std::", "C++"),
        (rb"", "C"),
    ),
    "inc": ((rb"<\?(?:php|=)", "PHP"), (rb"", known.INCLUDED)),
    # https://nbformat.readthedocs.io/en/latest/format_description.html#notebook-metadata
    "ipynb": (
        (rb'"language_info"\s*:\s*\{[^{}]{0,400}"name"\s*:\s*"(?!i?python")', known.OTHER_NOTEBOOK),
        (rb"", "Jupyter Notebook"),
    ),
    "m": (
        (rb"^[ \t]*(?:@|#import|#include|//|/\*)", "Objective-C"),
        (rb"^[ \t]*(?:%|function\b|classdef\b)", "MATLAB"),
        (rb"", "Objective-C"),
    ),
    "mdx": ((rb"^(?:import|export)\b|\{", "MDX"), (rb"", "")),
    "pl": ((rb"^[ \t]*:-|^[a-z]\w*\(.*\)[ \t]*:-", "Prolog"), (rb"", "Perl")),
    "svg": ((_SCRIPT.pattern, "SVG with script"), (rb"", "")),
    "ts": ((rb"\A\s*(?:<\?xml|<!DOCTYPE TS)", ""), (rb"", "TypeScript")),  # Qt's translations
    "v": (((rb"^[ "
    rb"\t]*(?:Require|Theorem|Lemma|Proof|Definition)\b"), "Rocq Prover"),
    (rb"^[ \t]*(?:pub )?fn \w", "V"), (rb"", "Verilog")),
}  # fmt: skip


# https://helm.sh/docs/chart_template_guide/getting_started/
_HELM = re.compile(r"(?:\A|/)templates/.*\.(?:ya?ml|tpl)\Z")


def detect_language(path: str, mode: str, data: bytes) -> str:
    """The language's usual name; "" for prose, data and styles.

    `data` is the content, needed where `asks_content` says so.
    """
    if place := language_by_path(path):
        return place
    if told := script_language(data):
        return told
    if _HELM.search(path):
        return known.HELM if b"{{" in data else ""
    named = _by_name(path.rpartition("/")[2], data)
    if named is not None:
        return named
    if _is_hook(path):
        return known.SHELL
    return known.EXECUTABLE if mode == PROGRAM or interpreter(data) else ""


def script_language(data: bytes) -> str:
    """The language of the interpreter in a `#!` line; "" without one, or where it is unknown."""
    return _language_of(interpreter(data))


def needs_content(path: str, mode: str) -> bool:
    """Path and mode alone do not tell."""
    if language_by_path(path):
        return False
    name = path.rpartition("/")[2]
    found = _by_name(name, b"")
    return (
        mode == PROGRAM
        or _HELM.search(path) is not None
        or found is None
        or found in _SHELLS
        or _suffix(name.lower().removesuffix(_FILLED_IN)) in _OPEN
    )


def language_by_path(path: str) -> str:
    """What a machine runs because of where the file lies: a workflow, an action, another service's
    pipeline; "" for all else."""
    return (
        next((name for name, pattern in _places() if pattern.match(path)), "")
        if path.endswith((".yml", ".yaml", ".star"))
        else ""
    )


def is_executed(path: str, mode: str, data: bytes) -> bool:
    """A machine runs it as it is: by its place, as a hook, or as a program that a system starts."""
    if language_by_path(path) or _is_hook(path):
        return True
    return mode == PROGRAM and (
        bool(interpreter(data)) or detect_language(path, mode, data) in (*_SHELLS, known.EXECUTABLE)
    )


def is_switched_on(old_path: str, path: str) -> bool:
    """The old name said that nothing uses the file (`Dockerfile.disabled`), and the new one does
    not."""
    return _is_unused(old_path) and not _is_unused(path)


def _is_unused(path: str) -> bool:
    return _suffix(path.lower()) in _UNUSED


def _is_hook(path: str) -> bool:
    return path.rpartition("/")[2] in known.GIT_HOOKS and _HOOK_FOLDERS.search(path) is not None


def _by_name(name: str, data: bytes) -> str | None:
    """The language that a base name means, "" for a name of prose or data; None for one that says
    nothing."""
    if name in known.EXACT_NAMES:
        return known.EXACT_NAMES[name]
    # https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
    name = name.rstrip(". \t\r\n") or name  # Windows drops dots and spaces
    # To compilers capitals are C++: https://gcc.gnu.org/onlinedocs/gcc/Overall-Options.html
    if name.endswith((".C", ".H")):
        return "C++"
    if name.lower() in _names():
        return _names()[name.lower()]
    low = name.lower().removesuffix(_FILLED_IN)
    suffix = _suffix(low)
    if suffix in _OPEN:
        return _by_content(suffix, data)
    if found := _suffixes().get(".".join(low.split(".")[-2:]) if suffix else "") or _suffixes().get(
        suffix
    ):
        return found
    if suffix not in _ABOUT and (
        named := next((name for start, name in known.PREFIXES.items() if low.startswith(start)), "")
    ):
        return named
    return "" if suffix in _data() or low.partition(".")[0] in _data_names() else None


def _by_content(suffix: str, data: bytes) -> str:
    data = data.replace(b"\0", b"")  # of UTF-16
    if suffix not in _BY_CONTENT:  # HTML
        return (
            known.TEMPLATE if _EXPANDED.search(data) else known.PAGE if _SCRIPT.search(data) else ""
        )
    return next(
        name for pattern, name in _BY_CONTENT[suffix] if re.search(pattern, data, re.MULTILINE)
    )


def _suffix(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""


@cache
def _suffixes() -> dict[str, str]:
    return {suffix: name for name, words in known.SUFFIXES.items() for suffix in words.split()}


@cache
def _names() -> dict[str, str]:
    return {each: name for name, words in known.NAMES.items() for each in words.split()}


@cache
def interpreters() -> dict[str, str]:
    """The language of each program that runs code, by its name without a version."""
    return {each: name for name, words in known.INTERPRETERS.items() for each in words.split()}


@cache
def _data() -> frozenset[str]:
    return frozenset(known.DATA_SUFFIXES.split())


@cache
def _data_names() -> frozenset[str]:
    return frozenset(known.DATA_NAMES.split())


@cache
def _places() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile("|".join(_pattern(glob) for glob in globs.split())))
        for name, globs in known.BY_PATH.items()
    )


def _pattern(glob: str) -> str:
    """A glob as a pattern whose `*` takes no slash."""
    anywhere, rest = ("(?:.*/)?", glob[3:]) if glob.startswith("**/") else ("", glob)
    return anywhere + "[^/]*".join(map(re.escape, rest.split("*"))) + r"\Z"
