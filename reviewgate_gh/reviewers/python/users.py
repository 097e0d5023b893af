"""The files of a tree that may use a changed definition, by the words in them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from ...git import Git
from .definitions import ChangedDefinition
from .roots import module_word
from .tree import SUFFIXES

_MOST_WORDS = 500
_MANY = 300  # files that hold one of the words: among so many the module's name must be there, too
_MOST_MODULES = 20
_RELATIVE = r"from \.+ import"
_ORDER = ("module", "removed", "signature", "export", "import")


class FoundLine(Struct, frozen=True):
    """A line of a tree that holds one of the names."""

    path: str
    number: int
    text: str


def find_users(git: Git, commit: str, changed: Sequence[ChangedDefinition]) -> list[str]:
    """The Python files of a commit that hold the words of changed definitions.

    What a module only imported, most files have; there, and where very many files hold a word, the
    name of its module must be in the same file.
    """
    ordered = sorted(changed, key=lambda each: _ORDER.index(each.kind))[:_MOST_WORDS]
    own = [each for each in ordered if each.kind != "import"]
    found = set(_search(git, commit, [_alternatives(each.word for each in own)])) if own else set()
    if len(found) > _MANY:
        found = set(_beside_module(git, commit, own))
    found.update(_beside_module(git, commit, [each for each in ordered if each.kind == "import"]))
    return sorted(found)


def find_lines(git: Git, commit: str, words: Iterable[str]) -> Iterator[FoundLine]:
    """The lines of a commit's Python files that hold one of the words."""
    rows = _grep(git, commit, [_alternatives(words)], "-n")
    for row in rows.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        path, number, text = row.removeprefix(f"{commit}:").split("\0", 2)
        yield FoundLine(path, int(number), text)


def _beside_module(git: Git, commit: str, changed: Iterable[ChangedDefinition]) -> Iterator[str]:
    words = defaultdict[str, dict[str, None]](dict)
    for each in changed:
        words[each.path][each.word] = None
    for path, names in [*words.items()][:_MOST_MODULES]:
        yield from _search(git, commit, [_alternatives(names), _module_pattern(path)])


def _module_pattern(path: str) -> str:
    """The module's own name; a package's is often left out by the modules in it."""
    word = module_word(path)
    if path.rpartition("/")[2].partition(".")[0] == "__init__":
        return f"({word}|{_RELATIVE})" if word else _RELATIVE
    return word


def _alternatives(words: Iterable[str]) -> str:
    return f"({'|'.join(dict.fromkeys(words))})"


def _search(git: Git, commit: str, patterns: Collection[str]) -> Iterator[str]:
    """The Python files in which each pattern matches whole words."""
    rows = _grep(git, commit, patterns, "-l", "--all-match")
    for row in rows.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        yield row.removeprefix(f"{commit}:")


def _grep(git: Git, commit: str, patterns: Collection[str], *options: str) -> bytes:
    # https://git-scm.com/docs/git-grep: settings of the user can add colours and submodules
    usual = ("-z", "-w", "-E", "-I", "--no-color", "--no-column", "--no-recurse-submodules")
    files = [f"*{suffix}" for suffix in SUFFIXES]
    given = "\n".join(patterns).encode()
    return git.run(
        "grep", *usual, *options, "-f", "-", commit, "--", *files, stdin=given, ok=(0, 1)
    )
