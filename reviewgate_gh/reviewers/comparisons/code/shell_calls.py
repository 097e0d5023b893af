"""Programs that Python started without a shell, and now starts through one."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ..._syntax_tree import parse_python
from .._remark import ComparisonRule, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "shell-turned-on",
    Priority.P1,
    "Whatever stands in the command is read as shell code now. Pass a list of arguments without "
    "`shell=True`, or quote what is not constant with `shlex.quote()`.",
)
# Whoever sets the option did without
_CHOSEN = replace(_RULE, priority=Priority.P2)
_WORD = b"shell"
_QUOTES = ("shlex.quote", "shlex.join", "quote", "pipes.quote")

_KEEPING = ("format", "join", "strip")  # methods of a text


class _Call(Struct, frozen=True):
    """A call that may start a program: the definition around it, what it calls, its lines, whether
    it goes through a shell, maybe, or only where its command is a text; and whether it does so with
    more than constants."""

    unit: str
    name: str
    first: int
    last: int
    by_shell: bool
    may: bool
    of_text: bool
    open: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.unit, self.name


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a call."""
    for file in sources.files:
        if (
            file.path.endswith((".py", ".pyw"))
            and file.is_edited_product
            and file.mentions(_WORD)
            and any("shell" in line.text for line in file.added)
        ):
            yield from _in_file(file)


def _in_file(file: ComparedFile) -> Iterator[Finding]:
    before, now = _calls(file.written.base), _calls(file.written.head)
    plain = [call for call in before if not (call.by_shell or call.of_text)]
    # As many calls of a definition as go through no shell any more
    left = Counter(call.key for call in plain)
    left.subtract(call.key for call in now if not (call.by_shell or call.of_text))
    grown = Counter(call.key for call in now if call.by_shell)
    grown.subtract(call.key for call in before if call.by_shell)
    added = {line.number for line in file.added}
    for call in now:
        is_touched = not added.isdisjoint(range(call.first, call.last + 1))
        if call.open and is_touched and min(left[call.key], grown[call.key]) > 0:
            left[call.key] -= 1
            grown[call.key] -= 1
            text = _text(file.head_rows, call)
            olds = (each for each in plain if each.key == call.key)
            same = (each for each in olds if _share_words(_text(file.base_rows, each), text))
            if (old := next(same, None)) is not None:
                yield _finding(file, old, call)


def _finding(file: ComparedFile, old: _Call, call: _Call) -> Finding:
    line = Line(call.first, file.head_rows[call.first - 1])
    title = f"`{call.name}` runs its command through a shell now"
    earlier = quoted(_text(file.base_rows, old))
    found = put(_CHOSEN if old.may else _RULE, file, line, title, earlier)
    return replace(found, line_end=call.last)


def _text(rows: Sequence[str], call: _Call) -> str:
    return " ".join(rows[call.first - 1 : call.last])


def _share_words(old: str, new: str) -> bool:
    """The arguments have a name or a word in common that says what is run."""
    words = ({*_WORDS.findall(text.partition("(")[2])} for text in (old, new))
    return not next(words).isdisjoint(next(words) - _OPTIONS)


_WORDS = lazy_pattern(r"[A-Za-z]\w{2,}")
# https://docs.python.org/3/library/subprocess.html#popen-constructor
_OPTIONS = frozenset(
    [
        "shell",
        "True",
        "False",
        "None",
        "env",
        "check",
        "cwd",
        "text",
        "timeout",
        "input",
        "stdin",
        "stdout",
        "stderr",
        "capture_output",
        "encoding",
        "errors",
        "universal_newlines",
        "PIPE",
        "STDOUT",
        "DEVNULL",
        "subprocess",
        "str",
        "join",
        "format",
        "self",
    ]
)


def _calls(text: str) -> list[_Call]:
    """Every call with a name and arguments; none of a text that is no Python."""
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = list[_Call]()
    waiting: list[tuple[str, frozenset[str], ast.AST]] = [("", frozenset(), tree)]
    while waiting:
        unit, usual, node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            unit = f"{unit}.{node.name}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            usual = _true_by_default(node.args)
        if isinstance(node, ast.Call) and node.args and (name := _dotted(node.func)):
            found.append(_read_call(node, unit, name, usual))
        waiting += [(unit, usual, child) for child in ast.iter_child_nodes(node)]
    return sorted(found, key=lambda call: call.first)


def _read_call(node: ast.Call, unit: str, name: str, usual: frozenset[str]) -> _Call:
    """`usual` are the parameters of its function that are on by default."""
    value = next((each.value for each in node.keywords if each.arg == "shell"), None)
    by_shell = (
        (isinstance(value, ast.Constant) and bool(value.value))
        or (isinstance(value, ast.Name) and value.id in usual)
        or _is_of_shell(node.args[0])
    )
    may = value is not None and not isinstance(value, ast.Constant)
    of_text = (
        isinstance(value, ast.Call)
        and _dotted(value.func) == "isinstance"
        and not isinstance(node.args[0], ast.List | ast.Tuple)
    )
    is_open = by_shell and not _is_harmless(node.args[0])
    last = node.end_lineno or node.lineno
    return _Call(unit, name, node.lineno, last, by_shell, may, of_text, is_open)


def _true_by_default(arguments: ast.arguments) -> frozenset[str]:
    """The parameters that are on where nobody says anything else."""
    named = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(named) - len(arguments.defaults)) + arguments.defaults
    pairs = [
        *zip(named, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return frozenset(
        each.arg for each, value in pairs if isinstance(value, ast.Constant) and value.value is True
    )


_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh"))


def _is_of_shell(command: ast.expr) -> bool:
    """A list that starts a shell and hands it the command: `["bash", "-c", command]`."""
    parts = command.elts if isinstance(command, ast.List | ast.Tuple) else []
    words = [str(each.value) for each in parts if isinstance(each, ast.Constant)]
    return (
        bool(words)
        and words[0].rpartition("/")[2] in _SHELLS
        and any(re.fullmatch(r"-[a-z]*c", word) for word in words[1:])
    )


def _is_harmless(command: ast.expr) -> bool:
    """Constants, names that are written like some, and what was quoted."""
    if isinstance(command, ast.Call):
        text = command.func.value if isinstance(command.func, ast.Attribute) else None
        if _dotted(command.func) in _QUOTES:
            return True
        keywords = [each.value for each in command.keywords]
        return (
            text is not None
            and command.func.attr in _KEEPING  # type: ignore[attr-defined]
            and all(map(_is_harmless, [text, *command.args, *keywords]))
        )
    if isinstance(command, ast.Name | ast.Attribute):
        return _dotted(command).rpartition(".")[2].isupper()
    return all(map(_is_harmless, _parts(command)))


def _parts(command: ast.expr) -> list[ast.expr]:
    return [each for each in ast.iter_child_nodes(command) if isinstance(each, ast.expr)]


def _dotted(node: ast.AST) -> str:
    names = list[str]()
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, node.id])) if isinstance(node, ast.Name) else ""
