"""The linters that fit the changed files, each asked as a part of its own; what they say off the changed lines is only counted."""

import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..linters._shared import placed
from ..model.change import Change, FileDiff
from ..model.config import LinterOptions
from ..model.finding import Finding
from ..model.review import Request, Review, Status
from ..steps.scope import Scope
from ..system import plugins, process
from ..system.git.objects import read_blobs
from ..system.kit import Kit
from ..text.visible import visible

_SHARED_FILES = ("pyproject.toml", "setup.cfg", "tox.ini", "package.json")
_ARGV_BYTES = 500_000
_IN_PLACE_FROM = 300  # files; below that, writing them is cheaper than asking whether the work tree is clean
_LOCAL_BINS = (".venv/bin", "venv/bin", "node_modules/.bin")


@dataclass(frozen=True, slots=True)
class Options:
    """None of its own: tools are set under `linters` of the config."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class Job:
    """One tool's work: its module, options, program, paths, and where and with which config it runs."""

    name: str
    tool: Any
    options: LinterOptions
    program: str
    paths: tuple[str, ...]
    root: Path
    config: Path | None


def parts(change: Change, options: Options, kit: Kit) -> tuple[str, ...]:
    """The tools that have something to read."""
    files = _readable(change, kit)
    heads = _heads(files, kit)
    return tuple(name for name in plugins.names("linters") if _wanted(name, kit) and _taken(plugins.load("linters", name), files, heads))


def review(request: Request, options: Options, kit: Kit) -> Review:
    """One tool's answer."""
    name = request.part
    tool, settings = plugins.load("linters", name), kit.config.linters.get(name, LinterOptions())
    program = find_program(tool.PROGRAM, kit.git.tree if request.change.trusted else None, kit.world.env.get("PATH", ""))
    if program is None:
        reason = f"{tool.PROGRAM} is not installed; {tool.INSTALL}"
        return Review("linters", name, Status.UNAVAILABLE, error=reason, required=settings.enabled is True)
    if tool.EXECUTES_CONFIG and kit.files.in_place is None:
        reason = "it runs the project's own code: only on trusted changes, in a work tree that is the reviewed commit"
        return Review("linters", name, Status.SKIPPED, error=reason, required=False)
    files = _readable(request.change, kit)
    paths = _taken(tool, files, _heads(files, kit))
    nameable = tuple(path for path in paths if _is_utf8(path))
    root, config = _place(name, tool, len(paths), kit)
    answer = _ask(Job(name, tool, settings, program, nameable, root, config), Scope(request.change), kit)
    return _without(answer, tuple(path for path in paths if path not in nameable))


def _without(answer: Review, unnamed: tuple[str, ...]) -> Review:
    """Most tools cannot print a name that is not UTF-8, so what they would say about such a file would be lost."""
    if not unnamed or answer.status is not Status.OK:
        return answer
    error = f"it cannot name {visible(unnamed[0])}: give the file a name in UTF-8"
    return replace(answer, status=Status.FAILED, error=error)


def find_program(name: str, tree: Path | None, path: str) -> str | None:
    """For a trusted change the project's own tool, then PATH, then the one installed beside us; for others ours comes first."""
    absolute = [folder for folder in path.split(":") if folder.startswith("/")]
    ours = str(Path(sys.executable).parent)
    folders = [*(str(tree / folder) for folder in _LOCAL_BINS), *absolute, ours] if tree else [ours, *absolute]
    return shutil.which(name, path=":".join(folders))


def _wanted(name: str, kit: Kit) -> bool:
    enabled = kit.config.linters.get(name, LinterOptions()).enabled
    if enabled is not None:
        return enabled
    tool = plugins.load("linters", name)
    return bool(tool.DEFAULT) or (
        find_program(tool.PROGRAM, None, kit.world.env.get("PATH", "")) is not None and bool(_own_configs(name, tool, kit))
    )


def _readable(change: Change, kit: Kit) -> list[FileDiff]:
    return [f for f in change.files if f.is_text_file and f.path not in kit.excluded]


def _heads(files: Iterable[FileDiff], kit: Kit) -> dict[str, bytes]:
    """The first bytes of the files whose name says nothing: a shebang tells the language."""
    nameless = {f.path: f.oid for f in files if "." not in f.path.rpartition("/")[2]}
    blobs = read_blobs(kit.git, nameless.values())
    return {path: blobs.get(oid, b"")[:256] for path, oid in nameless.items()}


