"""What the adapters of shfmt, sqruff, taplo, yamllint and ansible-lint count, and what not: from
their output, and with the real tools."""

import json
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType

import pytest

from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import ansible_lint, shfmt, sqruff, taplo, yamllint
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from tests.support import peer
from tests.unit.reviewers.linters.real import Asked, ask, found_in, takes

ODD = "x b/ü '"
_CHART = b"a: {{ .Values.x }}\n{{- if .Values.y }}\nb: 1\n{{- else }}\nb: 2\n{{- end }}\n"


def _read(module: ModuleType, text: str) -> list[Finding]:
    return [*module.parse(text.encode().splitlines(keepends=True))]


def _real(
    module: ModuleType, folder: Path, files: dict[str, str | bytes], *, own_config: bool = False
) -> Asked:
    program = str(peer(f"venv/bin/{module.PROGRAM}"))
    return ask(module, folder, files, own_config=own_config, program=program)


def _weight(module: ModuleType, asked: Asked, read: Callable[[str], bytes]) -> list[str]:
    return [
        module.relocate(f, lambda path=f.path: read(path)).priority.value for f in asked.findings
    ]


# --- shfmt


def test_shfmt_tells_errors_from_other_forms_and_other_shells() -> None:
    text = (
        "diff a b.sh.orig a b.sh\n--- a b.sh.orig\n+++ a b.sh\n"
        "@@ -4,5 +4,4 @@\n if x; then\n \tls\n-   foo;  bar\n-\n+\tfoo\n fi\n"
        "@@ -20 +19,2 @@\n ls\n+\n"
        "c.sh:5:3: arrays are a bash/mksh/zsh feature; tried parsing as posix (x)\n"
        "d.sh:2:1: invalid UTF-8 encoding\n"
        "e.sh:2:1: `if` statement must end with `fi`\n"
    )
    assert found_in(shfmt, text) == [
        ("shfmt/format", "a b.sh", 6, "P3"),
        ("shfmt/format", "a b.sh", 20, "P3"),
        ("shfmt/left-out", "c.sh", 0, LEFT_OUT),
        ("shfmt/left-out", "d.sh", 0, LEFT_OUT),
        ("shfmt/syntax", "e.sh", 2, "P0"),
    ]
    assert found_in(shfmt, "a.sh\0b c.sh\0") == [] and _read(shfmt, "a.sh\0")
    for other in ("lstat a.sh: no such file or directory\n", "a.sh\n", "+++ a\n@@ -1 +1 @@\n a"):
        with pytest.raises(ValueError, match=r"not shfmt's output"):
            _read(shfmt, other)


@pytest.mark.parametrize(
    ("path", "text", "title", "priority"),
    [
        ("a.sh", "#!/bin/bash\n(\n", "`(` must be followed", "P0"),
        ("a.bats", "(\n", "`(` must be followed", "P0"),
        ("a.sh", "(\n", "`(` must be followed", "P2"),
        ("a.sh", "# under zsh\n(\n", "`(` must be followed", "P3"),
        ("a.sh", "#!/usr/bin/env zsh\n(\n", "`(` must be followed", "P3"),
        ("a.sh", "#!/bin/sh\n{{ x }}\n(\n", "`(` must be followed", "P3"),
        ("a.sh", "#!/bin/sh\nf '{{ x }}'\n(\n", "`(` must be followed", "P0"),
        ("a.bash", "echo ${=x}\n", "invalid parameter name", "P2"),
        ("a.bash", "[ $ZSH ] && zsh=1\n: zsh ${=x}\n", "invalid parameter name", "P3"),
    ],
)
def test_what_another_program_may_read_weighs_less(
    path: str, text: str, title: str, priority: str
) -> None:
    found = Finding(Priority.P0, "syntax", "shfmt/syntax", path, 1, 1, title)
    assert shfmt.relocate(found, text.encode).priority == priority


def test_shfmt_is_not_asked_about_zsh() -> None:
    assert takes(shfmt, "a.sh") and takes(shfmt, "a", b"#!/usr/bin/env bats\n")
    assert not takes(shfmt, "a.zsh") and not takes(shfmt, "a.sh", b"#!/bin/zsh\n")


