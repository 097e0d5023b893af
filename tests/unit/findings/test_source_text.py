"""Statements and enclosing definitions, from the text alone."""

import io
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.findings import source_text
from reviewgate_gh.findings.source_text import SourceText

PYTHON = '''\
import x
def f(a,
      b=[]):
    """doc (
    more"""
    run(
        "ls",  # why
        shell=True,
    )
    y = 1 + \\
        2
    T = [
        run(1),
        2,
    ]
class C:
    @d
    async def g(self):
        return run("a # b", shell=True)
z = 1
'''
SCRIPT = """\
export default class A extends B {
  async m(a) {
    exec(cmd, {
      shell: true, // on
    });
    return `a ${
x}`;
  }
}
const h = async (x) => {
  if (x) {
    y();
  }
}
"""
YAML = """\
on: push
jobs:
  build:
    steps:
      - name: a
        run: |
          echo 'it
          echo b
      - uses: a/b@v1  # first
"""


@pytest.mark.parametrize(
    ("path", "text", "line", "unit", "statement"),
    [
        ("a.py", PYTHON, 1, "", "importx"),
        ("a.py", PYTHON, 3, "f", "deff(a,b=[]):"),
        ("a.py", PYTHON, 5, "f", '"""doc(more"""'),
        ("a.py", PYTHON, 6, "f", 'run("ls",shell=True)'),
        ("a.py", PYTHON, 8, "f", 'run("ls",shell=True)'),
        ("a.py", PYTHON, 11, "f", "y=1+\\2"),
        ("a.py", PYTHON, 13, "f", "run(1),"),
        ("a.py", PYTHON, 19, "C.g", 'returnrun("a#b",shell=True)'),
        ("a.py", PYTHON, 20, "", "z=1"),
        ("a.py", PYTHON, 99, "", ""),
        ("a.js", SCRIPT, 3, "A.m.exec", "exec(cmd,{shell:true});"),
        ("a.js", SCRIPT, 7, "A.m", "return`a${x}`;"),
        ("a.js", SCRIPT, 11, "h", "if(x){"),
        ("a.js", SCRIPT, 12, "h", "y();"),
        ("a.yml", YAML, 7, "jobs.build.steps.run", "echo'it"),
        ("a.yml", YAML, 9, "jobs.build.steps.uses", "-uses:a/b"),
        ("a.go", "func (s *S) Do(x int) {\n\tf(x,\n\t\ty)\n}\n", 3, "Do", "f(x,y)"),
        ("a.sh", "f() {\n  rm -rf $1 \\\n    $2\n}\n# it's\neval $3\n", 3, "f", "rm-rf$1\\$2"),
        ("a.sh", "f() {\n  rm -rf $1 \\\n    $2\n}\n# it's\neval $3\n", 6, "", "eval$3"),
        ("A.java", "class A {\n  public void b(int c)\n  {\n    d();\n  }\n}\n", 4, "A.b", "d();"),
        # The bracket has a line of its own: C, C++ and C#
        ("a.c", "char *f(int a,\n  int b)\n{\n  if (a)\n  {\n    d();\n  }\n}\n", 6, "f", "d();"),
        ("a.c", "struct s *f(int a)\n{\n  struct s *x;\n  d();\n}\n", 4, "f", "d();"),
        ("a.c", "static int\nf(void)\n{\n  EACH(a, b)\n  {\n    d();\n  }\n}\n", 6, "f", "d();"),
        ("a.cc", "int A::f(int a)\n{\n  else if (a)\n  {\n    d();\n  }\n}\n", 5, "A::f", "d();"),
        ("a.cc", "A::A(int a)\n  : B(a)\n{\n  return new C(a)\n  {\n  };\n}\n", 6, "A::A", "};"),
        ("A.cs", "class A\n{\n int F(int a = 1)\n {\n  using (b())\n  {\n   d();\n  }\n }\n}\n",
         7, "A.F", "d();"),
        # A quote that ends nowhere in its line: a lifetime, a separator of digits, an apostrophe
        ("a.rs", "enum E {\n  A(&'static str),\n}\nfn f() {\n  d(1);\n}\n", 5, "f", "d(1);"),
        ("a.rs", "fn g<'a>(x: &'a str) {\n  d('(', '\\'', x);\n}\n", 2, "g", "d('(','\\'',x);"),
        ("a.cc", "int g(int a = 1'000);\nint f() {\n  d();\n}\n", 3, "f", "d();"),
        ("A.cs", "class A\n{\n  int F() => 1;\n  int G;\n}\n", 4, "A", "intG;"),
    ],
)  # fmt: skip
def test_the_unit_and_the_statement_of_a_line(
    path: str, text: str, line: int, unit: str, statement: str
) -> None:
    source = SourceText(path, text.encode())
    assert (source.unit(line), source.statement(line)) == (unit, statement)


def test_a_long_table_is_not_one_statement() -> None:
    rows = "".join(f"    f({n}),\n" for n in range(100))
    source = SourceText("a.py", f"x = g(\n{rows})\n".encode())
    assert source.statement(1) == "x=g("
    assert source.statement(90) == "f(88),"


@given(st.binary() | st.text(alphabet="ab(){}[]\"'`\\#/* \n\t:-=", max_size=400).map(str.encode))
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.rs", "a.yml", "run"])
def test_any_text_has_an_answer_for_each_line(path: str, data: bytes) -> None:
    source = SourceText(path, data)
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        assert source.line(number) == line
        assert bool(source.statement(number)) >= bool("".join(line.split()))
        assert source.unit(number) in source.units


def test_comments_of_python_are_those_that_python_sees() -> None:
    for path in sorted(Path(source_text.__file__).parents[1].rglob("*.py"))[::12]:
        text = path.read_text("utf-8")
        rows = SourceText(path.name, text.encode()).without_comments().split("\n")
        assert [len(row) for row in rows] == [len(row) for row in text.split("\n")]
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (line, start), (_, end) = token.start, token.end
            if token.type == tokenize.COMMENT:
                assert not rows[line - 1][start:end].strip(), (path, token)
            elif token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER):
                assert rows[line - 1][start:end] == token.string, (path, token)


@pytest.mark.parametrize(
    ("path", "text", "bare"),
    [
        ("a.js", "f(/* x, */ y) // z\ng()\n", "f(         y)     \ng()\n"),
        ("a.js", "/*\nf()\n*/ g()\n", "  \n   \n   g()\n"),
        ("a.js", "f('// no')\n/* open\nf()\n", "f('// no')\n/* open\nf()\n"),
        ("a.go", "a := `// no`\n# no\n", "a := `// no`\n# no\n"),
        ("a.py", 'def f():\n    """\n    x\n    """\n    g("""a""")\n', None),
        ("a.py", 'x = """\n# no\n"""\n', 'x = """\n# no\n"""\n'),
        ("a.py", "x = 1  # é", "x = 1     "),
        ("a.rb", "x # y\n", "x    \n"),
    ],
)
def test_what_is_left_without_comments(path: str, text: str, bare: str | None) -> None:
    shown = SourceText(path, text.encode()).without_comments()
    if bare is None:
        assert "x" not in shown and 'g("""a""")' in shown and shown.count("\n") == 5
    else:
        assert shown == bare
