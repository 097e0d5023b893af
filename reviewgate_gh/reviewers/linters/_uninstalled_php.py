"""Names that PHPStan does not know where the packages that the project requires are not installed:
no proof that there are none."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...model.finding import Finding
from ...model.review import Review
from ...text import strict

# What it says beside a name that it has looked for in vain
_UNKNOWN = "phpstan.org/user-guide/discovering-symbols"
_NOTE = (
    "phpstan does not know the packages that composer.json requires (no {place} is here: run "
    "`composer install`), so that files in which it misses names are not reviewed"
)


def without_unknown_packages(review: Review, root: Path) -> Review:
    """The review without such findings, and without the files in which they are."""
    unproven = [finding for finding in review.findings if _misses_name(finding)]
    place = _missing_autoloader(root) if unproven else ""
    if not place:
        return review
    paths = {finding.path for finding in unproven}
    left = tuple(finding for finding in review.findings if finding not in unproven)
    return replace(
        review,
        findings=left,
        found=review.found - len(unproven),
        covered=tuple(path for path in review.covered if path not in paths),
        note="; ".join(filter(None, (review.note, _NOTE.format(place=place)))),
    )


def _misses_name(finding: Finding) -> bool:
    return finding.rule.startswith("phpstan/") and _UNKNOWN in finding.body


def _missing_autoloader(root: Path) -> str:
    """Where composer would have put it, if the project requires a package and it is not there."""
    manifest = _manifest(root / "composer.json")
    required = [*_table(manifest, "require"), *_table(manifest, "require-dev")]
    if not any("/" in name for name in required):  # PHP itself and its extensions have none
        return ""
    folder = _table(manifest, "config").get("vendor-dir")
    place = f"{folder if isinstance(folder, str) else 'vendor'}/autoload.php"
    return "" if (root / place).is_file() else place


def _manifest(path: Path) -> Any:
    try:
        return strict.load_json(path.read_bytes(), "composer.json")
    except (OSError, ValueError, RecursionError):
        return None


def _table(value: Any, key: str) -> dict[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
