"""What a notebook's cells hold, and their lines as lines of its file
(https://nbformat.readthedocs.io/en/latest/format_description.html)."""

import json
import re
from bisect import bisect
from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from ...model.finding import Finding
from ...text.patterns import lazy_pattern

SUFFIX = ".ipynb"
_CELL = 1_000_000  # lines; no cell has more
_SPACES = lazy_pattern(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(strict=False)
# Cells that a magic command gives to another program are no Python to ruff, all but these:
# https://github.com/astral-sh/ruff/blob/main/crates/ruff_notebook/src/cell.rs
_STILL_PYTHON = "capture debug ipytest prun pypy python python3 time timeit"
# Magic commands that need no `%`:
# https://ipython.readthedocs.io/en/stable/interactive/magics.html
# ruff leaves out the whole cell behind one; IPython runs it as Python where it has more lines.
_AUTOMATIC = (
    "alias alias_magic autoawait autocall automagic autosave bookmark cat cd clear code_wrap "
    "colors conda config connect_info cp debug dhist dirs doctest_mode ed edit env gui hist "
    "history killbgscripts ldir less lf lk ll load load_ext loadpy logoff logon logstart logstate "
    "logstop ls lsmagic lx macro magic mamba man matplotlib micromamba mkdir more mv notebook page "
    "pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd pprint precision prun psearch psource "
    "pushd pwd pycat pylab qtconsole quickref recall rehashx reload_ext rep rerun reset "
    "reset_selective rm rmdir run save sc set_env store sx system tb time timeit unalias "
    "unload_ext uv who who_ls whos xdel xmode"
)
_ASSIGNS = lazy_pattern(r"(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=\Z")


def cell_line(cell: int, line: int) -> int:
    """Cell and line, each from 1, as one number, for `place` to take apart."""
    return cell * _CELL + min(line, _CELL - 1)


def place(finding: Finding, data: bytes) -> Finding:
    """The finding at the line of the file; it says in which cell. Where the file does not show the
    place, it is about the file as a whole."""
    cell, line = divmod(finding.line_start, _CELL)
    if not cell:
        return finding
    cells = lines_of_cells(data)
    lines = cells[cell - 1] if cell <= len(cells) else ()
    last = finding.line_end % _CELL
    start = lines[line - 1] if 0 < line <= len(lines) else 0
    end = lines[last - 1] if start and 0 < last <= len(lines) else start
    title = f"cell {cell}, line {line}: {finding.title}"
    return replace(finding, line_start=start, line_end=max(start, end), title=title)


def cells_of_others(data: bytes) -> frozenset[str]:
    """The code cells that ruff does not read, although something runs them."""
    try:
        cells = json.loads(data.decode("utf-8-sig", "replace"), strict=False)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        texts = [source if isinstance(source, str) else "".join(source) for source in code]
    except (ValueError, KeyError, TypeError, RecursionError):
        return frozenset()  # no notebook, which ruff itself says
    return frozenset(text for text in texts if _is_of_others(text))


def _is_of_others(text: str) -> bool:
    rows = [row.split() for row in text.splitlines() if row.strip()]
    magics = [row[0][2:] for row in rows if row[0].startswith("%%")]
    if any(name not in _STILL_PYTHON.split() for name in magics):
        return True
    first = rows[0] if len(rows) > 1 else []
    is_magic = first[:1] != [] and first[0] in _AUTOMATIC.split()
    return is_magic and not _ASSIGNS.match("".join(first[1:2]))


@lru_cache(2)
def lines_of_cells(data: bytes) -> tuple[tuple[int, ...], ...]:
    """For each cell, the line of the file in which each of its lines stands; none where it is no
    notebook."""
    text = data.decode("utf-8-sig", "replace")
    ends = [found.start() for found in re.finditer("\n", text)]
    try:
        cells = next(at for key, at in _members(text, 0) if key == "cells")
        return tuple(
            tuple(bisect(ends, at) + 1 for at in _lines(text, cell)) for cell in _items(text, cells)
        )
    except (StopIteration, ValueError, RecursionError):
        return ()


def _lines(text: str, cell: int) -> Iterator[int]:
    """Where each line of the cell's source begins, or the string that holds it."""
    source = next((at for key, at in _members(text, cell) if key == "source"), len(text))
    for at, row in _strings(text, source):
        yield from [at] * (row.count("\n") + (row != "" and not row.endswith("\n")))


def _strings(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Place and value of one string, or of each in a list."""
    for place in (
        _items(text, at) if text[at : at + 1] == "[" else range(at, min(at + 1, len(text)))
    ):
        value, _end = _DECODER.raw_decode(text, place)
        if isinstance(value, str):
            yield place, value


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Key, and place of the value, of each member of the object at that place."""
    at = _after(text, at, "{")
    while text[at : at + 1] == '"':
        key, at = _DECODER.raw_decode(text, at)
        at = _after(text, at, ":")
        yield key, at
        at = _after(text, _DECODER.raw_decode(text, at)[1], ",")


def _items(text: str, at: int) -> Iterator[int]:
    """The place of each value of the list at that place."""
    at = _after(text, at, "[")
    while text[at : at + 1] not in ("]", ""):
        yield at
        at = _after(text, _DECODER.raw_decode(text, at)[1], ",")


def _after(text: str, at: int, mark: str) -> int:
    """The place of the next value: behind this mark, if it is there, and the spaces around it."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at : at + 1] == mark else at


def _skip(text: str, at: int) -> int:
    found = _SPACES.match(text, at)
    return found.end() if found else at
