"""The files of the work tree that would run with a command, and whether their content is the
approved one."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from posixpath import basename, dirname

from ..git import Git
from ..model.change import Approvals
from ..model.errors import UsageError
from ..text.patterns import lazy_pattern
from .approvals import content_ids
from .mentions import MentionedFiles, RepositoryPaths, shadows_standard_module

# What separates names within one word of a command line
_WITHIN = lazy_pattern(r"[\s=;:,&|(){}<>'\"`]+")
_OUTSIDE = ("/", "../", ".git/")  # what lies there no commit can bring
_ELSEWHERE = ("/", "../", "~", "$")
_OPTION = lazy_pattern(r"-[a-zA-Z](?=[^-])")  # `-xtools/run.sh`
_MOST_FILES = 1000
_MOST_BYTES = 1_000_000  # a larger file is compared, and not searched for mentions
_PROSE = (".md", ".rst", ".adoc")
# In the place of a blob id: that a file of this name is there was approved, whatever it holds
APPROVED_BY_NAME = "known"
# What git ignores was installed or made here, unless it is source that lies among the rest: a
# foreign patch can hide that.
_SOURCE = lazy_pattern(
    r".*\.(?:py|so|pyd|sh|bash|zsh|js|mjs|cjs|ts|rb|pl|pm|php|lua|mk)", re.DOTALL
)


def named_files(
    git: Git, words: Sequence[str] = (), start: Iterable[str] = ()
) -> dict[str, tuple[str, ...]]:
    """The ids by path of each file that the command or the files in `start` name, and that those
    name in turn.

    Those are the blob ids of its content (`content_ids`), or APPROVED_BY_NAME for a module beside a
    script that Python could import and nobody mentions. A file that is not a regular one, or that
    is reached through a link, has none: its content cannot be approved.

    Raises:
        UsageError: they are too many.
    """
    if git.tree is None:
        return {}
    root = os.path.realpath(git.tree)
    names = RepositoryPaths(_paths(git), _folders_of(git.user_path, root))
    said = MentionedFiles()
    if words:
        command = names.of_command([word.replace(f"{root}/", "") for word in words])
        said = _joined([command, names.from_folders()])
    found, beside = dict[str, tuple[str, ...]](), {*said.beside}
    new = {*start, *said.mentioned}
    while new := {name for name in new if name not in found and _is_there(root, name)}:
        if len(found) + len(new) > _MOST_FILES:
            many = f"it names more than {_MOST_FILES} files of the work tree"
            raise UsageError(
                many, "approve the change as a whole: reviewgate-gh trust --change RANGE"
            )
        read = {name: _content(root, name) for name in new}
        found |= {name: _ids(git, data) for name, data in read.items()}
        said = _mentioned_in(read, names)
        new, beside = {*said.mentioned}, beside | said.beside
    return found | _modules_beside(git, root, beside - found.keys())


def _mentioned_in(read: Mapping[str, bytes | None], names: RepositoryPaths) -> MentionedFiles:
    """What these files mention, and what is only now known to be mentioned."""
    texts = {
        name: os.fsdecode(data)
        for name, data in read.items()
        if data is not None and _is_read(name, data)
    }
    files = [names.of_file(text, name) for name, text in texts.items()]
    return _joined([*files, names.from_folders()])


def _joined(parts: Sequence[MentionedFiles]) -> MentionedFiles:
    return MentionedFiles(
        frozenset().union(*(part.mentioned for part in parts)),
        frozenset().union(*(part.beside for part in parts)),
    )


def _modules_beside(git: Git, root: str, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Those of these modules that take the place of one of Python's own, by their content, and
    others in a folder, by their name."""
    there = [name for name in paths if _is_there(root, name)]
    by_content = {
        name: _ids(git, _content(root, name)) for name in there if shadows_standard_module(name)
    }
    return {name: (APPROVED_BY_NAME,) for name in there if _folder(name)} | by_content


