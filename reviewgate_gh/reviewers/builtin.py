"""The checks that come with us and need no tool: each module of `steps/checks` over the whole change, in one review."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .. import __version__
from ..model.change import MOST_COMMITS, Change, FileDiff
from ..model.config import STRICT
from ..model.errors import ConfigError
from ..model.finding import Finding
from ..model.review import Request, Review, Status
from ..model.values import dataclass
from ..steps.checks._sources import Sources
from ..steps.diff import parse
from ..steps.merged import is_merge, parse_merge
from ..system import plugins
from ..system.git.diff import diff_commits
from ..system.git.objects import list_paths, read_blobs, read_sizes
from ..system.kit import Kit
from ..text.globs import any_of

_CHECKS = "checks"
_TOO_MANY = (
    f"only the newest {MOST_COMMITS:,} commits were searched for secrets that a later commit removes: push or review the older ones first"
)
_NEW_NAME = ("A", "R", "C")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`disable` names checks that are left out."""

    __pydantic_config__ = STRICT
    disable: tuple[str, ...] = ()


def parts(change: Change, options: Options, kit: Kit) -> tuple[str, ...]:
    """One question; none where every check is disabled.

    Raises:
        ConfigError: `disable` names no check.
    """
    known = plugins.names(_CHECKS)
    for name in options.disable:
        if name not in known:
            raise ConfigError(f"disable: unknown built-in check {name!r}", f"the checks are: {', '.join(known)}")
    return ("",) if set(known) - set(options.disable) else ()


def review(request: Request, options: Options, kit: Kit) -> Review:
    """All checks' findings. One that breaks, or no time for all, makes the review no answer; the others' findings stay."""
    parts(request.change, options, kit)
    started = kit.world.clock()
    checks = {name: plugins.load(_CHECKS, name) for name in plugins.names(_CHECKS) if name not in options.disable}
    sources = gather(request.change, (glob for check in checks.values() for glob in check.WANTS), kit)
    reviewed = _without(sources, kit.excluded)
    findings: list[Finding] = []
    broken = [_TOO_MANY] if len(request.change.commits) > MOST_COMMITS else []
    for at, (name, check) in enumerate(checks.items()):
        if kit.world.clock() - started > kit.timeout:
            left = ", ".join([*checks][at:])
            return _answer(Status.TIMEOUT, findings, sources, kit, f"no time was left for: {left}")
        broken += _run(name, check, sources if check.EVERY_FILE else reviewed, findings)
    return _answer(Status.FAILED if broken else Status.OK, findings, sources, kit, "; ".join(broken))


def gather(change: Change, globs: Iterable[str], kit: Kit) -> Sources:
    """What the checks may read, in at most four calls of git; no content over the policy's `max_file_bytes`."""
    stored = [f for f in change.files if f.mode != "000000" and not f.is_submodule]
    by_oid = read_sizes(kit.git, (f.oid for f in stored))
    sizes = {f.path: by_oid[f.oid] for f in stored if f.oid in by_oid}
    wanted = _wanted(stored, globs, sizes, kit.config.policy.max_file_bytes)
    blobs = read_blobs(kit.git, wanted.values())
    contents = {path: blobs[oid] for path, oid in wanted.items() if oid in blobs}
    renamed = any(f.status in _NEW_NAME for f in change.files)
    return Sources(change, contents, sizes, list_paths(kit.git, change.head) if renamed else (), _between(change, kit))


def _between(change: Change, kit: Kit) -> tuple[tuple[str, tuple[FileDiff, ...]], ...]:
    """The commits one by one, where there are several: what an earlier one adds is published even if a later one takes it out."""
    if len(change.commits) < 2:
        return ()
    shallow = kit.git.common / "shallow"  # the commits whose parents are not here: all of such a one would count as new
    cut = shallow.read_text("ascii").split() if shallow.exists() else ()
    oids = [commit.oid for commit in reversed(change.commits[:MOST_COMMITS]) if commit.oid not in cut]
    return tuple((oid, parse_merge(data) if is_merge(data) else parse(data)) for oid, data in diff_commits(kit.git, oids))


def _wanted(files: Iterable[FileDiff], globs: Iterable[str], sizes: Mapping[str, int], most: int) -> dict[str, str]:
    """Object ids by path of the symbolic links, and of the text files that a check asked for by name."""
    asked = any_of(globs)
    small = [f for f in files if sizes.get(f.path, most + 1) <= most]
    return {f.path: f.oid for f in small if f.is_symlink or (f.is_text_file and asked(f.path.rpartition("/")[2]))}


def _without(sources: Sources, excluded: frozenset[str]) -> Sources:
    if not excluded:
        return sources
    files = tuple(f for f in sources.change.files if f.path not in excluded)
    return replace(sources, change=replace(sources.change, files=files))


def _run(name: str, check: Any, sources: Sources, findings: list[Finding]) -> list[str]:
    """Add one check's findings; what went wrong, if anything did."""
    try:
        findings.extend(check.check(sources))
    except Exception as error:
        return [f"the check {name} failed ({type(error).__name__}: {error})"]
    return []


def _answer(status: Status, findings: list[Finding], sources: Sources, kit: Kit, error: str) -> Review:
    return Review(
        "builtin",
        status=status,
        findings=tuple(findings),
        found=len(findings),
        covered=tuple(f.path for f in sources.change.files if _was_read(f, sources, kit.config.policy.max_file_bytes)),
        error=error,
        version=__version__,
    )


def _was_read(file: FileDiff, sources: Sources, most: int) -> bool:
    """What is no blob at head has nothing to read; a text file must be there and small enough."""
    if file.mode == "000000" or file.is_submodule:
        return True
    size = sources.sizes.get(file.path)
    return size is not None and (size <= most or not file.is_text_file)
