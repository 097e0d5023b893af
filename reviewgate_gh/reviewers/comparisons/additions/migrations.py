"""Migrations that lose data, block the table, or cannot be taken back."""

import re
from collections.abc import Collection, Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document, is_foreign, is_lock_file
from .._definitions import language_of
from .._guards import code_of
from .._remark import ComparisonRule, hint, put
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word
from ._ways_back import are_others_one_way, has_empty_way_back, without_way_back
from .edited_migrations import OF_DATABASE

EVERY_FILE = False
_DROPS = ComparisonRule(
    "migration-drops",
    Priority.P2,
    "What it held is lost as soon as this runs, and a rollback does not bring it back. Stop using "
    "it first, keep a copy, and drop it in a later release.",
)
_LOCKS = ComparisonRule(
    "migration-locks",
    Priority.P2,
    "The table is locked while this runs, and everything that uses it waits. Do it without a lock, "
    "or in steps.",
)
_ONE_WAY = ComparisonRule(
    "migration-irreversible",
    Priority.P2,
    "If the release fails, there is no way back. Write the step that reverses it, or say why there "
    "is none.",
)
_PATH = lazy_pattern(
    r"(?:^|/)(?:migrations?|migrate|db/(?:migrate|changelog)|alembic|versions|flyway|liquibase"
    r"|changelog|evolutions)/|(?:^|/)V\d[\w.]*__\w+\.sql$|\.(?:up|down)\.sql$|(?:^"
    r"|/)schema\.sql$",
    re.I,
)
_DROPPED = lazy_pattern(
    r"(?:DROP\s+(?:TABLE|COLUMN)\s+(?:IF\s+EXISTS\s+)?|TRUNCATE\s+(?:TABLE\s+)?"
    r"|\s*DELETE\s+FROM\s+)"
    r"(?!IF\s)(?:[\"`\[]?\w+[\"`\]]?\.)?[\"`\[]?(\w+)",
    re.I,
)
_DOWN = lazy_pattern(r"(?:^|[._/-])down\.sql$|\brevert|/undo|(?:^|/)U\d[\w.]*__")
_DROP = lazy_pattern(
    r"\bDROP\s+(?:TABLE|COLUMN|DATABASE|SCHEMA)\b|\bTRUNCATE\s+(?:TABLE\s+)?\w"
    r"|^\s*DELETE\s+FROM\s+\w+\s*;|\bop\.drop_(?:table|column)\(|migrations\.(?:DeleteModel"
    r"|RemoveField)\("
    # https://docs.liquibase.com/change-types/drop-column.html
    r"|^\s*-\s+drop(?:Table|Column)\s*:"
    r"|^\s*(?:up\s*\{\s*)?(?:drop_table|drop_column|remove_column|remove_columns|drop_join_table"
    r"|t\.remove)\b"
    r"|\.drop(?:Table|Column|Columns|TableIfExists)\(|queryInterface\.(?:dropTable"
    r"|removeColumn)\(|Schema::drop(?:IfExists)?\(|->dropColumn\(|<drop(?:Table|Column)\b"
    r"|^\s*remove\s+:\w+|drop\s+table\(",
    re.I | re.M,
)
_LOCK = lazy_pattern(
    r"\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)(?!IF\s+NOT\s+EXISTS\s+\w+\s+ON\s+NEW)"
    r"|\bLOCK\s+TABLE\b|\bSET\s+NOT\s+NULL\b"
    r"|\bADD\s+COLUMN\b(?![^;]*\bDEFAULT\b)[^;]*\bNOT\s+NULL\b|\bALTER\s+COLUMN\b[^;]*\bTYPE\b"
    r"|^\s*change_column\s|^\s*change_column_null\s|^\s*add_index\b(?!.*concurrently)",
    re.I | re.M,
)
_RENAME = lazy_pattern(r"\brename[ _]?(?:column|field|model|table)\b", re.I)
_RENAMED = lazy_pattern(r"RENAME\s+COLUMN\s+[\w\"`\[\].]+\s+TO\s+[\"`\[]?(\w+)", re.I)
_NEW_TABLE = lazy_pattern(
    r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\"`]?\w+[\"`]?\.)?[\"`]?(\w+)"
    r"|^\s*(?:op\.)?create_table\s*(?:\(\s*)?[:\"'](\w+)"
    r"|\bCreate(?:Model|Table)\(\s*(?:name\s*[=:]\s*)?[\"'`](\w+)|\bSchema::create\([\"'](\w+)",
    re.I | re.M,
)
_ON_TABLE = lazy_pattern(
    r"\b(?:ON|TABLE)\s+(?:ONLY\s+)?(?:[\"`]?\w+[\"`]?\.)?[\"`]?(\w+)"
    r"|^\s*add_index\s*(?:\(\s*)?[:\"'](\w+)",
    re.I,
)
_UNKNOWN = "No model or older migration of the project mentions this name."
# https://docs.djangoproject.com/en/stable/topics/migrations/#squashing-migrations
_SQUASHES = lazy_pattern(r"(?m)^\s+replaces\s*=\s*[\[(]")
_CALL = lazy_pattern(r"[^\n(]*(?:\([^)]*)?")
_QUOTED = lazy_pattern(r"[:\"'`](?:\w+\.)?(\w+)")
_HOLDS_MODELS = lazy_pattern(r"(?i)model|entit|schema|\.prisma$|\.sql$|structure|domain")
_MOVES = lazy_pattern(
    r"(?i)\b(?:INSERT\s+INTO|UPDATE\s+[\w.\"`\[]+\s+SET|MERGE\s+INTO|SELECT\b.*\bINTO|COPY\b)"
    r"|\b(?:find_each|find_in_batches|update_columns?|update_all|insert_all|each_batch|bulk_insert"
    r"|bulk_create|chunk(?:ById)?|backfill|upsert)\b|->(?:insert|update)\(|RunPython"
)
_READS = lazy_pattern(
    r"(?i)\b(?:where\w*|each|find\w*|pluck|select|from|filter|map|iterator|all|get)\b(?!\w)\s*[({ ]"
)
_LONGEST = 5  # lines of a statement


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a migration of each kind."""
    for file in sources.files:
        if (
            file.added
            and not (file.is_gone or file.is_test or is_document(file.path))
            and _PATH.search(file.path)
        ):
            if file.name.endswith(".py") and "versions/" in file.path and "op." not in file.head:
                continue
            if language_of(file.path) and not OF_DATABASE.search(file.head):
                continue
            if not _DOWN.search(file.path):
                code = file.code if language_of(file.path) else file
                yield from _in_file(sources, code)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if _SQUASHES.search(file.head):
        return  # those in whose place it stands have run
    forward = _forward(file)
    made = _made_now(sources, file)
    code = [line for line in forward if not _is_comment(line)]
    renames = [*_renames(file, code)]
    before = [names for other in _of_before(sources, file) for names in _dropped_by(other)]
    drop = next((line for line in code if _is_new_drop(file, line, before, renames)), None)
    lock = _first_lock(file, code, made)
    if drop is not None and not _refills(forward):
        yield from _drops(sources, file, forward, drop)
    elif lock is not None and file.is_new and not _is_embedded(sources):
        # Rails leaves the kind of database open, and few block writers for an index
        rule = hint(_LOCKS) if "add_index" in lock.text else _LOCKS
        yield put(rule, file, lock, "a migration locks a table that is in use")
    elif found := without_way_back(file):
        first, last = (file.head.count("\n", 0, at) + 1 for at in found.span())
        line = next((line for line in file.added if first <= line.number <= last), Line(0, ""))
        rule = hint(_ONE_WAY, _AS_OTHERS) if are_others_one_way(sources, file) else _ONE_WAY
        yield put(rule, file, line, "this migration cannot be reversed")


def _drops(
    sources: ComparisonInput, file: ComparedFile, forward: list[Line], drop: Line
) -> Iterator[Finding]:
    names = _names_of(file.head_rows, drop)
    if not names and language_of(file.path):
        return  # code that writes such a statement for whoever calls it
    if file.name == "schema.sql" and _is_of(_tables(_NEW_TABLE, file.head), " ".join(names)):
        return  # it makes the whole database anew
    if not (names and _may_copy(sources, file, forward, Line(drop.number, names[-1]))):
        if not _is_known(sources, drop, names):
            yield put(hint(_DROPS, _UNKNOWN), file, drop, "a migration drops data")
        elif has_empty_way_back(file) and not are_others_one_way(sources, file):
            title = "a migration drops data, and its way back is empty"
            yield put(_ONE_WAY, file, drop, title)
        else:
            yield put(_DROPS, file, drop, "a migration drops data")


_AS_OTHERS = "Older migrations beside it cannot be reversed, either."


def _first_lock(file: ComparedFile, code: list[Line], made: set[str]) -> Line | None:
    """What locks a table that the change did not make."""
    locks = (line for line in code if _LOCK.search(line.text) and not _BUILDS.search(line.text))
    return next((line for line in locks if not _is_of(made, _statement(file, line))), None)


def _is_of(made: set[str], statement: str) -> bool:
    """It is about one of these tables; where its name is put in from elsewhere, it names one."""
    tables = _tables(_ON_TABLE, statement)
    if tables:
        return bool(made & tables)
    return not made.isdisjoint(re.findall(r"[a-z0-9]+", statement.lower()))


# Nothing else uses a file of SQLite while it is migrated, and it has no other way
# (https://www.sqlite.org/lockingv3.html)
_EMBEDDED = ("sqlite", "sqlite3", "SQLite", "SQLITE")
_SERVERS = (
    "postgres", "postgresql", "Postgres", "PostgreSQL", "POSTGRES", "psycopg", "psycopg2", "pgx",
    "asyncpg", "Npgsql", "mysql", "MySQL", "MYSQL", "mysql2", "mariadb", "MariaDB", "sqlserver",
    "SqlServer", "mssql", "oracledb", "cockroachdb",
)  # fmt: skip


def _is_embedded(sources: ComparisonInput) -> bool:
    """The project's code and settings speak of SQLite, and of no server for databases."""
    found = sources.find_words({*_EMBEDDED, *_SERVERS})
    told = {
        word for word, places in found.items() if any(_is_of_code(place, word) for place in places)
    }
    return bool(told.intersection(_EMBEDDED)) and told.isdisjoint(_SERVERS)


