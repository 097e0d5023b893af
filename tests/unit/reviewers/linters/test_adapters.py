"""Adapters: real runs where the test peers have the tool, and its documented output where they do
not."""

import json
import random
import string
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.linters import (
    actionlint,
    bandit,
    eslint,
    gitleaks,
    golangci_lint,
    hadolint,
    mypy,
    semgrep,
)
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from tests.support import built, peer
from tests.unit.reviewers.linters.real import ask, takes

ODD = "x b/ü '"


def _where(asked: Any) -> set[tuple[str, int, str]]:
    return {(f.path, f.line_start, f.priority.value) for f in asked.findings}


def _ruled(asked: Any) -> set[tuple[str, str, int, str]]:
    return {(f.rule, f.path, f.line_start, f.priority.value) for f in asked.findings}


def _plain(module: ModuleType, *rows: object) -> list[tuple[str, str, int, int, str, str]]:
    found = module.parse([json.dumps(rows).encode()])
    return [(f.rule, f.path, f.line_start, f.line_end, f.priority.value, f.category) for f in found]


@pytest.mark.peer
def test_bandit(tmp_path: Path) -> None:
    files = {
        f"{ODD}.py": "import subprocess\nsubprocess.run(input(), shell=True)\n",
        "-dash.py": "eval(input())\n",
        "broken.py": "def f(:\n",
        "clean.py": "print(1)\n",
    }
    asked = ask(bandit, tmp_path, files, program=str(peer("venv/bin/bandit")))
    assert _where(asked) == {
        (f"{ODD}.py", 1, "P3"),
        (f"{ODD}.py", 2, "P1"),
        ("-dash.py", 1, "P2"),
        ("broken.py", 0, "P0"),
    }
    assert {f.category for f in asked.findings} == {"security", "syntax"}
    assert (
        ask(
            bandit, tmp_path, {"clean.py": "print(1)\n"}, program=str(peer("venv/bin/bandit"))
        ).findings
        == ()
    )


@pytest.mark.peer
def test_bandits_config_and_unreadable_files(tmp_path: Path) -> None:
    program = str(peer("venv/bin/bandit"))
    ini = "[bandit]\nskips = B404\n"
    own = ask(
        bandit,
        tmp_path,
        {".bandit": ini, "a.py": "import subprocess\neval(input())\n"},
        program=program,
        own_config=True,
    )
    assert {f.rule for f in own.findings} == {"bandit/B307"}
    (gone,) = ask(bandit, tmp_path, {}, program=program, args=["nothere.py"]).findings
    assert (gone.path, gone.line_start, gone.priority) == ("nothere.py", 0, Priority.P1)


RULES = """\
rules:
  - {id: no-eval, languages: [python], message: no eval, severity: ERROR, pattern: eval(...),
     metadata: {category: security}}
  - {id: hint, languages: [python], message: a hint, severity: INFO, pattern: print(...)}
"""


@pytest.mark.peer
def test_semgrep(tmp_path: Path) -> None:
    files = {".semgrep.yml": RULES, f"{ODD}.py": "print(1)\n\neval(x)\n", "-dash.py": "eval(x)\n"}
    asked = ask(semgrep, tmp_path, files, program=str(peer("venv/bin/semgrep")))
    assert _where(asked) == {(f"{ODD}.py", 1, "P3"), (f"{ODD}.py", 3, "P1"), ("-dash.py", 1, "P1")}
    assert {f.rule for f in asked.findings} == {"semgrep/no-eval", "semgrep/hint"}


@pytest.mark.big  # it starts in seconds
@pytest.mark.peer
def test_semgrep_without_rules_is_a_failed_run(tmp_path: Path) -> None:
    asked = ask(semgrep, tmp_path, {"a.py": "eval(x)\n"}, program=str(peer("venv/bin/semgrep")))
    assert asked.code not in (*semgrep.CLEAN_EXITS, *semgrep.FOUND_EXITS)


