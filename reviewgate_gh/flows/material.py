"""What every question of a run shares: the rules and the diff, made once."""

from collections.abc import Collection
from dataclasses import dataclass

from ..model.change import Change, FileDiff
from ..model.config import Config
from ..steps.diff_text import FileText, file_text
from ..steps.exclude import excluded
from ..steps.guidance import FILES, guidance
from ..steps.prompt import shared_part, tokens
from ..system.git import Git
from ..system.git.objects import read_files
from ..text.redact import redact
from ..text.visible import visible


@dataclass(frozen=True, slots=True)
class Material:
    """`shown` are the paths that models read whole, `cut` those of which they see nothing or not all. `change` is what is shown of it."""

    change: Change
    shared: str
    shown: tuple[str, ...]
    cut: tuple[str, ...]
    notices: tuple[str, ...]


def gather(change: Change, left_out: Collection[str], config: Config, git: Git, intent: str = "") -> Material:
    """The shared part of this change's questions; what is excluded or denied is not in it. `intent` says what the change is for."""
    intent = visible(redact(intent)).strip()
    denied = excluded((file.path for file in change.files), config.policy.denied_paths)
    files = tuple(file for file in change.files if file.path not in left_out and not _denied(file, denied, config))
    rules, notices = guidance(read_files(git, change.rules, FILES))
    texts, cut = _within([file_text(file) for file in files], config.ensemble.context_tokens - tokens(rules) - tokens(intent))
    if denied:
        notices = (*notices, f"policy.denied_paths: {len(denied)} of the changed files were not sent to a model")
    whole = {text.path for text in texts if not text.cut}
    return Material(change, shared_part(texts, rules, intent), tuple(f.path for f in files if f.path in whole), cut, notices)


def _denied(file: FileDiff, denied: Collection[str], config: Config) -> bool:
    """A file that is moved out of a denied place brings its content along."""
    return file.path in denied or bool(excluded((file.old_path,), config.policy.denied_paths))


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
