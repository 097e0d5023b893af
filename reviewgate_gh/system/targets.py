"""What a review of one target (`pr-5`, `local`, or a name of the user's) leaves in the clone, named by it, so that two never meet."""

import re
import shutil
from pathlib import Path

from ..model.errors import UsageError
from .store import HOME, write_atomic

_NAME = re.compile(r"(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<!\.)")
_ODD = re.compile(r"[^A-Za-z0-9]+")
_REPORT = "report.json"
_LOCAL = "local"


def check_target(name: str) -> str:
    """The name, which may stand in a path and in a ref.

    Raises:
        UsageError: it may not.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a target", "targets are pr-N, local, or a word of letters, digits, dots and hyphens")
    return name


def pull_target(number: int, remote: str = "") -> str:
    """The target of a pull request: of the repository that this clone comes from, or of another remote."""
    return f"{_ODD.sub('-', remote)}-pr-{number}" if remote else f"pr-{number}"


def save_report(common: Path, target: str, report: str) -> None:
    """Keep the target's last report, which `publish` posts.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    write_atomic(_folder(common, target) / _REPORT, report.encode())


def last_report(common: Path, target: str) -> Path | None:
    """The target's last report, where one is kept."""
    path = _folder(common, target) / _REPORT
    return path if path.is_file() else None


def drop_files(common: Path, target: str) -> list[Path]:
    """Remove the target's files, for `local` what is kept for reviewing the same again; what was there."""
    folders = [_folder(common, target), *([common / HOME / "cache"] if target == _LOCAL else [])]
    found = [folder for folder in folders if folder.is_dir() and not folder.is_symlink()]
    for folder in found:
        shutil.rmtree(folder)
    return found


def _folder(common: Path, target: str) -> Path:
    return common / HOME / "tmp" / target
