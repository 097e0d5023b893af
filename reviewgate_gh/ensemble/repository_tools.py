"""What a model may look up while it answers: files, lines and names of the reviewed tree, from
git's objects alone, within so many calls and bytes. Nothing is checked out, and nothing runs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..findings.lines import multiline_secrets, prompt_text
from ..git import Git
from ..git.grep import find_words, is_cut
from ..git.objects import list_paths, read_object_sizes, read_objects
from ..model.errors import GateError
from ..model.question import ReadLines, ToolSpec
from .excerpts import line_runs
from .prompt import data_block

MAX_CALLS = 12
MAX_BYTES, MAX_ALL_BYTES = 40_000, 200_000  # of one answer, and of all of a question
_LARGEST, _MOST_READ = 1_000_000, 5_000_000  # bytes of a file, and of the files of one call
_MOST_LINES = 400  # of a file, in one call
_MOST_ROWS = 300  # of a search or a list
_LONGEST = 500  # characters of a line
_READ = 4000  # bytes of it in which secrets are looked for
_PATH = {"type": "string", "description": "path of the file from the top of the repository"}
_FIRST = {"type": "integer", "description": "first line, from 1"}
_TEXT = {"type": "string", "description": "whole words, in one line; no pattern"}
_FOLDER = {"type": "string", "description": "path of a folder; empty for the top"}


def _spec(name: str, description: str, **properties: Mapping[str, Any]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


SPECS = (
    _spec(
        "read_file",
        f"Up to {_MOST_LINES} lines of a file as it is with the change.",
        path=_PATH,
        first_line=_FIRST,
    ),
    _spec(
        "show_base",
        f"Up to {_MOST_LINES} lines of a file as it was before the change.",
        path=_PATH,
        first_line=_FIRST,
    ),
    _spec("grep", "The lines of all files that hold a text.", text=_TEXT),
    _spec("list_files", "The files below a folder.", folder=_FOLDER),
)


class _Row(NamedTuple):
    """A row of an answer, and the line at head that it shows, if any."""

    text: str
    path: str = ""
    line: int = 0


class ReadableTree:
    """A change's two trees as models may read them: `hidden` are those of some paths that they may
    not. `read` are the files of which they read something."""

    def __init__(
        self, git: Git, base: str, head: str, hidden: Callable[[Collection[str]], Collection[str]]
    ) -> None:
        self._git, self._base, self._head, self._hidden = git, base, head, hidden
        self.read = set[str]()

    def read_file(self, path: str, first_line: int) -> Sequence[_Row]:
        """Lines at head."""
        rows = self._lines(self._head, path, first_line)
        return [_Row(text, path, number) for number, text in rows]

    def show_base(self, path: str, first_line: int) -> Sequence[_Row]:
        """Lines at base."""
        return [_Row(text) for _, text in self._lines(self._base, path, first_line)]

    def lines_at_head(self, path: str) -> Sequence[bytes]:
        """All lines of a file as it is, none of one that may not be read."""
        if not _is_plain(path) or self._hidden([path]):
            return ()
        file = self._read(self._head, [path]).get(path)
        return file.rows if file else ()

    def grep(self, text: str) -> Sequence[_Row]:
        """Places of the text at head."""
        words = text.strip()
        if not words or len(words) > 200 or any(sign in words for sign in "\n\r\0"):
            return [_Row("text: 1 to 200 characters in one line")]
        hits = find_words(self._git, self._head, [words])
        hidden = self._hidden({hit.path for hit in hits})
        allowed = [hit for hit in hits if hit.path not in hidden]
        files = self._read(self._head, [hit.path for hit in allowed[:_MOST_ROWS]])
        shown = [hit for hit in allowed[:_MOST_ROWS] if hit.path in files]
        rows = [
            _Row(
                f"{prompt_text(hit.path)}:{hit.number}: {files[hit.path].line(hit.number)}",
                hit.path,
                hit.number,
            )
            for hit in shown
        ]
        if is_cut(hits) or len(shown) < len(allowed):
            rows.append(_Row("and more that are not shown: look for a rarer word"))
        return rows or [_Row("no line holds it")]

    def list_files(self, folder: str) -> Sequence[_Row]:
        """Paths at head."""
        below = folder.strip().strip("/")
        if below and not _is_plain(below):
            return [_Row("no such folder")]
        paths = list_paths(self._git, self._head, *([f"{below}/"] if below else []))
        hidden = self._hidden(paths)
        shown = [path for path in paths if path not in hidden]
        more = [_Row(f"and {len(shown) - _MOST_ROWS} more")] if len(shown) > _MOST_ROWS else []
        rows = [_Row(prompt_text(path)) for path in shown[:_MOST_ROWS]]
        return [*rows, *more] or [_Row("no such folder")]

    def _lines(self, tree: str, path: str, first_line: int) -> Sequence[tuple[int, str]]:
        """Numbered rows of a file, or one without a number that says why there are none."""
        hidden = not _is_plain(path) or self._hidden([path])
        file = None if hidden else self._read(tree, [path]).get(path)
        if file is None:
            return [(0, f"{prompt_text(path)[:200]}: not a file that you may read")]
        first = max(1, first_line)
        last = min(first + _MOST_LINES - 1, len(file.rows))
        shown = [
            (number, f"{number:>6} | {file.line(number)}") for number in range(first, last + 1)
        ]
        return shown or [(0, "the file has fewer lines")]

    def _read(self, tree: str, paths: Sequence[str]) -> Mapping[str, "_TextFile"]:
        """Those of the files that are text, and not too much of it."""
        found, left = dict[str, _TextFile](), _MOST_READ
        names = {path: f"{tree}:{path}" for path in paths if "\n" not in path}
        sizes = read_object_sizes(self._git, [*names.values()])
        for (path, name), size in zip(names.items(), sizes, strict=True):
            if size is None or size.kind != "blob" or size.size > min(_LARGEST, left):
                continue
            left -= size.size
            [blob] = read_objects(self._git, [name])
            if blob and b"\0" not in blob.data:
                found[path] = _text_file(path, blob.data)
        self.read.update(found)
        return found


class _TextFile(NamedTuple):
    """The lines of a file, and by number what is hidden of secrets that no line alone shows."""

    rows: Sequence[bytes]
    masks: Mapping[int, str]

    def line(self, number: int) -> str:
        """A line as it may leave the machine."""
        kind = self.masks.get(number)
        return (
            f"[REDACTED:{kind}]" if kind else prompt_text(self.rows[number - 1][:_READ])[:_LONGEST]
        )


def _text_file(path: str, data: bytes) -> _TextFile:
    rows = data.split(b"\n")
    return _TextFile(rows, multiline_secrets(dict(enumerate(rows, 1)), path))


class RepositoryTools:
    """The tools of one question."""

    def __init__(self, tree: ReadableTree) -> None:
        self._calls, self._left = MAX_CALLS, MAX_ALL_BYTES
        self._shown = dict[str, set[int]]()
        self._functions: Mapping[str, Callable[..., Sequence[_Row]]] = {
            "read_file": tree.read_file,
            "show_base": tree.show_base,
            "grep": tree.grep,
            "list_files": tree.list_files,
        }
        self.specs: Sequence[ToolSpec] = SPECS

    @property
    def is_used_up(self) -> bool:
        """No more calls are answered."""
        return self._calls <= 0 or self._left <= 0

    @property
    def shown(self) -> tuple[ReadLines, ...]:
        """The lines at head that answers have shown so far."""
        return tuple(
            ReadLines(path, first, last)
            for path, lines in sorted(self._shown.items())
            for first, last in line_runs(lines)
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The answer to a call, as a data block, or what is wrong with the call."""
        if self.is_used_up:
            return "no more calls are answered: answer the question now"
        self._calls -= 1
        spec = next(spec for spec in self.specs if spec.name == name)
        if wrong := _wrong(spec, arguments):
            return wrong
        try:
            rows = self._functions[name](**arguments)
        except GateError:  # such as a clone that does not have this file
            return "this cannot be read here"
        room, told = min(MAX_BYTES, self._left), list[str]()
        for row in rows:
            data = row.text.encode("utf-8", "backslashreplace")
            told.append(data[:room].decode("utf-8", "ignore"))
            self._left -= min(room, len(data) + 1)
            room -= len(data) + 1
            if room < 0:
                told.append("cut here")
                break
            if row.line:
                self._shown.setdefault(row.path, set()).add(row.line)
        return data_block("\n".join(told))


def _is_plain(path: str) -> bool:
    """It names what is below the top, and nothing else to git."""
    parts = path.split("/")
    return not {"", ".", ".."}.intersection(parts) and not any(sign in path for sign in "\n\0:")


def _wrong(spec: ToolSpec, arguments: Mapping[str, Any]) -> str:
    types = {"string": str, "integer": int}
    wanted = spec.schema["properties"]
    fits = set(arguments) == set(wanted) and all(
        type(arguments[key]) is types[wanted[key]["type"]] for key in wanted
    )
    return "" if fits else f"{spec.name} takes exactly: {', '.join(wanted)}"
