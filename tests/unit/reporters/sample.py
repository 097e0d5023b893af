"""Reports for the tests of the reporters."""

from msgspec.structs import replace

from reviewgate_gh.model.coverage import Coverage, CoverageRow, ReadDepth
from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority, QuotedLine
from reviewgate_gh.model.report import (
    ChangedFile,
    Outcome,
    Report,
    ReviewedChange,
    ReviewRow,
    Verdict,
)
from reviewgate_gh.model.review import ReviewStatus

BASE, HEAD = "1a" * 20, "2b" * 20

_LONG = (
    "The value is read before anything has written it. On the first call that is a NameError; on "
    "later calls it is whatever the "
    "call before left behind, which nobody will find by reading this function alone.\n\n"
    "Assign it before the loop."
)

UNDEFINED = Finding(
    Priority.P1, "correctness", "F821", "src/app/totals.py", 12, 13, "Undefined name `total`",
    body=_LONG,
    suggestion="    total = 0\n    for row in rows:", sources=("linters/ruff", "builtin"),
    placed=True,
    excerpt=(
        QuotedLine(10, "def sum_up(rows):"), QuotedLine(12, "    for row in rows:"),
        QuotedLine(13, "        total += row.amount"),
        QuotedLine(14, "\treturn total"),
    ),
)  # fmt: skip
SECRET = Finding(
    Priority.P0, "secret", "private-key", "deploy/caf\udce9 key.pem", 1, 1,
    "A private key is committed",
    body=("Whoever can read the repository can use it. Revoke it, then remove it from the "
    "history."), sources=("builtin",),
    excerpt=(QuotedLine(1, "[private key]"),), placed=True,
)  # fmt: skip
LONG_LINE = Finding(
    Priority.P2, "maintainability", "B006",
    "src/app/" + "deeply/" * 9 + "nested_module_with_a_long_name.py", 140, 140,
    "Do not use a mutable default for an argument, because every call shares it and sees what "
    "the calls before it left",
    sources=("linters/ruff",), excerpt=(QuotedLine(140,
        "def render(" + ", ".join(f"argument_{n}=[]" for n in range(20)) + "):"),),
    places=tuple(f"src/app/view_{n}.py:{n}" for n in range(1, 9)), column_start=12,
    column_end=25, body="https://docs.example/rules/B006",
    rule_page="https://docs.example/rules/B006",
)  # fmt: skip
STYLE = (
    Finding(
        Priority.P3,
        "style",
        "E501",
        "src/app/totals.py",
        40,
        40,
        "Line too long (132 > 100)",
        sources=("linters/ruff",),
    ),
    Finding(
        Priority.P3,
        "style",
        "SC2086",
        "run.sh",
        3,
        3,
        "Double quote to prevent globbing",
        sources=("linters/shellcheck",),
    ),
)
WHOLE_FILE = Finding(
    Priority.P2,
    "config",
    "gate-config",
    ".reviewgate-gh.yaml",
    0,
    0,
    "The change edits the gate's own config",
)
DOUBTFUL = Finding(
    Priority.P2, "performance", "", "src/app/query.py", 77, 77, "This query may run once a row",
    body="If `rows` is long, batch it.",
    confidence=Confidence.LOW, sources=("builtin",),
    excerpt=(QuotedLine(77, "    user = load(row.user_id)"),),
)  # fmt: skip
ASIDE = (
    replace(
        UNDEFINED,
        line_start=90,
        line_end=90,
        state=FindingState.OUTSIDE_DIFF,
        note="the line is not part of the change",
    ),
    replace(
        STYLE[0],
        priority=Priority.P1,
        rule="S602",
        state=FindingState.WAIVED,
        note="only run by hand, until 2027-01-01",
        ordinal=2,
    ),
    replace(
        STYLE[1], rule="SC2155", state=FindingState.DISMISSED, note="dismissed by a maintainer"
    ),
    replace(SECRET, state=FindingState.DUPLICATE, ordinal=2),
)

REVIEWS = (
    ReviewRow("linters", "ruff", ReviewStatus.OK, 131, 120, 6, version="0.17.6", seconds=0.41),
    ReviewRow("builtin", "", ReviewStatus.OK, 4, 0, 7, seconds=0.02),
    ReviewRow(
        "linters",
        "shellcheck",
        ReviewStatus.FAILED,
        error="exit 3: unknown option `--jsn`",
        version="0.11.0",
    ),
    ReviewRow(
        "linters", "zizmor", ReviewStatus.SKIPPED, error="no workflow in the change", required=False
    ),
)

NO_LINTER = "no linter of the gate reviews it; add a language model as a reviewer (docs/models.md)"
COVERAGE = Coverage(
    (
        CoverageRow("src/app/file_0.py", "Python", ReadDepth.REVIEWED, ("linters/ruff",)),
        CoverageRow(
            "cmd/ma|n.go",
            "Go",
            ReadDepth.SCANNED,
            missing=True,
            why="golangci-lint reads it: install it; or add a model as reviewer",
        ),
        CoverageRow("app/caf\udce9.kt", "Kotlin", ReadDepth.SCANNED, missing=True, why=NO_LINTER),
        CoverageRow("app/Main.kt", "Kotlin", ReadDepth.SCANNED, missing=True, why=NO_LINTER),
        CoverageRow("dist/a.min.js", "JavaScript", ReadDepth.SCANNED, why="policy.exclude"),
        CoverageRow("run.sh", "Shell", ReadDepth.UNREAD),
    ),
    excluded=1,
)

RICH = Report(
    review_id="20260102T030405Z-0badcafe",
    change=ReviewedChange(
        BASE, HEAD, False, BASE, ("2b" * 20,),
        tuple(ChangedFile(f"src/app/file_{n}.py", "M") for n in range(7)),
        (("against the merge base with "
        "origin/main"),),
    ),
    reviews=REVIEWS,
    findings=(*STYLE, DOUBTFUL, LONG_LINE, *ASIDE, UNDEFINED, WHOLE_FILE, SECRET),
    verdict=Verdict(
        Outcome.INCONCLUSIVE, ("linters/shellcheck failed",), {"P0": 1, "P1": 1, "P2": 2, "P3": 2},
        (("data/big.bin: larger than "
        "1,000,000 bytes"), "run.sh: no reviewer answered", "vendor|ed.c: unreadable",
        "x.c: unreadable"),
    ),
    tools={"ruff": "0.17.6"},
    waivers=("0123456789abcdef",),
    notices=("the config of the change applies after the merge",),
    started="2026-01-02T03:04:05Z",
    finished="2026-01-02T03:04:07Z",
    coverage=COVERAGE,
)  # fmt: skip

BLOCKED = replace(
    RICH, findings=(UNDEFINED, STYLE[0]), reviews=REVIEWS[:2], notices=(), coverage=Coverage(),
    change=replace(RICH.change, trusted=True, notes=()),
    verdict=Verdict(Outcome.BLOCK, ("1 finding at or above P1",), {"P1": 1, "P3": 1}),
)  # fmt: skip
CLEAN = replace(
    BLOCKED,
    findings=(),
    reviews=(replace(REVIEWS[0], found=0, outside=0), REVIEWS[1]),
    verdict=Verdict(Outcome.PASS),
)
UNREVIEWED = replace(
    CLEAN,
    coverage=COVERAGE,
    verdict=Verdict(
        Outcome.CONCERNS,
        (COVERAGE.reason,),
        not_reviewed=tuple(row.path for row in COVERAGE.missing),
    ),
)
NOTHING = replace(CLEAN, reviews=(), change=replace(CLEAN.change, files=(), commits=()))
