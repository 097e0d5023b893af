"""The built-in checks, which need no tool: each module of `reviewers/checks` over the whole
change."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from .. import __version__
from ..git.diff import diff_commits, parse_diff
from ..git.objects import list_paths, read_blobs, read_sizes
from ..model.change import MAX_COMMITS, Change, FileDiff, Hunk
from ..model.errors import ConfigError, InternalError
from ..model.finding import Finding
from ..model.languages import needs_content
from ..model.limits import ConfigSection
from ..model.review import Review, ReviewRequest, ReviewStatus
from ..system import plugins
from ..text.paths import glob_matcher
from ..text.patterns import lazy_pattern
from ._context import ReviewContext
from ._meant_broken import MeantBroken
from ._started import start_finder
from .checks._foreign import weigh_foreign
from .checks._paths import is_plain_prose
from .checks._sources import CheckInput, most_bytes

_MARK = b"::"  # a colon for each parent
_RECORD = lazy_pattern(rb"(:{2,})([0-7]{6} )+([0-9a-f]+ )+[A-Z]+\0([^\0]+)\0")
_SECTION = lazy_pattern(rb"^diff --combined [^\n]*\n", re.MULTILINE)
_ROW = lazy_pattern(rb"[^\n]*\n?")
_HUNK = lazy_pattern(rb"^@{3,} [^\n]*\n((?:[ +\\-][^\n]*\n?)*)", re.MULTILINE)


def is_combined_diff(data: bytes) -> bool:
    """It is a combined `diff-tree` output."""
    return data.startswith(_MARK)


def parse_combined_diff(data: bytes) -> tuple[FileDiff, ...]:
    """The files that are as in none of the parents: what is in no parent as added, what is gone
    from one of them as removed.

    Raises:
        InternalError: the output is not what git writes (sections and records do not match).
    """
    records, at = [], 0
    while found := _RECORD.match(data, at):
        records.append((len(found[1]), found[4].decode("utf-8", "surrogateescape")))
        at = found.end()
    # A line of a file begins with its signs, and names are quoted
    _before, *sections = _SECTION.split(data[at + 1 :])
    if len(sections) != len(records):
        raise InternalError("git's combined patch does not match its list of files")
    return tuple(
        _file(path, parents, section)
        for (parents, path), section in zip(records, sections, strict=True)
    )


def _file(path: str, parents: int, section: bytes) -> FileDiff:
    hunks = tuple(
        Hunk(0, 0, 0, 0, b"", b"".join(_rows(found[1], parents)))
        for found in _HUNK.finditer(section)
    )
    return FileDiff(path, path, "M", "100644", "100644", "", "", hunks=hunks)


def _rows(body: bytes, parents: int) -> Iterator[bytes]:
    for row in _ROW.findall(body):
        signs = row[:parents]
        if signs == b"+" * parents:
            yield b"+" + row[parents:]
        elif b"-" in signs:
            yield b"-" + row[parents:]


_CHECKS = "checks"
_TOO_MANY = (
    f"only the newest {MAX_COMMITS:,} commits were searched for secrets that a later commit "
    "removes: push or review the older ones first"
)
_MOST_BINARY_BYTES = 20_000_000  # of all binary files of a change
_NEW_NAME = ("A", "R", "C")


class Options(ConfigSection, frozen=True, kw_only=True):
    """`disable` names checks that are left out."""

    disable: tuple[str, ...] = ()


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """One question; none where every check is disabled.

    Raises:
        ConfigError: `disable` names no check.
    """
    known = plugins.names(_CHECKS)
    for name in options.disable:
        if name not in known:
            raise ConfigError(
                f"disable: unknown built-in check {name!r}", f"the checks are: {', '.join(known)}"
            )
    return ("",) if set(known) - set(options.disable) else ()


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """All checks' findings.

    One that breaks, or no time for all, makes the review no answer; the others' findings stay.
    """
    parts(request.change, options, context)
    started = context.environment.clock()
    checks = {
        name: plugins.load(_CHECKS, name)
        for name in plugins.names(_CHECKS)
        if name not in options.disable
    }
    sources = gather_sources(
        request.change, (glob for check in checks.values() for glob in check.WANTS), context
    )
    reviewed = _without(sources, context.excluded)
    findings: list[Finding] = []
    broken = [_TOO_MANY] if len(request.change.commits) > MAX_COMMITS else []
    meant = MeantBroken(sources.change, context.checkout.read_trusted)
    for at, (name, check) in enumerate(checks.items()):
        if context.environment.clock() - started > context.timeout:
            left = ", ".join([*checks][at:])
            return _answer(
                ReviewStatus.TIMEOUT, findings, sources, context, f"no time was left for: {left}"
            )
        seen = sources if check.EVERY_FILE else reviewed
        broken += _run(name, check, seen, findings, meant)
    return _answer(
        ReviewStatus.FAILED if broken else ReviewStatus.OK,
        findings,
        sources,
        context,
        "; ".join(broken),
    )


def gather_sources(change: Change, globs: Iterable[str], context: ReviewContext) -> CheckInput:
    """What the checks may read, in at most five calls of git; no content over the policy's
    `max_file_bytes`."""
    stored = [f for f in change.files if f.mode != "000000" and not f.is_submodule]
    by_oid = read_sizes(context.git, (f.oid for f in stored))
    sizes = {f.path: by_oid[f.oid] for f in stored if f.oid in by_oid}
    most = context.config.policy.max_file_bytes
    wanted = _wanted(stored, globs, sizes, most)
    binaries = _small_binaries(stored, sizes, most)
    records = _records(change)
    oids = (*wanted.values(), *records, *(oid for f in binaries for oid in (f.old_oid, f.oid)))
    blobs = read_blobs(context.git, (oid for oid in oids if oid.strip("0")))
    contents = {path: blobs[oid] for path, oid in wanted.items() if oid in blobs}
    needs_paths = any(f.status in _NEW_NAME or f.path.endswith("CODEOWNERS") for f in change.files)
    return CheckInput(
        change,
        contents,
        sizes,
        list_paths(context.git, change.head) if needs_paths else (),
        _between(change, context),
        {oid: blobs[oid] for oid in records if oid in blobs},
        {f.path: (blobs.get(f.old_oid, b""), blobs.get(f.oid, b"")) for f in binaries},
        lambda file: _content_before(file, context),
        context.secret_rules,
        start_finder(change, context),
    )


def _records(change: Change) -> tuple[str, ...]:
    """The commits of a change; of very many the newest."""
    return (*change.tags, *(commit.oid for commit in change.commits[:MAX_COMMITS]))


def _small_binaries(
    files: Iterable[FileDiff], sizes: Mapping[str, int], most: int
) -> tuple[FileDiff, ...]:
    """Binary files that are read for the texts that they hold: as many as fit into the bound."""
    found, left = [], _MOST_BINARY_BYTES
    for file in files:
        size = sizes.get(file.path, most + 1)
        if file.binary and file.mode.startswith("100") and size <= min(most, left):
            found.append(file)
            left -= size
    return tuple(found)


def _content_before(file: FileDiff, context: ReviewContext) -> bytes:
    """The file at base; nothing where it was none, or a very large one."""
    if not file.old_oid.strip("0") or file.old_mode == "160000":
        return b""
    size = read_sizes(context.git, [file.old_oid]).get(file.old_oid, _MOST_BINARY_BYTES + 1)
    if size > _MOST_BINARY_BYTES:
        return b""
    return read_blobs(context.git, [file.old_oid]).get(file.old_oid, b"")


def _between(
    change: Change, context: ReviewContext
) -> tuple[tuple[str, tuple[FileDiff, ...]], ...]:
    """The commits one by one, where there are several: what an earlier one adds is published even
    if a later one takes it out."""
    if len(change.commits) < 2:
        return ()
    # The commits whose parents are not here: all of such a one would count as new
    shallow = context.git.common / "shallow"
    cut = shallow.read_text("ascii").split() if shallow.exists() else ()
    oids = [
        commit.oid for commit in reversed(change.commits[:MAX_COMMITS]) if commit.oid not in cut
    ]
    return tuple(
        (oid, parse_combined_diff(data) if is_combined_diff(data) else parse_diff(data))
        for oid, data in diff_commits(context.git, oids)
    )


def _wanted(
    files: Iterable[FileDiff], globs: Iterable[str], sizes: Mapping[str, int], most: int
) -> dict[str, str]:
    """Object ids by path of the symbolic links, and of the text files that a check asked for by
    name."""
    asked = glob_matcher(globs)
    small = [f for f in files if f.path in sizes and sizes[f.path] <= most_bytes(f.path, most)]
    return {
        f.path: f.oid
        for f in small
        if f.is_symlink or (f.is_text_file and asked(f.path.rpartition("/")[2]))
    }


def _without(sources: CheckInput, excluded: frozenset[str]) -> CheckInput:
    if not excluded:
        return sources
    files = tuple(f for f in sources.change.files if f.path not in excluded)
    return replace(sources, change=replace(sources.change, files=files))


def _run(
    name: str, check: Any, sources: CheckInput, findings: list[Finding], meant: MeantBroken
) -> list[str]:
    """Add one check's findings; what went wrong, if anything did."""
    try:
        findings.extend(map(meant.weigh, weigh_foreign(check.check(sources), sources)))
    except Exception as error:
        return [f"the check {name} failed ({type(error).__name__}: {error})"]
    return []


def _answer(
    status: ReviewStatus,
    findings: list[Finding],
    sources: CheckInput,
    context: ReviewContext,
    error: str,
) -> Review:
    return Review(
        "builtin",
        status=status,
        findings=tuple(findings),
        found=len(findings),
        covered=tuple(
            f.path
            for f in sources.change.files
            if _was_read(f, sources, context.config.policy.max_file_bytes)
        ),
        error=error,
        version=__version__,
    )


def _was_read(file: FileDiff, sources: CheckInput, most: int) -> bool:
    """What is no blob at head has nothing to read; a text file must be there and small enough. Of
    text for people the lines that the change adds are enough, which the checks are given; a name
    that leaves open whether it is one (MDX) is no such text."""
    if file.mode == "000000" or file.is_submodule:
        return True
    size = sources.sizes.get(file.path)
    if size is None or size <= most_bytes(file.path, most) or not file.is_text_file:
        return size is not None
    # None of a file that git does not compare (core.bigFileThreshold of git-config)
    has_lines = bool(file.hunks)
    is_text = is_plain_prose(file.path) and not needs_content(file.path, file.mode)
    return has_lines and file.mode == "100644" and is_text
