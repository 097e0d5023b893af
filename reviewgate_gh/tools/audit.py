"""The audit log for people: what was done here, whether the log can be trusted, and who let a
commit through."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..git import Git
from ..git.history import is_ancestor
from ..model.errors import Exit, UsageError
from ..model.finding import sha256_hex
from ..model.report import Outcome
from ..reporters._layout import render_table
from ..reporters._look import OutputStyle
from ..system.files import stored_reviews
from ..text.patterns import lazy_pattern
from ..text.safe import safe_line, without_commands
from ..trust.audit_chain import AuditEntry, AuditLog, ChainHead, entry_line
from ..trust.audit_log import load_audit_log
from ..trust.own_state import approvals_changed

_HEAD = lazy_pattern(r"([0-9]{1,15}):([0-9a-f]{64})")
_COLUMNS = ("number", "time", "kind", "who", "what")
_ABOUT = ("outcome", "reason", "why", "done", "pull", "fingerprint", "place", "title", "head")
_FIELDS = ("number", "time", "kind", "who", *_ABOUT, "review", "what", "previous", "hash")
_REPORTS = ("report", "skip")
_SHORT = 160
_LONGEST_CELL = 1_000_000
# A cell that a spreadsheet would compute. https://owasp.org/www-community/attacks/CSV_Injection
# and the wide forms, which some take for the same
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class AuditRequest(Struct, frozen=True):
    """What the command line asks for: the entries about a commit, or all; an end of the log that
    somebody kept; how many entries are shown."""

    commit: str = ""
    known: str = ""
    most: int = 20


def read_audit(request: AuditRequest, git: Git) -> AuditLog:
    """The log, with the entries that are asked for.

    Raises:
        UsageError: it cannot be read, or what is asked for is nothing.
    """
    known = [_known(request.known)] if request.known else []
    try:
        log = load_audit_log(git.common, known)
    except OSError as error:
        raise UsageError(
            f"the audit log cannot be read: {error.strerror}", "check its rights"
        ) from None
    log = AuditLog(log.entries, (*log.problems, *_changed(log.entries, git)))
    if not request.commit:
        return log
    commit = git.resolve(request.commit)
    if not commit:
        raise UsageError(f"{request.commit!r} is not a commit here", "name one, such as HEAD")
    return AuditLog(tuple(_about(commit, log.entries, git)), log.problems)


def _changed(entries: Iterable[AuditEntry], git: Git) -> Iterator[str]:
    """What lies beside the log and is not what it says."""
    yield from _changed_reports(entries, git)
    if changed := approvals_changed(git):
        yield changed


def _changed_reports(entries: Iterable[AuditEntry], git: Git) -> Iterator[str]:
    """Reports that are kept and are not what the log says of them."""
    reports = (each.what for each in entries if each.kind in _REPORTS)
    written = {str(what.get("review")): what.get("sha256") for what in reports}
    for path in stored_reviews(git.common):
        name = path.parent.name
        try:
            if name in written and sha256_hex(path.read_text("utf-8")) != written[name]:
                yield f"the kept report {name} is not the one that was recorded"
        except (OSError, ValueError):
            yield f"the kept report {name} cannot be read"


def _known(text: str) -> ChainHead:
    found = _HEAD.fullmatch(text)
    if not found:
        raise UsageError(
            f"{text!r} is not the end of an audit log",
            "give it as the check run shows it: NUMBER:HASH",
        )
    return ChainHead(int(found[1]), found[2])


def _about(commit: str, entries: Sequence[AuditEntry], git: Git) -> Iterator[AuditEntry]:
    """Reviews and skips that the commit was a part of, what was posted about them, what took
    findings out of their verdicts, and approvals of the commit's own tree."""
    tree = git.resolve(commit, "tree")
    reviews = [each for each in entries if _covers(each, commit, git)]
    names = {each.what.get("review") for each in reviews}
    heads = {each.what.get("head") for each in reviews}
    accepted = {
        row.get("fingerprint")
        for each in reviews
        for row in each.what.get("accepted", ())
        if isinstance(row, Mapping)
    }
    for entry in entries:
        what = entry.what
        is_posted = entry.kind == "publication" and what.get("review") in names
        is_dismissed = entry.kind in ("dismissal", "undismissal") and what.get("head") in heads
        is_waived = entry.kind == "waiver" and what.get("fingerprint") in accepted
        is_approved = entry.kind == "trust" and tree in _approved_trees(what)
        if entry in reviews or is_posted or is_dismissed or is_waived or is_approved:
            yield entry