def _is_of_code(place: Place, word: str) -> bool:
    """The word stands in the project's own code or settings, and not in a comment."""
    others = is_document(place.path) or is_lock_file(place.path) or is_foreign(place.path)
    return not (others or place.path.endswith(".d.ts")) and has_word(code_of(place.text), word)


def _is_known(sources: ComparisonInput, drop: Line, names: Sequence[str]) -> bool:
    """What it drops was there: models or older migrations have each of the names."""
    if "RemoveField" in drop.text:
        names = names[-1:]  # Django writes the model in small letters
    places = _places(sources, names)
    return bool(names) and all(_was_made(sources, each) for each in places)


def _may_copy(
    sources: ComparisonInput, file: ComparedFile, forward: list[Line], dropped: Line
) -> bool:
    """The migration, or another one of the change, moves data: perhaps all that is worth keeping of
    what is dropped, which the line names."""
    rows = (row for row in file.head_rows if not _is_comment(Line(0, row)))
    if _MOVES.search("\n".join(rows if file.name.endswith(".sql") else _texts(forward))):
        return True
    others = (each.head for each in sources.files if each.is_new and _PATH.search(each.path))
    if any(has_word(text, dropped.text) and _COPIES.search(text) for text in others):
        return True
    above = (line for line in forward if line.number < dropped.number)
    return any(has_word(line.text, dropped.text) and _READS.search(line.text) for line in above)


