"""Expressions of workflows that GitHub refuses, and values that nothing sets."""

import pytest

from reviewgate_gh.reviewers.checks import workflow_expressions
from reviewgate_gh.reviewers.checks._expressions import ExpressionError, read_expression
from tests.unit.reviewers.checks.support import edited, on, short, sources

PATH = ".github/workflows/a.yml"
TEXT = """\
on:
  workflow_dispatch:
    inputs:
      level: {type: string}
jobs:
  build:
    runs-on: x
    outputs: {tag: "${{ steps.make.outputs.tag }}"}
    strategy:
      matrix: {node-version: [20], include: [{node-version: 22, latest: true}]}
    steps:
      - id: make
        run: make
      - run: echo
  ship:
    needs: build
    runs-on: x
    if: github.ref == 'refs/heads/main' && !cancelled()
    steps:
      - run: echo
"""


@pytest.mark.parametrize(
    "text",
    [
        "github.ref = 'refs/heads/main'",
        "success() and github.actor",
        'github.ref == "main"',
        "contains(github.ref, 'a'",
        "contains(github.ref)",
        "github.ref)",
        "includes(github.ref, 'a')",
        "gihub.ref",
        "github.ref ==",
        "github..ref",
        "'a",
        "",
        "a ? b : c",
        "!",
    ],
)
def test_github_refuses(text: str) -> None:
    with pytest.raises(ExpressionError):
        read_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "github.event.pull_request.labels.*.name",
        "!(always() || Failure()) && (-1.5e3 < 0xff) == true",
        "fromJSON(steps.a.outputs.all)[0].name != 'it''s'",
        "format('{0}', github['event'][format('x')].id)",
        "case(true, 'a', 'b')",
        "github.event.inputs.true",
        "null",
        "hashFiles('a','b',\n'c')",
    ],
)
def test_github_reads(text: str) -> None:
    read_expression(text)


def test_too_deep() -> None:
    with pytest.raises(RecursionError):
        read_expression("(" * 60 + "1" + ")" * 60)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("==", "==", []),
        (" == ", " = ", [("P1", "workflow-expression", f"{PATH}:18")]),
        ("github.ref ==", "secrets.KEY ==", [("P1", "workflow-expression", f"{PATH}:18")]),
        ("run: make", "run: make ${{ success() }}", [("P1", "workflow-expression", f"{PATH}:13")]),
        ("run: make", "run: make ${{ github.ref", [("P1", "workflow-expression", f"{PATH}:13")]),
        ("run: make", "run: make ${{ github.ref }}", []),
        ("run: make", "run: |\n          make\n          echo ${{ a }}",
         [("P1", "workflow-expression", f"{PATH}:15")]),
        ("run: make", "env: {A: \"${{ fromJSON(vars.A).name }}\"}", []),
        ("run: make", "run: ${{ steps.make.outputs.a }}", [("P2", "workflow-value", f"{PATH}:13")]),
        ("run: echo\n  ship", "run: ${{ steps.make.outputs.a }}\n  ship", []),
        ("run: make", "run: ${{ inputs.levle }}", [("P2", "workflow-value", f"{PATH}:13")]),
        ("run: make", "run: ${{ inputs.Level }}", []),
        ("run: make", "run: ${{ matrix.node-verison }}", [("P2", "workflow-value", f"{PATH}:13")]),
        ("run: make", "run: ${{ matrix.latest || matrix.flags }}", []),
        ("github.ref ==", "needs.biuld.result ==", [("P2", "workflow-value", f"{PATH}:18")]),
        ("github.ref ==", "needs.build.outputs.tga ==", [("P2", "workflow-value", f"{PATH}:18")]),
        ("github.ref ==", "needs.build.outputs.tag ==", []),
        ("{type: string}", "{type: string, description: 'As ${{ what }}'}", []),
    ],
)  # fmt: skip
def test_workflows(old: str, new: str, found: list[tuple[str, str, str]]) -> None:
    assert TEXT.count(old) in (1, 2)
    assert on(workflow_expressions, PATH, TEXT.replace(old, new)) == found
    assert on(workflow_expressions, "a.yml", TEXT.replace(old, new)) == []


@pytest.mark.parametrize("value", ["inputs.name", "inputs.naem", "steps.a.outputs.b"])
def test_actions(value: str) -> None:
    text = f"inputs: {{name: {{}}}}\nruns:\n  steps:\n    - run: ${{{{ {value} }}}}\n"
    found = [] if value == "inputs.name" else [("P2", "workflow-value", "x/action.yml:4")]
    assert on(workflow_expressions, "x/action.yml", text) == found


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = TEXT.replace(" == ", " = ")
    given = sources(edited(PATH, "-on: ", "+on:"), contents={PATH: text})
    assert short(workflow_expressions, given) == []
