"""What the project's own `.gitignore` says of a file."""

from ...text.paths import matching_paths
from ._sources import ComparedFile, ComparisonInput


def is_ignored(sources: ComparisonInput, file: ComparedFile) -> bool:
    """A `.gitignore` of the folder, or of one above it, names the file at head: git has it in spite
    of that."""
    parts = file.folder.split("/")[:-1]
    folders = ["", *("/".join(parts[: n + 1]) + "/" for n in range(len(parts)))]
    texts = sources.read_head([f"{folder}.gitignore" for folder in folders])
    return any(
        matching_paths([file.path[len(folder) :]], text.splitlines())
        for folder in folders
        if (text := texts.get(f"{folder}.gitignore"))
    )
