"""Reviewers of the config: asked together, and programs of the user's join."""

import ast
import json
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, Repo

WAITS = """\
import json, pathlib, sys, time
mine, other = (pathlib.Path(name) for name in sys.argv[1:3])
mine.touch()
for _ in range(600):
    if other.exists():
        break
    time.sleep(0.05)
else:
    sys.exit("the other reviewer was not asked at the same time")
place = {"path": "a.py", "range": {"start": {"line": 1}}}
remark = {"message": f"from {mine.name}", "location": place, "severity": "WARNING"}
print(json.dumps({"source": {"name": mine.name}, "diagnostics": [remark]}))
"""


@pytest.fixture
def two(repo, tmp_path) -> Repo:
    """A repository whose config names two programs that wait for each other."""
    script = tmp_path / "waits.py"
    script.write_text(WAITS)
    reviewers = {
        name: {
            "type": "command",
            "options": {
                "argv": [sys.executable, str(script), str(tmp_path / name), str(tmp_path / other)],
                "format": "rdjson",
            },
        }
        for name, other in (("left", "right"), ("right", "left"))
    }
    repo.commit(
        {
            ".reviewgate-gh.yaml": json.dumps(
                {
                    "reviewers": {
                        "linters": False,
                        "change": False,
                        "callers": False,
                        **reviewers,
                        "builtin": {"type": "builtin"},
                    }
                }
            ),
            "a.py": "x = 1\n",
        }
    )
    return repo


@pytest.mark.contract
@pytest.mark.req("R003-005")
def test_all_reviewers_are_asked_at_the_same_time(two):
    done = two.cli("review", "--commit", "HEAD", "--output", "json")
    data = json.loads(done.stdout)
    assert {row["reviewer"]: row["status"] for row in data["reviews"]} == {
        "left": "ok",
        "right": "ok",
        "builtin": "ok",
    }, done.output
    assert {"from left", "from right"} <= {f["title"] for f in data["findings"]}


def test_one_at_a_time_when_the_config_says_so(two):
    config = json.loads(two.file(".reviewgate-gh.yaml").read_text())
    two.commit(
        {
            ".reviewgate-gh.yaml": json.dumps(
                {**config, "ensemble": {"max_parallel": 1, "deadline": 2}}
            ),
            "a.py": "x = 2\n",
        }
    )
    done = two.cli("review", "--commit", "HEAD", "--output", "json")
    assert done.code != 0 and json.loads(done.stdout)["verdict"]["outcome"] == "inconclusive", (
        done.output
    )


@pytest.mark.contract(plain=False)
def test_a_program_of_the_config_runs_only_for_the_users_own_commits(two, tmp_path):
    clone = two.clone(tmp_path / "clone")
    data = json.loads(clone.cli("review", "--commit", "HEAD", "--output", "json").stdout)
    assert {row["reviewer"] for row in data["reviews"]} == {"linters", "builtin", "change"}
    assert not (tmp_path / "left").exists()


@pytest.mark.req("R000-156", "R003-069")
def test_nothing_asks_a_question(two):
    done = two.cli("review", "--commit", "HEAD")
    assert done.code in (0, 1) and "?" not in done.stdout.replace("A false alarm?", ""), done.output
    fix = ROOT / "reviewgate_gh/commands/fix.py"  # asks before it edits, and is not what reviews
    texts = [path.read_text() for path in (ROOT / "reviewgate_gh").rglob("*.py") if path != fix]
    assert not [text for text in texts if "click.confirm" in text or "click.prompt" in text]
    calls = [node for text in texts for node in ast.walk(ast.parse(text))]
    assert not [
        node
        for node in calls
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "input"
    ]


@pytest.mark.req("R003-033", "R003-079")
def test_no_pull_request_is_checked_out_and_no_file_of_custom_tools_is_read():
    texts = "".join(path.read_text() for path in (ROOT / "reviewgate_gh").rglob("*.py"))
    assert "pr checkout" not in texts and "review-tools" not in texts


@pytest.mark.req("R003-073")
def test_the_docs_draw_without_mermaid():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert pages and not [page for page in pages if "```mermaid" in Path(page).read_text()]
