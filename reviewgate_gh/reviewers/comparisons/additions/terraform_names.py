"""What a file of Terraform refers to anew, and no file of its folder declares. Of what is declared
no longer `removed_names` tells.

https://developer.hashicorp.com/terraform/language/expressions/references
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.hcl import blocks_of, hcl_code
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "terraform-name-missing",
    Priority.P1,
    "Terraform refuses the whole folder. Correct the name, or declare it.",
)
_SUFFIX, _READ = ".tf", (".tf", ".tofu")
# Other files than these declare names there, or programs write them
_MADE = lazy_pattern(r"(?:\A|/)(?:[^/]+\.(?:tf\.json|tm\.hcl)|terragrunt[^/]*\.hcl|cdktf\.json)\Z")
_FILLED_IN = lazy_pattern(r"\{\{|<%|\{%(?!\{)")
_REFERENCE = lazy_pattern(
    r"(?<![\w.\-])(?:(?P<kind>var|local|module)\.(?P<name>[A-Za-z_][\w-]*)"
    r"|(?P<data>data\.)?(?P<type>[a-z][a-z0-9]*_\w+)\.(?P<label>[A-Za-z_][\w-]*))"
)
_BOUND = lazy_pattern(r"\bfor\s+(\w+)(?:\s*,\s*(\w+))?\s+in\b|\biterator\s*=\s*(\w+)")
_LOCAL = lazy_pattern(r"(?m)(?<![\w.\"])([A-Za-z_][\w-]*)\s*=(?![=>])")
# What they name is gone, or comes from elsewhere
_OF_THE_PAST = ("moved", "removed", "import")
_DECLARING = {"variable": "var", "module": "module"}
_LARGEST, _MOST_FILES, _MOST = 200_000, 60, 5


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most five findings a file."""
    for file in sources.files:
        if file.path.endswith(_SUFFIX) and not (file.is_gone or is_fixture(file.path)):
            yield from islice(_in_file(sources, file), _MOST)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    used = _references(file.head)
    declared = _declared(file.head)
    if not used.keys() - declared:
        return
    others = _beside(sources, file)
    if others is None:
        return
    for other in others:
        declared |= _declared(other)
    kinds = {name.rpartition(".")[0] for name in declared}
    before = _references(file.base).keys()
    added = {line.number for line in file.added}
    for name, lines in used.items():
        number = next((line for line in lines if line in added), 0)
        if number and name not in before and name not in declared and _is_known(name, kinds):
            line = Line(number, file.head_rows[number - 1])
            yield put(_RULE, file, line, f"no file of this folder declares `{name}`")


def _is_known(name: str, kinds: set[str]) -> bool:
    """The folder declares others of its kind: of a resource one of the same provider."""
    kind = name.rpartition(".")[0]
    return kind in kinds or any(_provider(kind) == _provider(each) for each in kinds)


def _provider(kind: str) -> str:
    return kind.partition("_")[0] if "_" in kind else ""


def _beside(sources: ComparisonInput, file: ComparedFile) -> Sequence[str] | None:
    """The other files of the folder; None where they are not all that there is."""
    folder = file.folder
    inside = [path for path in sources.list_head()
              if path.startswith(folder) and "/" not in path[len(folder):]]  # fmt: skip
    paths = [path for path in inside if path.endswith(_READ) and path != file.path]
    if len(paths) > _MOST_FILES or any(map(_MADE.search, inside)) or _FILLED_IN.search(file.head):
        return None
    texts = sources.read_head(paths)
    # A symbolic link has the path of its target as its content
    is_whole = len(texts) == len(paths) and all("\n" in text or not text for text in texts.values())
    return [*texts.values()] if is_whole else None


def _declared(text: str) -> set[str]:
    """`var.a`, `local.a`, `module.a`, `aws_vpc.a`, `data.aws_ami.a`."""
    if len(text) > _LARGEST:
        return set()
    found, code = set[str](), hcl_code(text)
    for kind, first, second, start, end in blocks_of(text, code):
        if kind in _DECLARING:
            found.add(f"{_DECLARING[kind]}.{first}")
        elif kind == "locals":
            found |= {f"local.{name}" for name in _LOCAL.findall(text[start:end])}
        elif second:
            found.add(f"{first}.{second}" if kind != "data" else f"data.{first}.{second}")
    return found


def _references(text: str) -> dict[str, list[int]]:
    """What is referred to, with its lines."""
    if len(text) > _LARGEST or not text:
        return {}
    code = hcl_code(text)
    bound = {name for each in _BOUND.findall(code) for name in each}
    past = list[tuple[int, int]]()
    for kind, first, _, start, end in blocks_of(text, code):
        if kind in _OF_THE_PAST:
            past.append((start, end))
        elif kind == "dynamic":
            bound.add(first)
    found, line, at = dict[str, list[int]](), 1, 0
    for use in _REFERENCE.finditer(code):
        while past and past[0][1] < use.start():
            past.pop(0)
        if past and past[0][0] <= use.start():
            continue
        line, at = line + code.count("\n", at, use.start()), use.start()
        if (use["kind"] or use["type"]) not in bound:
            found.setdefault(use[0], []).append(line)
    return found
