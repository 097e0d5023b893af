"""Names that no module defines because the program that loads it does: plug-ins of a project, build
scripts. Its other files show them, since they use the name in the same way."""

import ast
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial

from msgspec.structs import replace

from ...git import Git
from ...git.grep import find_words
from ...git.objects import read_blobs, read_files
from ...model.change import Change
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ...text.visible import show_hidden
from .._syntax_tree import parse_python

RULE = "ruff/F821"
_NAME = lazy_pattern(r"Undefined name `(\w+)`")
_MOST_ASKED = 20  # names in folders
_MOST_READ = 20  # files beside the one with the name
_SURE_USES, _SURE_FILES = 2, 3  # in the file itself, or of the others
_NOTE = "{where} uses `{name}` without a definition too, and this change leaves that alone."


def weigh_injected(findings: Sequence[Finding], change: Change, git: Git) -> tuple[Finding, ...]:
    """The findings, in which an undefined name is no certain error but a P3 if the file itself used
    it likewise before, more than once, or if several files that the change leaves alone do. Few
    prove nothing: they may have the same defect. A module of the standard library is what somebody
    forgot to import."""
    users = cache(partial(_users, change, git))
    asked = dict.fromkeys(_place(f) for f in findings if f.rule == RULE)
    known = [*asked][:_MOST_ASKED]
    return tuple(
        _weighed(finding, users)
        if finding.rule == RULE and finding.priority is Priority.P1 and _place(finding) in known
        else finding
        for finding in findings
    )


def _place(finding: Finding) -> tuple[str, str]:
    """The file, and the name; "" where the words of the tool have none."""
    found = _NAME.match(finding.title)
    return finding.path, found[1] if found else ""


def _weighed(finding: Finding, users: Callable[[str, str], Sequence[str]]) -> Finding:
    path, name = _place(finding)
    known = users(path, name) if name and name not in sys.stdlib_module_names else ()
    if not known:
        return finding
    told = _NOTE.format(where=show_hidden(known[0]), name=name)
    return replace(finding, priority=Priority.P3, body=f"{told}\n{finding.body}".rstrip())


def _users(change: Change, git: Git, path: str, name: str) -> Sequence[str]:
    """The file itself, if its text at base leaves the name open and uses it more than once; else
    the files of its folder that leave it open and that the change leaves alone, if there are
    several."""
    oids = [file.old_oid for file in change.files if file.path == path and file.status == "M"]
    for data in read_blobs(git, oids).values():
        if _open_uses(data, name) >= _SURE_USES:
            return (path,)
    folder = path.rpartition("/")[0]
    changed = {file.path for file in change.files}
    paths = dict.fromkeys(
        hit.path
        for hit in find_words(git, change.head, [name])
        if hit.path.rpartition("/")[0] == folder
        and hit.path.endswith(".py")
        and hit.path not in changed
    )
    texts = read_files(git, change.head, [*paths][:_MOST_READ])
    others = tuple(path for path, data in texts.items() if _open_uses(data, name))
    return others if len(others) >= _SURE_FILES else ()


def _open_uses(data: bytes, name: str) -> int:
    """How often the module reads the name, if nothing in it can have given it a value."""
    if name.encode() not in data:
        return 0
    try:
        nodes = [*ast.walk(parse_python(data))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    declared = {
        id(node.target)  # a note for type checkers
        for node in nodes
        if isinstance(node, ast.AnnAssign) and node.value is None
    }
    uses = 0
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == name and id(node) not in declared:
            if not isinstance(node.ctx, ast.Load):
                return 0
            uses += 1
        elif any(binds(node, name) for binds in _BINDS):
            return 0
    return uses


def _imports(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) and any(
        alias.name == "*" or (alias.asname or alias.name.partition(".")[0]) == name
        for alias in node.names
    )


def _defines(node: ast.AST, name: str) -> bool:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return isinstance(node, kinds) and node.name == name


def _takes(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.arg) and node.arg == name


def _declares(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Global | ast.Nonlocal) and name in node.names


def _catches(node: ast.AST, name: str) -> bool:
    kinds = ast.ExceptHandler | ast.MatchAs | ast.MatchStar
    return isinstance(node, kinds) and node.name == name


_BINDS: tuple[Callable[[ast.AST, str], bool], ...] = (
    _imports,
    _defines,
    _takes,
    _declares,
    _catches,
)
