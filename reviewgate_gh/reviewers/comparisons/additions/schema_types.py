"""GraphQL: types that a schema uses and that no file of the tree defines: no server takes it.

https://spec.graphql.org/October2021/#sec-Type-System
"""

from collections.abc import Iterator, Mapping

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture
from .._popular import is_one_apart
from .._remark import ComparisonRule, put
from .._sources import ComparisonInput, Line

EVERY_FILE = False
UNKNOWN = ComparisonRule(
    "schema-type-missing",
    Priority.P2,
    "The schema cannot be built. Name a type that there is, or define this one.",
)
_SUFFIXES = (".graphql", ".graphqls", ".gql")
# Texts and comments, default values and directives hold other names
_ASIDE = lazy_pattern(
    r"\"\"\"[\s\S]*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*|@\w+[ \t]*(?:\([^()]{0,2000}\))?"
    r"|=[ \t]*(?:\{[^{}]{0,500}\}|\[[^\[\]]{0,500}\]|[\w.-]+)(?!\s*[|&])"
)
_BREAK = lazy_pattern(r"[^\n]")
_DEFINED = lazy_pattern(
    r"(?m)^[ \t]*(?:extend[ \t]+)?(?:type|interface|union|enum|scalar|input)[ \t]+(?P<name>\w+)"
)
_BODY = lazy_pattern(
    r"(?m)^[ \t]*(?:extend[ \t]+)?(?:type|interface|input)[ \t]+\w+[^{}\n]{0,300}"
    r"\{(?P<body>[^{}]*)\}"
)
_OF_FIELD = lazy_pattern(r":\s{0,20}\[{0,3}\s{0,20}(?P<name>[A-Za-z_]\w*)")
_BUILT_IN = ("Int", "Float", "String", "Boolean", "ID")
# Servers that add types of their own
_ADDS = lazy_pattern(
    r"@link\b|@key\b|@shareable|@external\b|@model\b|@aws_|\bAWS[A-Z]|@search\b|@node\b"
    r"|@relationship|@dontInfer|@entity\b"
)
_MOST_FILES = 500
_SHORTEST = 4


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    changed = [
        file
        for file in sources.files
        if file.path.endswith(_SUFFIXES) and not (file.is_gone or is_fixture(file.path))
    ]
    if not changed:
        return
    paths = [path for path in sources.list_head() if path.endswith(_SUFFIXES)]
    texts = sources.read_head(paths) if len(paths) <= _MOST_FILES else {}
    if not texts or any(map(_ADDS.search, texts.values())):
        return
    defined = {found["name"] for text in texts.values() for found in _DEFINED.finditer(_bare(text))}
    for file in changed:
        old = set(_used(file.base))
        for name, number in _used(file.head).items():
            known = name in defined or name in _BUILT_IN or name.startswith("_")
            if not known and name not in old and _is_certain(sources, name, defined):
                line = Line(number, file.head_rows[number - 1])
                yield put(UNKNOWN, file, line, f"the type {name} is used, and defined nowhere")
                break


def _bare(text: str) -> str:
    return _ASIDE.sub(lambda found: _BREAK.sub(" ", found[0]), text)


def _used(text: str) -> Mapping[str, int]:
    """The types of fields and arguments, with the line of each."""
    bare = _bare(text)
    return {
        found["name"]: bare.count("\n", 0, body.start("body") + found.start("name")) + 1
        for body in [*_BODY.finditer(bare)][::-1]
        for found in [*_OF_FIELD.finditer(body["body"])][::-1]
    }


def _is_certain(sources: ComparisonInput, name: str, defined: set[str]) -> bool:
    """It is misspelt, or the whole schema is in such files; no code speaks of it, which may define
    it."""
    places = sources.find_words([name]).get(name, ())
    if any(not place.path.endswith(_SUFFIXES) for place in places):
        return False
    alike = any(is_one_apart(name, each) for each in defined if len(each) >= _SHORTEST)
    return alike or "Query" in defined
