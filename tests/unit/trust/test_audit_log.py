"""The audit log: whatever is done to it is found, and nothing that happens by itself breaks it."""

import csv
import io
import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.model.report import Outcome, Report, ReviewedChange, Verdict
from reviewgate_gh.tools.audit import export_csv, export_jsonl
from reviewgate_gh.trust.audit_chain import (
    AuditLog,
    ChainHead,
    entry_line,
    head_of,
    make_entry,
    read_log,
)
from reviewgate_gh.trust.audit_facts import publication_facts
from reviewgate_gh.trust.audit_log import audit_folder, load_audit_log, record

pytestmark = pytest.mark.req("R008-016")


def noted(folder: Path, *words: str) -> ChainHead:
    end = record(folder, "ada", [("skip", {"reason": word}) for word in words])
    assert end is not None
    return end


def words(folder: Path) -> list[str]:
    return [each.what["reason"] for each in load_audit_log(folder).entries]


def change(folder: Path, edit: Callable[[list[str]], list[str]]) -> None:
    """Somebody edits the lines of the log."""
    path = audit_folder(folder) / "log.jsonl"
    path.write_text("".join(edit(path.read_text().splitlines(keepends=True))))


def anew(lines: list[str]) -> list[str]:
    """A whole chain of other entries."""
    made, end = [], ChainHead()
    for line in lines:
        entry = make_entry(end, "2026-01-01T00:00:00Z", "skip", "eve", json.loads(line)["what"])
        end = head_of(entry)
        made.append(entry_line(entry))
    return made


EDITS: dict[str, Callable[[list[str]], list[str]]] = {
    "a word": lambda rows: [rows[0], rows[1].replace("two", "twn"), *rows[2:]],
    "who": lambda rows: [rows[0].replace('"ada"', '"eve"'), *rows[1:]],
    "another layout": lambda rows: [rows[0].replace(", ", ","), *rows[1:]],
    "a key twice": lambda rows: [rows[0].replace("{", '{"who": "eve", ', 1), *rows[1:]],
    "moved": lambda rows: [rows[1], rows[0], *rows[2:]],
    "the first taken out": lambda rows: rows[1:],
    "one taken out": lambda rows: [rows[0], *rows[2:]],
    "the last taken out": lambda rows: rows[:-1],
    "all taken out": lambda rows: [],
    "one twice": lambda rows: [*rows, rows[-1]],
    "one added": lambda rows: [*rows, '{"who": "eve"}\n'],
    "cut": lambda rows: [*rows[:-1], rows[-1][:-20]],
    "written anew": anew,
    "a blank line": lambda rows: [rows[0], "\n", *rows[1:]],
}


def test_whatever_is_done_to_the_lines_is_found_and_stays_found(tmp_path: Path) -> None:
    for name, edit in EDITS.items():
        folder = tmp_path / name
        noted(folder, "one")
        noted(folder, "two", "three")
        assert words(folder) == ["one", "two", "three"] and not load_audit_log(folder).problems
        change(folder, edit)
        assert load_audit_log(folder).problems, name
        noted(folder, "four")
        assert load_audit_log(folder).problems and words(folder)[-1:] == ["four"], name


def test_who_kept_an_end_finds_what_the_disk_alone_cannot_show(tmp_path: Path) -> None:
    ends = [noted(tmp_path, word) for word in ("one", "two", "three")]
    record_of_end = audit_folder(tmp_path) / "head.json"
    change(tmp_path, lambda rows: rows[:-1])
    record_of_end.write_text(json.dumps([ends[1].number, ends[1].hash]))
    assert not load_audit_log(tmp_path).problems
    assert not load_audit_log(tmp_path, ends[:2]).problems
    [said] = load_audit_log(tmp_path, ends).problems
    assert "the log ends with entry 2, but entry 3 was known" in said
    noted(tmp_path, "another")
    [said] = load_audit_log(tmp_path, ends).problems
    assert "entry 3 is not the one that was known" in said
    for path in audit_folder(tmp_path).iterdir():
        path.unlink()
    assert not load_audit_log(tmp_path).problems and load_audit_log(tmp_path, ends).problems


def test_a_record_of_the_end_that_is_gone_or_damaged_is_told(tmp_path: Path) -> None:
    noted(tmp_path, "one")
    end = audit_folder(tmp_path) / "head.json"
    for text in ("", "[]", '["1", 2]', "\0"):
        end.write_text(text)
        assert "damaged" in load_audit_log(tmp_path).problems[-1]
    end.unlink()
    assert "not recorded any more" in load_audit_log(tmp_path).problems[0]


