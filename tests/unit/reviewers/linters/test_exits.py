"""The real tools' exit codes are those that their modules declare: one of a clean file, one of a
defect."""

import os
from pathlib import Path
from types import ModuleType

import pytest

from reviewgate_gh.reviewers._program import linter_version
from reviewgate_gh.reviewers.linters import (
    actionlint,
    ansible_lint,
    ast_grep,
    bandit,
    biome,
    buf,
    checkstyle,
    clippy,
    cppcheck,
    dotnet_format,
    eslint,
    gitleaks,
    go_vet,
    golangci_lint,
    hadolint,
    html_validate,
    javac,
    ktlint,
    kube_linter,
    luacheck,
    mypy,
    oxlint,
    perlcritic,
    php,
    phpstan,
    rubocop,
    ruff,
    rumdl,
    semgrep,
    shellcheck,
    shfmt,
    sqruff,
    squawk,
    staticcheck,
    stylelint,
    swiftlint,
    taplo,
    terraform,
    tflint,
    typos,
    yamllint,
    zizmor,
)
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from reviewgate_gh.system import plugins, process
from tests.support import built, peer
from tests.unit.reviewers.linters.real import ask, program_of

_JOB = "on: push\npermissions: {}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: '%s'}]}}\n"
_TOKEN = "ghp_" + "0123456789abcdefghij" + "ABCDEFGHIJ012345"
_FLAT = (
    "export default [{files: ['**/*.js'], rules: {'no-undef': '%s'}}, {ignores: ['ignored.js']}];\n"
)
_RULES = "rules: [{id: e, languages: [python], message: m, severity: ERROR, pattern: eval(...)}]\n"
_PLAYBOOK = """---
- name: Play
  hosts: all
  tasks:
    - name: Task
      %s:
        msg: Hello
"""
_PACKAGE = {
    "clippy.toml": "",
    "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 4\n\n[[package]]\nname = "p"\nversion = "0.1.0"\n',
}
_CSPROJ = (
    '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework>'
    "</PropertyGroup></Project>\n"
)
_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b%s}]}\n"
)
_TWICE = ", env: [{name: A, value: b}, {name: A, value: c}]"
_GO = {"go.mod": "module x\n\ngo 1.21\n", ".golangci.yml": 'version: "2"\n'}
# A defect, a clean file, what else is there, and where the program is.
TOOLS = {
    ruff: ({"a.py": "import os\n"}, {"a.py": "x = 1\n"}, {}, ""),
    shellcheck: ({"a.sh": "#!/bin/sh\nls $1\n"}, {"a.sh": "#!/bin/sh\nls\n"}, {}, ""),
    zizmor: (
        {".github/workflows/a.yml": _JOB % "echo ${{ github.event.issue.title }}"},
        {".github/workflows/a.yml": _JOB % "ls"}, {}, ""
    ),
    oxlint: ({"a.js": "let = = ;\n"}, {"a.js": "export const a = 1;\n"}, {}, ""),
    ast_grep: ({"a.go": "package a\n\nfunc f( {}\n"}, {"a.go": "package a\n"}, {}, ""),
    mypy: ({"a.py": "x: int = 'a'\n"}, {"a.py": "x = 1\n"}, {}, ""),
    bandit: ({"a.py": "eval(input())\n"}, {"a.py": "x = 1\n"}, {}, "venv/bin/bandit"),
    semgrep: ({"a.py": "eval(x)\n"}, {"a.py": "x = 1\n"}, {".semgrep.yml": _RULES},
        "venv/bin/semgrep"),
    eslint: ({"a.js": "foo();\n"}, {"a.js": "export const a = 1;\n"},
        {"eslint.config.mjs": _FLAT % "error"}, "node_modules/.bin/eslint"),
    hadolint: ({"Dockerfile": "FROM debian\n"}, {"Dockerfile": "FROM debian:12\n"}, {},
        "venv/bin/hadolint"),
    actionlint: (
        {".github/workflows/a.yml": _JOB % "echo ${{ nothing.x }}"},
        {".github/workflows/a.yml": _JOB % "ls"}, {}, "built actionlint"
    ),
    gitleaks: ({"a.txt": f"token = '{_TOKEN}'\n"}, {"a.txt": "words\n"}, {}, "built gitleaks"),
    golangci_lint: (
        {"a.go": ("package main\n\nimport \"os\"\n\n"
        "func main() { os.Remove(\"x\") }\n")}, {"a.go": ("package main\n\n"
        "func main() {}\n")}, _GO,
        "built golangci-lint",
    ),
    ansible_lint: (
        {"site.yml": _PLAYBOOK % "no_such_module"}, {"site.yml": _PLAYBOOK % "debug"},
        {".ansible-lint": "profile: min\n"}, "venv/bin/ansible-lint",
    ),
    biome: ({"a.graphql": "type A { a: [Int! }\n"}, {"a.graphql": "type A { a: Int }\n"}, {},
        "venv/bin/biome"),
    buf: (
        {"a.proto": 'syntax = "proto3";\nmessage A { string a = 1; string b = 1; }\n'},
        {"a.proto": 'syntax = "proto3";\nmessage A { string a = 1; }\n'}, {}, "venv/bin/buf",
    ),
    clippy: ({"src/lib.rs": "pub fn f(x: i32) -> bool {\n    x == x\n}\n"},
        {"src/lib.rs": "pub fn f() {}\n"}, _PACKAGE, ""),
    cppcheck: ({"a.c": "int f(void) { int a[2] = {0, 1}; return a[2]; }\n"},
        {"a.c": "int f(void) { return 0; }\n"}, {}, "venv/bin/cppcheck"),
    dotnet_format: ({"a.cs": "class  A { }\n"}, {"a.cs": "class A { }\n"},
        {"a.csproj": _CSPROJ}, ""),
    go_vet: (
        # No program, for which it would compile what each program is made of
        {"a.go": "package a\n\nfunc A() { undefined() }\n"},
        {"a.go": "package a\n\nfunc A() {}\n"}, {"go.mod": "module x\n\ngo 1.20\n"}, "",
    ),
    javac: ({"A.java": "class A { int f() { } }\n"}, {"A.java": "class A { B b; }\n"}, {}, ""),
    kube_linter: ({"a.yaml": _POD % _TWICE}, {"a.yaml": _POD % ""}, {}, ""),
    luacheck: ({"a.lua": "local a = = 1\n"}, {"a.lua": "return 1\n"}, {}, ""),
    perlcritic: ({"a.pl": 'use strict;\nopen(my $f, "<a");\n'}, {"a.pl": "print 1;\n"}, {}, ""),
    rubocop: ({"a.rb": "A = { a: 1, a: 2 }\n"}, {"a.rb": "A = { a: 1 }\n"}, {}, ""),
    rumdl: ({"a.md": "See (here)[https://x.example].\n"}, {"a.md": "Words.\n"}, {},
        "venv/bin/rumdl"),
    shfmt: ({"a.bash": "if true; then\n"}, {"a.bash": "true;  ls\n"}, {}, "venv/bin/shfmt"),
    sqruff: ({"a.sql": "SELECT a FROM b WHERE a = NULL;\n"}, {"a.sql": "SELECT 1;\n"},
        {".sqruff": "[sqruff]\ndialect = postgres\n"}, "venv/bin/sqruff"),
    squawk: ({"a.sql": "SELEC 1;\n"}, {"a.sql": "SELECT 1;\n"}, {}, "venv/bin/squawk"),
    taplo: ({"a.toml": "a =  1\n"}, {"a.toml": "a = 1\n"},
        {".taplo.toml": "[formatting]\nindent_tables = true\n"}, "venv/bin/taplo"),
    yamllint: ({"a.yml": "a: 1\na: 2\n"}, {"a.yml": "a: !Ref 1\n"}, {}, "venv/bin/yamllint"),
    staticcheck: (
        {"a.go": "package a\n\nfunc A(n int) bool { return n == n }\n"},
        {"a.go": "package a\n\nfunc A() {}\n"}, {"go.mod": "module x\n\ngo 1.20\n"},
        "built staticcheck",
    ),
    swiftlint: ({"a.swift": "enum A { case a, a }\n"}, {"a.swift": "enum A { case abc }\n"},
        {".swiftlint.yml": "only_rules: [duplicate_enum_cases]\n"}, ""),
    terraform: ({"a.tf": 'variable "a" {\n'}, {"a.tf": 'variable "a" {}\n'}, {}, ""),
    tflint: ({"a.tf": "locals {\n  a = { b = 1, b = 2 }\n}\n"}, {"a.tf": 'variable "a" {}\n'}, {},
        "built tflint"),
    checkstyle: ({"A.java": 'class A { boolean f(String s) { return s == "a"; } }\n'},
        {"A.java": "class A {}\n"}, {}, ""),
    html_validate: ({"a.html": '<p id="a">x</p><p id="a">y</p>\n'},
        {"a.html": "<p>x</p>\n"}, {}, ""),
    ktlint: ({"A.kt": "fun f(a:Int) {}\n"}, {"A.kt": "class A\n"}, {}, ""),
    php: ({"a.php": "<?php f(;\n"}, {"a.php": "<?php f();\n"}, {}, ""),
    phpstan: ({"a.php": "<?php f();\n"}, {"a.php": "<?php echo 1;\n"},
        {"phpstan.neon": "parameters:\n    level: 5\n"}, ""),
    stylelint: ({"a.css": "a { color: #ggg }\n"}, {"a.css": "a { color: red }\n"},
        {".stylelintrc.json": '{"rules": {"color-no-invalid-hex": true}}\n'}, ""),
    typos: ({"a.md": "We seperate words.\n"}, {"a.md": "We separate words.\n"}, {},
        "venv/bin/typos"),
}  # fmt: skip
# They take seconds to start, and other tests start them, too
SLOW = (ansible_lint, semgrep, rubocop, checkstyle, mypy)
every = pytest.mark.parametrize(
    "tool",
    [pytest.param(tool, marks=pytest.mark.big if tool in SLOW else ()) for tool in TOOLS],
    ids=lambda tool: tool.PROGRAM,
)


