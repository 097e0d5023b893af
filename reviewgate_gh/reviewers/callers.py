"""Python code that a change leaves alone and breaks: uses of what it removes or gives another
signature. A parser finds such definitions; only where there are some, and unchanged files hold
their names, ty checks these files at head and, where it finds something, at base."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from .. import __version__
from ..git.objects import read_blobs
from ..model.change import Change
from ..model.finding import Finding, sha256_hex
from ..model.limits import ConfigSection
from ..model.review import Review, ReviewRequest, ReviewStatus
from ..system import process
from ..system.temp_dirs import temp_dir
from ..text.paths import matching_paths
from ..text.patterns import lazy_pattern
from ._context import ReviewContext
from ._known_answers import open_known_answers
from ._program import find_program, is_program_installed, linter_version
from .python import ty
from .python.broken import BrokenUse, Judge, Suspect, finding, join_uses
from .python.changed import ChangedPython, loses_definitions
from .python.leftovers import distinctive, find_leftovers, without_known
from .python.tree import PythonTree, is_python
from .python.users import find_lines, find_users

_NAME = "callers"
_MOST_FILES = 30_000  # of a tree
_MOST_USERS = 5_000
_MOST_SAMPLES = 200
_SHARE, _MOST_SECONDS = 3, 60.0  # of the run's time
_NOT_CHECKED = "unchanged Python files were not checked against this change: {why}"
_LEFT_OUT = "{number} changed Python files were too large together to be compared"


class Options(ConfigSection, frozen=True):
    """None of its own."""


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """One question, where Python code changes and ty is installed."""
    path = context.environment.variables.get("PATH", "")
    asked = any(map(loses_definitions, change.files))
    return ("",) if asked and is_program_installed(ty.PROGRAM, path) else ()


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """The uses that the change breaks.

    Where ty gives no answer, or none within its bounds, that is said, and keeps no push from its
    verdict: these files were not changed, and others read those that were.
    """
    changed = ChangedPython(context.git, request.without_hunks)
    users = _users(changed, context) if changed.definitions else []
    note = _LEFT_OUT.format(number=changed.left_out) if changed.left_out else ""
    if not users:
        return Review(_NAME, note=note)
    program = find_program(
        ty.PROGRAM,
        context.git,
        request.without_hunks.trusted or not context.environment.in_ci,
        context.environment.variables.get("PATH", ""),
    )
    try:
        if program is None:
            raise ty.TyFailed("ty is installed inside the work tree only")
        check = _Check(changed, users, program, request, context)
        suspects = check.new_suspects()
    except ty.TyFailed as error:
        why = _NOT_CHECKED.format(why=error)
        return Review(_NAME, status=ReviewStatus.SKIPPED, error=why, required=False)
    found = tuple(check.findings(suspects))
    return Review(_NAME, findings=found, found=len(found), version=check.version, note=note)


# No import leads there: samples and settings of tools
_HIDDEN = lazy_pattern(r"(?:\A|/)\.")


def _users(changed: ChangedPython, context: ReviewContext) -> list[str]:
    """The unchanged files that hold a changed name and are subject to review."""
    files = changed.change.files
    here = {file.path for file in files} | {file.old_path for file in files}
    found = [
        path
        for path in find_users(context.git, changed.change.head, changed.definitions)
        if path not in here and not _HIDDEN.search(path)
    ]
    excluded = matching_paths(found, context.config.policy.exclude)
    return [path for path in found if path not in excluded]


class _Check:
    """One run of ty at head, and one at base where it is needed."""

    def __init__(
        self,
        changed: ChangedPython,
        users: Sequence[str],
        program: str,
        request: ReviewRequest,
        context: ReviewContext,
    ) -> None:
        self._changed, self._request, self._context = changed, request, context
        entries = {entry.path: entry for entry in changed.entries}
        self._users = [path for path in users if path in entries]
        self._entries = entries
        self._program = program
        self._end = context.environment.clock() + min(_MOST_SECONDS, context.timeout / _SHARE)
        clean = process.clean_environment(context.environment.variables)
        self.version = linter_version(program, ty, clean).number
        self._read = cache(self._content)
        self._judge = Judge(changed.definitions, changed.roots, self._read)

    def new_suspects(self) -> list[Suspect]:
        """The remarks that a changed definition causes and that ty does not make at base.

        Raises:
            TyFailed: it gave no answer.
        """
        if len(self._entries) > _MOST_FILES or len(self._users) > _MOST_USERS:
            many = f"{len(self._entries):,} Python files, {len(self._users):,} with changed names"
            raise ty.TyFailed(f"the tree is too large ({many})")
        common, in_ci = self._context.git.common, self._context.environment.in_ci
        known = open_known_answers(common, _NAME, ty.Diagnostic, in_ci)
        with temp_dir("callers") as place:
            run = self._run(place)
            name = self._digest(run)
            found = known.get(name) if self.version else None
            if found is None:
                found = self._compare(run)
                if self.version:
                    known.save(name, found)
        suspects = [*self._judge.suspects(found)]
        suspects += without_known(self._leftovers(), suspects)
        return [each for each in suspects if not self._judge.is_expected(each)]

    def _leftovers(self) -> Iterator[Suspect]:
        """Uses of names that are gone for good, which ty need not know of."""
        names = distinctive(self._changed.definitions)
        if names:
            head = self._changed.change.head
            lines = find_lines(self._context.git, head, names)
            users = {*self._users}
            for each in find_leftovers(names, lines, self._read):
                if each.diagnostic.path in users:
                    yield each

    def findings(self, suspects: Iterable[Suspect]) -> Iterator[Finding]:
        """The remarks as findings; waits for the hunks."""
        hunks = {file.path: file for file in self._request.change.files}
        for each in join_uses(map(self._use, suspects)):
            file = self._changed.file(each.suspect.cause)
            yield finding(each, hunks.get(file.path) if file else None)

    def _use(self, suspect: Suspect) -> BrokenUse:
        told, judge = suspect.diagnostic, self._judge
        return BrokenUse(suspect, judge.lines(told), judge.priority(told), self._read(told.path))

    def _run(self, place: Path) -> ty.TyRun:
        tree, home = place / "tree", place / "home"
        tree.mkdir()
        home.mkdir()
        paths = [each.path for each in self._changed.definitions]
        roots = self._changed.roots.choose(paths, self._samples(paths))
        return ty.TyRun(self._program, tree, home, roots, self._context.environment.variables)

    def _compare(self, run: ty.TyRun) -> tuple[ty.Diagnostic, ...]:
        """What it says of the users at head, and not at base."""
        tree = PythonTree(self._context.git, self._changed.change, run.tree)
        tree.write_head([self._entries[path] for path in sorted(self._needed(run.roots))])
        config = run.write_config()
        there = [path for path in self._users if (run.tree / path).is_file()]
        at_head = ty.check(run, config, there, self._left()) if there else ()
        suspects = [each.diagnostic for each in self._judge.suspects(at_head)]
        if not suspects:
            return ()
        tree.turn_to_base()
        asked = dict.fromkeys(each.path for each in suspects)
        old = {each.place for each in ty.check(run, config, asked, self._left())}
        return tuple(each for each in suspects if each.place not in old)

    def _samples(self, changed: Iterable[str]) -> dict[str, bytes]:
        """Files whose imports tell where modules come from."""
        files = self._changed.change.files
        paths = dict.fromkeys([*changed, *(file.path for file in files), *self._users])
        oids = {path: self._entries[path].oid for path in paths if path in self._entries}
        oids = dict(islice(oids.items(), _MOST_SAMPLES))
        blobs = read_blobs(self._context.git, oids.values())
        return {path: blobs[oid] for path, oid in oids.items() if oid in blobs}

    def _needed(self, roots: Sequence[str]) -> set[str]:
        """The users, the changed files, and all that these import: ty reads no others, and a large
        tree takes long to write."""
        changed = [file for file in self._changed.change.files if is_python(file.path)]
        former = read_blobs(self._context.git, (file.old_oid for file in changed))
        found = {*self._users, *(file.path for file in changed)} & self._entries.keys()
        new = set(found)
        for file in changed:
            data = former.get(file.old_oid, b"")
            new |= self._changed.roots.imported_files(file.old_path, data, roots)
        while new := new & self._entries.keys():
            found |= new
            blobs = read_blobs(self._context.git, (self._entries[path].oid for path in new))
            asked, new = new, set()
            for path in asked:
                data = blobs.get(self._entries[path].oid, b"")
                new |= self._changed.roots.imported_files(path, data, roots)
            new -= found
        return found

    def _left(self) -> float:
        return self._end - self._context.environment.clock()

    def _digest(self, run: ty.TyRun) -> str:
        """Of everything that decides the answer."""
        head = (f"{each.path}\0{each.oid}" for each in self._entries.values())
        base = (f"{each.old_path}\0{each.old_oid}" for each in self._changed.change.files)
        parts = (
            __version__,
            self.version,
            run.settings,
            *sorted(ty.RULES),
            *head,
            "",
            *base,
            "",
            *self._users,
        )
        return sha256_hex("\n".join(parts))

    def _content(self, path: str) -> bytes:
        entry = self._entries.get(path)
        return read_blobs(self._context.git, [entry.oid]).get(entry.oid, b"") if entry else b""
