"""Migrations that were there before and have run somewhere, and that a change edits."""

import ast
import re
from collections.abc import Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ..._syntax_tree import parse_python
from ...checks._paths import is_document
from .._definitions import language_of
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "migration-edited",
    Priority.P2,
    "It does not run again where it has already run, so databases can differ; tools that keep "
    "checksums refuse to start. Add a new migration instead.",
)
# What orders them by a version, a time or a number in the name:
# https://documentation.red-gate.com/flyway/flyway-concepts/migrations/versioned-migrations,
# https://guides.rubyonrails.org/active_record_migrations.html, https://laravel.com/docs/migrations,
# https://docs.djangoproject.com/en/stable/topics/migrations/
_NUMBERED = lazy_pattern(
    r"(?:^|/)V(?P<flyway>\d+(?:[._]\d+)*)__[\w.-]+\.(?:sql|java|kt)$"
    r"|(?:^|/)db/migrate/(?P<rails>\d{3,14})_\w+\.rb$"
    r"|(?:^|/)[mM]igrations?/(?:\w+/)*(?P<number>\d{4,14})[_-][\w.-]+\.(?:py|php|sql|ts|js|go|cs"
    r"|exs?|rs)$"
    r"|(?:^|/)[mM]igrations?/(?:\w+/)*(?P<year>\d{4}_\d\d_\d\d_\d{6})_\w+\.php$"
    r"|(?:^|/)[mM]igrations?/(?P<prisma>\d{14})_\w+/migration\.sql$"
    r"|(?:^|/)repo/migrations/(?P<ecto>\d{14})_\w+\.exs$"
    r"|(?:^|/)migrations/(?P<diesel>\d{4}-\d\d-\d\d-\d{6})_\w+/up\.sql$"
)
_NOT_RUN = lazy_pattern(r"(?:^|[._/-])down\.sql$|\.Designer\.cs$")
_STATEMENTS = (
    r"\b(?:CREATE|ALTER|DROP|ADD|INSERT|UPDATE|DELETE|RENAME|COLUMN|PRIMARY|REFERENCES|UNIQUE|INDEX"
    r"|CONSTRAINT|DEFAULT|NULL|VARCHAR|TEXT|INT|INTEGER|BIGINT|BOOLEAN|DATE|TIMESTAMP\w*)\b"
)
_SQL = lazy_pattern(rf"(?i){_STATEMENTS}|<\w+|\btype:|\bname:")
# In code its words are written large, or are the calls of a library
_CODE = lazy_pattern(
    rf"{_STATEMENTS}|\bop\.\w+\(|\bmigrations\.[A-Z]\w+\(|\bmodels\.\w+Field\(|\$table->"
    r"|\bt\.\w+\s|Schema::|migrationBuilder\.|table\.\w+\(|\bqueryInterface\.|\bknex\.|\bsa\.\w+"
    r"|\b(?:add|remove|change|create|drop|rename)_(?:column|index|table|reference|foreign_key"
    r"|timestamps|check_constraint|join_table)\b|\b(?:add|modify|remove)\s+:"
)
# In code; what moves a program's own settings or files on is no matter of a database
OF_DATABASE = lazy_pattern(
    r"(?i)\b(?:\w*sql\w*|\w*query\w*|schemas?|\w*tables?|knex|\w*columns?|db|database|models?|op"
    r"|migrations|collections?|repo|ecto|activerecord|sequel)\b|\b(?:add|create|drop|change)_\w+"
)
# Where it has run, it would do nothing more
_ASKS_FIRST = lazy_pattern(
    r"(?i)\bIF\s+(?:NOT\s+)?EXISTS\b|\bhas_?(?:Table|Column|Index)\b|if_(?:not_)?exists"
    r"|\b(?:table|column|index)_exists\?"
)
_DOWN = lazy_pattern(
    r"\bdef\s+(?:downgrade|down)\b|\bfunction\s+down\b|\bdown[\"']?\s*[=(]|void\s+Down\b"
    r"|--\s*\+(?:goose|migrate)\s+Down|migrate:down|--\s*rollback"
)
# https://documentation.red-gate.com/flyway/flyway-concepts/migrations/checksums,
# https://docs.liquibase.com/concepts/changelogs/changeset-checksums.html,
# https://www.prisma.io/docs/orm/prisma-migrate/understanding-prisma-migrate/mental-model
_CHECKSUMS = ("flyway", "prisma")
_CHANGE_SET = lazy_pattern(
    r"<changeSet\b|^\s*(?:-\s*)?changeSet\s*:|^\s*--\s*changeset\s+\S|^\s*\"changeSet\"\s*:"
)
_SET_ID = lazy_pattern(r"\bid\"?\s*[=:]\s*[\"']?(?P<id>[\w.:-]+)|changeset\s+(?P<sql>\S+)")
_RERUN = lazy_pattern(r"(?i)runOnChange[\"']?\s*[=:]\s*[\"']?true|validCheckSum|runAlways")
_SET_FILES = lazy_pattern(r"\.(?:xml|ya?ml|json|sql)$")
_ALEMBIC = lazy_pattern(r"(?:^|/)versions/\w+\.py$")
_REVISION = lazy_pattern(r"(?m)^revision\b[^=\n]*=\s*[\"'](?P<id>\w+)")
_MOST = 3  # of a change: more are edited by a formatter, or for another database


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change."""
    edited = [file for file in sources.files if _is_migration(file)]
    if 0 < len(edited) <= _MOST:
        yield from [found for file in edited for found in _in_file(sources, file)][:1]


def _is_migration(file: ComparedFile) -> bool:
    """It was there, and is there under the same name."""
    if file.diff.status != "M" or file.is_test or is_document(file.path):
        return False
    if _NOT_RUN.search(file.path):
        return False
    return (
        _NUMBERED.search(file.path) is not None
        or _has_sets(file)
        or (_ALEMBIC.search(file.path) is not None and _REVISION.search(file.base) is not None)
    )


def _has_sets(file: ComparedFile) -> bool:
    """It is a change log of Liquibase."""
    return _SET_FILES.search(file.path) is not None and _CHANGE_SET.search(file.base) is not None


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    code = file.code if language_of(file.path) else file
    if language_of(file.path) and not OF_DATABASE.search(file.head):
        return
    if _is_the_same(code) or _may_be_new(sources, file):
        return
    for block in code.blocks:
        line = next((each for each in (*block.added, *block.removed) if _acts(code, each)), None)
        if line is None or _says(code, block.removed) == _says(code, block.added):
            continue
        if _has_sets(file) and not _is_in_old_set(file, line, line in block.added):
            continue
        new = line if line in block.added else next(iter(block.added), Line(0, ""))
        careful = any(_ASKS_FIRST.search(each.text) for each in block.added)
        rule = hint(_RULE) if careful or is_explained(file, new) else _RULE
        was = quoted(" ".join(each.text for each in block.removed)) if block.removed else ""
        yield put(rule, file, new, "an existing migration is edited", was)
        return


def _is_the_same(code: ComparedFile) -> bool:
    """It only looks different, or changes what a database does not hold."""
    if _said(code.base_rows) == _said(code.head_rows):
        return True
    return code.path.endswith(".py") and _columns(code.base) == _columns(code.head) is not None


# "Field attributes which don't affect a database column definition" in
# https://docs.djangoproject.com/en/stable/howto/custom-model-fields/
_NOT_STORED = frozenset(
    [
        "blank",
        "choices",
        "editable",
        "error_messages",
        "help_text",
        "limit_choices_to",
        "on_delete",
        "related_name",
        "related_query_name",
        "validators",
        "verbose_name",
    ]
)


def _columns(text: str) -> str | None:
    """The code without what Django keeps out of the database; None for what is no Python."""
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [each for each in node.keywords if each.arg not in _NOT_STORED]
    return ast.dump(tree)


def _may_be_new(sources: ComparisonInput, file: ComparedFile) -> bool:
    """None comes after it, so it may not have run anywhere; tools with checksums have refused
    another text of it since it was there."""
    if found := _NUMBERED.search(file.path):
        sums = any(found[name] for name in _CHECKSUMS)
        return not sums and _is_newest(sources, file)
    if found := _REVISION.search(file.base):
        places = sources.find_words([found["id"]])[found["id"]]
        return not any(
            "down_revision" in place.text and place.path not in _new(sources) for place in places
        )
    return False


def _is_in_old_set(file: ComparedFile, line: Line, is_added: bool) -> bool:
    """The line belongs to a change set that the other side has, too."""
    mine, other = (file.head_rows, file.base) if is_added else (file.base_rows, file.head)
    first = next((n for n in range(line.number, 0, -1) if _CHANGE_SET.search(mine[n - 1])), 0)
    about = "\n".join(mine[first - 1 : first + _HEAD]) if first else ""
    found = _SET_ID.search(about)
    return (
        found is not None
        and _RERUN.search(about) is None
        and re.search(rf"(?<![\w.:-]){re.escape(found['id'] or found['sql'])}(?![\w.:-])", other)
        is not None
    )


_HEAD = 4  # lines that say whose change set it is


def _acts(file: ComparedFile, line: Line) -> bool:
    """It changes a database on the way up."""
    rows = file.head_rows if line in file.added else file.base_rows
    above = rows[: line.number]
    down = next((at for at, row in enumerate(above) if _DOWN.search(row)), None)
    does = _CODE if language_of(file.path) else _SQL
    return does.search(line.text) is not None and down is None


def _says(file: ComparedFile, lines: Sequence[Line]) -> str:
    """The statements; in code without the modules of the names, which may have moved."""
    rows = [line.text for line in lines]
    return _said([_MODULES.sub("", row) for row in rows] if language_of(file.path) else rows)


_MODULES = lazy_pattern(r"(?:\b[a-z]\w*\.)+(?=\w)")


def _said(rows: Sequence[str]) -> str:
    """The text however it is laid out and quoted."""
    bare = (row for row in rows if not row.lstrip().startswith(("--", "#", "//", "*", "/*")))
    return re.sub(r"[\s\"'`,;()]+", "", "".join(bare)).lower()


def _is_newest(sources: ComparisonInput, file: ComparedFile) -> bool:
    """No other migration of its folder comes after it, so it may not have left the branch yet."""
    mine = _version(file.path)
    folder = re.sub(r"[^/]+/$", "", file.folder) if file.name == "up.sql" else file.folder
    others = (
        _version(path)
        for path in sources.list_head()
        if path != file.path and path.startswith(folder) and path not in _new(sources)
    )
    return not any(other > mine for other in others if other)


def _new(sources: ComparisonInput) -> frozenset[str]:
    return frozenset(file.path for file in sources.files if file.is_new)


def _version(path: str) -> tuple[int, ...]:
    found = _NUMBERED.search(path)
    said = next((each for each in found.groups() if each), "") if found else ""
    return tuple(map(int, re.findall(r"\d+", said)))
