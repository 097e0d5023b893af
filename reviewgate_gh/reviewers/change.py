"""What a change takes away or leaves behind, seen by comparing base and head: each module of
`reviewers/comparisons` over the whole change."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from .. import __version__
from ..git import Git
from ..git.grep import find_each_word
from ..git.objects import list_paths, read_blobs, read_files, read_object_sizes, read_sizes
from ..model.change import Change, FileDiff
from ..model.config import VENDORED
from ..model.errors import ConfigError
from ..model.finding import Finding
from ..model.limits import ConfigSection
from ..model.review import Review, ReviewRequest, ReviewStatus
from ..system import plugins
from ..text.paths import matching_paths
from ._context import ReviewContext
from .checks._paths import is_lock_file
from .comparisons._announced import weigh_announced
from .comparisons._sources import CodeFile, ComparedFile, ComparisonInput, Place

_COMPARISONS = "comparisons"
# Of a larger change nobody wrote each line: it moves or imports code. What it edits is compared
_MOST_FILES = 2_000
_ALIKE = 3  # findings of one rule that are told as one
_MOST_BYTES = 2_000_000  # of one side of a file
_MOST_BYTES_LOCKED = 20_000_000  # a program wrote it, and its lines are looked at one by one
# Of a file whose lines go and come by the ten thousand a program wrote each: they are compared in
# pairs, which takes minutes
_MOST_PAIRS = 10_000 * 10_000


_TOO_MANY = f"more than {_MOST_FILES:,} files changed"


class LeftOut(Struct, frozen=True):
    """The paths of files that are not compared; by path, why one may lose something in which
    nobody sees it; and what is to be said of the change as a whole."""

    paths: frozenset[str] = frozenset()
    unseen: Mapping[str, str] = {}
    note: str = ""


_NONE_LEFT = LeftOut()


class Options(ConfigSection, frozen=True, kw_only=True):
    """`disable` names comparisons that are left out."""

    disable: tuple[str, ...] = ()


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """One question; none where every comparison is disabled.

    Raises:
        ConfigError: `disable` names no comparison.
    """
    known = plugins.names(_COMPARISONS)
    for name in options.disable:
        if name not in known:
            raise ConfigError(
                f"disable: unknown comparison {name!r}", f"they are: {', '.join(known)}"
            )
    return ("",) if set(known) - set(options.disable) else ()


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """All comparisons' findings; none for a whole tree, which takes nothing away.

    One that breaks, or no time for all, makes the review no answer; the others' findings stay.
    """
    change, started = request.change, context.environment.clock()
    if change.whole_tree:
        return _answer([], "", ReviewStatus.OK)
    left_out = _left_out(change, context.git)
    every = gather(change, context.git, left_out.paths)
    excluded = left_out.paths.union(context.excluded)
    reviewed = gather(change, context.git, excluded) if context.excluded else every
    code = cache(lambda: without_comments(reviewed))
    findings: list[Finding] = []
    broken: list[str] = []
    names = [name for name in plugins.names(_COMPARISONS) if name not in options.disable]
    for at, name in enumerate(names):
        if context.environment.clock() - started > context.timeout:
            left = f"no time was left for: {', '.join(names[at:])}"
            return _answer(weigh(change, findings), left, ReviewStatus.TIMEOUT, left_out)
        # The folder says by cheap facts whether its modules are needed: each costs time to load
        folder = plugins.load_folder(_COMPARISONS, name)
        if any(map(folder.wants, change.files)):
            seen = code() if folder.CODE_ALONE else reviewed
            broken += _run(name, every, seen, findings)
    status = ReviewStatus.FAILED if broken else ReviewStatus.OK
    return _answer(weigh(change, findings), "; ".join(broken), status, left_out)


def _left_out(change: Change, git: Git) -> LeftOut:
    """The files that are not compared: those that are too large, and in a change of very many files
    those from which it takes nothing away; all of them, where the others are too many as well."""
    files = [file for file in change.files if _is_compared(file)]
    sizes = read_sizes(git, (oid for f in files for oid in (f.old_oid, f.oid) if oid.strip("0")))
    large = {
        file.path: f"larger than {most:,} bytes"
        for file in files
        if max(sizes.get(file.old_oid, 0), sizes.get(file.oid, 0))
        > (most := _MOST_BYTES_LOCKED if is_lock_file(file.path) else _MOST_BYTES)
    }
    large |= {file.path: _REWRITTEN for file in files if _is_rewritten(file)}
    if len(files) <= _MOST_FILES:
        return LeftOut(frozenset(large), large)
    edited = {file.path for file in files if _takes_away(file)}
    lost = edited if len(edited) > _MOST_FILES else set[str]()
    others = {file.path for file in files} - (edited - lost)
    unseen = {**dict.fromkeys(sorted(lost), _TOO_MANY), **large}
    return LeftOut(frozenset({*large, *others}), unseen, _TOO_MANY)


_REWRITTEN = "very many of its lines were replaced by others"


def _is_rewritten(file: FileDiff) -> bool:
    gone, came = (sum(hunk.body.count(sign) for hunk in file.hunks) for sign in (b"\n-", b"\n+"))
    return gone * came > _MOST_PAIRS and not is_lock_file(file.path)


def _takes_away(file: FileDiff) -> bool:
    return any(line.sign == "-" for hunk in file.hunks for line in hunk.lines())


def without_comments(sources: ComparisonInput) -> ComparisonInput:
    """The same without comments in code: a guard that is commented out guards nothing."""
    # What comparisons of code load as well, and no others
    from .comparisons._definitions import language_of
    from .comparisons._tests import has_tests

    return replace(
        sources,
        files=tuple(
            CodeFile(file.diff, file.read)
            if language_of(file.path) or has_tests(file.path)
            else file
            for file in sources.files
        ),
    )


def _run(
    name: str, every: ComparisonInput, reviewed: ComparisonInput, findings: list[Finding]
) -> list[str]:
    """Add one comparison's findings; what went wrong, if anything did."""
    module = plugins.load(_COMPARISONS, name)
    try:
        findings.extend(module.compare(every if module.EVERY_FILE else reviewed))
    except Exception as error:
        return [f"the comparison {name} failed ({type(error).__name__}: {error})"]
    return []


