"""Python: names that a change imports from a module of the project which has no such name. Whoever
imports the file gets an ImportError.

https://docs.python.org/3/reference/simple_stmts.html#the-import-statement
"""

import ast
import sys
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from posixpath import dirname

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ..._syntax_tree import parse_python
from ...checks._paths import is_fixture, is_own_test
from ...python.definitions import read_definitions
from ...python.guards import UsingCode
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line, is_foreign

EVERY_FILE = False
MISSING = ComparisonRule(
    "import-missing",
    Priority.P1,
    "The import fails when it runs. Use a name that the module has, or define it there.",
)
NO_MODULE = ComparisonRule(
    MISSING.name,
    Priority.P2,
    "The import fails unless something makes that module. Name one that is there, or commit it.",
)
_ROOTS = ("", "src", "lib", "python")
# What may give a module names that its text does not show: https://peps.python.org/pep-0562/
_OTHER_WAYS = lazy_pattern(
    r"(?m)^(?:async )?def __getattr__|^__getattr__|, ?__getattr__\b|\bglobals\("
    r"|\b(?:locals|vars)\(\)"
    r"|\bsetattr\(\s*(?:sys\b|\w*mod(?:ule)?\b)|\bsys\.modules\[\s*__name__|(?<![.\w])exec\("
    r"|^__path__\b"
)
_ALL_OF = lazy_pattern(r"(?m)^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*\(?[ \t]*\*")
_GLOBAL = lazy_pattern(r"(?m)^[ \t]*global[ \t]+([^\n#;]+)")
_WORD = lazy_pattern(r"\w+")
# https://docs.python.org/3/reference/datamodel.html#module-objects
_OF_EVERY_MODULE = (
    "__name__ __doc__ __file__ __path__ __package__ __spec__ __loader__ __dict__ __builtins__"
)
_COMPILED = (".so", ".pyd", ".pyx", ".pxd", ".pyi", ".c", ".cpp", ".rs")
# What a build writes: a version, code from an interface's description
_MADE = lazy_pattern(r"(?i)version|_pb2|generated|^_|^ui_|parsetab|lexer|parser|^local|_local$")
_MOST = 100  # imports of a file


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    tree: _Modules | None = None
    for file in sources.files:
        if not file.path.endswith(".py") or file.is_gone or not file.mentions(b"import"):
            continue
        if is_foreign(file.path) or is_fixture(file.path) or _is_sample(file):
            continue
        tree = tree or _Modules(sources)
        if found := next(_missing(file, tree), None):
            line, name, module, rule = found
            what = f"{name} is imported from {module}, which has none"
            what = what if rule is MISSING else f"the module {module} is imported, and is not there"
            yield put(rule, file, line, what)


def _is_sample(file: ComparedFile) -> bool:
    """Code that tests read: it may be wrong on purpose."""
    is_run = file.name.startswith(("test_", "conftest.")) or file.name.endswith("_test.py")
    return is_own_test(file.path) and not is_run


def _missing(
    file: ComparedFile, tree: "_Modules"
) -> Iterator[tuple[Line, str, str, ComparisonRule]]:
    """The added imports of a file that fail: the line, the name, the module's file and the rule."""
    data = file.head.encode("utf-8", "surrogateescape")
    added = {line.number: line for line in file.added}
    base = _parsed(file.base.encode("utf-8", "surrogateescape"))
    before = {(module, name) for module, name, _line in _imports(base)}
    using: UsingCode | None = None
    for module, name, number in [*_imports(_parsed(data))][:_MOST]:
        if number not in added or (module, name) in before or _is_of_every_module(name):
            continue
        where, rule = tree.without(file.path, module, name), MISSING
        if not where:
            where, rule = tree.lacks(file.path, module), NO_MODULE
        if not where:
            continue
        using = using or UsingCode(data)
        if not (using.catches("imports", number) or using.is_for_checkers(number)):
            yield added[number], name, where, rule


def _is_of_every_module(name: str) -> bool:
    return name.startswith("__") and name in _OF_EVERY_MODULE


def _parsed(data: bytes) -> ast.Module:
    """The syntax tree; an empty one of what is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes, which nobody asked about
            return parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _imports(body: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Module, name and line of each name that is imported from a module."""
    for node in ast.walk(body):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name != "*":
                    yield "." * node.level + (node.module or ""), alias.name, alias.lineno