def program(tool: ModuleType) -> str:
    where = TOOLS[tool][3]
    if where.startswith("built "):
        return str(built(where.removeprefix("built ")))
    return str(peer(where)) if where else program_of(tool)


def test_every_linter_is_here() -> None:
    here = [
        *(tool.__name__.rpartition(".")[2] for tool in TOOLS),
        "defects",
        "rules",
    ]  # e2e/tools/test_rules
    assert sorted(here) == plugins.names("linters")


@pytest.mark.peer
@every
def test_a_defect_and_a_clean_file_end_as_declared(tool: ModuleType, tmp_path: Path) -> None:
    bad, good, beside, _where = TOOLS[tool]
    own = {"own_config": bool(beside), "program": program(tool)}
    found = ask(tool, tmp_path / "bad", {**beside, **bad}, **own)
    assert found.findings and found.code in tool.FOUND_EXITS, found
    clean = ask(tool, tmp_path / "good", {**beside, **good}, **own)
    assert not [f for f in clean.findings if f.path] and clean.code in tool.CLEAN_EXITS, clean
    telling = set(tool.FOUND_EXITS).isdisjoint(tool.CLEAN_EXITS)
    assert found.code != clean.code or not telling


@pytest.mark.peer
@every
def test_it_says_its_version(tool: ModuleType) -> None:
    said = linter_version(program(tool), tool, process.clean_environment(dict(os.environ)))
    assert said.number and not said.error