def test_semgrep_takes_no_registry_rules_unless_told() -> None:
    assert "--config=.semgrep.yml" in semgrep.argv("semgrep", None, ())
    assert "--config=.semgrep.yml" not in semgrep.argv("semgrep", None, ("--config", "rules/"))


@pytest.mark.contract(plain=False)
def test_mypy(tmp_path: Path) -> None:
    files = {
        f"{ODD}.py": 'x: int = "a"\nreveal_type(x)\n',
        "-dash.py": "import nothing_of_that_name\n",
    }
    asked = ask(mypy, tmp_path, files)
    assert _where(asked) == {(f"{ODD}.py", 1, "P1"), (f"{ODD}.py", 2, "P3"), ("-dash.py", 1, "P1")}
    assert "mypy/assignment" in {f.rule for f in asked.findings}
    assert ask(mypy, tmp_path, {"ok.py": "x: int = 1\n"}).findings == ()


def test_mypy_stops_at_a_syntax_error_which_is_no_answer(tmp_path: Path) -> None:
    asked = ask(mypy, tmp_path, {"a.py": "def f(:\n"})
    assert asked.code not in (*mypy.CLEAN_EXITS, *mypy.FOUND_EXITS)
    assert {(f.rule, f.priority, f.category) for f in mypy.parse(asked.out.splitlines())} == {
        ("mypy/syntax", Priority.P0, "syntax")
    }


@pytest.mark.peer
def test_eslint(tmp_path: Path) -> None:
    config = (
        'export default [{ignores: ["skipped.js"]}, {files: ["**/*.js"], '
        'rules: {"no-undef": "error", "no-unused-vars": "warn", "semi": "error"}}];\n'
    )
    files = {
        "eslint.config.mjs": config,
        f"{ODD}.js": "const a = 1;\nfoo()\n",
        "-dash.js": "foo();\n",
        "broken.js": "const a = {;\n",
        "skipped.js": "foo();\n",
        "other.vue": "<p/>\n",
    }
    asked = ask(eslint, tmp_path, files, program=str(peer("node_modules/.bin/eslint")))
    found = {
        (f"{ODD}.js", 1, "P2"),
        (f"{ODD}.js", 2, "P1"),
        ("-dash.js", 1, "P1"),
        ("broken.js", 1, "P0"),
    }
    assert _where(asked) == found | {("skipped.js", 0, "P3"), ("other.vue", 0, "P3")}
    assert {f.path for f in asked.findings if f.category == LEFT_OUT} == {"skipped.js", "other.vue"}
    (semi,) = (f for f in asked.findings if f.rule == "eslint/semi")
    assert (semi.line_start, semi.line_end) == (2, 2), (
        "an end at column 1 does not reach into its line"
    )


@pytest.mark.peer
def test_eslint_without_a_config_is_a_failed_run(tmp_path: Path) -> None:
    assert ask(
        eslint, tmp_path, {"a.js": "foo();\n"}, program=str(peer("node_modules/.bin/eslint"))
    ).code not in (*eslint.CLEAN_EXITS, *eslint.FOUND_EXITS)


@pytest.mark.peer
def test_hadolint(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM debian:12\nRUN cd /x && sudo ls\n",
        "-dash.Dockerfile": "FROM debian\n",
        f"{ODD}/Dockerfile.x": "FROM debian\n",
        "b/Dockerfile": "FRO M\n",
    }
    asked = ask(hadolint, tmp_path, files, program=str(peer("venv/bin/hadolint")))
    assert _where(asked) == {
        ("Dockerfile", 2, "P2"),
        ("-dash.Dockerfile", 1, "P3"),
        (f"{ODD}/Dockerfile.x", 1, "P3"),
        ("b/Dockerfile", 1, "P0"),
    }
    assert (
        ask(
            hadolint,
            tmp_path,
            {"Dockerfile": "FROM debian:12\n"},
            program=str(peer("venv/bin/hadolint")),
        ).findings
        == ()
    )


