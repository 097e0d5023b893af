"""What every question of a run shares: the rules and the diff, made once."""

from collections.abc import Collection
from dataclasses import replace

from ..model.change import Change, FileDiff
from ..model.config import Config
from ..model.review import Review
from ..model.values import dataclass
from ..reporters._words import counted
from ..steps.carry import carry
from ..steps.code_search import Code
from ..steps.diff import parse_raw
from ..steps.diff_text import FileText, file_text
from ..steps.exclude import kept_back
from ..steps.guidance import FILES, guidance
from ..steps.prompt import shared_part, tokens
from ..steps.scope import Scope
from ..system.git import Git
from ..system.git.diff import diff_trees
from ..system.git.objects import read_files
from ..text.redact import redact
from ..text.visible import visible
from .changes import diff_between
from .since import Since


@dataclass(frozen=True, slots=True)
class Material:
    """`shown` are the paths that models read whole, `cut` those of which they see nothing or not all.

    `change` is what is shown of the `whole` one, `carried` is what was open at the last review of a pull request; `denied` are the
    changed files that are sent to no model.
    """

    whole: Change
    change: Change
    shared: str
    shown: tuple[str, ...]
    cut: tuple[str, ...]
    notices: tuple[str, ...]
    carried: tuple[Review, ...] = ()
    denied: frozenset[str] = frozenset()


def gather(change: Change, left_out: Collection[str], config: Config, git: Git, earlier: Since | None, intent: str) -> Material:
    """The shared part of this change's questions; what is excluded or denied is not in it, nor what was reviewed before.

    `intent` says what the change is for.
    """
    intent = visible(redact(intent)).strip()
    denied = kept_back(change.files, config.policy.denied_paths)
    carried: tuple[Review, ...] = ()
    new = change
    rules, notices = guidance(read_files(git, change.rules, FILES), config.policy.denied_paths)
    if earlier is not None:
        carried, new, told = _since(earlier, change, git)
        notices = (*notices, told)
    files = tuple(file for file in new.files if file.path not in left_out and file.path not in denied)
    texts, cut = _within([file_text(file) for file in files], config.ensemble.context_tokens - tokens(rules) - tokens(intent))
    if denied:
        notices = (*notices, f"policy.denied_paths: {counted(len(denied), 'changed file')} not sent to models")
    whole = {text.path for text in texts if not text.cut}
    shared = shared_part(texts, rules, intent, again=earlier is not None)
    return Material(change, new, shared, tuple(f.path for f in files if f.path in whole), cut, notices, carried, denied)


def readable(change: Change, left_out: Collection[str], config: Config, room: int) -> tuple[list[FileText], tuple[str, ...]]:
    """The files that models may read, as far as so many tokens hold them, and those that are not shown whole."""
    return _within([file_text(file) for file in sendable(change, left_out, config)], room)


def sendable(change: Change, left_out: Collection[str], config: Config) -> list[FileDiff]:
    """The files that models may read."""
    denied = kept_back(change.files, config.policy.denied_paths)
    return [file for file in change.files if file.path not in left_out and file.path not in denied]


def _since(earlier: Since, change: Change, git: Git) -> tuple[tuple[Review, ...], Change, str]:
    """What is carried, what is new, and that this is so. What a merge brings from the base branch is no part of the change."""
    known = {file.path for file in change.files}
    whole = _compared_anew(earlier, change, git)
    pushed = tuple(file for file in diff_between(git, earlier.head, change.head) if file.path in known)
    new = (*(file for file in pushed if file.path not in {each.path for each in whole}), *whole)
    (first, *more), gone = carry(earlier.findings, Code(Scope(change)), earlier.head[:12])
    reviews = (replace(first, covered=tuple(known.difference(file.path for file in new))), *more)
    settled = f", {gone} of them removed with their code" if gone else ""
    told = f"models read only what is new since {earlier.head[:12]}; open findings there: {len(earlier.findings)}{settled}"
    return reviews, replace(change, base=earlier.head, files=new), told


def _compared_anew(earlier: Since, change: Change, git: Git) -> tuple[FileDiff, ...]:
    """The files whose other side is another one now (the base branch moved, or the pull request goes to another): more than
    what was pushed may be new in them."""
    if earlier.base == change.base:
        return ()
    moved = {path for file in parse_raw(diff_trees(git, earlier.base, change.base, patch=False))[0] for path in (file.path, file.old_path)}
    return tuple(file for file in change.files if moved.intersection((file.path, file.old_path)))


def _within(texts: list[FileText], room: int) -> tuple[list[FileText], tuple[str, ...]]:
    """The files that the context holds, in their order, and those that are not shown whole."""
    taken, cut = [], []
    for text in texts:
        size = tokens(text.text)
        fits = size <= room
        if fits:
            taken.append(text)
            room -= size
        if text.cut or not fits:
            cut.append(text.path)
    return taken, tuple(cut)
