"""What ast-grep's grammars are believed, and where the mistake is said to be."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import ast_grep
from reviewgate_gh.reviewers.linters._grammars import GRAMMARS
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from reviewgate_gh.system import process
from reviewgate_gh.text import brackets
from reviewgate_gh.text.brackets import find_loose_bracket, find_open_block
from tests.support import tool

CONFIG = Path(ast_grep.__file__).parent / "data/sgconfig.yml"
BROKEN = {
    "a.c": ("int f(void) {\n  if (x) {\n    g();\n  return 0;\n}\n", 2),
    "a.cc": ("namespace a {\nint f(int x { return x; }\n}\n", 2),
    "a.cs": ("class A {\n  int F() { return 1 }\n}\n", 2),
    "a.dart": ("void main() {\n  print('a';\n}\n", 2),
    "a.ex": ("defmodule A do\n  def f do\n    1\n\n  def g do\n    2\n  end\nend\n", 2),
    "a.go": ("package a\n\nfunc f() int {\n\treturn )\n}\n", 4),
    "a.hs": ("module A where\n\nf x = (x + 1\n", 3),
    "a.tf": ('resource "a" "b" {\n  x = \n}\n', 2),
    "A.java": ("class A {\n  int f() { return 1 }\n}\n", 2),
    "a.kt": ("fun f() {\n  g(1\n}\n", 2),
    "a.lua": ("local function f()\n  return = 1\nend\n", 2),
    "a.nix": ("{\n  a = 1\n}\n", 2),
    "a.php": ("<?php\nfunction f() {\n  return 1\n}\n", 3),
    "a.rb": ("class A\n  def a\n    if b\n      c\n  end\n\n  def d\n  end\nend\n", 3),
    "a.rs": ("fn f() {\n    g(1;\n}\n", 2),
    "a.scala": ("object A {\n  def f(x: Int = x\n}\n", 2),
    "a.sol": ("contract A {\n  uint x = ;\n}\n", 2),
    "a.swift": ("func f() {\n  g(1\n}\n", 2),
    "a.zig": ("fn f() void {\n    g(1;\n}\n", 2),
}
VALID = {
    # Newer than the grammars, or macros
    "gap.go": "package a\n\nvar p = new(1 + 2)\n",
    "field.go": "package a\n\nvar p = new(fs.opt.key)\n",
    "Gap.java": "class A { void f(String @Nullable ... a) {} }\n",
    "gap.rs": 'fn f() { g(str!["{"]); }\n',
    "gap.kt": 'fun f() = where?.let { +"${if (a) ")" else ""}" }\n',
    "gap.php": "<div>\n  <?php foreach ($a as $b) { ?>\n  <p><?= $b ?></p>\n<?php } ?>\n",
    "macro.c": '#ifdef __cplusplus\nextern "C" {\n#endif\nFOREACH(a, b) { c(); }\n'
    "#ifdef A\nif (x) {\n#else\nif (y) {\n#endif\n}\n#ifdef __cplusplus\n}\n#endif\n",
    "Condition.cs": "class A {\n  void F() {\n    try { G(); }\n#if B\n    catch (C) { H(); }\n"
    "#endif\n    catch (D) { }\n  }\n}\n",
    "block.rb": "def f(&)\n  g(\n    1,\n    &\n  )\nend\n",
    "template.go": "package {{ .Name }}\n\nfunc f( {{ args }} ) {\n",
    # Nothing where something may stand
    "empty.go": "package a\n\nvar s = ``\n",
    "empty.lua": "--\nlocal a = 1\n",
    "empty.rs": 'fn f() { g(r""); }\n',
}


def ask(folder: Path, files: dict[str, str | bytes]) -> dict[str, Finding]:
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    argv = ast_grep.argv(tool("ast-grep"), CONFIG, ())
    answer = process.run_process([*argv, *files], cwd=folder, env={})
    assert answer.code == 0, answer.err
    found = {finding.path: finding for finding in ast_grep.parse(answer.lines())}
    read = {path.decode() for path in ast_grep.reads(answer.error_lines())}
    answer.close()
    return found | {name: None for name in files if name not in read}


def test_each_language_has_a_mistake_that_is_found_at_its_line(tmp_path: Path) -> None:
    found = ask(tmp_path, {name: text for name, (text, _line) in BROKEN.items()})
    assert {name: finding.line_start for name, finding in found.items()} == {
        name: line for name, (_text, line) in BROKEN.items()
    }
    assert {finding.priority for finding in found.values()} == {Priority.P0}
    languages = {finding.title.split()[1].rstrip(":") for finding in found.values()}
    assert languages == set(GRAMMARS)


def test_a_second_witness_says_what_the_grammar_may_not(tmp_path: Path) -> None:
    texts = {
        "a.kt": "class A {\n    func b(c: Int) {\n    }\n}\n",
        "b.swift": 'func a() {\n    print("b)\n}\n',
        "C.cs": "class C\n{\n    pubic int D() { return 1; }\n}\n",
        "D.cs": "class D\n{\n    void E()\n    {\n        f += 1\n        G.H(f);\n    }\n}\n",
        "t.rb": "Devise.setup do |config|\n  config.status = <%= key(422).inspect %>\nend\n",
        "t.cs": "class C\n{\n    pubic int {{ name }}() { return 1; }\n}\n",
    }
    found = ask(tmp_path, texts)
    told = {name: (f.line_start, f.priority) for name, f in found.items() if f.category != LEFT_OUT}
    assert told == {"a.kt": (2, "P0"), "b.swift": (2, "P0"), "C.cs": (3, "P0"), "D.cs": (5, "P0")}


def test_what_no_compiler_takes_is_odd_in_a_new_file_too(tmp_path: Path) -> None:
    texts = {
        "a.rs": "pub fn a(b: &str) Option<C> {\n    d(b)\n}\n",
        "a.cs": "class A {\n  int F() {\n    foreach (var b of c) { d(b); }\n  }\n}\n",
        "a.kt": "fun a(b: Int) {\n    for (c of d) { e(c) }\n}\n",
        "A.java": "class A {\n  void f() {\n    for (int a of b) { c(a); }\n  }\n}\n",
        "a.dart": "void a() {\n  for (var b of c) { d(b); }\n}\n",
        "a.swift": "func a(b: URL) {\n    guard b.c == 1 {\n        return\n    }\n}\n",
        # Sound, though the grammars do not know it
        "b.rs": "trait A = B<()>;\n",
        "b.cs": "class A {\n#if B\n  int F() {\n#else\n  long F() {\n#endif\n    return 1; }\n}\n",
        "c.cs": "class A {\n  void F(bool async) {\n    G(async);\n  }\n}\n",
        "b.kt": "fun a() = b.c(d, String?::plus)\n",
        "c.kt": "context(a: B)\nfun c() = 1\n",
        "d.kt": "fun a(b: @Composable (C) -> Unit = {}) {\n  b()\n}\n",
        "e.kt": "fun a() =\n  f(b).use { writer\n    ->\n    writer.c()\n  }\n",
        "f.kt": "fun a() = when (val b = c) {\n  is D if b.e -> 1\n  ::f.name -> 2\n}\n",
        "g.kt": "class A {\n  val b: C<D>\n    field: E<D> = E(1)\n}\n",
        "h.kt": "fun a() {\n  val b = c(d)\n  (e as F).g = b\n}\n",
        "B.java": "class A { void f(String @Nullable ... a) {} }\n",
        "b.swift": "func a() { b.succeed(()) }\n",
    }
    found = ask(tmp_path, texts)
    told = {name: (f.priority, f.rule) for name, f in found.items() if f.rule == "ast-grep/unlike"}
    assert told == {
        name: ("P3" if name == "a.swift" else "P2", "ast-grep/unlike")
        for name in texts
        if name.lower().startswith("a.")
    }
    # else no new file would be told of
    assert not "ast-grep/unlike".startswith(ast_grep.BASE_DECIDES)


def test_a_file_of_c_that_is_no_longer_understood_is_a_hint(tmp_path: Path) -> None:
    texts = {
        "a.c": "int f(int a) {\n  for (int b in c) { d(b); }\n  return a;\n}\n",
        "a.cpp": "int f(int a) {\n  for (int b of c) { d(b); }\n  return a;\n}\n",
        "b.cpp": "struct A { A& b() { this->operator++(); return FOO(c) d; } };\n",
        "c.cpp": "int f(int a) {\n  for (int b : c) { d(b); }\n  return a;\n}\n",
    }
    found = ask(tmp_path, texts)
    told = {name: (f.rule, f.priority) for name, f in found.items() if f.category != LEFT_OUT}
    assert told == dict.fromkeys(("a.c", "a.cpp"), ("ast-grep/unparsed", "P3"))


def test_every_suffix_is_one_that_the_tool_knows(tmp_path: Path) -> None:
    names = {glob.replace("*", "a"): "\n" for glob in ast_grep.FILES}
    assert ask(tmp_path, names) == {}


def test_valid_code_is_never_called_broken(tmp_path: Path) -> None:
    found = ask(tmp_path, VALID)
    said = {name for name, finding in found.items() if finding.category != LEFT_OUT}
    # Of which the base decides
    assert said == {name for name in said if found[name].rule in ast_grep.BASE_DECIDES}
    # What the grammar does not understand is not parsed, and the rest is
    assert {"gap.go", "Gap.java", "gap.rs", "macro.c", "template.go"} <= set(found)
    assert not {name for name in found if name.startswith("empty")}


def test_what_the_tool_skips_is_not_parsed(tmp_path: Path) -> None:
    skipped = {
        "latin.go": b"package a // \xe9\n",
        "large.go": b"package a\n" + b"var x = 1\n" * 300_000,
    }
    assert ask(tmp_path, {**skipped, "b.go": "package b\n"}) == dict.fromkeys(skipped)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("C", 'char c = \'{\'; // }\nchar *s = "(\\"";\n#define A {\n'),
        ("C++", 'auto s = R"x(( {)" )x";\nint i = 1\'000;\n'),
        ("C#", 'var a = $"{b["("]}" + @"{\\" + $@"{"@\\"" + c}" + """{""";\n'),
        ("Rust", "fn f<'a>(x: &'a str) { let c = '{'; r#\"}\"#; }\n"),
        ("Kotlin", 'val a = "${if (b) ")" else "("}" + """{"""\n'),
        ("Swift", 'let r = /^\\)(\\d+)$/\nlet s = #"{"#\n'),
        ("Haskell", "f' x = '(' : [q|{|] -- )\n{- ( -}\n"),
        ("Dart", "var a = '{' \"(\" '''[''';\n"),
        ("Kotlin", "/* a /* { */ } /* /* ( */ ] */ */ val b = 1 // */ {\n"),
        ("Rust", "/* /* { */ } **/ fn f() {}\n"),
        ("Haskell", "a = (1 {- {- ) -} ( -})\n"),
    ],
)
def test_brackets_in_strings_and_comments_do_not_count(language: str, text: str) -> None:
    assert find_loose_bracket(language, text) is None
    assert find_loose_bracket(language, f"{text}(\n") is not None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def a\n  b\nend\n", 0),
        ("class A\n  def a\n    b\n  def c\n  end\nend\n", 2),
        ("if a\n  b\nelse\n  c\nend\nd\n", 0),
        ("a.each do |b|\n  c\n", 1),
        ("def a = 1\n", 0),
    ],
)
def test_a_block_without_an_end_is_found_by_its_indent(text: str, line: int) -> None:
    assert find_open_block(text) == line


@given(text=st.text(alphabet="(){}[]\"'/*#\\\n -ra$@`<", max_size=80))
def test_any_text_has_a_first_loose_bracket_or_none(text: str) -> None:
    for language in brackets._SKIPPED:
        found = find_loose_bracket(language, text)
        assert found is None or found.text in text.split("\n")[found.line - 1]
