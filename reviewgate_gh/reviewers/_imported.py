"""A report that another tool wrote, as a review."""

from pathlib import Path

from ..model.review import Review, Status
from ..steps import formats


def imported(path: Path, data: bytes, root: str) -> Review:
    """The review in the report file `path` with the content `data`; absolute paths below `root` become relative."""
    try:
        findings = tuple(formats.parse(data, root))
    except ValueError as error:
        return Review("import", path.name, Status.UNPARSABLE, error=f"{path.name}: {error}")
    return Review("import", path.name, findings=findings, found=len(findings))
