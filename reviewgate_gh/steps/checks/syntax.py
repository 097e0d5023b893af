"""YAML, JSON and TOML that no parser takes. An error counts for the whole file: its cause may stand far from its line."""

import re
from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._added import shown_line
from ._json import GLOBS as JSON_GLOBS
from ._json import broken_json
from ._paths import is_fixture
from ._sources import Sources
from ._yaml import GLOBS as YAML_GLOBS
from ._yaml import Broken, scan

WANTS = (*YAML_GLOBS, *JSON_GLOBS, "*.toml")
EVERY_FILE = False
_LARGEST = 1_000_000
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)| \(at end of document\)")
_YAML_OR_JSON = (".eslintrc", ".prettierrc")  # their readers take both


def check(sources: Sources) -> Iterator[Finding]:
    """At most one finding a file; a file over 1 MB is not parsed."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or file.oid == file.old_oid or len(data) > _LARGEST:
            continue
        kind, broken = _parse(file.path, data)
        if broken:
            yield _finding(file, kind, broken)


def _parse(path: str, data: bytes) -> tuple[str, Broken | None]:
    name = path.rpartition("/")[2].lower()
    if name.endswith(".toml"):
        return "toml", _toml(data)
    if name.endswith((".yml", ".yaml")) or (name in _YAML_OR_JSON and not data.lstrip().startswith(b"{")):
        return "yaml", scan(data).broken
    return "json", broken_json(path, data)


def _toml(data: bytes) -> Broken | None:
    import tomllib

    try:
        tomllib.loads(data.decode("utf-8"), parse_float=str)
    except UnicodeDecodeError as error:
        return Broken(data.count(b"\n", 0, error.start) + 1, "a byte that is not UTF-8")
    except RecursionError:
        return None
    except ValueError as error:
        place = _AT_LINE.search(str(error))
        line = int(place[1]) if place and place[1] else data.rstrip(b"\n").count(b"\n") + 1
        return Broken(line, _AT_LINE.sub("", str(error)))
    return None


def _finding(file: FileDiff, kind: str, broken: Broken) -> Finding:
    line = shown_line(file, broken.line)
    priority = Priority.P2 if is_fixture(file.path) else Priority.P0
    title = f"broken {kind.upper()}"
    body = f"Line {broken.line}: {broken.why[:200]}. A parser stops there, and reads nothing of the file or half of it."
    return Finding(priority, "syntax", f"builtin/{kind}-syntax", file.path, line, line, title, body)