def weigh(change: Change, findings: Sequence[Finding]) -> list[Finding]:
    """What is told of the findings of all comparisons: those of one kind once, and lighter what the
    change itself announces."""
    return gather_alike([weigh_announced(finding, change.commits) for finding in findings])


def gather_alike(findings: Sequence[Finding]) -> list[Finding]:
    """Of many findings of one rule the first, with the places of the others: a change that does
    something to ten files does it once. Those that may block stay apart."""
    alike = defaultdict[str, list[Finding]](list)
    for finding in findings:
        alike[finding.rule].append(finding)
    done: list[Finding] = []
    for finding in findings:
        same = alike[finding.rule]
        if len(same) < _ALIKE or any(each.priority.reaches("P1") for each in same):
            done.append(finding)
        elif finding is same[0]:
            done.append(_joined(same))
    return done


def _joined(findings: Sequence[Finding]) -> Finding:
    first = min(findings, key=lambda each: each.priority.value)
    others = [each for each in findings if each is not first]
    places = dict.fromkeys(
        place for each in others for place in (each.location, *each.places) if place
    )
    title = f"{first.title}; and {len(others)} more like it"
    return replace(first, title=title, places=tuple(dict.fromkeys([*first.places, *places])))


def gather(change: Change, git: Git, excluded: Collection[str] = ()) -> ComparisonInput:
    """The changed files but the excluded ones; what is asked of git is kept for all comparisons."""
    read = cache(lambda oid: _text(git, oid))
    left_out = {*excluded, *_copies(change)}
    files = tuple(
        ComparedFile(file, read)
        for file in change.files
        if file.path not in left_out and _is_compared(file)
    )
    return ComparisonInput(
        change,
        files,
        _word_finder(git, change.head),
        cache(lambda: frozenset(list_paths(git, change.head))),
        lambda paths: _texts(git, change.head, paths),
    )


def _copies(change: Change) -> frozenset[str]:
    """Files of other projects that lie in this one, before and after: what a new copy no longer has
    is no loss of this project, and its guards and licences are not this project's."""
    paths = {path for file in change.files for path in (file.path, file.old_path)}
    copied = matching_paths(paths, VENDORED)
    return frozenset(
        file.path for file in change.files if file.path in copied and file.old_path in copied
    )


def _is_compared(file: FileDiff) -> bool:
    """A text file on each side where it is."""
    kinds = {mode[:3] for mode in (file.old_mode, file.mode)}
    return kinds <= {"100", "000"} and not file.binary


def _text(git: Git, oid: str) -> str:
    if read_sizes(git, [oid]).get(oid, _MOST_BYTES_LOCKED + 1) > _MOST_BYTES_LOCKED:
        return ""
    return read_blobs(git, [oid]).get(oid, b"").decode("utf-8", "surrogateescape")


def _texts(git: Git, tree: str, paths: Collection[str]) -> dict[str, str]:
    named = [path for path in paths if "\n" not in path]
    sizes = read_object_sizes(git, [f"{tree}:{path}" for path in named])
    small = [
        path
        for path, known in zip(named, sizes, strict=True)
        if known and known.size <= _MOST_BYTES
    ]
    found = read_files(git, tree, small)
    return {path: data.decode("utf-8", "surrogateescape") for path, data in found.items()}


def _word_finder(git: Git, tree: str) -> Callable[[Collection[str]], Mapping[str, Sequence[Place]]]:
    """Searches the tree once for each word."""
    known: dict[str, Sequence[Place]] = {}

    def find(words: Collection[str]) -> Mapping[str, Sequence[Place]]:
        new = {word for word in words if word not in known}
        for word, hits in find_each_word(git, tree, new, _LONGEST_LINE).items():
            known[word] = [Place(*hit) for hit in hits]
        return {word: known[word] for word in words}

    return find


_LONGEST_LINE = 500  # characters: a longer line was written by a machine


def _answer(
    findings: Sequence[Finding], error: str, status: ReviewStatus, left_out: LeftOut = _NONE_LEFT
) -> Review:
    """It covers no file: a comparison looks at what changed in some, and reads none as a whole."""
    reasons = dict.fromkeys((*left_out.unseen.values(), *filter(None, [left_out.note])))
    return Review(
        "change",
        status=status,
        findings=tuple(findings),
        found=len(findings),
        error=error,
        version=__version__,
        note="; ".join(f"base and head were not compared: {why}" for why in reasons),
        uncompared=tuple(left_out.unseen.items()),
    )