@pytest.mark.peer
def test_shfmt_finds_what_does_not_parse_and_no_form_that_nobody_set(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "quote.bash": "echo 'a\n",
        "loop.bash": "for f in *; do\n  ls\n",
        f"{ODD}.bash": "if true; then\n  ls\nfi; }\n",
        "-dash.bash": "case x in\n",
        "form.bash": "if true; then\n   foo;  bar\nfi\n",
        "bytes.bash": b"# caf\xe9\nls\n",
        "empty.bash": "",
        ".editorconfig": "[*]\nindent_style = space\nshell_variant = posix\n",
    }
    asked = _real(shfmt, tmp_path, files)
    assert {(f.path, f.priority.value) for f in asked.findings if f.category == "syntax"} == {
        (name, "P0") for name in [*files][:4]
    }
    assert not [f for f in asked.findings if f.rule == "shfmt/format"]
    clean = _real(shfmt, tmp_path / "clean", {"a.bash": "ls\n"})
    assert (clean.code, clean.findings) == (0, ())


@pytest.mark.peer
def test_shfmt_counts_the_form_that_the_project_sets(tmp_path: Path) -> None:
    text = "#!/bin/sh\nls\nif true; then\n   foo\n  bar\nfi\nls  -l\n"
    files: dict[str, str | bytes] = {
        ".editorconfig": "[*.sh]\nindent_style = space\nindent_size = 2\nbinary_next_line = true\n"
        "[vendor/*]\nignore = true\n",
        f"{ODD}.sh": text,
        "vendor/a.sh": text,
    }
    asked = _real(shfmt, tmp_path, files, own_config=True)
    assert [(f.path, f.line_start, f.line_end, f.priority) for f in asked.findings] == [
        (f"{ODD}.sh", 4, 7, "P3")
    ]


@pytest.mark.parametrize(
    ("text", "configured"),
    [
        (b"[*]\nindent_style = tab\nmax_line_length = 100\n", False),
        (b"[*.sh]\n  switch_case_indent=true\n", True),
        (b"[[shell]]\nshell_variant = bash\n", True),
        (b"# shell_variant = bash\n", False),
    ],
)
def test_an_editors_settings_are_none_of_shfmt(text: bytes, configured: bool) -> None:
    assert shfmt.configures(".editorconfig", text) is configured


# --- taplo

_BROKEN = (
    "error: invalid TOML\n  ┌─ /r/{0}:4:5\n  │  \n4 │   b = \n  │ ╭────^\n5 │ │ \n"
    "  │ ╰^ expected value\n\n"
)
_END = "ERROR operation failed error=some files were not valid\n"


def test_of_errors_that_follow_one_another_taplo_counts_the_first() -> None:
    patch = "diff a//r/d.toml b//r/d.toml\n--- a//r/d.toml\n+++ b//r/d.toml\n@@ -0,1 +0,1 @@\nx\n"
    text = f"{patch}{_BROKEN.format('a.toml') * 2}{_BROKEN.format('b c.toml')}{_END}"
    assert [row[:3] for row in found_in(taplo, text)] == [
        ("taplo/format", "/r/d.toml", 0),
        ("taplo/syntax", "/r/a.toml", 4),
        ("taplo/syntax", "/r/b c.toml", 4),
    ]
    for cut in (text[:-1], patch[:-4], _BROKEN.partition("\n")[0] + "\n", " WARN x\n", "x\n"):
        with pytest.raises(ValueError, match=r"not taplo's output"):
            _read(taplo, cut)


@pytest.mark.parametrize(("text", "priority"), [("a = \n", "P0"), ("a = {\n b = 1,\n}\n", "P3")])
def test_toml_that_taplo_cannot_read_yet_is_not_broken(text: str, priority: str) -> None:
    found = Finding(Priority.P0, "syntax", "taplo/syntax", "a.toml", 1, 1, "invalid TOML")
    assert taplo.relocate(found, text.encode).priority == priority


