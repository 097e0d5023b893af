"""In which folder a command of a script or pipeline runs, as far as its file tells."""

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, ComparisonInput, Place, has_word


def is_nearest(sources: ComparisonInput, file: ComparedFile, text: str, place: Place) -> bool:
    """No other file of the name lies between the use and the root, unless the use says in which
    folder it runs."""
    paths, folder = sources.list_head(), place.path
    while folder:
        folder = folder.rpartition("/")[0]
        path = f"{folder}/{file.name}".lstrip("/")
        if path in paths:
            said = file.folder.rstrip("/").rpartition("/")[2]
            near = with_siblings(text, place.number)
            return path == file.path or bool(said and has_word(near, said))
    return True


def goes_elsewhere(text: str, place: Place, folder: str) -> bool:
    """The command, or one that it is chained to, changes the folder, and not to this one."""
    command = [place.text]
    for row in reversed(text.split("\n")[: place.number - 1]):
        if not row.rstrip().endswith("\\"):
            break
        command.append(row)
    name = folder.rstrip("/").rpartition("/")[2]
    goes = any(map(_CHANGES_FOLDER.search, command))
    return goes and not (name and any(has_word(row, name) for row in command))


_CHANGES_FOLDER = lazy_pattern(r"(?<![\w-])(?:cd|pushd)\s+[\w\"'$./~]")


def with_siblings(text: str, number: int) -> str:
    """The rows of the block that a row is in; where that block is inside of another one, as a list
    of values below their key is, those of that one."""
    rows = text.split("\n")
    first, last = number - 1, number
    for _step in range(2):
        depth = _depth(rows[first])
        if not depth:
            break
        while first > 0 and (not rows[first].strip() or _depth(rows[first]) >= depth):
            first -= 1
        while last < len(rows) and (not rows[last].strip() or _depth(rows[last]) >= depth):
            last += 1
    return "\n".join(rows[first:last])


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
