"""YAML, JSON and TOML that no parser takes. An error counts for the whole file: its cause may stand far from its line."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._added import at_base, base_line, shown_line
from ._json import GLOBS as JSON_GLOBS
from ._json import broken_json
from ._paths import is_fixture
from ._sources import Sources
from ._yaml import GLOBS as YAML_GLOBS
from ._yaml import Broken, scan

_FORMATS = {"yaml": YAML_GLOBS, "json": JSON_GLOBS, "toml": ("*.toml",)}
WANTS = tuple(glob for globs in _FORMATS.values() for glob in globs)
EVERY_FILE = False
_LARGEST = 1_000_000
_MOST_DOTS = 100  # in a line of TOML: the parser's time grows with the square of a dotted key
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)| \(at end of document\)")
_LENIENT = "a.jsonc"  # a name of JSON with comments and commas at the end
_YAML_OR_JSON = (".eslintrc", ".prettierrc")  # their readers take both


def check(sources: Sources) -> Iterator[Finding]:
    """At most one finding a file; a file over 1 MB is not parsed."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or file.oid == file.old_oid or len(data) > _LARGEST:
            continue
        kind, broken = _parse(file.path, data)
        if broken:
            last = data.rstrip(b"\n").count(b"\n") + 1  # parsers that wait for more complain behind the end
            broken = Broken(min(broken.line, last), broken.why)
            if not _was_so_before(file, kind, data, broken):
                yield _finding(file, kind, broken)


def _was_so_before(file: FileDiff, kind: str, data: bytes, broken: Broken) -> bool:
    """The same stood at the same line, which the change leaves alone: its readers take it, or it is another change's doing."""
    if file.status != "M" or not (line := base_line(file, broken.line)) or len(old := at_base(file, data)) > _LARGEST:
        return False
    before = _parse(file.path, old)[1]
    last = old.rstrip(b"\n").count(b"\n") + 1
    if before is None or (min(before.line, last), before.why) != (line, broken.why):
        return False
    # Behind what a lenient reader takes, a parser of ours sees nothing more.
    return kind != "json" or not broken_json(_LENIENT, data) or broken_json(_LENIENT, old) is not None


def _parse(path: str, data: bytes) -> tuple[str, Broken | None]:
    """The format that the name tells, and what is wrong by it; a name that tells none is fine."""
    name = path.rpartition("/")[2]
    kind = next((kind for kind, globs in _FORMATS.items() if any(fnmatchcase(name, glob) for glob in globs)), "")
    if kind == "json" and name in _YAML_OR_JSON and not data.lstrip().startswith(b"{"):
        kind = "yaml"
    if kind == "yaml":
        return kind, scan(data).broken
    if kind == "toml":
        return kind, _toml(data)
    return kind, broken_json(path, data) if kind else None


def _toml(data: bytes) -> Broken | None:
    import tomllib

    if any(line.count(b".") > _MOST_DOTS for line in data.split(b"\n")):
        return None
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
    body = f"Line {broken.line}: {broken.why[:200]}. A parser stops there and reads only part of the file, or none of it."
    return Finding(priority, "syntax", f"builtin/{kind}-syntax", file.path, line, line, title, body)
