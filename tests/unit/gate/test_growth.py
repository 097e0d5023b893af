"""No step after the reviewers does more than in proportion to what they found: counted in calls, at
one size and at four times of it."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from reviewgate_gh.ensemble.anchor import findings_of_claims
from reviewgate_gh.ensemble.answer import Claim
from reviewgate_gh.findings import markers
from reviewgate_gh.findings.code_search import CodeIndex
from reviewgate_gh.findings.lines import multiline_secrets
from reviewgate_gh.findings.merge import merge_findings, merge_patterns
from reviewgate_gh.findings.scope import ChangedLines, anchor_findings, mark_outside_change
from reviewgate_gh.findings.suppressions import SuppressionFilter, apply_suppressions
from reviewgate_gh.findings.waivers import apply_waivers
from reviewgate_gh.findings.waivers_file import WaiverTerms, make_waivers, open_fingerprints
from reviewgate_gh.gate.policy import decide_verdict
from reviewgate_gh.issues import plan
from reviewgate_gh.issues.plan import issues_of_report
from reviewgate_gh.issues.tracked import IssueOrigin
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority
from reviewgate_gh.model.report import ChangedFile, Outcome, Report, ReviewedChange, Verdict
from reviewgate_gh.pull_request.placement import AlreadyPosted, PlacementLimits
from reviewgate_gh.pull_request.placement import place_findings as sink
from reviewgate_gh.pull_request.presubmit import current_findings_of
from reviewgate_gh.reporters import agent, annotations, json, markdown, sarif, terminal
from reviewgate_gh.reporters._look import OutputStyle
from tests.unit.support import added, change

pytestmark = pytest.mark.big  # minutes in all
SMALL = 200
MOST = 4 * 1.6  # n log n, and what is done once
Kind = Callable[[int], tuple[str, list[Finding]]]


def tool(number: int, line: int, title: str, name: str = "ruff", **fields: Any) -> Finding:
    last = fields.pop("last", line)
    return Finding(
        Priority.P1,
        "lint",
        f"{name}/R{number % 3}",
        "a.py",
        line,
        last,
        title,
        sources=(name,),
        **fields,
    )


def model(number: int, line: int, title: str) -> Finding:
    source = f"m{number % 3}/lens{number % 9}"
    return Finding(
        Priority.P1,
        "security",
        "",
        "a.py",
        line,
        line,
        title,
        f"body {number}",
        placed=bool(line),
        sources=(source,),
    )


def equal_on_one_line(size: int) -> tuple[str, list[Finding]]:
    return "eval(x); " * size, [tool(0, 1, "No eval") for _ in range(size)]


def names_on_one_line(size: int) -> tuple[str, list[Finding]]:
    return "; ".join(f"u{n}" for n in range(size)), [
        tool(n, 1, f"Undefined name u{n}") for n in range(size)
    ]


def two_tools_on_one_line(size: int) -> tuple[str, list[Finding]]:
    return names_on_one_line(size)[0], [
        tool(n, 1, f"Name u{n // 2} is not defined", ("ruff", "mypy")[n % 2]) for n in range(size)
    ]


def three_tools_that_differ(size: int) -> tuple[str, list[Finding]]:
    return names_on_one_line(size)[0], [
        tool(n, 1, f"word{n} other{n}", ("ruff", "mypy", "bandit")[n % 3]) for n in range(size)
    ]


def many_tools_on_one_line(size: int) -> tuple[str, list[Finding]]:
    return "x", [tool(n, 1, f"word{n} other{n}", f"tool{n}") for n in range(size)]


def one_a_line(size: int) -> tuple[str, list[Finding]]:
    return "eval(x)\n" * size, [tool(0, n + 1, "No eval") for n in range(size)]


def one_a_blank_line(size: int) -> tuple[str, list[Finding]]:
    return "   \n" * size, [tool(0, n + 1, f"Blank {n}") for n in range(size)]


def one_about_all_lines_each(size: int) -> tuple[str, list[Finding]]:
    return "x\n" * size, [tool(0, 1, f"Whole {n}", last=10**9) for n in range(size)]


def overlapping_spans(size: int) -> tuple[str, list[Finding]]:
    return "x\n" * size, [
        tool(n, n + 1, f"Span {n}", ("ruff", "mypy")[n % 2], last=size) for n in range(size)
    ]


def a_suppression_a_line(size: int) -> tuple[str, list[Finding]]:
    return "eval(x)  # noqa: x\n" * size, [tool(0, n + 1, "No eval") for n in range(size)]


def models_on_one_line(size: int) -> tuple[str, list[Finding]]:
    return "run(q)", [model(n, 1, f"Claim {n} of u{n % 7} and w{n % 5}") for n in range(size)]


def models_that_name_no_place(size: int) -> tuple[str, list[Finding]]:
    return "run(q)", [model(n, 0, f"Claim {n} of u{n % 7} and w{n % 5}") for n in range(size)]


def models_among_tools(size: int) -> tuple[str, list[Finding]]:
    return "run(q)", [
        (model if n % 2 else tool)(n, 1, f"Claim {n} of u{n % 7}") for n in range(size)
    ]


KINDS: Sequence[Kind] = (
    equal_on_one_line, names_on_one_line, two_tools_on_one_line, three_tools_that_differ,
    many_tools_on_one_line, one_a_line,
    one_a_blank_line, one_about_all_lines_each, overlapping_spans, a_suppression_a_line,
    models_on_one_line, models_that_name_no_place,
    models_among_tools,
)  # fmt: skip


def judged(text: str, found: Sequence[Finding]) -> tuple[Finding, ...]:
    """All steps in their order, as a run does them."""
    changed_lines = ChangedLines(change(added("a.py", text), trusted=False))
    placed = mark_outside_change(anchor_findings(found, changed_lines, "tool"), changed_lines)
    linters = {source for finding in placed for source in finding.sources if finding.rule}
    merged = merge_findings(placed, linters)
    excused = apply_suppressions(merged, changed_lines, trusted=False)
    waivers = make_waivers(excused, open_fingerprints(excused), [], WaiverTerms("fine"))
    waived = apply_waivers(excused, waivers, "2026-01-01", {"a.py": ("old.py",)})
    findings = merge_patterns(excused)
    decide_verdict(findings, (), (), "P1", Coverage())
    assert len(waived) == len(findings) == len(found)
    assert sum(f.state is FindingState.OPEN for f in waived) <= sum(
        f.state is FindingState.OPEN for f in excused
    )
    return findings


def reported(findings: tuple[Finding, ...]) -> Report:
    where = ReviewedChange("a" * 40, "b" * 40, True, "b" * 40, files=(ChangedFile("a.py", "M"),))
    return Report("1", where, (), findings, Verdict(Outcome.BLOCK))


def shown(findings: tuple[Finding, ...]) -> int:
    """Everything that is made of a report; its length in characters."""
    report = reported(findings)
    forms = (terminal, json, markdown, sarif, annotations, agent)
    issues = issues_of_report(report, IssueOrigin())
    plan.plan_issues(issues, issues[::2], 10**6)
    plan.fixed_issues(issues, report, IssueOrigin(), lambda base, head: True)
    current_findings_of(report)
    sink(report.findings, AlreadyPosted(), PlacementLimits())
    markers.write_posted_state(report)
    return sum(len(form.render(report, OutputStyle())) for form in forms)


def calls(work: Callable[[], object]) -> int:
    """How many calls, of Python's functions and the library's, the work takes."""
    count = 0

    def seen(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def grows(work: Callable[[int], Callable[[], object]]) -> float:
    """How many times as many calls four times as much takes; what is loaded or compiled once does
    not count."""
    work(10)()
    return calls(work(4 * SMALL)) / calls(work(SMALL))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_judging_what_was_found(kind: Kind) -> None:
    assert grows(lambda size: lambda: judged(*kind(size))) < MOST


def test_joining_what_many_other_tools_say() -> None:
    made = {size: many_tools_on_one_line(size)[1] for size in (10, SMALL, 4 * SMALL)}
    assert grows(lambda size: lambda: merge_findings(made[size])) < 2 * MOST


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_showing_and_keeping_it(kind: Kind) -> None:
    made = {size: judged(*kind(size)) for size in (10, SMALL, 4 * SMALL)}
    assert grows(lambda size: lambda: shown(made[size])) < MOST
    assert shown(made[4 * SMALL]) < MOST * shown(made[SMALL])


@pytest.mark.parametrize("same", [True, False], ids=["equal lines", "different lines"])
@pytest.mark.parametrize("quote", ["x = {}", "y = 1\nx = {}", "= {}", "x ={}\n"])
def test_finding_what_models_quote(same: bool, quote: str) -> None:
    def placing(size: int) -> Callable[[], object]:
        text = "".join(f"y = 1\nx = {'same' if same else n}\n" for n in range(size))
        changed_lines = ChangedLines(change(added("a.py", text)))
        said = [
            quote.format(f"{n}" if not same else "same") for n in range(size if not same else 20)
        ]
        claims = [
            Claim("a.py", each, 2, 2, Priority.P2, "security", "t", "", None, Confidence.HIGH)
            for each in said
        ]
        return lambda: findings_of_claims(
            claims, changed_lines, CodeIndex(changed_lines), "one/security"
        )

    assert grows(placing) < MOST


class Counted(bytes):
    """Bytes that count how many of them are looked at."""

    seen = 0

    def lower(self) -> "Counted":
        return Counted(super().lower())

    def count(self, *args: Any) -> int:
        Counted.seen += args[2] - args[1]
        return super().count(*args)

    def find(self, *args: Any) -> int:
        found = super().find(*args)
        Counted.seen += (found if found >= 0 else len(self)) - (args[1] if len(args) > 1 else 0)
        return found

    def rfind(self, *args: Any) -> int:
        found = super().rfind(*args)
        Counted.seen += args[2] - max(found, 0)
        return found


@pytest.mark.parametrize(
    "line", ["echo $x # noqa ignore allow\n", "echo # noqa ignore; "], ids=["lines", "one line"]
)
def test_making_suppressions_unreadable(line: str) -> None:
    looks = {}
    for size in (SMALL, 4 * SMALL):
        Counted.seen = 0
        shown = SuppressionFilter(lambda n=size: (added("a.sh", line * n),))
        assert b"noqa" not in shown.at_head("a.sh", Counted((line * size).encode()))
        looks[size] = Counted.seen
    assert looks[4 * SMALL] < MOST * looks[SMALL]


def test_planning_new_issues() -> None:
    report = reported(judged(*names_on_one_line(4 * SMALL)))
    issues = issues_of_report(report, IssueOrigin())
    assert grows(lambda size: lambda: plan.plan_issues(issues[:size], (), 10**6)) < MOST


def test_keys_that_span_lines_are_counted_once() -> None:
    key = [b"-----BEGIN RSA PRIVATE KEY-----", b"A" * 64, b"-----END RSA PRIVATE KEY-----", b"x"]
    rows = dict(enumerate(key * 300, 1))
    assert multiline_secrets(rows) == {
        number: "private-key" for number, row in rows.items() if row != b"x"
    }


def test_a_finding_about_very_many_lines_quotes_the_first_and_the_last() -> None:
    changed_lines = ChangedLines(change(added("a.py", "".join(f"x{n}\n" for n in range(1, 501)))))
    (all_of_it,) = anchor_findings([tool(0, 2, "Whole", last=10**9)], changed_lines, "ruff")
    numbers = [line.number for line in all_of_it.excerpt]
    assert numbers == [1, *range(2, 101), 500] and all_of_it.placed
    (most,) = anchor_findings([tool(0, 2, "Whole", last=101)], changed_lines, "ruff")
    assert [line.number for line in most.excerpt] == [*range(1, 103)]
