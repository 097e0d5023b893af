"""A linter's finding counts when the same linter does not report it on the base, wherever its line
is; what the base has, too, never refuses."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import Repo, tool

_CALL = """import subprocess


def f(name):
    subprocess.run(
        {0},
        shell={1},
    )
"""
_WORKFLOW = """name: a
on: push
{0}jobs:
  a:
    runs-on: ubuntu-latest
{1}    steps:
      - uses: actions/checkout@{2}
"""
_PINNED = "11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
_OF_STRANGERS = _WORKFLOW.format("", "", _PINNED).replace("push", "issue_comment")
_METHODS = """class A:
    def f(self, x):
        return evil(x)

    def g(self):
        return 1
"""
_INJECTION = """name: a
on: issues
permissions: {}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.issue.title }}
"""
_EXECUTOR = """const ready = new Promise(async (resolve) => {
  const a = await open();
  resolve(a);
});
"""
_KEYS = "".join(f"  k{n}: {n},\n" for n in range(9))
_ROWS = "".join(f"    evil('{n}' + X),\n" for n in range(5))
_LONG = "".join(f"LINE_{n} = {n}\n" for n in range(30))
_EVAL = "def f(x):\n    return evil(x)\n"


def review(repo: Repo, *args: str) -> tuple[int, dict[str, Any]]:
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", *args)
    return done.code, json.loads(done.stdout)


def rules(report: dict[str, Any]) -> set[str]:
    return {f["rule"] for f in report["findings"] if f["state"] == "open" and f["priority"] < "P3"}


NEW = {
    "an argument on its own line": (
        {"a.py": _CALL.format('"ls"', "False")},
        {"a.py": _CALL.format('"ls " + name', "True")},
        "change/shell-turned-on",
    ),
    "a constant becomes a variable": (
        {"a.py": 'import subprocess\n\n\ndef f(name):\n    subprocess.run("ls", shell=True)\n'},
        {"a.py": "import subprocess\n\n\ndef f(name):\n    subprocess.run(name, shell=True)\n"},
        "ruff/S602",
    ),
    "an import is gone": (
        {"a.py": f"import os\n{_LONG}\nprint(os.sep)\n"},
        {"a.py": f"{_LONG}\nprint(os.sep)\n"},
        "ruff/F821",
    ),
    "a second one like the first": (
        {"a.py": f"{_EVAL}"},
        {"a.py": "def f(x):\n    return evil(x)\n    return evil(x)\n"},
        "ruff/F821",
    ),
    "the same words in another function": (
        {"a.py": f"{_EVAL}\n\ndef g(x):\n    return x\n"},
        {"a.py": f"{_EVAL}\n\ndef g(x):\n    return evil(x)\n"},
        "ruff/F821",
    ),
    "a guard is gone": (
        {".github/workflows/a.yml": _WORKFLOW.format("permissions: {}\n", "", _PINNED)},
        {".github/workflows/a.yml": _WORKFLOW.format("", "", _PINNED)},
        "zizmor/excessive-permissions",
    ),
    "a test becomes a program": (
        {"tests/test_a.py": "def f(x):\n    return eval(x)\n"},
        {"tests/test_a.py": None, "a.py": "def f(x):\n    return eval(x)\n"},
        "ruff/S307",
    ),
    "text becomes code": (
        {"notes.txt": _EVAL}, {"notes.txt": None, "notes.py": _EVAL}, "ruff/F821"
    ),
    "what was left out is not any more": (
        {"vendor/a.py": _EVAL}, {"vendor/a.py": None, "src/a.py": _EVAL}, "ruff/F821"
    ),
    "a workflow is switched on": (
        {"docs/a.yml": _OF_STRANGERS},
        {"docs/a.yml": None, ".github/workflows/a.yml": _OF_STRANGERS},
        "zizmor/excessive-permissions",
    ),
    "a second callback of the same kind": (
        {"a.js": _EXECUTOR},
        {"a.js": f"{_EXECUTOR}{_EXECUTOR.replace('ready', 'other')}"},
        "oxlint/eslint/no-async-promise-executor",
    ),
    "a first line makes a program of it": (
        {"run": _EVAL}, {"run": f"#!/usr/bin/env python3\n{_EVAL}"}, "ruff/F821"
    ),
    "the key that was first": (
        {"a.js": f"export const a = {{\n  b: 1,\n{_KEYS}}};\n"},
        {"a.js": f"export const a = {{\n  b: 1,\n{_KEYS}  b: 2,\n}};\n"},
        "oxlint/eslint/no-dupe-keys",
    ),
}  # fmt: skip


_RUN = """import subprocess

