"""What a commit holds, by the API: every path with its mode, object id and size, and no content."""

import re

from ...model.values import dataclass
from .client import Client
from .read import Part

_MODE = re.compile(r"100644|100755|120000|160000")
_FOLDER = "tree"


@dataclass(frozen=True, slots=True)
class Stored:
    """One path of a commit: six-digit mode, object id, bytes (0 for what is not a file)."""

    mode: str
    oid: str
    size: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The paths of a commit; `whole` is false where GitHub cuts a very long list."""

    paths: dict[str, Stored]
    whole: bool = True


def list_commit(client: Client, commit: str) -> Listing:
    """Every file, link and submodule of a commit, under names that git itself would give them.

    Raises:
        Refused: the token may not read the contents.
    """
    found = client.get(client.path("git", "trees", commit), recursive=1)
    rows = (each for each in found.items("tree") if each.text("type") != _FOLDER)
    paths = {each.text("path"): _stored(each) for each in rows}
    return Listing({path: stored for path, stored in paths.items() if _plain(path)}, not found.flag("truncated"))


def _plain(path: str) -> bool:
    return "\0" not in path and not {"", ".", "..", ".git"} & set(path.lower().split("/"))


def _stored(part: Part) -> Stored:
    mode = part.text("mode")
    return Stored(mode if _MODE.fullmatch(mode) else "100644", part.oid("sha"), part.count("size"))
