"""oxlint: weights on real runs, and that no script is ever taken for its config."""

import json
from pathlib import Path

import pytest

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import oxlint
from tests.support import peer
from tests.unit.reviewers.linters.real import ask, write

BAD = {
    "oxlint/eslint/no-dupe-keys": ("export const o = { a: 1, a: 2 };\n", "P1"),
    "oxlint/eslint/use-isnan": ("export const f = (x) => x === NaN;\n", "P1"),
    "oxlint/eslint/for-direction": ("for (let i = 0; i < 10; i--) {}\n", "P1"),
    "oxlint/eslint/no-const-assign": ("const a = 1;\na = 2;\n", "P1"),
    "oxlint/eslint/no-unused-vars": ("const a = 1;\n", "P3"),
    "oxlint/eslint/no-debugger": ("debugger;\n", "P3"),
    "oxlint/eslint/no-cond-assign": (
        "export const f = (r, s) => { let m; while (m = r.exec(s)) s = m[1]; };\n",
        "P3",
    ),
    "oxlint/eslint/no-setter-return": (
        "let v; export const o = { set p(x) { return (v = x); } };\n",
        "P3",
    ),
    "oxlint/eslint/getter-return": (
        "export const o = { get p() { if (Date.now()) return 1; } };\n",
        "P3",
    ),
    "oxlint/unicorn/no-invalid-fetch-options": (
        'export const f = (b) => fetch("/", { method: "GET", body: b });\n',
        "P3",
    ),
    "oxlint/unicorn/no-thenable": ("export const p = { then(done) { done(1); } };\n", "P3"),
    "oxlint/syntax": ("const a = {;\n", "P0"),
}
SENTINEL = (
    'import { writeFileSync } from "node:fs";\nwriteFileSync("SENTINEL", "");\nexport default {};\n'
)


def test_what_is_constant_without_an_assignment_is_probably_wrong(tmp_path: Path) -> None:
    asked = ask(oxlint, tmp_path, {"bad.js": "export const f = (x) => ({}) && x;\n"})
    assert asked.weights() == {"oxlint/eslint/no-constant-binary-expression": "P2"}


@pytest.mark.parametrize(
    ("row", "priority"),
    [
        ("f((x) => (called = true) && x)", "P3"),
        ("f((x) => ({}) && x)", "P2"),
        ("f((a => 1) && x)", "P2"),
        ("f((a == []) && x)", "P2"),
    ],
)
def test_what_assigns_is_constant_on_purpose(row: str, priority: str) -> None:
    rule = "oxlint/eslint/no-constant-binary-expression"
    found = Finding(Priority.P2, "lint", rule, "a.js", 1, 1, "t")
    assert oxlint.relocate(found, row.encode).priority == priority


@pytest.mark.parametrize(
    ("row", "category", "priority"),
    [
        ("a=2;" * 600, "lint", "P3"),
        ("a=2;" * 100, "lint", "P1"),
        ("a=2;" + " " * 3_000, "lint", "P1"),
        ("a=2;" * 600, "syntax", "P1"),
    ],
)
def test_packed_code_is_read_by_nobody(row: str, category: str, priority: str) -> None:
    found = Finding(Priority.P1, category, "oxlint/eslint/no-const-assign", "a.js", 2, 2, "t")
    assert oxlint.relocate(found, f"// a\n{row}\n".encode).priority == priority


@pytest.mark.parametrize("rule", sorted(BAD))
def test_weights(rule: str, tmp_path: Path) -> None:
    source, priority = BAD[rule]
    asked = ask(oxlint, tmp_path, {"bad.js": source})
    assert asked.weights().get(rule) == priority, asked.findings
    assert {f.path for f in asked.findings} == {"bad.js"}


def test_a_test_may_claim_by_a_property(tmp_path: Path) -> None:
    """As chai does: https://www.chaijs.com/api/bdd/"""
    claim = 'import { expect } from "chai";\nexpect(1).to.be.ok;\n'
    files = dict.fromkeys(("src/a.js", "src/a.test.ts", "test/unit/a.js"), claim)
    asked = ask(oxlint, tmp_path, files)
    assert [(f.rule, f.path) for f in asked.findings] == [
        ("oxlint/eslint/no-unused-expressions", "src/a.js")
    ]


def test_clean_and_odd_files(tmp_path: Path) -> None:
    asked = ask(oxlint, tmp_path, {"ok.ts": "export const a: number = 1;\n"})
    assert (asked.code, asked.findings) == (0, ())
    script = "<script>\nexport default { a: 1, a: 2 };\n</script>\n"
    files = {
        **dict.fromkeys(("x b/ü '.js", "-dash.mjs", "100%25.tsx", "a\nb.cts"), "debugger;\n"),
        "a.vue": script,
        "b.svelte": script,
    }
    assert {f.path for f in ask(oxlint, tmp_path, files).findings} == set(files)


def test_an_unreadable_file_is_critical(tmp_path: Path) -> None:
    (found,) = ask(oxlint, tmp_path, {"l.js": b'"\xe9";\n'}).findings
    assert (found.path, found.line_start, found.priority) == ("l.js", 0, Priority.P1)


