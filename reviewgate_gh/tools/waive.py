"""Accepting findings: add to the waivers file of the work tree, list it, and clear it out."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct

from ..findings.waivers_file import (
    WaiverTerms,
    edit_waiver_file,
    make_waivers,
    merge_waivers,
    open_fingerprints,
    renamed_waivers,
    waiver_file_text,
)
from ..git import Git, tree_files
from ..git.renames import former_names, missing_paths
from ..git.tree_files import read_own_file
from ..model.errors import ConfigError, InternalError, UsageError
from ..model.report import Report
from ..model.waiver import Waiver, WaiverFile
from ..reporters.json import load_report
from ..system.environment import Environment
from ..system.files import stored_reviews
from ..text.config_file import WAIVER_FILE, parse_settings, read_waivers
from ..trust.approvals import approve_content, waiver_digest
from ..trust.audit_facts import waiver_facts
from ..trust.audit_log import actor, record


class WaiverFileChange(Struct, frozen=True):
    """What an edit did to the file; `rewritten` says that it could not keep the file's layout and
    comments. `unused` are waivers that the latest report knows nothing of."""

    added: tuple[Waiver, ...] = ()
    updated: tuple[Waiver, ...] = ()
    unused: tuple[Waiver, ...] = ()
    removed: tuple[tuple[Waiver, str], ...] = ()
    rewritten: bool = False


class WaiverStatus(Struct, frozen=True):
    """One waiver and its status: used (by the latest report), unused or expired."""

    fingerprint: str
    rule: str
    path: str
    reason: str
    expires: str | None
    count: int
    status: str
    title: str = ""
    priority: str | None = None


def add_waivers(
    fingerprints: Sequence[str],
    all_current: bool,
    terms: WaiverTerms,
    git: Git,
    environment: Environment,
) -> WaiverFileChange:
    """Accept all findings of the latest report or those with these fingerprints, or renew waivers
    that are there.

    Raises:
        UsageError: a fingerprint is unknown, the terms are wrong, or there is no report or work
            tree.
        ConfigError: the waivers file is not valid.
    """
    if all_current == bool(fingerprints):
        raise UsageError(
            "name either fingerprints or --all-current",
            "to see the fingerprints: reviewgate-gh review",
        )
    if terms.expires is not None and terms.expires < environment.today():
        raise UsageError(
            f"{terms.expires} is in the past", "name a future date with --expires, or use --days N"
        )
    text, before = _file(git)
    reports = kept_reports(git)
    latest = next(reports, None)
    if latest is None and (
        all_current or not set(fingerprints) <= {waiver.fingerprint for waiver in before}
    ):
        raise UsageError(
            "no saved report to find fingerprints in", "run a review first: reviewgate-gh review"
        )
    findings = latest.findings if latest else ()
    for older in reports:  # a push of several refs leaves several reports
        if all_current or set(fingerprints) <= {finding.fingerprint for finding in findings}:
            break
        findings += older.findings
    wanted = open_fingerprints(findings) if all_current else fingerprints
    changed, added = merge_waivers(
        before, make_waivers(findings, wanted, before, terms), terms, environment.today()
    )
    rewritten = _write(text, before, changed, added, git)
    done = WaiverFileChange(added, tuple(changed.values()), rewritten=rewritten)
    return _recorded(done, git, environment)


def _recorded(done: WaiverFileChange, git: Git, environment: Environment) -> WaiverFileChange:
    """What is said in the audit log, too."""
    removed = [waiver for waiver, _ in done.removed]
    facts = waiver_facts(done.added, done.updated, removed)
    record(git.common, actor(git, environment), facts)
    return done


def last_day(days: int | None, expires: str | None, environment: Environment) -> str | None:
    """The last day of a waiver: a date, or so many days from today.

    Raises:
        UsageError: both are named, or the days lead nowhere.
    """
    if days is None:
        return expires
    if expires is not None:
        raise UsageError("--days and --expires cannot be used together", "give one of them")
    try:
        return (date.fromisoformat(environment.today()) + timedelta(days=days)).isoformat()
    except OverflowError:
        raise UsageError(
            f"--days {days} is too large", "leave it out for a waiver that never expires"
        ) from None


def waiver_statuses(git: Git, environment: Environment) -> tuple[WaiverStatus, ...]:
    """Every waiver of the work tree's file.

    Raises:
        ConfigError: the file is not valid.
    """
    report = next(kept_reports(git), None)
    used = set(report.waivers) if report else set()
    return tuple(
        _standing(waiver, _status(waiver, used, environment.today())) for waiver in _file(git)[1]
    )


def _standing(waiver: Waiver, status: str) -> WaiverStatus:
    w = waiver
    return WaiverStatus(
        w.fingerprint, w.rule, w.path, w.reason, w.expires, w.count, status, w.title, w.priority
    )


def _status(waiver: Waiver, used: set[str], today: str) -> str:
    if waiver.is_expired(today):
        return "expired"
    return "used" if waiver.fingerprint in used else "unused"


def prune_waivers(git: Git, environment: Environment) -> WaiverFileChange:
    """Remove the waivers that can never be used again: past their day, or for a file that is gone
    and was not renamed.

    Raises:
        ConfigError: the file is not valid.
    """
    text, before = _file(git)
    gone = _gone(before, git)
    why = {n: _useless(waiver, gone, environment.today()) for n, waiver in enumerate(before)}
    removed = tuple((before[n], reason) for n, reason in why.items() if reason)
    rewritten = _write(text, before, {n: None for n, reason in why.items() if reason}, (), git)
    return _recorded(WaiverFileChange(removed=removed, rewritten=rewritten), git, environment)


def migrate_waivers(git: Git, environment: Environment) -> WaiverFileChange:
    """Give waivers that the latest reports have used under an old name the present fingerprint.

    Raises:
        ConfigError: the file is not valid.
        UsageError: the latest report cannot be used.
    """
    text, before = _file(git)
    report = next(kept_reports(git), None)
    findings = report.findings if report else ()
    changed, added = renamed_waivers(before, findings)
    used = {finding.waiver for finding in findings}
    unused = tuple(
        w for w in before if w.fingerprint not in used and not w.is_expired(environment.today())
    )
    rewritten = _write(text, before, changed, added, git)
    done = WaiverFileChange(added, tuple(changed.values()), unused, rewritten=rewritten)
    return _recorded(done, git, environment)


def _useless(waiver: Waiver, gone: set[str], today: str) -> str:
    if waiver.is_expired(today):
        return f"expired on {waiver.expires}"
    return f"{waiver.path} is gone" if waiver.path in gone else ""


def _gone(waivers: Iterable[Waiver], git: Git) -> set[str]:
    """Paths of waivers that are neither in HEAD nor in the work tree, under any name; also those
    that no disk could hold."""
    paths = {
        w.path
        for w in waivers
        if w.path and not os.path.exists(tree_files.path_in_top(git, w.path))
    }
    head = git.resolve("HEAD")
    if head is None or not paths:
        return paths
    absent = missing_paths(git, head, paths)
    return absent - {old for names in former_names(git, head, absent).values() for old in names}


def kept_reports(git: Git) -> Iterator[Report]:
    """The kept reports, latest first, without those of overridden runs, which looked for no
    findings."""
    for at, path in enumerate(stored_reviews(git.common)):
        try:
            report = load_report(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            if at:
                continue
            raise UsageError(
                f"the latest report cannot be used: {path}: {error}",
                "create a new one: reviewgate-gh review",
            ) from None
        if not report.skipped:
            yield report


def _file(git: Git) -> tuple[str | None, tuple[Waiver, ...]]:
    """The file as text (None: it does not exist, or is not UTF-8) and its waivers."""
    data = read_own_file(git, WAIVER_FILE)
    if data is None:
        return None, ()
    waivers = read_waivers(data, WAIVER_FILE)
    try:
        return data.decode("utf-8"), waivers
    except UnicodeDecodeError:
        return None, waivers


def _write(
    text: str | None,
    before: Sequence[Waiver],
    changed: Mapping[int, Waiver | None],
    added: Sequence[Waiver],
    git: Git,
) -> bool:
    """Write the edited file, or a new one where the edit does not read back as meant; says whether
    it was that."""
    if not changed and not added:
        return False
    kept = (changed.get(position, waiver) for position, waiver in enumerate(before))
    after = WaiverFile(waivers=(*(waiver for waiver in kept if waiver), *added))
    new = _edited(text, changed, added, after)
    fresh = waiver_file_text(after.waivers)
    if new is None and not _reads_as(fresh, after):
        raise InternalError(
            f"the edited {WAIVER_FILE} could not be read back; the file was not changed"
        )
    tree_files.replace_file(tree_files.path_in_top(git, WAIVER_FILE), (new or fresh).encode())
    mine = [waiver_digest(waiver) for waiver in (*changed.values(), *added) if waiver]
    approve_content(
        git, waivers=mine, dropped=[waiver_digest(before[position]) for position in changed]
    )
    return new is None and bool(before)


def _edited(
    text: str | None,
    changed: Mapping[int, Waiver | None],
    added: Sequence[Waiver],
    after: WaiverFile,
) -> str | None:
    try:
        new = edit_waiver_file(text, changed, added) if text is not None else ""
    except ValueError:
        return None
    return new if new and _reads_as(new, after) else None


def _reads_as(text: str, meant: WaiverFile) -> bool:
    try:
        return parse_settings(text.encode(), WaiverFile, WAIVER_FILE) == meant
    except (ConfigError, UnicodeEncodeError):
        return False
