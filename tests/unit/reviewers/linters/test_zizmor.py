"""zizmor: weights on real runs, and that a file it skips fails the run."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.reviewers.linters import zizmor
from tests.unit.reviewers.linters.real import ask, takes

WORKFLOW = """\
name: a
on: pull_request_target
permissions: {}
jobs:
  a:
    permissions: write-all
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {ref: "${{ github.event.pull_request.head.sha }}"}
      - run: echo "${{ github.event.pull_request.title }}"
"""
CLEAN = (
    "name: c\non: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
    "      - run: echo hi\n"
)
PATH = ".github/workflows/a.yml"


def test_weights(tmp_path: Path) -> None:
    asked = ask(zizmor, tmp_path, {PATH: WORKFLOW})
    assert asked.weights() == {
        "zizmor/template-injection": "P1",
        "zizmor/excessive-permissions": "P1",
        "zizmor/dangerous-triggers": "P2",  # it is only fairly sure of it
        "zizmor/artipacked": "P3",
        "zizmor/unpinned-uses": "P3",
    }
    lines = {f.rule: f.line_start for f in asked.findings}
    assert (lines["zizmor/template-injection"], lines["zizmor/dangerous-triggers"]) == (11, 2)
    assert {(f.path, f.category) for f in asked.findings} == {(PATH, "security")}


def test_clean_and_odd_files(tmp_path: Path) -> None:
    asked = ask(zizmor, tmp_path, {PATH: CLEAN})
    assert (asked.code, asked.findings) == (0, ())
    names = (".github/workflows/x b ü '.yml", ".github/workflows/-dash.yaml")
    action = (
        "name: x\nruns:\n  using: composite\n  steps:\n    - run: echo ${{ inputs.a }}\n"
        "      shell: bash\n"
    )
    dependabot = (
        "version: 2\nupdates:\n  - package-ecosystem: pip\n    directory: /\n"
        "    schedule: {interval: daily}\n"
        "    insecure-external-code-execution: allow\n"
    )
    files = {
        **dict.fromkeys(names, WORKFLOW),
        "sub dir/action.yml": action,
        ".github/dependabot.yml": dependabot,
    }
    assert {f.path for f in ask(zizmor, tmp_path, files).findings} == set(files)


@pytest.mark.parametrize("broken", ["a: [\n b", "name: x\non: push\njobs: 3\n", "on: [push\n"])
def test_a_file_it_cannot_read_fails_the_run(broken: str, tmp_path: Path) -> None:
    asked = ask(zizmor, tmp_path, {PATH: WORKFLOW, ".github/workflows/broken.yml": broken})
    assert asked.code not in (*zizmor.CLEAN_EXITS, *zizmor.FOUND_EXITS)


def test_the_projects_own_config(tmp_path: Path) -> None:
    files = {
        ".github/zizmor.yml": "rules:\n  template-injection:\n    disable: true\n",
        PATH: WORKFLOW,
    }
    assert (
        "zizmor/template-injection" not in ask(zizmor, tmp_path, files, own_config=True).weights()
    )
    assert "zizmor/template-injection" in ask(zizmor, tmp_path, files).weights()


def test_an_ignored_result_is_waived(tmp_path: Path) -> None:
    rows = json.loads(ask(zizmor, tmp_path, {PATH: WORKFLOW}).out)
    rows[0]["ignored"] = True
    first, *others = zizmor.parse([json.dumps(rows).encode()])
    assert first.state is FindingState.WAIVED and "ignored" in first.note
    assert {f.state for f in others} == {FindingState.OPEN}


@pytest.mark.parametrize(
    "path",
    [PATH, ".github/workflows/b.yaml", "action.yml", "x/action.yaml", ".github/dependabot.yml"],
)
def test_takes(path: str) -> None:
    assert takes(zizmor, path)


@pytest.mark.parametrize(
    "path",
    [
        "a.yml",
        "x/.github/workflows/a.yml",
        ".github/workflows/x/a.yml",
        "my-action.yml",
        ".github/a.yml",
    ],
)
def test_leaves_alone(path: str) -> None:
    assert not takes(zizmor, path)


@pytest.mark.parametrize(
    ("event", "priority"),
    [("push", "P2"), ("pull_request", "P2"), ("issue_comment", "P1"), ("workflow_run", "P1")],
)
def test_rights_count_where_strangers_start_the_workflow(event: str, priority: str) -> None:
    found = Finding(Priority.P1, "security", "zizmor/excessive-permissions", "a.yml", 1, 1, "t")
    assert zizmor.relocate(found, f"on: [{event}]\n".encode).priority == priority


@pytest.mark.parametrize(
    ("event", "rights", "priority"),
    [
        ("pull_request", "read-all", "P3"),
        ("push", "write-all", "P2"),
        ("pull_request_target", "read-all", "P3"),
    ],
)
def test_rights_to_read_all_weigh_little(
    event: str, rights: str, priority: str, tmp_path: Path
) -> None:
    text = (
        f"on: {event}\npermissions: {rights}\njobs:\n  a:\n    runs-on: x\n    steps:\n"
        "      - run: make\n  b:\n    runs-on: x\n    steps:\n      - run: make\n"
    )
    rule = "zizmor/excessive-permissions"
    found = [f for f in ask(zizmor, tmp_path, {PATH: text}).findings if f.rule == rule]
    (told,) = (f for f in found if f.line_start == 2)
    assert zizmor.relocate(told, text.encode).priority.value == priority


@pytest.mark.parametrize(
    ("event", "expression", "priority"),
    [
        ("workflow_dispatch", "inputs.tag", "P3"),
        ("workflow_dispatch", "github.event_name }} ${{ inputs.tag", "P3"),
        ("release", "github.event.release.tag_name || inputs.tag", "P3"),
        ("workflow_dispatch, workflow_call", "inputs.tag", "P2"),
        ("workflow_call", "inputs.tag", "P2"),
        ("workflow_call", "inputs.pr-number", "P3"),
        ("workflow_call", "inputs.identity", "P2"),
        ("workflow_call", "github.event.issue.title", "P1"),
        ("issue_comment", "inputs.tag", "P1"),
        ("pull_request_target", "github.event.inputs.tag || github.event.number", "P3"),
        ("pull_request_target", "github.event.inputs.tag || github.head_ref", "P1"),
        ("pull_request", "github.event.pull_request.title", "P1"),
        ("push", "github.event.head_commit.message", "P1"),
        ("push", "github.ref_name", "P3"),
        ("pull_request", "github.base_ref", "P3"),
        ("issue_comment", "github.event_name", "P3"),
        ("issues", "secrets.GITHUB_TOKEN }} ${{ github.event.issue.number", "P3"),
        ("issues", "secrets.GITHUB_TOKEN }} ${{ github.event.issue.title", "P1"),
        ("push", "(!github.event.pull_request && format('a={0}', github.ref_name)) || 'b'", "P3"),
        ("issue_comment", "format('a={0}', github.event.comment.body)", "P1"),
        ("issue_comment", "toJSON(github.event)", "P1"),
        ("issue_comment", "github.sha || github.event['comment'].body", "P1"),
        ("workflow_run", "github.event.workflow_run.artifacts_url", "P3"),
        ("workflow_run", "github.event.workflow_run.head_branch", "P1"),
        ("issue_comment", "github.event.issue.user.login", "P3"),
        ("pull_request_target", "github.event.pull_request.head.ref", "P1"),
        ("issue_comment", "github.event_name }} ${{ github.event.comment.body", "P1"),
        ("pull_request", "github.event.pull_request.base.ref", "P3"),
        ("pull_request", "github.head_ref", "P1"),
        ("pull_request", "toJSON(github.event.pull_request)", "P1"),
        ("workflow_dispatch", "inputs.tag || github.head_ref", "P1"),
    ],
)
def test_injections_count_where_others_write_the_text(
    event: str, expression: str, priority: str
) -> None:
    found = Finding(Priority.P1, "security", "zizmor/template-injection", "a.yml", 2, 2, "t")
    text = f"on: [{event}]\nrun: echo ${{{{ {expression} }}}}\n"
    assert zizmor.relocate(found, text.encode).priority == priority


def test_what_is_typed_in_by_hand_is_nothing_that_anybody_may_say() -> None:
    found = Finding(Priority.P1, "security", "zizmor/template-injection", "a.yml", 2, 2, "t")
    for said, expression in (("", "github.event.inputs.tag"), ("anybody", "github.head_ref")):
        text = f"on: [pull_request_target]\nrun: echo ${{{{ {expression} }}}}\n"
        title = zizmor.relocate(found, text.encode).title
        assert ("anybody" in title) is bool(said)


@pytest.mark.parametrize(
    ("step", "priority"),
    [
        ("uses: actions/checkout@v4", "P2"),
        ("run: gh run download 1", "P2"),
        ("uses: o/r/.github/workflows/a.yml@v1", "P2"),
        ("uses: actions/labeler@v5", "P3"),
        ("'uses': 'github/issue-labeler@v3.4'", "P3"),
        ("uses: somebody/labeler@v5", "P2"),
        ('"uses" : "somebody/labeler@v5"', "P2"),
        ("uses: docker://somebody/labeler", "P2"),
        ("uses: ./.github/actions/label", "P2"),
        ("run: gh pr comment 1 --body 'Thank you; https://example.org has more'", "P3"),
        ('run: gh issue close "$NUMBER"', "P3"),
        ("run: gh pr comment}, {run: make", "P2"),
        ("run: make}, {run: gh pr comment", "P2"),
        ("run: gh pr checkout 1", "P2"),
        ("run: gh pr merge 1", "P2"),
        ("run: gh pr comment 1; make", "P2"),
        ('run: gh pr comment 1 -b "`make`"', "P2"),
        ('run: gh pr comment 1 -b "$(make)"', "P2"),
        ("run: 'gh pr comment 1 -b ${{ github.event.issue.title }}'", "P2"),
        ("run: 'gh pr comment ${{ github.event.pull_request.number }} -b Thanks'", "P3"),
        ('"run" : "make"', "P2"),
        ('"r\\x75n": "make"', "P2"),
    ],
)
def test_strangers_may_start_what_runs_no_code(step: str, priority: str) -> None:
    found = Finding(Priority.P2, "security", "zizmor/dangerous-triggers", "a.yml", 1, 1, "t")
    text = f"on: [pull_request_target]\njobs: {{a: {{steps: [{{{step}}}]}}}}\n"
    assert zizmor.relocate(found, text.encode).priority == priority


@pytest.mark.parametrize(
    ("called", "priority"), [("./.github/workflows/a.yml", "P3"), ("o/r/a.yml@v1", "P2")]
)
def test_secrets_that_stay_in_the_repository_weigh_little(called: str, priority: str) -> None:
    found = Finding(Priority.P2, "security", "zizmor/secrets-inherit", "a.yml", 3, 3, "t")
    text = f"jobs:\n  a:\n    uses: {called}\n    secrets: inherit\n"
    assert zizmor.relocate(found, text.encode).priority == priority


@pytest.mark.parametrize("words", ["a tag", "for pull_request_target and issue_comment"])
def test_who_uses_an_action_decides_what_it_is_given(words: str) -> None:
    text = f"runs:\n  run: echo ${{{{ inputs.tag }}}} # {words}\n".encode()
    found = Finding(Priority.P1, "security", "zizmor/template-injection", "a/action.yml", 2, 2, "t")
    assert zizmor.relocate(found, lambda: text).priority == "P2"
    own = replace(found, path=".github/actions/a/action.yml")
    assert zizmor.relocate(own, lambda: text).priority == "P3"


@pytest.mark.parametrize(
    ("event", "priority"),
    [("workflow_dispatch", "P3"), ("push", "P3"), ("workflow_run", "P2"), ("issues", "P2")],
)
def test_what_may_be_an_injection_is_none_where_no_stranger_writes(
    event: str, priority: str
) -> None:
    found = Finding(Priority.P2, "security", "zizmor/template-injection", "a.yml", 2, 2, "t")
    text = f"on: [{event}]\nrun: load ${{{{ matrix.artifact }}}}\n"
    assert zizmor.relocate(found, text.encode).priority == priority


@pytest.mark.parametrize(
    ("event", "jobs", "priority"),
    [
        ("issues", "{a: {}}", "P3"),
        ("issues", "{a: {}, b: {}}", "P2"),
        ("issues", "", "P2"),
        ("push", "{a: {}, b: {}}", "P3"),
    ],
)
def test_rights_at_the_top_count_for_strangers_and_several_jobs(
    event: str, jobs: str, priority: str
) -> None:
    title = "overly broad permissions: contents: write is overly broad at the workflow level"
    found = Finding(Priority.P2, "security", "zizmor/excessive-permissions", "a.yml", 2, 2, title)
    assert zizmor.relocate(found, f"on: {event}\njobs: {jobs}\n".encode).priority == priority
