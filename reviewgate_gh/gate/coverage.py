"""The coverage ledger: which changed file was read by whom, and which code nobody read who knows
its language."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.options import ReviewRun
from ..findings.carry_over import is_earlier_review
from ..git import Git
from ..git.objects import read_blobs, read_object_sizes, read_sizes
from ..git.tree_files import uncommitted_files
from ..model.change import EMPTY_BLOBS, Change, FileDiff
from ..model.config import Config, LinterOptions
from ..model.coverage import ALLOW_KEY, Coverage, CoveragePolicy, CoverageRow, ReadDepth
from ..model.errors import GateError
from ..model.language_table import ALL_LANGUAGES
from ..model.languages import detect_language, is_switched_on, needs_content
from ..model.review import Review, ReviewStatus
from ..reporters._words import join_first
from ..system import plugins
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE, WAIVER_FILE
from ..text.paths import glob_matcher, oversize_notices
from ..text.visible import show_hidden
from .binary_programs import find_binary_programs
from .exclusion import newly_excluded, newly_started
from .links import HiddenCode, find_linked_code

ALL_PATHS: frozenset[str] = frozenset({"*"})
_DELETED = "deleted"
_KIND = {"120000": "a symbolic link", "160000": "a submodule", "000000": _DELETED}
_LEAVES = "it was subject to review as {path}, and policy.exclude leaves it out under this name"
_MOVED = "it was not {what} before, so its earlier content is not part of the diff"


class ReaderClaim(Struct, frozen=True):
    """One reviewer's word: the files it read, and the languages that it knows. `whole`: of a file
    that it did not read before, all that it found counts, not what is in the diff alone. `depth` is
    how it read them."""

    name: str
    paths: frozenset[str]
    languages: frozenset[str] = ALL_PATHS
    whole: bool = False
    depth: ReadDepth = ReadDepth.REVIEWED

    def knows_language(self, file: FileDiff, language: str) -> bool:
        """It read this file, and reads this language."""
        return file.path in self.paths and (
            self.languages is ALL_PATHS or language in self.languages
        )


class CoverageFacts(Struct, frozen=True):
    """What coverage is made from: each file's language now and before, the paths left out now and
    on the base, those that nobody read, who could read a language, `hidden`, the code that paths do
    not show, and the paths that are left out now and were not before."""

    language: Callable[[FileDiff], str]
    language_before: Callable[[FileDiff], str]
    excluded: Collection[str]
    excluded_before: Collection[str]
    unread: Collection[str]
    possible_reader: Callable[[str], str]
    hidden: Mapping[str, HiddenCode] = {}
    newly_excluded: Collection[str] = ()


def build_coverage(
    change: Change, readings: Iterable[ReaderClaim], known: CoverageFacts, policy: CoveragePolicy
) -> Coverage:
    """A row for each changed file."""
    readings = tuple(readings)
    allowed = {name.lower() for name in policy.allow}
    rows = tuple(_row(file, readings, known, allowed) for file in change.files)
    return Coverage(rows, policy.unread, sum(file.path in known.excluded for file in change.files))


def _row(
    file: FileDiff, readings: Iterable[ReaderClaim], known: CoverageFacts, allowed: Collection[str]
) -> CoverageRow:
    hidden = known.hidden.get(file.path)
    own = known.language(file) if file.is_text_file else ""
    language = hidden.language if hidden else own
    how, readers = _best_readers(
        [reading for reading in readings if reading.knows_language(file, language)],
        unread=file.path in known.unread,
    )
    by = tuple(dict.fromkeys(reading.name for reading in readers))
    is_allowed = language.lower() in allowed
    if not is_allowed and (why := _still_needs(file, own, hidden, how, known)):
        return CoverageRow(file.path, language, how, by, True, why)
    if why := _needs_none(file, own, known):
        return CoverageRow(file.path, own, how, by, why=why)
    moved = "" if any(each.whole for each in readers) else _moved(file, language, known)
    if how is ReadDepth.UNREAD or (how is ReadDepth.REVIEWED and not moved):
        return CoverageRow(file.path, language, how, by)
    how = ReadDepth.SCANNED if how is ReadDepth.REVIEWED else how  # of what moved, the diff alone
    if is_allowed:
        return CoverageRow(file.path, language, how, by, why=ALLOW_KEY)
    return CoverageRow(file.path, language, how, by, True, moved or known.possible_reader(language))


def _best_readers(
    readers: list[ReaderClaim], *, unread: bool
) -> tuple[ReadDepth, list[ReaderClaim]]:
    """How deeply the file was read, and who read it so; of an unread one, who would have."""
    if unread:
        return ReadDepth.UNREAD, readers
    depths = {reading.depth for reading in readers}
    order = (ReadDepth.REVIEWED, ReadDepth.PARSED)
    how = next((depth for depth in order if depth in depths), ReadDepth.SCANNED)
    return how, [reading for reading in readers if reading.depth is how]


def _still_needs(
    file: FileDiff, language: str, hidden: HiddenCode | None, how: ReadDepth, known: CoverageFacts
) -> str:
    """Why somebody must review it whatever its path says; "" if that decides."""
    if hidden and file.path not in known.excluded and how is not ReadDepth.REVIEWED:
        return hidden.why
    if language and file.path in known.newly_excluded:
        return _LEAVES.format(path=show_hidden(file.old_path))
    return ""


def _needs_none(file: FileDiff, language: str, known: CoverageFacts) -> str:
    """Why nobody need review it; "" for code that somebody must."""
    if file.mode in _KIND:
        return _KIND[file.mode]
    if file.binary:
        return "binary"
    if file.path in known.excluded:
        return "policy.exclude"
    if not language:
        return "no code"
    if file.oid in EMPTY_BLOBS:
        return "empty"
    if file.status != "A" and file.oid == file.old_oid and not _moved(file, language, known):
        return "unchanged content"
    return ""


def _moved(file: FileDiff, language: str, known: CoverageFacts) -> str:
    """A new name, mode or `#!` line makes code of what was none, or another language's: what stood
    there counts as new."""
    if file.status == "A" or not file.old_mode.startswith("100") or not language:
        return ""
    if file.path in known.excluded_before:
        return _MOVED.format(what="subject to review")
    if is_switched_on(file.old_path, file.path):
        return _MOVED.format(what="in use by its name")
    return _MOVED.format(what=language) if known.language_before(file) != language else ""


def possible_readers(linters: Iterable[str]) -> str:
    """Who could read a language; `linters` says what each one that can would need."""
    own = "; ".join(linters)
    model = "add a language model as a reviewer (docs/models.md)"
    return f"{own}; or {model}" if own else f"no linter of the gate reviews it; {model}"


_MOST_NAMED = 2  # linters that could read a language


def build_change_coverage(
    run: ReviewRun, reviews: Sequence[Review], unread: Collection[str]
) -> Coverage:
    """The rows of all changed files."""
    change, config = run.change, run.config
    contents = _contents(change, run.excluded, config.policy.max_file_bytes, run.git)
    known = CoverageFacts(
        lambda file: detect_language(file.path, file.mode, contents.get(file.oid, b"")),
        lambda file: _before(file, contents),
        run.excluded,
        run.excluded_before,
        frozenset(unread),
        lambda name: possible_readers(islice(_linters_for(name, reviews, config), _MOST_NAMED)),
        _hidden_code(run),
        newly_excluded(change, config.policy.exclude, run.excluded, run.git),
    )
    coverage = build_coverage(
        change, _readings(change, reviews, config, known), known, config.policy.covers
    )
    coverage = _with_uncompared(coverage, [each for r in reviews for each in r.uncompared])
    unchecked = (r.error for r in reviews if _kind(r, config) == "callers" and r.error)
    return _with_unchecked_callers(coverage, next(unchecked, ""))


_STARTS = "it starts {path}, which is not subject to review"


def _hidden_code(run: ReviewRun) -> Mapping[str, HiddenCode]:
    change, policy = run.change, run.config.policy
    started = newly_started(change, policy.exclude, run.git)
    return {
        path: HiddenCode(detect_language(name, "", b""), _STARTS.format(path=show_hidden(name)))
        for path, name in started.items()
    } | {
        **find_linked_code(change, run.git, policy.exclude, policy.max_file_bytes),
        **find_binary_programs(change, run.git, run.excluded),
    }


_NOT_COMPARED = (
    "base and head were not compared ({why}), so what the change takes away was not seen"
)


def _with_uncompared(coverage: Coverage, uncompared: Iterable[tuple[str, str]]) -> Coverage:
    """Code that nobody compared counts as not reviewed, whoever read the head."""
    known = dict(uncompared)
    if not known:
        return coverage
    rows = (
        replace(row, missing=True, why=_NOT_COMPARED.format(why=known[row.path]))
        if row.path in known and row.language and row.why in ("", _DELETED)
        else row
        for row in coverage.rows
    )
    return replace(coverage, rows=tuple(rows))


def _with_unchecked_callers(coverage: Coverage, why: str) -> Coverage:
    """The rows of Python files say that nobody looked at what uses them."""
    if not why:
        return coverage
    rows = (
        replace(row, why=why) if row.language == "Python" and not row.why else row
        for row in coverage.rows
    )
    return replace(coverage, rows=tuple(rows))


def _before(file: FileDiff, contents: Mapping[str, bytes]) -> str:
    """The language by the old name, mode and `#!` line. What is guessed from the rest of the
    content is guessed from the new one: an edit that only changes the guess makes no other readers.
    """
    old, new = contents.get(file.old_oid, b""), contents.get(file.oid, b"")
    return detect_language(
        file.old_path, file.old_mode, old if b"#!" in (old[:2], new[:2]) else new
    )


def _contents(change: Change, left_out: frozenset[str], most: int, git: Git) -> dict[str, bytes]:
    """By object id, what tells a language that name and mode do not."""
    files = [file for file in change.files if file.is_text_file and file.path not in left_out]
    wanted = {file.oid for file in files if needs_content(file.path, file.mode)}
    wanted |= {
        file.old_oid
        for file in files
        if _was_file(file) and needs_content(file.old_path, file.old_mode)
    }
    wanted |= {file.old_oid for file in files if _was_file(file) and file.oid in wanted}
    return (
        read_blobs(git, (oid for oid, size in read_sizes(git, wanted).items() if size <= most))
        if wanted
        else {}
    )


def _was_file(file: FileDiff) -> bool:
    return file.status != "A" and file.old_mode.startswith("100")


def _readings(
    change: Change, reviews: Sequence[Review], config: Config, known: CoverageFacts
) -> Iterator[ReaderClaim]:
    for review in reviews:
        if review.status is ReviewStatus.OK and _kind(review, config) == "builtin":
            yield _parsed_by(review)
        if review.status is ReviewStatus.OK and (languages := _languages(review, config)):
            paths = frozenset(review.covered)
            # It looks at the tree by itself
            if languages is not ALL_PATHS and _kind(review, config) == "command" and not paths:
                paths = frozenset(
                    file.path
                    for file in change.files
                    if file.is_text_file and file.path not in known.excluded
                )
            is_linter = _kind(review, config) == "linters"
            parses = is_linter and not is_reviewer(plugins.load("linters", review.part))
            depth = ReadDepth.PARSED if parses else ReadDepth.REVIEWED
            yield ReaderClaim(review.name, paths, languages, is_linter, depth)


_PARSERS = ("structure", "syntax")  # checks


def _parsed_by(review: Review) -> ReaderClaim:
    """Data, prose and styles, of which built-in checks see whether they hold together."""
    globs = (glob for name in _PARSERS for glob in plugins.load("checks", name).WANTS)
    is_parsed = glob_matcher(globs)
    paths = frozenset(path for path in review.covered if is_parsed(path.rpartition("/")[2]))
    return ReaderClaim(review.name, paths, frozenset({""}), depth=ReadDepth.PARSED)


def is_reviewer(tool: Any) -> bool:
    """Whether what this linter reads is reviewed: not by one that looks at grammar alone."""
    return getattr(tool, "DEPTH", ReadDepth.REVIEWED) is ReadDepth.REVIEWED


def _languages(review: Review, config: Config) -> frozenset[str]:
    """What the reviewer knows; none of the built-in checks and comparisons, which look for
    secrets, guards that are gone and the like, and none of what reads unchanged files."""
    kind = _kind(review, config)
    if review.asked is not None or is_earlier_review(review.reviewer):
        return ALL_PATHS
    if kind in ("builtin", "callers", "change"):
        return frozenset()
    if kind == "linters":
        return frozenset(plugins.load("linters", review.part).LANGUAGES)
    if kind == "command":
        return _declared(config.reviewers[review.reviewer].options.get("languages"))
    return ALL_PATHS


def _declared(names: Sequence[str] | None) -> frozenset[str]:
    if names is None:
        return ALL_PATHS
    wanted = {name.lower() for name in names}
    return frozenset(name for name in ALL_LANGUAGES if name.lower() in wanted)


def _kind(review: Review, config: Config) -> str:
    entry = config.reviewers.get(review.reviewer)
    return entry.type if entry else review.reviewer


def linter_rank(tool: Any) -> tuple[bool, bool]:
    """Sorts those of the default gate first, then those that need only be installed."""
    return not tool.DEFAULT, not getattr(tool, "WHEN_INSTALLED", False)


def _linters_for(name: str, reviews: Sequence[Review], config: Config) -> Iterator[str]:
    """What each linter would need that reads the language, those of the keyless gate first."""
    answers = {review.part: review for review in reviews if _kind(review, config) == "linters"}
    tools = {each: plugins.load("linters", each) for each in plugins.names("linters")}
    for each, tool in sorted(tools.items(), key=lambda item: linter_rank(item[1])):
        answer = answers.get(each)
        if name in tool.LANGUAGES and answer and answer.note.startswith(f"{tool.PROGRAM} "):
            yield answer.note  # about the program itself
        elif name in tool.LANGUAGES and is_reviewer(tool):
            yield _need(each, tool, answer, config)


def _need(name: str, tool: Any, answer: Review | None, config: Config) -> str:
    """What the linter would need that has read a file of its language in no depth."""
    if answer is not None:
        return answer.error or (
            f"{tool.PROGRAM} skips it with the settings here, skips a part of it, or "
            "cannot parse it"
        )
    if config.linters.get(name, LinterOptions()).enabled is False:
        return f"{tool.PROGRAM} is disabled (linters.{name}.enabled)"
    if tool.DEFAULT:
        return f"{tool.PROGRAM} did not read it"
    can = f"{tool.PROGRAM} can read it: {tool.INSTALL}"
    installed = getattr(tool, "WHEN_INSTALLED", False)
    return can if installed else f"{can}, and set linters.{name}.enabled to true"


def unread_notices(run: ReviewRun, unread: Collection[str]) -> tuple[str, ...]:
    """What to do about the text files among these that are too large to be read."""
    files = [file for file in run.change.files if file.is_text_file and file.path in unread]
    by_oid = read_sizes(run.git, (file.oid for file in files))
    sizes = {file.path: by_oid[file.oid] for file in files if file.oid in by_oid}
    return oversize_notices(sizes, run.config.policy.max_file_bytes)


_UNCOMMITTED_NAMED = 3


def unknown_file_notices(run: ReviewRun, imported: Iterable[Review]) -> Iterator[str]:
    """Files that imported findings name and that neither the reviewed commit nor the change has."""
    changed = {path for file in run.change.files for path in (file.path, file.old_path)}
    for review in imported:
        named = sorted({each.path for each in review.findings if each.path} - changed)
        asked = [f"{run.change.head}:{path}" for path in named if "\n" not in path]
        known = read_object_sizes(run.git, asked)
        there = {name for name, found in zip(asked, known, strict=True) if found}
        missing = [path for path in named if f"{run.change.head}:{path}" not in there]
        if missing:
            yield (
                f"{review.part}: no such file in {run.change.head[:12]}: {join_first(missing, 5)} "
                "(is the report about another commit, or do its paths start in another folder?)"
            )


def uncommitted_notices(git: Git, head: str, environment: Environment) -> tuple[str, ...]:
    """What to say about the work tree where its commit is reviewed: what is not committed was not
    reviewed, and a configuration among it does not apply."""
    if git.tree is None or environment.in_ci or git.resolve("HEAD") != head:
        return ()
    try:
        paths = uncommitted_files(git, untracked=True)
    except GateError as error:  # a review of commits needs no index and no work tree
        return (f"what is not committed was not reviewed, and git cannot list it: {error.message}",)
    if not paths:
        return ()
    named = ", ".join(show_hidden(path) for path in paths[:_UNCOMMITTED_NAMED])
    more = len(paths) - _UNCOMMITTED_NAMED
    listed = f"{named} and {more:,} more" if more > 0 else named
    counted = f"{len(paths):,} uncommitted file{'s were' if len(paths) > 1 else ' was'}"
    return (
        f"{counted} not reviewed ({listed}): to review the work tree, add --uncommitted",
        *(
            f"{name} is not committed, so it does not apply"
            for name in (CONFIG_FILE, WAIVER_FILE)
            if name in paths
        ),
    )