END = ".txt"


def f(name):
    {0}


def g(name):
    {1}
"""
EDITED = {
    "another argument": (
        "run(name, shell=True)", "pass", "run(name + END, shell=True)", "pass", "P3",
    ),
    "a second call": (
        "run(name, shell=True)", "pass",
        "run(name, shell=True, text=True)\n    run(name, shell=True)", "pass", "P2",
    ),
    "a call of another function": (
        "run(name, shell=True)", "pass", "pass", "run(name, shell=True, text=True)", "P2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITED)
def test_a_statement_that_is_edited_weighs_less(repo: Repo, name: str) -> None:
    """As long as the definition has no more of them than before."""
    *rows, priority = (text.replace("run(n", "subprocess.run(n") for text in EDITED[name])
    repo.commit({"a.py": _RUN.format(*rows[:2])})
    repo.commit({"a.py": _RUN.format(*rows[2:])})
    _code, report = review(repo)
    told = {f["priority"] for f in report["findings"] if f["rule"] == "ruff/S602"}
    assert min(told) == priority


def test_a_copy_of_a_library_weighs_less(repo: Repo) -> None:
    code = "def f(x=[]):\n    x.append(1)\n    return x\n"
    repo.commit({"deps/tool/a.py": "", "src/a.py": ""})
    repo.commit({"deps/tool/a.py": code, "src/a.py": code})
    _code, report = review(repo)
    found = {f["path"]: f["priority"] for f in report["findings"] if f["rule"] == "ruff/B006"}
    assert found == {"deps/tool/a.py": "P3", "src/a.py": "P2"}


@pytest.mark.contract(plain=["an import is gone"])
@pytest.mark.parametrize("name", NEW)
@pytest.mark.req("R006-001")
def test_what_the_base_does_not_have_counts(repo: Repo, name: str) -> None:
    before, after, rule = NEW[name]
    repo.commit(before)
    repo.commit(after)
    _code, report = review(repo)
    if rule.startswith("oxlint") and "oxlint" not in str(report["reviews"]):
        pytest.skip("no oxlint on PATH")
    assert rule in rules(report), report["findings"]


OLD = {
    "it was indented": (
        {"a.py": f"import sys\n\n\n{_EVAL}"},
        {"a.py": "import sys\n\n\ndef f(x):\n    if sys.argv:\n        return evil(x)\n"},
    ),
    "it was wrapped": (
        {"a.py": "def f(value):\n    return evil(value)\n"},
        {"a.py": "def f(value):\n    return evil(\n        value,\n    )\n"},
    ),
    "its function moved": (
        {"a.py": f"{_EVAL}\n\n{_LONG}"},
        {"a.py": f"{_LONG}\n\n{_EVAL}"},
    ),
    "its function moved to another file": (
        {"a.py": f"{_LONG}\n\n{_EVAL}", "b.py": "X = 1\n"},
        {"a.py": _LONG, "b.py": f"X = 1\n\n\n{_EVAL}"},
    ),
    "its function moved to a new file": (
        {"a.py": f"{_LONG}\n\n{_EVAL}"},
        {"a.py": _LONG, "b.py": f"X = 1\n\n\n{_EVAL}"},
    ),
    "its function has another name": (
        {"a.py": _EVAL},
        {"a.py": _EVAL.replace("def f", "def better")},
    ),
    "its file has another name": (
        {"a.py": f"{_LONG}{_EVAL}"},
        {"a.py": None, "b.py": f"{_LONG}X = 1\n\n\n{_EVAL}"},
    ),
    "a comment beside it": (
        {"a.py": _EVAL},
        {"a.py": "def f(x):\n    return evil(x)  # the only caller checks it\n"},
    ),
    "a version within its span": (
        {".github/workflows/a.yml": _WORKFLOW.format("", "", _PINNED)},
        {".github/workflows/a.yml": _WORKFLOW.format("", "", "0" * 40)},
    ),
    "its function became a method": (
        {"a.py": f"{_EVAL}\n\ndef g():\n    return 1\n"},
        {"a.py": _METHODS},
    ),
    "its method became a function": (
        {"a.py": _METHODS},
        {"a.py": f"{_EVAL}\n\ndef g():\n    return 1\n"},
    ),
    "a formatter's quotes and brackets": (
        {"a.py": "def f(x):\n    return evil(x['a']) + \\\n        x['b']\n"},
        {"a.py": 'def f(x):\n    return (\n        evil(x["a"])\n        + x["b"]\n    )\n'},
    ),
    "a formatter of JavaScript": (
        {"a.js": "export const a = {'b': 1, 'b': 2}\n"},
        {"a.js": 'export const a = { "b": 1, "b": 2 };\n'},
    ),
    "its step has a name now": (
        {".github/workflows/a.yml": _INJECTION},
        {".github/workflows/a.yml": _INJECTION.replace("- run:", "- name: x\n        run:")},
    ),
    "its value is quoted now": (
        {".github/workflows/a.yml": _INJECTION},
        {".github/workflows/a.yml": re.sub("echo .*", r'"\g<0>"', _INJECTION)},
    ),
    "what its callback does": (
        {"a.js": _EXECUTOR},
        {"a.js": _EXECUTOR.replace("await open()", "await open(1, 2)")},
    ),
    "what the callback of its callback does": (
        {"a.ts": f"export const b = () => {{\n{_EXECUTOR}}};\n"},
        {"a.ts": f"export const b = () => {{\n{_EXECUTOR.replace('(a)', '(a.b)')}}};\n"},
    ),
    "an entry of the same table": (
        {"a.py": f"X = ''\nT = [\n{_ROWS}]\n"},
        {"a.py": f"X = ''\nT = [\n{_ROWS}    1,\n]\n"},
    ),
}  # fmt: skip


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize("name", OLD)
@pytest.mark.req("R006-002")
def test_what_the_base_has_refuses_nothing(repo: Repo, name: str) -> None:
    before, after = OLD[name]
    repo.commit(before)
    repo.commit(after)
    code, report = review(repo)
    assert (code, report["verdict"]["outcome"]) == (0, "pass"), report["findings"]
    ours = [f for f in report["findings"] if f["state"] == "outside_diff"]
    assert all(f["note"].endswith("also reports it on the base") for f in ours)


@pytest.mark.req("R006-005")
def test_a_base_that_cannot_be_asked_leaves_the_changed_lines(repo: Repo, tmp_path: Path) -> None:
    """A tool that fails on the base alone: what stands on changed lines counts, and it is said."""
    repo.commit({"a.py": _EVAL})
    repo.commit({"a.py": "def f(x):\n    return evil(x) + 1\n\n\ndef g(x):\n    return evil(x)\n"})
    program = tmp_path / "bin" / "ruff"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase "$PWD" in */base) exit 9;; esac\nexec {tool("ruff")} "$@"\n'
    )
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def asked() -> tuple[int, dict[str, Any]]:
        done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
        return done.code, json.loads(done.stdout)

    code, report = asked()
    assert code == 1 and report["verdict"]["counts"]["P1"] > 0
    assert any("not compared with the base (exit code 9" in note for note in report["notices"])
    repo.commit({"a.py": f"{_EVAL}{_LONG}"})
    repo.commit({"a.py": f"{_EVAL}{_LONG}X = 1\n"})
    code, report = asked()
    # Nobody knows whether the call far above is new
    assert (code, report["verdict"]["outcome"]) == (0, "concerns")
    assert report["verdict"]["reasons"] == ["1 file was not reviewed: 1 Python (a.py)"]


def test_a_file_that_could_not_be_parsed_before_is_judged_by_its_changed_lines(repo: Repo) -> None:
    repo.commit({"a.py": f"print 'a'\n{_LONG}\n{_EVAL}"})
    repo.commit({"a.py": f"print('a')\n{_LONG}\n{_EVAL}"})
    code, report = review(repo)
    assert (code, report["verdict"]["outcome"]) == (0, "pass"), report["findings"]
    repo.commit({"b.py": f"print 'a'\n{_LONG}"})
    repo.commit({"b.py": f"print('a')\n{_LONG}\n{_EVAL}"})
    assert rules(review(repo)[1]) == {"ruff/F821"}


@pytest.mark.req("R006-006")
def test_a_file_that_never_parsed_refuses_nothing_and_is_not_called_reviewed(repo: Repo) -> None:
    repo.commit({"a.py": f"print 'a'\n{_LONG}"})
    repo.commit({"a.py": f"print 'a'\n{_LONG}\nx = 1\n"})
    code, report = review(repo)
    assert (code, report["verdict"]["outcome"]) == (0, "concerns"), report["verdict"]
    assert report["verdict"]["reasons"] == ["1 file was not reviewed: 1 Python (a.py)"]
    said = "ruff: it cannot parse a.py, and could not before this change"
    assert said in report["notices"]
    repo.commit({"a.py": f"print 'a'\n{_LONG}\nx = (\n"})
    code, report = review(repo)
    assert (code, report["verdict"]["outcome"]) == (1, "block"), report["verdict"]


_BEYOND_ZIZMOR = """\
on: push
permissions: {}
jobs:
  a:
    strategy: ${{ fromJson(needs.b.outputs.strategy) }}
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
"""
_INJECTED = """\
on: issues
permissions: {}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.issue.title }}
"""


def test_a_file_that_stops_a_tool_hides_no_other_and_is_not_called_reviewed(repo: Repo) -> None:
    path, other = ".github/workflows/a.yml", ".github/workflows/b.yml"
    repo.commit({path: _BEYOND_ZIZMOR})
    code, report = review(repo)
    # Nobody audited a file that is new
    assert (code, rules(report)) == (1, {"zizmor/unreadable"}), report["verdict"]
    body = next(f["body"] for f in report["findings"] if f["rule"] == "zizmor/unreadable")
    assert body.startswith("jobs.a.strategy: ") and "or have a person review the file." in body
    repo.commit({path: _BEYOND_ZIZMOR.replace("hi", "hello"), other: _INJECTED})
    code, report = review(repo)
    assert (code, rules(report)) == (1, {"zizmor/template-injection"}), report["findings"]
    assert f"zizmor: it cannot parse {path}, and could not before this change" in report["notices"]
    repo.commit({path: _BEYOND_ZIZMOR.replace("hi", "good day")})
    code, report = review(repo)
    assert (code, rules(report)) == (0, set()), report["verdict"]


def test_a_workflow_that_github_refuses_stops_no_review(repo: Repo) -> None:
    repo.commit({".github/workflows/a.yml": _INJECTED.replace("run: echo", "uses: octo/action #")})
    code, report = review(repo)
    assert (code, rules(report)) == (1, {"zizmor/unreadable"}), report["verdict"]
    assert "missing `@<ref>` in octo/action" in report["findings"][0]["body"]


def test_a_tool_that_needs_the_work_tree_says_that_it_goes_by_the_changed_lines(repo: Repo) -> None:
    config = "linters: {mypy: {enabled: true}}\n"
    repo.commit({".reviewgate-gh.yaml": config, "mypy.ini": "[mypy]\n", "a.py": 'A: int = "a"\n'})
    repo.commit({"a.py": 'A: int = "a"\nB: int = 1\n'})
    code, report = review(repo, "--trusted")
    assert (code, report["findings"]) == (0, [])
    [row] = [row for row in report["reviews"] if row["part"] == "mypy"]
    assert (row["status"], row["found"]) == ("ok", 1), row
    assert any("mypy: not compared with the base" in note for note in report["notices"])
    repo.commit({"a.py": 'A: int = "a"\nB: int = "b"\n'})
    assert review(repo, "--trusted")[0] == 1


_GAP = "pub fn a() -> u8 { 1 }\nfn b() where { let x = 1 as u8 as; }\n"


def test_what_a_grammar_no_longer_understands(repo: Repo) -> None:
    """Where it understood the file before: neither in a new one, nor where it never did."""
    repo.commit({"a.rs": "pub fn a() -> u8 {\n    let b = 1;\n    b\n}\n", "b.rs": _GAP})
    broken = "pub fn a() -> u8 {\n    let b = 1\n    b\n}\n"
    repo.commit({"a.rs": broken, "b.rs": f"{_GAP}\nfn c() {{}}\n", "c.rs": broken})
    _code, report = review(repo)
    found = {(f["path"], f["rule"], f["priority"]) for f in report["findings"]}
    assert found == {("a.rs", "ast-grep/unparsed", "P2")}
    assert {row["path"] for row in report["coverage"]["rows"] if row["missing"]} == {
        "a.rs",
        "b.rs",
        "c.rs",
    }


@pytest.mark.req("R006-001")
def test_a_shell_that_is_turned_on_is_refused_once(repo: Repo) -> None:
    repo.commit({"a.py": _CALL.format('["ls", name]', "False")})
    repo.commit({"a.py": _CALL.format('"ls " + name', "True")})
    code, report = review(repo)
    [found] = [f for f in report["findings"] if f["state"] == "open" and f["priority"] < "P3"]
    assert (code, found["priority"], set(found["sources"])) == (1, "P1", {"ruff", "change"})


@pytest.mark.req("R007-003")
def test_a_waiver_of_what_the_base_has_is_for_no_second_one(repo: Repo) -> None:
    repo.commit({"a.py": _EVAL})
    _code, report = review(repo)
    [name] = [f["fingerprint"] for f in report["findings"] if f["rule"] == "ruff/F821"]
    assert repo.cli("waive", "add", name, "--reason", "it is ours").code == 0
    repo.commit({"notes.md": "# Notes\n"})
    repo.commit({"a.py": f"{_EVAL}    return evil(x)\n", "b.py": "X = 1\n"})
    code, report = review(repo)
    [second] = [f for f in report["findings"] if f["rule"] == "ruff/F821"]
    assert (code, second["state"], second["older"]) == (1, "open", 1)
    assert second["note"].endswith("its waiver has count 1, and this is one more")


_ENGINE = 'def ask(query):\n    log.debug("asked %s", query)\n    return query\n'
_TWICE = _ENGINE.replace("ask", "tell")
_SCRIPT = 'env = Environment()\nenv.Program("a", ["a.c"])\n'
_UNIMPORTED = "def here():\n    return os.getcwd()\n"
_DEFINED = "import logging\n\nlog = logging.getLogger()\n"
INJECTED = {
    "plug-ins, three of which are there": (
        {f"engines/{name}.py": _ENGINE for name in "abd"}, {"engines/c.py": _ENGINE}, "P3",
    ),
    "plug-ins, two of which are there": (
        {f"engines/{name}.py": _ENGINE for name in "ab"}, {"engines/c.py": _ENGINE}, "P1",
    ),
    "a build script beside one other": (
        {"site/a.py": _SCRIPT}, {"site/b.py": _SCRIPT}, "P1",
    ),
    "a module that nobody imports": (
        {f"tasks/{name}.py": _UNIMPORTED for name in "abd"}, {"tasks/c.py": _UNIMPORTED}, "P1",
    ),
    "the file itself before": (
        {"a.py": _ENGINE + _TWICE}, {"a.py": f'{_ENGINE}{_TWICE}log.info("stop")\n'}, "P3",
    ),
    "the file itself before, once": (
        {"a.py": _ENGINE}, {"a.py": f'{_ENGINE}\n\ndef stop():\n    log.info("stop")\n'}, "P1",
    ),
    "others define the name": (
        {"engines/a.py": f"{_DEFINED}{_ENGINE}", "engines/b.py": f"from c import *\n{_ENGINE}"},
        {"engines/c.py": _ENGINE},
        "P1",
    ),
    "others note its type and set it": (
        {"engines/a.py": f"log: object\nlog = 1\n{_ENGINE}"}, {"engines/c.py": _ENGINE}, "P1",
    ),
    "a file that the change brings as well": (
        {"x.py": "X = 1\n"}, {"engines/a.py": _ENGINE, "engines/c.py": _ENGINE}, "P1",
    ),
    "another folder": ({"other/a.py": _ENGINE}, {"engines/c.py": _ENGINE}, "P1"),
}  # fmt: skip


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize("name", INJECTED)
def test_names_that_the_programs_loader_defines(repo: Repo, name: str) -> None:
    before, after, priority = INJECTED[name]
    repo.commit(before)
    repo.commit(after)
    _code, report = review(repo)
    found = {f["priority"] for f in report["findings"] if f["rule"] == "ruff/F821"}
    assert found == {priority}, report["findings"]


_SAID = _WORKFLOW.format("", "    permissions: {}\n", _PINNED)
_SAID_BESIDE = _SAID + "  b:\n    runs-on: x\n    steps: [{run: ls}]\n"
UNSAID = {
    "another name of one of which a job says them": (
        {".github/workflows/a.yml": _SAID_BESIDE},
        _SAID_BESIDE.replace("name: a", "name: all"),
        "P3",
    ),
    "one more job beside one that says them": (
        {".github/workflows/a.yml": _SAID},
        _SAID_BESIDE.replace("name: a", "name: all"),
        "P3",
    ),
    "no more for all": (
        {".github/workflows/a.yml": _WORKFLOW.format("permissions: {}\n", "", _PINNED)},
        _WORKFLOW.format("", "", _PINNED),
        "P2",
    ),
    "no more for a job": (
        {".github/workflows/a.yml": _SAID_BESIDE},
        _SAID_BESIDE.replace("    permissions: {}\n", ""),
        "P2",
    ),
    "no more for a job of another name": (
        {".github/workflows/a.yml": _SAID},
        _WORKFLOW.format("", "", _PINNED).replace("  a:", "  b:"),
        "P2",
    ),
    "a new one": ({"a": "a"}, _WORKFLOW.format("", "", _PINNED), "P3"),
    "a new one that strangers start": ({"a": "a"}, _OF_STRANGERS, "P2"),
    "one that speaks of permissions of files": (
        {".github/workflows/a.yml": f"# permissions of files\n{_WORKFLOW.format('', '', _PINNED)}"},
        _WORKFLOW.format("", "", _PINNED) + "  b:\n    runs-on: x\n    steps: [{run: ls}]\n",
        "P3",
    ),
    "one more job": (
        {".github/workflows/a.yml": _WORKFLOW.format("", "", _PINNED)},
        _WORKFLOW.format("", "", _PINNED) + "  b:\n    runs-on: x\n    steps: [{run: ls}]\n",
        "P3",
    ),
}


@pytest.mark.contract(plain=[])
@pytest.mark.parametrize("name", UNSAID)
def test_rights_that_a_workflow_never_said(repo: Repo, name: str) -> None:
    before, workflow, priority = UNSAID[name]
    repo.commit(before)
    repo.commit({".github/workflows/a.yml": workflow})
    _code, report = review(repo)
    rule = "zizmor/excessive-permissions"
    found = {f["priority"] for f in report["findings"] if f["rule"] == rule}
    assert found == {priority}, report["findings"]