@pytest.mark.peer
@pytest.mark.parametrize(
    ("tool", "words"), [(ruff, ["--exit-zero"]), (ruff, ["-e"]), (bandit, ["--exit-zero"])], ids=str
)
def test_words_that_would_silence_the_exit_code_are_left_out(
    tool: ModuleType, words: list[str], tmp_path: Path
) -> None:
    found = ask(tool, tmp_path, TOOLS[tool][0], program=program(tool), args=words)
    assert found.findings and found.code in tool.FOUND_EXITS


@pytest.mark.peer
@pytest.mark.parametrize("level", ["warn", "error"])
def test_of_eslints_limit_to_warnings_only_errors_are_left(level: str, tmp_path: Path) -> None:
    """A file that is ignored would else be a warning too many, and no finding."""
    files = {"eslint.config.mjs": _FLAT % level, "a.js": "foo();\n", "ignored.js": "foo();\n"}
    found = ask(eslint, tmp_path, files, program=program(eslint), args=["--max-warnings=0"])
    assert [(f.path, eslint.spared(f)) for f in found.findings if f.category != LEFT_OUT] == [
        ("a.js", level == "warn")
    ]
    assert found.code in (eslint.CLEAN_EXITS if level == "warn" else eslint.FOUND_EXITS)


@pytest.mark.peer
def test_oxlint_ends_clean_beside_warnings_and_not_beside_a_file_that_it_cannot_read(
    tmp_path: Path,
) -> None:
    warned = ask(oxlint, tmp_path / "a", {"a.js": "debugger;\n"})
    assert (
        warned.code in oxlint.CLEAN_EXITS
        and warned.findings
        and all(map(oxlint.spared, warned.findings))
    )
    unread = ask(oxlint, tmp_path / "b", {"a.js": b"\xff\xfe bad"})
    assert unread.code in oxlint.FOUND_EXITS and unread.findings


@pytest.mark.peer
def test_bandit_ends_clean_beside_a_file_that_it_cannot_read(tmp_path: Path) -> None:
    unread = ask(bandit, tmp_path, {"a.py": "def f(:\n"}, program=program(bandit))
    assert (
        unread.code in bandit.CLEAN_EXITS
        and unread.findings
        and all(map(bandit.spared, unread.findings))
    )