@pytest.mark.peer
def test_a_file_that_hadolint_cannot_open_is_no_clean_run(tmp_path: Path) -> None:
    asked = ask(
        hadolint,
        tmp_path,
        {"Dockerfile": "FROM debian\n"},
        program=str(peer("venv/bin/hadolint")),
        args=["nothere"],
    )
    assert asked.code not in (*hadolint.CLEAN_EXITS, *hadolint.FOUND_EXITS)


def test_actionlint() -> None:
    path = ".github/workflows/a.yml"
    undefined = {
        "message": ('property "platform" is not defined in '
        'object type {os: string}'), "filepath": path, "line": 21, "column": 20,
        "kind": "expression", "snippet": "  key: ...\n    ^~~", "end_column": 34,
    }  # fmt: skip
    key = {
        "message": 'unexpected key "branch" for "push" section',
        "filepath": f"./{path}",
        "line": 3,
        "column": 5,
        "kind": "syntax-check",
    }
    yaml = {**key, "message": "could not parse as YAML: did not find expected key"}
    assert _plain(actionlint, undefined, key, yaml) == [
        ("actionlint/expression", path, 21, 21, "P2", "lint"),
        ("actionlint/syntax-check", path, 3, 3, "P1", "lint"),
        ("actionlint/syntax-check", path, 3, 3, "P0", "syntax"),
    ]
    assert takes(actionlint, path)
    assert not any(
        takes(actionlint, other) for other in ("action.yml", ".github/workflows/x/a.yml")
    )


@pytest.mark.peer
def test_the_real_actionlint(tmp_path: Path) -> None:
    folder = ".github/workflows"
    files = {
        f"{folder}/a.yml": (
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
            "      - run: echo ${{ nothing.x }}\n"
        ),
        f"{folder}/ü b'.yaml": (
            "on: {push: {branch: x}}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: ls}]}}\n"
        ),
        f"{folder}/-broken.yml": "on: push\njobs: [\n",
    }
    asked = ask(actionlint, tmp_path, files, program=str(built("actionlint")))
    assert _ruled(asked) == {
        ("actionlint/expression", f"{folder}/a.yml", 6, "P2"),
        ("actionlint/syntax-check", f"{folder}/ü b'.yaml", 1, "P1"),
        ("actionlint/syntax-check", f"{folder}/-broken.yml", 2, "P0"),
    }
    well = {
        f"{folder}/a.yml": "on: push\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: ls}]}}\n"
    }
    clean = ask(actionlint, tmp_path, well, program=str(built("actionlint")))
    assert (clean.code, clean.findings) == (0, ())
    assert ask(
        actionlint, tmp_path, well, program=str(built("actionlint")), args=["-nothing"]
    ).code not in (*actionlint.CLEAN_EXITS, *actionlint.FOUND_EXITS)


def test_gitleaks_reads_no_secret() -> None:
    row = {
        "RuleID": "aws-access-token", "Description": "Identified an AWS access token.",
        "StartLine": 4, "EndLine": 4, "StartColumn": 9,
        "EndColumn": 28, "Match": "the match", "Secret": "the secret", "File": "src/a.py",
        "SymlinkFile": "", "Commit": "", "Entropy": 3.5,
        "Author": "", "Email": "", "Date": "", "Message": "", "Tags": [],
        "Fingerprint": "src/a.py:aws-access-token:4",
    }  # fmt: skip
    assert _plain(gitleaks, row) == [
        ("gitleaks/aws-access-token", "src/a.py", 4, 4, "P0", "secret")
    ]
    assert not any(
        word in repr(gitleaks.parse([json.dumps([row]).encode()]))
        for word in ("the match", "the secret")
    )
    assert {"--redact", "--exit-code=0"} <= set(gitleaks.argv("gitleaks", None, ()))