class _Modules:
    """The Python modules of the head."""

    def __init__(self, sources: ComparisonInput) -> None:
        self._read, self._paths = sources.read_head, sources.list_head()
        self._find = sources.find_words
        self._files = defaultdict[str, list[str]](list)  # by the path of a module's name
        for path in self._paths:
            if path.endswith(".py"):
                stem = path[:-3].removesuffix("/__init__")
                self._files[stem.rpartition("/")[2]].append(path)
        self._parts = {part for path in self._paths for part in _parts(path)}
        self._names: dict[str, Collection[str] | None] = {}

    def without(self, user: str, module: str, name: str) -> str:
        """The file of the module as `user` imports it, where no file that it may mean has the name;
        "" where one has, or where none is of this tree."""
        files = self._relative(user, module) if module.startswith(".") else self._like(user, module)
        return files[0] if files and not any(self._may_have(path, name) for path in files) else ""

    def lacks(self, user: str, module: str) -> str:
        """The module that `user` imports from a package of the tree, where nothing there has its
        name, and nothing but code speaks of it: what a build makes is named in its settings."""
        bare = module.lstrip(".")
        above, _dot, name = bare.rpartition(".")
        if not name or _MADE.search(name):
            return ""
        if module.startswith("."):
            package = self._relative(user, module[: len(module) - len(bare)] + above)
        else:
            package = self._like(user, above) if above else []
        if len(package) != 1 or not package[0].endswith("/__init__.py"):
            return ""
        if self._may_have(package[0], name) or self._is_spoken_of(name):
            return ""
        return f"{dirname(package[0])}/{name}.py"

    def _is_spoken_of(self, name: str) -> bool:
        """A file of any kind has the name, or one that is no module of Python says it."""
        if any(f"/{path}".rpartition("/")[2].startswith(f"{name}.") for path in self._paths):
            return True
        places = self._find([name]).get(name, ())
        return any(not place.path.endswith(".py") or "setup" in place.path for place in places)

    def _relative(self, user: str, module: str) -> list[str]:
        bare = module.lstrip(".")
        folder = dirname(user)
        for _ in range(len(module) - len(bare) - 1):
            if not folder:
                return []
            folder = dirname(folder)
        return self._at("/".join(filter(None, (folder, bare.replace(".", "/")))))

    def _at(self, place: str) -> list[str]:
        files = (f"{place}/__init__.py".lstrip("/"), f"{place}.py")
        return [path for path in files if path in self._paths]

    def _like(self, user: str, module: str) -> list[str]:
        """All files that the dotted name may mean, from whatever folder it is imported; none where
        that is no usual one."""
        place = module.replace(".", "/")
        if module.partition(".")[0] in sys.stdlib_module_names:
            return []
        roots = dict.fromkeys((self._root(user), *_ROOTS))
        usual = [path for root in roots for path in self._at(f"{root}/{place}".lstrip("/"))]
        ends = (f"/{place}.py", f"/{place}/__init__.py")
        alike = self._files[place.rpartition("/")[2]]
        others = [path for path in alike if f"/{path}".endswith(ends)]
        return list(dict.fromkeys([*usual, *others])) if usual else []

    def _root(self, user: str) -> str:
        """The folder above the outermost package; of a script its own, which Python puts first."""
        folder = dirname(user)
        while folder and f"{folder}/__init__.py" in self._paths:
            folder = dirname(folder)
        return folder

    def _may_have(self, path: str, name: str) -> bool:
        stem = path[:-3]
        if any(f"{stem}{suffix}" in self._paths for suffix in _COMPILED):
            return True
        if path.endswith("/__init__.py") and self._has_part(path[: -len("/__init__.py")], name):
            return True
        names = self._known(path)
        return names is None or name in names

    def _has_part(self, folder: str, name: str) -> bool:
        """The package has a module or a folder of this name."""
        return f"{folder}/{name}" in self._parts

    def _known(self, path: str) -> Collection[str] | None:
        """What the module has; None where nobody sees it."""
        if path not in self._names:
            self._names[path] = None  # where it imports itself by way of others
            text = self._read([path]).get(path)
            self._names[path] = None if text is None else self._names_of(path, text)
        return self._names[path]

    def _names_of(self, path: str, text: str) -> Collection[str] | None:
        """The module's own names, and those of modules of which it imports all."""
        found = None if _OTHER_WAYS.search(text) else _own_names(text)
        names = set(found or ())
        for module in _ALL_OF.findall(text) if found is not None else ():
            is_near = module.startswith(".")
            files = self._relative(path, module) if is_near else self._like(path, module)
            more = self._known(files[0]) if len(files) == 1 else None
            if more is None:
                return None
            names.update(more)
        return None if found is None else frozenset(names)


def _parts(path: str) -> Iterator[str]:
    """The file without its suffixes, and the folders that hold it."""
    folder, _slash, name = path.rpartition("/")
    yield f"{folder}/{name.partition('.')[0]}"
    while folder:
        yield folder
        folder = dirname(folder)


def _own_names(text: str) -> Collection[str] | None:
    found: Mapping[str, object] | None = read_definitions(text.encode("utf-8", "surrogateescape"))
    if found is None:
        return None
    named = {word for row in _GLOBAL.findall(text) for word in _WORD.findall(row)}
    return frozenset(name for name in found if "." not in name) | named
