"""Statements that all took effect or none, and that no transaction is around any more."""

from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._around import are_kept, guarded_rows
from .._guards import code_of, decorated, unit_stays, weigh_loss
from .._remark import ComparisonRule, taken
from .._sources import ComparedFile, ComparisonInput, Line, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "transaction-removed",
    Priority.P2,
    "If one of these statements fails, what the earlier ones wrote stays. Restore the "
    "transaction, or name the one that the callers open.",
)
# https://docs.spring.io/spring-framework/reference/data-access/transaction/declarative/annotations.html
# https://docs.djangoproject.com/en/stable/topics/db/transactions/
_MARKS = lazy_pattern(
    r"^\s*@(?:Transactional\b(?![^)\n]*(?:readOnly\s*=\s*true|NEVER|NOT_SUPPORTED))"
    r"|(?:transaction|db)\.atomic\b|atomic\b|commit_on_success\b|transactional\b|Transaction\(\))"
)
_OPENS = lazy_pattern(
    r"^\s*(?:async\s+)?with\s+(?:transaction\.atomic|[\w.]+\.(?:begin|begin_nested|transaction"
    r"|atomic))\(.*\).*:\s*$"
    r"|^.*(?:^|[\s.])(?:transaction|with_transaction)(?:\([^()]*\))?\s+do\b"
    r"|^.*\bDB::transaction\(|^.*->(?:transaction|transactional"
    r"|wrapInTransaction)\(\s*(?:static\s+)?"
    r"(?:function|fn)\b"
    r"|^.*\.(?:\$transaction|transaction)\(\s*(?:\{[^}]*\}\s*,\s*)?(?:async\b|function\b"
    r"|\(?\w*\)?\s*=>)"
    r"|^\s*(?:await\s+)?using\s*(?:var\s|\().*\b(?:BeginTransaction\w*|TransactionScope)\("
    r"|^.*\b(?:Repo|Multi)\.transaction\(\s*fn\b|^.*\btransactionTemplate\.execute\w*\("
    r"|^\s*transaction\s*(?:\([^()]*\)\s*)?\{"
)
# https://www.php.net/manual/en/pdo.begintransaction.php, https://pkg.go.dev/database/sql#DB.BeginTx,
# https://sequelize.org/docs/v6/other-topics/transactions/ and what is called likewise
_BEGINS = lazy_pattern(
    r"^\s*(?:BEGIN(?:\s+(?:TRANSACTION|WORK|IMMEDIATE|EXCLUSIVE))?|START\s+TRANSACTION)\s*;\s*$"
    r"|^.*(?:->|::|\.)(?:beginTransaction|BeginTransaction(?:Async)?"
    r"|setAutoCommit)\((?:false)?\)\s*(?:;\s*)?$"
    r"|^\s*\w+,\s*\w+\s*:?=\s*[\w.]+\.Begin(?:Tx\w*)?\("
    r"|^\s*(?:const|let|var)\s+\w+\s*=\s*await\s+[\w.]+\.(?:transaction|startTransaction)\(\)"
    r"|^.*\.(?:query|execute|exec\w*)\(\s*[\"'](?:BEGIN|START TRANSACTION)\b"
    r"|^\s*(?:await\s+)?[\w.]+\.begin\(\)\s*(?:;\s*)?$"
)
_FUNCTIONS = lazy_pattern(
    r"^.*\.(?:Transaction|RunInTransaction|RunInTx|WithTx|InTx|WithTransaction|withTransaction)"
    r"\([^\n]*\bfunc\("
)
# Whatever a statement is given to: `tx.Create(order)` becomes `db.Create(order)`
_GIVEN_TO = lazy_pattern(
    r"\b(?:\w+\.)*\w*(?:tx|Tx|TX|trx|db|DB|prisma|knex|[cC]onn|[cC]onnection|[sS]ession|[mM]anager"
    r"|pool|client|sequelize)\."
    r"|\b(?:trx|tx|db|knex)(?=\(['\"])"
    r"|,?\s*\{\s*(?:transaction:\s*\w+|session|transaction)\s*\}|,\s*transaction:\s*\w+"
)
_ENDS = lazy_pattern(
    r"(?i)\b(?:commit|rollback|roll_back)\w*\b|setAutoCommit|\b(?:finally|catch)\b"
    r"|^\s*\}\s*\)\s*;?$"
    r"|^\s*end\b|^\s*(?:try|begin)\s*[:{]?$|^\s*(?:raise|throw)\b|^\s*if\s+err\s*!=\s*nil\s*\{$"
    r"|^\s*return\s+(?:\w+,\s*)*err$"
)
_WORDS = (b"ransaction", b"tomic", b"begin", b"Begin", b"BEGIN", b"TRANSACTION", b"AutoCommit")
# https://api.rubyonrails.org/classes/ActiveRecord/Locking/Pessimistic.html#method-i-with_lock
_SPEAKS = lazy_pattern(
    r"(?i)transaction|atomic|\bwith_lock\b|\bbegin\w*\b|unit_?of_?work|autocommit|\btx\b"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(*_WORDS) and not _moves(sources):
            yield from islice(_in_file(sources, file), 1)


def _moves(sources: ComparisonInput) -> bool:
    """The change speaks of transactions in a line that is new, in any of its files."""
    gone = sources.removed_statements
    return any(
        _SPEAKS.search(code_of(line.text)) and squeeze(line.text) not in gone
        for file in sources.files
        if file.is_product
        for line in file.added
    )


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for line in block.removed:
            code = code_of(line.text)
            if _MARKS.match(code):
                lost = _is_unmarked(file, line)
            elif any(form.match(code) for form in (_OPENS, _BEGINS, _FUNCTIONS)):
                rows = [row for row in guarded_rows(file, line) if not _ENDS.search(row)]
                lost = _stays(file, line) and len(rows) > 1 and are_kept(file, line, rows, _bare)
            else:
                continue
            if lost and squeeze(line.text) not in sources.added_statements:
                title = "these statements no longer run in one transaction"
                yield taken(weigh_loss(_RULE, file, block), file, line, title)


def _bare(row: str) -> str:
    return squeeze(_GIVEN_TO.sub("", row))


def _stays(file: ComparedFile, line: Line) -> bool:
    return file.path.endswith(".sql") or unit_stays(file, line)


def _is_unmarked(file: ComparedFile, line: Line) -> bool:
    """What the mark was for does the same as before, without it, and its class has none."""
    name = decorated(file.base, line.number)
    rows = range(line.number, min(line.number + _MOST_ABOVE, len(file.base_rows)) + 1)
    first = next((n for n in rows if file.base_code.unit(n).rpartition(".")[2] == name), 0)
    if not (name and first):
        return False
    unit = file.base_code.unit(first)
    marked = {
        decorated(file.head, at) for at, row in enumerate(file.head_rows, 1) if _MARKS.match(row)
    }
    if not marked.isdisjoint(unit.split(".")):
        return False
    head = Line(first, file.base_rows[first - 1])
    return are_kept(file, head, guarded_rows(file, head))


_MOST_ABOVE = 12  # lines of marks above a definition
