"""Origins and hosts that were named, and are any now: in settings, and in what a middleware is
given."""

from collections.abc import Iterator
from itertools import chain, islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._definitions import language_of
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put, quoted
from .._settings import read_settings
from .._sources import Block, ComparedFile, ComparisonInput
from ..code.switched_off import LOCAL
from ._protections import COOKIE, CORS
from .insecure import says_insecure

EVERY_FILE = False
# https://micronaut-projects.github.io/micronaut-docs/latest/guide/#corsConfiguration
_ORIGINS = lazy_pattern(r"(?:^|[.\]])[\w-]*origins?(?:[-_]?patterns?)?(?:\[\])?$")
# https://learn.microsoft.com/aspnet/core/fundamentals/servers/kestrel/host-filtering
_HOSTS = lazy_pattern(r"^allowedhosts$")
# https://expressjs.com/en/resources/middleware/cors.html
_ANY = lazy_pattern(r"(?<![\w.])cors\(\s*\)")
_SOME = lazy_pattern(r"(?<![\w.])cors\(\s*(?:\{|(?P<name>\w+)\s*\))")
_NAMED_HERE = lazy_pattern(r"(?<![\w.])cors\(\s*\{.*\borigin\b")  # in one line: told as such


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and not LOCAL.search(without_packages(file.path)):
            yield from islice(chain(_in_settings(file), _in_code(file)), 1)


def _in_settings(file: ComparedFile) -> Iterator[Finding]:
    """A setting that said which, and says any."""
    if not file.path.endswith((".json", ".jsonc", ".yml", ".yaml")):
        return
    lines = [line for line in file.added if "*" in line.text]
    if not lines or any(says_insecure(line.text) for line in lines):
        return
    before, after = (read_settings(file.path, text) for text in (file.base, file.head))
    opened = [(key, rule) for key, value in sorted(after - before) if value == "*"
              if (rule := _rule(key))]  # fmt: skip
    for key, rule in opened:
        was = [old for name, old in sorted(before) if _bare(name) == _bare(key)]
        if was and "*" not in was:
            word = _bare(key).rpartition(".")[2]
            line = next((each for each in lines if word in each.text.lower()), lines[0])
            rule = hint(rule) if is_explained(file, line) else rule
            what = "origin may read the responses" if rule.name == CORS.name else "host is allowed"
            yield put(rule, file, line, f"any {what}", quoted(was[0]))


def _rule(key: str) -> ComparisonRule | None:
    if _ORIGINS.search(key):
        return CORS
    return COOKIE if _HOSTS.search(key) else None


def _bare(key: str) -> str:
    return key.removesuffix("[]")


def _in_code(file: ComparedFile) -> Iterator[Finding]:
    """The middleware that was given origins over several lines, or by a name, has no options."""
    if language_of(file.path) != "js" or not file.mentions(b"cors("):
        return
    for block in file.code.blocks:
        line = next((line for line in block.added if _ANY.search(line.text)), None)
        if line is not None and _named_origins(file, block):
            rule = hint(CORS) if is_explained(file, line) else CORS
            was = next((old.text for old in block.removed if _SOME.search(old.text)), "")
            yield put(rule, file, line, "any origin may read the responses", quoted(was))


def _named_origins(file: ComparedFile, block: Block) -> bool:
    text = "\n".join(line.text for line in block.removed)
    found = _SOME.search(text)
    if found is None or _NAMED_HERE.search(text) or _SOME.search(file.head):
        return False
    return "origin" in (file.base if found["name"] else text[found.start() :])
