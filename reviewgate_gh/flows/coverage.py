"""Which changed file was read by whom: what the reviewers say they read, held against the languages that they know."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from ..model.change import Change, FileDiff
from ..model.config import Config, LinterOptions
from ..model.coverage import Coverage
from ..model.review import Review, Status
from ..steps.carry import is_earlier
from ..steps.coverage import EVERYTHING, Known, Reading, could_read, cover
from ..steps.exclude import excluded
from ..steps.languages import asks_content, language
from ..system import plugins
from ..system.git import Git
from ..system.git.objects import read_blobs, read_sizes

_MOST_NAMED = 2  # linters that could read a language


def coverage_of(
    change: Change, reviews: Sequence[Review], left_out: frozenset[str], unread: Collection[str], config: Config, git: Git
) -> Coverage:
    """The rows of all changed files."""
    contents = _contents(change, left_out, config.policy.max_file_bytes, git)
    known = Known(
        lambda file: language(file.path, file.mode, contents.get(file.oid, b"")),
        lambda file: _before(file, contents),
        left_out,
        excluded((file.old_path for file in change.files), config.policy.exclude),
        frozenset(unread),
        lambda name: could_read(islice(_linters_for(name, reviews, config), _MOST_NAMED)),
    )
    return cover(change, _readings(change, reviews, config, known), known, config.policy.covers)


def _before(file: FileDiff, contents: Mapping[str, bytes]) -> str:
    """The language by the old name, mode and `#!` line. What is guessed from the rest of the content is guessed from the new one: an
    edit that only changes the guess makes no other readers."""
    old, new = contents.get(file.old_oid, b""), contents.get(file.oid, b"")
    return language(file.old_path, file.old_mode, old if b"#!" in (old[:2], new[:2]) else new)


def _contents(change: Change, left_out: frozenset[str], most: int, git: Git) -> dict[str, bytes]:
    """By object id, what tells a language that name and mode do not."""
    files = [file for file in change.files if file.is_text_file and file.path not in left_out]
    wanted = {file.oid for file in files if asks_content(file.path, file.mode)}
    wanted |= {file.old_oid for file in files if _was_file(file) and asks_content(file.old_path, file.old_mode)}
    wanted |= {file.old_oid for file in files if _was_file(file) and file.oid in wanted}
    return read_blobs(git, (oid for oid, size in read_sizes(git, wanted).items() if size <= most)) if wanted else {}


def _was_file(file: FileDiff) -> bool:
    return file.status != "A" and file.old_mode.startswith("100")


def _readings(change: Change, reviews: Sequence[Review], config: Config, known: Known) -> Iterator[Reading]:
    for review in reviews:
        if review.status is Status.OK and (languages := _languages(review, config)):
            paths = frozenset(review.covered)
            if languages is not EVERYTHING and _kind(review, config) == "command" and not paths:  # it looks at the tree by itself
                paths = frozenset(file.path for file in change.files if file.is_text_file and file.path not in known.excluded)
            yield Reading(review.name, paths, languages)


def _languages(review: Review, config: Config) -> frozenset[str]:
    """What the reviewer knows; none of the built-in checks, which look for secrets and the like."""
    kind = _kind(review, config)
    if review.asked is not None or is_earlier(review.reviewer):
        return EVERYTHING
    if kind == "builtin":
        return frozenset()
    if kind == "linters":
        return frozenset(plugins.load("linters", review.part).LANGUAGES)
    if kind == "command":
        return _declared(config.reviewers[review.reviewer].options.get("languages"))
    return EVERYTHING


def _declared(names: Sequence[str] | None) -> frozenset[str]:
    from ..model.languages import EVERY

    if names is None:
        return EVERYTHING
    wanted = {name.lower() for name in names}
    return frozenset(name for name in EVERY if name.lower() in wanted)


def _kind(review: Review, config: Config) -> str:
    entry = config.reviewers.get(review.reviewer)
    return entry.type if entry else review.reviewer


def _linters_for(name: str, reviews: Sequence[Review], config: Config) -> Iterator[str]:
    """What each linter would need that reads the language, those of the keyless gate first."""
    answers = {review.part: review for review in reviews if _kind(review, config) == "linters"}
    tools = {each: plugins.load("linters", each) for each in plugins.names("linters")}
    for each, tool in sorted(tools.items(), key=lambda item: not item[1].DEFAULT):
        if name in tool.LANGUAGES:
            answer = answers.get(each)
            if answer is not None:
                yield answer.error or f"{tool.PROGRAM} skips it with the settings here"
            elif config.linters.get(each, LinterOptions()).enabled is False:
                yield f"{tool.PROGRAM} is disabled (linters.{each}.enabled)"
            elif tool.DEFAULT:
                yield f"{tool.PROGRAM} did not read it"
            else:
                yield f"{tool.PROGRAM} can read it: {tool.INSTALL}, and set linters.{each}.enabled to true"
