"""Statements that one thread at a time ran, and that no lock is around any more."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._around import are_kept, guarded_rows
from .._definitions import language_of
from .._guards import code_of, same_but_for, unit_stays, weigh_loss
from .._remark import ComparisonRule, hint, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze

EVERY_FILE = False
_RULE = ComparisonRule(
    "lock-removed",
    Priority.P2,
    "Two threads can now run these statements at once and see each other's half-finished "
    "changes. Restore the lock, or say why it is not needed.",
)
# A lock that is told by its method alone, and one that is told by its name
_ANY = r"(?:[\w$@]+(?:\.|->|\?\.|::))*[$@#]?(?P<lock>\w+)"
_NAMED = (
    r"(?:[\w$@]+(?:\.|->|\?\.|::))*[$@#]?"
    r"(?P<lock>\w*(?:[lL]ock|LOCK|[mM]utex|MUTEX|[sS]emaphore|[mM]onitor|lck|LCK|\bsem\b"
    r"|\bSEM\b)\w*)"
)
_TAKES = {
    "py": (
        rf"^\s*(?:async\s+)?with\s+{_NAMED}(?:\([^()]*\))?(?:\.\w+\(\))?\s*:\s*$",
        rf"^\s*(?:await\s+)?{_NAMED}\.acquire\(",
    ),
    "js": (rf"^\s*(?:.*\s)?await\s+{_NAMED}\.(?:acquire|lock)\(", rf"^.*\b{_ANY}\.runExclusive\("),
    "go": (rf"^\s*{_ANY}\.R?Lock\(\)\s*$",),
    # C# and Kotlin as well
    "java": (
        rf"^\s*(?:synchronized|lock)\s*\(\s*{_ANY}\s*\)\s*\{{?\s*$",
        rf"^\s*{_NAMED}\.(?:lock|lockInterruptibly|Enter\w*Lock|Wait)\(\)\s*(?:;\s*)?$",
        rf"^\s*await\s+{_NAMED}\.WaitAsync\(",
        rf"^.*\b{_ANY}\.withLock\s*(?:\([^)]*\)\s*)?\{{",
        r"^\s*(?:(?:public|protected|private|static|final|override)\s+)*(?P<lock>synchronized)\s+"
        r"(?!\()[\w<>\[\],.? ]+\(",
        r"^\s*(?:@(?P<lock>Synchronized)\b|\[MethodImpl\(MethodImplOptions\.Synchronized)",
    ),
    "rb": (rf"^.*\b{_ANY}\.(?:synchronize|with_(?:write_|read_)?lock)\b",),
    "c": (
        r"^\s*(?:const\s+)?(?:std::|boost::)?(?:lock_guard|scoped_lock|unique_lock|shared_lock)\b"
        rf"[^;({{]*[({{]\s*\*?&?{_ANY}\s*[,)}}]",
        r"^\s*(?:pthread_(?:mutex|rwlock)_\w*lock|mtx_lock|mutex_lock|spin_lock\w*|uv_mutex_lock)"
        rf"\(\s*&?{_ANY}",
    ),
    "swift": (rf"^\s*{_NAMED}\.lock\(\)\s*$", rf"^.*\b{_NAMED}\.withLock\s*\{{"),
}
_LEAVES = lazy_pattern(
    r"(?i)unlock|\brelease\w*\(|\bexit\w*lock|monitor\.exit|\bfinally\b|\}\s*else\b"
    r"|^\s*(?:try|begin)\s*[:{]?$|^\s*ensure$"
)
_WORDS = (
    b"ock", b"OCK", b"utex", b"ynchroni", b"emaphore", b"onitor", b"lck", b"sem.", b"xclusive",
    b"pdate", b"SEM",
)  # fmt: skip
# What may take the place of a lock
_INSTEAD = lazy_pattern(
    r"(?i)lock|mutex|\bw?cond|synchroni[sz]|semaphore|atomic|concurrent|volatile|singleflight"
    r"|\bsync\."
    r"|\bactor\b|channel|\bchan\b|<-|queue|interlocked|compare_?and|dispatch|executor"
    r"|\bOnce(?:Cell)?\b|\blazy\b|CopyOnWrite|thread_?local|ThreadStatic|immutable|frozen"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.mentions(*_WORDS):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    was = {squeeze(code_of(line.text)) for line in file.removed}
    new = (code_of(line.text) for line in file.added)
    if any(_INSTEAD.search(code) and squeeze(code) not in was for code in new):
        return
    for block in file.blocks:
        if line := _row_lock(block):
            rule = weigh_loss(_RULE, file, block)
            yield taken(rule, file, line, "a lock is no longer taken: rows of a table")
        for line in block.removed:
            lock = _lock_of(file, line.text)
            if not lock or squeeze(line.text) in sources.added_statements:
                continue
            rows = [row for row in guarded_rows(file, line) if not _LEAVES.search(row)]
            if unit_stays(file, line) and are_kept(file, line, rows):
                rule = (
                    weigh_loss(_RULE, file, block) if _is_still_there(file, lock) else hint(_RULE)
                )
                yield taken(rule, file, line, f"a lock is no longer taken: {lock}")


# https://docs.djangoproject.com/en/stable/ref/models/querysets/#select-for-update,
# https://docs.sqlalchemy.org/en/20/core/selectable.html, https://laravel.com/docs/queries
_OF_ROWS = lazy_pattern(
    r"\.(?:select_for_update|with_for_update)\([^()]*\)|(?:->|\.)(?:lockForUpdate|sharedLock"
    r"|forUpdate|forShare)\(\)|\s+(?i:for\s+update)\b(?:\s+(?i:nowait|skip\s+locked))?|\.lock(?=\.)"
)


def _row_lock(block: Block) -> Line | None:
    """The same query, without the lock that it took."""
    locking = [old for old in block.removed if _OF_ROWS.search(old.text)]
    plain = [new for new in block.added if not _OF_ROWS.search(new.text)] if locking else []
    return next(
        (
            old
            for old in locking
            for new in plain
            if same_but_for(code_of(old.text), code_of(new.text), _OF_ROWS)
        ),
        None,
    )


def _lock_of(file: ComparedFile, text: str) -> str:
    """The name of the lock that the line takes, or the word that does so; "" for none."""
    code = code_of(text)
    for pattern in _TAKES.get(language_of(file.path), ()):
        if found := re.match(pattern, code):
            return found["lock"] or "Synchronized"
    return ""


def _is_still_there(file: ComparedFile, lock: str) -> bool:
    """The lock is declared, or other statements take it: what it guards is shared as before."""
    return lock.lower() == "synchronized" or any(has_word(row, lock) for row in file.head_rows)
