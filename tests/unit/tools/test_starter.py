"""What `init` writes: a config that changes nothing, and a workflow that holds to SECURITY.md."""

import re
from pathlib import Path

import pytest
import yaml
from msgspec import to_builtins
from msgspec.structs import replace

from reviewgate_gh.model.config import Config, LinterOptions
from reviewgate_gh.settings.descriptions import DESCRIPTIONS
from reviewgate_gh.text.config_file import parse_settings
from reviewgate_gh.tools.config import config_reference
from reviewgate_gh.tools.init import STARTER_CONFIG, commands_workflow, starter_workflow
from tests.support import ROOT, run, tool

_HEAD = "version: 1\n"
_ACTION = f"octo/reviewgate-gh@{'0123456789' * 4}"
_WORKFLOWS = {
    "reviewgate.yml": starter_workflow(_ACTION),
    "reviewgate-commands.yml": commands_workflow(_ACTION),
}


def uncommented(text: str) -> str:
    """A config with every comment sign of the outer level taken away."""
    head, body = text.split(_HEAD)
    assert all(line.startswith("#") for line in head.splitlines())
    rows = [line.removeprefix("# ") for line in body.splitlines()]
    return _HEAD + "\n".join(row for row in rows if not re.match(r"[A-Z]", row))


def test_as_written_it_changes_nothing_and_is_short() -> None:
    assert parse_settings(STARTER_CONFIG.encode(), Config, "start") == Config()
    assert len(STARTER_CONFIG.splitlines()) <= 30


def test_all_that_it_names_can_be_uncommented() -> None:
    found = parse_settings(uncommented(STARTER_CONFIG).encode(), Config, "start")
    default = Config()
    assert (found.policy, found.publish) == (default.policy, default.publish)
    assert found.reviewers["claude"].type == "claude" and list(found.rules) == ["ruff/S*"]
    for verb in ("check", "show", "reference"):
        assert f"reviewgate-gh config {verb} " in STARTER_CONFIG


def test_the_reference_is_every_default() -> None:
    assert parse_settings(config_reference().encode(), Config, "start") == Config()
    read = parse_settings(uncommented(config_reference()).encode(), Config, "start")
    written = replace(Config(), linters={"ruff": LinterOptions()})
    assert to_builtins(read) == to_builtins(written)


def test_the_reference_explains_every_key() -> None:
    # No default has them
    within_null = (
        "version",
        "code_review.",
        "validation_triggers.*",
        "epic_verification.cerberus.",
        "secrets.patterns.",
        "rules.",
    )
    reference = config_reference()
    assert [
        key
        for key, words in DESCRIPTIONS.items()
        if words not in reference and not key.startswith(within_null)
    ] == []


def test_a_section_of_the_reference_can_be_uncommented_alone() -> None:
    block = config_reference().split("\n\n")[5]
    text = "\n".join(line.removeprefix("# ") for line in block.splitlines()).replace("P1", "P2")
    assert parse_settings(text.encode(), Config, "section").policy == replace(
        Config().policy, finding_threshold="P2"
    )


@pytest.mark.contract(plain=False)
def test_the_workflows_are_pinned_and_pass_their_judges(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    for name, text in _WORKFLOWS.items():
        (folder / name).write_text(text)
        used = [line for line in text.splitlines() if "uses:" in line]
        assert _ACTION in used[1] and "pip" not in text
        assert all(re.search(r"@[0-9a-f]{40}( # v\d|$)", line) for line in used)
    for judge in (
        [tool("zizmor"), "--offline", "--no-progress", "--persona=auditor", tmp_path],
        [
            tool("check-jsonschema"),
            "--builtin-schema",
            "vendor.github-workflows",
            *(folder / name for name in _WORKFLOWS),
        ],
    ):
        done = run(judge, tmp_path)
        assert done.code == 0, done.output


def test_the_workflow_runs_on_pull_requests_and_the_merge_queue_with_the_least_rights() -> None:
    flow = yaml.safe_load(starter_workflow(_ACTION))
    assert list(flow[True]) == ["pull_request", "merge_group"]
    assert flow["permissions"] == {}
    job = flow["jobs"]["review"]
    assert job["permissions"] == {"contents": "read"}
    assert job["steps"][0]["with"] == {"persist-credentials": False, "fetch-depth": 0}
    assert job["steps"][1] == {"uses": _ACTION, "id": "gate", "with": {"fail-on": "block"}}
    assert job["steps"][-1]["continue-on-error"] and "outputs.html" in job["steps"][-1]["if"]
    assert not [step for step in job["steps"] if "run" in step]


def test_commands_are_answered_one_after_another_and_none_is_given_up() -> None:
    text = commands_workflow(_ACTION)
    flow = yaml.safe_load(text)
    assert flow[True] == {"issue_comment": {"types": ["created"]}} and flow["permissions"] == {}
    group = flow["concurrency"]["group"]
    assert "event.issue.number" in group and "'review' ||" in group
    assert group.endswith("github.event.comment.id }}") and "\n" not in group
    assert flow["concurrency"]["cancel-in-progress"] is False
    job = flow["jobs"]["answer"]
    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert "user.type == 'User'" in job["if"] and "author_association" not in text
    assert not [step for step in job["steps"] if "run" in step or "ref" in step.get("with", {})]


def test_the_docs_show_the_workflow_that_answers_commands() -> None:
    shown = commands_workflow(f"OWNER/reviewgate-gh@{'0' * 40} # the commit you have read")
    assert f"```yaml\n{shown}```" in (ROOT / "docs/commands.md").read_text("utf-8")
