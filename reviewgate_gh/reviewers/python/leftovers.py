"""Uses of methods and attributes whose name nothing in the tree defines any more. A type checker
does not see them where it cannot tell the object's class."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from .broken import Suspect
from .definitions import ChangedDefinition
from .roots import module_word
from .ty import Diagnostic
from .users import FoundLine

_SHORTEST = 8
_MOST_NAMES = 50
_NOTHING = "No Python file defines this name any more."


def distinctive(changed: Iterable[ChangedDefinition]) -> Mapping[str, ChangedDefinition]:
    """The removed members, by their names, that others than their class are unlikely to have: two
    words at least, of a class without bases from which it could still have them."""
    found = {
        each.word: each
        for each in changed
        if each.kind == "removed"
        and each.is_own
        and "_" in each.word.strip("_")
        and len(each.word.strip("_")) >= _SHORTEST
    }
    return dict([*found.items()][:_MOST_NAMES])


def find_leftovers(
    names: Mapping[str, ChangedDefinition],
    lines: Iterable[FoundLine],
    content: Callable[[str], bytes],
) -> Iterator[Suspect]:
    """The uses of names that the lines of a whole tree use and never define, in files that name
    their class or module, too."""
    by_name = defaultdict[str, list[FoundLine]](list)
    for line in lines:
        for word in set(re.findall(r"\w+", line.text)) & names.keys():
            by_name[word].append(line)
    for word, found in by_name.items():
        if not any(_defines(word, line.text) for line in found):
            cause = names[word]
            for line in found:
                if (at := _use(word, line.text)) and _knows(cause, content(line.path)):
                    told = Diagnostic(
                        line.path, line.number, at, line.number, "attributes", _NOTHING
                    )
                    yield Suspect(told, cause)


def without_known(found: Iterable[Suspect], known: Sequence[Suspect]) -> Iterator[Suspect]:
    """Those at lines of which nothing else was said."""
    said = {(each.diagnostic.path, each.diagnostic.line) for each in known}
    return (each for each in found if (each.diagnostic.path, each.diagnostic.line) not in said)


def _defines(word: str, text: str) -> bool:
    """The line may give something this name: a definition, an assignment, an argument, a text from
    which it is made."""
    if _is_comment(text):
        return False
    return (
        re.search(
            rf"""(?:def|class|as|import)\s+{word}\b|["']{word}["']|\b{word}\s*(?::[^=]*)?=(?!=)"""
            rf"""|import\b.*\b{word}\b|^\s*{word}\s*[,:)]|[(,]\s*{word}\s*[,)]""",
            text,
        )
        is not None
    )


def _use(word: str, text: str) -> int:
    """The column at which an object's member of this name is used, from 1; 0 where it is not, as in
    what Django knows of a model: https://docs.djangoproject.com/en/stable/ref/models/meta/"""
    found = None if _is_comment(text) else re.search(rf"[\w)\]](?<!\b_meta)\.{word}\b(?!`)", text)
    return found.end() - len(word) + 1 if found else 0


def _is_comment(text: str) -> bool:
    return text.lstrip().startswith("#")


def _knows(cause: ChangedDefinition, data: bytes) -> bool:
    owner = cause.name.rpartition(".")[0].rpartition(".")[2]
    words = "|".join(filter(None, (owner, module_word(cause.path))))
    return re.search(rf"\b(?:{words})\b".encode(), data) is not None
