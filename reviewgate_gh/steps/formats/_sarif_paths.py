"""SARIF's artifact locations as paths of the repository."""

import re
from collections.abc import Mapping
from typing import Any

from .. import strict

_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_FILE = re.compile(r"(?i)file:(?://(?:localhost)?(?=/))?")
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_DRIVE = re.compile(r"/[A-Za-z]:/")


class Places:
    """The paths of one run: its base ids, its list of artifacts, and the absolute folder `root` that is cut off."""

    def __init__(self, run: Mapping[str, Any], root: str) -> None:
        self._bases = strict.obj(run.get("originalUriBaseIds") or {}, "originalUriBaseIds")
        self._artifacts = strict.arr(run.get("artifacts") or [], "artifacts")
        self._root = root

    def path(self, location: Mapping[str, Any], where: str) -> str:
        """The path of an artifactLocation; "" where it names none.

        Raises:
            ValueError: an index, a base id or a URI that cannot be.
        """
        location = self._looked_up(location, where)
        if location.get("uri") is None:
            return ""
        below, absolute = self._based(_decoded(location["uri"], where), location.get("uriBaseId"), where)
        inside = strict.relative_path(absolute, self._root)
        path = strict.tidy_path(below) if _ABSOLUTE.match(inside) else inside
        return strict.path_text(path, where) if path else ""

    def _looked_up(self, location: Mapping[str, Any], where: str) -> Mapping[str, Any]:
        if location.get("uri") is not None or location.get("index", -1) == -1:
            return location
        index = strict.whole(location["index"], f"{where}: artifact index")
        if index >= len(self._artifacts):
            raise ValueError(f"{where}: artifact {index} does not exist")
        return strict.obj(strict.obj(self._artifacts[index], "artifact").get("location") or {}, "artifact location")

    def _based(self, path: str, base: Any, where: str) -> tuple[str, str]:
        """The path below the outermost base, and the same with that base's own absolute folder in front."""
        seen = set()
        while base is not None and not _ABSOLUTE.match(path):
            name = strict.string(base, f"{where}: uriBaseId")
            if name in seen:
                raise ValueError(f"{where}: uriBaseId {strict.one_line(name, 40)!r} refers to itself")
            seen.add(name)
            folder = strict.obj(self._bases.get(name) or {}, f"{where}: uriBaseId")
            text = _decoded(folder["uri"], where) if folder.get("uri") else ""
            if _ABSOLUTE.match(text):
                return path, f"{text.rstrip('/')}/{path}"
            path, base = (f"{text.rstrip('/')}/{path}" if text else path), folder.get("uriBaseId")
        return path, path


def _decoded(uri: Any, where: str) -> str:
    """A relative reference or a file URI as a path; other schemes stay as they are."""
    text = strict.string(uri, f"{where}: uri")
    plain = _FILE.sub("", text, count=1) if text[:5].lower() == "file:" else text
    if "%" in plain:
        raw = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), plain.encode())
        plain = raw.decode("utf-8", "surrogateescape")
    return plain[1:] if plain != text and _DRIVE.match(plain) else plain