def _approved_trees(what: Mapping[str, Any]) -> Sequence[object]:
    approved = what.get("approved")
    trees = approved.get("trees") if isinstance(approved, Mapping) else None
    return trees if isinstance(trees, list) else ()


def _covers(entry: AuditEntry, commit: str, git: Git) -> bool:
    what = entry.what
    if entry.kind not in _REPORTS:
        return False
    if commit == what.get("head") or commit in what.get("commits", ()):
        return True
    base, head = str(what.get("base")), str(what.get("head"))
    is_long = len(what.get("commits", ())) > 1 and not _is_id(what["commits"][-1])
    return is_long and is_ancestor(git, commit, head) and not is_ancestor(git, commit, base)


def _is_id(text: object) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", str(text)))


def audit_exit_code(log: AuditLog) -> Exit:
    """1 for a log that cannot be trusted."""
    return Exit.BLOCK if log.problems else Exit.OK


def render_audit(log: AuditLog, request: AuditRequest, style: OutputStyle) -> str:
    """A table of the entries, what is wrong, and the end of the chain."""
    shown = log.entries[-request.most :]
    rows = [[(safe_line(text, _SHORT), "") for text in _cells(entry)] for entry in shown]
    table = render_table(_COLUMNS, rows, style) if rows else "nothing was recorded\n"
    more = len(log.entries) - len(shown)
    parts = [table, *([f"{more:,} older entries are not shown\n"] if more else [])]
    if request.commit:
        parts.append(f"{_answer(request.commit, log.entries)}\n")
    return without_commands("".join((*parts, verification_text(log, bool(request.commit)))))


def verification_text(log: AuditLog, is_part: bool = False) -> str:
    """What is wrong with the log, or that nothing is."""
    if log.problems:
        rows = (f"  {safe_line(each, 400)}\n" for each in log.problems)
        return f"the audit log cannot be trusted:\n{''.join(rows)}"
    if is_part or not log.entries:
        return ""
    entries = "1 entry" if len(log.entries) == 1 else f"{len(log.entries):,} entries"
    return f"the chain of {entries} holds; it ends with {log.head}\n"


def _answer(name: str, entries: Sequence[AuditEntry]) -> str:
    """Who let a commit through, by the last review or skip that it was a part of."""
    reviews = [each for each in entries if each.kind in _REPORTS]
    if not reviews:
        return f"no review of {safe_line(name, 80)} is recorded here"
    last = reviews[-1]
    who = f"{last.who or 'somebody'} at {last.time}"
    if last.kind == "skip":
        return safe_line(f"skipped by {who}: {last.what.get('reason')}", 400)
    outcome = str(last.what.get("outcome"))
    passed = outcome in (Outcome.PASS, Outcome.CONCERNS) or last.what.get("mode") == "warn"
    why = [
        f"{row.get('fingerprint')} ({row.get('why')})"
        for row in last.what.get("accepted", ())
        if isinstance(row, Mapping)
    ]
    accepted = f"; not counted: {', '.join(why)}" if why else ""
    approved = ", as an approved change" if last.what.get("approved") else ""
    verb = "let through" if passed else "refused"
    return safe_line(f"{verb}: {outcome}, reviewed by {who}{approved}{accepted}", 2_000)


def _cells(entry: AuditEntry) -> tuple[str, ...]:
    said = (f"{key} {entry.what[key]}" for key in _ABOUT if entry.what.get(key))
    return str(entry.number), entry.time, entry.kind, entry.who, ", ".join(said) or _json(entry)


def _json(entry: AuditEntry) -> str:
    return json.dumps(entry.what, sort_keys=True)


def export_jsonl(entries: Iterable[AuditEntry]) -> str:
    """The lines of the log as they are."""
    return "".join(map(entry_line, entries))


def export_csv(entries: Iterable[AuditEntry]) -> str:
    """One row for an entry; `what` is all of it as JSON."""
    out = io.StringIO()
    table = csv.DictWriter(out, _FIELDS, lineterminator="\n")
    table.writeheader()
    for entry in entries:
        row: dict[str, Any] = {key: entry.what.get(key, "") for key in (*_ABOUT, "review")}
        own = {
            "number": entry.number,
            "time": entry.time,
            "kind": entry.kind,
            "who": entry.who,
            "what": _json(entry),
            "previous": entry.previous,
            "hash": entry.hash,
        }
        table.writerow({key: _cell(value) for key, value in {**row, **own}.items()})
    return without_commands(out.getvalue())


def _cell(value: object) -> str:
    if isinstance(value, int):
        return str(value)
    text = safe_line(" ".join(str(value).split()), _LONGEST_CELL)
    return f"'{text}" if text.startswith(_FORMULA) else text
