"""What `init` writes: the defaults themselves, and a workflow that holds to what SECURITY.md
promises."""

import re
from pathlib import Path

import yaml
from msgspec.structs import replace

from reviewgate_gh.model.config import Config, LinterOptions
from reviewgate_gh.settings.descriptions import DESCRIPTIONS
from reviewgate_gh.text.config_file import parse_settings
from reviewgate_gh.tools.init import starter_config, starter_workflow
from tests.support import run, tool

_HEAD = "version: 1\n"


def uncommented() -> str:
    """The start of a config with every comment sign of the outer level taken away."""
    head, body = starter_config().split(_HEAD)
    assert all(line.startswith("#") for line in head.splitlines())
    return _HEAD + "\n".join(line.removeprefix("# ") for line in body.splitlines())


def test_as_written_it_changes_nothing() -> None:
    assert parse_settings(starter_config().encode(), Config, "start") == Config()


def test_uncommented_it_is_every_default() -> None:
    assert parse_settings(uncommented().encode(), Config, "start") == replace(
        Config(), linters={"ruff": LinterOptions()}
    )


def test_it_explains_every_key() -> None:
    # No default has them
    within_null = (
        "version",
        "code_review.",
        "validation_triggers.*",
        "epic_verification.cerberus.",
        "secrets.patterns.",
        "rules.",
    )
    assert [
        key
        for key, words in DESCRIPTIONS.items()
        if words not in starter_config() and not key.startswith(within_null)
    ] == []


def test_a_section_can_be_uncommented_alone() -> None:
    block = starter_config().split("\n\n")[5]
    text = "\n".join(line.removeprefix("# ") for line in block.splitlines()).replace("P1", "P2")
    assert parse_settings(text.encode(), Config, "section").policy == replace(
        Config().policy, finding_threshold="P2"
    )


def test_the_workflow_is_pinned_and_passes_its_judges(tmp_path: Path) -> None:
    text = starter_workflow("1.2.3")
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "reviewgate.yml").write_text(text)
    assert '"reviewgate-gh[linters]==1.2.3"' in text
    assert all(
        re.search(r"@[0-9a-f]{40} # v\d", line) for line in text.splitlines() if "uses:" in line
    )
    for judge in (
        [tool("zizmor"), "--offline", "--no-progress", "--persona=auditor", tmp_path],
        [
            tool("check-jsonschema"),
            "--builtin-schema",
            "vendor.github-workflows",
            folder / "reviewgate.yml",
        ],
    ):
        done = run(judge, tmp_path)
        assert done.code == 0, done.output


def test_the_workflow_runs_on_pull_requests_and_the_merge_queue_with_the_least_rights() -> None:
    flow = yaml.safe_load(starter_workflow("1.2.3"))
    assert list(flow[True]) == ["pull_request", "merge_group"]
    assert flow["permissions"] == {}
    job = flow["jobs"]["review"]
    assert job["permissions"] == {"contents": "read"}
    assert job["steps"][0]["with"] == {"persist-credentials": False, "fetch-depth": 0}
    assert job["steps"][-1]["run"].endswith("-I -m reviewgate_gh action\n")
    assert not [step for step in job["steps"] if "${{" in step.get("run", "")]
