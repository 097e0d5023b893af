"""Rights that a description of infrastructure gives, and that reach further than before."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._guards import code_of, is_explained, weigh_new
from .._remark import ComparisonRule, hint, put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "rights-widened",
    Priority.P1,
    "Anyone who holds these rights, or takes over their holder, can do more. Grant only what is "
    "needed.",
)
_FILES = lazy_pattern(r"\.(?:tf|hcl|ya?ml|json|tpl|bicep)$")
# https://kubernetes.io/docs/reference/access-authn-authz/rbac/
_ROLES = lazy_pattern(r"(?m)^\s*(?:-\s*)?kind:\s*(?:Cluster)?Role\s*$")
_IAM = lazy_pattern(
    r"(?m)aws_iam_\w+|\"Statement\"\s*:|^\s*Statement:|_policy\"|google_\w*iam\w*|azurerm_role_\w+"
)
_ALL = lazy_pattern(
    r"^\s*(?:-\s*)?(?:[\"']?(?:actions?|resources?|verbs"
    r"|apiGroups)[\"']?\s*[:=]\s*)?\[?\s*[\"']\*[\"']\s*\]?,?\s*$",
    re.I,
)
_DENY = lazy_pattern(r"^\s*[\"']?effect[\"']?\s*[:=]\s*[\"']?Deny[\"']?", re.I)
_ALLOW = lazy_pattern(r"^\s*[\"']?effect[\"']?\s*[:=]\s*[\"']?Allow[\"']?", re.I)
_NARROWS = lazy_pattern(
    r"^\s*(?:resourceNames:|permissions_boundary\s*=|PermissionsBoundary:"
    r"|[\"']?[cC]ondition[\"']?\s*(?:[:=]\s*)?\{)"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and _FILES.search(file.path):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not (_ROLES.search(file.head) or _IAM.search(file.head)):
        return
    for block in file.blocks:
        yield from _narrowing_lost(sources, file, block)
        if block.removed and block.added:
            yield from _widened(file, block)


def _narrowing_lost(
    sources: ComparisonInput, file: ComparedFile, block: Block
) -> Iterator[Finding]:
    """What narrowed a rule is gone, and the rule stays."""
    line = next((line for line in block.removed if _NARROWS.match(code_of(line.text))), None)
    if line is None or squeeze(line.text) in sources.added_statements or block.added:
        return
    if file.path.endswith((".tf", ".hcl")) and not _IAM.search(_resource(file.base_rows, line)):
        return  # a condition of something else
    above = next((row for row in reversed(file.base_rows[: line.number - 1]) if row.strip()), "")
    if block.removed[0] is line and above in file.head_rows:
        rule = _RULE if not any(is_explained(file, new) for new in file.added) else hint(_RULE)
        yield taken(rule, file, line, f"these rights are no longer restricted: {quoted(line.text)}")


def _resource(rows: Sequence[str], line: Line) -> str:
    """The row that opens the resource around the line."""
    return next((row for row in reversed(rows[: line.number]) if row[:1].isalpha()), "")


def _is_of_rights(rows: Sequence[str], line: Line) -> bool:
    """The entry of a list belongs to a key of a rule."""
    if not _ENTRY.match(line.text):
        return True
    depth = len(line.text) - len(line.text.lstrip())
    for row in reversed(rows[: line.number - 1]):
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent <= depth and not _ENTRY.match(row):
            return _KEY.match(row) is not None
    return False


def _is_denied(rows: Sequence[str], line: Line) -> bool:
    """A key beside it says that nobody may."""
    depth = len(line.text) - len(line.text.lstrip())

    def inside(row: str) -> bool:
        return not row.strip() or len(row) - len(row.lstrip()) >= depth

    above = takewhile(inside, reversed(rows[: line.number - 1]))
    return any(map(_DENY.match, (*above, *takewhile(inside, rows[line.number :]))))


_ENTRY = lazy_pattern(r"^\s*(?:-\s*)?[\"'][^\"':]*[\"'],?\s*$")
_KEY = lazy_pattern(r"(?i)^\s*(?:-\s*)?[\"']?(?:not_?)?(?:actions?|resources?|verbs|apiGroups)\b")


def _widened(file: ComparedFile, block: Block) -> Iterator[Finding]:
    """Some became all, or what was denied is allowed."""
    olds = [code_of(line.text) for line in block.removed]
    for new in block.added:
        code = code_of(new.text)
        every = _ALL.match(code) and not any(_ALL.match(old) for old in olds)
        every = every and _is_of_rights(file.head_rows, new) and not _is_denied(file.head_rows, new)
        allowed = _ALLOW.match(code) and any(map(_DENY.match, olds))
        if every or allowed:
            rule = weigh_new(_RULE, file, new)
            title = (
                "rights that were denied are now allowed"
                if allowed
                else "these rights now apply to everything"
            )
            yield put(rule, file, new, title, quoted(block.removed[0].text))
            return