def _is_utf8(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _taken(tool: Any, files: Iterable[FileDiff], heads: dict[str, bytes]) -> tuple[str, ...]:
    return tuple(f.path for f in files if tool.takes(f.path, heads.get(f.path, b"")))


def _own_configs(name: str, tool: Any, kit: Kit) -> list[tuple[str, bytes]]:
    """Path and content of the project's files that configure this tool."""
    named = [base for base in kit.files.beside if any(fnmatchcase(base, glob) for glob in tool.CONFIG)]
    contents = kit.files.contents(entry for base in named for entry in kit.files.beside[base])
    return [(path, data) for path, data in contents.items() if _configures(name, path, data)]


def _configures(name: str, path: str, data: bytes) -> bool:
    if path.rpartition("/")[2] not in _SHARED_FILES:
        return True
    word = re.escape(name.replace("_", "-").encode())
    return re.search(rb"(?m)^\s*\[\[?(?:tool\.)?" + word + rb'\b|^\s*"' + word + rb'(?:Config)?"\s*:', data) is not None


def _place(name: str, tool: Any, count: int, kit: Kit) -> tuple[Path, Path | None]:
    """The folder to run in, and our own config where the project has none."""
    own = _own_configs(name, tool, kit)
    default = Path(plugins.__file__).parent.parent / "linters" / "data" / tool.DEFAULT_CONFIG if tool.DEFAULT_CONFIG else None
    at_root = any("/" not in path for path, _data in own)
    if tool.EXECUTES_CONFIG or (count >= _IN_PLACE_FROM and (at_root or not own) and kit.files.in_place):
        assert kit.files.in_place
        return kit.files.in_place, None if own else default
    root = kit.files.root
    for path, data in own:
        kit.files.add(path, data)
    if own and not at_root and default:  # ends the tool's search upwards, out of the folder
        kit.files.add(tool.CONFIG[0], default.read_bytes())
    return root, None if own else default


def _ask(job: Job, scope: Scope, kit: Kit) -> Review:
    env = process.clean_environment(kit.world.env, {"NO_COLOR": "1"})
    limit = min(job.options.timeout, kit.timeout)
    kept: list[Finding] = []
    found, seconds, root = 0, 0.0, str(job.root.resolve())
    for batch in [[]] if getattr(job.tool, "WHOLE_TREE", False) else _batches(job.paths):
        argv = [*job.tool.argv(job.program, job.config, job.options.args), *batch]
        answer = process.run(argv, cwd=job.root, env=env, deadline=max(0.1, limit - seconds))
        seconds += answer.seconds
        try:
            broken = _broken(answer, job.tool.OK_EXITS)
            if broken:
                return Review("linters", job.name, broken[0], error=broken[1], seconds=seconds)
            for raw in job.tool.parse(answer.lines()):
                found += 1
                finding = _inside(raw, root)
                if scope.covers(finding):
                    kept.append(finding)
        except ValueError as error:
            return Review("linters", job.name, Status.UNPARSABLE, error=f"{error}", seconds=seconds)
        finally:
            answer.close()
    return Review(
        "linters", job.name, Status.OK, tuple(kept), found, found - len(kept), job.paths, version=_version(job.program, env), seconds=seconds
    )


def _inside(raw: Finding, root: str) -> Finding:
    finding = placed(raw, root)
    if finding.path.startswith("/"):
        raise ValueError(f"it reports about {finding.path}, which it was not given")
    return finding


def _broken(answer: process.Answer, ok: Sequence[int]) -> tuple[Status, str] | None:
    if answer.stopped:
        return (Status.TIMEOUT if answer.stopped == "deadline" else Status.FAILED), f"stopped after {answer.seconds:.0f} s: {answer.stopped}"
    if answer.code not in ok:
        last = answer.err.splitlines()[-1] if answer.err else "it said nothing"
        return Status.FAILED, f"exit code {answer.code}: {last}"
    return None


def _batches(paths: Sequence[str]) -> Iterable[list[str]]:
    batch: list[str] = []
    size = 0
    for path in paths:
        word = f"./{path}" if path.startswith("-") else path
        size += len(word) + 1
        if batch and size > _ARGV_BYTES:
            yield batch
            batch, size = [], len(word) + 1
        batch.append(word)
    if batch:
        yield batch


def _version(program: str, env: dict[str, str]) -> str:
    """The first word with a dot and a digit in what `--version` prints."""
    answer = process.run([program, "--version"], cwd="/", env=env, deadline=10)
    found = re.search(rb"\d+\.\d[\w.+-]*", answer.out)
    answer.close()
    return found[0].decode() if found else ""
