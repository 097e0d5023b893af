"""Fields of a record that whoever sends data may write from now on: they leave a list of those that
can only be read, all fields are taken, or what says who somebody is joins those that are taken."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, loss_is_explained
from .._related import brings_tests_for
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "protection-removed",
    Priority.P2,
    "Anyone who sends the request can now set it. Accept only the fields that anyone may set, or "
    "name what rejects the others.",
)
# https://www.django-rest-framework.org/api-guide/serializers/#specifying-read-only-fields
_READ_ONLY = lazy_pattern(r"^\s*read_only_fields\s*=\s*[\[(](?P<names>[^\])]*)[\])]?")
_FIELDS = lazy_pattern(r"^\s*fields\s*=\s*[\[(](?P<names>[^\])]*)")
_ALL = lazy_pattern(r"^\s*fields\s*=\s*[\"']__all__[\"']")
# https://hexdocs.pm/ecto/Ecto.Changeset.html#cast/4
# https://guides.rubyonrails.org/action_controller_overview.html#strong-parameters
# https://laravel.com/docs/eloquent#mass-assignment
_TAKES = lazy_pattern(
    r"(?P<head>\bcast\([^\[\]]*\[|\.permit\(|\bpermit\s+(?=:)|\$fillable\s*=\s*\["
    r"|\battr_accessible\s)"
    r"(?P<names>[^\])]*)"
)
_WORD = lazy_pattern(r"[:\"']?(\w+)[\"']?")
_SAYS_WHO = lazy_pattern(
    r"(?i)^(?:id|uuid|\w*owner(?:_id)?|(?:created_by|user|account|tenant|org(?:ani[sz]ation)?)_id"
    r"|roles?(?:_ids?)?|is_(?:admin|staff|superuser|owner|verified)|admin|superuser|permissions?"
    r"|scopes|balance|credits|verified|email_verified\w*|confirmed_at)$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path):
            for block in file.blocks:
                if found := _opened(file, block):
                    line, title, lost = found
                    meant = loss_is_explained(file, block) or brings_tests_for(sources, file)
                    rule = hint(_RULE) if meant else _RULE
                    make = taken if lost else put
                    yield make(rule, file, line, title)
                    break


def _opened(file: ComparedFile, block: Block) -> tuple[Line, str, bool] | None:
    """A line of the base, or of the head, and what may be written from now on."""
    for old in block.removed:
        if found := _no_longer_read_only(file, block, old) or _takes_all(block, old):
            return found
        if found := _takes_more(block, old):
            return found
    return None


def _no_longer_read_only(
    file: ComparedFile, block: Block, old: Line
) -> tuple[Line, str, bool] | None:
    found = _READ_ONLY.match(code_of(old.text))
    if found is None:
        return None
    now = {name for new in block.added for name in _names(_READ_ONLY, new)}
    if block.added and not now:
        return None
    lost = [name for name in _words(found["names"]) if name not in now and _is_field(file, name)]
    return (old, f"{quoted(lost[0])} may be written by whoever sends it", True) if lost else None


def _takes_all(block: Block, old: Line) -> tuple[Line, str, bool] | None:
    if not _FIELDS.match(code_of(old.text)):
        return None
    new = next((line for line in block.added if _ALL.match(code_of(line.text))), None)
    return (new, "all fields of the record are taken and shown", False) if new else None


def _takes_more(block: Block, old: Line) -> tuple[Line, str, bool] | None:
    found = _TAKES.search(code_of(old.text))
    for new in block.added if found else ():
        now = _TAKES.search(code_of(new.text))
        if found and now and now["head"] == found["head"]:
            more = {*_words(now["names"])} - {*_words(found["names"])}
            risky = sorted(name for name in more if _SAYS_WHO.match(name))
            if risky:
                return new, f"{quoted(risky[0])} may be written by whoever sends it", False
    return None


def _names(pattern: re.Pattern[str], line: Line) -> list[str]:
    found = pattern.match(code_of(line.text))
    return _words(found["names"]) if found else []


def _words(names: str) -> list[str]:
    return [*_WORD.findall(names)]


def _is_field(file: ComparedFile, name: str) -> bool:
    """The file still takes the field."""
    return re.search(rf"[\"']{re.escape(name)}[\"']|__all__", file.head) is not None