# Of a migration beside it, which hands the data on
_COPIES = lazy_pattern(
    r"(?is)\bRunPython\(|\bUPDATE\s[^;]*\sSET\s|\bINSERT\s+INTO\b[^;]*\bSELECT\b|\bupdate_all\b"
)


def _texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines if not _is_comment(line)]


def _names_of(lines: Sequence[str], drop: Line) -> list[str]:
    """The table, the column, or both of them that the first statement of the line drops."""
    rows = "\n".join(lines[drop.number - 1 : drop.number + _LONGEST])
    rows = rows if any(map(str.strip, lines[drop.number :])) else f"{rows.rstrip()};"
    found = _DROP.search(rows)
    rows = rows[found.start() :] if found else ""
    if sql := _DROPPED.match(rows):
        statement = rows.partition(";")[0]
        return [sql[1], *(_MORE.findall(statement) if _TABLES.match(rows) else ())]
    if _OF_CHANGELOG.match(rows.lstrip()):
        return [found[1] for found in _OF_NAME.finditer(rows)][:2]
    call = _CALL.match(rows)
    return _QUOTED.findall(call[0])[:2] if call else []


# `DROP TABLE a, b`
_TABLES = lazy_pattern(r"(?i)DROP\s+TABLE\b")
_MORE = lazy_pattern(r"(?i),\s*(?:\w+\.)?[\"`\[]?(\w+)[\"`\]]?\s*(?=,|$|CASCADE|RESTRICT)")
_OF_CHANGELOG = lazy_pattern(r"-\s+drop(?:Table|Column)\s*:")
_OF_NAME = lazy_pattern(r"\b(?:column|table)Name\s*:\s*[\"']?(\w+)")


def _renames(file: ComparedFile, code: list[Line]) -> Iterator[list[str]]:
    """The names in each statement that renames; the last is the new one."""
    for line in code:
        if _RENAME.search(line.text):
            rows = "\n".join(file.head_rows[line.number - 1 : line.number + _LONGEST])
            found = _RENAME.search(rows)
            rows = rows[found.start() :] if found else ""
            sql, call = _RENAMED.match(rows), _CALL.match(rows)
            yield [sql[1]] if sql else _QUOTED.findall(call[0]) if call else []


def _is_new_drop(
    file: ComparedFile, line: Line, before: list[list[str]], renames: list[list[str]]
) -> bool:
    """It drops what the migration did not drop before, and what no other takes the name of."""
    if not _DROP.search(line.text) or _WRITES.search(line.text):
        return False
    names = _names_of(file.head_rows, line)
    known = {name for each in before for name in each}  # also of several statements
    return not (names and known.issuperset(names)) and not _is_replaced(names, renames)


