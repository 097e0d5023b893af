"""`run_metadata.json`: read and changed under a lock, written whole or not at all, older field
names included."""

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import fields

from ..git import Git
from ..model.errors import UsageError
from ..model.run import RUN_SCHEMA, RunMetadata
from ..system.files import STATE_FOLDER, file_lock, set_damaged_aside, write_atomic

RUN_FILE = "run_metadata.json"
_PATIENCE = 30.0  # seconds for another command's turn, each of which is short


class RunStore(Struct, frozen=True):
    """The folder of one run; `messages` collects what was wrong with it, for people."""

    folder: Path
    messages: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / RUN_FILE

    def load(self) -> RunMetadata | None:
        """The run that is there; None where there is none, or one that cannot be read.

        Raises:
            UsageError: a later version of ours wrote it.
        """
        try:
            return self._read()
        except ValueError:
            with file_lock(self._lock, _PATIENCE):
                return self._sound()

    def update(self, change: Callable[[RunMetadata | None], RunMetadata]) -> RunMetadata:
        """Replace what is there by what `change` makes of it, alone.

        Raises:
            UsageError: a later version wrote it, another command holds it, or it cannot be written.
        """
        with file_lock(self._lock, _PATIENCE) as ours:
            if not ours:
                raise UsageError(
                    f"{self.folder} cannot be locked",
                    "check that it is writable and that no other command is stuck",
                )
            run = change(self._sound())
            try:
                write_atomic(self.path, json.dumps(run_data(run), indent=2).encode())
            except OSError as error:
                raise UsageError(
                    f"cannot write {self.path}: {error.strerror}",
                    "name another folder with --output-dir",
                ) from None
            return run

    @property
    def _lock(self) -> Path:
        return self.folder / f"{RUN_FILE}.lock"

    def _sound(self) -> RunMetadata | None:
        """The run; a damaged file goes out of the way first."""
        try:
            return self._read()
        except ValueError as error:
            kept = set_damaged_aside(self.path)
            self.messages.append(
                f"{RUN_FILE} is damaged ({error}): it is ignored, and kept as {kept}"
            )
            return None

    def _read(self) -> RunMetadata | None:
        """
        Raises:
            ValueError: it is damaged.
        """
        try:
            return parse_run(json.loads(self.path.read_bytes()))
        except FileNotFoundError:
            return None
        except NewerVersion as error:
            raise UsageError(
                f"{self.path} was written by a later version of reviewgate-gh ({error})",
                "upgrade, or name another --output-dir",
            ) from None
        except OSError as error:
            raise UsageError(
                f"cannot read {self.path}: {error.strerror}",
                "name another folder with --output-dir",
            ) from None
        except RecursionError:
            raise ValueError("nested too deeply") from None


def open_run_store(git: Git, output_dir: Path | None = None) -> RunStore:
    """The run of this work tree, or of a folder that the user names."""
    return RunStore(output_dir if output_dir else git.directory / STATE_FOLDER)


T = TypeVar("T")
_OLD = "codex_"  # names begin so in files of earlier programs
_SCHEMA = "schema_version"
_OWN = tuple(f.name for f in fields(RunMetadata) if f.name != "other")


class NewerVersion(ValueError):
    """A later version of ours wrote this."""


def parse_run(data: Any) -> RunMetadata:
    """The metadata in a parsed file; what is missing has its default, what is not ours is kept.

    Raises:
        NewerVersion: it is of a later version.
        ValueError: it is no such file.
    """
    plain = _renamed(_expect(dict, data, "the file"))
    schema = plain.pop(_SCHEMA, RUN_SCHEMA)
    if type(schema) is int and schema > RUN_SCHEMA:
        raise NewerVersion(f"{_SCHEMA} {schema}")
    commits = _expect(
        dict, plain.get("last_cumulative_review_commits") or {}, "last_cumulative_review_commits"
    )
    return RunMetadata(
        run_id=_text(plain, "run_id"),
        run_start_commit=_text(plain, "run_start_commit") or None,
        last_cumulative_review_commits={
            key: _expect(str, value, key) for key, value in commits.items()
        },
        issues=_names(plain, "issues"),
        epics=_names(plain, "epics"),
        completed=_names(plain, "completed"),
        failed=_names(plain, "failed"),
        started=_text(plain, "started"),
        ended=_text(plain, "ended"),
        aborted=_text(plain, "aborted"),
        review_enabled=_truth(plain, "review_enabled"),
        review_log_path=_text(plain, "review_log_path") or None,
        other={key: value for key, value in plain.items() if key not in _OWN},
    )


def run_data(run: RunMetadata) -> dict[str, Any]:
    """The metadata as data that json writes."""
    own = {name: getattr(run, name) for name in _OWN}
    return {
        _SCHEMA: RUN_SCHEMA,
        **own,
        **{name: [*own[name]] for name in ("issues", "epics", "completed", "failed")},
        **run.other,
    }


def continues_run(run: RunMetadata | None, issues: Collection[str], fresh: bool) -> bool:
    """The run that is there is the one to go on with: it has the same issues, and nobody asks for a
    new one."""
    return run is not None and bool(run.run_id) and not fresh and set(run.issues) == set(issues)


def _renamed(plain: Mapping[str, Any]) -> dict[str, Any]:
    """With today's names; where both are there today's counts."""
    old = {key.removeprefix(_OLD): value for key, value in plain.items() if key.startswith(_OLD)}
    return old | {key: value for key, value in plain.items() if not key.startswith(_OLD)}


def _text(plain: Mapping[str, Any], key: str) -> str:
    value = plain.get(key)
    return "" if value is None else _expect(str, value, key)


def _names(plain: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of names; older files have a mapping by name."""
    value = plain.get(key)
    if isinstance(value, dict):
        return tuple(value)
    return tuple(_expect(str, name, key) for name in _expect(list, value or [], key))


def _truth(plain: Mapping[str, Any], key: str) -> bool:
    return _expect(bool, plain.get(key, True), key)


def _expect(kind: type[T], value: Any, where: str) -> T:
    if type(value) is not kind:
        raise ValueError(f"{where}: expected {kind.__name__}, got {type(value).__name__}")
    return value
