"""`run_metadata.json` on disk: read and changed under a lock, written whole or not at all, set aside when it is damaged."""

import json
from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from ..model.errors import UsageError
from ..model.run import RunMetadata
from ..model.values import dataclass
from . import run_metadata
from .git import Git
from .locks import locked
from .store import HOME, set_aside, write_atomic

FILE = "run_metadata.json"
_PATIENCE = 30.0  # seconds for another command's turn, each of which is short


@dataclass(frozen=True, slots=True)
class RunStore:
    """The folder of one run; `told` collects what was wrong with it, for people."""

    folder: Path
    told: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / FILE

    def load(self) -> RunMetadata | None:
        """The run that is there; None where there is none, or one that cannot be read.

        Raises:
            UsageError: a later version of ours wrote it.
        """
        try:
            return self._read()
        except ValueError:
            with locked(self._lock, _PATIENCE):
                return self._sound()

    def update(self, change: Callable[[RunMetadata | None], RunMetadata]) -> RunMetadata:
        """Replace what is there by what `change` makes of it, alone.

        Raises:
            UsageError: a later version wrote it, another command holds it, or it cannot be written.
        """
        with locked(self._lock, _PATIENCE) as ours:
            if not ours:
                raise UsageError(f"{self.folder} cannot be locked", "check that it is writable and that no other command is stuck")
            run = change(self._sound())
            try:
                write_atomic(self.path, json.dumps(run_metadata.write(run), indent=2).encode())
            except OSError as error:
                raise UsageError(f"cannot write {self.path}: {error.strerror}", "name another folder with --output-dir") from None
            return run

    @property
    def _lock(self) -> Path:
        return self.folder / f"{FILE}.lock"

    def _sound(self) -> RunMetadata | None:
        """The run; a damaged file goes out of the way first."""
        try:
            return self._read()
        except ValueError as error:
            kept = set_aside(self.path)
            self.told.append(f"{FILE} is damaged ({error}): it is ignored, and kept as {kept}")
            return None

    def _read(self) -> RunMetadata | None:
        """
        Raises:
            ValueError: it is damaged.
        """
        try:
            return run_metadata.read(json.loads(self.path.read_bytes()))
        except FileNotFoundError:
            return None
        except run_metadata.Newer as error:
            raise UsageError(
                f"{self.path} was written by a later version of reviewgate-gh ({error})", "upgrade, or name another --output-dir"
            ) from None
        except OSError as error:
            raise UsageError(f"cannot read {self.path}: {error.strerror}", "name another folder with --output-dir") from None
        except RecursionError:
            raise ValueError("nested too deeply") from None


def run_store(git: Git, output_dir: Path | None = None) -> RunStore:
    """The run of this work tree, or of a folder that the user names."""
    return RunStore(output_dir if output_dir else git.directory / HOME)
