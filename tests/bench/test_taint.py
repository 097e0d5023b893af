"""How well harmful and harmless programs are told apart: `pytest -m bench -n0 -s -k taint`.

The programs are those of tests/unit/reviewers/taint. If REVIEWGATE_GH_DATA holds a copy of OWASP's
BenchmarkPython, its programs are counted too: a finding counts if it is of the program's own
category. No part of that suite is in this repository. The taint check is counted alone, then the
whole gate with its linters.
"""

import csv
import json
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from reviewgate_gh.findings.defects import defect_of
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.taint.findings import find_flows
from tests.support import Repo
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
Found = list[tuple[str, Priority]]  # the defects that were found in it


def _print_rates(rows: Iterable[Row], found: Iterable[Found], threshold: Priority) -> None:
    """`found`: the defects of each row's program."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (category, harmful, _text), defects in zip(rows, found, strict=True):
        hit = any(defect == category and told.reaches(threshold) for defect, told in defects)
        for name in (category, "all"):
            counts[name][2 * (not harmful) + (not hit)] += 1
    for name, (tp, fn, fp, tn) in sorted(counts.items()):
        rates = f"TPR {tp / max(1, tp + fn):.3f} FPR {fp / max(1, fp + tn):.3f}"
        sure = f"precision {tp / max(1, tp + fp):.3f}"
        print(f"{threshold} {name:28} TP {tp:5} FN {fn:5} FP {fp:5} TN {tn:5}  {rates} {sure}")


def _by_taint(rows: Iterable[Row]) -> list[Found]:
    """What the taint check says of each program."""
    return [
        [(defect_of(f.rule), f.priority) for f in find_flows("app.py", text.encode())]
        for _category, _harmful, text in rows
    ]


def _by_gate(rows: Sequence[Row], repo: Repo) -> list[Found]:
    """What a review of all programs, added by one commit, says of each."""
    repo.commit({"README.md": "x\n"})
    repo.commit({f"app/p{at}.py": text for at, (_category, _harmful, text) in enumerate(rows)})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    found: dict[str, Found] = defaultdict(list)
    for each in json.loads(done.stdout)["findings"]:
        # Equal ones are told together: the others' files are among its places
        paths = {place.rpartition(":")[0] for place in each["places"]}
        for path in {each["path"], *paths}:
            found[path].append((defect_of(each["rule"]), Priority(each["priority"])))
    return [found[f"app/p{at}.py"] for at in range(len(rows))]


def _generated() -> list[Row]:
    every = random.Random(3).sample(list(programs()), 3_000)
    return [(p.sink.removeprefix("taint/"), bool(p.rule), p.text) for p in every]


def _print_both(rows: Sequence[Row], repo: Repo) -> None:
    for name, found in (("taint", _by_taint(rows)), ("whole gate", _by_gate(rows, repo))):
        for threshold in (Priority.P1, Priority.P2):
            print(f"\n{name}")
            _print_rates(rows, found, threshold)


def test_generated_programs(repo: Repo) -> None:
    _print_both(_generated(), repo)


def test_owasp_benchmark(repo: Repo) -> None:
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
    _print_both(rows, repo)
