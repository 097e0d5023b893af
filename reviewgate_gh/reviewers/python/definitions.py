"""What a Python module defines for others, and which of that a change removes or gives another
signature."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from ...findings.causes import Spans
from .._syntax_tree import parse_python

Kind = Literal["module", "removed", "import", "signature", "export"]

_LARGEST = 1_000_000  # bytes of a file: a parser needs a hundred times as much
_CONSTRUCTORS = ("__init__", "__new__", "__call__", "__post_init__")
_ALL = "__all__"
_EMPTY_BASES = ("object", "ABC", "abc.ABC")
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Definition(Struct, frozen=True):
    """A name that a module or class binds: where, and what a call of it has to fit ("" where
    nobody calls it). `imported`: it comes from another module. `inherits`: a class that has
    members of others."""

    spans: Spans
    signature: str = ""
    imported: bool = False
    inherits: bool = False


class ChangedDefinition(Struct, frozen=True):
    """A definition that others may use and that is gone or takes other arguments now.

    `name` is the full one within its module (`Class.method`), `word` the one that stands where it
    is used. `path` is the file's at head, or the old one where it is gone; `old` and `new` are its
    lines at base and at head. `is_own`: a member of a class that inherits none.
    """

    path: str
    name: str
    word: str
    kind: Kind
    old: Spans = ()
    new: Spans = ()
    is_own: bool = False


def read_definitions(data: bytes) -> Mapping[str, Definition] | None:
    """The definitions of a module by their full names; None where it is not Python, or too large
    to tell."""
    if len(data) > _LARGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes, which nobody asked about
            tree = parse_python(data)
        found = dict[str, Definition]()
        for name, definition in _bindings(tree.body, ""):
            before = found.get(name)
            found[name] = _joined(before, definition) if before else definition
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found


def find_changed(
    path: str, base: Mapping[str, Definition], head: Mapping[str, Definition]
) -> Iterator[ChangedDefinition]:
    """What a file's new content takes away from others. A class that is gone stands for all that
    it held."""
    for name in base:
        owner = name.rpartition(".")[0]
        stands_for_itself = name != _ALL and (not owner or owner in head)
        if stands_for_itself and (changed := _changed(path, name, base, head)):
            yield changed
    for name, new in head.items():
        owner, _dot, word = name.rpartition(".")
        if name not in base and owner in base and word in _CONSTRUCTORS:
            yield _signature(path, name, (), new.spans)


def _changed(
    path: str, name: str, base: Mapping[str, Definition], head: Mapping[str, Definition]
) -> ChangedDefinition | None:
    """The same of one name of base; None where others may go on using it."""
    old, new = base[name], head.get(name)
    owner, _dot, word = name.rpartition(".")
    if owner == _ALL:
        all_names = head[_ALL].spans
        return None if new else ChangedDefinition(path, name, word, "export", old.spans, all_names)
    if new is None and not _is_special(word):
        kind: Kind = "import" if old.imported else "removed"
        own = bool(owner) and not (base[owner].inherits or head[owner].inherits)
        return ChangedDefinition(path, name, word, kind, old.spans, is_own=own)
    if (word in _CONSTRUCTORS or not _is_special(word)) and _called_otherwise(old, new):
        return _signature(path, name, old.spans, new.spans if new else ())
    return None


def _signature(path: str, name: str, old: Spans, new: Spans) -> ChangedDefinition:
    owner, _dot, word = name.rpartition(".")
    called = owner.rpartition(".")[2] if word in _CONSTRUCTORS and owner else word
    return ChangedDefinition(path, name, called, "signature", old, new)


def _called_otherwise(old: Definition, new: Definition | None) -> bool:
    """What was never called is not called in another way now; what is one side's import may be
    anything. A constructor that is gone is its base's."""
    if new is None:
        return True
    return bool(old.signature and new.signature) and old.signature != new.signature


