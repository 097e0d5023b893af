"""What a review of one target (`pr-5`, `local`) leaves in the clone, and `review cleanup`, which
removes it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from ..git import Git
from ..git.fetch import delete_kept_refs
from ..github.reviews import remove_pending_posts
from ..model.errors import UsageError
from ..system.files import STATE_FOLDER, write_atomic
from ..system.temp_dirs import remove_stale_temp_dirs
from ..text.patterns import lazy_pattern
from ..text.safe import safe_line

_NAME = lazy_pattern(r"(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<!\.)")
_ODD = lazy_pattern(r"[^A-Za-z0-9]+")
_REPORT = "report.json"
_LOCAL = "local"


def check_target(name: str) -> str:
    """The name, which may stand in a path and in a ref.

    Raises:
        UsageError: it may not.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a target",
            "targets are pr-N, local, or a word of letters, digits, dots and hyphens",
        )
    return name


def pull_target(number: int, remote: str = "") -> str:
    """The target of a pull request: of the repository that this clone comes from, or of another
    remote."""
    return f"{_ODD.sub('-', remote)}-pr-{number}" if remote else f"pr-{number}"


def save_target_report(common: Path, target: str, report: str) -> None:
    """Keep the target's last report, which `publish` posts.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    write_atomic(_folder(common, target) / _REPORT, report.encode())


def last_target_report(common: Path, target: str) -> Path | None:
    """The target's last report, where one is kept."""
    path = _folder(common, target) / _REPORT
    return path if path.is_file() else None


def remove_target_files(common: Path, target: str) -> list[Path]:
    """Remove the target's files, for `local` what is kept for reviewing the same again; what was
    there."""
    folders = [
        _folder(common, target),
        *([common / STATE_FOLDER / "cache"] if target == _LOCAL else []),
    ]
    found = [folder for folder in folders if folder.is_dir() and not folder.is_symlink()]
    for folder in found:
        shutil.rmtree(folder)
    return found


def _folder(common: Path, target: str) -> Path:
    return common / STATE_FOLDER / "tmp" / target


def clean_up_target(git: Git, target: str) -> tuple[str, ...]:
    """Remove the target's refs, files and unanswered requests, and what killed runs left of any.

    A sentence for each, and for what had to stay.

    Raises:
        UsageError: it is no name of a target, or something cannot be removed.
    """
    said = tuple(safe_line(text, 400) for text in _removed(git, check_target(target)))
    return said or ("nothing to clean up",)


def _removed(git: Git, target: str) -> Iterator[str]:
    yield from (f"removed the ref {name}" for name in delete_kept_refs(git, target))
    yield from (
        f"removed {path}"
        for path in (
            *remove_target_files(git.common, target),
            *remove_pending_posts(git.common, target),
        )
    )
    yield from (f"removed {path}, left behind by a killed run" for path in remove_stale_temp_dirs())