@pytest.mark.parametrize(
    ("text", "configured"),
    [
        (b'[[rule]]\ninclude = ["*"]\n[rule.schema]\npath = "x"\n', False),
        (b"exclude = ['x']\n", False),
        (b"[formatting]\nalign_entries = true\n", True),
        (b"formatting.align_entries = true\n", True),
        (b"formatting = { align_entries = true }\n", True),
        (b"[[rule]]\n[rule.formatting]\nreorder_keys = true\n", True),
        (b"# [formatting]\n", False),
    ],
)
def test_settings_of_schemas_alone_ask_for_no_form(text: bytes, configured: bool) -> None:
    assert taplo.configures(".taplo.toml", text) is configured
    assert not taplo.configures("a/.taplo.toml", text)  # it looks beside and above alone


@pytest.mark.peer
def test_taplo_asks_nobody_for_a_schema(tmp_path: Path) -> None:
    asked_for = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked_for.append(self.path)
            self.send_response(404)
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/s.json"
    settings = f'[formatting]\n[[rule]]\ninclude = ["**"]\n[rule.schema]\nurl = "{url}"\n'
    files: dict[str, str | bytes] = {
        ".taplo.toml": settings,
        f"{ODD}.toml": f"#:schema {url}\na   = 1\n",
        "-dash.toml": "a = = 1\n",
        "fine.toml": "a = 1\n",
    }
    asked = _real(taplo, tmp_path, files, own_config=True)
    server.shutdown()
    server.server_close()
    assert not asked_for
    assert {(f.rule, f.path, f.priority.value) for f in asked.findings if f.path} == {
        ("taplo/format", f"{ODD}.toml", "P3"),
        ("taplo/syntax", "-dash.toml", "P0"),
    }


@pytest.mark.peer
def test_settings_that_taplo_cannot_read_are_no_clean_answer(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not taplo's output: .*invalid configuration"):
        _real(taplo, tmp_path, {".taplo.toml": "x = [\n", "a.toml": "a = 1\n"}, own_config=True)


def test_names_that_are_patterns_are_not_given_to_taplo() -> None:
    assert takes(taplo, "a b/ü.toml") and not takes(taplo, "[ab].toml")


# --- sqruff


def _sql(path: str, *rows: tuple[int, str | None, str]) -> str:
    return json.dumps(
        {
            path: [
                {"range": {"start": {"line": line}}, "code": code, "message": message}
                for line, code, message in rows
            ]
        }
    )


def test_sqruff_weighs_mistakes_above_form_and_says_once_what_it_cannot_parse() -> None:
    text = _sql(
        "a.sql",
        (1, "LT01", "m"),
        (2, "CV05", "m"),
        (3, None, "Unparsable section"),
        (4, "LXR", "Unable to lex characters"),
    )
    assert found_in(sqruff, text) == [
        ("sqruff/LT01", "a.sql", 1, "P3"),
        ("sqruff/CV05", "a.sql", 2, "P2"),
        ("sqruff/syntax", "a.sql", 3, "P2"),
    ]
    untold = _sql("a.sql", (0, None, "Failed to template file a.sql"))
    assert found_in(sqruff, untold) == [("sqruff/left-out", "a.sql", 0, LEFT_OUT)]
    assert sqruff.answered([text.encode()]) == ["a.sql"]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (b"[sqruff]\ndialect = postgres\n", False),
        (b"[sqruff]\ntemplater = raw\n", False),
        (b"[sqruff]\ntemplater = placeholder\n[sqruff:templater:placeholder]\n", False),
        (b"[sqruff]\nTEMPLATER=jinja\n", True),
        (b'[tool.sqruff]\ntemplater = "dbt"\n', True),
        (b"[sqruff:templater:jinja]\nlibrary_path = lib\n", True),
    ],
)
def test_settings_of_templates_run_code(text: bytes, runs: bool) -> None:
    assert sqruff.executes(text) is runs


def test_sqlfluffs_settings_do_not_start_sqruff() -> None:
    assert sqruff.configures("db/.sqruff", b"") and not sqruff.configures("db/.sqlfluff", b"")


