"""What an external review gate printed and how it ended, as one answer and as findings. Two
dialects are read."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from ...findings.scope import ChangedLines, anchor_finding
from ...model.errors import Exit
from ...model.finding import Finding, Priority
from ...text import strict
from ...text.escape import plain_line
from ...text.patterns import lazy_pattern
from ...text.redact import redact
from ...text.strict import one_line, relative_path

GateOutcome = Literal[
    "pass", "fail", "parse_error", "timeout", "no_reviewers", "internal", "no_progress"
]

# What ends a run whatever its failure mode: the gate's own exit codes for it.
_HARD = {"no_reviewers": Exit.NO_REVIEWERS, "internal": Exit.INTERNAL}


class ReviewIssue(Struct, frozen=True):
    """One issue of an external reviewer.

    Lines count from 1, 0 is unknown; priority is 0 (most severe) to 3 or None; `file` may be "".
    """

    file: str
    line_start: int
    line_end: int
    priority: int | None
    title: str
    body: str
    reviewer: str


class ReviewOutcome(Protocol):
    """What decides how a session goes on after an external review."""

    @property
    def passed(self) -> bool:
        """The gate passed the change, by its exit code and by its words."""

    @property
    def parse_error(self) -> str | None:
        """Why there is no answer that can be believed; None where there is one."""

    @property
    def fatal_error(self) -> bool:
        """Asking again is of no use."""

    @property
    def issues(self) -> list[ReviewIssue]:
        """What the reviewers want changed."""


class ReviewResult(Struct, frozen=True):
    """What a review came to.

    With neither a pass nor an error nor issues, a retry met no change since the last review.
    """

    passed: bool
    issues: list[ReviewIssue] = field(default_factory=list)
    parse_error: str | None = None
    fatal_error: bool = False
    review_log_path: Path | None = None


class GateAnswer(Struct, frozen=True):
    """What a gate said, exit code and words together: the worse of the two. `error` says why it is
    no pass and no list of issues.

    `verdict` is the gate's own word, `issues` holds all that it named, whatever the outcome;
    `reviewer_errors` are its reviewers that broke. `agreement` is the share of its valid reviewers
    that say what it says, 1.0 where that is unknown.
    """

    outcome: GateOutcome
    verdict: str = ""
    issues: tuple[ReviewIssue, ...] = ()
    error: str = ""
    reviewer_errors: tuple[str, ...] = ()
    log_path: str = ""
    agreement: float = 1.0
    raw: str = ""
    status: str = ""

    @property
    def hard_exit(self) -> Exit:
        """The exit code that ends a run whatever its failure mode; OK for any answer that a run can
        go on after."""
        return _HARD.get(self.outcome, Exit.OK)

    @property
    def result(self) -> ReviewResult:
        """The same for an orchestrator."""
        folder = Path(self.log_path) if self.log_path else None
        if self.outcome == "pass":
            return ReviewResult(True, list(self.issues), review_log_path=folder)
        if self.outcome == "fail":
            return ReviewResult(False, list(self.issues), review_log_path=folder)
        if self.hard_exit:
            return ReviewResult(False, list(self.issues), fatal_error=True, review_log_path=folder)
        if self.outcome == "no_progress":
            return ReviewResult(False)
        return ReviewResult(
            False,
            parse_error="timeout" if self.outcome == "timeout" else self.error,
            review_log_path=folder,
        )


_WHAT = "a JSON answer of a review gate"
_BY_CODE: Mapping[int, GateOutcome] = {
    0: "pass",
    1: "fail",
    2: "parse_error",
    3: "timeout",
    4: "no_reviewers",
    5: "internal",
}
_BY_VERDICT: Mapping[str, GateOutcome] = {
    "PASS": "pass",
    "FAIL": "fail",
    "NEEDS_WORK": "fail",
    "ERROR": "parse_error",
    "no_reviewers": "no_reviewers",
}
_BY_STATUS: Mapping[str, GateOutcome] = {
    "timeout": "timeout",
    "error": "parse_error",
    "no_reviewers": "no_reviewers",
}
_RESOLVED = ("resolved", "complete")
_ASCENDING: Sequence[GateOutcome] = (
    "pass",
    "fail",
    "parse_error",
    "timeout",
    "no_reviewers",
    "internal",
)
_SILENT: Mapping[str, str] = {
    "timeout": "the gate was not ready in time",
    "no_reviewers": "the gate has no reviewers",
}
_SEVERE = (0, 1)
_SHOWN = 300
_RAW = 2000


def read_gate_answer(code: int, out: bytes, said: str) -> GateAnswer:
    """The answer in standard output; `said` is what the gate wrote to standard error."""
    coded: GateOutcome = _BY_CODE.get(code, "internal")
    raw = redact(out[: 4 * _RAW].decode("utf-8", "backslashreplace"))[:_RAW]
    try:
        read = _read(strict.load_json(strict.decode(out, _WHAT), _WHAT))
    except ValueError as error:
        return _unread(coded, code, f"{error}", _partial(out, _last(said)), raw)
    return _together(read, coded, code, said, raw)


def stopped_gate_answer(why: str) -> GateAnswer:
    """The answer of a gate that had to be stopped: at its deadline, or for what it printed."""
    return (
        GateAnswer("timeout", error="timeout")
        if why == "deadline"
        else GateAnswer("parse_error", error=f"the gate was stopped: {why}")
    )


def _unread(coded: GateOutcome, code: int, why: str, words: str, raw: str) -> GateAnswer:
    """An answer without a verdict that can be read: never a pass, and a failure only with its
    issues. `words` are what the gate says of it."""
    outcome: GateOutcome = (
        coded if coded in ("timeout", "no_reviewers", "internal") else "parse_error"
    )
    return GateAnswer(
        outcome,
        error=_line(f"exit {code}, {why}" + (f"; it said: {words}" if words else "")),
        raw=raw,
    )


def _partial(out: bytes, said: str) -> str:
    """The messages of an answer that lacks other parts, and what was said beside it; else how it
    begins: exit 2 may come with partial JSON (R001-031)."""
    try:
        plain = json.loads(out)
    except (ValueError, RecursionError):
        plain = None
    known = plain if isinstance(plain, dict) else {}
    errors = known.get("parse_errors")
    words = [
        *(errors if isinstance(errors, list) else ()),
        known.get("error"),
        known.get("message"),
    ]
    found = [redact(_trouble(each)) for each in words if each and isinstance(each, str | dict)]
    if found or said or known:
        return "; ".join(filter(None, (*found, said)))
    return _line(redact(out[: 4 * _RAW].decode("utf-8", "backslashreplace")))


def _read(plain: Any) -> GateAnswer:
    """The words alone.

    Raises:
        ValueError: they are not those of a gate, or contradict each other.
    """
    said = strict.json_object(plain, "answer")
    status, verdict = _word(said.get("status"), "status"), _verdict(said)
    issues = _issues(said)
    troubles = tuple(_trouble(each) for each in _list(said, "parse_errors"))
    log_path = said.get("session_dir")
    return GateAnswer(
        _spoken(status, verdict), verdict, issues, "", troubles,
        log_path if type(log_path) is str else "", _agreement(said, verdict),
        status=status,
    )  # fmt: skip


def _verdict(said: Mapping[str, Any]) -> str:
    """The verdict, wherever it stands; "" for null."""
    consensus = said.get("consensus")
    first = (
        strict.json_object(consensus, "consensus").get("verdict") if consensus is not None else None
    )
    if consensus is not None and "consensus_verdict" in said and first != said["consensus_verdict"]:
        raise ValueError("consensus.verdict and consensus_verdict contradict each other")
    verdict = _word(said.get("consensus_verdict") if consensus is None else first, "verdict")
    if verdict and verdict not in _BY_VERDICT:
        raise ValueError(f"unknown verdict {_line(verdict, 40)!r}")
    return verdict


def _word(value: Any, where: str) -> str:
    return "" if value is None else strict.json_string(value, where)


def _spoken(status: str, verdict: str) -> GateOutcome:
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
    return strict.json_array(said[key], key) if said.get(key) is not None else []


def _issue(plain: Any, where: str) -> ReviewIssue:
    said = strict.json_object(plain, where)
    file = said.get("file") if said.get("file") is not None else said.get("file_path")
    start = _number(said.get("line_start"), f"{where}.line_start")
    return ReviewIssue(
        strict.path_text(file, f"{where}.file") if file not in (None, "") else "",
        start,
        max(start, _number(said.get("line_end"), f"{where}.line_end")),
        _priority(said.get("priority"), f"{where}.priority"),
        strict.json_string(said.get("title"), f"{where}.title"),
        _word(said.get("body"), f"{where}.body"),
        _word(said.get("reviewer"), f"{where}.reviewer"),
    )


def _number(value: Any, where: str) -> int:
    return 0 if value is None else strict.whole_number(value, where)


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
        who, error, details = (
            _line(str(plain.get(key) or "")) for key in ("reviewer", "error", "details")
        )
        return f"{who or 'a reviewer'}: {error or 'no reason given'}" + (
            f" ({details})" if details else ""
        )
    return _line(strict.json_string(plain, "parse_errors"))


def _agreement(said: Mapping[str, Any], verdict: str) -> float:
    """The share of valid reviewers whose verdict falls on the same side as the gate's."""
    rows = said.get("reviewers")
    words = (
        [row.get("verdict") for row in rows.values() if type(row) is dict]
        if type(rows) is dict
        else []
    )
    sides = [
        _BY_VERDICT[word]
        for word in words
        if type(word) is str and _BY_VERDICT.get(word) in ("pass", "fail")
    ]
    mine = _BY_VERDICT.get(verdict)
    return sides.count(mine) / len(sides) if sides and mine in sides else 1.0


