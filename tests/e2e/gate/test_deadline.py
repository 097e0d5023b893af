"""One deadline for all of a run: what reviewers found is judged in time, or the report says that it
was not, and keeps it."""

import json
from pathlib import Path

import pytest

from ...support import Repo, tool

# Of three tools whose words are compared: many times what is left of a deadline of one second
MANY = 40_000
CONFIG = ".reviewgate-gh.yaml"


def remarks(path: Path, number: int) -> Path:
    """A report of three tools about 400 lines, each remark in words of its own."""
    results = [
        {
            "ruleId": f"R{n}",
            "level": "error",
            "message": {"text": " ".join(f"{n * 25 + at}" for at in range(25))},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": f"a{n % 20}.txt"},
                        "region": {"startLine": 1 + n // 20 % 20},
                    }
                }
            ],
        }
        for n in range(number)
    ]
    runs = [
        {"tool": {"driver": {"name": name}}, "results": results[at::3]}
        for at, name in enumerate(("one", "two", "three"))
    ]
    path.write_text(json.dumps({"version": "2.1.0", "runs": runs}))
    return path


@pytest.mark.req("R009-001")
def test_what_cannot_be_judged_in_time_is_kept_and_no_pass(repo: Repo, tmp_path: Path) -> None:
    repo.commit({CONFIG: "mode: warn\nensemble: {deadline: 1}\n"})
    repo.commit({f"a{n}.txt": "word\n" * 20 for n in range(20)})
    done = repo.cli(
        "review",
        "--commit",
        "HEAD",
        "--import",
        remarks(tmp_path / "many.sarif", MANY),
        "--output",
        "json",
    )
    report = json.loads(done.stdout)
    assert (done.code, report["verdict"]["outcome"], report["late"]) == (3, "inconclusive", True), (
        done.stderr
    )
    assert "deadline passed before the findings could be judged" in report["verdict"]["reasons"][0]
    assert (
        len(report["findings"])
        == MANY
        == sum(row["found"] - row["outside"] for row in report["reviews"])
    )
    assert {(f["state"], f["confidence"], f["note"]) for f in report["findings"]} == {
        ("open", "low", "not judged: the run's deadline had passed")
    }
    kept = max(
        repo.path.glob(".git/reviewgate-gh/reviews/**/*.json"), key=lambda path: path.stat().st_size
    )
    assert len(json.loads(kept.read_text())["findings"]) == MANY


@pytest.mark.parametrize("form", ["terminal", "markdown", "agent"])
def test_whoever_reads_it_is_told(repo: Repo, tmp_path: Path, form: str) -> None:
    repo.commit({CONFIG: "ensemble: {deadline: 1}\n"})
    repo.commit({f"a{n}.txt": "word\n" * 20 for n in range(20)})
    done = repo.cli(
        "review",
        "--commit",
        "HEAD",
        "--import",
        remarks(tmp_path / "many.sarif", MANY),
        "--output",
        form,
    )
    assert done.code == 3 and "inconclusive" in done.stdout and "deadline passed" in done.stdout, (
        done.output[:3000]
    )
    assert "39,9" in done.stdout or "40,000" in done.stdout


def test_few_findings_are_judged_within_the_same_deadline(repo: Repo, tmp_path: Path) -> None:
    repo.commit({CONFIG: "ensemble: {deadline: 1}\n"})
    repo.commit({f"a{n}.txt": "word\n" * 20 for n in range(20)})
    done = repo.cli("review", "--commit", "HEAD", "--import", remarks(tmp_path / "few.sarif", 20))
    assert done.code == 1 and "20 P1" in done.stdout, done.output


@pytest.mark.skipif(not tool("ruff"), reason="no ruff")
@pytest.mark.parametrize(
    "code",
    [
        "".join(f"v{n}: 'list[T{n}]' = []\n" for n in range(3_000)),
        "".join(f"def f{n}(a=[]):\n    a.append({n})\n" for n in range(3_000)),
        "def g(items):\n    for x in items:\n"
        + "".join(f"        def f{n}():\n            return x\n" for n in range(3_000)),
    ],
    ids=["names in strings", "defaults", "functions of a loop"],
)
def test_thousands_of_findings_that_the_rest_of_the_file_decides_are_judged_in_time(
    repo: Repo, code: str
) -> None:
    # Before, the file was parsed again for each of them
    repo.commit({CONFIG: "ensemble: {deadline: 60}\n"})
    repo.commit({"a.py": code})
    done = repo.cli("review", "--commit", "HEAD", "--trusted", "--output", "json")
    report = json.loads(done.stdout)
    assert not report["late"] and report["verdict"]["outcome"] != "inconclusive", done.stderr
    assert any(row["found"] >= 2_000 for row in report["reviews"])


@pytest.mark.skipif(not tool("ruff"), reason="no ruff")
@pytest.mark.parametrize(
    ("code", "more"),
    [("evil(x); " * 9_000, "8,901"), ("; ".join(f"u{n}" for n in range(10_000)), "19,901")],
)
@pytest.mark.req("R009-001")
def test_one_line_with_thousands_of_findings_is_judged_within_the_hooks_deadline(
    repo: Repo, code: str, more: str
) -> None:
    # Before, merging took more than 100 seconds
    repo.commit({CONFIG: "ensemble: {deadline: 60}\n"})
    repo.commit({"a.py": f"x = 1\n{code}\n"})
    done = repo.cli("review", "--commit", "HEAD", "--trusted", "--output", "json")
    report = json.loads(done.stdout)
    assert (done.code, report["verdict"]["outcome"], report["late"]) == (1, "block", False), (
        done.stderr
    )
    found, outside = (sum(row[key] for row in report["reviews"]) for key in ("found", "outside"))
    assert found - outside == len(report["findings"]) == 100
    [rest] = [each for each in report["findings"] if each["rule"] == "ruff/more-findings"]
    assert rest["title"] == f"{more} more findings on this line"
    assert len(done.stdout) < 3_000 * len(report["findings"])
