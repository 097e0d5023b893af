"""What `wait --json` of a review gate printed and how it ended, as one answer. Two dialects are read; neither word is believed alone.

A pass needs exit code 0 and the verdict PASS. Where code and words differ the worse one holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..model.contract import GateAnswer, Outcome, ReviewIssue
from ..text.plain import plain_line
from ..text.redact import redact
from . import strict

_WHAT = "a JSON answer of a review gate"
_BY_CODE: Mapping[int, Outcome] = {0: "pass", 1: "fail", 2: "parse_error", 3: "timeout", 4: "no_reviewers", 5: "internal"}
_BY_VERDICT: Mapping[str, Outcome] = {
    "PASS": "pass",
    "FAIL": "fail",
    "NEEDS_WORK": "fail",
    "ERROR": "parse_error",
    "no_reviewers": "no_reviewers",
}
_BY_STATUS: Mapping[str, Outcome] = {"timeout": "timeout", "error": "parse_error", "no_reviewers": "no_reviewers"}
_RESOLVED = ("resolved", "complete")
_ASCENDING: Sequence[Outcome] = ("pass", "fail", "parse_error", "timeout", "no_reviewers", "internal")
_SILENT: Mapping[str, str] = {"timeout": "the gate was not ready in time", "no_reviewers": "the gate has no reviewers"}
_SEVERE = (0, 1)
_SHOWN = 300
_RAW = 2000


def read_answer(code: int, out: bytes, said: str) -> GateAnswer:
    """The answer in standard output; `said` is what the gate wrote to standard error."""
    coded: Outcome = _BY_CODE.get(code, "internal")
    raw = redact(out[: 4 * _RAW].decode("utf-8", "backslashreplace"))[:_RAW]
    try:
        read = _read(strict.load(strict.decode(out, _WHAT), _WHAT))
    except ValueError as error:
        return _unread(coded, code, f"{error}", said, raw)
    return _together(read, coded, code, said, raw)


def stopped(why: str) -> GateAnswer:
    """The answer of a gate that had to be stopped: at its deadline, or for what it printed."""
    return GateAnswer("timeout", error="timeout") if why == "deadline" else GateAnswer("parse_error", error=f"the gate was stopped: {why}")


def _unread(coded: Outcome, code: int, why: str, said: str, raw: str) -> GateAnswer:
    """An answer without readable words: never a pass, and a failure only with its issues."""
    outcome: Outcome = coded if coded in ("timeout", "no_reviewers", "internal") else "parse_error"
    words = _last(said)
    return GateAnswer(outcome, error=_line(f"exit {code}, {why}" + (f"; it said: {words}" if words else "")), raw=raw)


def _read(plain: Any) -> GateAnswer:
    """The words alone.

    Raises:
        ValueError: they are not those of a gate, or contradict each other.
    """
    said = strict.obj(plain, "answer")
    status, verdict = _word(said.get("status"), "status"), _verdict(said)
    issues = _issues(said)
    troubles = tuple(_trouble(each) for each in _list(said, "parse_errors"))
    log_path = said.get("session_dir")
    return GateAnswer(
        _spoken(status, verdict), verdict, issues, "", troubles, log_path if type(log_path) is str else "", _agreement(said, verdict),
        status=status,
    )  # fmt: skip


def _verdict(said: Mapping[str, Any]) -> str:
    """The verdict, wherever it stands; "" for null."""
    consensus = said.get("consensus")
    first = strict.obj(consensus, "consensus").get("verdict") if consensus is not None else None
    if consensus is not None and "consensus_verdict" in said and first != said["consensus_verdict"]:
        raise ValueError("consensus.verdict and consensus_verdict contradict each other")
    verdict = _word(said.get("consensus_verdict") if consensus is None else first, "verdict")
    if verdict and verdict not in _BY_VERDICT:
        raise ValueError(f"unknown verdict {_line(verdict, 40)!r}")
    return verdict


def _word(value: Any, where: str) -> str:
    return "" if value is None else strict.string(value, where)


def _spoken(status: str, verdict: str) -> Outcome:
    """What status and verdict come to."""
    if status in _BY_STATUS:
        return max(_BY_STATUS[status], _BY_VERDICT.get(verdict, "pass"), key=_ASCENDING.index)
    if status not in _RESOLVED:
        raise ValueError(f"unknown status {_line(status, 40)!r}")
    if not verdict:
        raise ValueError("the gate's status is resolved, but it gave no verdict")
    return _BY_VERDICT[verdict]


def _issues(said: Mapping[str, Any]) -> tuple[ReviewIssue, ...]:
    """All issues, those once that stand in both lists."""
    both = [*_list(said, "issues"), *_list(said, "aggregated_findings")]
    return tuple(dict.fromkeys(_issue(each, f"issues[{at}]") for at, each in enumerate(both)))


def _list(said: Mapping[str, Any], key: str) -> list[Any]:
    return strict.arr(said[key], key) if said.get(key) is not None else []


def _issue(plain: Any, where: str) -> ReviewIssue:
    said = strict.obj(plain, where)
    file = said.get("file") if said.get("file") is not None else said.get("file_path")
    start = _number(said.get("line_start"), f"{where}.line_start")
    return ReviewIssue(
        strict.path_text(file, f"{where}.file") if file not in (None, "") else "",
        start,
        max(start, _number(said.get("line_end"), f"{where}.line_end")),
        _priority(said.get("priority"), f"{where}.priority"),
        strict.string(said.get("title"), f"{where}.title"),
        _word(said.get("body"), f"{where}.body"),
        _word(said.get("reviewer"), f"{where}.reviewer"),
    )


def _number(value: Any, where: str) -> int:
    return 0 if value is None else strict.whole(value, where)


def _priority(value: Any, where: str) -> int | None:
    """0 to 3; a number beyond them is the nearest of them."""
    if value is None:
        return None
    if type(value) is not int:
        raise ValueError(f"{where}: expected a number or null")
    return min(max(value, 0), 3)


def _trouble(plain: Any) -> str:
    """One entry of `parse_errors`: a text, or an object with reviewer, error and details."""
    if type(plain) is dict:
        who, error, details = (_line(str(plain.get(key) or "")) for key in ("reviewer", "error", "details"))
        return f"{who or 'a reviewer'}: {error or 'no reason given'}" + (f" ({details})" if details else "")
    return _line(strict.string(plain, "parse_errors"))


def _agreement(said: Mapping[str, Any], verdict: str) -> float:
    """The share of valid reviewers whose verdict falls on the same side as the gate's."""
    rows = said.get("reviewers")
    words = [row.get("verdict") for row in rows.values() if type(row) is dict] if type(rows) is dict else []
    sides = [_BY_VERDICT[word] for word in words if type(word) is str and _BY_VERDICT.get(word) in ("pass", "fail")]
    mine = _BY_VERDICT.get(verdict)
    return sides.count(mine) / len(sides) if sides and mine in sides else 1.0


def _together(read: GateAnswer, coded: Outcome, code: int, said: str, raw: str) -> GateAnswer:
    outcome = max(coded, read.outcome, key=_ASCENDING.index)
    if outcome == "pass" and any(issue.priority in _SEVERE for issue in read.issues):
        outcome = "fail"
    error = "" if coded == read.outcome else f"exit {code} and {read.verdict or 'no verdict'} contradict each other"
    if outcome == "fail" and not read.issues:
        outcome, error = "parse_error", error or f"the gate's verdict is {read.verdict}, but it lists no issues"
    if outcome not in ("pass", "fail"):
        silent = _SILENT.get(outcome, f"exit {code} without a reason")
        error = "; ".join(part for part in (*read.troubles, error, _last(said)) if part) or silent
    return replace(read, outcome=outcome, error=_line(error), raw=raw)


def _last(said: str) -> str:
    lines = [words for words in said.splitlines() if words.strip()]
    return _line(lines[-1]) if lines else ""


def _line(text: str, limit: int = _SHOWN) -> str:
    return plain_line(text, limit)