@pytest.mark.peer
def test_sqruff_finds_mistakes_in_files_of_any_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".sqruff": "[sqruff]\ndialect = postgres\n",
        f"{ODD}.sql": "SELECT a FROM t WHERE a = NULL;\n",
        "-dash.sql": "SELECT t.a\nFROM t\nINNER JOIN u AS t ON t.a = t.b;\n",
        "syntax.sql": "SELECT FROM WHERE (;\n",
        "table.sql": "SELECT u.a FROM t;\n",
        "fine.sql": "SELECT a FROM t;\n",
    }
    asked = _real(sqruff, tmp_path, files, own_config=True)
    assert {(f.path, f.rule) for f in asked.findings if f.priority is Priority.P2} == {
        (f"{ODD}.sql", "sqruff/CV05"),
        ("-dash.sql", "sqruff/AL04"),
        ("syntax.sql", "sqruff/syntax"),
        ("table.sql", "sqruff/RF01"),
    }
    assert {*sqruff.answered([asked.out])} == {*files} - {".sqruff"}


@pytest.mark.peer
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[sqruff]\ndialect = none-such\n", "VariantNotFound"),
        ("[sqruff]\nrules = XX99\n", "Unknown rule"),
        ("[sqruff\n", "Error loading config"),
    ],
)
def test_settings_that_sqruff_cannot_read_end_it(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match="no output"):
        _real(sqruff, tmp_path, {".sqruff": text, "a.sql": "SELECT 1;\n"}, own_config=True)
    done = ask_err(sqruff, tmp_path, "a.sql")
    assert why in sqruff.crashed(done) and "\n" not in sqruff.crashed(done)


def ask_err(module: ModuleType, folder: Path, *paths: str) -> str:
    """What the real tool says on standard error."""
    argv = [*module.argv(str(peer(f"venv/bin/{module.PROGRAM}")), None, ()), *paths]
    return subprocess.run(
        argv, cwd=folder, capture_output=True, text=True, check=False
    ).stderr.strip()


# --- yamllint


def test_yamllint_says_syntax_and_keys_and_the_rest_is_form() -> None:
    text = (
        'a b.yml:1:1: [warning] missing document start "---" (document-start)\n'
        'a b.yml:2:1: [error] duplication of key "a" in mapping (key-duplicates)\n'
        "-c.yml:3:2: [error] syntax error: expected ',' or ']', but got ':' (syntax)\n"
    )
    assert found_in(yamllint, text) == [
        ("yamllint/document-start", "a b.yml", 1, "P3"),
        ("yamllint/key-duplicates", "a b.yml", 2, "P2"),
        ("yamllint/syntax", "-c.yml", 3, "P0"),
    ]
    with pytest.raises(ValueError, match="not yamllint's output"):
        _read(yamllint, "[Errno 2] No such file or directory: 'a.yml'\n")


@pytest.mark.peer
def test_templates_are_no_broken_yaml(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "chart.yaml": _CHART,
        "jinja.yml": "{% if x %}\na: 1\n{% else %}\na: 2\n{% endif %}\n",
        "stack.yml": "a: !Ref b\nc: !Sub '${x}'\n---\na: 1\n",
        "broken.yml": "a: [1\nb: 2\n",
        f"{ODD}.yml": "a: 1\na: 2\n",
        "-dash.yml": "a: 1\n'a': 2\n",
    }
    asked = _real(yamllint, tmp_path, files)
    told = zip(
        asked.findings,
        _weight(yamllint, asked, lambda path: (tmp_path / path).read_bytes()),
        strict=True,
    )
    assert {(f.path, weight) for f, weight in told if weight != "P3"} == {
        ("broken.yml", "P0"),
        (f"{ODD}.yml", "P2"),
        ("-dash.yml", "P2"),
    }


def test_a_key_that_stands_twice_is_said_once() -> None:
    ours = Finding(
        Priority.P2, "hygiene", "builtin/yaml-duplicate-key", "a.yml", 2, 2, "a duplicate key",
        sources=("builtin",),
    )  # fmt: skip
    theirs = [
        Finding(Priority.P2, "lint", rule, "a.yml", 2, 2, "Duplication", sources=(tool,))
        for tool, rule in (
            ("yamllint", "yamllint/key-duplicates"),
            ("ansible-lint", "ansible-lint/yaml[key-duplicates]"),
        )
    ]
    first, *others = merge_findings([ours, *theirs], ("yamllint", "ansible-lint"))
    assert first.state == "open" and {f.state for f in others} == {"duplicate"}


