"""A changed file as a language model is shown it: numbered lines behind a gutter, without secrets, with hidden characters made visible."""

from collections.abc import Iterator

from ..model.change import FileDiff, Hunk, Line
from ..model.values import dataclass
from ..text.redact import find, redact
from ..text.visible import hidden, visible
from .lines import clean, spread_secrets

LONGEST = 2000  # characters of a line
_STATUS = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed", "C": "copied", "T": "type changed"}


@dataclass(frozen=True, slots=True)
class FileText:
    """One file's part of a question; `cut` says that something of it is not shown."""

    path: str
    text: str
    cut: bool = False


def file_text(file: FileDiff) -> FileText:
    """The file with all its hunks."""
    rows, cut = [], False
    for hunk in file.hunks:
        rows.append(f"@@ {shown(hunk.heading)}".rstrip())
        for row, shortened in _rows(hunk):
            rows.append(row)
            cut = cut or shortened
    return FileText(file.path, "\n".join([_header(file), *rows, ""]), cut)


def shown(raw: bytes | str) -> str:
    """Text of the change as a model may see it: no secret, nothing hidden, one line."""
    text = clean(raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogateescape"))
    bare = _without_hidden(text)
    text = redact(bare) if bare != text and find(bare) else text  # a hidden character within a secret hides it from the patterns
    return visible(text).replace("\n", "<U+000A>")


def _without_hidden(text: str) -> str:
    places = {each.column for each in hidden(text)}
    return "".join(letter for at, letter in enumerate(text) if at not in places) if places else text


def _header(file: FileDiff) -> str:
    words = [_STATUS.get(file.status, file.status)]
    if file.old_path != file.path and file.status in "RC":
        words.append(f"from {shown(file.old_path)}")
    if file.is_submodule:
        words.append(f"submodule at {file.oid}")
    elif file.is_symlink:
        words.append("symbolic link")
    elif file.binary:
        words.append("binary, not shown")
    if file.old_mode != file.mode and "000000" not in (file.old_mode, file.mode):
        words.append(f"mode {file.old_mode} -> {file.mode}")
    return f"=== {shown(file.path)} ({', '.join(words)})"


def _rows(hunk: Hunk) -> Iterator[tuple[str, bool]]:
    """Each line behind sign and number; the number of a removed line is its old one."""
    lines = list(hunk.lines())
    masks = _masks(lines)
    for at, line in enumerate(lines):
        text = f"[REDACTED:{masks[at]}]" if at in masks else shown(line.text[: 8 * LONGEST])
        short = text[:LONGEST]
        yield f"{line.sign}{line.new or line.old:>6} | {short}", len(short) < len(text) or len(line.text) > 8 * LONGEST


def _masks(lines: list[Line]) -> dict[int, str]:
    """The lines of secrets that span several, as either side has them."""
    if not any(b"PRIVATE" in line.text.replace(b"\0", b"") or b"-----" in line.text for line in lines):
        return {}
    sides = ({at: line.text for at, line in enumerate(lines) if line.sign != gone} for gone in "-+")
    return {at: kind for side in sides for at, kind in spread_secrets(side).items()}
