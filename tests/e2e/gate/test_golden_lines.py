"""The golden comments of a public benchmark keep their places: git's diff -> parse -> anchor ->
SARIF -> read back."""

import json
import os
import re
from pathlib import Path

from reviewgate_gh.findings.scope import ChangedLines, anchor_findings, mark_outside_change
from reviewgate_gh.git import open_repository
from reviewgate_gh.git.diff import diff_trees, parse_diff
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.model.report import Outcome, Report, ReviewedChange, Verdict
from reviewgate_gh.reporters import sarif
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reviewers.imports import sarif as sarif_format
from tests.support import Repo
from tests.unit.support import change

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


def base_files(patch: str) -> dict[str, str]:
    """The old side of each file of a patch; lines that the patch does not show are filled in."""
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    left = 0
    for row in patch.splitlines():
        if left > 0 and row[:1] in (" ", "-", ""):
            lines.append(row[1:])
            left -= 1
        elif row.startswith("--- a/"):
            lines = files.setdefault(row[6:], [])
        elif found := HUNK.match(row):
            lines += [f"filler {number}" for number in range(len(lines) + 1, int(found[1]))]
            left = int(found[2] or 1)
    return {name: "\n".join(rows) + "\n" for name, rows in files.items()}


def golden(comment) -> Finding:
    start, end, rule = comment["line_start"], comment["line_end"], f"golden/{comment['domain']}"
    return Finding(Priority.P1, comment["domain"], rule, comment["file"], start, end,
                   comment["body"].splitlines()[0])  # fmt: skip


def test_every_golden_line_survives(tmp_path, data):
    rows = [json.loads(line) for line in (data / "bcbench-dev.jsonl").read_text().splitlines()]
    survived = 0
    for number, row in enumerate(row for row in rows if row["expected_comments"]):
        repo = Repo.init(tmp_path / str(number))
        repo.commit({"README": "x\n", **base_files(row["patch"])})
        Path(tmp_path / "patch").write_text(
            row["patch"] if row["patch"].endswith("\n") else row["patch"] + "\n"
        )
        repo.git("apply", "--whitespace=nowarn", tmp_path / "patch")
        repo.commit()
        files = parse_diff(
            diff_trees(open_repository(repo.path, os.environ), repo.rev("HEAD~"), repo.head)
        )
        changed_lines = ChangedLines(change(*files))
        placed = mark_outside_change(
            anchor_findings([golden(c) for c in row["expected_comments"]], changed_lines, "golden"),
            changed_lines,
        )
        assert all(f.placed and f.anchor for f in placed), row["instance_id"]
        report = Report(
            "id",
            ReviewedChange("a" * 40, "b" * 40, True, "a" * 40),
            (),
            placed,
            Verdict(Outcome.BLOCK),
        )
        back = sarif_format.parse(sarif.render(report, OutputStyle()).encode())
        assert sorted((f.path, f.line_start, f.line_end) for f in back) == sorted(
            (f.path, f.line_start, f.line_end) for f in placed
        )
        survived += len(back)
    assert survived == 104
