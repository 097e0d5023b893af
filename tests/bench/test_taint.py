"""How well harmful and harmless programs are told apart: `pytest -m bench -n0 -s -k taint`.

The programs are those of tests/unit/reviewers/taint. If REVIEWGATE_GH_DATA holds a copy of OWASP's
BenchmarkPython, its programs are counted too: a finding counts if it is of the program's own
category. No part of that suite is in this repository.
"""

import csv
import os
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.taint.findings import find_flows
from tests.unit.reviewers.taint.programs import programs

pytestmark = pytest.mark.bench
CATEGORIES = {
    "cmdi": "command-injection",
    "codeinj": "code-injection",
    "deserialization": "unsafe-deserialization",
    "hash": "weak-hash",
    "ldapi": "ldap-injection",
    "pathtraver": "path-traversal",
    "redirect": "open-redirect",
    "securecookie": "insecure-cookie",
    "sqli": "sql-injection",
    "trustbound": "trust-boundary",
    "weakrand": "weak-random",
    "xpathi": "xpath-injection",
    "xss": "cross-site-scripting",
    "xxe": "xml-external-entities",
}
Row = tuple[str, bool, str]  # category, is it harmful, the text


def _print_rates(rows: Iterable[Row], threshold: Priority) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for category, harmful, text in rows:
        found = find_flows("app.py", text.encode())
        hit = any(f.rule == f"taint/{category}" and f.priority.reaches(threshold) for f in found)
        for name in (category, "all"):
            counts[name][2 * (not harmful) + (not hit)] += 1
    for name, (tp, fn, fp, tn) in sorted(counts.items()):
        rates = f"TPR {tp / max(1, tp + fn):.3f} FPR {fp / max(1, fp + tn):.3f}"
        print(f"{threshold} {name:28} TP {tp:5} FN {fn:5} FP {fp:5} TN {tn:5}  {rates}")


@pytest.mark.parametrize("threshold", ["P1", "P2"])
def test_generated_programs(threshold: str) -> None:
    every = random.Random(3).sample(list(programs()), 3_000)
    rows = [(p.sink.removeprefix("taint/"), bool(p.rule), p.text) for p in every]
    _print_rates(rows, Priority(threshold))


@pytest.mark.parametrize("threshold", ["P1", "P2"])
def test_owasp_benchmark(threshold: str) -> None:
    folder = Path(os.environ.get("REVIEWGATE_GH_DATA", "")) / "BenchmarkPython"
    expected = [*folder.glob("expectedresults-*.csv")]
    if not expected:
        pytest.skip("REVIEWGATE_GH_DATA holds no BenchmarkPython")
    with expected[0].open() as file:
        listed = [row for row in csv.reader(file) if not row[0].startswith("#")]
    rows = [
        (CATEGORIES[row[1]], row[2] == "true", (folder / f"testcode/{row[0]}.py").read_text())
        for row in listed
    ]
    _print_rates(rows, Priority(threshold))