def test_yamllint_needs_the_files_that_its_settings_name() -> None:
    text = b"extends: ./base.yaml\nignore-from-file: [.gitignore, '.yamlignore']\n"
    assert yamllint.extends(text) == ["./base.yaml", ".gitignore", ".yamlignore"]
    assert yamllint.extends(b"extends: default\nignore: |\n  a\n") == []
    rule = (
        b"extends: relaxed\nrules:\n  line-length:\n    ignore-from-file:\n      - x y\n      - z\n"
    )
    assert {"z"} <= {*yamllint.extends(rule)}


@pytest.mark.peer
@pytest.mark.parametrize("text", [b"a: \xff\n", b"a: \x07\n"])
def test_a_file_that_ends_yamllint_is_no_finding(tmp_path: Path, text: bytes) -> None:
    """It ends with 1 then, as for what it finds."""
    asked = _real(yamllint, tmp_path, {"a.yml": "a: [\n", "b.yml": text, "c.yml": "a: [\n"})
    assert asked.code in yamllint.FOUND_EXITS and {f.path for f in asked.findings} == {"a.yml"}
    assert yamllint.crashed(asked.err)
    assert not yamllint.crashed(_real(yamllint, tmp_path / "c", {"a.yml": "a: [\n"}).err)


# --- ansible-lint


@pytest.mark.parametrize(
    ("name", "priority"),
    [
        ("load-failure[yaml]", "P0"),
        ("load-failure[not-found]", "P3"),
        ("syntax-check[missing-file]", "P1"),
        ("syntax-check[unknown-module]", "P3"),
        ("args[module]", "P2"),
        ("risky-octal", "P2"),
        ("yaml[key-duplicates]", "P2"),
        ("yaml[line-length]", "P3"),
        ("fqcn[action-core]", "P3"),
        ("internal-error", LEFT_OUT),
    ],
)
def test_ansible_lint_weighs_what_cannot_run(name: str, priority: str) -> None:
    row = {"check_name": name, "description": "m"}
    for place in ({"lines": {"begin": 3}}, {"positions": {"begin": {"line": 3, "column": 7}}}):
        ((_rule, path, line, weight),) = found_in(
            ansible_lint, json.dumps([{**row, "location": {"path": "./a b.yml", **place}}])
        )
        assert (path, weight) == ("a b.yml", priority) and line == 3 * (priority != LEFT_OUT)


def test_ansible_lint_reads_no_settings_of_others() -> None:
    assert takes(ansible_lint, "roles/a/tasks/main.yml")
    assert not takes(ansible_lint, ".github/workflows/a.yml")
    assert not takes(ansible_lint, "a/.config.yml")


@pytest.mark.big  # it starts in seconds; test_exits.py has it for each run
@pytest.mark.peer
def test_ansible_lint_finds_mistakes_in_files_of_any_name(tmp_path: Path) -> None:
    task = "- name: Play\n  hosts: all\n  tasks:\n    - name: Task\n      %s\n"
    files: dict[str, str | bytes] = {
        ".ansible-lint": "profile: production\n",
        f"{ODD}.yml": task % "ansible.builtin.copy: {src: a, dest: b, mode: 644}",
        "schema.yml": "- name: Play\n  hosts: all\n  taskz: []\n",
        "broken.yml": task % "ansible.builtin.copy: {",
        "-dash.yml": task % "ansible.builtin.debug: {msg: x}",
    }
    asked = _real(ansible_lint, tmp_path, files, own_config=True)
    worst = {f.path: f.priority.value for f in asked.findings if f.priority < Priority.P3}
    assert worst == {f"{ODD}.yml": "P2", "schema.yml": "P1", "broken.yml": "P0"}, asked
    assert [f.path for f in asked.findings if f.category == LEFT_OUT] == ["-dash.yml"]