@pytest.mark.peer
def test_the_real_gitleaks(tmp_path: Path) -> None:
    token = "ghp_" + "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=36))
    files = {
        f"{ODD}.txt": f'a\nb\ntoken = "{token}"\n',
        "-dash.txt": f"{token}\n",
        "clean.txt": "nothing\n",
    }
    asked = ask(gitleaks, tmp_path, files, program=str(built("gitleaks")))
    assert _ruled(asked) == {
        ("gitleaks/github-pat", f"{ODD}.txt", 3, "P0"),
        ("gitleaks/github-pat", "-dash.txt", 1, "P0"),
    }
    assert token not in asked.out.decode() + asked.err
    own = {
        ".gitleaks.toml": "[extend]\nuseDefault = true\n",
        ".gitleaksignore": "-dash.txt:github-pat:1\n",
    }
    assert _where(
        ask(gitleaks, tmp_path, files | own, program=str(built("gitleaks")), own_config=True)
    ) == {(f"{ODD}.txt", 3, "P0")}


BROKEN_GO = {
    "go.mod": "module example.com/x\n\ngo 1.24\n", ".golangci.yml": 'version: "2"\n',
    "main.go": 'package main\n\nimport "os"\n\nfunc main() {\n\tos.Remove("x")\n}\n',
    "pkg/p.go": ('package pkg\n\n// F is one.\nfunc F() int {\n\treturn "x"\n}\n\n// G is one.\n'
    'func G() int {\n\treturn y\n}\n'),
}  # fmt: skip


@pytest.mark.peer
def test_the_real_golangci_lint(tmp_path: Path) -> None:
    program = str(built("golangci-lint"))
    broken = ask(
        golangci_lint, tmp_path, BROKEN_GO, program=program, args=["--allow-parallel-runners"]
    )
    assert {place for place in _where(broken) if place[0] != "main.go"} == {
        ("pkg/p.go", 5, "P1"),
        ("pkg/p.go", 10, "P1"),
    }
    files = {name: text for name, text in BROKEN_GO.items() if name != "pkg/p.go"}
    found = ask(
        golangci_lint, tmp_path / "well", files, program=program, args=["--allow-parallel-runners"]
    )
    assert _ruled(found) == {("golangci-lint/errcheck", "main.go", 6, "P2")}


def test_golangci_lint() -> None:
    def issue(linter: str, severity: str = "", **more: object) -> dict[str, object]:
        place = {"Filename": "pkg/a.go", "Offset": 10, "Line": 7, "Column": 2}
        return {
            "FromLinter": linter,
            "Text": "a text",
            "Severity": severity,
            "SourceLines": ["x"],
            "Pos": place,
            **more,
        }

    issues = [
        issue("typecheck"),
        issue("gosec", "high"),
        issue("errcheck", LineRange={"From": 7, "To": 9}),
        issue("misspell", "info"),
    ]
    document = {
        "Issues": issues,
        "Report": {"Warnings": [], "Linters": [{"Name": "gosec", "Enabled": True}]},
    }
    found = golangci_lint.parse([json.dumps(document).encode()])
    assert [(f.rule, f.line_start, f.line_end, f.priority.value, f.category) for f in found] == [
        ("golangci-lint/typecheck", 7, 7, "P1", "lint"),
        ("golangci-lint/gosec", 7, 7, "P1", "security"),
        ("golangci-lint/errcheck", 7, 9, "P2", "lint"),
        ("golangci-lint/misspell", 7, 7, "P3", "lint"),
    ]
    errors = (
        ": # example.com/x/pkg\npkg/a.go:7:2: a text\npkg/b.go:9: undefined: y\n"
        "\tpkg/b.go:3:1: other declaration of y\ntoo many errors"
    )
    package = issue("typecheck") | {"Text": errors, "Pos": {"Filename": "pkg/a.go", "Line": 1}}
    found = golangci_lint.parse(
        [json.dumps({"Issues": [package, issue("typecheck")], "Report": {}}).encode()]
    )
    assert [(f.path, f.line_start, f.title) for f in found] == [
        ("pkg/a.go", 7, "a text"),
        ("pkg/b.go", 9, "undefined: y"),
    ]
    assert golangci_lint.parse([b'{"Issues": null, "Report": {}}']) == []
    with pytest.raises(ValueError, match="its run failed: no go files"):
        golangci_lint.parse([b'{"Issues": [], "Report": {"Error": "no go files"}}'])