def _together(read: GateAnswer, coded: GateOutcome, code: int, said: str, raw: str) -> GateAnswer:
    outcome = max(coded, read.outcome, key=_ASCENDING.index)
    if outcome == "pass" and any(issue.priority in _SEVERE for issue in read.issues):
        outcome = "fail"
    error = (
        ""
        if coded == read.outcome
        else f"exit {code} and {read.verdict or 'no verdict'} contradict each other"
    )
    if outcome == "fail" and not read.issues:
        outcome, error = (
            "parse_error",
            error or f"the gate's verdict is {read.verdict}, but it lists no issues",
        )
    if outcome not in ("pass", "fail"):
        silent = _SILENT.get(outcome, f"exit {code} without a reason")
        error = (
            "; ".join(part for part in (*read.reviewer_errors, error, _last(said)) if part)
            or silent
        )
    return replace(read, outcome=outcome, error=_line(error), raw=raw)


def _last(said: str) -> str:
    lines = [words for words in said.splitlines() if words.strip()]
    return _line(lines[-1]) if lines else ""


def _line(text: str, limit: int = _SHOWN) -> str:
    return plain_line(text, limit)


_MARK = lazy_pattern(r"\[P[0-3]\]\s*")
_UNRANKED = 2


def finding_of_issue(issue: ReviewIssue, root: str, changed_lines: ChangedLines) -> Finding:
    """The finding; `root` is the folder that absolute paths lie in. An issue without a priority is
    a P2.

    One that is not about a changed line stays without a place, so that a severe one leaves the run
    without a verdict.
    """
    title = one_line(_MARK.sub("", issue.title, count=1)) or "an issue without a title"
    body = f"{issue.body}\n\nReported by {issue.reviewer}." if issue.reviewer else issue.body
    priority = list(Priority)[_UNRANKED if issue.priority is None else issue.priority]
    path = relative_path(issue.file, root) if issue.file else ""
    bare = Finding(
        priority, "review", "", path, issue.line_start, issue.line_end, title, body.strip()
    )
    found = replace(anchor_finding(bare, changed_lines, ""), sources=())
    if found.placed and changed_lines.covers(found):
        return found
    where = f"{bare.location}, which is not a changed line" if path else "no file"
    return replace(
        bare,
        line_start=0,
        line_end=0,
        origin=changed_lines.origin(path),
        note=f"the gate names {where}",
    )
