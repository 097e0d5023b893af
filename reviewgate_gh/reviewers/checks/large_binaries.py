"""Large files that every clone will carry for ever."""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ._paths import is_manual
from ._sources import CheckInput

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
BINARY_BYTES = 1_000_000
ANY_BYTES = 5_000_000
_BODY = "Keep it out of the repository: use Git LFS, a release asset or a download at build time."


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a file whose new content is too large."""
    for file in sources.change.files:
        size, least = sources.sizes.get(file.path, 0), BINARY_BYTES if file.binary else ANY_BYTES
        if file.oid == file.old_oid or size <= least:
            continue
        kind = "binary file" if file.binary else "file"
        body = f"{size / 1_000_000:.1f} MB that every clone will download from now on. {_BODY}"
        picture = size <= ANY_BYTES and is_manual(file.path)  # a manual has pictures
        # The project keeps it, and makes it anew
        again = file.status != "A" and len(sources.before(file)) > least
        priority = Priority.P3 if picture or again else Priority.P2
        yield Finding(
            priority, "hygiene", "builtin/large-file", file.path, 0, 0, f"a large {kind}", body
        )