# A part of a statement, by code that writes them: `.Append(" DROP COLUMN ")`
_BUILDS = lazy_pattern(r"\.(?:[aA]ppend\w*|[wW]rite\w*|push_(?:str|sql))\(\s*[\"'] ")
_WRITES = lazy_pattern(
    r"(?i)\.(?:append\w*|write\w*|push_str)\(\s*[\"'][^\"']*\bDROP\s+\w+\s*[\"']"
)


def _is_replaced(dropped: list[str], renames: list[list[str]]) -> bool:
    """Another column or table takes the name: what is worth keeping is there by then."""
    return bool(dropped) and any(
        names[-1:] == dropped[-1:] and (len(names) < 3 or names[0] == dropped[0])
        for names in renames
    )


def _of_before(sources: ComparisonInput, file: ComparedFile) -> list[ComparedFile]:
    """The migration as it was, and those that the change takes away: they may be in it now."""
    gone = (each for each in sources.files if each.is_gone and each.folder == file.folder)
    return [file, *gone]


def _dropped_by(file: ComparedFile) -> Iterator[list[str]]:
    """The names in each statement of the base that drops, and that the change takes away; the last
    statement of a file may end without a semicolon."""
    for old in file.removed:
        ends = not any(map(str.strip, file.base_rows[old.number :]))
        if _DROP.search(f"{old.text};" if ends else old.text):
            yield _names_of(file.base_rows, old)


def _made_now(sources: ComparisonInput, file: ComparedFile) -> set[str]:
    """The tables that the migrations of the change make: nobody uses them yet."""
    new = (each for each in sources.files if each.is_new and _PATH.search(each.path))
    return _tables(_NEW_TABLE, "\n".join(each.head for each in (file, *new)))


def _places(sources: ComparisonInput, names: Collection[str]) -> Iterator[list[Place]]:
    """Where the files that the base has name each of them: as they are at head, and as those were
    that the change edits."""
    found = sources.find_words(set(names))
    for name in names:
        yield [place for place in found[name] if place.path not in sources.changed_paths] + [
            Place(file.path, number, row)
            for file in sources.files
            for number, row in enumerate(file.base_rows, 1)
            if has_word(row, name)
        ]


def _was_made(sources: ComparisonInput, places: list[Place]) -> bool:
    """A model, a schema or an older migration has it."""
    return any(_HOLDS_MODELS.search(place.path) or _PATH.search(place.path) for place in places)


def _refills(lines: list[Line]) -> bool:
    """It is a rename in disguise: what is dropped was copied first."""
    return any(
        re.search(
            r"\bINSERT\s+INTO\b.*\bSELECT\b|\bRENAME\s+TO\b|\bSET\s+[\w.`\"]+\s*=|\bupdate_all\b"
            r"|\bRunPython\(",
            line.text,
            re.I,
        )
        for line in lines
    )


def _forward(file: ComparedFile) -> list[Line]:
    """The added lines that are run on the way up."""
    rows = file.head_rows
    down = next(
        (
            number
            for number, row in enumerate(rows, 1)
            if re.search(
                r"\bdef\s+(?:downgrade|down)\b|\bfunc\s+down\w*\(|\bdown[\"']?\s*[=(]"
                r"|\bfunction\s+down\b"
                r"|--\s*\+(?:goose|migrate)\s+Down|migrate:down|!Downs|void\s+Down\b|<rollback"
                r"|--\s*rollback",
                row,
                re.I,
            )
        ),
        len(rows) + 1,
    )
    up = next(
        (
            number
            for number, row in enumerate(rows, 1)
            if number > down
            and re.search(
                r"\bdef\s+(?:upgrade|up)\b|\bfunc\s+[uU]p\w*\(|\bup[\"']?\s*[=(]|\bfunction\s+up\b",
                row,
            )
        ),
        0,
    )
    return [line for line in file.added if line.number < down or (up and line.number > up)]


def _is_comment(line: Line) -> bool:
    return line.text.lstrip().startswith(("--", "#", "//", "*", "/*"))


def _statement(file: ComparedFile, line: Line) -> str:
    """The line, and those that follow it up to a semicolon; in other code than SQL these only where
    the line names no table."""
    rows: list[str] = []
    for row in file.head_rows[line.number - 1 : line.number + _LONGEST]:
        rows.append(row)
        if ";" in row:
            break
    goes_on = file.name.endswith(".sql") or not _ON_TABLE.search(line.text)
    return " ".join(rows) if goes_on else line.text


def _tables(pattern: re.Pattern[str], text: str) -> set[str]:
    return {name.lower() for found in pattern.findall(text) for name in found if name}