def direct_files(git: Git, argv: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The same of the files alone that stand in a command line, as words or within one
    (`--config=x`, `sh -c ./x`)."""
    if git.tree is None:
        return {}
    root = os.path.realpath(git.tree)
    parts = {part for word in argv for part in (word, *_WITHIN.split(word)) if part}
    names = {name for part in parts for name in _places(part.replace(f"{root}/", ""))}
    inside = sorted(
        name
        for name in names
        if not name.startswith(_OUTSIDE) and _is_no_folder(os.path.join(root, name))
    )
    return {name: _ids(git, _content(root, name)) for name in inside}


def _places(word: str) -> Iterator[str]:
    """What a word may name from the root: a path that begins elsewhere, or with a variable, may
    lead back into the work tree anywhere."""
    for start in {word, _OPTION.sub("", word, count=1)}:
        name = os.path.normpath(start) if start else "."
        yield name
        if name.startswith(_ELSEWHERE):
            folders = name.split("/")
            yield from ("/".join(folders[at:]) for at in range(1, len(folders)))


def unapproved_direct(git: Git, approvals: Approvals, argv: Sequence[str]) -> str:
    """The first file in the command line whose content is not approved; "" where all of them
    are."""
    return next(
        (
            name
            for name, oids in direct_files(git, argv).items()
            if not _holds(approvals, name, oids)
        ),
        "",
    )


def _is_no_folder(place: str) -> bool:
    """Something is there that a program may open; a link is never a mere folder, wherever it
    leads."""
    with suppress(OSError, ValueError):
        return not stat.S_ISDIR(os.lstat(place).st_mode)
    return False


def unapproved_file(
    git: Git, approvals: Approvals, words: Sequence[str] = (), start: Iterable[str] = ()
) -> str:
    """The first of these files whose content is not approved; "" where all of them are.

    Raises:
        UsageError: they are too many.
    """
    found = named_files(git, words, start)
    return next(
        (name for name, oids in sorted(found.items()) if not _holds(approvals, name, oids)), ""
    )


def _holds(approvals: Approvals, path: str, oids: Sequence[str]) -> bool:
    return (
        bool(approvals.approved_blobs(path))
        if APPROVED_BY_NAME in oids
        else any(approvals.is_approved(path, oid) for oid in oids)
    )


def _is_there(root: str, path: str) -> bool:
    return os.path.lexists(os.path.join(root, path))


def _ids(git: Git, data: bytes | None) -> tuple[str, ...]:
    return () if data is None else content_ids(git, data)


def _folder(module: str) -> str:
    """Where Python would be searching; at the root modules of the project itself come and go, which
    no tool asks for."""
    folder = dirname(module)
    return dirname(folder) if basename(module).startswith("__init__.") else folder


def _is_read(path: str, data: bytes) -> bool:
    """Its mentions are followed; prose tells people of files, and runs none."""
    return len(data) <= _MOST_BYTES and b"\0" not in data and not path.lower().endswith(_PROSE)


def _folders_of(path: str, root: str) -> list[str]:
    """The folders of the work tree in which programs are searched."""
    real = (os.path.realpath(folder) for folder in path.split(os.pathsep) if os.path.isabs(folder))
    return [os.path.relpath(folder, root) for folder in real if folder.startswith(f"{root}/")]


def _paths(git: Git) -> list[str]:
    """What git tracks, what lies beside it, and source that is ignored; a repository within this
    one is a path without its slash."""
    rows = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", in_tree=True)
    hidden = git.run(
        "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", in_tree=True
    )
    shown = {path.rstrip("/") for path in os.fsdecode(rows).split("\0") if path}
    return [
        *shown,
        *(
            path
            for path in os.fsdecode(hidden).split("\0")
            if _SOURCE.fullmatch(path) and path not in shown
        ),
    ]


def _content(root: str, path: str) -> bytes | None:
    """The content of a regular file that is reached without links; None for anything else."""
    place = root
    try:
        for part in path.split("/"):
            place = os.path.join(place, part)
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                return None
        if not stat.S_ISREG(mode):
            return None
        with open(place, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None
