"""The documents that an epic or its issues name, and the lines of code that can be evidence: read
from git's objects, without what models may not read."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

from msgspec import Struct

from ..ensemble.prompt import estimate_tokens
from ..findings.lines import multiline_secrets, prompt_text
from ..git import Git
from ..git.objects import read_files
from ..model.change import Change
from ..model.languages import language_by_path
from ..text.paths import matching_paths
from ..text.patterns import lazy_pattern

# What stands around a path in prose and in Markdown; `#part` names a place in the document
_WORD = lazy_pattern(r"[^\s`'\"<>()\[\]{}|,;*#]+")
_END = ".:!?"


def named_documents(git: Git, tree: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The files of the tree that the texts name by their path from the top, in order; programs are
    no documents."""
    words = (word for text in texts for word in _WORD.findall(text))
    names = dict.fromkeys(word.rstrip(_END).removeprefix("./").removeprefix("/") for word in words)
    wanted = [name for name in names if is_plain(name) and not language_by_path(name)]
    found = read_files(git, tree, wanted)
    return tuple(name for name in wanted if name in found)


def is_plain(path: str) -> bool:
    """It names a file below the top, and nothing else."""
    return not {"", ".", ".."}.intersection(path.split("/")) and path.isprintable()


class ShownDocuments(Struct, frozen=True):
    """Numbered lines by heading, as they may leave the machine; `cut` are those for which there is
    no room, `tokens` what the others take."""

    texts: Mapping[str, str]
    cut: tuple[str, ...]
    tokens: int


def show_documents(
    git: Git, change: Change, paths: Collection[str], denied: Collection[str], room: int
) -> ShownDocuments:
    """The documents as they were before the change, so that it cannot lower what is asked of it;
    those that it adds, as it adds them. Of a denied one only the name is shown."""
    hidden = matching_paths(paths, [*denied])
    readable = [path for path in paths if path not in hidden]
    before = read_files(git, change.base, readable)
    now = read_files(git, change.head, readable)
    texts = {_heading(path, "not shown (policy.denied_paths)"): "" for path in sorted(hidden)}
    cut, used = list[str](), 0
    for path in readable:
        data = before.get(path, now.get(path))
        text = None if data is None or b"\0" in data else _numbered(path, data)
        tokens = 0 if text is None else estimate_tokens(text)
        if text is None or used + tokens > room:
            cut.append(path)
            continue
        used += tokens
        how = "as it was before the change" if path in before else "added by the change"
        texts[_heading(path, how)] = text
    return ShownDocuments(texts, tuple(cut), used)


def _heading(path: str, how: str) -> str:
    return f"Document {prompt_text(path)}, {how}"


def _numbered(path: str, data: bytes) -> str:
    rows = data.split(b"\n")
    masks = multiline_secrets(dict(enumerate(rows, 1)), path)
    return "\n".join(
        f"{number:>6} | " + (f"[REDACTED:{masks[number]}]" if number in masks else prompt_text(row))
        for number, row in enumerate(rows, 1)
    )


def evidence_lines(
    git: Git, change: Change, documents: Collection[str], denied: Collection[str]
) -> Callable[[str], int]:
    """How many lines of a file can be evidence, at head or, for what was removed, at base. A
    document that the change leaves alone says what is asked, and shows nothing."""
    changed = {file.path for file in change.files}
    silent = {path for path in documents if path not in changed}

    @cache
    def count(path: str) -> int:
        if path in silent or not is_plain(path) or matching_paths([path], [*denied]):
            return 0
        sides = (
            read_files(git, tree, [path]).get(path, b"") for tree in (change.head, change.base)
        )
        return max(len(data.splitlines()) for data in sides)

    return count