def _is_special(word: str) -> bool:
    """A name that the language calls: who uses it writes something else."""
    return word.startswith("__") and word.endswith("__")


def _joined(before: Definition, more: Definition) -> Definition:
    """Several definitions of one name: overloads, and one for each platform."""
    return Definition(
        before.spans + more.spans,
        " | ".join(filter(None, dict.fromkeys((before.signature, more.signature)))),
        before.imported and more.imported,
        before.inherits or more.inherits,
    )


def _bindings(body: Iterable[ast.stmt], owner: str) -> Iterator[tuple[str, Definition]]:
    """What these statements bind, those within `if`, `try` and `with` too."""
    for node in body:
        if isinstance(node, _FUNCTION):
            yield owner + node.name, Definition(_header(node), _takes(node))
            if owner:
                yield from _set_on_self(node, owner)
        elif isinstance(node, ast.ClassDef):
            inherits = any(ast.unparse(each) not in _EMPTY_BASES for each in node.bases)
            yield owner + node.name, Definition(_header(node), _made_by(node), inherits=inherits)
            yield from _bindings(node.body, f"{owner}{node.name}.")
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _imported(node, owner)
        else:
            yield from _assigned(node, owner)
            yield from _bindings(_inner(node), owner)


def _inner(node: ast.stmt) -> Iterator[ast.stmt]:
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(node, field, ())
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from handler.body


def _imported(node: ast.Import | ast.ImportFrom, owner: str) -> Iterator[tuple[str, Definition]]:
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if name != "*":
            yield owner + name, Definition(_lines(alias), imported=True)


def _assigned(node: ast.stmt, owner: str) -> Iterator[tuple[str, Definition]]:
    """The names that a statement stores, and the strings of `__all__`."""
    span = Definition(_lines(node))
    parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    parts += [item.optional_vars for item in getattr(node, "items", ()) if item.optional_vars]
    for name in (name for part in parts for name in _stored(part)):
        yield owner + name, span
        if name == _ALL and not owner:
            for text in ast.walk(node):
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield f"{_ALL}.{text.value}", Definition(_lines(text))


def _stored(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _set_on_self(
    method: ast.FunctionDef | ast.AsyncFunctionDef, owner: str
) -> Iterator[tuple[str, Definition]]:
    """The attributes that a method gives its own object."""
    first = next((each.arg for each in (*method.args.posonlyargs, *method.args.args)), "")
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == first
        ):
            yield owner + node.attr, Definition(_lines(node))


def _lines(node: ast.stmt | ast.expr | ast.alias) -> Spans:
    return ((node.lineno, node.end_lineno or node.lineno),)


def _header(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Spans:
    """From the first decorator to the last line before the body."""
    first = min((each.lineno for each in node.decorator_list), default=node.lineno)
    return ((first, max(node.lineno, node.body[0].lineno - 1)),)


def _takes(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What a call must fit: names, which of them have a default, and the decorators, which may
    change all that."""
    args = node.args
    plain = [*args.posonlyargs, *args.args]
    needed = len(plain) - len(args.defaults)
    words = [
        f"{'' if at < len(args.posonlyargs) else each.arg}{'' if at < needed else '='}"
        for at, each in enumerate(plain)
    ]
    words.append(f"*{'args' if args.vararg else ''}")
    for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        words.append(f"{each.arg}{'=' if default else ''}")
    decorators = " ".join(f"@{ast.unparse(each)}" for each in node.decorator_list)
    return f"{decorators}({', '.join(words)}{', **' if args.kwarg else ''})"


def _made_by(node: ast.ClassDef) -> str:
    """What makes its objects where it has no constructor of its own: bases, decorators, and the
    fields that these may read."""
    around = [*node.bases, *(each.value for each in node.keywords), *node.decorator_list]
    if not around:
        return "class"
    fields = [
        f"{each.target.id}{'=' if each.value else ''}"
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    return f"class {' '.join(map(ast.unparse, around))}: {', '.join(fields)}"
