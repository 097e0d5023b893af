"""What docs/orchestrate.md shows works: its configuration, its commands one after another, its
library call, its tables."""

import re
import shlex
import sys

import pytest
import yaml
from msgspec.structs import fields

from reviewgate_gh.model.triggers import CodeReview, EpicCompletion, RunEnd
from tests.orchestrating import CLEAN, DEFECTS
from tests.support import ROOT, Repo, run

TEXT = (ROOT / "docs/orchestrate.md").read_text("utf-8")
# The first of each language
BLOCKS = dict(reversed(re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)))


@pytest.fixture
def ready(repo: Repo) -> Repo:
    config = yaml.safe_load(BLOCKS["yaml"])
    config["commands"]["test"] = ["true"]
    repo.commit({".reviewgate-gh.yaml": yaml.safe_dump(config)}, "settings")
    return repo


def test_its_commands_work_one_after_another(ready: Repo) -> None:
    lines = [shlex.split(line) for line in BLOCKS["sh"].splitlines() if not line.startswith("#")]
    seen = []
    for number, (_program, *args) in enumerate(lines):
        done = ready.cli(*args)
        assert done.code == 0, done.output
        seen.append(done.output)
        ready.commit(
            {f"m{number}.py": DEFECTS["P3"] if number else CLEAN}, f"bd-{7 + number}: work"
        )
    assert [line[2] for line in lines[:5]] == [
        "start",
        "trigger",
        "trigger",
        "status",
        "end",
    ] and lines[5][1] == "history"
    assert (
        seen[1].count("session_end: passed") == 1
        and "run_end: continues, 1 finding below finding_threshold" in seen[4]
        and "block" not in seen[5]
    )


def test_its_library_call_works(ready: Repo) -> None:
    assert ready.cli("orchestrate", "start").code == 0
    ready.commit({"a.py": DEFECTS["P3"]}, "bd-7: work")
    done = run([sys.executable, "-c", BLOCKS["python"]], ready.path, {"PYTHONPATH": str(ROOT)})
    assert done.code == 0 and done.stdout == "0  completed_with_findings\n", done.output


def test_its_tables_name_every_key_and_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", TEXT, re.MULTILINE))
    for kind in (EpicCompletion, RunEnd, CodeReview):
        assert {field.name for field in fields(kind)} <= set(rows)
    defaults = CodeReview()
    for name in ("reviewer_type", "finding_threshold"):
        assert rows[name] == f"`{getattr(defaults, name)}`"
    assert (rows["enabled"], rows["failure_mode"], rows["max_retries"]) == (
        "`false`",
        "`continue`",
        str(defaults.max_retries),
    )