def test_nothing_hides_behind_an_ignore_file(tmp_path: Path) -> None:
    write(tmp_path, {".eslintignore": "a.js\n"})
    assert ask(oxlint, tmp_path, {"a.js": "debugger;\n"}).findings


def test_the_projects_own_config(tmp_path: Path) -> None:
    config = '{"rules": {"no-debugger": "error"}, "ignorePatterns": ["skipped/**"]}'
    asked = ask(
        oxlint,
        tmp_path,
        {".oxlintrc.json": config, "a.js": "debugger;\n", "skipped/b.js": "debugger;\n"},
        own_config=True,
    )
    assert [(f.path, f.priority.value) for f in asked.findings] == [("a.js", "P1")]


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("name", ["oxlint.config.ts", "oxlint.config.mjs", "oxlint.config.js"])
@pytest.mark.parametrize("which", ["wheel", pytest.param("npm", marks=pytest.mark.peer)])
def test_a_script_is_never_its_config(which: str, name: str, own: bool, tmp_path: Path) -> None:
    program = str(peer("node_modules/.bin/oxlint")) if which == "npm" else ""
    write(tmp_path, {".oxlintrc.json": "{}"})
    files = {name: SENTINEL, f"sub/{name}": SENTINEL, "sub/a.js": "debugger;\n"}
    asked = ask(oxlint, tmp_path, files, own_config=own, program=program)
    assert "sub/a.js" in {f.path for f in asked.findings}, asked.err
    assert not list(tmp_path.rglob("SENTINEL"))


def test_a_message_without_a_file_is_refused() -> None:
    with pytest.raises(ValueError, match="no file name"):
        oxlint.parse(
            [
                (
                    b'{"diagnostics": [{"message": "something broke", "severity": "error", '
                    b'"labels": '
                    b"[]}]}"
                )
            ]
        )


@pytest.mark.parametrize(
    ("rule", "path", "priority"),
    [
        ("TS/1038", "types/a.d.ts", "P3"),
        ("TS/1038", "types/a.d.mts", "P3"),
        ("TS/1038", "src/a.ts", "P2"),
        ("eslint/no-eval", "pkg/test/a.test.ts", "P3"),
        ("eslint/no-eval", "src/a.ts", "P2"),
        ("eslint/no-unsafe-optional-chaining", "src/__tests__/a.ts", "P3"),
        ("eslint/no-unsafe-optional-chaining", "src/a.ts", "P2"),
        ("eslint/no-dupe-else-if", "pkg/test/a.test.ts", "P2"),
    ],
)
def test_declarations_and_tests_weigh_less(rule: str, path: str, priority: str) -> None:
    found = Finding(Priority.P2, "lint", f"oxlint/{rule}", path, 1, 1, "t")
    assert oxlint.relocate(found, lambda: b"x()\n").priority == priority


_PALETTE = """export enum Color {
  Black100 = '#111',
  Black150 = '#111', // as long as there is no other
  Red50 = '#f00',
  Red100 = '#f00',
  White = '#fff',
%s}

enum Size {
  Small = '1',
  Large = '1',
}
"""


@pytest.mark.parametrize(
    ("more", "line", "priority"),
    [
        ("  Link = '#00f',\n  Badge = '#00f',\n", 8, "P3"),
        ("  Link = '#00f',\n  Badge = '#00f',\n", 13, "P2"),
        ("  Link = '#00f',\n  Badge = '#00e',\n", 5, "P2"),
    ],
)
def test_an_enumeration_may_be_a_table_of_aliases(
    more: str, line: int, priority: str, tmp_path: Path
) -> None:
    text = _PALETTE % more
    asked = ask(oxlint, tmp_path, {"a.ts": text})
    rule = "oxlint/typescript/no-duplicate-enum-values"
    (found,) = (f for f in asked.findings if (f.rule, f.line_start) == (rule, line))
    assert oxlint.relocate(found, text.encode).priority.value == priority


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("export const o = {\n  a: 1,\n  b: 2,\n  a: 3,\n};\n", 4),
        ("class A {\n  f() {}\n\n  f() {}\n}\nnew A();\n", 4),
        ("enum A {\n  B = 1,\n  C = 1,\n}\nalert(A.B);\n", 3),
    ],
)
def test_what_is_there_twice_is_told_at_the_second_place(
    text: str, line: int, tmp_path: Path
) -> None:
    assert [f.line_start for f in ask(oxlint, tmp_path, {"a.ts": text}).findings] == [line]


@pytest.mark.parametrize(
    ("name", "rule", "priority"),
    [("a.test.cjs", "oxlint/module-syntax", "P3"), ("a.cjs", "oxlint/syntax", "P0")],
)
def test_what_a_runner_of_tests_translates_is_no_broken_file(
    name: str, rule: str, priority: str
) -> None:
    row = {"message": "Cannot use import statement outside a module", "filename": name}
    said = json.dumps({"diagnostics": [row]})
    (found,) = oxlint.parse([said.encode()])
    assert (found.rule, found.priority) == (rule, priority)