def test_a_run_that_was_killed_between_the_two_files_breaks_nothing(tmp_path: Path) -> None:
    noted(tmp_path, "one")
    end = audit_folder(tmp_path) / "head.json"
    before = end.read_bytes()
    noted(tmp_path, "two")
    end.write_bytes(before)
    assert not load_audit_log(tmp_path).problems
    noted(tmp_path, "three")
    assert words(tmp_path) == ["one", "two", "three"] and not load_audit_log(tmp_path).problems


def _write(folder: Path) -> None:
    for number in range(5):
        record(folder, "ada", [("skip", {"reason": str(number)})])


@pytest.mark.parametrize("record_of_end", [None, "{}", "[1, 2]", ""])
def test_entries_taken_out_with_the_record_of_the_end_stay_missed(
    tmp_path: Path, record_of_end: str | None
) -> None:
    noted(tmp_path, "one", "two", "three")
    change(tmp_path, lambda rows: rows[:1])
    head = audit_folder(tmp_path) / "head.json"
    head.unlink() if record_of_end is None else head.write_text(record_of_end)
    noted(tmp_path, "four")
    found = load_audit_log(tmp_path)
    assert [each.kind for each in found.entries] == ["skip", "gap", "skip"]
    assert len(found.problems) == 1 and "may have been taken out" in found.problems[0]
    noted(tmp_path, "five")
    assert len(load_audit_log(tmp_path).problems) == 1


def test_an_export_is_the_log_and_computes_nothing(tmp_path: Path) -> None:
    noted(tmp_path, "##[group]x", "::error::x", "=1+1\0", "\uff1d1", " @x", "\ud800\u202ex")
    entries = load_audit_log(tmp_path).entries
    raw = (audit_folder(tmp_path) / "log.jsonl").read_text()
    assert export_jsonl(entries) == raw and "##[" not in raw
    assert entries[0].what["reason"] == "##[group]x"
    rows = list(csv.DictReader(io.StringIO(export_csv(entries))))
    reasons = [row["reason"] for row in rows]
    assert [text[0] for text in reasons[2:5]] == ["'"] * 3
    assert not any(mark in text for text in reasons for mark in "\0\u202e\ud800")


def test_many_that_write_at_once_leave_one_chain(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(6, mp_context=context) as pool:
        list(pool.map(_write, [tmp_path] * 6))
    log = load_audit_log(tmp_path)
    assert len(log.entries) == 30 and not log.problems


def test_a_disk_that_refuses_is_told_and_stops_nobody(tmp_path: Path, capsys) -> None:
    (tmp_path / "reviewgate-gh").write_text("a file in its place")
    assert record(tmp_path, "ada", [("skip", {"reason": "x"})]) is None
    assert "the audit log" in capsys.readouterr().err
    assert record(None, "ada", [("skip", {"reason": "x"})]) is None


def test_no_secret_is_written(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    noted(tmp_path, f"the token is {token[:40]}")
    assert token[:40] not in (audit_folder(tmp_path) / "log.jsonl").read_text()
    assert not load_audit_log(tmp_path).problems


NULL = Finding(Priority.P1, "correctness", "ruff/F821", "a.py", 2, 2, "Undefined name")


def report(*findings: Finding) -> Report:
    return Report(
        "r1", ReviewedChange("b" * 40, "a" * 40, False, ""), (), findings, Verdict(Outcome.PASS)
    )


def test_a_dismissal_is_written_once_and_so_is_that_it_was_taken_back() -> None:
    gone = replace(NULL, state=FindingState.DISMISSED, note="dismissed by grace: a constant")
    log, end, kinds = AuditLog(), ChainHead(), list[list[str]]()
    for finding in (NULL, gone, gone, NULL, NULL, gone):
        facts = list(publication_facts("octo/repo#1", report(finding), log))
        kinds.append([kind for kind, _ in facts[:-1]])
        assert facts[-1][0] == "publication"
        for kind, what in facts:
            entry = make_entry(end, "t", kind, "ci", what)
            log, end = AuditLog((*log.entries, entry)), head_of(entry)
    assert kinds == [[], ["dismissal"], [], ["undismissal"], [], ["dismissal"]]
    assert not read_log("".join(map(entry_line, log.entries)), end).problems
