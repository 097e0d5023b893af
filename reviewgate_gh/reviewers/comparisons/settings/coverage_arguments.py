"""A coverage floor that a command or a script is given as a bare number, and that is lowered."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of, is_explained
from .._pipelines import PIPELINES
from .._remark import hint, put, quoted
from .._settings import read_settings
from .._sources import ComparedFile, ComparisonInput, Line
from ._guarding_settings import COVERAGE, FLOOR
from ._instead import SPEAKS_ONLY

EVERY_FILE = True
_FILES = lazy_pattern(
    r"(?:Docker|Container)file[^/]*$|(?:^|/)(?:(?:GNU)?[Mm]akefile|package\.json|composer\.json"
    r"|tox\.ini|[Jj]ustfile|Taskfile\.ya?ml)$|\.(?:mk|sh|bash)$"
)
_MEASURES = lazy_pattern(r"(?i)(?:^|[^a-z])(?:code)?cov(?:er(?:age)?)?(?![a-z])")
_NUMBER = lazy_pattern(r"\d{1,3}(?:\.\d+)?(?=%?[\"',})\]]*$)")
# What an option, a variable or a comparison says of the number after it
_NAMES_FLOOR = lazy_pattern(r"(?i)(?:min|thresh|floor|fail|require|target|want|goal|least|under)")
_COMPARES = lazy_pattern(r"(?:-lt|-le|-ge|-gt|[<>]=?)$")
# A script that looks at its number
_REFUSES = lazy_pattern(r"\s-(?:lt|le|ge|gt)\s|[<>]|\bexit\s+[1-9]|--?\w*(?:fail|min|thresh)")
_HIGHEST = 100


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        edited = file.removed and file.added and not (file.is_new or file.is_gone)
        if edited and (PIPELINES.search(file.path) or _FILES.search(file.path)):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        olds = [old for old in block.removed if _may_say_floor(file, old)]
        added = [(new, _words(new.text)) for new in block.added] if olds else []
        for old in olds:
            words = _words(old.text)
            for new, others in added:
                found = _lowered(words, others)
                if found is None or _is_told(file, old.text):
                    continue
                if PIPELINES.search(file.path) and SPEAKS_ONLY.search(new.text):
                    continue
                at, was, now = found
                if _is_floor(sources, file, words, at):
                    rule = hint(COVERAGE) if is_explained(file, new) else COVERAGE
                    title = f"the coverage floor is lowered from {was} to {now}"
                    yield put(rule, file, new, title, quoted(old.text))


def _may_say_floor(file: ComparedFile, line: Line) -> bool:
    """The quick question."""
    return any(map(str.isdigit, line.text)) and (
        _THRESHOLD in line.text.lower() or _MEASURES.search(f"{file.name} {line.text}") is not None
    )


_THRESHOLD = "p:threshold="


def _words(text: str) -> list[str]:
    """What is run, however the script is started."""
    words = (word.removeprefix("./") for word in code_of(text).split())
    return [word for word in words if word not in ("bash", "sh")]


def _lowered(before: Sequence[str], after: Sequence[str]) -> tuple[int, str, str] | None:
    """The only word that differs, by its place, where it is a lower number."""
    if len(before) != len(after):
        return None
    pairs = enumerate(zip(before, after, strict=True))
    different = [(at, was, now) for at, (was, now) in pairs if was != now]
    if len(different) != 1:
        return None
    at, was, now = different[0]
    old, new = _NUMBER.search(was), _NUMBER.search(now)
    if old is None or new is None or was[: old.start()] != now[: new.start()]:
        return None
    lower = float(new[0]) < float(old[0]) <= _HIGHEST
    return (at, old[0], new[0]) if lower else None


def _is_told(file: ComparedFile, text: str) -> bool:
    """As a setting that has a known name."""
    return any(re.search(FLOOR, key) for key, _value in read_settings(file.path, f"{text}\n# "))


def _is_floor(sources: ComparisonInput, file: ComparedFile, words: Sequence[str], at: int) -> bool:
    # https://github.com/coverlet-coverage/coverlet/blob/master/Documentation/MSBuildIntegration.md
    if words[at].lower().startswith((f"/{_THRESHOLD}", f"-{_THRESHOLD}")):
        return True
    before = words[at - 1] if at else ""
    said = f"{before if before.startswith('-') else ''} {words[at]}"
    if _MEASURES.search(file.name):
        return bool(_COMPARES.search(before) or _DEFAULT.match(words[at]))
    commands = [word for word in words[:at] if _is_script(word)]
    if commands and _NAMES_FLOOR.search(said):
        return True
    return not before.startswith("-") and any(
        _script_refuses(sources, file, command) for command in commands
    )


# https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html
_DEFAULT = lazy_pattern(r"(?:export\s+)?\w+=[\"']?(?:\$\{\w+:?[-=])?\d")


def _is_script(word: str) -> bool:
    """A program by its name, and no option, key or variable."""
    bare = word.strip("\"'`@(){},;")
    return (
        not bare.startswith(("-", "$"))
        and not bare.endswith(":")
        and "=" not in bare
        and (_MEASURES.search(bare.rpartition("/")[2]) is not None)
    )


def _script_refuses(sources: ComparisonInput, file: ComparedFile, command: str) -> bool:
    """The script of the tree compares something, so that a number given to it decides."""
    path = command.strip("\"'`@(){},;")
    texts = sources.read_head([path, f"{file.folder}{path}"]).values()
    return any(_REFUSES.search(text) for text in texts)
